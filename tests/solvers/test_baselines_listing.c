/*
 * The paper's Listing 1 as published: its order where it works, its defects where it does not, and
 * that it always ends.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_fixture.h"

/* steps short beside epsilon unless h_max is infinite, and exact as far as projection is concerned
 */
static solver_settings settings_of(double epsilon, double h_max) {
  solver_settings s = fixture_settings();
  s.epsilon = epsilon;
  s.h_max = h_max;
  s.rtol = 1e-11;
  s.atol = 1e-12;
  return s;
}

static double error_at(fixture *f, double epsilon, double h_max, size_t projections) {
  const solver_settings s = settings_of(epsilon, h_max);
  const fixture_result r = fixture_run(f, &listing_solver, &s);
  assert_int_equal(r.report.events, f->reference.events);
  assert_int_equal(r.report.projections, projections);
  assert_true(r.report.entries > 0 && r.report.entries <= r.report.projections + 1);
  return r.rms;
}

/* A tenth of epsilon is a hundredth of the error. */
static void order_is_two(model m, double duration, size_t projections) {
  fixture f = fixture_open(m, duration);
  const double coarse = error_at(&f, 1e-2, 2e-5, projections);
  const double fine = error_at(&f, 1e-3, 2e-5, projections);
  const double order = log10(coarse / fine);
  if (!(order > 1.9 && order < 2.2)) fail_msg("%s: order %g", m.type->name, order);
  assert_true(fine < 1e-3);
  fixture_close(&f);
}

static void test_order_two_with_short_steps(void **state) {
  (void)state;
  model one = fixture_plate(60.0), undamped = fixture_plate(0.0), paper = fixture_plate(60.0);
  fixture_set(&one, "contacts", 1.0);
  fixture_set(&undamped, "contacts", 1.0);
  fixture_set(&paper, "contacts", 1.0);
  fixture_set(&paper, "law", 1.0);
  order_is_two(fixture_model("affine3"), 0.5, 3);
  order_is_two(fixture_model("hopper"), 2.0, 4);
  // the second event function, the force's, is projected onto as well
  order_is_two(one, 2.0, 8);
  order_is_two(undamped, 2.0, 4);
  order_is_two(paper, 2.0, 8);
}

/* The field that is told of mode changes is told of each change of sign. */
static void test_mode_changes_are_told(void **state) {
  (void)state;
  model told = fixture_plate(60.0);
  fixture_set(&told, "contacts", 1.0);
  fixture_set(&told, "field", 1.0);
  order_is_two(told, 2.0, 8);
}

/* Defect: where projection starts depends on where a step of the output's length ends, so that
 * most epsilons give the same error to the last bit as their neighbours, and some a hundred times
 * it. */
static void test_error_is_a_staircase(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 2.0);
  const double low = error_at(&f, 4.7e-3, INFINITY, 4), same = error_at(&f, 5.5e-3, INFINITY, 4);
  const double next = error_at(&f, 6e-3, INFINITY, 4);
  assert_true(low == same);
  assert_true(next > 100.0 * same);
  fixture_close(&f);
}

/* Steps are the output's at most unless another longest one is given, or they are free: the first
 * takes at least as many as there are outputs, but for those that projections pass. */
static void test_steps_are_the_papers_or_free(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 2.0);
  solver_settings s = settings_of(1e-3, INFINITY);
  s.rtol = s.atol = 1e-4;
  const fixture_result unnamed = fixture_run(&f, &listing_solver, &s);
  s.variant = "paper";
  const fixture_result named = fixture_run(&f, &listing_solver, &s);
  assert_true(unnamed.rms == named.rms);
  assert_true(named.report.steps >= 980);
  s.h_max = 0.004;
  assert_in_range(fixture_run(&f, &listing_solver, &s).report.steps, 490, 700);
  s.variant = "free";
  assert_in_range(fixture_run(&f, &listing_solver, &s).report.steps, 490, 700);
  s.h_max = INFINITY;
  assert_true(fixture_run(&f, &listing_solver, &s).report.steps < 100);
  fixture_close(&f);
}

/* Defect: on a plate, guards recede while another is crossed, and time runs backwards. A run that
 * succeeds has written every state all the same; one that does not says so. */
static void test_plates_go_wrong_but_end(void **state) {
  (void)state;
  size_t wrong = 0, runs = 0;
  for (double contacts = 2.0; contacts <= 50.0; contacts *= 5.0) {
    model m = fixture_plate(60.0);
    fixture_set(&m, "contacts", contacts);
    fixture f = fixture_open(m, 2.0);
    const solver_output output = fixture_output(&f);
    for (double epsilon = 1e-3; epsilon < 0.2; epsilon *= 10.0, runs++) {
      const solver_settings s = settings_of(epsilon, INFINITY);
      char message[SOLVER_MESSAGE_SIZE];
      solver_report report;
      void *instance;
      for (size_t i = 0; i < f.count * f.m.system.dimension; i++) f.states[i] = NAN;
      assert_int_equal(listing_solver.prepare(&f.m, &s, &output, &instance, message), 0);
      const int status = listing_solver.run(instance, f.x0, &output, &report);
      listing_solver.release(instance);
      if (status) {
        assert_int_equal(strncmp(report.message, "listing: ", 9), 0);
        assert_null(strchr(report.message, '\n'));
      } else {
        assert_true(isfinite(fixture_rms(&f)));
      }
      wrong += status || fixture_rms(&f) > 0.1;
    }
    fixture_close(&f);
  }
  assert_true(2 * wrong > runs);
}

/* ---- a negative projection, by hand -----------------------------------------------------------
 */

/* x' = 1, y' = x in either mode, and one guard, x = 0, crossed upward */
static int ramp_field(double t, const double x[], const double sign[], double dxdt[],
                      void *params) {
  (void)t, (void)sign, (void)params;
  dxdt[0] = 1.0;
  dxdt[1] = x[0];
  return 0;
}

static int ramp_event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = x[0];
  return 0;
}

static int ramp_rates(double t, const double x[], double vt, const double v[], const size_t which[],
                      size_t count, double h[], double rate[], void *params) {
  (void)vt, (void)which, (void)count;
  rate[0] = v[0];
  return ramp_event_functions(t, x, h, params);
}

static bool ramp_changes(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return false;
}

/*
 * Defect: time runs backwards from a guard that a step has passed. Steps are 1/4 long and dopri5
 * makes no error in x and y. From x = -63/64 with epsilon = 1/8 they end at x = -47/64, -31/64,
 * -15/64 (outside) and 1/64, across the guard, at t = 1. Projected is by dt = -h/(Dh f) = -1/64
 * along f = (1, 1/64), to t = 63/64, x = 0, and
 *
 *   y = ((1/64)^2 - (63/64)^2) / 2 - 1/64 * 1/64 = -(63/64)^2 / 2 - 1/8192,
 *
 * which is 1/8192 below the y of x = 0, and stays so to the end. The output at t = 1 is written
 * again; the 65/64 that are left take four steps and a rest: nine in all.
 */
static void test_time_runs_backwards(void **state) {
  (void)state;
  enum { OUTPUTS = 9 };
  static const ess_guard_kind upward_only[] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE};
  static const model_type ramp = {.name = "ramp", .dimension = 2, .changes_field = ramp_changes};
  const model m = {.type = &ramp,
                   .system = {.dimension = 2,
                              .event_count = 1,
                              .kinds = upward_only,
                              .field = ramp_field,
                              .event_functions = ramp_event_functions,
                              .event_rates = ramp_rates}};
  double times[OUTPUTS], states[OUTPUTS][2];
  for (int i = 0; i < OUTPUTS; i++) times[i] = 0.25 * i;
  const solver_output output = {.times = times, .dt = 0.25, .count = OUTPUTS, .states = states[0]};
  const double x0[] = {-63.0 / 64, 0.0};
  solver_settings s = settings_of(1.0 / 8, 0.25);
  s.rtol = s.atol = 1.0; // the first step, too, is the longest
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  void *instance;
  assert_int_equal(listing_solver.prepare(&m, &s, &output, &instance, message), 0);
  assert_int_equal(listing_solver.run(instance, x0, &output, &report), 0);
  listing_solver.release(instance);
  assert_int_equal(report.projections, 1);
  assert_int_equal(report.entries, 1);
  assert_int_equal(report.steps, 9);
  for (int i = 0; i < OUTPUTS; i++) {
    const double x = x0[0] + times[i], exact = 0.5 * (x * x - x0[0] * x0[0]);
    const double off = times[i] < 1.0 ? 0.0 : -1.0 / 8192;
    assert_true(fabs(states[i][0] - x) < 1e-14);
    if (!(fabs(states[i][1] - exact - off) < 1e-14))
      fail_msg("at t = %g y is off by %g, not %g", times[i], states[i][1] - exact, off);
  }
}

static void test_bad_input(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  solver_settings s = settings_of(0.0, INFINITY);
  fixture_refused(&f, &listing_solver, &s, "epsilon 0 ");
  s = settings_of(NAN, INFINITY);
  fixture_refused(&f, &listing_solver, &s, "epsilon nan");
  s = settings_of(1e-3, -1.0);
  fixture_refused(&f, &listing_solver, &s, "h_max -1");
  s = settings_of(1e-3, 1.0);
  s.rtol = -1.0;
  fixture_refused(&f, &listing_solver, &s, "rtol -1");
  s = settings_of(1e-3, 1.0);
  s.variant = "nosuch";
  fixture_refused(&f, &listing_solver, &s, "it is paper or free");

  // a start that is not finite
  const solver_output output = fixture_output(&f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  void *instance;
  s = settings_of(1e-3, INFINITY);
  assert_int_equal(listing_solver.prepare(&f.m, &s, &output, &instance, message), 0);
  f.x0[0] = NAN;
  assert_int_equal(listing_solver.run(instance, f.x0, &output, &report), SOLVER_FAILED);
  assert_int_equal(strncmp(report.message, "listing: ", 9), 0);
  listing_solver.release(instance);
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_two_with_short_steps),
      cmocka_unit_test(test_mode_changes_are_told),
      cmocka_unit_test(test_error_is_a_staircase),
      cmocka_unit_test(test_steps_are_the_papers_or_free),
      cmocka_unit_test(test_plates_go_wrong_but_end),
      cmocka_unit_test(test_time_runs_backwards),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

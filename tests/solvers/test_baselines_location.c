/*
 * Event location: convergence on every model, no crossing missed from random starts, its root
 * finders, bad input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_convergence.h"
#include "bracket.h"

static const convergence fast = {&location_solver, "chandrupatla", 200.0, 2e-11, 0.0};
static const convergence brent = {&location_solver, "brent", 200.0, 2e-11, 0.0};

static void test_converges(void **state) {
  (void)state;
  convergence_on_all_models(&fast);
  convergence_on_fifty_contacts(&fast);
}

static void test_brent_converges(void **state) {
  (void)state;
  convergence_on_all_models(&brent);
  convergence_on_fifty_contacts(&brent);
}

/* Steps as long as the tolerance allows, over many contacts: some are touched and left in one. */
static void test_no_crossing_is_missed(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  model m = fixture_plate(0.0);
  fixture_set(&m, "contacts", 40.0);
  fixture f = fixture_open(m, 2.0);
  size_t shorter = 0;
  for (int start = 0; start < 12; start++) {
    char message[MODEL_MESSAGE_SIZE];
    f.m.type->random_state(&f.m, rng, f.x0);
    assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
    assert_true(convergence_error(start % 2 ? &fast : &brent, &f, 1e-7) < 2e-5);
    shorter += f.reference.events < 160;
  }
  // starts differ in what they cross
  assert_true(shorter > 0 && shorter < 12);
  fixture_close(&f);
  gsl_rng_free(rng);
}

/*
 * Grazing at tolerances whose steps are longer than what is grazed: a hopper on a spring so soft
 * that it sags by its free length swings about z = 0 with a little more amplitude than that, and
 * just leaves the ground at the top (look_at_peaks), or falls and is thrown back, all in one step
 * (halved until it is sure).
 */
static void test_grazing_is_seen(void **state) {
  (void)state;
  const double amplitudes[] = {1.02, 1.05, 1.1}, tolerances[] = {1e-2, 3e-3, 1e-3};
  model m = fixture_model("hopper");
  fixture_set(&m, "stiffness", 9.81);
  const double frequency = sqrt(9.81);
  fixture f = fixture_open(m, 4.0);
  for (size_t i = 0; i < 3 * 3 * 8; i++) {
    const double amplitude = amplitudes[i % 3], tolerance = tolerances[i / 3 % 3];
    const double phase = 1.0 + 0.5 * (double)(i / 9);
    char message[MODEL_MESSAGE_SIZE];
    f.x0[0] = amplitude * cos(phase);
    f.x0[1] = -amplitude * frequency * sin(phase);
    assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
    assert_int_equal(f.reference.events, 4);
    assert_true(convergence_error(&fast, &f, tolerance) < 10.0 * tolerance);
    assert_true(convergence_error(&brent, &f, tolerance) < 10.0 * tolerance);
  }
  fixture_close(&f);
}

/* two guards that are polynomials of a state u that runs from 0 to 1; y' is how many of them are
 * above zero, and the third state only gives the first step its length: all of the run */
typedef struct course_case {
  double coefficient[2][5];
  size_t events;
  double above; /* y at the end: how long guards are above zero */
} course_case;

static int course_field(double t, const double x[], const double sign[], double dxdt[],
                        void *params) {
  (void)t, (void)x, (void)params;
  dxdt[0] = 4.0;
  dxdt[1] = 4.0 * ((sign[0] > 0.0) + (sign[1] > 0.0));
  dxdt[2] = 0.0;
  return 0;
}

static int course_rates(double t, const double x[], double vt, const double v[],
                        const size_t which[], size_t count, double h[], double rate[],
                        void *params) {
  (void)t, (void)vt;
  const course_case *const c = params;
  for (size_t i = 0; i < count; i++) {
    const size_t k = which ? which[i] : i;
    double slope = 0.0;
    h[i] = 0.0;
    for (size_t j = 5; j-- > 0;) {
      slope = slope * x[0] + h[i];
      h[i] = h[i] * x[0] + c->coefficient[k][j];
    }
    rate[i] = slope * v[0];
  }
  return 0;
}

static int course_event_functions(double t, const double x[], double h[], void *params) {
  const double v[3] = {0.0};
  double rate[2];
  return course_rates(t, x, 0.0, v, NULL, 2, h, rate, params);
}

static bool course_changes(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

/* Whatever a guard does within one step is seen. */
static void test_courses_within_a_step(void **state) {
  (void)state;
  static const model_type type = {
      .name = "course", .dimension = 3, .changes_field = course_changes};
  course_case cases[] = {
      // touches and leaves: -(u - 0.5)^2 + 0.01
      {{{-0.24, 1.0, -1.0}, {-1.0}}, 2, 0.2},
      // the same and towards zero again: (u - 0.2) (u - 0.3) (u - 1.2)
      {{{-0.072, 0.66, -1.7, 1.0}, {-1.0}}, 2, 0.1},
      // across, back and across: (u - 0.3) (u - 0.5) (u - 0.7)
      {{{-0.105, 0.71, -1.5, 1.0}, {-1.0}}, 3, 0.5},
      // peaks above the bound of its interpolant, -0.05: -1 + 2.85 v + 5 v^2, v = u (1 - u)
      {{{-1.0, 2.85, 2.15, -10.0, 5.0}, {-1.0}}, 2, 2.0 * sqrt(0.535 - 0.1 * sqrt(28.1225))},
      // two peaks, the earlier first: -(u - 0.3)^2 + 0.01 and -(u - 0.7)^2 + 0.01; steps are halved
      // to end at u = 0.4, exactly on the guard
      {{{-0.08, 0.6, -1.0}, {-0.48, 1.4, -1.0}}, 4, 0.4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const model m = {.type = &type,
                     .system = {.dimension = 3,
                                .event_count = 2,
                                .field = course_field,
                                .event_functions = course_event_functions,
                                .event_rates = course_rates,
                                .params = &cases[i]}};
    const double times[] = {0.0, 0.25}, x0[] = {0.0, 0.0, 10.0};
    double states[2][3];
    const solver_output output = {.times = times, .dt = 0.25, .count = 2, .states = states[0]};
    solver_settings s = fixture_settings();
    s.rtol = 1e-2;
    s.atol = 100.0;
    char message[SOLVER_MESSAGE_SIZE];
    solver_report report;
    void *instance;
    assert_int_equal(location_solver.prepare(&m, &s, &output, &instance, message), 0);
    assert_int_equal(location_solver.run(instance, x0, &output, &report), 0);
    location_solver.release(instance);
    if (report.events != cases[i].events || !(fabs(states[1][1] - cases[i].above) < 1e-12))
      fail_msg("course %zu: %d crossings, above zero for %.15g", i, (int)report.events,
               states[1][1]);
  }
}

/* Started on its guard, the hopper's side is where it moves. */
static void test_starts_on_a_guard(void **state) {
  (void)state;
  const double speeds[] = {-1.0, 0.0, 1.0};
  for (size_t i = 0; i < 3; i++) {
    char message[MODEL_MESSAGE_SIZE];
    fixture f = fixture_open(fixture_model("hopper"), 1.0);
    f.x0[0] = 1.0;
    f.x0[1] = speeds[i];
    assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
    assert_true(convergence_error(&fast, &f, 1e-8) < 1e-6);
    fixture_close(&f);
  }
}

/* Both root finders cross the same, and the default takes fewer evaluations. */
static void test_root_finders_agree(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60.0), 2.0);
  solver_settings s = convergence_settings(&brent, 1e-8);
  const fixture_result slow = fixture_run(&f, &location_solver, &s);
  s.variant = NULL;
  const fixture_result quick = fixture_run(&f, &location_solver, &s);
  assert_true(fabs(slow.rms - quick.rms) < 1e-10);
  assert_int_equal(slow.report.entries, quick.report.entries);
  assert_true(quick.report.event_evaluations < slow.report.event_evaluations);
  fixture_close(&f);
}

/* a root of high multiplicity, a jump, and a steep one: what a secant alone would be slow at */
static double flat(double at, void *params) {
  (void)params;
  return pow(at - 0.3, 9.0);
}

static double jump(double at, void *params) {
  (void)params;
  return at < 0.7 ? -1e-3 : 1e3;
}

static double steep(double at, void *params) {
  ++*(int *)params;
  return exp(50.0 * (at - 0.4)) - 1.0;
}

static void test_brackets_are_narrowed(void **state) {
  (void)state;
  const double width = 1e-14;
  gsl_root_fsolver *const solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  for (int method = 0; method < 2; method++) {
    int count = 0;
    const struct {
      bracket_function f;
      double root, tolerance;
    } cases[] = {{flat, 0.3, 1e-13}, {jump, 0.7, 1e-13}, {steep, 0.4, 1e-13}};
    for (size_t i = 0; i < 3; i++) {
      bracket b = {0.0, 1.0, cases[i].f(0.0, &count), cases[i].f(1.0, &count)};
      const int status = method ? bracket_chandrupatla(&b, cases[i].f, &count, width)
                                : bracket_brent(&b, cases[i].f, &count, width, solver);
      assert_int_equal(status, 0);
      assert_true(b.lo < b.hi && b.f_lo < 0.0 && b.f_hi >= 0.0);
      assert_true(b.f_hi == 0.0 || b.hi - b.lo <= width);
      assert_true(fabs(b.hi - cases[i].root) < cases[i].tolerance);
    }
    // bisection alone would take 47
    assert_true(count < 30);
  }
  gsl_root_fsolver_free(solver);
}

static void test_runs_repeat(void **state) {
  (void)state;
  convergence_repeats(&fast);
}

static void test_bad_input(void **state) {
  (void)state;
  convergence_refusals(&fast, "it is chandrupatla or brent");
  convergence_stops(&fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_converges),
      cmocka_unit_test(test_brent_converges),
      cmocka_unit_test(test_no_crossing_is_missed),
      cmocka_unit_test(test_grazing_is_seen),
      cmocka_unit_test(test_courses_within_a_step),
      cmocka_unit_test(test_starts_on_a_guard),
      cmocka_unit_test(test_root_finders_agree),
      cmocka_unit_test(test_brackets_are_narrowed),
      cmocka_unit_test(test_runs_repeat),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

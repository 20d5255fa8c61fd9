/*
 * CVODE with root finding: convergence on every model with both methods, crossings, bad input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <sundials/sundials_config.h>

#include "baselines_convergence.h"

/* a tolerance is one of each step, and errors of a thousand steps and the crossings' add up */
static const convergence adams = {&cvode_solver, "adams", 1000.0, 1e-10, 0.0};
static const convergence bdf = {&cvode_solver, "bdf", 5000.0, 1e-10, 0.0};

static void test_adams_converges(void **state) {
  (void)state;
  convergence_on_all_models(&adams);
  convergence_on_fifty_contacts(&adams);
}

static void test_bdf_converges(void **state) {
  (void)state;
  convergence_on_all_models(&bdf);
  convergence_on_fifty_contacts(&bdf);
}

/* BDF's order is at most 5, Adams' at most 12: at a small tolerance it takes more steps. */
static void test_adams_is_the_default(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60.0), 2.0);
  solver_settings s = convergence_settings(&adams, 1e-9);
  const fixture_result named = fixture_run(&f, &cvode_solver, &s);
  s.variant = NULL;
  const fixture_result unnamed = fixture_run(&f, &cvode_solver, &s);
  assert_true(named.rms == unnamed.rms);
  s.variant = "bdf";
  assert_true(fixture_run(&f, &cvode_solver, &s).report.steps > unnamed.report.steps);
  fixture_close(&f);
}

/* ---- what CVODE is asked for, seen by what it takes -------------------------------------------
 */

/* a circle, and a state that follows it 10^4 times as fast */
static int stiff_field(double t, const double x[], const double sign[], double dxdt[],
                       void *params) {
  (void)t, (void)sign, (void)params;
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
  dxdt[2] = 1e4 * (x[0] - x[2]);
  return 0;
}

/* a run of a made-up model of up to three states from 0 to 2 s, at one tolerance */
static solver_report run_of(const model *m, const double x0[], const char *variant) {
  enum { OUTPUTS = 21 };
  double times[OUTPUTS], states[OUTPUTS * 3];
  for (int i = 0; i < OUTPUTS; i++) times[i] = 0.1 * i;
  const solver_output output = {.times = times, .dt = 0.1, .count = OUTPUTS, .states = states};
  solver_settings s = fixture_settings();
  s.rtol = s.atol = 1e-7;
  s.variant = variant;
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  void *instance;
  assert_int_equal(cvode_solver.prepare(m, &s, &output, &instance, message), 0);
  assert_int_equal(cvode_solver.run(instance, x0, &output, &report), 0);
  cvode_solver.release(instance);
  return report;
}

/* What is stiff costs BDF with Newton's method 52 steps, any other method or iteration hundreds or
 * more, and fixed-point iteration, as Adams has it, a step of less than its contraction: 10^-4 s at
 * most. */
static void test_only_bdf_is_for_the_stiff(void **state) {
  (void)state;
  static const model_type type = {.name = "stiff", .dimension = 3};
  const model m = {.type = &type, .system = {.dimension = 3, .field = stiff_field}};
  const double x0[] = {1.0, 0.0, 1.0};
  assert_in_range(run_of(&m, x0, "bdf").steps, 20, 150);
  assert_true(run_of(&m, x0, "adams").steps > 10000);
}

/* Both tolerances count, each its own way; every crossing is one entry; steps that failed their
 * error test are counted. */
static void test_tolerances_and_counters(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 2.0);
  const convergence *const methods[] = {&adams, &bdf};
  for (size_t i = 0; i < 2; i++) {
    solver_settings s = convergence_settings(methods[i], 1e-9);
    const solver_report fine = fixture_run(&f, &cvode_solver, &s).report;
    s.rtol = 1e-3;
    const solver_report absolute = fixture_run(&f, &cvode_solver, &s).report;
    s = convergence_settings(methods[i], 1e-9);
    s.atol = 1e-3;
    const solver_report relative = fixture_run(&f, &cvode_solver, &s).report;
    assert_true(5 * absolute.steps < 4 * fine.steps && 5 * relative.steps < 4 * fine.steps);
    assert_int_equal(fine.entries, 4);
    assert_in_range(fine.rejected, 1, fine.steps / 4);
  }
  fixture_close(&f);
}

static int falling_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  (void)t, (void)x, (void)sign, (void)params;
  dxdt[0] = -1.0;
  return 0;
}

static int falling_event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  h[0] = x[0] - *(const double *)params;
  return 0;
}

static bool falling_changes(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

/* A one-way guard that is passed downward is not a root that is looked for: it costs no evaluation.
 */
static void test_roots_have_a_direction(void **state) {
  (void)state;
  static const model_type type = {
      .name = "falling", .dimension = 1, .changes_field = falling_changes};
  static const ess_guard_kind upward_only[] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE};
  const double x0[] = {1.0};
  double offsets[] = {0.0, -10.0};
  uint64_t evaluations[2];
  for (size_t i = 0; i < 2; i++) {
    const model m = {.type = &type,
                     .system = {.dimension = 1,
                                .event_count = 1,
                                .kinds = upward_only,
                                .field = falling_field,
                                .event_functions = falling_event_functions,
                                .params = &offsets[i]}};
    const solver_report r = run_of(&m, x0, "adams");
    assert_int_equal(r.events, 0);
    assert_int_equal(r.entries, 0);
    evaluations[i] = r.event_evaluations;
  }
  assert_int_equal(evaluations[0], evaluations[1]);
}

/* The longest step is kept: the run takes at least so many. */
static void test_steps_are_bounded(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 2.0);
  solver_settings s = convergence_settings(&adams, 1e-4);
  s.h_max = 0.01;
  assert_true(fixture_run(&f, &cvode_solver, &s).report.steps >= 200);
  s.h_max = INFINITY;
  assert_true(fixture_run(&f, &cvode_solver, &s).report.steps < 200);
  fixture_close(&f);
}

/* Started on its guard, the hopper's side is where it moves. */
static void test_starts_on_a_guard(void **state) {
  (void)state;
  for (double speed = -1.0; speed <= 1.0; speed += 2.0) {
    char message[MODEL_MESSAGE_SIZE];
    fixture f = fixture_open(fixture_model("hopper"), 1.0);
    f.x0[0] = 1.0;
    f.x0[1] = speed;
    assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
    assert_true(convergence_error(&adams, &f, 1e-8) < 1e-5);
    fixture_close(&f);
  }
}

/* Outputs are interpolated: ten times as many cost no evaluation and change none that both have. */
static void test_outputs_cost_nothing(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 2.0);
  const size_t n = f.m.system.dimension;
  double *const dense = test_malloc(f.count * n * sizeof *dense);
  assert_int_equal(f.count, 1001);
  const convergence *const methods[] = {&adams, &bdf};
  for (size_t i = 0; i < 2; i++) {
    const solver_settings s = convergence_settings(methods[i], 1e-6);
    f.count = 1001;
    const solver_report of_many = fixture_run(&f, &cvode_solver, &s).report;
    memcpy(dense, f.states, f.count * n * sizeof *dense);

    // every tenth of the same times
    f.count = 101;
    for (size_t k = 0; k < f.count; k++) f.times[k] = (double)(10 * k) * f.m.type->time_step;
    const solver_report of_few = fixture_run(&f, &cvode_solver, &s).report;
    assert_int_equal(of_few.events, 4);
    assert_int_equal(of_few.event_evaluations, of_many.event_evaluations);
    assert_int_equal(of_few.field_evaluations, of_many.field_evaluations);
    for (size_t k = 0; k < f.count; k++)
      assert_memory_equal(f.states + k * n, dense + 10 * k * n, n * sizeof *dense);
    for (size_t k = 0; k < 1001; k++) f.times[k] = (double)k * f.m.type->time_step;
  }
  test_free(dense);
  fixture_close(&f);
}

static void test_runs_repeat(void **state) {
  (void)state;
  convergence_repeats(&adams);
  convergence_repeats(&bdf);
}

static void test_bad_input(void **state) {
  (void)state;
  convergence_refusals(&adams, "it is adams or bdf");
  convergence_stops(&adams);
  convergence_stops(&bdf);
}

/* The library that runs is the one whose headers were compiled. */
static void test_version(void **state) {
  (void)state;
  char version[SUNDIALS_VERSION_SIZE];
  sundials_version(version);
  assert_string_equal(version, SUNDIALS_VERSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_adams_converges),
      cmocka_unit_test(test_bdf_converges),
      cmocka_unit_test(test_adams_is_the_default),
      cmocka_unit_test(test_only_bdf_is_for_the_stiff),
      cmocka_unit_test(test_tolerances_and_counters),
      cmocka_unit_test(test_roots_have_a_direction),
      cmocka_unit_test(test_steps_are_bounded),
      cmocka_unit_test(test_starts_on_a_guard),
      cmocka_unit_test(test_outputs_cost_nothing),
      cmocka_unit_test(test_runs_repeat),
      cmocka_unit_test(test_version),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

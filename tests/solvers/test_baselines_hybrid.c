/*
 * The hybrid method converges to the reference with order 1, counts its crossings, and carries
 * nothing from run to run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_fixture.h"

/* errors at 1/8, 1/64 and 1/512 of the output step: eight times the steps, an eighth of the error
 */
static void converges(model m, double duration, double bound) {
  fixture f = fixture_open(m, duration);
  solver_settings settings = fixture_settings();
  double error[3];
  fixture_result r = {0};
  for (int i = 0, substeps = 8; i < 3; i++, substeps *= 8) {
    settings.time_step = m.type->time_step / substeps;
    r = fixture_run(&f, &hybrid_solver, &settings);
    error[i] = r.rms;
  }
  const double first = log(error[0] / error[1]) / log(8), order = log(error[1] / error[2]) / log(8);
  print_message("%s: %.2e %.2e %.2e, order %.3f, then %.3f\n", m.type->name, error[0], error[1],
                error[2], first, order);
  assert_true(fabs(order - 1.0) < 0.1);
  assert_true(error[2] < bound);
  assert_int_equal(r.report.events, f.reference.events);
  assert_int_equal(r.report.steps, (f.count - 1) * 512);
  assert_int_equal(r.report.field_evaluations, r.report.steps);
  assert_int_equal(r.report.event_evaluations, r.report.steps);
  fixture_close(&f);
}

static void test_order_one(void **state) {
  (void)state;
  converges(fixture_model("affine3"), 0.5, 1e-4);
  converges(fixture_model("hopper"), 2.0, 5e-3);
  converges(fixture_plate(0), 2.0, 5e-3);
  converges(fixture_plate(60), 2.0, 5e-3);
}

static void test_order_one_other_forms(void **state) {
  (void)state;
  model paper = fixture_plate(60), aggregated = fixture_plate(60);
  fixture_set(&paper, "law", 1);
  fixture_set(&aggregated, "field", 1);
  converges(paper, 2.0, 5e-3);
  converges(aggregated, 2.0, 5e-3);
}

static void test_runs_are_alike(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60), 2.0);
  const solver_settings settings = fixture_settings();
  const solver_output output = fixture_output(&f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report first, second;
  void *instance;
  assert_int_equal(hybrid_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(hybrid_solver.run(instance, f.x0, &output, &first), 0);
  const double rms = fixture_rms(&f);
  assert_int_equal(hybrid_solver.run(instance, f.x0, &output, &second), 0);
  assert_true(fixture_rms(&f) == rms);
  assert_int_equal(first.events, second.events);
  hybrid_solver.release(instance);
  fixture_close(&f);
}

/* a state that overflows is a failure with its time, not a result */
static void test_divergence_is_a_failure(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.5);
  const double x0[MODEL_DIMENSION_MAX] = {-1e308, 0};
  const solver_settings settings = fixture_settings();
  const solver_output output = fixture_output(&f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  void *instance;
  assert_int_equal(hybrid_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(hybrid_solver.run(instance, x0, &output, &report), SOLVER_FAILED);
  assert_string_equal(report.message, "hybrid: the state is not finite at t = 0.002 s");
  hybrid_solver.release(instance);
  fixture_close(&f);
}

/* a step longer than the output step is one of the shorter grid, with the chord between its ends */
static void test_long_steps(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60), 1.0);
  solver_settings settings = fixture_settings();
  settings.time_step = 3 * f.m.type->time_step;
  const fixture_result r = fixture_run(&f, &hybrid_solver, &settings);
  assert_int_equal(r.report.steps, (f.count - 1 + 2) / 3);
  const size_t n = f.m.system.dimension;
  for (size_t i = 0; i + 3 < f.count; i += 3) {
    const double *const a = f.states + i * n, *const b = a + 3 * n;
    for (size_t j = 0; j < 3; j++) {
      assert_true(fabs(b[j] - (a[j] + settings.time_step * a[3 + j])) < 1e-12);
      assert_true(fabs(a[n + j] - (2 * a[j] + b[j]) / 3) < 1e-12);
      assert_true(fabs(a[2 * n + j] - (a[j] + 2 * b[j]) / 3) < 1e-12);
    }
  }
  fixture_close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  solver_settings settings = fixture_settings();
  settings.time_step = 7e-4;
  fixture_refused(&f, &hybrid_solver, &settings,
                  "it must divide the output step 0.002 s evenly, or be a multiple");
  settings.time_step = -1;
  fixture_refused(&f, &hybrid_solver, &settings, "step -1 s is not accepted");
  settings.time_step = NAN;
  fixture_refused(&f, &hybrid_solver, &settings, "hybrid: step nan s is not accepted");
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_one),      cmocka_unit_test(test_order_one_other_forms),
      cmocka_unit_test(test_runs_are_alike), cmocka_unit_test(test_divergence_is_a_failure),
      cmocka_unit_test(test_long_steps),     cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

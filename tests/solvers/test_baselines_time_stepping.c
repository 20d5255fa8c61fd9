/*
 * The time-stepping method converges to the reference, with order 1 as semi-implicit Euler and
 * order 2 at the midpoint while forces are continuous; what its forces have to satisfy holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_fixture.h"

static solver_settings settings_of(const char *variant, double step) {
  solver_settings settings = fixture_settings();
  settings.variant = variant;
  settings.time_step = step;
  return settings;
}

/* errors at 1/8, 1/64 and 1/512 of the output step */
static void converge(model m, const char *variant, double error[3]) {
  fixture f = fixture_open(m, 2.0);
  fixture_result r = {0};
  for (int i = 0, substeps = 8; i < 3; i++, substeps *= 8) {
    const solver_settings settings = settings_of(variant, m.type->time_step / substeps);
    r = fixture_run(&f, &time_stepping_solver, &settings);
    error[i] = r.rms;
  }
  print_message("%s, %s: %.2e %.2e %.2e\n", m.type->name, variant ? variant : "euler", error[0],
                error[1], error[2]);
  assert_int_equal(r.report.events, f.reference.events);
  assert_int_equal(r.report.steps, (f.count - 1) * 512);
  assert_true(r.report.field_evaluations > r.report.steps);
  assert_true(r.report.field_evaluations < 3 * r.report.steps);
  fixture_close(&f);
}

/* each error is smaller than the one before by 8 to the order, within its range */
static void is_of_order(model m, const char *variant, double least, double most) {
  double error[3];
  converge(m, variant, error);
  for (int i = 0; i < 2; i++) {
    const double order = log(error[i] / error[i + 1]) / log(8);
    if (!(order > least && order < most)) fail_msg("order %g", order);
  }
}

/* the same over all, where each depends on where in a step a contact begins */
static void is_of_order_over_all(model m, const char *variant, double least) {
  double error[3];
  converge(m, variant, error);
  assert_true(error[1] < error[0] && error[2] < error[1]);
  const double order = log(error[0] / error[2]) / log(64);
  if (!(order > least)) fail_msg("order %g", order);
}

static void test_order_one(void **state) {
  (void)state;
  model paper = fixture_plate(60);
  fixture_set(&paper, "law", 1);
  is_of_order(fixture_model("hopper"), NULL, 0.95, 1.05);
  is_of_order(fixture_plate(0), "euler", 0.95, 1.05);
  is_of_order(fixture_plate(60), "euler", 0.95, 1.05);
  is_of_order(paper, "euler", 0.95, 1.05);
}

static void test_order_two_at_the_midpoint(void **state) {
  (void)state;
  model paper = fixture_plate(0);
  fixture_set(&paper, "law", 1);
  is_of_order_over_all(fixture_model("hopper"), "midpoint", 1.8);
  is_of_order_over_all(fixture_plate(0), "midpoint", 1.8);
  is_of_order_over_all(paper, "midpoint", 1.8);
}

/* A force that jumps within a step leaves order one, from a smaller error. */
static void test_order_one_at_the_midpoint_damped(void **state) {
  (void)state;
  model many = fixture_plate(60);
  fixture_set(&many, "contacts", 20);
  is_of_order_over_all(fixture_plate(60), "midpoint", 0.9);
  is_of_order_over_all(many, "midpoint", 0.9);
}

/* Where a spring bears the weight nothing moves, at any step. */
static void test_rest(void **state) {
  (void)state;
  const char *const variants[] = {"euler", "midpoint"};
  fixture f = fixture_open(fixture_plate(60), 0.5);
  f.x0[1] = 1 - 98.1 / 8000;
  f.x0[2] = 0;
  for (int i = 0; i < 2; i++) {
    const solver_settings settings = settings_of(variants[i], 0.01);
    fixture_run(&f, &time_stepping_solver, &settings);
    for (size_t k = 0; k < f.count; k++)
      for (size_t j = 0; j < 6; j++) assert_true(fabs(f.states[6 * k + j] - f.x0[j]) < 1e-10);
  }
  fixture_close(&f);
}

/* Dampers so strong that in one step they would take twenty times the plate's speed: the plate is
 * held at the surface where it touches down, sinks slowly, and never leaves it again. */
static void test_strong_dampers_hold(void **state) {
  (void)state;
  model m = fixture_plate(1e5);
  fixture_set(&m, "tilt", 0);
  fixture_set(&m, "height", 2.49); // touches down early within a step
  fixture f = fixture_open(m, 2.0);
  const solver_settings settings = settings_of("euler", 0.0);
  fixture_run(&f, &time_stepping_solver, &settings);
  size_t touched = 0;
  while (touched < f.count && f.states[6 * touched + 1] > 1 + 1e-9) touched++;
  assert_in_range(touched, 270, 280);
  assert_true(fabs(f.states[6 * touched + 1] - 1) < 1e-12);
  for (size_t k = touched + 1; k < f.count; k++) {
    assert_true(f.states[6 * k + 1] < f.states[6 * (k - 1) + 1]);
    assert_true(f.states[6 * k + 4] < 0);
  }
  assert_true(fabs(f.states[6 * f.count - 5] - f.exact[6 * f.count - 5]) < 1e-3);
  fixture_close(&f);
}

static void test_runs_are_alike(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60), 0.8); // ends in contact, with forces left over
  const solver_settings settings = settings_of(NULL, 0.0);
  const solver_output output = fixture_output(&f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report first, second;
  void *instance;
  const double held[] = {0, 0.98, 0.01, 0, 0, 0};
  assert_int_equal(time_stepping_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(time_stepping_solver.run(instance, held, &output, &first), 0);
  const double rms = fixture_rms(&f);
  assert_int_equal(time_stepping_solver.run(instance, held, &output, &second), 0);
  assert_true(fixture_rms(&f) == rms);
  assert_int_equal(first.field_evaluations, second.field_evaluations);
  time_stepping_solver.release(instance);
  fixture_close(&f);
}

/* Springs so stiff that Gauss-Seidel gets nowhere end the run with one line, and promptly. */
static void test_no_convergence_is_a_failure(void **state) {
  (void)state;
  model m = fixture_plate(0);
  fixture_set(&m, "contacts", 50);
  fixture_set(&m, "stiffness", 1e12);
  assert_int_equal(model_prepare(&m, (char[MODEL_MESSAGE_SIZE]){0}), 0);
  double times[] = {0, 0.002, 0.004}, states[18];
  const solver_output output = {.times = times, .dt = 0.002, .count = 3, .states = states};
  const double x0[] = {0, 0.999, 1e-4, 0, -5, 0};
  const solver_settings settings = settings_of(NULL, 0.0);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report report;
  void *instance;
  assert_int_equal(time_stepping_solver.prepare(&m, &settings, &output, &instance, message), 0);
  assert_int_equal(time_stepping_solver.run(instance, x0, &output, &report), SOLVER_FAILED);
  assert_non_null(
      strstr(report.message, "time-stepping: projected Gauss-Seidel has not converged"));
  time_stepping_solver.release(instance);
  model_release(&m);
}

static void test_refusals(void **state) {
  (void)state;
  fixture affine = fixture_open(fixture_model("affine3"), 0.1);
  solver_settings settings = settings_of(NULL, 0.0);
  fixture_refused(&affine, &time_stepping_solver, &settings,
                  "affine3 has no contact force to solve for; hopper and plate have");
  fixture_close(&affine);
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  settings = settings_of(NULL, 7e-4);
  fixture_refused(&f, &time_stepping_solver, &settings, "time-stepping: step 0.0007 s is not");
  settings = settings_of("RK4", 0.0);
  fixture_refused(&f, &time_stepping_solver, &settings,
                  "variant RK4 is not accepted; it is euler or midpoint");
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_one),
      cmocka_unit_test(test_order_two_at_the_midpoint),
      cmocka_unit_test(test_order_one_at_the_midpoint_damped),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_strong_dampers_hold),
      cmocka_unit_test(test_runs_are_alike),
      cmocka_unit_test(test_no_convergence_is_a_failure),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

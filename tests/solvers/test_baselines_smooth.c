/*
 * The smooth method converges to the reference as the square of its width, makes no energy, and
 * refuses what it cannot do.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_fixture.h"

static solver_settings settings_of(double width) {
  solver_settings settings = fixture_settings();
  settings.epsilon = width;
  settings.rtol = settings.atol = 1e-12;
  return settings;
}

/* errors at widths of 10, 1 and 0.1 mm; the power of the width by which each falls is in the range
 */
static void converges(model m, double least, double most, double bound) {
  fixture f = fixture_open(m, 2.0);
  double error[3];
  fixture_result r = {0};
  for (int i = 0; i < 3; i++) {
    const solver_settings settings = settings_of(pow(10.0, -2 - i));
    r = fixture_run(&f, &smooth_solver, &settings);
    error[i] = r.rms;
  }
  const double first = log10(error[0] / error[1]), order = log10(error[1] / error[2]);
  print_message("%s: %.2e %.2e %.2e, order %.3f, then %.3f\n", m.type->name, error[0], error[1],
                error[2], first, order);
  assert_true(first > least && first < most);
  assert_true(order > least && order < most);
  assert_true(error[2] < bound);
  assert_int_equal(r.report.events, f.reference.events);
  assert_int_equal(r.report.event_evaluations, 0);
  assert_true(r.report.field_evaluations >= 6 * r.report.steps);
  fixture_close(&f);
}

/* with damping, hence a force that jumps at touch-down */
static void test_order_two(void **state) {
  (void)state;
  model paper = fixture_plate(60);
  fixture_set(&paper, "law", 1);
  converges(fixture_plate(60), 1.9, 2.1, 1e-5);
  converges(paper, 1.9, 2.1, 1e-5);
}

/* without, the work on a contact is exact and the error falls faster */
static void test_order_above_two_undamped(void **state) {
  (void)state;
  converges(fixture_model("hopper"), 2.4, 3.3, 1e-8);
  converges(fixture_plate(0), 2.6, 3.3, 1e-8);
}

/* m v^2/2 + m g z + k s(p)^2/2 stays what it was, however wide: here two thirds of the greatest
 * depth
 */
static void test_energy(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_model("hopper"), 2.0);
  const double width = 0.1;
  const solver_settings settings = settings_of(width);
  fixture_run(&f, &smooth_solver, &settings);
  for (size_t i = 0; i < f.count; i++) {
    const double z = f.states[2 * i], v = f.states[2 * i + 1];
    const double s = width * log1p(exp((1.0 - z) / width));
    const double energy = v * v / 2 + 9.81 * z + 400 * s * s;
    const double s0 = width * log1p(exp(-1.0 / width));
    assert_true(fabs(energy - (9.81 * 2 + 400 * s0 * s0)) < 1e-7);
  }
  fixture_close(&f);
}

static void test_runs_are_alike(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60), 2.0);
  const solver_settings settings = settings_of(1e-3);
  const solver_output output = fixture_output(&f);
  char message[SOLVER_MESSAGE_SIZE];
  solver_report first, second;
  void *instance;
  assert_int_equal(smooth_solver.prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(smooth_solver.run(instance, f.x0, &output, &first), 0);
  const double rms = fixture_rms(&f);
  assert_int_equal(smooth_solver.run(instance, f.x0, &output, &second), 0);
  assert_true(fixture_rms(&f) == rms);
  assert_int_equal(first.field_evaluations, second.field_evaluations);

  // and a start that is none is a failure with one line
  f.x0[1] = NAN;
  assert_int_equal(smooth_solver.run(instance, f.x0, &output, &second), SOLVER_FAILED);
  assert_int_equal(strncmp(second.message, "smooth: ", 8), 0);
  assert_non_null(strstr(second.message, "at t = 0"));
  smooth_solver.release(instance);
  fixture_close(&f);
}

static void test_refusals(void **state) {
  (void)state;
  fixture affine = fixture_open(fixture_model("affine3"), 0.1);
  solver_settings settings = settings_of(1e-3);
  fixture_refused(&affine, &smooth_solver, &settings,
                  "smooth: affine3 has no contact force to smooth; hopper and plate have");
  fixture_close(&affine);
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  settings.epsilon = 0;
  fixture_refused(&f, &smooth_solver, &settings, "smooth: epsilon 0 is not accepted");
  settings.epsilon = NAN;
  fixture_refused(&f, &smooth_solver, &settings, "smooth: epsilon nan is not accepted");
  settings = settings_of(1e-3);
  settings.rtol = -1;
  fixture_refused(&f, &smooth_solver, &settings, "smooth: rtol");
  fixture_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_two), cmocka_unit_test(test_order_above_two_undamped),
      cmocka_unit_test(test_energy),    cmocka_unit_test(test_runs_are_alike),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

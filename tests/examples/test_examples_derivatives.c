/*
 * The examples of derivatives: SLIP's gaits and multipliers are those that are known, and the plate
 * lands as planned when it is integrated again here, without libess.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

static void gaits_and_multipliers_are_as_known(void **state) {
  (void)state;
  static const double known[2][2] = {{0.94026714, -0.161308}, {1.33768638, 1.686968}};
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_SLIP_GAITS, lines);
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    double height, multiplier;
    if (sscanf(lines[i], "gait with its apex at %lf m: multiplier %lf", &height, &multiplier) != 2)
      continue;
    assert_true(found < 2);
    assert_true(fabs(height - known[found][0]) < 1e-8);
    assert_true(fabs(multiplier - known[found][1]) < 1e-6);
    found++;
  }
  assert_int_equal(found, 2);
}

/* the plate of the example, each absorber looked at in each call */
static void plate(const double x[], double dxdt[]) {
  static const double place[] = {-0.5, -0.2, 0.2, 0.5};
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -9.81;
  dxdt[3] = 0.0;
  for (int i = 0; i < 4; i++) {
    const double arm = place[i] * cos(x[1]), depth = -x[0] - place[i] * sin(x[1]);
    if (depth < 0.0) continue;
    const double force = 2000.0 * depth + 40.0 * (-x[2] - arm * x[3]);
    dxdt[2] += force / 10.0;
    dxdt[3] += arm * force;
  }
}

static void the_plate_lands_as_planned(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_LANDING, lines);
  double speed = NAN, spin = NAN, tilt = NAN, miss = NAN;
  size_t i = 1;
  assert_string_equal(lines[0], "with saltation\n");
  for (; i < count && strcmp(lines[i], "without\n") != 0; i++)
    assert_int_equal(sscanf(lines[i], " %*d: from %lf m/s and %lf rad/s to %lf rad and %lf m/s",
                            &speed, &spin, &tilt, &miss),
                     4);
  assert_true(i < 12 && hypot(tilt, miss) < 1e-9);

  double x[STATES_MAX] = {0.5, 0.2, speed, spin};
  const int steps = 300000;
  for (int k = 0; k < steps; k++) runge_kutta_step(plate, 4, 0.3 / steps, x);
  assert_true(fabs(x[1]) < 1e-4 && fabs(x[2] - 0.8) < 1e-3);

  // the other planner is left where it is stuck
  assert_true(i + 3 < count);
  assert_non_null(strstr(lines[count - 2], "no step along it comes nearer"));
  assert_int_equal(sscanf(lines[count - 3], " %*d: from %lf m/s and %lf rad/s to %lf rad and %lf",
                          &speed, &spin, &tilt, &miss),
                   4);
  assert_true(hypot(tilt, miss) > 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaits_and_multipliers_are_as_known),
      cmocka_unit_test(the_plate_lands_as_planned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

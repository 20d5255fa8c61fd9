/*
 * examples/moving_guard, no_jacobian, backward and watch: what they print, against closed forms.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

static void near(double value, double expected, double error) {
  if (!(fabs(value - expected) <= error)) fail_msg("%.9f, not %.9f", value, expected);
}

static void mass_falls_freely_onto_a_table_that_swings(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_MOVING_GUARD, lines);
  assert_true(count >= 3);
  for (size_t i = 0; i + 1 < count; i++) {
    double t, z;
    assert_int_equal(sscanf(lines[i],
                            i % 2 ? "lift-off t = %lf s, z = %lf" : "touch-down t = %lf s, z = %lf",
                            &t, &z),
                     2);
    // on the table's spring; at first after a free fall
    near(z, 1.0 + 0.05 * sin(12.0 * t), 1e-6);
    if (i == 0) near(z, 2.0 - 0.5 * 9.81 * t * t, 1e-6);
  }
  assert_non_null(strstr(lines[count - 1], "success at t = 1.0"));
}

static void puck_flies_a_parabola_within_the_circle(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  assert_int_equal(run_example(EXAMPLE_NO_JACOBIAN, lines), 3);
  double in, out, x, y, end_x, end_y;
  assert_int_equal(sscanf(lines[0], "enters t = %lf s", &in), 1);
  assert_int_equal(sscanf(lines[1], "leaves t = %lf s, x = %lf m, y = %lf", &out, &x, &y), 3);
  assert_int_equal(
      sscanf(lines[2], "success at t = 6.000000 s: x = %lf m, y = %lf", &end_x, &end_y), 2);
  near(in, 3.0 - sqrt(1.0 - 0.16), 1e-6);
  const double within = out - in;
  near(x, out - 3.0, 1e-6);
  near(y, 0.4 + 0.25 * within * within, 1e-6);
  near(hypot(x, y), 1.0, 1e-6);
  near(end_x, 3.0, 1e-6);
  near(end_y, y + 0.5 * within * (6.0 - out), 1e-6);
}

static void what_goes_forward_comes_back(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  assert_int_equal(run_example(EXAMPLE_BACKWARD, lines), 10);
  double there[4], back[4], z, v;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(sscanf(lines[i], "crossing t = %lf", &there[i]), 1);
    assert_int_equal(sscanf(lines[5 + i], "crossing t = %lf", &back[i]), 1);
  }
  near(there[0], sqrt(2.0 / 9.81), 1e-6);
  for (int i = 0; i < 4; i++) near(back[i], there[3 - i], 1e-5);
  assert_int_equal(sscanf(lines[9], "success at t = 0.000000 s: z = %lf m, v = %lf", &z, &v), 2);
  near(z, 2.0, 1e-5);
  near(v, 0.0, 1e-5);
}

static void stone_is_seen_over_the_wall(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  assert_int_equal(run_example(EXAMPLE_WATCH, lines), 5);
  const double g = 9.81, top = 10.0 / g, beside = sqrt(100.0 - 6.0 * g) / g;
  const char *const formats[] = {"wall t = %lf", "top t = %lf", "wall t = %lf", "ground t = %lf"};
  const double expected[] = {top - beside, top, top + beside, 2.0 * top};
  double t, v;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(sscanf(lines[i], formats[i], &t), 1);
    near(t, expected[i], 1e-7);
  }
  assert_int_equal(sscanf(strstr(lines[4], "at t"), "at t = %lf s: v = %lf", &t, &v), 2);
  near(t, 2.0 * top, 1e-6);
  near(v, -10.0, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_falls_freely_onto_a_table_that_swings),
      cmocka_unit_test(puck_flies_a_parabola_within_the_circle),
      cmocka_unit_test(what_goes_forward_comes_back),
      cmocka_unit_test(stone_is_seen_over_the_wall),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

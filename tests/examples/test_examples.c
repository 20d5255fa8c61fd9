/*
 * examples/hopper: what the program prints, against the closed form worked out here from energy and
 * the spring's sinusoid.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "examples_fixture.h"

/* what the example integrates: fall from z0 onto a spring of free length L0, for T */
static const double g = 9.81, k_over_m = 800.0, z0 = 2.0, L0 = 1.0, T = 2.0;

/* half of the last printed decimal, and as much for the integration and the projections */
static const double tolerance = 1e-6;

/* speed at the guard, and how long flight and stance last between two crossings of it */
static double speed(void) {
  return sqrt(2.0 * g * (z0 - L0));
}

static double flight(void) {
  return 2.0 * speed() / g;
}

/* about its equilibrium, mg/k below L0, the mass swings as a cosine whose phase at touch-down is
 * atan2(v/w, mg/k), and lifts off at the mirror image of that phase */
static double stance(void) {
  const double w = sqrt(k_over_m);
  return 2.0 * (M_PI - atan2(speed() / w, g / k_over_m)) / w;
}

static void test_hopper_prints_the_exact_crossings(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_HOPPER, lines);
  size_t i = 0;
  for (double t = 0.5 * flight(); t < T; i++) {
    const int down = i % 2 == 0;
    double printed_t, printed_v;
    char name[16];
    assert_true(i < count);
    assert_int_equal(sscanf(lines[i], "%15s t = %lf s, v = %lf", name, &printed_t, &printed_v), 3);
    assert_string_equal(name, down ? "touch-down" : "lift-off");
    assert_true(fabs(printed_t - t) <= tolerance);
    assert_true(fabs(printed_v - (down ? -speed() : speed())) <= tolerance);
    t += down ? stance() : flight();
  }
  assert_int_equal(i, 4);
  assert_int_equal(count, i + 1);
}

static void test_hopper_ends_on_the_exact_parabola(void **state) {
  (void)state;
  char lines[LINES_MAX][LINE_SIZE];
  const size_t count = run_example(EXAMPLE_HOPPER, lines);
  assert_true(count > 0);
  double t, z, v;
  assert_int_equal(
      sscanf(lines[count - 1], "success at t = %lf s: z = %lf m, v = %lf m/s", &t, &z, &v), 3);
  const double since = T - (0.5 * flight() + 2.0 * stance() + flight());
  assert_true(fabs(t - T) <= tolerance);
  assert_true(fabs(z - (L0 + since * (speed() - 0.5 * g * since))) <= tolerance);
  assert_true(fabs(v - (speed() - g * since)) <= tolerance);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hopper_prints_the_exact_crossings),
      cmocka_unit_test(test_hopper_ends_on_the_exact_parabola),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

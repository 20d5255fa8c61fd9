/*
 * Line fit against a published data set, smoothed derivative against Savitzky and Golay's weights.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics.h"

enum { POINTS = 23 };

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g is not %.17g", value, expected);
}

static void line_of_anscombes_first_set(void **state) {
  (void)state;
  const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  measure_line line;
  assert_int_equal(measure_fit_line(x, y, 11, 0.95, &line), MEASURE_SUCCESS);
  // exact rationals: Sxx = 110, Sxy = 55.01, Syy = 41.272690909...; t(0.975; 9) = 2.2621571628
  const double slope = 55.01 / 110;
  const double residual = 41.27269090909091 - 55.01 * 55.01 / 110;
  const double half = 2.2621571628 * sqrt(residual / 9 / 110);
  near(line.slope, slope, 1e-14);
  near(line.intercept, 82.51 / 11 - slope * 9, 1e-13);
  near(line.slope_low, slope - half, 1e-9);
  near(line.slope_high, slope + half, 1e-9);
}

static void line_through_points_on_it_has_no_width(void **state) {
  (void)state;
  const double x[] = {-3, 0, 1, 7}, y[] = {-5, 1, 3, 15};
  measure_line line;
  assert_int_equal(measure_fit_line(x, y, 4, 0.99, &line), MEASURE_SUCCESS);
  near(line.slope, 2, 1e-14);
  near(line.intercept, 1, 1e-14);
  near(line.slope_low, 2, 1e-13);
  near(line.slope_high, 2, 1e-13);
}

static void wider_confidence_is_wider(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4, 5}, y[] = {1, 3, 2, 5, 4};
  measure_line narrow, wide;
  assert_int_equal(measure_fit_line(x, y, 5, 0.5, &narrow), MEASURE_SUCCESS);
  assert_int_equal(measure_fit_line(x, y, 5, 0.99, &wide), MEASURE_SUCCESS);
  assert_true(wide.slope_low < narrow.slope_low && narrow.slope_high < wide.slope_high);
}

/* Strictly ascending, far from uniform: like 2, 3, 5, 10, ... */
static void uneven_points(double x[POINTS]) {
  for (int i = 0; i < POINTS; i++) x[i] = 2 + 1.7 * i + 0.15 * i * i + 0.8 * sin(3.0 * i);
}

static void derivative_of_a_parabola_is_exact(void **state) {
  (void)state;
  double x[POINTS], y[POINTS], derivative[POINTS];
  uneven_points(x);
  for (int i = 0; i < POINTS; i++) y[i] = 4 - 3 * x[i] + 0.25 * x[i] * x[i];
  const size_t windows[] = {3, 4, 5, 9, 22, 23, 1000};
  for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
    assert_int_equal(measure_smooth_derivative(x, y, POINTS, windows[w], derivative),
                     MEASURE_SUCCESS);
    for (int i = 0; i < POINTS; i++) near(derivative[i], -3 + 0.5 * x[i], 1e-9);
  }
}

static void derivative_has_savitzky_and_golays_weights(void **state) {
  (void)state;
  // unit spacing: an impulse at point 10 shows the filter's weights -2 -1 0 1 2, over 10, mirrored
  double x[POINTS], y[POINTS] = {0}, derivative[POINTS];
  for (int i = 0; i < POINTS; i++) x[i] = i;
  y[10] = 1;
  assert_int_equal(measure_smooth_derivative(x, y, POINTS, 5, derivative), MEASURE_SUCCESS);
  for (int i = 0; i < POINTS; i++) {
    near(derivative[i], i >= 8 && i <= 12 ? (10 - i) / 10.0 : 0, 1e-14);
  }
}

static void derivative_smooths(void **state) {
  (void)state;
  // an alternating error of 1 on a line: differences see it as 1 or more, a wide window hardly
  double x[POINTS], y[POINTS], narrow[POINTS], wide[POINTS];
  uneven_points(x);
  for (int i = 0; i < POINTS; i++) y[i] = 0.5 * x[i] + (i % 2 ? 1 : -1);
  assert_int_equal(measure_smooth_derivative(x, y, POINTS, 3, narrow), MEASURE_SUCCESS);
  assert_int_equal(measure_smooth_derivative(x, y, POINTS, 15, wide), MEASURE_SUCCESS);
  double worst_narrow = 0, worst_wide = 0;
  for (int i = 8; i < POINTS - 8; i++) {
    worst_narrow = fmax(worst_narrow, fabs(narrow[i] - 0.5));
    worst_wide = fmax(worst_wide, fabs(wide[i] - 0.5));
  }
  assert_true(worst_wide < 0.1 * worst_narrow);
}

static void derivative_of_two_points_is_their_slope(void **state) {
  (void)state;
  const double x[] = {2, 100}, y[] = {1, 50};
  double derivative[2];
  assert_int_equal(measure_smooth_derivative(x, y, 2, 9, derivative), MEASURE_SUCCESS);
  near(derivative[0], 0.5, 1e-14);
  near(derivative[1], 0.5, 1e-14);
}

static void bad_data_are_refused(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4}, y[] = {1, 3, 2, 5}, nan[] = {1, 2, NAN, 4};
  const double equal[] = {2, 2, 2, 2}, repeated[] = {1, 2, 2, 3};
  double derivative[4];
  measure_line line;
  assert_int_equal(measure_fit_line(x, nan, 4, 0.95, &line), MEASURE_ENONFINITE);
  assert_int_equal(measure_fit_line(nan, y, 4, 0.95, &line), MEASURE_ENONFINITE);
  assert_int_equal(measure_fit_line(equal, y, 4, 0.95, &line), MEASURE_EINVAL);
  assert_int_equal(measure_fit_line(x, y, 2, 0.95, &line), MEASURE_EINVAL);
  assert_int_equal(measure_fit_line(x, y, 4, NAN, &line), MEASURE_EINVAL);
  assert_int_equal(measure_smooth_derivative(x, nan, 4, 3, derivative), MEASURE_ENONFINITE);
  assert_int_equal(measure_smooth_derivative(nan, y, 4, 3, derivative), MEASURE_ENONFINITE);
  assert_int_equal(measure_smooth_derivative(repeated, y, 4, 3, derivative), MEASURE_EINVAL);
  assert_int_equal(measure_smooth_derivative(x, y, 1, 3, derivative), MEASURE_EINVAL);
  assert_int_equal(measure_smooth_derivative(x, y, 4, 1, derivative), MEASURE_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line_of_anscombes_first_set),
      cmocka_unit_test(line_through_points_on_it_has_no_width),
      cmocka_unit_test(wider_confidence_is_wider),
      cmocka_unit_test(derivative_of_a_parabola_is_exact),
      cmocka_unit_test(derivative_has_savitzky_and_golays_weights),
      cmocka_unit_test(derivative_smooths),
      cmocka_unit_test(derivative_of_two_points_is_their_slope),
      cmocka_unit_test(bad_data_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

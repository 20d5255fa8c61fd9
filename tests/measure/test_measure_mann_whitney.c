/*
 * Mann and Whitney's test against values counted by hand, and against
 * scipy.stats.mannwhitneyu(x, y, alternative="two-sided", use_continuity=True) of SciPy 1.17.1,
 * method="exact" or "asymptotic" as the case is named.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mann_whitney.h"

enum { MAX = 40 };

static void expect(const double x[], size_t nx, const double y[], size_t ny, double u, double p,
                   bool exact) {
  measure_mann_whitney_result r, swapped;
  assert_int_equal(measure_mann_whitney(x, nx, y, ny, &r), MEASURE_SUCCESS);
  if (r.u != u || !(fabs(r.p - p) <= 1e-13 * p)) fail_msg("U %.17g, p %.17g", r.u, r.p);
  assert_int_equal(r.exact, exact);
  // which sample comes first changes nothing but the side u is counted from
  assert_int_equal(measure_mann_whitney(y, ny, x, nx, &swapped), MEASURE_SUCCESS);
  assert_true(swapped.p == r.p && swapped.u == (double)(nx * ny) - u);
}

static void small_samples_counted_by_hand(void **state) {
  (void)state;
  // two arrangements, each as far from the middle as the other
  expect((double[]){1.5}, 1, (double[]){2.5}, 1, 0, 1.0, true);
  // 20 arrangements of three and three: one at either end
  expect((double[]){3, 1, 2}, 3, (double[]){5, 6, 4}, 3, 0, 2.0 / 20.0, true);
  // U <= 3 in 1 + 1 + 2 + 3 = 7 of the 20
  expect((double[]){5, 3, 1}, 3, (double[]){2, 4, 6}, 3, 3, 14.0 / 20.0, true);
  // one against four: 5 arrangements, U in the middle of 0 .. 4
  expect((double[]){3}, 1, (double[]){1, 2, 4, 5}, 4, 2, 1.0, true);
}

static void exact_as_scipy(void **state) {
  (void)state;
  const double x[] = {0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
  expect(x, 10, y, 5, 35, 0.2544122544122544, true);
}

static void ties_as_scipy(void **state) {
  (void)state;
  const double x[] = {1, 2, 2, 3, 5}, y[] = {2, 4, 4, 6, 7, 8};
  expect(x, 5, y, 6, 5, 0.07934368319771502, false);
  expect((double[]){1, 1, 2}, 3, (double[]){1, 2, 2}, 3, 3, 0.6192567541768621, false);
  double many_x[MAX], many_y[MAX];
  for (int i = 0; i < 40; i++) many_x[i] = i * 7 % 5;
  for (int i = 0; i < 33; i++) many_y[i] = i * 3 % 4 + 2;
  expect(many_x, 40, many_y, 33, 308, 7.156394758189101e-05, false);
}

static void large_samples_as_scipy(void **state) {
  (void)state;
  double x[MAX], y[MAX];
  for (int i = 0; i < MAX; i++) {
    x[i] = i * 37 % 101;
    y[i] = i * 53 % 103 + 7.5;
  }
  // either side of the largest sample for which p is exact
  expect(x, 20, y, 20, 203, 0.9466954688892107, true);
  expect(x, 21, y, 4, 51, 0.5286540734219736, false);
  expect(x, 25, y, 30, 325, 0.4027596942538769, false);
}

static void equal_values_show_no_difference(void **state) {
  (void)state;
  expect((double[]){3, 3, 3}, 3, (double[]){3, 3}, 2, 3, 1.0, false);
}

static void data_stay_as_they_were(void **state) {
  (void)state;
  double x[] = {3, 1, 2}, y[] = {0, 9};
  measure_mann_whitney_result r;
  assert_int_equal(measure_mann_whitney(x, 3, y, 2, &r), MEASURE_SUCCESS);
  assert_true(x[0] == 3 && x[1] == 1 && x[2] == 2 && y[0] == 0 && y[1] == 9);
}

static void bad_data_are_refused(void **state) {
  (void)state;
  const double good[] = {1, 2}, bad[] = {1, NAN}, infinite[] = {INFINITY, 1};
  measure_mann_whitney_result r = {.p = 42};
  assert_int_equal(measure_mann_whitney(good, 0, good, 2, &r), MEASURE_EINVAL);
  assert_int_equal(measure_mann_whitney(good, 2, NULL, 2, &r), MEASURE_EINVAL);
  assert_int_equal(measure_mann_whitney(bad, 2, good, 2, &r), MEASURE_ENONFINITE);
  assert_int_equal(measure_mann_whitney(good, 2, infinite, 2, &r), MEASURE_ENONFINITE);
  assert_true(r.p == 42);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_samples_counted_by_hand),
      cmocka_unit_test(exact_as_scipy),
      cmocka_unit_test(ties_as_scipy),
      cmocka_unit_test(large_samples_as_scipy),
      cmocka_unit_test(equal_values_show_no_difference),
      cmocka_unit_test(data_stay_as_they_were),
      cmocka_unit_test(bad_data_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

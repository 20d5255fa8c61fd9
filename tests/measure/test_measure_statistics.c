/*
 * Order statistics against values worked out by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "statistics.h"

static void near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-14 * (1 + fabs(expected)))) {
    fail_msg("%.17g is not %.17g", value, expected);
  }
}

static void summary_of_an_even_count(void **state) {
  (void)state;
  const double x[] = {4, 1, 3, 2};
  measure_summary s;
  assert_int_equal(measure_summarize(x, 4, &s), MEASURE_SUCCESS);
  assert_int_equal(s.count, 4);
  near(s.min, 1);
  near(s.q25, 1.75);
  near(s.median, 2.5);
  near(s.q75, 3.25);
  near(s.max, 4);
  near(s.mean, 2.5);
  near(s.mad, 1);
  // the data are left as they were
  assert_true(x[0] == 4 && x[1] == 1 && x[2] == 3 && x[3] == 2);
}

static void summary_of_an_odd_count_with_an_outlier(void **state) {
  (void)state;
  const double x[] = {7, 1000, 1, 3, 2};
  measure_summary s;
  assert_int_equal(measure_summarize(x, 5, &s), MEASURE_SUCCESS);
  near(s.q25, 2);
  near(s.median, 3);
  near(s.q75, 7);
  near(s.max, 1000);
  near(s.mean, 202.6);
  // deviations 4 997 2 0 1
  near(s.mad, 2);
}

static void summary_of_one(void **state) {
  (void)state;
  const double x[] = {-2.5};
  measure_summary s;
  assert_int_equal(measure_summarize(x, 1, &s), MEASURE_SUCCESS);
  near(s.min, -2.5);
  near(s.q25, -2.5);
  near(s.median, -2.5);
  near(s.mad, 0);
}

static void quantiles_are_type_7(void **state) {
  (void)state;
  // (count - 1) p falls between the order statistics: 10 values 0, 10, ... 90 make it 90 p
  const double x[] = {90, 0, 80, 10, 70, 20, 60, 30, 50, 40};
  const double p[] = {0, 0.05, 0.1, 0.25, 0.333, 0.5, 0.9, 0.99, 1};
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
    double q;
    assert_int_equal(measure_quantile(x, 10, p[i], &q), MEASURE_SUCCESS);
    near(q, 90 * p[i]);
  }
  double median;
  assert_int_equal(measure_median(x, 10, &median), MEASURE_SUCCESS);
  near(median, 45);
}

static void what_is_no_number_is_refused(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3; i++) {
    const double x[] = {1, bad[i], 2};
    measure_summary s;
    double q = 42;
    assert_int_equal(measure_summarize(x, 3, &s), MEASURE_ENONFINITE);
    assert_int_equal(measure_quantile(x, 3, 0.5, &q), MEASURE_ENONFINITE);
    assert_int_equal(measure_median(x, 3, &q), MEASURE_ENONFINITE);
    assert_true(q == 42);
  }
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  const double x[] = {1, 2};
  measure_summary s;
  double q;
  assert_int_equal(measure_summarize(x, 0, &s), MEASURE_EINVAL);
  assert_int_equal(measure_summarize(NULL, 2, &s), MEASURE_EINVAL);
  assert_int_equal(measure_quantile(x, 2, -0.01, &q), MEASURE_EINVAL);
  assert_int_equal(measure_quantile(x, 2, 1.01, &q), MEASURE_EINVAL);
  assert_int_equal(measure_quantile(x, 2, NAN, &q), MEASURE_EINVAL);
}

static void every_status_has_its_message(void **state) {
  (void)state;
  for (int i = 0; i < MEASURE_STATUS_COUNT; i++) {
    const char *message = measure_strerror(i);
    assert_non_null(message);
    assert_string_not_equal(message, measure_strerror(-1));
    for (int j = 0; j < i; j++) assert_string_not_equal(message, measure_strerror(j));
  }
  assert_string_equal(measure_strerror(-1), measure_strerror(MEASURE_STATUS_COUNT));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(summary_of_an_even_count),
      cmocka_unit_test(summary_of_an_odd_count_with_an_outlier),
      cmocka_unit_test(summary_of_one),
      cmocka_unit_test(quantiles_are_type_7),
      cmocka_unit_test(what_is_no_number_is_refused),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(every_status_has_its_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Bootstrap intervals: coverage of the truth over seeded repetitions, and what they must equal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bootstrap.h"

enum { REPETITIONS = 200, COUNT = 60, RESAMPLES = 400 };

/* Draws one data set and says whether its interval holds the truth. */
typedef int (*covers_fn)(gsl_rng *rng, const measure_bootstrap *options);

/* A 95 % interval must hold the truth in 90 to 99 % of the data sets. */
static void assert_coverage(covers_fn covers) {
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
  gsl_rng_set(rng, 20240607);
  int covered = 0;
  for (unsigned long i = 0; i < REPETITIONS; i++) {
    measure_bootstrap options = measure_bootstrap_default(i + 1);
    options.resamples = RESAMPLES;
    covered += covers(rng, &options);
  }
  gsl_rng_free(rng);
  print_message("covered: %d of %d\n", covered, REPETITIONS);
  assert_in_range(covered, 180, 198);
}

static int holds(const measure_interval *interval, double truth) {
  assert_true(interval->low <= interval->estimate && interval->estimate <= interval->high);
  return interval->low <= truth && truth <= interval->high;
}

static void draw_exponential(gsl_rng *rng, double mean, double x[], size_t count) {
  for (size_t i = 0; i < count; i++) x[i] = gsl_ran_exponential(rng, mean);
}

static int covers_median(gsl_rng *rng, const measure_bootstrap *options) {
  double x[COUNT];
  draw_exponential(rng, 1, x, COUNT);
  measure_interval interval;
  assert_int_equal(measure_bootstrap_median(x, COUNT, options, &interval), MEASURE_SUCCESS);
  return holds(&interval, M_LN2);
}

static int covers_paired_ratio(gsl_rng *rng, const measure_bootstrap *options) {
  // trials differ hundredfold, which the pairing takes out
  double x[COUNT], y[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    y[i] = gsl_ran_lognormal(rng, 0, 2);
    x[i] = 1.25 * y[i] * gsl_ran_lognormal(rng, 0, 0.05);
  }
  measure_interval interval;
  assert_int_equal(measure_bootstrap_paired_ratio(x, y, COUNT, options, &interval),
                   MEASURE_SUCCESS);
  assert_true(interval.high - interval.low < 0.1);
  return holds(&interval, 1.25);
}

static void median_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_median);
}

static void paired_ratio_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_paired_ratio);
}

static void same_seed_gives_the_same_interval(void **state) {
  (void)state;
  double x[COUNT];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
  draw_exponential(rng, 1, x, COUNT);
  gsl_rng_free(rng);
  const measure_bootstrap one = measure_bootstrap_default(1), two = measure_bootstrap_default(2);
  measure_interval a, b, c;
  assert_int_equal(measure_bootstrap_median(x, COUNT, &one, &a), MEASURE_SUCCESS);
  assert_int_equal(measure_bootstrap_median(x, COUNT, &one, &b), MEASURE_SUCCESS);
  assert_int_equal(measure_bootstrap_median(x, COUNT, &two, &c), MEASURE_SUCCESS);
  assert_true(a.low == b.low && a.high == b.high && a.estimate == b.estimate);
  assert_true(a.estimate == c.estimate);
  assert_true(a.low != c.low || a.high != c.high);
}

static void estimates_are_those_of_the_data(void **state) {
  (void)state;
  const double x[] = {9, 2, 4, 6, 3}, y[] = {1, 2, 8, 2, 3};
  const measure_bootstrap options = measure_bootstrap_default(5);
  measure_interval interval;
  assert_int_equal(measure_bootstrap_median(x, 5, &options, &interval), MEASURE_SUCCESS);
  assert_true(interval.estimate == 4);
  // ratios 9 1 0.5 3 1
  assert_int_equal(measure_bootstrap_paired_ratio(x, y, 5, &options, &interval), MEASURE_SUCCESS);
  assert_true(interval.estimate == 1);
}

static void bad_data_are_refused(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4}, nan[] = {1, NAN, 3, 4}, zero[] = {1, 0, 3, 4};
  measure_bootstrap options = measure_bootstrap_default(5);
  measure_interval i;
  assert_int_equal(measure_bootstrap_median(nan, 4, &options, &i), MEASURE_ENONFINITE);
  assert_int_equal(measure_bootstrap_median(x, 0, &options, &i), MEASURE_EINVAL);
  assert_int_equal(measure_bootstrap_paired_ratio(x, zero, 4, &options, &i), MEASURE_EINVAL);
  assert_int_equal(measure_bootstrap_paired_ratio(x, nan, 4, &options, &i), MEASURE_ENONFINITE);
  options.resamples = 0;
  assert_int_equal(measure_bootstrap_median(x, 4, &options, &i), MEASURE_EINVAL);
  options = measure_bootstrap_default(5);
  options.confidence = 1;
  assert_int_equal(measure_bootstrap_median(x, 4, &options, &i), MEASURE_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(median_is_covered),
      cmocka_unit_test(paired_ratio_is_covered),
      cmocka_unit_test(same_seed_gives_the_same_interval),
      cmocka_unit_test(estimates_are_those_of_the_data),
      cmocka_unit_test(bad_data_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

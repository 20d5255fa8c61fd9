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

enum { REPETITIONS = 200, COUNT = 60, GROUPS = 6, RESAMPLES = 400 };

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

static int covers_ratio(gsl_rng *rng, const measure_bootstrap *options) {
  double x[COUNT], y[2 * COUNT];
  draw_exponential(rng, 3, x, COUNT);
  draw_exponential(rng, 1, y, 2 * COUNT);
  measure_interval interval;
  assert_int_equal(measure_bootstrap_ratio(x, COUNT, y, 2 * COUNT, options, &interval),
                   MEASURE_SUCCESS);
  return holds(&interval, 3);
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

static const double contacts[GROUPS] = {2, 5, 10, 20, 50, 100};

static int covers_slope(gsl_rng *rng, const measure_bootstrap *options) {
  double y[GROUPS * COUNT];
  for (size_t i = 0; i < GROUPS * COUNT; i++) {
    y[i] = 7 + 0.3 * contacts[i / COUNT] + gsl_ran_gaussian(rng, 2);
  }
  measure_interval interval;
  assert_int_equal(measure_bootstrap_slope(contacts, GROUPS, y, COUNT, false, options, &interval),
                   MEASURE_SUCCESS);
  return holds(&interval, 0.3);
}

static int covers_slope_of_shared_trials(gsl_rng *rng, const measure_bootstrap *options) {
  // each trial has its own slope, the same in all groups
  double y[GROUPS * COUNT];
  for (size_t j = 0; j < COUNT; j++) {
    const double own = 0.3 + gsl_ran_gaussian(rng, 0.1);
    for (size_t i = 0; i < GROUPS; i++) {
      y[i * COUNT + j] = 7 + own * contacts[i] + gsl_ran_gaussian(rng, 0.01);
    }
  }
  measure_interval interval;
  assert_int_equal(measure_bootstrap_slope(contacts, GROUPS, y, COUNT, true, options, &interval),
                   MEASURE_SUCCESS);
  return holds(&interval, 0.3);
}

static void median_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_median);
}

static void ratio_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_ratio);
}

static void paired_ratio_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_paired_ratio);
}

static void slope_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_slope);
}

static void slope_of_shared_trials_is_covered(void **state) {
  (void)state;
  assert_coverage(covers_slope_of_shared_trials);
}

static void effect_of_a_trial_common_to_all_groups_needs_shared_draws(void **state) {
  (void)state;
  // contact counts 2 ... 51, and a slope of each trial's own: no averaging over groups helps
  enum { MANY = 50 };
  double x[MANY], y[MANY * COUNT];
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
  for (size_t j = 0; j < COUNT; j++) {
    const double own = 1 + gsl_ran_gaussian(rng, 0.1);
    for (size_t i = 0; i < MANY; i++) y[i * COUNT + j] = own * (x[i] = 2 + (double)i);
  }
  gsl_rng_free(rng);
  const measure_bootstrap options = measure_bootstrap_default(1);
  measure_interval shared, independent;
  assert_int_equal(measure_bootstrap_slope(x, MANY, y, COUNT, true, &options, &shared),
                   MEASURE_SUCCESS);
  assert_int_equal(measure_bootstrap_slope(x, MANY, y, COUNT, false, &options, &independent),
                   MEASURE_SUCCESS);
  assert_true(shared.estimate == independent.estimate);
  assert_true(shared.high - shared.low > 2 * (independent.high - independent.low));
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
  assert_int_equal(measure_bootstrap_ratio(x, 5, y, 3, &options, &interval), MEASURE_SUCCESS);
  assert_true(interval.estimate == 2);
  // ratios 9 1 0.5 3 1
  assert_int_equal(measure_bootstrap_paired_ratio(x, y, 5, &options, &interval), MEASURE_SUCCESS);
  assert_true(interval.estimate == 1);
  // medians 2 and 8 at 10 and 30
  const double z[] = {1, 2, 3, 8, 9, -100}, at[] = {10, 30};
  assert_int_equal(measure_bootstrap_slope(at, 2, z, 3, true, &options, &interval),
                   MEASURE_SUCCESS);
  assert_true(fabs(interval.estimate - 0.3) < 1e-15);
}

static void bad_data_are_refused(void **state) {
  (void)state;
  const double x[] = {1, 2, 3, 4}, nan[] = {1, NAN, 3, 4}, zero[] = {1, 0, 3, 4};
  const double equal[] = {5, 5};
  measure_bootstrap options = measure_bootstrap_default(5);
  measure_interval i;
  assert_int_equal(measure_bootstrap_median(nan, 4, &options, &i), MEASURE_ENONFINITE);
  assert_int_equal(measure_bootstrap_median(x, 0, &options, &i), MEASURE_EINVAL);
  assert_int_equal(measure_bootstrap_ratio(nan, 4, x, 4, &options, &i), MEASURE_ENONFINITE);
  assert_int_equal(measure_bootstrap_ratio(x, 4, nan, 4, &options, &i), MEASURE_ENONFINITE);
  assert_int_equal(measure_bootstrap_ratio(x, 4, zero, 4, &options, &i), MEASURE_EINVAL);
  assert_int_equal(measure_bootstrap_paired_ratio(x, zero, 4, &options, &i), MEASURE_EINVAL);
  assert_int_equal(measure_bootstrap_paired_ratio(x, nan, 4, &options, &i), MEASURE_ENONFINITE);
  assert_int_equal(measure_bootstrap_slope(x, 2, nan, 2, true, &options, &i), MEASURE_ENONFINITE);
  assert_int_equal(measure_bootstrap_slope(x, 1, x, 4, true, &options, &i), MEASURE_EINVAL);
  assert_int_equal(measure_bootstrap_slope(equal, 2, x, 2, true, &options, &i), MEASURE_EINVAL);
  options.resamples = 0;
  assert_int_equal(measure_bootstrap_median(x, 4, &options, &i), MEASURE_EINVAL);
  options = measure_bootstrap_default(5);
  options.confidence = 1;
  assert_int_equal(measure_bootstrap_median(x, 4, &options, &i), MEASURE_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(median_is_covered),
      cmocka_unit_test(ratio_is_covered),
      cmocka_unit_test(paired_ratio_is_covered),
      cmocka_unit_test(slope_is_covered),
      cmocka_unit_test(slope_of_shared_trials_is_covered),
      cmocka_unit_test(effect_of_a_trial_common_to_all_groups_needs_shared_draws),
      cmocka_unit_test(same_seed_gives_the_same_interval),
      cmocka_unit_test(estimates_are_those_of_the_data),
      cmocka_unit_test(bad_data_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

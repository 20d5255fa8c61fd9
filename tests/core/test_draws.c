/*
 * The bootstrap: coverage of the truth over seeded repetitions, what intervals must equal, and who
 * is drawn.
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

#include "series.h"
#include "study_fixture.h"

enum { REPETITIONS = 200, COUNT = 60 };

static const column columns[] = {{.name = "x", .kind = COLUMN_NUMBER}, {0}};
static const study drawing = {.name = "drawing",
                              .tables = {{.columns = columns, .row_size = sizeof(double)}}};

/* the median of numbers > 0 by one process, and what its interval was before it was widened for a
 * second run */
static int median_of(const double x[], size_t count, unsigned long seed, measure_interval *out) {
  const draws d = {.trials = count, .processes = 1, .seed = seed};
  const double narrower = 1.0 / draws_widening(&d);
  double ends[2];
  made_up u;
  make_up(&u, &drawing, NULL);
  for (size_t i = 0; i < count; i++) give(&u, &x[i]);
  const int status =
      series_median(gather_rows(&u.run, 0, 0, 1, count), "x", &d, &out->estimate, ends);
  out->low = out->estimate * pow(ends[0] / out->estimate, narrower);
  out->high = out->estimate * pow(ends[1] / out->estimate, narrower);
  dispose(&u);
  return status;
}

/* a 95 % interval must hold the truth in 90 to 99 % of the data sets */
static void intervals_hold_the_truth_as_often_as_they_say(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_taus2);
  gsl_rng_set(rng, 20240607);
  int covered = 0;
  for (unsigned long i = 0; i < REPETITIONS; i++) {
    double x[COUNT];
    measure_interval of;
    for (size_t k = 0; k < COUNT; k++) x[k] = gsl_ran_exponential(rng, 1.0);
    assert_int_equal(median_of(x, COUNT, i + 1, &of), 0);
    assert_true(of.low <= of.estimate && of.estimate <= of.high);
    covered += of.low <= M_LN2 && M_LN2 <= of.high;
  }
  gsl_rng_free(rng);
  print_message("covered: %d of %d\n", covered, REPETITIONS);
  assert_in_range(covered, 180, 198);
}

static void the_same_seed_gives_the_same_interval(void **state) {
  (void)state;
  double x[COUNT];
  measure_interval a, b, c;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_taus2);
  for (size_t k = 0; k < COUNT; k++) x[k] = gsl_ran_exponential(rng, 1.0);
  gsl_rng_free(rng);
  assert_int_equal(median_of(x, COUNT, 1, &a), 0);
  assert_int_equal(median_of(x, COUNT, 1, &b), 0);
  assert_int_equal(median_of(x, COUNT, 2, &c), 0);
  assert_true(a.low == b.low && a.high == b.high && a.estimate == b.estimate);
  assert_true(a.estimate == c.estimate);
  assert_true(a.low != c.low || a.high != c.high);
}

static void the_estimate_is_that_of_the_data(void **state) {
  (void)state;
  const double x[] = {9, 2, 4, 6, 3}, nan[] = {1, NAN, 3, 4};
  measure_interval of;
  assert_int_equal(median_of(x, 5, 5, &of), 0);
  assert_true(of.estimate == 4);
  assert_int_equal(median_of(nan, 4, 5, &of), -1);
  assert_int_equal(median_of(x, 0, 5, &of), -1);
}

/* groups of one, two and five trials: a resample takes whole groups' numbers, with repetitions */
static void trials_are_drawn_of_the_processes_drawn(void **state) {
  (void)state;
  const size_t first[] = {0, 1, 3, 8};
  const draws d = {.trials = 8, .processes = 3, .first = first};
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_taus2);
  size_t drawn[8] = {0}, without_the_last = 0;
  for (int i = 0; i < 1000; i++) {
    size_t pick[8 + 3], of_the_last = 0;
    assert_int_equal(draws_pick(&d, rng, pick), 8);
    for (size_t k = 0; k < 8; k++) {
      assert_in_range(pick[k], 0, 7);
      drawn[pick[k]]++;
      of_the_last += pick[k] >= 3;
    }
    without_the_last += of_the_last == 0;
  }
  gsl_rng_free(rng);
  for (size_t k = 0; k < 8; k++) assert_true(drawn[k] > 200);
  assert_true(without_the_last > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
      cmocka_unit_test(the_same_seed_gives_the_same_interval),
      cmocka_unit_test(the_estimate_is_that_of_the_data),
      cmocka_unit_test(trials_are_drawn_of_the_processes_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

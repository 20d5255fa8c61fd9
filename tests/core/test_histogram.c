/*
 * Counts that are added, as text and in any order, and quantiles by them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "histogram.h"
#include "statistics.h"

enum { VALUES = 20000, PARTS = 7 };

/* the same numbers on every machine: a plain generator, in (0, 1) */
static double uniform(uint64_t *state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

static void every_value_has_the_bin_it_is_in(void **state) {
  (void)state;
  const histogram h = histogram_of(-3.0, 5.0, false);
  static const double values[] = {-1e300, -1e6, -100.0, -7.01, -3.0, 0.0, 1e-9,
                                  4.99,   5.0,  9.0,    50.0,  1e4,  1e9, 1e300};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    const size_t bin = histogram_bin(&h, values[i]);
    assert_in_range(bin, 0, HISTOGRAM_BINS - 1);
    if (bin > 0) assert_true(histogram_edge(&h, bin) <= values[i]);
    if (bin < HISTOGRAM_BINS - 1) assert_true(values[i] < histogram_edge(&h, bin + 1));
  }
  for (size_t i = 0; i < HISTOGRAM_BINS; i++)
    assert_true(histogram_edge(&h, i) < histogram_edge(&h, i + 1));
  assert_int_equal(histogram_bin(&h, INFINITY), HISTOGRAM_BINS - 1);
  assert_int_equal(histogram_bin(&h, -INFINITY), 0);
  // most values are in the middle half of the bins of one width
  assert_int_equal(histogram_bin(&h, -3.0), HISTOGRAM_TAIL + HISTOGRAM_MIDDLE / 4);
  assert_int_equal(histogram_bin(&h, 4.999), HISTOGRAM_TAIL + 3 * HISTOGRAM_MIDDLE / 4 - 1);
}

static void whole_numbers_have_bins_of_their_own(void **state) {
  (void)state;
  const histogram few = histogram_of(38.0, 54.0, true), many = histogram_of(1000.0, 3000.0, true);
  for (int i = 0; i < 100; i++) {
    const size_t bin = histogram_bin(&few, i);
    assert_true(histogram_edge(&few, bin) == i - 0.5 && histogram_edge(&few, bin + 1) == i + 0.5);
  }
  assert_true(many.width == 8.0);
}

static void one_value_is_told_from_its_neighbours(void **state) {
  (void)state;
  static const double values[] = {0.0, 1.0, -7.25, 1e-30, 1e30};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    const histogram h = histogram_of(values[i], values[i], false);
    int64_t count[HISTOGRAM_BINS] = {0};
    count[histogram_bin(&h, values[i])] = 3;
    assert_true(histogram_quantile(&h, count, 3, 0.5, values[i], values[i]) == values[i]);
  }
  const histogram none = histogram_of(NAN, NAN, false);
  const int64_t count[HISTOGRAM_BINS] = {0};
  assert_true(isnan(histogram_quantile(&none, count, 0, 0.5, NAN, NAN)));
}

/* parts that are added in another order give the same counts, and quantiles to a bin */
static void quantiles_are_those_of_the_values(void **state) {
  (void)state;
  static double value[VALUES];
  static int64_t part[PARTS][HISTOGRAM_BINS], forward[HISTOGRAM_BINS], backward[HISTOGRAM_BINS];
  static const double shares[] = {0.0, 0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.9995, 1.0};
  const histogram h = histogram_of(0.01, 4.6, false);
  uint64_t seed = 5;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < VALUES; i++) {
    value[i] = -log(uniform(&seed));
    low = fmin(low, value[i]);
    high = fmax(high, value[i]);
    part[i % PARTS][histogram_bin(&h, value[i])]++;
  }
  for (size_t i = 0; i < PARTS; i++) {
    char *const ahead = tally_text(part[i], HISTOGRAM_BINS, 1);
    char *const back = tally_text(part[PARTS - 1 - i], HISTOGRAM_BINS, 1);
    assert_non_null(ahead);
    assert_non_null(back);
    assert_int_equal(tally_add(forward, HISTOGRAM_BINS, 1, ahead), 0);
    assert_int_equal(tally_add(backward, HISTOGRAM_BINS, 1, back), 0);
    free(ahead);
    free(back);
  }
  assert_memory_equal(forward, backward, sizeof forward);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    double wanted;
    assert_int_equal(measure_quantile(value, VALUES, shares[i], &wanted), 0);
    const double found = histogram_quantile(&h, forward, VALUES, shares[i], low, high);
    const size_t bin = histogram_bin(&h, wanted);
    const double width = histogram_edge(&h, bin + 1) - histogram_edge(&h, bin);
    if (!(fabs(found - wanted) <= 1.5 * width))
      fail_msg("share %g: %g, not %g", shares[i], found, wanted);
  }
}

static void texts_that_are_no_tally_are_refused(void **state) {
  (void)state;
  int64_t tally[3][2] = {{1, -2}, {0, 0}, {5, INT64_C(1) << 60}}, sum[3][2] = {{0}};
  char *const text = tally_text(tally[0], 3, 2);
  assert_string_equal(text, "0:1:-2 2:5:1152921504606846976");
  assert_int_equal(tally_add(sum[0], 3, 2, text), 0);
  assert_int_equal(tally_add(sum[0], 3, 2, ""), 0);
  assert_memory_equal(sum, tally, sizeof sum);
  free(text);
  static const char *const bad[] = {"3:1:1", "0:1", "0:1:", "x", "0:1:1:1", "0:1:1,1:1:1", " "};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (!tally_add(sum[0], 3, 2, bad[i])) fail_msg("'%s' is taken", bad[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_has_the_bin_it_is_in),
      cmocka_unit_test(whole_numbers_have_bins_of_their_own),
      cmocka_unit_test(one_value_is_told_from_its_neighbours),
      cmocka_unit_test(quantiles_are_those_of_the_values),
      cmocka_unit_test(texts_that_are_no_tally_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

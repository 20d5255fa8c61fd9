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

#include "json_file.h"
#include "race.h"
#include "store.h"

enum { REPETITIONS = 200, COUNT = 60 };

/* the median of numbers > 0 by one process, and what its interval was before it was widened for a
 * second run */
static int median_of(const double x[], size_t count, unsigned long seed, measure_interval *out) {
  const draws d = {.trials = count, .processes = 1, .seed = seed};
  const double narrower = 1.0 / draws_widening(&d);
  double ends[2];
  const int status = draws_median_of(&d, x, &out->estimate, ends);
  out->low = out->estimate * pow(ends[0] / out->estimate, narrower);
  out->high = out->estimate * pow(ends[1] / out->estimate, narrower);
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
  assert_int_equal(median_of(nan, 4, 5, &of), MEASURE_ENONFINITE);
  assert_true(isnan(of.estimate) && isnan(of.low) && isnan(of.high));
  assert_int_not_equal(median_of(x, 0, 5, &of), 0);
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

/* ---- medians --------------------------------------------------------------------------------- */

enum { TRIALS = 11, GROUPS = 3 };

static const double at[GROUPS] = {2.0, 10.0, 20.0};
static const draws by_one = {.trials = TRIALS, .processes = 1, .seed = 1};

/* in an order that is not the sorted one */
static double rank_of(size_t trial) {
  return (double)(7 * trial % TRIALS);
}

/* (1 + rank / 10) x; or what has something in common at all x */
static double ours(size_t group, size_t trial, double common) {
  return common > 0.0 ? at[group] + common * (double)trial
                      : at[group] * (1.0 + 0.1 * rank_of(trial));
}

static void close_to(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected) + 1e-15))
    fail_msg("%.17g instead of %.17g", value, expected);
}

/* an end of one run's interval as that of a second one has it */
static double widened(double value, double end, const draws *d) {
  return value * pow(end / value, draws_widening(d));
}

static void medians_have_intervals(void **state) {
  double median, interval[2], x[TRIALS];
  (void)state;
  for (size_t j = 0; j < TRIALS; j++) x[j] = ours(1, j, 0.0);
  assert_int_equal(draws_median_of(&by_one, x, &median, interval), 0);
  close_to(median, 15.0);
  assert_true(interval[0] >= widened(15.0, 10.0, &by_one) && interval[0] < 15.0);
  assert_true(interval[1] <= widened(15.0, 20.0, &by_one) && interval[1] > 15.0);
}

/* every process has every start: what differs from start to start is as uncertain as starts are
 * few, however many processes have measured it */
static void starts_are_drawn_for_all_processes_alike(void **state) {
  enum { PROCESSES = 9, STARTS = 5 };
  const draws crossed = {STARTS * PROCESSES, PROCESSES, 1, true, NULL};
  const draws nested = {STARTS * PROCESSES, PROCESSES, 1, false, NULL};
  double median, interval[2], narrow[2], process[2];
  double start[STARTS * PROCESSES], mood[STARTS * PROCESSES];
  (void)state;
  for (size_t i = 0; i < STARTS * PROCESSES; i++) {
    start[i] = 1.0 + (double)(i / PROCESSES);
    mood[i] = 1.0 + (double)(i % PROCESSES);
  }
  assert_int_equal(draws_median_of(&crossed, start, &median, interval), 0);
  close_to(median, 3.0);
  close_to(interval[0], widened(3.0, 1.0, &crossed));
  close_to(interval[1], widened(3.0, 5.0, &crossed));
  assert_int_equal(draws_median_of(&nested, start, &median, narrow), 0);
  assert_true(narrow[0] >= widened(3.0, 2.0, &nested));
  assert_true(narrow[1] <= widened(3.0, 4.0, &nested));
  assert_int_equal(draws_median_of(&crossed, mood, &median, process), 0);
  close_to(median, 5.0);
  assert_true(process[0] < 4.0 && process[1] > 6.0);
}

/* Runs of a few processes, which differ as starts do: the interval of one covers the median of
 * another run in as many cases as it says. */
static void an_interval_covers_a_second_run(void **state) {
  enum { RUNS = 200, STARTS = 60 };
  static const size_t processes[] = {2, 5, 12};
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  (void)state;
  for (size_t p = 0; p < sizeof processes / sizeof *processes; p++) {
    const draws d = {.trials = STARTS, .processes = processes[p], .seed = 1};
    double before = NAN;
    size_t covered = 0;
    for (size_t i = 0; i <= RUNS; i++) {
      double median, interval[2], mood[12], x[STARTS];
      for (size_t k = 0; k < processes[p]; k++) mood[k] = 1.0 + gsl_ran_gaussian(rng, 0.03);
      for (size_t j = 0; j < STARTS; j++)
        x[j] = mood[j % processes[p]] + gsl_ran_gaussian(rng, 0.05);
      assert_int_equal(draws_median_of(&d, x, &median, interval), 0);
      covered += i && interval[0] <= before && before <= interval[1];
      before = median;
    }
    if (covered < 9 * RUNS / 10) fail_msg("%zu processes: %zu of %d", d.processes, covered, RUNS);
  }
  gsl_rng_free(rng);
}

/* ---- in SQL ---------------------------------------------------------------------------------- */

/* a table `lap` of all trials at each x, the trials backwards; z are ever more from trial to trial
 */
static measure_store *laps_of(double common) {
  char message[MEASURE_MESSAGE_SIZE];
  measure_store *store;
  assert_int_equal(measure_store_open(&store, NULL, "CREATE TABLE lap (x, y, z, trial)", message),
                   0);
  assert_int_equal(draws_teach(measure_store_database(store)), 0);
  for (size_t i = 0; i < GROUPS; i++)
    for (size_t j = TRIALS; j-- > 0;)
      assert_int_equal(measure_store_run(store, "INSERT INTO lap VALUES (?, ?, ?, ?)",
                                         json_pack("[f, f, f, I]", at[i], ours(i, j, common),
                                                   at[i] * (3.0 + (double)j), (json_int_t)j),
                                         NULL, message),
                       0);
  return store;
}

/* the numbers of the one row that is asked for; NaN where one is not known */
static void ask(measure_store *store, const char *sql, double out[]) {
  char message[MEASURE_MESSAGE_SIZE];
  json_t *rows;
  if (measure_store_run(store, sql, NULL, &rows, message)) fail_msg("%s", message);
  assert_int_equal(json_array_size(rows), 1);
  const json_t *const first = json_array_get(rows, 0);
  for (size_t i = 0; i < json_array_size(first); i++)
    assert_int_equal(measure_json_value(json_array_get(first, i), &out[i]), 0);
  json_decref(rows);
}

static void slopes_are_those_of_the_medians(void **state) {
  static const char slope[] =
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT slope_of(x, y, trial, 1, 1) AS m FROM lap)";
  double out[3];
  (void)state;
  measure_store *store = laps_of(0.0);
  ask(store, slope, out);
  close_to(out[0], 1.5);
  assert_true(out[1] >= widened(1.5, 1.0, &by_one) && out[1] < out[0]);
  assert_true(out[2] <= widened(1.5, 2.0, &by_one) && out[2] > out[0]);
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT crossed_slope_ratio_of(x, z, y, trial, 1, 1) AS m "
      "FROM lap)",
      out);
  close_to(out[0], 8.0 / 1.5);
  assert_true(out[1] < out[0] && out[0] < out[2]);
  ask(store,
      "SELECT count(*), max(abs(value->>1 - 1.5)), sum(value->>2 < 1.5 AND value->>3 > 1.5) "
      "FROM json_each((SELECT marginal_of(x, y, trial, 1, 1, 15) FROM lap))",
      out);
  assert_true(out[0] == GROUPS && out[1] < 1e-12 && out[2] == GROUPS);
  measure_store_close(store);

  // the same starts in every group: what one adds to all of them is no scatter of the slope
  store = laps_of(0.3);
  ask(store, slope, out);
  close_to(out[0], 1.0);
  assert_true(out[2] - out[1] < 1e-12);
  measure_store_close(store);
}

static void medians_are_the_same_in_sql(void **state) {
  static const draws by_two = {.trials = TRIALS, .processes = 2, .seed = 7};
  // where every process has every start: of 5 starts by 2 processes, the last trial left out
  static const draws crossed = {.trials = TRIALS - 1, .processes = 2, .seed = 7, .crossed = true};
  double x[TRIALS], value, ends[2], out[4];
  (void)state;
  measure_store *const store = laps_of(0.0);
  for (size_t j = 0; j < TRIALS; j++) x[j] = ours(1, j, 0.0);
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT median_of(y, trial, 2, 7) AS m FROM lap "
      "WHERE x = 10)",
      out);
  assert_int_equal(draws_median_of(&by_two, x, &value, ends), 0);
  assert_true(out[0] == value && out[1] == ends[0] && out[2] == ends[1]);
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT crossed_median_of(y, trial, 2, 7) AS m FROM lap "
      "WHERE x = 10 AND trial < 10)",
      out);
  assert_int_equal(draws_median_of(&crossed, x, &value, ends), 0);
  assert_true(out[0] == value && out[1] == ends[0] && out[2] == ends[1]);
  ask(store, "SELECT crossed_slope_of(x, y, trial, 2, 7)->>0 FROM lap WHERE trial < 10", out);
  close_to(out[0], 1.55); // of all ranks but 4
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT crossed_slope_ratio_of(x, y, 4 * y, trial, 2, 7) "
      "AS m FROM lap WHERE trial < 10)",
      out);
  for (size_t i = 0; i < 3; i++) close_to(out[i], 0.25);
  ask(store,
      "SELECT m->>0, m->>1, m->>2, m->>3 FROM (SELECT power(x, y) AS m FROM lap WHERE trial = 3)",
      out);
  const double y[GROUPS] = {2.0 * 2.0, 10.0 * 2.0, 20.0 * 2.0}; // of rank 10
  const gather_power power = gather_fit_power(at, y, GROUPS);
  close_to(out[0], power.exponent);
  close_to(out[3], power.intercept);
  measure_store_close(store);
}

/* what is not known is left out, and the rest is as it would be by itself: of 11 trials by three
 * processes none of the second is known, and one of the third is not */
static void what_is_known_has_its_interval(void **state) {
  static const size_t known[] = {0, 3, 6, 9, 2, 8}, first[] = {0, 4, 6};
  const draws d = {.trials = 6, .processes = 2, .seed = 7, .first = first};
  double x[6], value, ends[2], out[3];
  (void)state;
  measure_store *const store = laps_of(0.0);
  for (size_t i = 0; i < 6; i++) x[i] = ours(1, known[i], 0.0);
  assert_int_equal(draws_median_of(&d, x, &value, ends), 0);
#define KNOWN                                                                                      \
  "SELECT m->>0, m->>1, m->>2 FROM (SELECT known_median_of(iif(%s, y, NULL), trial, 3, 7) AS m "   \
  "FROM lap WHERE x = 10)"
  char sql[sizeof KNOWN + 64];
  snprintf(sql, sizeof sql, KNOWN, "trial % 3 <> 1 AND trial <> 5");
  ask(store, sql, out);
  assert_true(out[0] == value && out[1] == ends[0] && out[2] == ends[1]);
  // too few have a median, none has nothing
  snprintf(sql, sizeof sql, KNOWN, "trial IN (1, 2, 6)");
  ask(store, sql, out);
  close_to(out[0], 17.0); // of 17, 13 and 19
  assert_true(isnan(out[1]) && isnan(out[2]));
  snprintf(sql, sizeof sql, KNOWN, "0");
  ask(store, sql, out);
  assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
  measure_store_close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
      cmocka_unit_test(the_same_seed_gives_the_same_interval),
      cmocka_unit_test(the_estimate_is_that_of_the_data),
      cmocka_unit_test(trials_are_drawn_of_the_processes_drawn),
      cmocka_unit_test(medians_have_intervals),
      cmocka_unit_test(starts_are_drawn_for_all_processes_alike),
      cmocka_unit_test(an_interval_covers_a_second_run),
      cmocka_unit_test(slopes_are_those_of_the_medians),
      cmocka_unit_test(medians_are_the_same_in_sql),
      cmocka_unit_test(what_is_known_has_its_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

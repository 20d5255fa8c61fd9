/*
 * Medians of timed rows, their slopes and quotients, with intervals, on made-up rows.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "series.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "json_file.h"
#include "store.h"
#include "study_fixture.h"

enum { TRIALS = 11, GROUPS = 3 };

typedef struct row {
  double ours, theirs;
} row;

static const column columns[] = {
    COLUMN(row, ours, AMOUNT, "s", "a time"), COLUMN(row, theirs, AMOUNT, "s", "another"), {0}};
static const study timing = {.name = "timing",
                             .tables = {{.columns = columns, .row_size = sizeof(row)}}};
static const double x[GROUPS] = {2.0, 10.0, 20.0};

/* in an order that is not the sorted one */
static double rank_of(size_t trial) {
  return (double)(7 * trial % TRIALS);
}

/* ours are (1 + rank / 10) x, theirs ever more from trial to trial, so that the median quotient is
 * not the quotient of the medians; two rows to a trial, the second of no concern */
static void fill(made_up *u, gather group[GROUPS], double common) {
  make_up(u, &timing, NULL);
  for (size_t i = 0; i < GROUPS; i++) {
    group[i] = gather_rows(&u->run, 0, 2 * TRIALS * i, 2, TRIALS);
    for (size_t j = 0; j < TRIALS; j++) {
      const double own = common > 0.0 ? x[i] + common * (double)j : x[i] * (1.0 + 0.1 * rank_of(j));
      give(u, &(row){own, x[i] * (3.0 + (double)j)});
      give(u, &(row){1e9, 1e9});
    }
  }
}

static void close_to(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected) + 1e-15))
    fail_msg("%.17g instead of %.17g", value, expected);
}

/* an end of one run's interval as that of a second one has it */
static double widened(double value, double end, const draws *d) {
  return value * pow(end / value, draws_widening(d));
}

static const draws by_one = {.trials = TRIALS, .processes = 1, .seed = 1};

static void medians_have_intervals(void **state) {
  made_up u;
  gather group[GROUPS];
  double median, interval[2], again[2];
  (void)state;
  fill(&u, group, 0.0);
  assert_int_equal(series_median(group[1], "ours", &by_one, &median, interval), 0);
  close_to(median, 15.0);
  assert_true(interval[0] >= widened(15.0, 10.0, &by_one) && interval[0] < 15.0);
  assert_true(interval[1] <= widened(15.0, 20.0, &by_one) && interval[1] > 15.0);
  // a seed gives them again
  assert_int_equal(series_median(group[1], "ours", &by_one, &median, again), 0);
  assert_true(again[0] == interval[0] && again[1] == interval[1]);
  dispose(&u);
}

static void quotients_are_taken_trial_by_trial(void **state) {
  made_up u;
  gather group[GROUPS];
  double median, interval[2];
  (void)state;
  fill(&u, group, 0.0);
  // ours over ours of another group: 10 / 20 in each trial
  assert_int_equal(series_median_ratio(group[1], group[2], "ours", &by_one, &median, interval), 0);
  close_to(median, 0.5);
  assert_true(interval[1] - interval[0] < 1e-12);
  dispose(&u);
}

/* a table `lap` of all trials in each group, the trials backwards */
static measure_store *laps_of(const gather group[GROUPS], char message[MEASURE_MESSAGE_SIZE]) {
  measure_store *store;
  assert_int_equal(measure_store_open(&store, NULL, "CREATE TABLE lap (x, y, z, trial)", message),
                   0);
  assert_int_equal(draws_teach(measure_store_database(store)), 0);
  for (size_t i = 0; i < GROUPS; i++)
    for (size_t j = TRIALS; j-- > 0;)
      assert_int_equal(measure_store_run(store, "INSERT INTO lap VALUES (?, ?, ?, ?)",
                                         json_pack("[f, f, f, I]", x[i],
                                                   ((const row *)gather_row(group[i], j))->ours,
                                                   ((const row *)gather_row(group[i], j))->theirs,
                                                   (json_int_t)j),
                                         NULL, message),
                       0);
  return store;
}

/* the numbers of the one row that is asked for */
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
  char message[MEASURE_MESSAGE_SIZE];
  made_up u;
  gather group[GROUPS];
  double out[3];
  (void)state;
  fill(&u, group, 0.0);
  measure_store *store = laps_of(group, message);
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
  dispose(&u);

  // the same starts in every group: what one adds to all of them is no scatter of the slope
  fill(&u, group, 0.3);
  store = laps_of(group, message);
  ask(store, slope, out);
  close_to(out[0], 1.0);
  assert_true(out[2] - out[1] < 1e-12);
  measure_store_close(store);
  dispose(&u);
}

/* every process has every start: what differs from start to start is as uncertain as starts are
 * few, however many processes have measured it */
static void starts_are_drawn_for_all_processes_alike(void **state) {
  enum { PROCESSES = 9, STARTS = 5 };
  const draws crossed = {STARTS * PROCESSES, PROCESSES, 1, true, NULL};
  const draws nested = {STARTS * PROCESSES, PROCESSES, 1, false, NULL};
  made_up u;
  double median, interval[2], narrow[2], process[2];
  (void)state;
  make_up(&u, &timing, NULL);
  for (size_t i = 0; i < STARTS * PROCESSES; i++)
    give(&u, &(row){1.0 + (double)(i / PROCESSES), 1.0 + (double)(i % PROCESSES)});
  const gather rows = gather_rows(&u.run, 0, 0, 1, STARTS * PROCESSES);
  assert_int_equal(series_median(rows, "ours", &crossed, &median, interval), 0);
  close_to(median, 3.0);
  close_to(interval[0], widened(3.0, 1.0, &crossed));
  close_to(interval[1], widened(3.0, 5.0, &crossed));
  assert_int_equal(series_median(rows, "ours", &nested, &median, narrow), 0);
  assert_true(narrow[0] >= widened(3.0, 2.0, &nested));
  assert_true(narrow[1] <= widened(3.0, 4.0, &nested));
  assert_int_equal(series_median(rows, "theirs", &crossed, &median, process), 0);
  close_to(median, 5.0);
  assert_true(process[0] < 4.0 && process[1] > 6.0);
  dispose(&u);
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
      made_up u;
      double median, interval[2], mood[12];
      make_up(&u, &timing, NULL);
      for (size_t k = 0; k < processes[p]; k++) mood[k] = 1.0 + gsl_ran_gaussian(rng, 0.03);
      for (size_t j = 0; j < STARTS; j++)
        give(&u, &(row){mood[j % processes[p]] + gsl_ran_gaussian(rng, 0.05), 1.0});
      const gather rows = gather_rows(&u.run, 0, 0, 1, STARTS);
      assert_int_equal(series_median(rows, "ours", &d, &median, interval), 0);
      covered += i && interval[0] <= before && before <= interval[1];
      before = median;
      dispose(&u);
    }
    if (covered < 9 * RUNS / 10) fail_msg("%zu processes: %zu of %d", d.processes, covered, RUNS);
  }
  gsl_rng_free(rng);
}

static void what_is_not_known_is_told(void **state) {
  made_up u;
  gather group[GROUPS];
  double median, interval[2];
  (void)state;
  fill(&u, group, 0.0);
  ((row *)(void *)u.private.rows[0].row)[4].ours = NAN;
  assert_int_equal(series_median(group[0], "ours", &by_one, &median, interval), -1);
  assert_non_null(strstr(u.message, "statistics of ours: "));
  dispose(&u);
}

/* what is not known is left out, and the rest is as it would be by itself */
static void what_is_known_has_its_interval(void **state) {
  enum { STARTS = 12, PROCESSES = 3 };
  static const size_t missing[] = {1, 4, 7, 10, 5}; /* all of process 1, one of process 2 */
  const draws d = {.trials = STARTS, .processes = PROCESSES, .seed = 1};
  const draws alone = {.trials = 7, .processes = 2, .seed = 1, .first = (size_t[]){0, 4, 7}};
  made_up u, v;
  double median, interval[2], expected, ends[2];
  (void)state;
  make_up(&u, &timing, NULL);
  make_up(&v, &timing, NULL);
  for (size_t j = 0; j < STARTS; j++) give(&u, &(row){1.0 + (double)(5 * j % STARTS), 1.0});
  row *const rows = (row *)(void *)u.private.rows[0].row;
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) rows[missing[i]].ours = NAN;
  for (size_t p = 0; p < PROCESSES; p++)
    for (size_t j = p; j < STARTS; j += PROCESSES)
      if (!isnan(rows[j].ours)) give(&v, &rows[j]);
  const gather all = gather_rows(&u.run, 0, 0, 1, STARTS), known = gather_rows(&v.run, 0, 0, 1, 7);
  assert_int_equal(series_median_known(all, "ours", &d, &median, interval), 0);
  assert_int_equal(series_median(known, "ours", &alone, &expected, ends), 0);
  assert_true(median == expected && interval[0] == ends[0] && interval[1] == ends[1]);

  // too few have a median, none has nothing
  for (size_t j = 0; j < 8; j++) rows[j].ours = NAN;
  assert_int_equal(series_median_known(all, "ours", &d, &median, interval), 0);
  close_to(median, 8.0); // of 5, 10 and 8
  assert_true(isnan(interval[0]) && isnan(interval[1]));
  for (size_t j = 0; j < STARTS; j++) rows[j].ours = NAN;
  assert_int_equal(series_median_known(all, "ours", &d, &median, interval), 0);
  assert_true(isnan(median) && isnan(interval[0]) && isnan(interval[1]));
  dispose(&u);
  dispose(&v);
}

/* ---- in SQL ---------------------------------------------------------------------------------- */

static void statistics_are_the_same_in_sql(void **state) {
  static const draws by_two = {.trials = TRIALS, .processes = 2, .seed = 7};
  char message[MEASURE_MESSAGE_SIZE];
  made_up u;
  gather group[GROUPS];
  double value, ends[2], out[4];
  (void)state;
  fill(&u, group, 0.0);
  measure_store *const store = laps_of(group, message);
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT median_of(y, trial, 2, 7) AS m FROM lap "
      "WHERE x = 10)",
      out);
  assert_int_equal(series_median(group[1], "ours", &by_two, &value, ends), 0);
  close_to(out[0], value);
  close_to(out[1], ends[0]);
  close_to(out[2], ends[1]);

  ask(store,
      "SELECT m->>0, m->>1, m->>2, m->>3 FROM (SELECT power(x, y) AS m FROM lap WHERE trial = 3)",
      out);
  const double y[GROUPS] = {2.0 * 2.0, 10.0 * 2.0, 20.0 * 2.0}; // of rank 10
  const gather_power power = gather_fit_power(x, y, GROUPS);
  close_to(out[0], power.exponent);
  close_to(out[3], power.intercept);
  measure_store_close(store);
  dispose(&u);
}

/* where every process has every start: of 5 starts by 2 processes, the last trial left out */
static void crossed_statistics_are_the_same_in_sql(void **state) {
  static const draws crossed = {.trials = TRIALS - 1, .processes = 2, .seed = 7, .crossed = true};
  char message[MEASURE_MESSAGE_SIZE];
  made_up u;
  gather group[GROUPS];
  double value, ends[2], out[3];
  (void)state;
  fill(&u, group, 0.0);
  measure_store *const store = laps_of(group, message);
  for (size_t i = 0; i < GROUPS; i++) group[i].count = TRIALS - 1;
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT crossed_median_of(y, trial, 2, 7) AS m FROM lap "
      "WHERE x = 10 AND trial < 10)",
      out);
  assert_int_equal(series_median(group[1], "ours", &crossed, &value, ends), 0);
  close_to(out[0], value);
  close_to(out[1], ends[0]);
  close_to(out[2], ends[1]);

  ask(store, "SELECT crossed_slope_of(x, y, trial, 2, 7)->>0 FROM lap WHERE trial < 10", out);
  close_to(out[0], 1.55); // of all ranks but 4
  ask(store,
      "SELECT m->>0, m->>1, m->>2 FROM (SELECT crossed_slope_ratio_of(x, y, 4 * y, trial, 2, 7) "
      "AS m FROM lap WHERE trial < 10)",
      out);
  for (size_t i = 0; i < 3; i++) close_to(out[i], 0.25);
  // eleven laps are of no two processes
  if (!measure_store_run(store, "SELECT crossed_median_of(y, trial, 2, 7) FROM lap WHERE x = 2",
                         NULL, NULL, message))
    fail_msg("laps of half a start");
  measure_store_close(store);
  dispose(&u);
}

/* order statistics leave out what is not known, of a partition, too */
static void quantiles_are_of_what_is_known(void **state) {
  char message[MEASURE_MESSAGE_SIZE];
  measure_store *store;
  double out[4];
  (void)state;
  assert_int_equal(measure_store_open(&store, NULL, "CREATE TABLE t (y)", message), 0);
  assert_int_equal(draws_teach(measure_store_database(store)), 0);
  ask(store,
      "SELECT median(column1), quantile(column1, 0.25), max(m) "
      "FROM (SELECT column1, median(column1) OVER () AS m "
      "FROM (VALUES (3), (NULL), (1.0), (7), (5)))",
      out);
  assert_true(out[0] == 4.0 && out[1] == 2.5 && out[2] == 4.0);
  ask(store, "SELECT median(column1) FROM (VALUES (NULL))", out);
  assert_true(isnan(out[0]));
  measure_store_close(store);
}

/* laps are refused that no draw is of */
static void laps_are_whole_in_sql(void **state) {
  static const char *const sql[] = {
      "SELECT median_of(NULL, 0, 1, 1)",
      "SELECT median_of(1.0, 1, 1, 1)",
      "SELECT median_of(1.0, 0, 2, 1)",
      "SELECT median_of(y, trial, 1, 1) FROM lap",
      "SELECT slope_of(x, y, trial, 1, 1) FROM lap WHERE x > 2 OR trial < 3",
      "SELECT slope_of(x, y, trial, 1, 1) FROM lap WHERE trial <> 3",
  };
  char message[MEASURE_MESSAGE_SIZE];
  made_up u;
  gather group[GROUPS];
  double out[1];
  (void)state;
  fill(&u, group, 0.0);
  measure_store *const store = laps_of(group, message);
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
    if (!measure_store_run(store, sql[i], NULL, NULL, message)) fail_msg("%s", sql[i]);
  ask(store, "SELECT slope_of(x, y, trial, 1, 1)->>0 FROM lap WHERE x = 2", out);
  assert_true(isnan(out[0]));
  measure_store_close(store);
  dispose(&u);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(medians_have_intervals),
      cmocka_unit_test(quotients_are_taken_trial_by_trial),
      cmocka_unit_test(slopes_are_those_of_the_medians),
      cmocka_unit_test(starts_are_drawn_for_all_processes_alike),
      cmocka_unit_test(an_interval_covers_a_second_run),
      cmocka_unit_test(what_is_not_known_is_told),
      cmocka_unit_test(what_is_known_has_its_interval),
      cmocka_unit_test(statistics_are_the_same_in_sql),
      cmocka_unit_test(crossed_statistics_are_the_same_in_sql),
      cmocka_unit_test(quantiles_are_of_what_is_known),
      cmocka_unit_test(laps_are_whole_in_sql),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What a sweep derives from its samples, on made-up ones: quantiles, outliers, crossings, slopes,
 * paired ratios and their intervals, and that they stand in the files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "sweep.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commands.h"
#include "csv.h"
#include "json_file.h"
#include "solvers.h"
#include "test_measure_folder.h"

enum { TRIALS = 11, ROWS = 3, OURS, MUJOCO };

/* three numbers of contacts, ours and MuJoCo's entry in each */
typedef struct made_up {
  arguments given;
  contacts_range contacts;
  sweep_data data;
} made_up;

/* in an order that is not the sorted one */
static double rank_of(size_t trial) {
  return (double)(7 * trial % TRIALS);
}

/* ours takes (1 + rank / 10) N ms, MuJoCo twice the mean of that and ever more from start to start,
 * so that the median quotient is not the quotient of the medians */
static void fill(sweep_row *row) {
  const double n = (double)row->contacts;
  for (size_t j = 0; j < TRIALS; j++) {
    row->events_reference[j] = 100.0;
    row->contact_steps[j] = 1000.0;
    for (size_t k = 0; k < 2; k++) {
      sweep_cell *const c = &row->cell[k];
      const double rank = k == 0 ? rank_of(j) : (double)j;
      c->seconds[j] = 1e-3 * n * (k == 0 ? 1.0 + 0.1 * rank : 3.0 + rank);
      c->rms[j] = 1e-3 * (1.0 + rank);
      c->events[j] = 100.0;
      c->repetitions[j] = 1.0;
      c->process[j] = 0.0;
    }
  }
}

static void set_up(made_up *u, void **state) {
  static size_t contacts[ROWS] = {2, 10, 20};
  char message[MEASURE_MESSAGE_SIZE];
  *u = (made_up){.given = {.command = &sweep_command,
                           .settings = solver_settings_default(),
                           .folder = *state,
                           .protocol = "equal-error",
                           .processes = 1,
                           .trials = TRIALS,
                           .seed = 1,
                           .contacts = {.contacts = contacts, .count = ROWS}}};
  model_init(&u->given.m, model_find("plate"));
  assert_int_equal(sweep_data_alloc(&u->data, &u->given, message), 0);
  u->data.epsilon = 1e-3;
  u->data.epsilon_source = "--epsilon";
  for (size_t i = 0; i < ROWS; i++) {
    sweep_row *const row = &u->data.row[i];
    row->entries.count = 2;
    for (size_t k = 0; k < 2; k++) {
      row->entries.entry[k] = (protocol_entry){.solver = k ? &bridge_solver : &projection_solver,
                                               .settings = solver_settings_default(),
                                               .protocol = "equal-error",
                                               .target = 0.01,
                                               .tuned_rms = 0.01};
    }
    row->entries.entry[0].settings.order = 2;
    row->entries.entry[0].settings.atol = 3e-5;
    row->entries.entry[0].settings.projection_max = INFINITY;
    assert_int_equal(sweep_row_alloc(row, TRIALS, message), 0);
    fill(row);
  }
  u->data.complete = ROWS;
}

static void summarize(made_up *u) {
  char message[MEASURE_MESSAGE_SIZE];
  if (sweep_summarize(&u->data, message)) fail_msg("%s", message);
}

static void close_to(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12 * fabs(expected) + 1e-15))
    fail_msg("%.17g instead of %.17g", value, expected);
}

static void quantiles_are_those_of_the_starts(void **state) {
  made_up u;
  set_up(&u, state);
  summarize(&u);
  const sweep_cell *const c = &u.data.row[1].cell[0]; // 10 .. 20 ms
  close_to(c->median, 15e-3);
  close_to(c->q25, 12.5e-3);
  close_to(c->q75, 17.5e-3);
  close_to(c->min, 10e-3);
  close_to(c->mad, 3e-3);
  close_to(c->rms_median, 6e-3);
  close_to(c->rms_q90, 10e-3);
  close_to(c->rms_worst, 11e-3);
  assert_true(rank_of(c->worst_trial) == 10.0);
  assert_true(c->median_lo >= c->min && c->median_lo < c->median);
  assert_true(c->median_hi <= 20e-3 && c->median_hi > c->median);
  sweep_data_free(&u.data);
}

/* three interquartile ranges above the upper quartile: 17.5 + 3 * 5 */
static void outliers_are_flagged_and_kept(void **state) {
  made_up u;
  set_up(&u, state);
  sweep_cell *const c = &u.data.row[1].cell[0];
  size_t slowest = 0;
  for (size_t j = 0; j < TRIALS; j++)
    if (rank_of(j) == 10.0) slowest = j;
  c->seconds[slowest] = 32.4e-3;
  summarize(&u);
  assert_true(c->outliers == 0.0 && !sweep_is_outlier(c, slowest));
  c->seconds[slowest] = 32.6e-3;
  summarize(&u);
  assert_true(c->outliers == 1.0 && sweep_is_outlier(c, slowest));
  close_to(c->median, 15e-3);
  sweep_data_free(&u.data);
}

/* one per cent of 1100 crossings are 11, one start's or several's */
static void crossings_are_judged_in_all(void **state) {
  made_up u;
  set_up(&u, state);
  sweep_cell *const c = &u.data.row[0].cell[0];
  c->events[3] = 94.0;
  c->events[4] = 96.0;
  summarize(&u);
  close_to(c->events_ratio, 1090.0 / 1100.0);
  close_to(c->events_median, 100.0);
  assert_true(c->events_close);
  c->events[5] = 98.0;
  summarize(&u);
  assert_false(c->events_close);
  c->events[5] = 122.0;
  summarize(&u);
  close_to(c->events_ratio, 1112.0 / 1100.0);
  assert_false(c->events_close);
  sweep_data_free(&u.data);
}

/* times are proportional to N: the slope is the median over N, and that of the resamples varies */
static void slopes_are_those_of_the_medians(void **state) {
  made_up u;
  set_up(&u, state);
  summarize(&u);
  close_to(u.data.slope[0].slope, 1.5e-3);
  close_to(u.data.slope[1].slope, 8e-3);
  for (size_t k = 0; k < 2; k++) {
    const sweep_slope *const s = &u.data.slope[k];
    assert_true(s->low < s->slope && s->slope < s->high);
    assert_true(s->low >= (k ? 3e-3 : 1e-3) && s->high <= (k ? 13e-3 : 2e-3));
    close_to(u.data.row[1].cell[k].marginal, s->slope);
  }

  // the same starts at every N: what one start adds at all of them is no scatter of the slope
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < TRIALS; j++)
      u.data.row[i].cell[0].seconds[j] = 1e-3 * (double)u.data.row[i].contacts + 1e-3 * (double)j;
  summarize(&u);
  close_to(u.data.slope[0].slope, 1e-3);
  assert_true(u.data.slope[0].high - u.data.slope[0].low < 1e-12);
  sweep_data_free(&u.data);
}

/* the median of MuJoCo's time over ours, start by start */
static double expected_ratio(void) {
  double quotient[TRIALS];
  for (size_t j = 0; j < TRIALS; j++) quotient[j] = (3.0 + (double)j) / (1.0 + 0.1 * rank_of(j));
  for (size_t a = 0; a < TRIALS; a++)
    for (size_t b = a + 1; b < TRIALS; b++)
      if (quotient[b] < quotient[a]) {
        const double other = quotient[a];
        quotient[a] = quotient[b];
        quotient[b] = other;
      }
  return quotient[TRIALS / 2];
}

static double member(const json_t *object, const char *name) {
  const json_t *const value = json_object_get(object, name);
  if (!json_is_number(value)) fail_msg("no number %s", name);
  return json_number_value(value);
}

static void ratios_are_paired(void **state) {
  char message[MEASURE_MESSAGE_SIZE], path[PATH_SIZE];
  made_up u;
  set_up(&u, state);
  summarize(&u);
  if (sweep_write(&u.data, message)) fail_msg("%s", message);
  json_t *const object = measure_json_read(path_in(state, "sweep.json", path), message);
  const json_t *const ratios = json_object_get(object, "ratios");
  assert_int_equal(json_array_size(ratios), ROWS);
  for (size_t i = 0; i < ROWS; i++) {
    const json_t *const one = json_array_get(ratios, i);
    const json_t *const interval = json_object_get(one, "interval");
    const double ratio = member(one, "mujoco_over_projection");
    close_to(ratio, expected_ratio());
    assert_true(fabs(ratio - 8.0 / 1.5) > 0.05); // that of the medians
    assert_true(json_number_value(json_array_get(interval, 0)) < ratio);
    assert_true(json_number_value(json_array_get(interval, 1)) > ratio);
    close_to(member(one, "mujoco_s"), 8e-3 * (double)u.data.row[i].contacts);
    close_to(member(one, "projection_s"), 1.5e-3 * (double)u.data.row[i].contacts);
    close_to(member(json_object_get(one, "settings"), "atol"), 3e-5);
    assert_string_equal(json_string_value(json_object_get(one, "solver")), "projection");
  }
  json_decref(object);
  json_decref(u.given.environment);
  sweep_data_free(&u.data);
}

/* the setting that was chosen stands in its row */
static void rows_have_their_settings(void **state) {
  static const struct {
    const char *column;
    double ours;
  } expected[] = {{"epsilon", 1e-3},
                  {"rtol", 1e-8},
                  {"atol", 3e-5},
                  {"projection_max", INFINITY},
                  {"projection_order", 2}};
  char message[MEASURE_MESSAGE_SIZE], path[PATH_SIZE];
  made_up u;
  set_up(&u, state);
  summarize(&u);
  if (sweep_write(&u.data, message)) fail_msg("%s", message);
  measure_table *table;
  assert_int_equal(measure_table_read(&table, path_in(state, "sweep.csv", path), message), 0);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const size_t at = measure_table_column(table, expected[i].column);
    double value;
    assert_int_equal(measure_number_parse(measure_table_text(table, 2, at), &value), 0);
    assert_true(value == expected[i].ours);
    assert_string_equal(measure_table_text(table, 3, at), ""); // MuJoCo has none of them
  }
  measure_table_free(table);
  sweep_data_free(&u.data);
}

/* a row that cannot be made is told of, and no table without it appears */
static void a_row_that_fails_is_told(void **state) {
  char message[MEASURE_MESSAGE_SIZE] = "", path[PATH_SIZE];
  made_up u;
  set_up(&u, state);
  summarize(&u);
  u.data.row[1].contact_steps[TRIALS - 1] = NAN;
  assert_int_equal(sweep_write(&u.data, message), -1);
  assert_non_null(strstr(message, "sweep.csv: 10 contacts"));
  assert_int_equal(access(path_in(state, "sweep.csv", path), F_OK), -1);
  sweep_data_free(&u.data);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(quantiles_are_those_of_the_starts),
      TEST(outliers_are_flagged_and_kept),
      TEST(crossings_are_judged_in_all),
      TEST(slopes_are_those_of_the_medians),
      TEST(ratios_are_paired),
      TEST(rows_have_their_settings),
      TEST(a_row_that_fails_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

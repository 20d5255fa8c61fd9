/*
 * essbench mujoco: its files hold every setting with what it does to the trajectory, the race's own
 * leaves it unchanged, and a faster one is a failure.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "csv.h"
#include "mujoco.c"
#include "studies.h"
#include "study_fixture.h"
#include "test_measure_folder.h"

enum { TRIALS = 2, MODELS = 2 };

/* of one run, of two starts: no time is judged, so that a busy machine fails nothing */
static measure_table *read_table(const char *name) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  measure_table *table;
  snprintf(path, sizeof path, "%s/%s", RESULTS, name);
  if (measure_table_read(&table, path, message)) fail_msg("%s", message);
  return table;
}

static const char *text(const measure_table *t, size_t row, const char *name) {
  const char *const found = measure_table_text(t, row, measure_table_column(t, name));
  if (!found) fail_msg("no column %s", name);
  return found;
}

static double number(const measure_table *t, size_t row, const char *name) {
  double value;
  assert_int_equal(measure_number_parse(text(t, row, name), &value), 0);
  return value;
}

static void test_every_setting_has_a_row(void **state) {
  (void)state;
  measure_table *const t = read_table("mujoco_settings.csv");
  assert_int_equal(measure_table_rows(t), MODELS * MUJOCO_VARIANTS);
  for (size_t i = 0; i < measure_table_rows(t); i++) {
    const mujoco_variant *const v = &mujoco_variants[i % MUJOCO_VARIANTS];
    assert_string_equal(text(t, i, "model"), i < MUJOCO_VARIANTS ? "hopper" : "plate");
    assert_int_equal((int)number(t, i, "contacts"), i < MUJOCO_VARIANTS ? 1 : 3);
    assert_string_equal(text(t, i, "base"), mujoco_variant_base(v));
    assert_string_equal(text(t, i, "changes"), v->changes);
  }
  measure_table_free(t);
}

static void test_every_row_states_difference_and_error(void **state) {
  (void)state;
  static const char *const finite[] = {"median_s", "median_lo_s", "median_hi_s", "q25_s",
                                       "q75_s",    "min_s",       "ratio",       "ratio_lo",
                                       "ratio_hi", "rms_error",   "rms_worst",   "field_gap"};
  measure_table *const t = read_table("mujoco_settings.csv");
  size_t measured = 0;
  for (size_t i = 0; i < measure_table_rows(t); i++) {
    const char *const verdict = text(t, i, "verdict");
    const double difference = number(t, i, "difference");
    if (strcmp(verdict, "left out") == 0) {
      assert_true(isnan(difference) && isnan(number(t, i, "median_s")));
      assert_true(strlen(text(t, i, "left_out")) > 20);
      continue;
    }
    measured++;
    assert_string_equal(text(t, i, "left_out"), "");
    assert_true(difference >= 0.0);
    assert_int_equal(strcmp(verdict, "changes the trajectory") == 0, difference > 1e-9);
    assert_string_not_equal(verdict, "faster");
    assert_string_not_equal(verdict, "slower");
    for (size_t k = 0; k < sizeof finite / sizeof *finite; k++)
      if (!(number(t, i, finite[k]) > 0.0)) fail_msg("row %zu: %s", i, finite[k]);
    assert_true(number(t, i, "median_lo_s") <= number(t, i, "median_hi_s"));
    assert_true(number(t, i, "scaling_s") == 1e6);
  }
  // every version has the bases and most of the changes
  assert_true(measured > MODELS * MUJOCO_VARIANTS / 2);
  measure_table_free(t);
}

static void test_the_race_computes_what_mujoco_does(void **state) {
  (void)state;
  measure_table *const t = read_table("mujoco_settings.csv");
  for (size_t m = 0; m < MODELS; m++) {
    const size_t own = m * MUJOCO_VARIANTS + MUJOCO_OWN, of_race = own + 1;
    assert_true(number(t, own, "difference") == 0.0);
    assert_true(number(t, of_race, "difference") <= 1e-9);
    assert_string_equal(text(t, of_race, "verdict"), "the race's");
    assert_true(number(t, of_race, "ratio") == 1.0);
    assert_true(number(t, of_race, "field_gap") <= BRIDGE_GAP_MAX);

    // both are as far from the truth, and another integrator is not
    const double error = number(t, of_race, "rms_error");
    assert_true(fabs(error / number(t, own, "rms_error") - 1.0) < 1e-6);
    for (size_t i = of_race; i < of_race + MUJOCO_VARIANTS - 1; i++) {
      if (strcmp(text(t, i, "changes"), "integrator=RK4") != 0) continue;
      assert_string_equal(text(t, i, "verdict"), "changes the trajectory");
      assert_true(number(t, i, "rms_error") < 0.5 * error);
    }
  }
  measure_table_free(t);
}

static void test_all_samples_are_kept(void **state) {
  (void)state;
  measure_table *const t = read_table("mujoco_settings.csv"), *const samples = read_table(
                                                                  "mujoco_settings_samples.csv");
  size_t measured = 0;
  for (size_t i = 0; i < measure_table_rows(t); i++)
    measured += strcmp(text(t, i, "verdict"), "left out") != 0;
  assert_int_equal(measure_table_rows(samples), measured * TRIALS);
  for (size_t i = 0; i < measure_table_rows(samples); i++) {
    assert_true(number(samples, i, "seconds") > 0.0);
    assert_true(number(samples, i, "rms_error") > 0.0);
    assert_true(number(samples, i, "trial") == (double)(i % TRIALS));
    assert_true(number(samples, i, "session") == 1.0);
  }
  measure_table_free(samples);
  measure_table_free(t);
}

/* shares of the whole, the parts of each with what they leave adding up to it */
static void test_profile_adds_up(void **state) {
  (void)state;
  measure_table *const t = read_table("mujoco_profile.csv");
  const size_t rows = measure_table_rows(t);
  size_t steps = 0, sums = 0;
  for (size_t i = 0; i < rows; i++) {
    const char *const timer = text(t, i, "timer");
    assert_true(number(t, i, "timers_cost") > 0.0);
    assert_true(number(t, i, "reading_s") > 0.0);
    if (strcmp(timer, "rest") == 0) continue;
    assert_true(number(t, i, "calls") > 0.0 && number(t, i, "calls") <= 1.0);
    assert_true(number(t, i, "measured_s") > number(t, i, "net_s"));
    if (strcmp(timer, "step") == 0) {
      steps++;
      assert_true(number(t, i, "share") == 1.0);
      assert_true(number(t, i, "calls") == 1.0);
      assert_string_equal(text(t, i, "part_of"), "");
    }
    double sum = 0.0;
    size_t parts = 0;
    for (size_t k = 0; k < rows; k++) {
      if (strcmp(text(t, k, "part_of"), timer) != 0 ||
          strcmp(text(t, k, "model"), text(t, i, "model")) != 0 ||
          strcmp(text(t, k, "base"), text(t, i, "base")) != 0)
        continue;
      sum += number(t, k, "net_s");
      parts++;
    }
    if (parts == 0) continue;
    sums++;
    assert_true(fabs(sum - number(t, i, "net_s")) < 1e-15);
  }
  assert_int_equal(steps, MODELS * MUJOCO_PROFILES);
  assert_true(sums >= 3 * steps);
  measure_table_free(t);
}

/* ---- verdicts on made-up ratios ---------------------------------------------------------------
 */

static const char *judge(size_t variant, double difference, double ratio, double low, double high) {
  return mujoco_judge(variant, difference, ratio, (const double[2]){low, high}, 0.05);
}

static void test_verdicts(void **state) {
  (void)state;
  assert_string_equal(judge(5, 0, 0.94, 0.92, 0.96), mujoco_faster);
  assert_string_equal(judge(5, 0, 0.94, 0.80, 1.01), mujoco_as_fast);
  assert_string_equal(judge(5, 0, 0.96, 0.95, 0.97), mujoco_as_fast);
  assert_string_equal(judge(5, 0, 1.06, 1.01, 1.10), mujoco_slower);
  assert_string_equal(judge(5, 0, 1.06, 0.99, 1.10), mujoco_as_fast);
  assert_string_equal(judge(5, 1e-9, 0.5, 0.4, 0.6), mujoco_faster);
  assert_string_equal(judge(5, 1.1e-9, 0.5, 0.4, 0.6), mujoco_changed);
  assert_string_equal(judge(5, NAN, 0.5, 0.4, 0.6), mujoco_changed);
  assert_string_equal(judge(MUJOCO_RACE, 1e-12, 1, 1, 1), mujoco_is_the_race);
  assert_string_equal(judge(MUJOCO_RACE, 1e-8, 1, 1, 1), mujoco_changed);
}

/* what is concluded from rows of which one has this verdict */
static int conclude_from(made_up *u, size_t variant, const char *verdict) {
  make_up(u, &mujoco_study, NULL);
  for (size_t k = 0; k < MUJOCO_VARIANTS; k++) {
    const char *const usual = k == MUJOCO_RACE ? mujoco_is_the_race : mujoco_as_fast;
    const mujoco_row r = {
        .of = {"plate", 7, mujoco_variant_base(&mujoco_variants[k]), mujoco_variants[k].changes},
        .difference = 3e-8,
        .confirmed = 0.9,
        .confirmed_interval = {0.88, 0.93},
        .verdict = k == variant ? verdict : usual,
        .left_out = ""};
    assert_int_equal(study_add(&u->run, MUJOCO_ROWS, &r), 0);
  }
  const int status = mujoco_study.conclude(&u->run);
  dispose(u);
  return status;
}

static void test_a_faster_setting_is_a_failure(void **state) {
  (void)state;
  made_up u;
  assert_int_equal(conclude_from(&u, 4, mujoco_as_fast), 0);
  assert_int_equal(conclude_from(&u, 4, mujoco_slower), 0);
  assert_int_equal(conclude_from(&u, 4, mujoco_faster), -1);
  assert_non_null(strstr(u.message, "plate, N = 7: mujoco tall=on"));
  assert_non_null(strstr(u.message, "0.900 [0.880, 0.930]"));
  assert_null(strchr(u.message, '\n'));
  assert_int_equal(conclude_from(&u, MUJOCO_RACE, mujoco_changed), -1);
  assert_non_null(strstr(u.message, "change MuJoCo's trajectory by 3e-08"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_setting_has_a_row),
      cmocka_unit_test(test_every_row_states_difference_and_error),
      cmocka_unit_test(test_the_race_computes_what_mujoco_does),
      cmocka_unit_test(test_all_samples_are_kept),
      cmocka_unit_test(test_profile_adds_up),
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_a_faster_setting_is_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

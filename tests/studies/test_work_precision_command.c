/*
 * Acceptance of `essbench work-precision` on small runs: a row for every method and value, whatever
 * came of it; variants that are the same; models that accumulate; the table of the fastest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <gsl/gsl_version.h>

#include "baselines.h"
#include "bridge.h"
#include "experiments_fixture.h"
#include "precision.h"

#define SMALL   " --trials 2 --processes 2 --duration 0.7 --out results"
#define METHODS "projection-1,hybrid,mujoco-Euler,mujoco-implicitfast"

static measure_table *results_of(void **state) {
  static const char *const columns[] = {"model", "method", "status", "coincides_with", "message"};
  return read_table(state, "results/work_precision.csv", columns, 5);
}

static const char *text_in(const measure_table *table, size_t row, const char *name) {
  return measure_table_text(table, row, measure_table_column(table, name));
}

/* the first of *count rows of a model's method, which must have each value of its knob in order */
static size_t rows_of(const measure_table *table, const char *of, const char *method,
                      size_t *count) {
  size_t index = 0, first = SIZE_MAX;
  while (strcmp(precision_methods[index].name, method) != 0) index++;
  const double *const values = precision_methods[index].values;
  *count = 0;
  for (size_t i = 0; i < measure_table_rows(table); i++) {
    if (strcmp(text_in(table, i, "model"), of) != 0 ||
        strcmp(text_in(table, i, "method"), method) != 0)
      continue;
    if (first == SIZE_MAX) first = i;
    assert_true(field_of(table, i, "value") == values[(*count)++]);
  }
  assert_true(values[*count] == 0.0);
  return first;
}

/* a method that another stands for has its first run, whose time has no interval */
static void check_measured(const measure_table *table, size_t row) {
#define AT(name) field_of(table, row, name)
  const bool twin = *text_in(table, row, "coincides_with") != '\0';
  assert_true(AT("rms_error") > 0.0 && AT("rms_error") <= AT("rms_worst"));
  assert_true(AT("median_s") > 0.0);
  assert_true((isnan(AT("median_lo_s")) != 0) == twin);
  assert_true(!(AT("median_lo_s") > AT("median_s")) && !(AT("median_hi_s") < AT("median_s")));
  assert_true(AT("trials") == (twin ? 1.0 : 2.0) && AT("failures") == 0.0);
  assert_true(AT("evaluations") == AT("field_evaluations") + AT("guard_evaluations"));
#undef AT
}

/* results name the libraries they were made with */
static void check_environment(void **state) {
  char version[SUNDIALS_VERSION_SIZE];
  json_t *const results = read_json(state, "results/work_precision.json");
  const json_t *const one = json_array_get(json_object_get(results, "cases"), 0);
  const json_t *const environment = json_object_get(one, "environment");
  sundials_version(version);
  assert_string_equal(text_of(environment, "sundials"), version);
  assert_string_equal(text_of(environment, "gsl"), gsl_version);
  assert_string_equal(text_of(json_object_get(environment, "mujoco"), "version"),
                      bridge_version_string());
  assert_true(number_of(json_object_get(one, "field_gap"), "gap") <= BRIDGE_GAP_MAX);
  json_decref(results);
}

static void every_value_is_a_point(void **state) {
  static const char *const names[] = {"projection-1", "hybrid", "mujoco-Euler",
                                      "mujoco-implicitfast"};
  essbench(state, "work-precision --contacts 2 --methods " METHODS SMALL);
  measure_table *const table = results_of(state);
  size_t count, total = 0;
  for (size_t i = 0; i < 4; i++, total += count) {
    const size_t first = rows_of(table, "plate", names[i], &count), last = first + count - 1;
    for (size_t k = first; k <= last; k++) {
      check_measured(table, k);
      assert_true(field_of(table, k, "contacts") == 2.0 && field_of(table, k, "damping") == 60.0);
      // MuJoCo's one evaluation a step
      if (i >= 2) assert_true(field_of(table, k, "evaluations") == field_of(table, k, "steps"));
      // Euler and implicitfast do the same here, and the first of the table stands for both
      assert_string_equal(text_in(table, k, "coincides_with"), i == 3 ? "mujoco-Euler" : "");
    }
    // the finest value is far better than the coarsest
    assert_true(field_of(table, last, "rms_error") < 1e-2 * field_of(table, first, "rms_error"));
    assert_string_equal(text_in(table, last, "status"), "ok");
  }
  assert_int_equal(measure_table_rows(table), total);
  measure_table_free(table);
  check_environment(state);
}

/* a model that MuJoCo does not do is a row all the same; the model before stays */
static void models_accumulate_and_refusals_are_rows(void **state) {
  char said[8 * COMMAND_SIZE], path[PATH_SIZE];
  essbench(state, "work-precision --contacts 3 --methods projection-1" SMALL);
  essbench(state, "work-precision --model affine3 --methods projection-1,mujoco-RK4" SMALL);
  measure_table *const table = results_of(state);
  size_t count, row = rows_of(table, "plate", "projection-1", &count);
  assert_true(field_of(table, row, "contacts") == 3.0);
  row = rows_of(table, "affine3", "mujoco-RK4", &count);
  for (size_t k = row; k < row + count; k++) {
    assert_string_equal(text_in(table, k, "status"), "refused");
    assert_non_null(strstr(text_in(table, k, "message"), "no MuJoCo twin"));
    assert_true(isnan(field_of(table, k, "rms_error")));
  }
  row = rows_of(table, "affine3", "projection-1", &count);
  for (size_t k = row; k < row + count; k++) check_measured(table, k);
  measure_table_free(table);

  // all points of both, and nothing is measured for it
  essbench(state, "work-precision --table --out results");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(strstr(said, "affine3 projection-1           ok"));
  assert_non_null(strstr(said, "plate   projection-1           ok"));
  assert_non_null(strstr(said, "affine3 mujoco-RK4             refused"));
}

/* other methods of a model come beside those it has only together with them */
static void methods_are_added_and_none_is_lost(void **state) {
  static const char *const names[] = {"projection-1", "hybrid"};
  essbench(state, "work-precision --model affine3 --methods hybrid" SMALL);
  essbench(state, "work-precision --model hopper --methods projection-1" SMALL);
  essbench(state, "work-precision --model affine3 --methods hybrid,projection-1" SMALL);
  measure_table *const table = results_of(state);
  size_t count;
  for (size_t i = 0; i < 2; i++)
    assert_true(rows_of(table, "affine3", names[i], &count) != SIZE_MAX);
  assert_true(rows_of(table, "hopper", "projection-1", &count) != SIZE_MAX);
  measure_table_free(table);
}

/* however many starts there are, and however few of them a setting is given */
static void any_number_of_starts_is_raced(void **state) {
  static const char *const works[] = {"1e15", "3e4", "0"};
  for (size_t trials = 1; trials <= 5; trials++)
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
      essbench(state,
               "work-precision --model affine3 --methods projection-1,listing,hybrid --trials %zu "
               "--point-work %s --processes %zu --out results",
               trials, works[i], trials % 2 + 1);
      measure_table *const table = results_of(state);
      for (size_t k = 0; k < measure_table_rows(table); k++) {
        const double from = field_of(table, k, "trials");
        assert_true(from == (double)trials || from == 3.0 || from == 1.0);
        assert_true(i || from == (double)trials);
        assert_true(i < 2 || from == 1.0);
        assert_true((isnan(field_of(table, k, "median_lo_s")) != 0) == (from == 1.0));
        assert_true(field_of(table, k, "rms_error") > 0.0);
      }
      measure_table_free(table);
    }
}

/* all that no clock had a hand in */
static void a_seed_gives_the_same_points(void **state) {
  static const char *const same[] = {"value", "rms_error", "rms_worst", "events_ratio",
                                     "evaluations"};
  measure_table *table[2];
  for (int i = 0; i < 2; i++) {
    essbench(state, "work-precision --contacts 4 --seed 7 --methods projection-1,hybrid" SMALL);
    table[i] = results_of(state);
  }
  assert_int_equal(measure_table_rows(table[0]), measure_table_rows(table[1]));
  for (size_t i = 0; i < measure_table_rows(table[0]); i++)
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
      assert_true(field_of(table[0], i, same[k]) == field_of(table[1], i, same[k]));
  for (int i = 0; i < 2; i++) measure_table_free(table[i]);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(every_value_is_a_point),
      TEST(models_accumulate_and_refusals_are_rows),
      TEST(methods_are_added_and_none_is_lost),
      TEST(any_number_of_starts_is_raced),
      TEST(a_seed_gives_the_same_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Acceptance of `essbench work-precision` on small runs: a row for every method and value, whatever
 * came of it; variants that are the same; models that accumulate; the table of the fastest.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"
#include "work_precision.h"

#define SMALL   " --trials 2 --duration 0.7 --out results"
#define METHODS "projection-1,hybrid,mujoco-Euler,mujoco-implicitfast"

static precision_results results_of(void **state) {
  char message[MEASURE_MESSAGE_SIZE], folder[PATH_SIZE];
  precision_results results;
  if (precision_results_read(&results, path_in(state, "results", folder), message))
    fail_msg("%s", message);
  return results;
}

static bool is(const precision_row *row, precision_text text, const char *what) {
  return strcmp(row->text[text], what) == 0;
}

/* the rows of a model's method, which must have each value of its knob in order */
static const precision_row *rows_of(const precision_results *results, const char *of,
                                    const char *method, size_t *count) {
  const precision_method *const m = precision_method_find(method);
  const precision_row *first = NULL;
  *count = 0;
  assert_non_null(m);
  for (size_t i = 0; i < results->count; i++) {
    const precision_row *const row = &results->row[i];
    if (!is(row, PRECISION_MODEL, of) || !is(row, PRECISION_METHOD, method)) continue;
    if (!first) first = row;
    assert_true(row->number[PRECISION_VALUE] == m->values[(*count)++]);
  }
  assert_true(m->values[*count] == 0.0);
  return first;
}

/* a method that another stands for has its first run, whose time has no interval */
static void check_measured(const precision_row *row) {
  const double *const number = row->number;
  const bool twin = *row->text[PRECISION_COINCIDES] != '\0';
  assert_true(number[PRECISION_RMS_ERROR] > 0.0);
  assert_true(number[PRECISION_RMS_ERROR] <= number[PRECISION_RMS_WORST]);
  assert_true(number[PRECISION_MEDIAN] > 0.0);
  assert_true((isnan(number[PRECISION_MEDIAN_LOW]) != 0) == twin);
  assert_true(!(number[PRECISION_MEDIAN_LOW] > number[PRECISION_MEDIAN]));
  assert_true(!(number[PRECISION_MEDIAN_HIGH] < number[PRECISION_MEDIAN]));
  assert_true(number[PRECISION_TRIALS] == (twin ? 1.0 : 2.0));
  assert_true(number[PRECISION_FAILURES] == 0.0);
  assert_true(number[PRECISION_EVALUATIONS] ==
              number[PRECISION_FIELDS_MEDIAN] + number[PRECISION_GUARDS_MEDIAN]);
}

static void every_value_is_a_point(void **state) {
  static const char *const names[] = {"projection-1", "hybrid", "mujoco-Euler",
                                      "mujoco-implicitfast"};
  essbench(state, "work-precision --contacts 2 --methods " METHODS SMALL);
  precision_results results = results_of(state);
  size_t count, total = 0;
  for (size_t i = 0; i < 4; i++, total += count) {
    const precision_row *const row = rows_of(&results, "plate", names[i], &count);
    for (size_t k = 0; k < count; k++) {
      check_measured(&row[k]);
      assert_true(row[k].number[PRECISION_CONTACTS] == 2.0);
      assert_true(row[k].number[PRECISION_DAMPING] == 60.0);
      // MuJoCo's one evaluation a step
      if (i >= 2)
        assert_true(row[k].number[PRECISION_EVALUATIONS] == row[k].number[PRECISION_STEPS_MEDIAN]);
      // Euler and implicitfast do the same here, and the first of the table stands for both
      assert_string_equal(row[k].text[PRECISION_COINCIDES], i == 3 ? "mujoco-Euler" : "");
    }
    // the finest value is far better than the coarsest
    assert_true(row[count - 1].number[PRECISION_RMS_ERROR] <
                1e-2 * row[0].number[PRECISION_RMS_ERROR]);
    assert_string_equal(row[count - 1].text[PRECISION_STATUS], "ok");
  }
  assert_int_equal(results.count, total);
  precision_results_free(&results);
}

/* a model that MuJoCo does not do is a row all the same; the model before stays */
static void models_accumulate_and_refusals_are_rows(void **state) {
  char said[8 * COMMAND_SIZE], path[PATH_SIZE];
  essbench(state, "work-precision --contacts 3 --methods projection-1" SMALL);
  essbench(state, "work-precision --model affine3 --methods projection-1,mujoco-RK4" SMALL);
  precision_results results = results_of(state);
  size_t count;
  const precision_row *row = rows_of(&results, "plate", "projection-1", &count);
  assert_true(row->number[PRECISION_CONTACTS] == 3.0);
  row = rows_of(&results, "affine3", "mujoco-RK4", &count);
  for (size_t k = 0; k < count; k++) {
    assert_string_equal(row[k].text[PRECISION_STATUS], "refused");
    assert_non_null(strstr(row[k].text[PRECISION_MESSAGE], "no MuJoCo twin"));
    assert_true(isnan(row[k].number[PRECISION_RMS_ERROR]));
  }
  row = rows_of(&results, "affine3", "projection-1", &count);
  for (size_t k = 0; k < count; k++) check_measured(&row[k]);
  precision_results_free(&results);

  // who is fastest, as Markdown: nothing is measured for it
  essbench(state, "work-precision --table --out results");
  read_text(path_in(state, "out", path), said, sizeof said);
  assert_non_null(strstr(said, "| affine3 | 1e-04 | projection order 1, epsilon "));
  assert_non_null(strstr(said, "| plate, N = 3 | 1e-04 | projection order 1, epsilon "));
  assert_non_null(
      strstr(said, "cheapest | evaluations | libess | projection | listing | location |"));
}

/* other methods of a model come beside those it has only together with them */
static void methods_are_added_and_none_is_lost(void **state) {
  static const char *const names[] = {"projection-1", "hybrid"};
  essbench(state, "work-precision --model affine3 --methods hybrid" SMALL);
  essbench(state, "work-precision --model hopper --methods projection-1" SMALL);
  essbench(state, "work-precision --model affine3 --methods hybrid,projection-1" SMALL);
  precision_results results = results_of(state);
  size_t count;
  for (size_t i = 0; i < 2; i++) assert_non_null(rows_of(&results, "affine3", names[i], &count));
  assert_non_null(rows_of(&results, "hopper", "projection-1", &count));
  precision_results_free(&results);
}

/* all that no clock had a hand in */
static void a_seed_gives_the_same_points(void **state) {
  static const precision_number same[] = {PRECISION_VALUE, PRECISION_RMS_ERROR, PRECISION_RMS_WORST,
                                          PRECISION_EVENTS_RATIO, PRECISION_EVALUATIONS};
  precision_results results[2];
  for (int i = 0; i < 2; i++) {
    essbench(state, "work-precision --contacts 4 --seed 7 --methods projection-1,hybrid" SMALL);
    results[i] = results_of(state);
  }
  assert_int_equal(results[0].count, results[1].count);
  for (size_t i = 0; i < results[0].count; i++)
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
      assert_true(results[0].row[i].number[same[k]] == results[1].row[i].number[same[k]]);
  for (int i = 0; i < 2; i++) precision_results_free(&results[i]);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(every_value_is_a_point),
      TEST(models_accumulate_and_refusals_are_rows),
      TEST(methods_are_added_and_none_is_lost),
      TEST(a_seed_gives_the_same_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

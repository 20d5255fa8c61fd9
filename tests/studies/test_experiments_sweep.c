/*
 * Acceptance of `essbench sweep` on a small one: its files, both engines' errors and crossings, the
 * field gap, and that a seed gives the same starts, errors and crossings again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

static const char *const columns[] = {
    "contacts",  "solver",    "protocol",  "median_s",        "median_lo_s",      "median_hi_s",
    "q25_s",     "q75_s",     "min_s",     "marginal_s",      "marginal_lo_s",    "marginal_hi_s",
    "rms_error", "rms_q90",   "rms_worst", "events",          "events_reference", "events_ratio",
    "field_gap", "scaling_s", "epsilon",   "projection_order"};
enum { COLUMNS = sizeof columns / sizeof *columns, TRIALS = 40 };

static const char *text_in(const measure_table *table, size_t row, const char *column) {
  return measure_table_text(table, row, measure_table_column(table, column));
}

static void check_row(const measure_table *table, size_t row) {
  const double median = field_of(table, row, "median_s");
  assert_string_equal(text_in(table, row, "protocol"), "paper");
  assert_true(field_of(table, row, "min_s") > 0.0);
  assert_true(field_of(table, row, "min_s") <= field_of(table, row, "q25_s"));
  assert_true(field_of(table, row, "q25_s") <= median);
  assert_true(median <= field_of(table, row, "q75_s"));
  assert_true(field_of(table, row, "median_lo_s") <= median);
  assert_true(median <= field_of(table, row, "median_hi_s"));
  assert_true(isfinite(field_of(table, row, "marginal_s")));

  // errors of both engines, and what they saw is what happened
  const double rms = field_of(table, row, "rms_error");
  assert_true(rms > 0.0 && rms < 0.1);
  assert_true(rms <= field_of(table, row, "rms_q90"));
  assert_true(field_of(table, row, "rms_q90") <= field_of(table, row, "rms_worst"));
  assert_true(field_of(table, row, "events") > 0.0);
  assert_true(fabs(field_of(table, row, "events_ratio") - 1.0) <= 0.01);

  // both engines had the same mechanical system
  const double gap = field_of(table, row, "field_gap");
  assert_true(gap > 0.0 && gap <= 1e-7);
  assert_true(field_of(table, row, "scaling_s") == 1e6);
  if (strcmp(text_in(table, row, "solver"), "projection") == 0)
    assert_true(field_of(table, row, "epsilon") == 2.657e-3);
  else
    assert_string_equal(text_in(table, row, "epsilon"), "");
}

static void check_table(void **state) {
  static const struct {
    double contacts;
    const char *solver;
  } rows[] = {{2, "projection"}, {2, "mujoco"}, {10, "projection"}, {10, "mujoco"}};
  measure_table *const table = read_table(state, "results/sweep.csv", columns, COLUMNS);
  assert_int_equal(measure_table_rows(table), 4);
  for (size_t i = 0; i < 4; i++) {
    assert_true(field_of(table, i, "contacts") == rows[i].contacts);
    assert_string_equal(text_in(table, i, "solver"), rows[i].solver);
    check_row(table, i);
  }
  measure_table_free(table);
}

/* the raw samples are all there, and the crossings of all of them make the ratio in the table */
static void check_samples(void **state) {
  static const char *const names[] = {"contacts", "solver", "protocol",         "trial",
                                      "seconds",  "events", "events_reference", "rms_error"};
  measure_table *const samples = read_table(state, "results/sweep_samples.csv", names, 8);
  measure_table *const table = read_table(state, "results/sweep.csv", columns, COLUMNS);
  assert_int_equal(measure_table_rows(samples), 4 * TRIALS);
  for (size_t i = 0; i < 4; i++) {
    double events = 0.0, reference = 0.0;
    for (size_t j = 0; j < TRIALS; j++) {
      const size_t row = i * TRIALS + j;
      assert_true(field_of(samples, row, "trial") == (double)j);
      assert_true(field_of(samples, row, "seconds") > 0.0);
      assert_true(field_of(samples, row, "rms_error") > 0.0);
      events += field_of(samples, row, "events");
      reference += field_of(samples, row, "events_reference");
    }
    assert_true(fabs(field_of(table, i, "events_ratio") - events / reference) < 1e-12);
  }
  measure_table_free(table);
  measure_table_free(samples);
}

/* the shape Google Benchmark's tools read */
static void check_json(void **state) {
  static const char *const numbers[] = {"iterations", "real_time", "cpu_time", "threads"};
  json_t *benchmark;
  size_t i;
  json_t *const object = read_json(state, "results/sweep.json");
  const json_t *const context = json_object_get(object, "context"), *const benchmarks =
                                                                        json_object_get(
                                                                            object, "benchmarks");
  text_of(context, "date");
  number_of(context, "num_cpus");
  assert_int_equal(json_array_size(benchmarks), 4);
  json_array_foreach(benchmarks, i, benchmark) {
    for (size_t k = 0; k < 4; k++) assert_true(number_of(benchmark, numbers[k]) > 0.0);
    assert_non_null(strstr(text_of(benchmark, "name"), i < 2 ? "contacts:2" : "contacts:10"));
    assert_string_equal(text_of(benchmark, "time_unit"), "ms");
    text_of(benchmark, "run_name");
    text_of(benchmark, "run_type");
  }
  assert_true(json_is_object(json_object_get(object, "environment")));
  json_decref(object);
}

static void one_sweep_and_its_files(void **state) {
  essbench(state,
           "sweep --contacts 2,10 --trials 40 --processes 1 --epsilon 2.657e-3 --out results");
  check_table(state);
  check_samples(state);
  check_json(state);
}

/* all that no clock had a hand in */
static void a_seed_gives_the_same_sweep(void **state) {
  static const char *const same[] = {"contacts", "trial", "rms_error", "events",
                                     "events_reference"};
  measure_table *tables[2];
  static const char words[] =
      "sweep --contacts 2,10 --trials 5 --processes 1 --epsilon 2.657e-3 --seed 7";
  essbench(state, "%s --out a", words);
  essbench(state, "%s --out b", words);
  tables[0] = read_table(state, "a/sweep_samples.csv", same, 5);
  tables[1] = read_table(state, "b/sweep_samples.csv", same, 5);
  assert_int_equal(measure_table_rows(tables[0]), 20);
  for (size_t i = 0; i < 20; i++) {
    assert_string_equal(text_in(tables[0], i, "solver"), text_in(tables[1], i, "solver"));
    for (size_t k = 0; k < 5; k++)
      assert_string_equal(text_in(tables[0], i, same[k]), text_in(tables[1], i, same[k]));
  }
  measure_table_free(tables[0]);
  measure_table_free(tables[1]);
}

/* another seed draws other starts */
static void another_seed_gives_another_sweep(void **state) {
  static const char *const names[] = {"rms_error"};
  size_t equal = 0;
  essbench(state, "sweep --contacts 2 --trials 5 --processes 1 --epsilon 1e-3 --solvers projection "
                  "--seed 1 --out a");
  essbench(state, "sweep --contacts 2 --trials 5 --processes 1 --epsilon 1e-3 --solvers projection "
                  "--seed 2 --out b");
  measure_table *const a = read_table(state, "a/sweep_samples.csv", names, 1);
  measure_table *const b = read_table(state, "b/sweep_samples.csv", names, 1);
  for (size_t i = 0; i < 5; i++)
    equal += field_of(a, i, "rms_error") == field_of(b, i, "rms_error");
  assert_int_equal(equal, 0);
  measure_table_free(a);
  measure_table_free(b);
}

/* they stand in the table, and in what is run */
static void settings_are_those_given(void **state) {
  static const char *const names[] = {"rms_error"};
  double rms[2];
  for (size_t i = 0; i < 2; i++) {
    essbench(state,
             "sweep --contacts 40 --trials 3 --processes 1 --epsilon 0.05 --projection-order %zu "
             "--protocol free --solvers projection --out %zu",
             i + 1, i);
    char path[32];
    snprintf(path, sizeof path, "%zu/sweep.csv", i);
    measure_table *table = read_table(state, path, columns, COLUMNS);
    assert_true(field_of(table, 0, "projection_order") == (double)(i + 1));
    measure_table_free(table);
    snprintf(path, sizeof path, "%zu/sweep_samples.csv", i);
    table = read_table(state, path, names, 1);
    rms[i] = field_of(table, 0, "rms_error");
    measure_table_free(table);
  }
  assert_true(rms[0] != rms[1]);
}

/* without --epsilon: the calibration that lies in the folder, or one made for this sweep */
static void epsilon_comes_from_the_calibration(void **state) {
  static const char words[] = "sweep --contacts 2 --trials 2 --processes 1 --out results";
  char path[PATH_SIZE];
  essbench(state, "%s", words);
  measure_table *table = read_table(state, "results/sweep.csv", columns, COLUMNS);
  const double calibrated = field_of(table, 0, "epsilon");
  assert_true(calibrated > 0.0025 && calibrated < 0.0028); // k/m = 800
  measure_table_free(table);
  path_in(state, "results/calibration.json", path);
  assert_int_equal(write_text(path, "{\"epsilon\": 0.0007}"), 0);
  essbench(state, "%s", words);
  table = read_table(state, "results/sweep.csv", columns, COLUMNS);
  assert_true(field_of(table, 0, "epsilon") == 0.0007);
  measure_table_free(table);
}

/* of each solver the settings it ran with, and nothing of what does not concern it */
static void rows_show_settings_in_force(void **state) {
  static const char *const names[] = {"solver",         "epsilon",          "rtol",      "h_max",
                                      "projection_max", "projection_order", "time_step", "variant"};
  static const char *const expected[][8] = {
      {"libess", "", "1e-07", "0.002", "", "", "", ""},
      {"projection", "0.0005", "1e-07", "0.002", "0.001", "1", "", ""},
      {"mujoco", "", "", "", "", "", "0.002", "RK4"}};
  essbench(state, "sweep --contacts 2 --trials 2 --processes 1 --epsilon 5e-4 --rtol 1e-7 "
                  "--variant RK4 --solvers libess,projection,mujoco --out results");
  measure_table *const table = read_table(state, "results/sweep.csv", names, 8);
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 8; k++) {
      double value, wanted;
      const char *const text = text_in(table, i, names[k]), *const shown = expected[i][k];
      const bool numbers =
          !measure_number_parse(text, &value) && !measure_number_parse(shown, &wanted);
      if (numbers ? value != wanted : strcmp(text, shown) != 0)
        fail_msg("%s: %s is '%s', not '%s'", expected[i][0], names[k], text, shown);
    }
  measure_table_free(table);

  json_t *const object = read_json(state, "results/sweep.json");
  const json_t *const settings = json_object_get(object, "settings");
  assert_true(number_of(object, "epsilon") == 5e-4 && number_of(settings, "epsilon") == 5e-4);
  assert_true(number_of(settings, "h_max") == 0.002 && number_of(settings, "time_step") == 0.002);
  assert_string_equal(text_of(settings, "variant"), "RK4");
  json_decref(object);
}

/* who has no neighbourhoods needs no calibration, and is shown none */
static void no_epsilon_where_nobody_has_one(void **state) {
  essbench(state, "sweep --contacts 2 --trials 2 --processes 1 --protocol paper,free "
                  "--solvers libess,mujoco --out results");
  json_t *const object = read_json(state, "results/sweep.json");
  const json_t *const ratio = json_array_get(json_object_get(object, "ratios"), 0);
  const json_t *const settings = json_object_get(ratio, "settings");
  assert_true(json_is_null(json_object_get(object, "epsilon")));
  assert_true(json_is_null(json_object_get(object, "epsilon_source")));
  assert_true(json_is_null(json_object_get(ratio, "epsilon")));
  assert_true(json_is_null(json_object_get(settings, "epsilon")));
  assert_true(number_of(settings, "h_max") == 0.002 && number_of(settings, "rtol") == 1e-8);
  // they differ between the protocols
  assert_true(json_is_null(json_object_get(json_object_get(object, "settings"), "h_max")));
  json_decref(object);
}

/* the command's own words reach its processes as they were given */
static void lists_reach_every_process(void **state) {
  static const char *const names[] = {"process"};
  essbench(state, "sweep --contacts 2,3 --trials 4 --processes 2 --epsilon 1e-3 "
                  "--solvers projection,mujoco --protocol paper,free --out results");
  measure_table *const samples = read_table(state, "results/sweep_samples.csv", names, 1);
  assert_int_equal(measure_table_rows(samples), 2 * 2 * 2 * 4);
  for (size_t i = 0; i < measure_table_rows(samples); i++)
    assert_true(field_of(samples, i, "process") == (double)(i % 2));
  measure_table_free(samples);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(one_sweep_and_its_files),
      TEST(a_seed_gives_the_same_sweep),
      TEST(another_seed_gives_another_sweep),
      TEST(settings_are_those_given),
      TEST(epsilon_comes_from_the_calibration),
      TEST(rows_show_settings_in_force),
      TEST(no_epsilon_where_nobody_has_one),
      TEST(lists_reach_every_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

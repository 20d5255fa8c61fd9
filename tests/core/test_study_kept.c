/*
 * Studies whose file keeps a case for every model, by a made-up one: what stays and what is
 * replaced, what an earlier file is asked for, and --table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE /* nftw */
#include "experiments_fixture.h"
#include "solver.h"
#include "study_run.h"

typedef struct settings {
  double width;
} settings;

static const study_option options[] = {
    {"width", "X", "of all", OPTION_NUMBER, OPTION_AT(settings, width), .initial = "2", .max = 9,
     .result = "width"},
    {0},
};

typedef struct sample {
  double value;
} sample;

static const column sample_columns[] = {COLUMN(sample, value, NUMBER, "", "of the width"), {0}};

typedef struct example {
  const char *name;
  bridge_gap gap, none;
  double ends[2];
} example;

static const column case_columns[] = {
    COLUMN(example, name, TEXT, "", "of the model"),
    COLUMN(example, gap, GAP, "", "a gap"),
    COLUMN(example, none, GAP, "", "no gap"),
    COLUMN(example, ends, INTERVAL, "", "both"),
    {0},
};

typedef struct point {
  const char *name;
  double value;
} point;

static const column point_columns[] = {
    COLUMN(point, name, TEXT, "", "of the case", SHOWN("case", "%-8s")),
    COLUMN(point, value, NUMBER, "", "not known of 0", SHOWN("value", "%6.3g")),
    {0},
};

enum { SAMPLES, CASES, POINTS };

/* what check and the table found in the folder */
static size_t cases_seen, points_seen;
static double last_seen;

static void look(const study_run *run) {
  const point *const points = study_rows(run, POINTS, &points_seen);
  study_rows(run, CASES, &cases_seen);
  last_seen = points_seen ? points[points_seen - 1].value : NAN;
}

/* what was there is shown alone; a run shows what it has made of it, which the file tells */
static bool showing;
static void show(const study_run *run) {
  if (showing) look(run);
}

static int check(study_run *run) {
  look(run);
  return 0;
}

static int plan(study_run *run, size_t stage) {
  return stage == 0 ? study_cell(run, &stage, "all") : 0;
}

static int run_cell(study_run *run, const void *cell) {
  (void)cell;
  const double width = ((const settings *)run->settings)->width;
  return study_add(run, SAMPLES, &(sample){width > 0.0 ? width : NAN});
}

static int derive(study_run *run) {
  size_t count;
  const sample *const s = study_rows(run, SAMPLES, &count);
  char name[STUDY_CELL_NAME_SIZE];
  study_case_name(run, name);
  // a text lives as long as the run
  const char *const of = strcmp(name, "plate_3") == 0 ? "plate_3" : "hopper";
  const example e = {of,
                     {.gap = 1e-9, .rms = 2.0, .states = 7, .inverse_weight = 1.0, .scaling = 3.0},
                     {.gap = NAN},
                     {1.0, 2.0}};
  const point p = {of, s->value};
  return study_add(run, CASES, &e) || study_add(run, POINTS, &p) || study_add(run, POINTS, &p);
}

static const study made_up = {
    .name = "made-up",
    .file = "made_up",
    .schema = "essbench-made-up-1",
    .cells = "cells",
    .kept = CASES,
    .table = "what there is",
    .options = options,
    .settings_size = sizeof(settings),
    .cell_size = sizeof(size_t),
    .tables = {{.meaning = "a sample", .columns = sample_columns, .row_size = sizeof(sample)},
               {.json = "cases",
                .meaning = "a model",
                .columns = case_columns,
                .row_size = sizeof(example)},
               {.json = "points",
                .csv = "made_up.csv",
                .meaning = "one",
                .columns = point_columns,
                .row_size = sizeof(point),
                .within = CASES}},
    .check = check,
    .plan = plan,
    .run = run_cell,
    .derive = derive,
    .show = show,
};

static int execute(void **state, const char *type, const char *width, bool table,
                   char message[SOLVER_MESSAGE_SIZE]) {
  settings s = {0};
  model m;
  model_init(&m, model_find(type));
  if (strcmp(type, "plate") == 0) assert_int_equal(model_set(&m, "contacts", 3.0, message), 0);
  assert_int_equal(option_set(&options[0], width, &s, message), 0);
  const study_request request = {
      .folder = *state, .seed = 5, .part = SIZE_MAX, .table = table, .m = &m, .settings = &s};
  showing = table;
  cases_seen = points_seen = SIZE_MAX;
  return study_execute(&made_up, &request, message);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* a case by its place, with its value and width */
static void check_case(const json_t *results, size_t index, const char *name, double value) {
  const json_t *const one = json_array_get(json_object_get(results, "cases"), index);
  const json_t *const points = json_object_get(one, "points");
  assert_string_equal(text_of(one, "name"), name);
  assert_int_equal(json_array_size(points), 2);
  assert_true(number_of(json_array_get(points, 1), "value") == value);
  assert_true(number_of(one, "width") == value);
  assert_true(number_of(one, "seed") == 5.0);
  assert_non_null(json_object_get(json_object_get(one, "environment"), "warnings"));
  assert_non_null(json_object_get(json_object_get(one, "parameters"), "mass"));
  assert_memory_equal(text_of(json_object_get(one, "parameters"), "name"), name, 5);
  assert_true(number_of(json_object_get(one, "gap"), "states") == 7.0);
  assert_true(json_is_null(json_object_get(one, "none")));
}

static void every_model_keeps_its_place(void **state) {
  char message[SOLVER_MESSAGE_SIZE], path[PATH_SIZE];
  assert_int_equal(execute(state, "hopper", "1", false, message), 0);
  assert_int_equal(cases_seen, 0);
  assert_int_equal(execute(state, "plate", "2", false, message), 0);
  assert_int_equal(cases_seen, 1);
  assert_int_equal(execute(state, "hopper", "3", false, message), 0);
  assert_int_equal(cases_seen, 2);
  assert_int_equal(points_seen, 4);
  assert_true(last_seen == 2.0);
  json_t *const results = read_json(state, "made_up.json");
  assert_int_equal(json_array_size(json_object_get(results, "cases")), 2);
  check_case(results, 0, "hopper", 3.0);
  check_case(results, 1, "plate_3", 2.0);
  assert_null(json_object_get(results, "parameters"));
  json_decref(results);

  // the table has the same rows
  static const char *const columns[] = {"name", "value"};
  measure_table *const table = read_table(state, "made_up.csv", columns, 2);
  assert_int_equal(measure_table_rows(table), 4);
  assert_string_equal(measure_table_text(table, 3, 0), "plate_3");
  assert_true(field_of(table, 0, "value") == 3.0);
  measure_table_free(table);

  // shown, and nothing written for it
  remove(path_in(state, "made_up.csv", path));
  assert_int_equal(execute(state, "affine3", "9", true, message), 0);
  assert_int_equal(points_seen, 4);
  assert_int_equal(access(path, F_OK), -1);
}

static void what_is_not_known_stays_so(void **state) {
  char message[SOLVER_MESSAGE_SIZE];
  assert_int_equal(execute(state, "hopper", "0", false, message), 0);
  assert_int_equal(execute(state, "hopper", "0", true, message), 0);
  assert_int_equal(points_seen, 2);
  assert_true(isnan(last_seen));
}

/* written anew it would lose cases of which the database does not know */
static void another_file_is_left_alone(void **state) {
  static const char other[] = "{\"schema\": \"essbench-made-up-1\", \"cases\": []}\n";
  char message[SOLVER_MESSAGE_SIZE], path[PATH_SIZE], text[128];
  assert_int_equal(execute(state, "hopper", "1", true, message), -1);
  assert_non_null(strstr(message, "holds no results of made-up; run it first"));
  assert_int_equal(write_text(path_in(state, "made_up.json", path), other), 0);
  assert_int_equal(execute(state, "hopper", "1", false, message), -1);
  assert_non_null(strstr(message, "made_up.json is of no run in essbench.sqlite; move it away"));
  read_text(path, text, sizeof text);
  assert_string_equal(text, other);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(every_model_keeps_its_place),
      TEST(what_is_not_known_stays_so),
      TEST(another_file_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

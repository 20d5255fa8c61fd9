/*
 * The core of all studies, by a made-up one: stages, resuming, files and tables by its columns.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE /* nftw */
#include "experiments_fixture.h"
#include "solver.h"
#include "studies.h"
#include "study_run.h"

/* ---- the made-up study ----------------------------------------------------------------------- */

/* cells run so far, and the one that fails */
static size_t runs, failing;

/* where a failure is noted that nobody waits for */
static enum { NOWHERE, IN_PLAN, IN_RUN, IN_DERIVE } noting;

static void note_in(study_run *run, int here) {
  if (noting == (unsigned)here) study_out_of_memory(run);
  measure_message(run->message, "all is well");
}

typedef struct settings {
  size_t trials;
  option_numbers widths;
  option_names kinds;
} settings;

static const char *const kind_names[] = {"round", "square", NULL};

static const study_option options[] = {
    {"trials", "COUNT", "how many", OPTION_WHOLE, OPTION_AT(settings, trials), .initial = "4",
     .min = 1, .max = 9, .result = "trials"},
    {"widths", "X,Y", "not used", OPTION_NUMBERS, OPTION_AT(settings, widths), .initial = "2,1",
     .max = 10},
    {"kinds", "A,B", "not used either", OPTION_NAMES, OPTION_AT(settings, kinds),
     .initial = "square", .names = kind_names, .result = "kinds"},
    {0},
};

typedef struct sample {
  size_t index, stage;
  double half;
  bool odd;
  const char *label;
  solver_settings settings;
} sample;

static const column sample_columns[] = {
    COLUMN(sample, index, COUNT, "", "of the cell"),
    COLUMN(sample, stage, COUNT, "", "of the plan"),
    COLUMN(sample, half, NUMBER, "", "not known of 2"),
    COLUMN(sample, odd, FLAG, "", "whether index is"),
    COLUMN(sample, label, TEXT, "", "with a comma"),
    COLUMN(sample, settings, SETTINGS, "", "that it ran with"),
    {0},
};

typedef struct group {
  size_t number;
  double low, high;
  double ends[2], unknown[2];
} group;

static const column group_columns[] = {
    COLUMN(group, number, COUNT, "", "of samples", SHOWN("n", "%4.0f")),
    COLUMN_AS("spread.low", group, low, AMOUNT, "m", "least"),
    COLUMN_AS("spread.high", group, high, AMOUNT, "m", "most", SHOWN_TIMES("mm", "%6.1f", 1e3)),
    COLUMN(group, ends, INTERVAL, "", "both", .place = COLUMN_JSON_ONLY),
    COLUMN(group, unknown, INTERVAL, "", "neither", .place = COLUMN_JSON_ONLY),
    {0},
};

typedef struct plain {
  double value;
} plain;

typedef struct total {
  double all;
  solver_settings settings;
} total;

static const column total_columns[] = {
    COLUMN_AS("sum.all", total, all, NUMBER, "", "of all halves"),
    COLUMN(total, settings, SETTINGS, "", "of the first sample"),
    {0},
};

static const column plain_columns[] = {COLUMN_AS("", plain, value, NUMBER, "", "a half"), {0}};

enum { SAMPLES, GROUPS, HALVES, TOTAL };

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  size_t count;
  const sample *const known = study_rows(run, SAMPLES, &count);
  note_in(run, IN_PLAN);
  for (size_t i = 0; stage == 0 && i < s->trials; i++)
    if (study_cell(run, &i, "index=%zu", i)) return -1;
  for (size_t i = 0; stage == 1 && i < count; i++) {
    const size_t again = 10 + known[i].index;
    if (known[i].odd && study_cell(run, &again, "index=%zu", again)) return -1;
  }
  return 0;
}

static int run_cell(study_run *run, const void *cell) {
  const size_t index = *(const size_t *)cell;
  runs++;
  note_in(run, IN_RUN);
  if (index == failing) {
    measure_message(run->message, "cell %zu fails", index);
    return -1;
  }
  const sample s = {index,
                    index / 10,
                    index == 2 ? NAN : 0.5 * (double)index,
                    index % 2 == 1,
                    "a, b",
                    {.epsilon = NAN,
                     .rtol = 1e-3,
                     .h_max = INFINITY,
                     .order = index == 2 ? 0 : 2,
                     .time_step = 0.002,
                     .scaling = NAN,
                     .variant = "RK4"}};
  // what a cell gives may be several rows
  for (size_t i = 0; i <= index % 2; i++)
    if (study_add(run, SAMPLES, &s)) return -1;
  return 0;
}

static int derive(study_run *run) {
  size_t count;
  const sample *const all = study_rows(run, SAMPLES, &count);
  total t = {.settings = all[0].settings};
  note_in(run, IN_DERIVE);
  for (size_t i = 0; i < count; i++) t.all += isnan(all[i].half) ? 0.0 : all[i].half;
  if (study_add(run, TOTAL, &t)) return -1;
  for (size_t stage = 0; stage < 2; stage++) {
    group g = {.ends = {1.0, 2.0}, .unknown = {NAN, 2.0}, .low = 0.5, .high = 1.5};
    for (size_t i = 0; i < count; i++) g.number += all[i].stage == stage;
    if (study_add(run, GROUPS, &g)) return -1;
    for (size_t i = 0; i < count; i++)
      if (all[i].stage == stage && study_add(run, HALVES, &(plain){all[i].half})) return -1;
  }
  return 0;
}

static const study made_up = {
    .name = "made-up",
    .file = "made_up",
    .schema = "essbench-made-up-1",
    .operand = "FILE",
    .cells = "cells",
    .options = options,
    .settings_size = sizeof(settings),
    .cell_size = sizeof(size_t),
    .tables = {{.csv = "made_up_samples.csv",
                .meaning = "a sample",
                .columns = sample_columns,
                .row_size = sizeof(sample)},
               {.json = "groups",
                .csv = "made_up.csv",
                .meaning = "a stage",
                .columns = group_columns,
                .row_size = sizeof(group)},
               {.json = "halves",
                .meaning = "one",
                .columns = plain_columns,
                .row_size = sizeof(plain),
                .within = GROUPS},
               {.json = "",
                .meaning = "all in all",
                .columns = total_columns,
                .row_size = sizeof(total)}},
    .plan = plan,
    .run = run_cell,
    .derive = derive,
};

/* runs it in the test's folder: a status of study_execute */
static int execute_on(void **state, const char *file, const char *trials, bool restart,
                      char message[SOLVER_MESSAGE_SIZE]) {
  settings s = {0};
  model m;
  model_init(&m, model_find("hopper"));
  assert_int_equal(option_defaults(options, &s, message), 0);
  assert_int_equal(option_set(&options[0], trials, &s, message), 0);
  const study_request request = {.folder = *state,
                                 .seed = 1,
                                 .restart = restart,
                                 .part = SIZE_MAX,
                                 .m = &m,
                                 .operand = file,
                                 .settings = &s};
  runs = 0;
  return study_execute(&made_up, &request, message);
}

static int execute(void **state, const char *trials, bool restart,
                   char message[SOLVER_MESSAGE_SIZE]) {
  return execute_on(state, "a", trials, restart, message);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void cells_of_later_stages_follow_samples(void **state) {
  char message[SOLVER_MESSAGE_SIZE];
  failing = SIZE_MAX;
  assert_int_equal(execute(state, "4", false, message), 0);
  // 0..3, and 11, 13 twice each, since odd cells give two rows: the name of the second is known
  assert_int_equal(runs, 6);
  static const char *const columns[] = {"index", "stage", "half", "odd", "label"};
  measure_table *const table = read_table(state, "made_up_samples.csv", columns, 5);
  assert_int_equal(measure_table_rows(table), 6 + 8);
  assert_string_equal(measure_table_text(table, 0, 4), "a, b");
  assert_string_equal(measure_table_text(table, 3, 2), "nan");
  assert_true(field_of(table, 1, "odd") == 1.0);
  measure_table_free(table);
}

/* in one column each, empty where one is not known; they come back from the journal whole */
static void settings_are_columns_and_an_object(void **state) {
  char message[SOLVER_MESSAGE_SIZE];
  failing = SIZE_MAX;
  assert_int_equal(execute(state, "4", true, message), 0);
  static const char *const columns[] = {"epsilon", "rtol", "h_max", "projection_order",
                                        "time_step"};
  static const char *const fields[] = {"", "0.001", "inf", "2", "0.002"};
  measure_table *const table = read_table(state, "made_up_samples.csv", columns, 5);
  for (size_t k = 0; k < 5; k++) {
    const char *const text = measure_table_text(table, 0, measure_table_column(table, columns[k]));
    double value, wanted;
    if (*fields[k] && !measure_number_parse(text, &value) &&
        !measure_number_parse(fields[k], &wanted))
      assert_true(value == wanted);
    else
      assert_string_equal(text, fields[k]);
  }
  assert_string_equal(measure_table_text(table, 3, measure_table_column(table, "projection_order")),
                      "");
  measure_table_free(table);
  json_t *const results = read_json(state, "made_up.json");
  const json_t *const shown = json_object_get(results, "settings");
  assert_true(json_is_null(json_object_get(shown, "epsilon")));
  assert_true(json_is_null(json_object_get(shown, "h_max")));
  assert_true(number_of(shown, "projection_order") == 2.0);
  assert_string_equal(text_of(shown, "variant"), "RK4");
  assert_true(number_of(json_object_get(results, "sum"), "all") > 0.0);
  assert_string_equal(text_of(results, "kinds"), "square");
  json_decref(results);
}

static void json_nests_tables_and_members(void **state) {
  char message[SOLVER_MESSAGE_SIZE];
  failing = SIZE_MAX;
  assert_int_equal(execute(state, "3", true, message), 0);
  json_t *const results = read_json(state, "made_up.json");
  const json_t *const groups = json_object_get(results, "groups");
  assert_string_equal(text_of(results, "schema"), "essbench-made-up-1");
  assert_true(number_of(results, "trials") == 3.0);
  assert_int_equal(json_array_size(groups), 2);
  const json_t *const first = json_array_get(groups, 0);
  assert_true(number_of(json_object_get(first, "spread"), "high") == 1.5);
  assert_int_equal(json_array_size(json_object_get(first, "ends")), 2);
  assert_true(json_is_null(json_object_get(first, "unknown")));
  const json_t *const halves = json_object_get(first, "halves");
  assert_int_equal(json_array_size(halves), 4);
  assert_true(json_number_value(json_array_get(halves, 1)) == 0.5);
  assert_true(json_is_null(json_array_get(halves, 3)));
  assert_int_equal(json_array_size(json_object_get(json_array_get(groups, 1), "halves")), 4);
  json_decref(results);
}

static void a_failure_keeps_what_was_measured(void **state) {
  char message[SOLVER_MESSAGE_SIZE], path[PATH_SIZE];
  failing = 3;
  assert_int_equal(execute(state, "4", true, message), -1);
  assert_string_equal(message, "cell 3 fails");
  assert_int_equal(runs, 4);
  remove(path_in(state, "made_up.json", path));
  failing = SIZE_MAX;
  // other settings and another file are other runs, whose samples stay apart
  assert_int_equal(execute(state, "3", false, message), 0);
  assert_int_equal(runs, 4);
  assert_int_equal(execute_on(state, "b", "4", false, message), 0);
  assert_int_equal(runs, 6);
  assert_int_equal(execute(state, "4", false, message), 0);
  assert_int_equal(runs, 3);
  json_decref(read_json(state, "made_up.json"));
  // a finished one is begun anew
  assert_int_equal(execute(state, "4", false, message), 0);
  assert_int_equal(runs, 6);
}

static void a_failure_that_is_noted_ends_it(void **state) {
  char message[SOLVER_MESSAGE_SIZE], path[PATH_SIZE];
  static const size_t expected[] = {[IN_PLAN] = 0, [IN_RUN] = 1, [IN_DERIVE] = 6};
  failing = SIZE_MAX;
  remove(path_in(state, "made_up.json", path));
  for (noting = IN_PLAN; noting <= IN_DERIVE; noting++) {
    assert_int_equal(execute(state, "4", true, message), -1);
    assert_string_equal(message, "out of memory");
    assert_int_equal(runs, expected[noting]);
    assert_null(fopen(path, "r"));
  }
  noting = NOWHERE;
}

/* a table for each, also in a file whose form had other columns */
static void tables_have_what_the_files_have(void **state) {
  char message[SOLVER_MESSAGE_SIZE], path[PATH_SIZE];
  measure_store *store;
  json_t *rows;
  failing = SIZE_MAX;
  assert_int_equal(execute(state, "3", true, message), 0);
  path_in(state, "essbench.sqlite", path);
  assert_int_equal(
      measure_store_open(&store, path, "ALTER TABLE made_up DROP COLUMN ends", message), 0);
  measure_store_close(store);
  assert_int_equal(execute(state, "3", true, message), 0);
  assert_int_equal(measure_store_open(&store, path, NULL, message), 0);
  static const char sql[] =
      "SELECT json_group_array(h.value), g.ends, g.unknown, g.`spread.high` "
      "FROM made_up g JOIN made_up_halves h ON h.run = g.run AND h.within = g.row "
      "WHERE g.run = (SELECT max(id) FROM run WHERE ended IS NOT NULL) GROUP BY g.row ORDER BY "
      "g.row";
  assert_int_equal(measure_store_run(store, sql, NULL, &rows, message), 0);
  char *const text = json_dumps(rows, JSON_COMPACT);
  assert_string_equal(text, "[[\"[0.0,0.5,0.5,null]\",\"[1.0,2.0]\",null,1.5],"
                            "[\"[5.5,5.5,5.5,5.5]\",\"[1.0,2.0]\",null,1.5]]");
  free(text);
  json_decref(rows);
  measure_store_close(store);
}

/* 'r', 'i' or 't': as a database has it */
static char type_of(const column *c) {
  if (c->kind == COLUMN_NUMBER || c->kind == COLUMN_AMOUNT) return 'r';
  return c->kind == COLUMN_COUNT || c->kind == COLUMN_FLAG ? 'i' : 't';
}

/* a column of laps is of one type, whichever study comes first */
static void laps_share_a_table(void **state) {
  (void)state;
  json_t *const types = json_object();
  size_t shared = 0;
  for (const study *const *s = studies; *s; s++) {
    const study_table *const t = &(*s)->tables[STUDY_SAMPLES];
    if (!t->sql) continue;
    assert_string_equal(t->sql, STUDY_LAP);
    shared++;
    bool is_timed = false;
    for (const column *c = t->columns; c->name; c++) {
      const json_t *const before = json_object_get(types, c->name);
      if (before && json_integer_value(before) != type_of(c))
        fail_msg("%s of %s is of another type elsewhere", c->name, (*s)->name);
      json_object_set_new(types, c->name, json_integer(type_of(c)));
      is_timed = is_timed || !strcmp(c->name, "seconds");
    }
    assert_true(is_timed);
    assert_non_null(column_find(t->columns, "trial"));
    assert_non_null(column_find(t->columns, "rms_error"));
  }
  assert_int_equal(shared, 11);
  json_decref(types);
}

/* two tables of one name would be one */
static void tables_of_all_studies_have_names_of_their_own(void **state) {
  (void)state;
  json_t *const names = json_object();
  for (const study *const *s = studies; *s; s++) {
    for (size_t i = 0; i < STUDY_TABLES_MAX && (*s)->tables[i].columns; i++) {
      char name[STUDY_TABLE_NAME_SIZE];
      if (!*study_table_name(*s, i, name) || !strcmp(name, STUDY_LAP)) continue;
      if (json_object_get(names, name)) fail_msg("there are two tables %s", name);
      json_object_set_new(names, name, json_true());
      for (const column *c = (*s)->tables[i].columns; c->name; c++)
        if (!strcmp(c->name, "run") || !strcmp(c->name, "row") || !strcmp(c->name, "within"))
          fail_msg("%s has a column %s, which every table has", name, c->name);
    }
  }
  assert_true(json_object_size(names) > 60);
  json_decref(names);
}

static void options_say_what_is_accepted(void **state) {
  char message[SOLVER_MESSAGE_SIZE];
  settings s = {0};
  (void)state;
  assert_int_equal(option_set(&options[0], "0", &s, message), -1);
  assert_string_equal(message, "--trials 0 is not accepted; it is a whole number from 1 to 9");
  assert_int_equal(option_set(&options[1], "1,2", &s, message), -1);
  assert_non_null(strstr(message, "each smaller than the one before"));
  assert_int_equal(option_set(&options[1], "3,1", &s, message), 0);
  assert_int_equal(s.widths.count, 2);
  assert_int_equal(option_set(&options[2], "square,round", &s, message), 0);
  assert_true(s.kinds.count == 2 && s.kinds.index[0] == 1 && s.kinds.index[1] == 0);
  assert_int_equal(option_set(&options[2], "round,oval", &s, message), -1);
  assert_string_equal(message, "--kinds oval is not accepted; there are round, square");
  assert_int_equal(option_set(&options[2], "", &s, message), -1);
  assert_int_equal(option_set(&options[2], "round,", &s, message), -1);
  assert_int_equal(option_set(&options[2], "round,round", &s, message), -1);
  assert_string_equal(message, "--kinds names round twice");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_of_later_stages_follow_samples),
      cmocka_unit_test(settings_are_columns_and_an_object),
      cmocka_unit_test(json_nests_tables_and_members),
      cmocka_unit_test(a_failure_keeps_what_was_measured),
      cmocka_unit_test(a_failure_that_is_noted_ends_it),
      cmocka_unit_test(tables_have_what_the_files_have),
      cmocka_unit_test(tables_of_all_studies_have_names_of_their_own),
      cmocka_unit_test(laps_share_a_table),
      cmocka_unit_test(options_say_what_is_accepted),
  };
  return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}

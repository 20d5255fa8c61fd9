/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study has measured, in the database of its folder. A run is of these settings, of this
 * build, and, where it times, of this host. A cell's rows are one transaction. The same command
 * goes on with a run that has not ended: what is there is selected, and not measured again. All
 * other runs are left as they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "draws.h"
#include "files.h"
#include "in_force.h"
#include "json_file.h"
#include "process.h"
#include "record.h"
#include "study_run.h"

/* ---- what samples depend on ------------------------------------------------------------------ */

static void add_racers(json_t *settings, const study_racers *racers) {
  json_t *const names = json_array();
  for (size_t i = 0; i < racers->count; i++)
    json_array_append_new(names, json_string(racers->solver[i]->name));
  json_object_set_new(settings, "solvers", names);
  json_object_set_new(settings, "settings", record_settings(&racers->settings));
}

/* in which two runs must agree for their samples to be of one study */
static json_t *study_fingerprint(const study_run *run) {
  json_t *const settings = json_object();
  for (const study_option *o = run->study->options; o && o->name; o++)
    if (!o->shows) json_object_set_new(settings, o->name, option_json(o, run->settings));
  if (run->operand) json_object_set_new(settings, run->study->operand, json_string(run->operand));
  if (run->content)
    json_object_set_new(settings, "content of the files it is given",
                        json_sprintf("%016" PRIx64, run->content));
  if (run->m->type) json_object_set_new(settings, "model", record_named_model(run->m));
  json_object_set_new(settings, "seed", json_integer((json_int_t)run->seed));
  if (run->study->pinned)
    json_object_set_new(settings, "processes", json_integer((json_int_t)run->processes));
  if (run->study->solvers) add_racers(settings, &run->racers);
  json_object_set_new(settings, "mujoco", json_string(bridge_version_string()));
  json_object_set_new(settings, "mujoco_library", json_string(bridge_library_path()));
  json_object_set_new(settings, "build", record_build());
  return settings;
}

static bool is_numbered(const model_type *type) {
  for (size_t i = 0; i < type->parameter_count; i++)
    if (strcmp(type->parameters[i].name, "contacts") == 0) return true;
  return false;
}

void study_case_name(const study_run *run, char name[STUDY_CELL_NAME_SIZE]) {
  const model *const m = run->m;
  char of[MODEL_NAME_SIZE];
  model_case_name(m, of);
  if (is_numbered(m->type))
    snprintf(name, STUDY_CELL_NAME_SIZE, "%s_%.0f", of, model_get(m, "contacts"));
  else
    snprintf(name, STUDY_CELL_NAME_SIZE, "%s", of);
}

/* ---- the database ---------------------------------------------------------------------------- */

enum { SQL_SIZE = 16384, NAME_SIZE = STUDY_TABLE_NAME_SIZE };

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, study TEXT NOT NULL, "
    "place TEXT NOT NULL, settings TEXT NOT NULL, git_commit TEXT, host TEXT NOT NULL, load REAL, "
    "seed INTEGER, begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT, head TEXT);"
    "CREATE TABLE IF NOT EXISTS cell (id INTEGER PRIMARY KEY, "
    "run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, name TEXT NOT NULL, "
    "UNIQUE (run, name));"
    "CREATE VIEW IF NOT EXISTS newest AS SELECT max(id) AS run FROM run WHERE ended IS NOT NULL "
    "GROUP BY study, place;"
    "CREATE TABLE IF NOT EXISTS part (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, "
    "cell TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (run, cell, name));"
    "CREATE TABLE IF NOT EXISTS share (run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, "
    "number INTEGER NOT NULL, count INTEGER NOT NULL, words TEXT NOT NULL, stage INTEGER NOT NULL, "
    "done INTEGER NOT NULL);";

/* ---- statements ------------------------------------------------------------------------------ */

int study_store_ask(study_run *run, const char *sql, json_t *values, json_t **rows) {
  return measure_store_run(run->private->store, sql, values, rows, run->message);
}

static int say(study_run *run, const char *sql, json_t *values) {
  return study_store_ask(run, sql, values, NULL);
}

int study_store_end(study_run *run, int status) {
  return measure_store_end(run->private->store, status, run->message);
}

/* ---- a table for each of the study's --------------------------------------------------------- */

/* as its .csv, or else by the study's file; "" where it is in no file */
const char *study_table_name(const study *s, size_t table, char name[STUDY_TABLE_NAME_SIZE]) {
  const study_table *const t = &s->tables[table];
  if (t->csv_alone)
    *name = '\0';
  else if (t->sql)
    snprintf(name, NAME_SIZE, "%s", t->sql);
  else if (t->csv)
    snprintf(name, NAME_SIZE, "%.*s", (int)strcspn(t->csv, "."), t->csv);
  else if (table == STUDY_SAMPLES)
    snprintf(name, NAME_SIZE, "%s_cells", s->file);
  else if (t->json)
    snprintf(name, NAME_SIZE, "%s_%s", s->file, *t->json ? t->json : "top");
  else
    *name = '\0';
  return name;
}

bool study_store_keeps(const study *s, size_t table) {
  char name[NAME_SIZE];
  return *study_table_name(s, table, name);
}

static const char *name_of(const column *c) {
  return *c->name ? c->name : "value";
}

static const char *type_of(const column *c) {
  if (c->kind == COLUMN_NUMBER || c->kind == COLUMN_AMOUNT) return "REAL";
  return c->kind == COLUMN_COUNT || c->kind == COLUMN_FLAG ? "INTEGER" : "TEXT";
}

/* adds to a text that has room */
__attribute__((format(printf, 2, 3))) static void add(char sql[SQL_SIZE], const char *format, ...) {
  const size_t length = strlen(sql);
  va_list values;
  va_start(values, format);
  vsnprintf(sql + length, SQL_SIZE - length, format, values);
  va_end(values);
}

/* columns that another version did not have are added */
static int add_columns(study_run *run, const char *name, const column columns[]) {
  for (const column *c = columns; c->name; c++) {
    char sql[SQL_SIZE] = "";
    json_t *there;
    if (study_store_ask(run, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?",
                        json_pack("[s, s]", name, name_of(c)), &there))
      return -1;
    const bool is_there = json_array_size(there) > 0;
    json_decref(there);
    add(sql, "ALTER TABLE `%s` ADD COLUMN `%s` %s", name, name_of(c), type_of(c));
    if (!is_there && say(run, sql, NULL)) return -1;
  }
  return 0;
}

/* rows of a run, numbered; `within` is the row of the table that they are nested in, and of samples
 * their cell */
static int make_table(study_run *run, size_t table) {
  char name[NAME_SIZE], sql[SQL_SIZE] = "", index[SQL_SIZE] = "";
  study_table_name(run->study, table, name);
  add(sql,
      "CREATE TABLE IF NOT EXISTS `%s` (run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE, "
      "row INTEGER NOT NULL, within INTEGER)",
      name);
  add(index, "CREATE INDEX IF NOT EXISTS \"%s_of\" ON `%s` (run, within)", name, name);
  if (say(run, sql, NULL) || say(run, index, NULL)) return -1;
  return add_columns(run, name, run->study->tables[table].columns);
}

/* the study's own samples in a table that several share */
static int make_view(study_run *run) {
  const study *const s = run->study;
  const study_table *const t = &s->tables[STUDY_SAMPLES];
  char sql[SQL_SIZE] = "", drop[SQL_SIZE] = "";
  if (!t->sql) return 0;
  add(drop, "DROP VIEW IF EXISTS `%s_laps`", s->file);
  add(sql, "CREATE VIEW `%s_laps` AS SELECT run, row, within", s->file);
  for (const column *c = t->columns; c->name; c++) add(sql, ", `%s`", name_of(c));
  add(sql, " FROM `%s` WHERE run IN (SELECT id FROM run WHERE study = '%s')", t->sql, s->name);
  return say(run, drop, NULL) || say(run, sql, NULL) ? -1 : 0;
}

static int make_tables(study_run *run) {
  int status = say(run, "BEGIN IMMEDIATE", NULL);
  for (size_t i = 0; !status && i < STUDY_TABLES_MAX && run->study->tables[i].columns; i++)
    if (study_store_keeps(run->study, i)) status = make_table(run, i);
  if (!status) status = make_view(run);
  return study_store_end(run, status);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* values of all columns, an array whose reference is taken */
static int insert(study_run *run, size_t table, size_t row, json_t *within, json_t *values) {
  char name[NAME_SIZE], sql[SQL_SIZE] = "";
  const column *const columns = run->study->tables[table].columns;
  add(sql, "INSERT INTO `%s` (run, row, within", study_table_name(run->study, table, name));
  for (const column *c = columns; c->name; c++) add(sql, ", `%s`", name_of(c));
  add(sql, ") VALUES (?, ?, ?");
  for (const column *c = columns; c->name; c++) add(sql, ", ?");
  add(sql, ")");
  json_t *const all = json_pack("[I, I, o]", run->private->number, (json_int_t)row, within);
  json_array_extend(all, values);
  json_decref(values);
  return say(run, sql, all);
}

/* what the database has of a value, as column_json says it: a new reference */
static json_t *given(const column *c, json_t *value) {
  const bool is_text = c->kind == COLUMN_TEXT || c->kind == COLUMN_NOTE;
  if (c->kind == COLUMN_FLAG) return json_boolean(json_integer_value(value));
  if (json_is_string(value) && !is_text) return measure_json_parse(json_string_value(value));
  return json_incref(value);
}

static void give(const column columns[], json_t *rows) {
  json_t *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    for (size_t k = 0; columns[k].name; k++)
      json_array_set_new(row, k, given(&columns[k], json_array_get(row, k)));
  }
}

/* values of a cell's rows, or of all of a run's and behind them what each is within: a new
 * reference, or NULL with one line */
static json_t *study_store_rows(study_run *run, json_int_t number, size_t table, json_t *cell) {
  char name[NAME_SIZE], sql[SQL_SIZE] = "SELECT ";
  const column *const columns = run->study->tables[table].columns;
  const size_t count = column_count(columns);
  json_t *rows, *const values = json_pack("[I, O?]", number, cell);
  for (const column *c = columns; c->name; c++) add(sql, "`%s`, ", name_of(c));
  add(sql, "within FROM `%s` WHERE run = ?%s ORDER BY row",
      study_table_name(run->study, table, name), cell ? " AND within = ?" : "");
  if (!cell) json_array_remove(values, 1);
  if (study_store_ask(run, sql, values, &rows)) return NULL;
  give(columns, rows);
  for (size_t i = 0; cell && i < json_array_size(rows); i++)
    json_array_remove(json_array_get(rows, i), count);
  return rows;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* the case that a run has in its file; "" where the file is of one run */
static const char *name_place(const study_run *run, char place[STUDY_CELL_NAME_SIZE]) {
  *place = '\0';
  if (run->study->kept) study_case_name(run, place);
  return place;
}

/* the newest that is of these settings and has not ended: 0 in `number` where there is none */
static int find(study_run *run, json_t *settings, const char *host) {
  json_t *rows;
  if (study_store_ask(
          run,
          "SELECT id FROM run WHERE study = ? AND settings = ? AND ended IS NULL "
          "AND (host = ? OR NOT ?) ORDER BY id DESC LIMIT 1",
          json_pack("[s, O, s, b]", run->study->name, settings, host, run->study->pinned), &rows))
    return -1;
  run->private->number = json_integer_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  return 0;
}

static int begin(study_run *run, json_t *settings) {
  json_t *const environment = run->private->environment;
  char place[STUDY_CELL_NAME_SIZE];
  name_place(run, place);
  const int status = say(run,
                         "INSERT INTO run (study, place, settings, git_commit, host, load, seed) "
                         "VALUES (?, ?, ?, ?, ?, ?, ?)",
                         json_pack("[s, s, O, O, s, O, I]", run->study->name, place, settings,
                                   json_object_get(environment, "git_commit"), process_host(),
                                   json_array_get(json_object_get(environment, "load_average"), 0),
                                   (json_int_t)run->seed));
  run->private->number = measure_store_inserted(run->private->store);
  return status;
}

/* all cells of the run that are not known yet */
int study_store_take(study_run *run) {
  json_t *cells, *cell;
  size_t i;
  if (study_store_ask(run, "SELECT id, name FROM cell WHERE run = ? ORDER BY id",
                      json_pack("[I]", run->private->number), &cells))
    return -1;
  int status = 0;
  json_array_foreach(cells, i, cell) {
    // samples borrow texts from what is known
    if (json_object_get(run->private->known, json_string_value(json_array_get(cell, 1)))) continue;
    json_t *const rows = status ? NULL
                                : study_store_rows(run, run->private->number, STUDY_SAMPLES,
                                                   json_array_get(cell, 0));
    if (!rows ||
        json_object_set_new(run->private->known, json_string_value(json_array_get(cell, 1)), rows))
      status = -1;
  }
  json_decref(cells);
  return status;
}

/* the run that is gone on with; begun anew it is forgotten, and a worker finds what is led */
static int enter(study_run *run, json_t *settings) {
  const bool anew = run->private->request->restart || run->study->brief;
  if (find(run, settings, process_host())) return -1;
  if (run->private->worker)
    return run->private->number ? study_store_take(run)
                                : measure_fail(run->message, "the run to measure for is gone");
  if (anew && say(run, "DELETE FROM run WHERE id = ?", json_pack("[I]", run->private->number)))
    return -1;
  return anew || !run->private->number ? begin(run, settings) : study_store_take(run);
}

const char *study_share_database(study_share share, char name[STUDY_TABLE_NAME_SIZE]) {
  if (share.count)
    snprintf(name, STUDY_TABLE_NAME_SIZE, "essbench.%zu-of-%zu.sqlite", share.number, share.count);
  else
    snprintf(name, STUDY_TABLE_NAME_SIZE, "essbench.sqlite");
  return name;
}

static int open_store(study_run *run, const char *made) {
  char path[RECORD_PATH_SIZE], name[STUDY_TABLE_NAME_SIZE];
  measure_store_close(run->private->store);
  record_path(path, run->folder, study_share_database(run->private->request->share, name));
  if (measure_store_open(&run->private->store, path, made, run->message)) return -1;
  struct sqlite3 *const database =
      run->private->store ? measure_store_database(run->private->store) : NULL;
  return database && (draws_teach(database) || in_force_teach(database))
             ? measure_fail(run->message, "out of memory")
             : 0;
}

int study_store_look(study_run *run) {
  return open_store(run, NULL);
}

/* in which two runs must agree, as the text that the database has: a new reference, or NULL with
 * one line */
static json_t *settings_of(study_run *run) {
  json_t *const what = study_fingerprint(run);
  char *const text = what ? measure_json_text(what) : NULL;
  json_t *const settings = text ? json_string(text) : NULL;
  if (!settings) measure_message(run->message, "out of memory");
  free(text);
  json_decref(what);
  return settings;
}

/* the study's tables, and no other run of it beside this one */
static int open_for(study_run *run, const char *place) {
  char lock[2 * STUDY_CELL_NAME_SIZE];
  snprintf(lock, sizeof lock, "%s%s%s", run->study->name, *place ? " of " : "", place);
  int status = open_store(run, tables);
  if (!status) status = measure_store_lock(run->private->store, lock, run->message);
  return status ? status : make_tables(run);
}

int study_store_open(study_run *run) {
  char place[STUDY_CELL_NAME_SIZE];
  json_t *const settings = settings_of(run);
  int status = settings ? 0 : -1;
  if (!status)
    status = run->private->worker ? open_store(run, tables) : open_for(run, name_place(run, place));
  if (!status) status = enter(run, settings);
  json_decref(settings);
  return status;
}

int study_store_take_from(study_run *run, const char *name) {
  struct study_private *const p = run->private;
  char path[RECORD_PATH_SIZE];
  measure_store *const own = p->store;
  const json_int_t number = p->number;
  json_t *const settings = settings_of(run), *known = NULL;
  int status = settings ? 0 : -1;
  p->store = NULL;
  if (!status)
    status =
        measure_store_open(&p->store, record_path(path, run->folder, name), NULL, run->message);
  // one that has just been made has no tables yet
  if (!status && p->store)
    status = study_store_ask(run, "SELECT 1 FROM sqlite_schema WHERE name = 'run'", NULL, &known);
  if (!status && json_array_size(known)) {
    status = find(run, settings, process_host());
    if (!status && p->number) status = study_store_take(run);
  }
  json_decref(known);
  json_decref(settings);
  measure_store_close(p->store);
  p->store = own;
  p->number = number;
  return status;
}

int study_store_enter(study_run *run, const char *place, const char *settings, const char *host) {
  json_t *const text = json_string(settings);
  int status = open_for(run, place);
  if (!status) status = find(run, text, host);
  json_decref(text);
  return status;
}

/* a process that was killed may have kept the cell after this one looked: the first one stays */
int study_store_keep(study_run *run, json_t *entry) {
  const char *const name = json_string_value(json_object_get(entry, "cell"));
  json_t *const rows = json_object_get(entry, "rows"), *row, *made = NULL;
  size_t i;
  int status = say(run, "BEGIN IMMEDIATE", NULL);
  if (!status)
    status = study_store_ask(run,
                             "INSERT INTO cell (run, name) VALUES (?, ?) ON CONFLICT DO NOTHING "
                             "RETURNING id",
                             json_pack("[I, s]", run->private->number, name), &made);
  json_t *const cell = json_array_get(json_array_get(made, 0), 0);
  json_array_foreach(rows, i, row) {
    if (!status && cell)
      status = insert(run, STUDY_SAMPLES, i, json_incref(cell), json_incref(row));
  }
  json_decref(made);
  if (!status && run->study->show_part)
    status = say(run, "DELETE FROM part WHERE run = ? AND cell = ?",
                 json_pack("[I, s]", run->private->number, name));
  json_decref(entry);
  return study_store_end(run, status);
}

static json_t *values_of(const column columns[], const void *row) {
  json_t *const values = json_array();
  for (const column *c = columns; c->name; c++) json_array_append_new(values, column_json(c, row));
  return values;
}

static int insert_rows(study_run *run, size_t table) {
  const study_table *const t = &run->study->tables[table];
  const study_row_list *const list = &run->private->rows[table];
  int status = 0;
  for (size_t k = 0; !status && k < list->count; k++)
    status =
        insert(run, table, k, t->within ? json_integer((json_int_t)list->parent[k]) : json_null(),
               values_of(t->columns, list->row + k * t->row_size));
  return status;
}

int study_ask(study_run *run, const char *folder, const char *sql, const column columns[],
              void *row) {
  char path[RECORD_PATH_SIZE], line[SQL_SIZE];
  measure_store *store;
  json_t *rows = NULL;
  record_path(path, folder, "essbench.sqlite");
  if (measure_store_open(&store, path, NULL, run->message)) return -1;
  if (!store) return 0;
  snprintf(line, sizeof line, "SELECT %s", sql);
  int status = measure_store_run(store, line, NULL, &rows, run->message);
  // a study that has not been run has no tables
  if (status && strstr(run->message, "no such table")) status = 0;
  if (rows) give(columns, rows);
  for (size_t k = 0; json_array_size(rows) && columns[k].name; k++)
    column_take(&columns[k], json_array_get(json_array_get(rows, 0), k), row);
  if (rows) json_array_append_new(run->private->recalled, rows);
  measure_store_close(store);
  return status;
}

int study_ask_number(study_run *run, const char *folder, const char *sql, double *number) {
  static const column value[] = {{.name = "", .kind = COLUMN_NUMBER}, {0}};
  column_clear(value, number);
  return study_ask(run, folder, sql, value, number);
}

void study_say(const study_run *run, const char *sql) {
  json_t *rows = NULL, *row;
  size_t i;
  if (measure_store_run(run->private->store, sql, NULL, &rows, run->message)) puts(run->message);
  json_array_foreach(rows, i, row) puts(json_string_value(json_array_get(row, 0)));
  json_decref(rows);
}

/* ---- parts of a cell that takes long --------------------------------------------------------- */

int study_parts_begin(study_run *run, const char *cell) {
  struct study_private *const p = run->private;
  json_t *rows, *row;
  size_t i;
  study_parts_end(run);
  p->parts = json_object();
  p->parts_cell = cell;
  if ((!p->number && study_store_open(run)) ||
      study_store_ask(run, "SELECT name, value FROM part WHERE run = ? AND cell = ?",
                      json_pack("[I, s]", p->number, cell), &rows))
    return -1;
  json_array_foreach(rows, i, row)
      json_object_set_new(p->parts, json_string_value(json_array_get(row, 0)),
                          measure_json_parse(json_string_value(json_array_get(row, 1))));
  json_decref(rows);
  return 0;
}

void study_parts_end(study_run *run) {
  json_decref(run->private->parts);
  run->private->parts = NULL;
}

bool study_parts_kept(study_run *run) {
  json_t *rows;
  if (!run->private->number || !run->study->show_part ||
      study_store_ask(run, "SELECT 1 FROM part WHERE run = ? LIMIT 1",
                      json_pack("[I]", run->private->number), &rows))
    return false;
  const bool kept = json_array_size(rows) > 0;
  json_decref(rows);
  return kept;
}

const json_t *study_part(const study_run *run, const char *name) {
  return json_object_get(run->private->parts, name);
}

int study_keep_part(study_run *run, const char *name, json_t *value) {
  struct study_private *const p = run->private;
  char *const text = value ? measure_json_text(value) : NULL;
  // without a folder, or interrupted: what was cut short is no measurement
  int status = !text ? study_out_of_memory(run) : 0;
  if (!status && !*run->interrupted && p->parts)
    status = study_store_ask(run, "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)",
                             json_pack("[I, s, s, s]", p->number, p->parts_cell, name, text), NULL);
  free(text);
  json_decref(value);
  return status;
}

/* ---- a folder that is of another file -------------------------------------------------------- */

/* by their names if one of them is missing: a recorded path may be relative to another folder */
static bool is_same_operand(const char *a, const char *b) {
  const char *const name_a = strrchr(a, '/'), *const name_b = strrchr(b, '/');
  if (!access(a, F_OK) && !access(b, F_OK)) return measure_is_same_file(a, b);
  return strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) == 0;
}

/* an operand of several files has one in each line, and the message names the first */
static int refuse_operand(study_run *run, const char *of) {
  const int length = (int)strcspn(of, "\n"), asked = (int)strcspn(run->operand, "\n");
  return measure_fail(run->message,
                      "%s holds results of %.*s%s, not of %.*s%s; --out DIR names another folder",
                      run->folder, length, of, of[length] ? " and others" : "", asked, run->operand,
                      run->operand[asked] ? " and others" : "");
}

/* of the run that --table shows: one with parts comes first, as in study_parts_show */
int study_store_check_operand(study_run *run) {
  json_t *rows;
  if (!run->private->store || !run->operand) return 0;
  if (study_store_ask(
          run,
          "SELECT json_extract(settings, '$.\"' || ?1 || '\"') FROM run WHERE study = ?2 "
          "AND (ended IS NOT NULL OR id IN (SELECT run FROM part)) "
          "ORDER BY id IN (SELECT run FROM part) DESC, id DESC LIMIT 1",
          json_pack("[s, s]", run->study->operand, run->study->name), &rows))
    return -1;
  const char *const of = json_string_value(json_array_get(json_array_get(rows, 0), 0));
  const int status = !of || is_same_operand(of, run->operand) ? 0 : refuse_operand(run, of);
  json_decref(rows);
  return status;
}

/* of the last run that has some */
int study_parts_show(study_run *run, bool *shown) {
  const char *last = "";
  json_t *rows, *row;
  size_t i;
  *shown = false;
  if (!run->study->show_part || !run->private->store) return 0;
  if (study_store_ask(
          run,
          "SELECT cell, name, value FROM part WHERE run = (SELECT max(part.run) FROM "
          "part JOIN run ON run.id = part.run WHERE study = ?) ORDER BY cell, part.rowid",
          json_pack("[s]", run->study->name), &rows))
    return -1;
  json_array_foreach(rows, i, row) {
    const char *const cell = json_string_value(json_array_get(row, 0));
    json_t *const value = measure_json_parse(json_string_value(json_array_get(row, 2)));
    if (strcmp(cell, last) != 0) printf("%s is under way; this much of it is kept:\n", cell);
    run->study->show_part(json_string_value(json_array_get(row, 1)), value);
    json_decref(value);
    last = cell;
  }
  *shown = json_array_size(rows) > 0;
  json_decref(rows);
  return 0;
}

/* ---- results of runs that have ended --------------------------------------------------------- */

static int take_row(study_run *run, size_t table, const json_t *values, size_t above, void *row) {
  const study_table *const t = &run->study->tables[table];
  study_row_list *const list = &run->private->rows[table];
  size_t k = 0;
  for (; t->columns[k].name; k++)
    if (!column_take(&t->columns[k], json_array_get(values, k), row))
      return measure_fail(run->message, "%s/essbench.sqlite has no %s for %s; move it away",
                          run->folder, t->columns[k].name, run->study->name);
  if (study_rows_append(run, table, row)) return -1;
  list->parent[list->count - 1] = above + (size_t)json_integer_value(json_array_get(values, k));
  return 0;
}

/* rows of a table, whose texts are borrowed; those that they are within begin at `above` */
static int take_rows(study_run *run, size_t table, json_t *rows, size_t above) {
  void *const row = calloc(1, run->study->tables[table].row_size);
  int status = rows && row ? 0 : -1;
  if (!status) column_clear(run->study->tables[table].columns, row);
  for (size_t i = 0; !status && i < json_array_size(rows); i++)
    status = take_row(run, table, json_array_get(rows, i), above, row);
  if (rows) json_array_append_new(run->private->recalled, rows);
  free(row);
  return status;
}

int study_select(study_run *run, size_t table, const char *sql) {
  json_t *rows;
  if (study_store_ask(run, sql, json_pack("[I]", run->private->number), &rows))
    return study_note_failure(run);
  give(run->study->tables[table].columns, rows);
  return take_rows(run, table, rows, 0) ? study_note_failure(run) : 0;
}

/* the rows of a derived table, by its columns' SQL */
static int derive(study_run *run, size_t table) {
  const study_table *const t = &run->study->tables[table];
  // ?1 is bound whether the rest asks for it or not
  char sql[SQL_SIZE] = "WITH this AS (SELECT ?1 AS run) SELECT ";
  for (const column *c = t->columns; c->name; c++) add(sql, "%s, ", c->sql);
  add(sql, "%s FROM %s", t->within ? "parent" : "NULL", t->from);
  if (strlen(sql) + 1 == SQL_SIZE)
    return measure_fail(run->message, "%s: a query is too long", run->study->name);
  return study_select(run, table, sql);
}

static int make_laps(study_run *run) {
  char sql[SQL_SIZE] = "";
  if (!run->study->laps) return 0;
  add(sql, "CREATE TEMP TABLE laps AS %s", run->study->laps);
  return say(run, "DROP TABLE IF EXISTS temp.laps", NULL) ||
                 say(run, sql, json_pack("[I]", run->private->number))
             ? -1
             : 0;
}

/* those that queries derive, or all others */
static int store_tables(study_run *run, bool derived) {
  const study_table *const all = run->study->tables;
  int status = 0;
  for (size_t i = 1; !status && i < STUDY_TABLES_MAX && all[i].columns; i++) {
    if (derived != (all[i].from != NULL)) continue;
    if (derived) status = derive(run, i);
    if (!status && study_store_keeps(run->study, i)) status = insert_rows(run, i);
  }
  return status;
}

/* laps may be of tables that no query derives, and those that are derived also of tables before
 * them */
int study_store_tables(study_run *run) {
  int status = store_tables(run, false);
  if (!status) status = make_laps(run);
  return status ? status : store_tables(run, true);
}

/* behind those that are there */
static int add_run(study_run *run, json_int_t number) {
  const study *const s = run->study;
  size_t before[STUDY_TABLES_MAX];
  int status = 0;
  for (size_t i = 0; i < STUDY_TABLES_MAX; i++) before[i] = run->private->rows[i].count;
  for (size_t i = 1; !status && i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (study_store_keeps(s, i))
      status =
          take_rows(run, i, study_store_rows(run, number, i, NULL), before[s->tables[i].within]);
  return status;
}

int study_recall_run(study_run *run, json_int_t number) {
  study_rows_clear(run, STUDY_SAMPLES + 1);
  return add_run(run, number);
}

/* what the file is of: for each case the run that ended last, in the order they came */
int study_recall(study_run *run) {
  json_t *runs, *one;
  size_t i;
  int status = 0;
  if (study_store_ask(
          run,
          "SELECT id, head FROM (SELECT max(id) AS id, min(id) AS first FROM run WHERE study = ? "
          "AND ended IS NOT NULL GROUP BY place) JOIN run USING (id) ORDER BY first",
          json_pack("[s]", run->study->name), &runs))
    return -1;
  study_rows_clear(run, STUDY_SAMPLES + 1);
  json_array_clear(run->private->heads);
  json_array_foreach(runs, i, one) {
    json_t *const head = measure_json_parse(json_string_value(json_array_get(one, 1)));
    // a head for each case, in their order
    if (json_array_append_new(run->private->heads, head) && !status)
      status = measure_fail(run->message,
                            "%s/essbench.sqlite has a run of %s without a head; move it away",
                            run->folder, run->study->name);
    if (!status) status = add_run(run, json_integer_value(json_array_get(one, 0)));
  }
  json_decref(runs);
  return status;
}

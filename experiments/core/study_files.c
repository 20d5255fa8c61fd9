/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a study's results, by its tables: what they are, for people, and how they are
 * written. */
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "json_file.h"
#include "process.h"
#include "record.h"
#include "study_run.h"

enum { NAME_SIZE = 64, COLUMNS_MAX = 128, NAMES_MAX = COLUMNS_MAX + COLUMN_CSV_NAMES_MAX };

/* ---- for people ------------------------------------------------------------------------------ */

static void print_table(const study *s, const study_table *t, FILE *stream) {
  fprintf(stream, "\n");
  if (t->csv) fprintf(stream, "`%s`", t->csv);
  if (t->csv && t->json) fprintf(stream, ", and ");
  if (t->json && t->within)
    fprintf(stream, "`%s` of each of `%s`", t->json, s->tables[t->within].json);
  if (t->json && !*t->json) fprintf(stream, "`%s.json`", s->file);
  if (t->json && *t->json && !t->within) fprintf(stream, "`%s` of `%s.json`", t->json, s->file);
  fprintf(stream, ": %s.\n\n| column | unit | meaning |\n|---|---|---|\n", t->meaning);
  for (const column *c = t->columns; c->name; c++) {
    if (c->place == COLUMN_SHOWN_ONLY || !*c->meaning) continue;
    fprintf(stream, "| `%s` | %s | %s%s |\n", *c->name ? c->name : t->json, c->unit, c->meaning,
            c->place == COLUMN_CSV_ONLY    ? " (CSV alone)"
            : c->place == COLUMN_JSON_ONLY ? " (JSON alone)"
                                           : "");
  }
}

void study_reference(const study *s, FILE *stream) {
  fprintf(stream, "## essbench %s\n\n%s\n", s->name, s->summary);
  for (size_t i = 0; i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (s->tables[i].csv || s->tables[i].json) print_table(s, &s->tables[i], stream);
}

/* ---- csv ------------------------------------------------------------------------------------- */

/* the columns that a table's csv has */
static size_t csv_columns(const study_table *t, const column *out[COLUMNS_MAX]) {
  size_t count = 0;
  for (const column *c = t->columns; c->name && count < COLUMNS_MAX; c++)
    if (c->place == COLUMN_BOTH || c->place == COLUMN_CSV_ONLY) out[count++] = c;
  return count;
}

static int write_csv(study_run *run, size_t table) {
  const study_table *const t = &run->study->tables[table];
  const study_row_list *const list = &run->private->rows[table];
  const column *columns[COLUMNS_MAX];
  const char *names[NAMES_MAX];
  const size_t count = csv_columns(t, columns);
  size_t named = 0;
  char path[RECORD_PATH_SIZE];
  measure_file *file;
  measure_csv csv;
  for (size_t i = 0; i < count && named < COLUMNS_MAX; i++)
    named += column_csv_names(columns[i], names + named);
  if (measure_file_open(&file, record_path(path, run->folder, t->csv), run->message)) return -1;
  measure_csv_begin(&csv, measure_file_stream(file), names, named);
  for (size_t i = 0; i < list->count; i++) {
    for (size_t k = 0; k < count; k++) column_csv(columns[k], list->row + i * t->row_size, &csv);
    measure_csv_end_row(&csv);
  }
  // a stream that failed is told of by commit, which names the file
  if (ferror(measure_file_stream(file)) || !measure_csv_finish(&csv, run->message))
    return measure_file_commit(file, run->message);
  measure_file_discard(file);
  return -1;
}

/* ---- json ------------------------------------------------------------------------------------ */

/* member "a.b" of an object: b of its object a */
static void set_member(json_t *object, const char *name, json_t *value) {
  const char *const dot = strchr(name, '.');
  if (!dot) {
    json_object_set_new(object, name, value);
    return;
  }
  char above[NAME_SIZE];
  snprintf(above, sizeof above, "%.*s", (int)(dot - name), name);
  json_t *inner = json_object_get(object, above);
  if (!inner) json_object_set_new(object, above, inner = json_object());
  set_member(inner, dot + 1, value);
}

/* what rows depend on beside their columns: of a file, or of each case where it keeps several */
static void set_settings(const study_run *run, json_t *object) {
  const study *const s = run->study;
  if (s->pinned) json_object_set_new(object, "host", json_string(process_host()));
  if (run->m->type)
    json_object_set_new(object, s->parameters ? s->parameters : "parameters",
                        record_named_model(run->m));
  for (const study_option *o = s->options; o && o->name; o++)
    if (o->result) json_object_set_new(object, o->result, option_json(o, run->settings));
}

static json_t *rows_json(const study_run *run, size_t table, size_t parent);

static json_t *row_json(const study_run *run, size_t table, size_t index) {
  const study_table *const tables = run->study->tables, *const t = &tables[table];
  const char *const row = run->private->rows[table].row + index * t->row_size;
  if (!*t->columns->name) return column_json(t->columns, row);
  json_t *const object = json_object();
  for (const column *c = t->columns; c->name; c++)
    if (c->place == COLUMN_BOTH || c->place == COLUMN_JSON_ONLY)
      set_member(object, c->name, column_json(c, row));
  if (table && table == run->study->kept)
    json_object_update(object, json_array_get(run->private->heads, index));
  for (size_t i = 1; i < STUDY_TABLES_MAX && tables[i].columns; i++)
    if (table && tables[i].json && tables[i].within == table)
      json_object_set_new(object, tables[i].json, rows_json(run, i, index));
  return object;
}

/* the rows of a table that belong to a row of the one it is within */
static json_t *rows_json(const study_run *run, size_t table, size_t parent) {
  const study_row_list *const list = &run->private->rows[table];
  json_t *const rows = json_array();
  for (size_t i = 0; i < list->count; i++)
    if (!run->study->tables[table].within || list->parent[i] == parent)
      json_array_append_new(rows, row_json(run, table, i));
  return rows;
}

/* a table under its name; one that is called "" is the members of its row */
static void set_rows(json_t *object, const study_run *run, size_t table) {
  const char *const name = run->study->tables[table].json;
  json_t *const value = *name ? rows_json(run, table, 0) : row_json(run, table, 0);
  if (*name)
    json_object_set(object, name, value);
  else
    json_object_update(object, value);
  json_decref(value);
}

static const char *schema_of(const study *s, char text[NAME_SIZE]) {
  if (s->schema) return s->schema;
  snprintf(text, NAME_SIZE, "essbench-%s-1", s->name);
  return text;
}

static json_t *results_json(const study_run *run) {
  const study *const s = run->study;
  char name[NAME_SIZE];
  json_t *const object =
      record_head(schema_of(s, name), s->name, run->seed, json_incref(run->private->environment));
  if (!object) return NULL;
  if (!s->kept) set_settings(run, object);
  for (size_t i = 0; i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (s->tables[i].json && !s->tables[i].within) set_rows(object, run, i);
  return object;
}

static int write_tables(study_run *run) {
  int status = 0;
  for (size_t i = 0; !status && i < STUDY_TABLES_MAX && run->study->tables[i].columns; i++)
    if (run->study->tables[i].csv) status = write_csv(run, i);
  return status;
}

/* the tables first: a file of results is there when the .json is */
static int write_files(study_run *run) {
  char name[NAME_SIZE], path[RECORD_PATH_SIZE];
  snprintf(name, sizeof name, "%s.json", run->study->file);
  json_t *const object = results_json(run);
  record_path(path, run->folder, name);
  int status = object ? 0 : study_out_of_memory(run);
  if (!status) status = write_tables(run);
  if (!status) status = measure_json_write(object, path, run->message);
  json_decref(object);
  return status;
}

/* what its rows depend on, as a case has it */
static json_t *head_of(const study_run *run) {
  json_t *const object = json_object();
  set_settings(run, object);
  json_object_set_new(object, "seed", json_integer((json_int_t)run->seed));
  json_object_set(object, "environment", run->private->environment);
  return object;
}

/* the run has ended when its files are there: where they cannot be, the same command tries again */
int study_write(study_run *run) {
  const study *const s = run->study;
  int status = study_store_ask(run, "BEGIN IMMEDIATE", NULL, NULL);
  if (!status) status = study_store_tables(run);
  if (!status)
    status = study_store_ask(run, "UPDATE run SET ended = CURRENT_TIMESTAMP, head = ? WHERE id = ?",
                             json_pack("[o, I]", head_of(run), run->private->number), NULL);
  if (!status && s->kept) status = study_recall(run);
  if (!status) status = write_files(run);
  if (!status && s->kept) status = study_recall_run(run, run->private->number);
  return study_store_end(run, status);
}

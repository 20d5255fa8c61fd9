/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of an earlier run: read back from the folder into a study's tables, and kept beside new
 * ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_file.h"
#include "record.h"
#include "study_run.h"

enum { NAME_SIZE = 64 };

/* "a.b" is b of the object a, and "" the object itself */
static const json_t *member_of(const json_t *object, const char *name) {
  const char *const dot = strchr(name, '.');
  char above[NAME_SIZE];
  if (!*name) return object;
  if (!dot) return json_object_get(object, name);
  snprintf(above, sizeof above, "%.*s", (int)(dot - name), name);
  return member_of(json_object_get(object, above), dot + 1);
}

/* all rows of a table that belong to one row of another, or to none; 1 where they are none of it */
static int take_rows(study_run *run, size_t table, const json_t *rows);

static int take_row(study_run *run, size_t table, const json_t *object, void *row) {
  const study_table *const tables = run->study->tables;
  column_clear(tables[table].columns, row);
  for (const column *c = tables[table].columns; c->name; c++)
    if ((c->place == COLUMN_BOTH || c->place == COLUMN_JSON_ONLY) &&
        !column_take(c, member_of(object, c->name), row))
      return 1;
  int status = study_rows_append(run, table, row);
  for (size_t i = 1; !status && i < STUDY_TABLES_MAX && tables[i].columns; i++)
    if (tables[i].json && tables[i].within == table)
      status = take_rows(run, i, json_object_get(object, tables[i].json));
  return status;
}

static int take_rows(study_run *run, size_t table, const json_t *rows) {
  void *const row = calloc(1, run->study->tables[table].row_size);
  int status = !row ? -1 : json_is_array(rows) ? 0 : 1;
  for (size_t i = 0; !status && i < json_array_size(rows); i++)
    status = take_row(run, table, json_array_get(rows, i), row);
  free(row);
  return status;
}

/* one row, whose members stand at the top */
static int take_top(study_run *run, size_t table, const json_t *results) {
  void *const row = calloc(1, run->study->tables[table].row_size);
  const int status = row ? take_row(run, table, results, row) : -1;
  free(row);
  return status;
}

int study_recall(study_run *run, json_t *results) {
  const study *const s = run->study;
  const char *const schema = json_string_value(json_object_get(results, "schema"));
  int status = schema && strcmp(schema, s->schema) == 0 ? 0 : 1;
  study_rows_clear(run, STUDY_SAMPLES + 1);
  json_decref(run->private->recalled);
  run->private->recalled = json_incref(results);
  for (size_t i = 1; !status && i < STUDY_TABLES_MAX && s->tables[i].columns; i++)
    if (s->tables[i].json && !s->tables[i].within)
      status = *s->tables[i].json ? take_rows(run, i, json_object_get(results, s->tables[i].json))
                                  : take_top(run, i, results);
  if (status > 0)
    measure_message(run->message, "%s/%s.json is not what %s writes; move it away", run->folder,
                    s->file, s->name);
  return status ? -1 : 0;
}

int study_earlier(study_run *run, json_t **results) {
  char name[NAME_SIZE], path[RECORD_PATH_SIZE];
  *results = NULL;
  snprintf(name, sizeof name, "%s.json", run->study->file);
  if (access(record_path(path, run->folder, name), F_OK)) return 0;
  *results = measure_json_read(path, run->message);
  return *results ? 0 : -1;
}

/* ---- files of several cases ------------------------------------------------------------------ */

static bool is_numbered(const model_type *type) {
  for (size_t i = 0; i < type->parameter_count; i++)
    if (strcmp(type->parameters[i].name, "contacts") == 0) return true;
  return false;
}

void study_case_name(const study_run *run, char name[STUDY_CELL_NAME_SIZE]) {
  const model *const m = run->m;
  if (is_numbered(m->type))
    snprintf(name, STUDY_CELL_NAME_SIZE, "%s_%.0f", m->type->name, model_get(m, "contacts"));
  else
    snprintf(name, STUDY_CELL_NAME_SIZE, "%s", m->type->name);
}

void study_keep(const study_run *run, json_t *results, const json_t *earlier) {
  const study_table *const t = &run->study->tables[run->study->kept];
  json_t *const ours = json_array_get(json_object_get(results, t->json), 0);
  const json_t *const name = json_object_get(ours, t->columns[0].name);
  json_t *const cases = json_array(), *one;
  size_t i;
  bool placed = false;
  json_array_foreach(json_object_get(earlier, t->json), i, one) {
    const bool replaced = json_equal(json_object_get(one, t->columns[0].name), name);
    json_array_append(cases, replaced ? ours : one);
    placed = placed || replaced;
  }
  if (!placed) json_array_append(cases, ours);
  json_object_set_new(results, t->json, cases);
}

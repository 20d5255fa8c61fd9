/*
 * work_precision.json, in which every model keeps its place, and the table made from it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "solvers.h"
#include "work_precision.h"

static const char schema[] = "essbench-work-precision-1", file_name[] = "work_precision.json";

/* ---- reading --------------------------------------------------------------------------------- */

static int fill_row(const json_t *point, precision_row *row) {
  for (size_t i = 0; i < PRECISION_TEXTS; i++)
    if (!(row->text[i] = json_string_value(json_object_get(point, precision_text_names[i]))))
      return -1;
  for (size_t i = 0; i < PRECISION_NUMBERS; i++) {
    const json_t *const value = json_object_get(point, precision_number_names[i]);
    if (!value || measure_json_value(value, &row->number[i])) return -1;
  }
  return 0;
}

/* all points of all cases as rows */
static int fill_rows(precision_results *results) {
  const json_t *const cases = json_object_get(results->object, "cases"), *one, *point;
  size_t i, k, room = 0;
  json_array_foreach(cases, i, one) room += json_array_size(json_object_get(one, "points"));
  results->row = calloc(room + 1, sizeof *results->row);
  if (!results->row || !json_is_array(cases)) return -1;
  json_array_foreach(cases, i, one) {
    json_array_foreach(json_object_get(one, "points"), k, point) {
      if (fill_row(point, &results->row[results->count++])) return -1;
    }
  }
  return 0;
}

int precision_results_read(precision_results *results, const char *folder, char *message) {
  char path[RECORD_PATH_SIZE];
  *results = (precision_results){0};
  if (record_path(path, folder, file_name)) {
    measure_message(message, "the path of the results folder is too long");
    return -1;
  }
  if (access(path, F_OK)) return 0;
  results->object = measure_json_read(path, message);
  if (!results->object) return -1;
  const char *const found = json_string_value(json_object_get(results->object, "schema"));
  if (found && strcmp(found, schema) == 0 && !fill_rows(results)) return 0;
  precision_results_free(results);
  measure_message(message, "%s is not what work-precision writes; move it away", path);
  return -1;
}

void precision_results_free(precision_results *results) {
  json_decref(results->object);
  free(results->row);
  *results = (precision_results){0};
}

static bool is_of(const precision_row *row, const model *m) {
  return strcmp(row->text[PRECISION_MODEL], m->type->name) == 0 &&
         row->number[PRECISION_CONTACTS] == (double)precision_contacts(m);
}

const char *precision_results_lose(const precision_results *results, const model *m,
                                   const bool chosen[]) {
  for (size_t i = 0; i < results->count; i++) {
    const char *const name = results->row[i].text[PRECISION_METHOD];
    const precision_method *const method = precision_method_find(name);
    if (is_of(&results->row[i], m) && !(method && chosen[method - precision_methods])) return name;
  }
  return NULL;
}

size_t precision_case_rows(const precision_results *results, size_t first) {
  const precision_row *const a = &results->row[first];
  size_t count = 0;
  while (first + count < results->count &&
         strcmp(a[count].text[PRECISION_MODEL], a->text[PRECISION_MODEL]) == 0 &&
         a[count].number[PRECISION_CONTACTS] == a->number[PRECISION_CONTACTS])
    count++;
  return count;
}

/* ---- one case -------------------------------------------------------------------------------- */

static json_t *row_json(const precision_case *c, const precision_point *p,
                        const precision_row *row) {
  json_t *const object = json_object();
  for (size_t i = 0; i < PRECISION_TEXTS; i++)
    json_object_set_new(object, precision_text_names[i], json_string(row->text[i]));
  for (size_t i = 0; i < PRECISION_NUMBERS; i++)
    json_object_set_new(object, precision_number_names[i], measure_json_number(row->number[i]));
  const solver_settings settings =
      solver_settings_in_force(solver_find(p->method->solver), &p->settings, c->m->type->time_step);
  json_object_set_new(object, "settings", record_settings(&settings));
  return object;
}

/* every method that another stands for, once */
static json_t *coincident_json(const precision_case *c) {
  json_t *const list = json_array();
  for (size_t i = 0; i < c->count; i++) {
    const precision_point *const p = &c->point[i];
    if (!p->as || (i && c->point[i - 1].method == p->method)) continue;
    json_array_append_new(
        list, json_pack("{s:s, s:s}", "method", p->method->name, "coincides_with", p->as->name));
  }
  return list;
}

static json_t *case_json(const precision_case *c, char *message) {
  char name[PRECISION_NAME_SIZE];
  precision_case_name(c, name);
  json_t *const head = record_begin(schema, c->given, c->core);
  json_t *const object = json_pack(
      "{s:s, s:s, s:I, s:o, s:I, s:I, s:f, s:o, s:f, s:o, s:O?}", "name", name, "model",
      c->m->type->name, "contacts", (json_int_t)c->contacts, "parameters", record_model(c->m),
      "trials", (json_int_t)c->trials, "seed", (json_int_t)c->given->seed, "point_work",
      c->given->point_work, "field_gap", isnan(c->gap.gap) ? json_null() : record_gap(&c->gap),
      "coincide", PRECISION_COINCIDE, "coincident", coincident_json(c), "environment",
      json_object_get(head, "environment"));
  json_decref(head);
  json_t *const points = json_array();
  for (size_t i = 0; object && i < c->count; i++) {
    precision_row row;
    if (precision_summarize(c, &c->point[i], &row, message)) {
      json_decref(object);
      json_decref(points);
      return NULL;
    }
    json_array_append_new(points, row_json(c, &c->point[i], &row));
  }
  if (!object || json_object_set_new(object, "points", points))
    measure_message(message, "out of memory");
  return object;
}

/* ---- all cases ------------------------------------------------------------------------------- */

static bool same_case(const json_t *a, const json_t *b) {
  return json_equal(json_object_get(a, "name"), json_object_get(b, "name"));
}

/* the file's cases with this one in its place, or at the end */
static json_t *merge(const json_t *earlier, json_t *ours) {
  json_t *const cases = json_array();
  json_t *one;
  size_t i;
  bool placed = false;
  json_array_foreach(json_object_get(earlier, "cases"), i, one) {
    const bool replaced = same_case(one, ours);
    json_array_append(cases, replaced ? ours : one);
    placed = placed || replaced;
  }
  if (!placed) json_array_append(cases, ours);
  return cases;
}

static void write_row(results_file *file, const precision_row *row) {
  for (size_t i = 0; i < PRECISION_MESSAGE; i++) measure_csv_text(&file->csv, row->text[i]);
  for (size_t i = 0; i < PRECISION_NUMBERS; i++) measure_csv_number(&file->csv, row->number[i]);
  measure_csv_text(&file->csv, row->text[PRECISION_MESSAGE]);
  measure_csv_end_row(&file->csv);
}

/* the texts, the numbers, and last the message, which may hold anything */
static int write_table(const precision_results *results, const char *folder, char *message) {
  const char *columns[PRECISION_TEXTS + PRECISION_NUMBERS];
  size_t count = 0;
  for (size_t i = 0; i < PRECISION_MESSAGE; i++) columns[count++] = precision_text_names[i];
  for (size_t i = 0; i < PRECISION_NUMBERS; i++) columns[count++] = precision_number_names[i];
  columns[count++] = precision_text_names[PRECISION_MESSAGE];
  results_file file;
  if (results_file_begin(&file, folder, "work_precision.csv", columns, count, message)) return -1;
  for (size_t i = 0; i < results->count; i++) write_row(&file, &results->row[i]);
  return results_file_end(&file, true, message);
}

/* the table first: a file of results is there when the .json is */
static int write_both(const precision_case *c, json_t *object, char *message) {
  char path[RECORD_PATH_SIZE];
  precision_results results = {.object = json_incref(object)};
  int status = fill_rows(&results);
  if (status || record_path(path, c->given->folder, file_name))
    measure_message(message, "%s: out of memory", file_name);
  if (!status) status = write_table(&results, c->given->folder, message);
  if (!status) status = measure_json_write(object, path, message);
  precision_results_free(&results);
  return status;
}

int precision_write(const precision_case *c, char *message) {
  precision_results earlier;
  if (precision_results_read(&earlier, c->given->folder, message)) return -1;
  json_t *const ours = case_json(c, message);
  json_t *const object = ours ? record_begin(schema, c->given, c->core) : NULL;
  int status = -1;
  if (object) {
    json_object_set_new(object, "cases", merge(earlier.object, ours));
    status = write_both(c, object, message);
  }
  json_decref(object);
  json_decref(ours);
  precision_results_free(&earlier);
  return status;
}

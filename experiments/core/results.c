/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "json_file.h"
#include "record.h"

enum { CONDITION_SIZE = 96 };

/* ---- files ----------------------------------------------------------------------------------- */

/* rows as objects of texts */
static json_t *rows_of_table(const measure_table *table) {
  json_t *const rows = json_array();
  for (size_t i = 0; i < measure_table_rows(table); i++) {
    json_t *const row = json_object();
    const char *name;
    for (size_t k = 0; (name = measure_table_name(table, k)); k++)
      json_object_set_new(row, name, json_string(measure_table_text(table, i, k)));
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *read_table(const char *path, char message[MEASURE_MESSAGE_SIZE]) {
  measure_table *table;
  if (measure_table_read(&table, path, message)) return NULL;
  json_t *const rows = rows_of_table(table);
  measure_table_free(table);
  return rows;
}

static json_t *read_member(const char *path, const char *member,
                           char message[MEASURE_MESSAGE_SIZE]) {
  json_t *const all = measure_json_read(path, message);
  if (!all) return NULL;
  json_t *const rows = json_object_get(all, member);
  json_t *const kept = json_is_array(rows) ? json_incref(rows) : json_array();
  json_decref(all);
  return kept;
}

json_t *results_read(const char *folder, const char *file, char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  record_path(path, folder, file);
  char *const member = strstr(path, ".json/");
  if (member) member[strlen(".json")] = '\0';
  if (access(path, F_OK)) return json_array();
  return member ? read_member(path, member + strlen(".json/"), message) : read_table(path, message);
}

/* ---- values ---------------------------------------------------------------------------------- */

const char *results_text(const json_t *row, const char *column, char text[RESULTS_TEXT_SIZE]) {
  const json_t *const value = json_object_get(row, column);
  text[0] = '\0';
  if (json_is_string(value)) snprintf(text, RESULTS_TEXT_SIZE, "%s", json_string_value(value));
  if (json_is_number(value)) snprintf(text, RESULTS_TEXT_SIZE, "%.17g", json_number_value(value));
  if (json_is_boolean(value)) snprintf(text, RESULTS_TEXT_SIZE, "%d", json_is_true(value));
  return text;
}

static double number_of(const char *text) {
  char *end;
  const double value = strtod(text, &end);
  return end == text || *end ? (double)NAN : value;
}

static double value_of(const json_t *row, const char *column) {
  char text[RESULTS_TEXT_SIZE];
  return number_of(results_text(row, column, text));
}

/* one condition, "column=value" */
static bool meets(const json_t *row, const char *condition) {
  char text[RESULTS_TEXT_SIZE], name[CONDITION_SIZE] = "";
  const size_t length = strcspn(condition, "<>=");
  const char *const sign = condition + length;
  const bool is_bound = *sign == '<' || *sign == '>';
  const char *const wanted = sign + 1 + is_bound;
  if (!*sign || length >= sizeof name) return false;
  memcpy(name, condition, length);
  const char *const given = results_text(row, name, text);
  const double number = number_of(given), limit = number_of(wanted);
  if (*sign == '<') return number <= limit;
  if (*sign == '>') return number >= limit;
  return strcmp(given, wanted) == 0 || number == limit;
}

static bool is_meant(const json_t *row, const char *where) {
  char conditions[4 * CONDITION_SIZE], *rest = NULL;
  snprintf(conditions, sizeof conditions, "%s", where ? where : "");
  for (char *one = strtok_r(conditions, ";", &rest); one; one = strtok_r(NULL, ";", &rest))
    if (!meets(row, one)) return false;
  return true;
}

static double reduce(results_reduction by, double so_far, double last, double value) {
  const double change = fabs(value / last - 1.0);
  if (by == RESULTS_STEP) return isnan(last) ? so_far : fmax(so_far, change);
  if (isnan(so_far)) return value;
  if (by == RESULTS_LEAST) return fmin(so_far, value);
  if (by == RESULTS_MOST) return fmax(so_far, value);
  return by == RESULTS_LONGEST && fabs(value) > fabs(so_far) ? value : so_far;
}

double results_reduce(const json_t *rows, const results_number *of, const char *each,
                      const char *value) {
  double result = NAN, last = NAN;
  char text[RESULTS_TEXT_SIZE];
  json_t *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    if (!is_meant(row, of->where)) continue;
    if (each && strcmp(results_text(row, each, text), value) != 0) continue;
    const double one = value_of(row, of->column);
    if (isnan(one)) continue;
    result = reduce(of->reduction, result, last, one);
    last = one;
  }
  return result;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_file.h"
#include "record.h"
#include "settings.h"

enum { LINE_SIZE = 400 };

size_t column_count(const column columns[]) {
  size_t count = 0;
  while (columns[count].name) count++;
  return count;
}

const column *column_find(const column columns[], const char *name) {
  for (const column *c = columns; c->name; c++)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

/* a value of any kind */
typedef union any_value {
  double number, interval[2];
  size_t count;
  bool flag;
  const char *text;
  bridge_gap gap;
  solver_settings settings;
} any_value;

/* rows of the column are column_values, and no struct */
static bool is_by_place(const column *c) {
  return c->offset == COLUMN_BY_PLACE;
}

/* where a value is; one of column_values is put into `room` */
static const void *member(const column *c, const void *row, any_value *room) {
  if (!is_by_place(c)) return (const char *)row + c->offset;
  const column_values *const given = row;
  const column alone = {.kind = c->kind};
  column_take(&alone, given->value[c - given->columns], room);
  return room;
}

double column_number(const column *c, const void *row) {
  any_value room;
  const void *const at = member(c, row, &room);
  if (c->kind == COLUMN_NUMBER || c->kind == COLUMN_AMOUNT) return *(const double *)at;
  if (c->kind == COLUMN_COUNT) return (double)*(const size_t *)at;
  if (c->kind == COLUMN_FLAG) return *(const bool *)at ? 1.0 : 0.0;
  return c->kind == COLUMN_GAP ? ((const bridge_gap *)at)->gap : (double)NAN;
}

const char *column_text(const column *c, const void *row) {
  any_value room;
  const bool is_text = c->kind == COLUMN_TEXT || c->kind == COLUMN_NOTE;
  const char *const text = is_text ? *(const char *const *)member(c, row, &room) : NULL;
  return text ? text : "";
}

static json_t *interval_json(const double ends[2]) {
  if (!isfinite(ends[0]) || !isfinite(ends[1])) return json_null();
  return json_pack("[f, f]", ends[0], ends[1]);
}

static bool interval_take(const json_t *value, double ends[2]) {
  ends[0] = ends[1] = NAN;
  if (json_is_null(value)) return true;
  return json_array_size(value) == 2 && !measure_json_value(json_array_get(value, 0), &ends[0]) &&
         !measure_json_value(json_array_get(value, 1), &ends[1]);
}

/* ---- field gaps ------------------------------------------------------------------------------ */

static const column gap_columns[] = {
    COLUMNS(bridge_gap, AMOUNT, gap, rms),
    COLUMNS(bridge_gap, COUNT, states, touching),
    COLUMNS(bridge_gap, AMOUNT, inverse_weight, scaling),
    {0},
};

static json_t *gap_json(const bridge_gap *g) {
  return isnan(g->gap) ? json_null() : column_object(gap_columns, g);
}

static bool gap_take(const json_t *value, bridge_gap *g) {
  column_clear(gap_columns, g);
  return json_is_null(value) || column_take_object(gap_columns, value, g);
}

/* ---- settings -------------------------------------------------------------------------------- */

/* settings from an object, whose text they borrow; null is no limit, where there may be none, and
 * what is not there is not known. False when it is none; NULL or null is one without a member. */
static bool settings_take(const json_t *object, solver_settings *out) {
  *out = (solver_settings){.variant = json_string_value(json_object_get(object, "variant"))};
  for (const setting *line = settings_table; line->name; line++) {
    const json_t *const value = json_object_get(object, line->name);
    // JSON has no infinity
    const double otherwise = json_is_null(value) && line->max == INFINITY ? INFINITY : NAN;
    setting_put(line, out, json_is_number(value) ? json_number_value(value) : otherwise);
  }
  return !object || json_is_null(object) || json_is_object(object);
}

/* the numbers among them that a CSV has, by their names in that object */
enum { CSV_SETTINGS = 7 };
static const char *const csv_settings[CSV_SETTINGS] = {
    "epsilon", "rtol", "atol", "h_max", "projection_max", "projection_order", "time_step"};

/* empty where one is not known */
static void settings_csv(const solver_settings *s, measure_csv *csv) {
  for (size_t i = 0; i < CSV_SETTINGS; i++) {
    const double value = setting_get(setting_find(csv_settings[i]), s);
    if (isnan(value))
      measure_csv_text(csv, "");
    else
      measure_csv_number(csv, value);
  }
}

/* ---- values ---------------------------------------------------------------------------------- */

json_t *column_json(const column *c, const void *row) {
  any_value room;
  const void *const at = member(c, row, &room);
  switch (c->kind) {
  case COLUMN_COUNT:
    return json_integer((json_int_t) * (const size_t *)at);
  case COLUMN_FLAG:
    return json_boolean(*(const bool *)at);
  case COLUMN_TEXT:
    return json_string(column_text(c, row));
  case COLUMN_NOTE:
    return *(const char *const *)at ? json_string(column_text(c, row)) : json_null();
  case COLUMN_INTERVAL:
    return interval_json(at);
  case COLUMN_GAP:
    return gap_json(at);
  case COLUMN_SETTINGS:
    return record_settings(at);
  case COLUMN_NUMBER:
  case COLUMN_AMOUNT:
    break;
  }
  return measure_json_number(column_number(c, row));
}

json_t *column_object(const column columns[], const void *row) {
  json_t *const object = json_object();
  for (const column *c = columns; c->name; c++)
    json_object_set_new(object, c->name, column_json(c, row));
  return object;
}

bool column_take_object(const column columns[], const json_t *object, void *row) {
  bool taken = true;
  for (const column *c = columns; c->name; c++)
    taken = column_take(c, json_object_get(object, c->name), row) && taken;
  return taken;
}

void column_csv(const column *c, const void *row, measure_csv *csv) {
  any_value room;
  if (c->kind == COLUMN_TEXT || c->kind == COLUMN_NOTE)
    measure_csv_text(csv, column_text(c, row));
  else if (c->kind == COLUMN_SETTINGS)
    settings_csv(member(c, row, &room), csv);
  else
    measure_csv_number(csv, column_number(c, row));
}

size_t column_csv_names(const column *c, const char *names[COLUMN_CSV_NAMES_MAX]) {
  names[0] = c->name;
  if (c->kind != COLUMN_SETTINGS) return 1;
  for (size_t i = 0; i < CSV_SETTINGS; i++) names[i] = csv_settings[i];
  return CSV_SETTINGS;
}

void column_clear(const column columns[], void *row) {
  json_t *const unknown = json_null();
  if (is_by_place(columns)) ((column_values *)row)->columns = columns;
  for (const column *c = columns; c->name; c++) {
    column_take(c, unknown, row);
    if (c->kind == COLUMN_TEXT && !is_by_place(c)) *(const char **)((char *)row + c->offset) = "";
  }
}

void column_copy(const column *from, const void *row, const column *to, void *into) {
  json_t *const value = column_json(from, row);
  column_take(to, value, into);
  if (to->kind == COLUMN_TEXT) *(const char **)((char *)into + to->offset) = column_text(from, row);
  json_decref(value);
}

bool column_take(const column *c, const json_t *value, void *row) {
  any_value room;
  column_values *const given = row;
  void *const at = is_by_place(c) ? (void *)&room : (char *)row + c->offset;
  if (is_by_place(c)) given->value[c - given->columns] = value;
  switch (c->kind) {
  case COLUMN_COUNT:
    *(size_t *)at = (size_t)json_integer_value(value);
    return json_is_integer(value);
  case COLUMN_FLAG:
    *(bool *)at = json_is_true(value);
    return json_is_boolean(value);
  case COLUMN_TEXT:
  case COLUMN_NOTE:
    *(const char **)at = json_string_value(value);
    return json_is_string(value) || (c->kind == COLUMN_NOTE && json_is_null(value));
  case COLUMN_NUMBER:
  case COLUMN_AMOUNT:
    return measure_json_value(value, at) == MEASURE_SUCCESS;
  case COLUMN_SETTINGS:
    return settings_take(value, at);
  case COLUMN_INTERVAL:
    return interval_take(value, at);
  case COLUMN_GAP:
    return gap_take(value, at);
  }
  return false;
}

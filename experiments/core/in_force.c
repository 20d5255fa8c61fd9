/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "in_force.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "all_models.h"
#include "column.h"
#include "json_file.h"
#include "record.h"
#include "settings.h"
#include "solvers.h"

static const column settings_column = {.kind = COLUMN_SETTINGS};

/* without the members that are not known: null is infinity there */
static json_t *known_settings(const solver_settings *s) {
  json_t *const object = record_settings(s);
  for (const setting *line = settings_table; line->name; line++)
    if (isnan(setting_get(line, s))) json_object_del(object, line->name);
  if (!s->variant) json_object_del(object, "variant");
  return object;
}

static const char *text_of(sqlite3_value *value) {
  const char *const text = (const char *)sqlite3_value_text(value);
  return text ? text : "";
}

static void tell_in_force(sqlite3_context *c, int count, sqlite3_value **of) {
  (void)count;
  const model_type *const type = all_models_find(text_of(of[0]));
  const solver_type *const solver = solver_find(text_of(of[1]));
  json_t *const given = measure_json_parse(text_of(of[2]));
  solver_settings settings = solver_settings_default();
  json_t *const whole = record_settings(&settings);
  if (type && solver && json_is_object(given) && !json_object_update(whole, given) &&
      column_take(&settings_column, whole, &settings)) {
    settings = solver_settings_in_force(solver, &settings, type->time_step);
    json_t *const known = known_settings(&settings);
    sqlite3_result_text(c, measure_json_text(known), -1, free);
    json_decref(known);
  } else {
    sqlite3_result_error(c, "in_force: there is no such model, solver or settings", -1);
  }
  json_decref(whole);
  json_decref(given);
}

int in_force_teach(struct sqlite3 *database) {
  return sqlite3_create_function(database, "in_force", 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                 tell_in_force, NULL, NULL);
}

/*
 * Earlier results beside which new ones are shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "json_file.h"
#include "record.h"
#include "speed.h"

enum { LIST_SIZE = 4096, NAME_SIZE = 64 };

static const char equal_error[] = "equal-error";

/* ---- members --------------------------------------------------------------------------------- */

double speed_number_of(const json_t *object, const char *name) {
  double value = NAN;
  const json_t *const member = json_object_get(object, name);
  return member && !measure_json_value(member, &value) ? value : NAN;
}

static bool is(const json_t *object, const char *name, const char *text) {
  const char *const found = json_string_value(json_object_get(object, name));
  return found && strcmp(found, text) == 0;
}

/* libess by either of its methods */
static bool is_ours(const char *solver) {
  return solver && (strcmp(solver, "libess") == 0 || strcmp(solver, "projection") == 0);
}

/* an end of the interval `name` */
static double end_of(const json_t *object, const char *name, size_t i) {
  const json_t *const interval = json_object_get(object, name);
  return json_is_array(interval) ? json_number_value(json_array_get(interval, i)) : NAN;
}

static void add_row(json_t *before, const char *type, const json_t *contacts, double damping,
                    const char *field, const char *protocol, measure_interval ratio) {
  json_array_append_new(
      json_object_get(before, "rows"),
      json_pack("{s:s, s:O?, s:o, s:s, s:s, s:o, s:o, s:o}", "model", type, "contacts", contacts,
                "damping", measure_json_number(damping), "field", field, "protocol", protocol,
                "ratio", measure_json_number(ratio.estimate), "lo", measure_json_number(ratio.low),
                "hi", measure_json_number(ratio.high)));
}

static void add_marginal(json_t *before, const char *field, double value) {
  json_array_append_new(
      json_object_get(before, "marginals"),
      json_pack("{s:s, s:o}", "field", field, "share", measure_json_number(value)));
}

/* ---- what earlier programs wrote ------------------------------------------------------------- */

static void take_speed(json_t *before, const json_t *object) {
  size_t i;
  json_t *one;
  json_array_foreach(json_object_get(object, "rows"), i, one) {
    const char *const type = json_string_value(json_object_get(one, "model"));
    const char *const field = json_string_value(json_object_get(one, "field"));
    const char *const protocol = json_string_value(json_object_get(one, "protocol"));
    if (!is_ours(json_string_value(json_object_get(one, "solver"))) || !type || !field || !protocol)
      continue;
    const measure_interval ratio = {speed_number_of(one, speed_number_names[SPEED_N_RATIO]),
                                    speed_number_of(one, speed_number_names[SPEED_N_RATIO_LOW]),
                                    speed_number_of(one, speed_number_names[SPEED_N_RATIO_HIGH])};
    add_row(before, type, json_object_get(one, "contacts"), speed_number_of(one, "damping"), field,
            protocol, ratio);
  }
  json_array_foreach(json_object_get(object, "marginals"), i, one) {
    const char *const field = json_string_value(json_object_get(one, "field"));
    if (field) add_marginal(before, field, speed_number_of(one, "share"));
  }
}

/* the model's name is what benchmarks' names begin with */
static void sweep_model(const json_t *object, char name[NAME_SIZE]) {
  const json_t *const first = json_array_get(json_object_get(object, "benchmarks"), 0);
  const char *const text = json_string_value(json_object_get(first, "name"));
  snprintf(name, NAME_SIZE, "%.*s", text ? (int)strcspn(text, "/") : 0, text ? text : "");
}

/* libess's, or MuJoCo's */
static double sweep_slope(const json_t *object, bool ours) {
  size_t i;
  json_t *one;
  json_array_foreach(json_object_get(object, "slopes"), i, one) {
    const char *const solver = json_string_value(json_object_get(one, "solver"));
    if (is(one, "protocol", equal_error) && (ours ? is_ours(solver) : is(one, "solver", "mujoco")))
      return speed_number_of(one, "s_per_contact");
  }
  return NAN;
}

static void take_sweep(json_t *before, const json_t *object) {
  const json_t *const parameters = json_object_get(object, "model");
  const char *const field = json_string_value(json_object_get(parameters, "field"));
  char name[NAME_SIZE];
  size_t i;
  json_t *one;
  sweep_model(object, name);
  json_array_foreach(json_object_get(object, "ratios"), i, one) {
    if (!is(one, "protocol", equal_error)) continue;
    const measure_interval ratio = {speed_number_of(one, "mujoco_over_projection"),
                                    end_of(one, "interval", 0), end_of(one, "interval", 1)};
    add_row(before, name, json_object_get(one, "contacts"), speed_number_of(parameters, "damping"),
            field ? field : "", equal_error, ratio);
  }
  const double share = sweep_slope(object, true) / sweep_slope(object, false);
  if (field && !isnan(share)) add_marginal(before, field, share);
}

static int read_folder(json_t *before, const char *folder, char *message) {
  static const char *const names[] = {"speed.json", "sweep.json"};
  for (size_t i = 0; i < 2; i++) {
    char path[RECORD_PATH_SIZE];
    if (record_path(path, folder, names[i]) || access(path, F_OK)) continue;
    json_t *const object = measure_json_read(path, message);
    if (!object) return -1;
    (i ? take_sweep : take_speed)(before, object);
    json_decref(object);
    return 0;
  }
  measure_message(message, "--before: %.200s holds neither speed.json nor sweep.json", folder);
  return -1;
}

json_t *speed_before_read(const char *folders, char *message) {
  char copy[LIST_SIZE];
  json_t *const before = json_pack("{s:[], s:[]}", "rows", "marginals");
  if (!before || (size_t)snprintf(copy, sizeof copy, "%s", folders) >= sizeof copy) {
    json_decref(before);
    measure_message(message, "--before: the list of folders is too long");
    return NULL;
  }
  for (char *folder, *rest = copy; (folder = strsep(&rest, ","));) {
    if (!read_folder(before, folder, message)) continue;
    json_decref(before);
    return NULL;
  }
  return before;
}

/* ---- look-up --------------------------------------------------------------------------------- */

/* both the same number, or both none */
static bool alike(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

measure_interval speed_before_find(const json_t *before, const speed_row *row) {
  size_t i;
  json_t *one;
  if (is_ours(row->text[SPEED_TEXT_SOLVER])) {
    json_array_foreach(json_object_get(before, "rows"), i, one) {
      if (is(one, "model", row->text[SPEED_TEXT_MODEL]) &&
          is(one, "field", row->text[SPEED_TEXT_FIELD]) &&
          is(one, "protocol", row->text[SPEED_TEXT_PROTOCOL]) &&
          speed_number_of(one, "contacts") == row->number[SPEED_N_CONTACTS] &&
          alike(speed_number_of(one, "damping"), row->number[SPEED_N_DAMPING]))
        return (measure_interval){speed_number_of(one, "ratio"), speed_number_of(one, "lo"),
                                  speed_number_of(one, "hi")};
    }
  }
  return (measure_interval){NAN, NAN, NAN};
}

double speed_before_share(const json_t *before, speed_form form) {
  size_t i;
  json_t *one;
  json_array_foreach(json_object_get(before, "marginals"), i, one) {
    if (is(one, "field", speed_form_name(form))) return speed_number_of(one, "share");
  }
  return NAN;
}

/*
 * Earlier results beside which new ones are shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "earlier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_file.h"
#include "record.h"

enum { NAME_SIZE = 64 };

static const char equal_error[] = "equal-error";

/* {model, contacts, damping, field, protocol, ratio, lo, hi}, and {field, share}; owned */
struct earlier {
  json_t *rows, *marginals;
};

/* ---- members --------------------------------------------------------------------------------- */

static double number_of(const json_t *object, const char *name) {
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

static void add_row(earlier *e, const char *type, const json_t *contacts, double damping,
                    const char *field, const char *protocol, measure_interval ratio) {
  json_array_append_new(
      e->rows, json_pack("{s:s, s:O?, s:o, s:s, s:s, s:o, s:o, s:o}", "model", type, "contacts",
                         contacts, "damping", measure_json_number(damping), "field", field,
                         "protocol", protocol, "ratio", measure_json_number(ratio.estimate), "lo",
                         measure_json_number(ratio.low), "hi", measure_json_number(ratio.high)));
}

static void add_marginal(earlier *e, const char *field, double value) {
  json_array_append_new(
      e->marginals, json_pack("{s:s, s:o}", "field", field, "share", measure_json_number(value)));
}

/* ---- what earlier programs wrote ------------------------------------------------------------- */

static void take_speed(earlier *e, const json_t *object) {
  size_t i;
  json_t *one;
  json_array_foreach(json_object_get(object, "rows"), i, one) {
    const char *const type = json_string_value(json_object_get(one, "model"));
    const char *const field = json_string_value(json_object_get(one, "field"));
    const char *const protocol = json_string_value(json_object_get(one, "protocol"));
    if (!is_ours(json_string_value(json_object_get(one, "solver"))) || !type || !field || !protocol)
      continue;
    const measure_interval ratio = {number_of(one, "mujoco_over_this"),
                                    number_of(one, "mujoco_over_this_lo"),
                                    number_of(one, "mujoco_over_this_hi")};
    add_row(e, type, json_object_get(one, "contacts"), number_of(one, "damping"), field, protocol,
            ratio);
  }
  json_array_foreach(json_object_get(object, "marginals"), i, one) {
    const char *const field = json_string_value(json_object_get(one, "field"));
    if (field) add_marginal(e, field, number_of(one, "share"));
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
      return number_of(one, "s_per_contact");
  }
  return NAN;
}

static void take_sweep(earlier *e, const json_t *object) {
  const json_t *const parameters = json_object_get(object, "model");
  const char *const field = json_string_value(json_object_get(parameters, "field"));
  char name[NAME_SIZE];
  size_t i;
  json_t *one;
  sweep_model(object, name);
  json_array_foreach(json_object_get(object, "ratios"), i, one) {
    if (!is(one, "protocol", equal_error)) continue;
    const measure_interval ratio = {number_of(one, "mujoco_over_projection"),
                                    end_of(one, "interval", 0), end_of(one, "interval", 1)};
    add_row(e, name, json_object_get(one, "contacts"), number_of(parameters, "damping"),
            field ? field : "", equal_error, ratio);
  }
  const double share = sweep_slope(object, true) / sweep_slope(object, false);
  if (field && !isnan(share)) add_marginal(e, field, share);
}

static int read_folder(earlier *e, const char *folder, char *message) {
  static const char *const names[] = {"speed.json", "sweep.json"};
  for (size_t i = 0; i < 2; i++) {
    char path[RECORD_PATH_SIZE];
    if (record_path(path, folder, names[i]) || access(path, F_OK)) continue;
    json_t *const object = measure_json_read(path, message);
    if (!object) return -1;
    (i ? take_sweep : take_speed)(e, object);
    json_decref(object);
    return 0;
  }
  measure_message(message, "--before: %.200s holds neither speed.json nor sweep.json", folder);
  return -1;
}

earlier *earlier_read(const char *folders, char message[MEASURE_MESSAGE_SIZE]) {
  char *const copy = strdup(folders);
  earlier *const e = calloc(1, sizeof *e);
  if (e) *e = (earlier){json_array(), json_array()};
  int status = copy && e && e->rows && e->marginals ? 0 : -1;
  if (status) measure_message(message, "out of memory");
  for (char *folder, *rest = copy; !status && (folder = strsep(&rest, ","));)
    status = read_folder(e, folder, message);
  free(copy);
  if (!status) return e;
  earlier_free(e);
  return NULL;
}

void earlier_free(earlier *e) {
  if (!e) return;
  json_decref(e->rows);
  json_decref(e->marginals);
  free(e);
}

/* ---- look-up --------------------------------------------------------------------------------- */

/* both the same number, or both none */
static bool alike(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

measure_interval earlier_ratio(const earlier *e, const char *type, size_t contacts, double damping,
                               const char *field, const char *protocol) {
  size_t i;
  json_t *one;
  json_array_foreach(e ? e->rows : NULL, i, one) {
    if (is(one, "model", type) && is(one, "field", field) && is(one, "protocol", protocol) &&
        number_of(one, "contacts") == (double)contacts && alike(number_of(one, "damping"), damping))
      return (measure_interval){number_of(one, "ratio"), number_of(one, "lo"),
                                number_of(one, "hi")};
  }
  return (measure_interval){NAN, NAN, NAN};
}

double earlier_share(const earlier *e, const char *field) {
  size_t i;
  json_t *one;
  json_array_foreach(e ? e->marginals : NULL, i, one) {
    if (is(one, "field", field)) return number_of(one, "share");
  }
  return NAN;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
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

/* ---- what earlier programs wrote ------------------------------------------------------------- */

/* what a ratio is of */
typedef struct key {
  const char *type, *field, *protocol;
  size_t contacts;
  double damping;
} key;

/* both the same number, or both none */
static bool alike(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* the row of speed.json, or NULL */
static const json_t *speed_row(const json_t *object, const key *k) {
  size_t i;
  json_t *one;
  json_array_foreach(json_object_get(object, "rows"), i, one) {
    if (is_ours(json_string_value(json_object_get(one, "solver"))) && is(one, "model", k->type) &&
        is(one, "field", k->field) && is(one, "protocol", k->protocol) &&
        number_of(one, "contacts") == (double)k->contacts &&
        alike(number_of(one, "damping"), k->damping))
      return one;
  }
  return NULL;
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

/* the one of sweep.json's ratios, or NULL */
static const json_t *sweep_ratio(const json_t *object, const key *k) {
  const json_t *const parameters = json_object_get(object, "model");
  const char *const field = json_string_value(json_object_get(parameters, "field"));
  char name[NAME_SIZE];
  size_t i;
  json_t *one;
  sweep_model(object, name);
  if (strcmp(name, k->type) != 0 || strcmp(field ? field : "", k->field) != 0 ||
      strcmp(k->protocol, equal_error) != 0 || !alike(number_of(parameters, "damping"), k->damping))
    return NULL;
  json_array_foreach(json_object_get(object, "ratios"), i, one) {
    if (is(one, "protocol", equal_error) && number_of(one, "contacts") == (double)k->contacts)
      return one;
  }
  return NULL;
}

static int read_folder(json_t *files, const char *folder, char *message) {
  static const char *const names[] = {"speed.json", "sweep.json"};
  for (size_t i = 0; i < 2; i++) {
    char path[RECORD_PATH_SIZE];
    if (access(record_path(path, folder, names[i]), F_OK)) continue;
    json_t *const object = measure_json_read(path, message);
    return object ? json_array_append_new(files, object) : -1;
  }
  return measure_fail(message, "--before: %.200s holds neither speed.json nor sweep.json", folder);
}

json_t *earlier_read(const char *folders, char message[MEASURE_MESSAGE_SIZE]) {
  char *const copy = strdup(folders);
  json_t *const files = json_array();
  int status = copy && files ? 0 : -1;
  if (status) measure_message(message, "out of memory");
  for (char *folder, *rest = copy; !status && (folder = strsep(&rest, ","));)
    status = read_folder(files, folder, message);
  free(copy);
  if (!status) return files;
  json_decref(files);
  return NULL;
}

/* ---- look-up --------------------------------------------------------------------------------- */

measure_interval earlier_ratio(const json_t *files, const char *type, size_t contacts,
                               double damping, const char *field, const char *protocol) {
  const key k = {type, field, protocol, contacts, damping};
  size_t i;
  json_t *object;
  json_array_foreach(files, i, object) {
    const json_t *const row = speed_row(object, &k), *const ratio = sweep_ratio(object, &k);
    if (row)
      return (measure_interval){number_of(row, "mujoco_over_this"),
                                number_of(row, "mujoco_over_this_lo"),
                                number_of(row, "mujoco_over_this_hi")};
    if (ratio)
      return (measure_interval){number_of(ratio, "mujoco_over_projection"),
                                end_of(ratio, "interval", 0), end_of(ratio, "interval", 1)};
  }
  return (measure_interval){NAN, NAN, NAN};
}

double earlier_share(const json_t *files, const char *field) {
  size_t i, k;
  json_t *object, *one;
  json_array_foreach(files, i, object) {
    json_array_foreach(json_object_get(object, "marginals"), k, one) {
      if (is(one, "field", field)) return number_of(one, "share");
    }
    const double share = sweep_slope(object, true) / sweep_slope(object, false);
    if (is(json_object_get(object, "model"), "field", field) && !isnan(share)) return share;
  }
  return NAN;
}

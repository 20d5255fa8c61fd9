/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "baselines.h"
#include "environment.h"
#include "json_file.h"
#include "solvers.h"

json_t *record_environment_now(int pinned_core) {
  json_t *const environment = measure_environment(pinned_core);
  if (!environment) return NULL;
  json_object_set_new(environment, "mujoco",
                      json_pack("{s:s, s:s, s:s}", "version", bridge_version_string(), "library",
                                bridge_library_path(), "avx", bridge_has_avx()));
  char sundials[SUNDIALS_VERSION_SIZE];
  sundials_version(sundials);
  json_object_set_new(environment, "sundials", json_string(sundials));
  json_object_set_new(environment, "ode", measure_json_known(ode_version()));
  if (strcmp(bridge_has_avx(), "no") == 0)
    json_array_append_new(json_object_get(environment, "warnings"),
                          json_string("MuJoCo is built without AVX, slower than it could be"));
  return environment;
}

int record_environment(int pinned_core, bool strict, json_t **environment,
                       char message[MEASURE_MESSAGE_SIZE]) {
  *environment = record_environment_now(pinned_core);
  measure_message(message, "out of memory");
  if (!*environment) return -1;
  const json_t *const warnings = json_object_get(*environment, "warnings");
  const size_t count = json_array_size(warnings);
  for (size_t i = 0; i < count; i++)
    fprintf(stderr, "warning: %s\n", json_string_value(json_array_get(warnings, i)));
  if (!strict || count == 0) return 0;
  return measure_fail(message,
                      "--strict, and the environment has %zu warning%s: nothing is measured", count,
                      count > 1 ? "s" : "");
}

json_t *record_head(const char *schema, const char *name, unsigned long seed, json_t *environment) {
  if (!environment) return NULL;
  return json_pack("{s:s, s:i, s:s, s:s, s:I, s:o}", "schema", schema, "schema_version", 1,
                   "essbench", ESSBENCH_VERSION, "command", name, "seed", (json_int_t)seed,
                   "environment", environment);
}

json_t *record_build(void) {
  static const char *const names[] = {"git_commit",     "git_dirty", "compiler",
                                      "compiler_flags", "isa",       "sanitizers"};
  json_t *const environment = measure_environment(-1), *const build = json_object();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    json_object_set(build, names[i], json_object_get(environment, names[i]));
  json_decref(environment);
  return build;
}

json_t *record_model(const model *m) {
  json_t *const object = json_pack("{s:s*}", "file", m->file);
  for (size_t i = 0; object && i < m->type->parameter_count; i++) {
    const model_parameter *const p = &m->type->parameters[i];
    json_t *const value = p->choices   ? json_string(p->choices[(size_t)m->value[i]])
                          : p->integer ? json_integer((json_int_t)m->value[i])
                                       : measure_json_number(m->value[i]);
    json_object_set_new(object, p->name, value);
  }
  return object;
}

json_t *record_named_model(const model *m) {
  json_t *const object = json_pack("{s:s}", "name", m->type->name);
  json_object_update_new(object, record_model(m));
  return object;
}

json_t *record_settings(const solver_settings *s) {
  json_t *const object = json_object();
  for (const setting *line = settings_table; line->name; line++) {
    const double value = setting_get(line, s);
    json_object_set_new(object, line->name,
                        line->whole && !isnan(value) ? json_integer((json_int_t)value)
                                                     : measure_json_number(value));
  }
  json_object_set_new(object, "variant", s->variant ? json_string(s->variant) : json_null());
  return object;
}

const char *record_path(char path[RECORD_PATH_SIZE], const char *folder, const char *name) {
  snprintf(path, RECORD_PATH_SIZE, "%s/%s", folder, name);
  return path;
}

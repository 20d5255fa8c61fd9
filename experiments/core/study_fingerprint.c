/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the samples of a study depend on. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record.h"
#include "study_run.h"

static void add_racers(json_t *settings, const study_racers *racers) {
  json_t *const names = json_array();
  for (size_t i = 0; i < racers->count; i++)
    json_array_append_new(names, json_string(racers->solver[i]->name));
  json_object_set_new(settings, "solvers", names);
  json_object_set_new(settings, "settings", record_settings(&racers->settings));
}

/* in which two runs must agree for their samples to be of one study */
json_t *study_fingerprint(const study_run *run) {
  json_t *const settings = json_object();
  for (const study_option *o = run->study->options; o->name; o++)
    if (!o->shows) json_object_set_new(settings, o->name, option_json(o, run->settings));
  if (run->operand) json_object_set_new(settings, run->study->operand, json_string(run->operand));
  if (run->content)
    json_object_set_new(settings, "content of the files it is given",
                        json_sprintf("%016" PRIx64, run->content));
  if (run->m->type) json_object_set_new(settings, "model", record_model(run->m));
  json_object_set_new(settings, "seed", json_integer((json_int_t)run->seed));
  if (run->study->pinned)
    json_object_set_new(settings, "processes", json_integer((json_int_t)run->processes));
  if (run->study->solvers) add_racers(settings, &run->racers);
  json_object_set_new(settings, "mujoco", json_string(bridge_version_string()));
  json_object_set_new(settings, "mujoco_library", json_string(bridge_library_path()));
  json_object_set_new(settings, "build", record_build());
  return settings;
}

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

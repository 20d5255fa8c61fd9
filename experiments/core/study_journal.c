/*
 * The journal of a study: what its samples depend on first, then every cell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "record.h"
#include "resume.h"
#include "study_run.h"

enum { NAME_SIZE = 64 };

static void add_racers(json_t *settings, const study_racers *racers) {
  json_t *const names = json_array();
  for (size_t i = 0; i < racers->count; i++)
    json_array_append_new(names, json_string(racers->solver[i]->name));
  json_object_set_new(settings, "solvers", names);
  json_object_set_new(settings, "settings", record_settings(&racers->settings));
}

/* in which two runs must agree for their samples to be of one study */
static json_t *fingerprint(const study_run *run) {
  json_t *const settings = json_object();
  for (const study_option *o = run->study->options; o->name; o++)
    json_object_set_new(settings, o->name, option_json(o, run->settings));
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

static bool take(void *context, const char *type, const json_t *entry) {
  return strcmp(type, "sample") == 0 && study_cells_take(context, entry);
}

static int forget(void *context, char *message) {
  study_run *const run = context;
  (void)message;
  free(run->private->elsewhere);
  run->private->elsewhere = NULL;
  return json_object_clear(run->private->known);
}

int study_journal_open(study_run *run) {
  if (run->study->brief) return 0;
  const study_request *const request = run->private->request;
  char name[NAME_SIZE + STUDY_CELL_NAME_SIZE], of[STUDY_CELL_NAME_SIZE] = "";
  if (run->study->kept) study_case_name(run, of);
  snprintf(name, sizeof name, "%s%s%s.journal", run->study->file, *of ? "_" : "", of);
  const resume_protocol protocol = {.what = "measurement",
                                    .folder = run->folder,
                                    .name = name,
                                    .restart = request->restart,
                                    .take = take,
                                    .forget = forget,
                                    .context = run};
  json_t *const settings = fingerprint(run);
  const int status = resume_open(&run->private->journal, &protocol, settings, run->message);
  json_decref(settings);
  if (status || !run->private->elsewhere) return status;
  measure_message(
      run->message,
      "%s/%s holds times of host %.100s, and this is %.100s; go on there, or begin anew "
      "with --restart",
      run->folder, name, run->private->elsewhere, ranks_host());
  return -1;
}

int study_journal_append(study_run *run, json_t *entry) {
  const bool taken = study_cells_take(run, entry);
  if (taken && run->private->journal)
    return resume_append(run->private->journal, entry, run->message);
  json_decref(entry);
  if (taken) return 0;
  measure_message(run->message, "out of memory");
  return -1;
}

int study_journal_finish(study_run *run) {
  return run->private->journal ? resume_finish(run->private->journal, run->message) : 0;
}

/*
 * A case's journal: its settings first, then what every first run showed and every sample.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_file.h"
#include "record.h"
#include "resume.h"
#include "work_precision.h"

/* settings in which two runs must agree for their samples to be one case's */
static json_t *fingerprint(const precision_case *c) {
  const arguments *const given = c->given;
  json_t *const settings = json_pack(
      "{s:s, s:o, s:I, s:I, s:f, s:f, s:s, s:s}", "name", c->m->type->name, "model",
      record_model(c->m), "trials", (json_int_t)c->trials, "seed", (json_int_t)given->seed,
      "point_work", given->point_work, "min_time", given->min_time, "mujoco",
      bridge_version_string(), "mujoco_library", bridge_library_path());
  json_t *const methods = json_array();
  for (size_t i = 0; i < c->count; i++)
    json_array_append_new(methods, json_pack("{s:s, s:o}", "method", c->point[i].method->name,
                                             "settings", record_settings(&c->point[i].settings)));
  json_object_set_new(settings, "methods", methods);
  json_object_set_new(settings, "build", record_build());
  return settings;
}

static double number_of(const json_t *object, const char *name) {
  double value = NAN;
  const json_t *const member = json_object_get(object, name);
  return member && !measure_json_value(member, &value) ? value : NAN;
}

static size_t index_of(const json_t *object, const char *name) {
  return (size_t)json_integer_value(json_object_get(object, name));
}

static void take_message(precision_point *p, const json_t *entry) {
  const char *const message = json_string_value(json_object_get(entry, "message"));
  if (message && !p->message[0]) snprintf(p->message, sizeof p->message, "%s", message);
}

static bool take_probe(const precision_case *c, precision_point *p, const json_t *entry) {
  const size_t obstacle = index_of(entry, "obstacle");
  p->trials = index_of(entry, "trials");
  if (obstacle > PRECISION_REFUSED || p->trials > c->trials) return false;
  p->probed = true;
  p->obstacle = (precision_status)obstacle;
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
    p->first[q] = number_of(entry, precision_quantity_names[q]);
  return true;
}

bool precision_journal_take(precision_case *c, const json_t *entry) {
  const size_t i = index_of(entry, "point"), j = index_of(entry, "trial");
  if (i >= c->count || j >= c->trials) return false;
  precision_point *const p = &c->point[i];
  take_message(p, entry);
  // the first run of a point is a sample, too, of what it does
  if (json_object_get(entry, "obstacle")) return take_probe(c, p, entry);
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
    p->sample[q][j] = number_of(entry, precision_quantity_names[q]);
  return true;
}

static bool take(void *context, const char *type, const json_t *entry) {
  return strcmp(type, "sample") == 0 && precision_journal_take(context, entry);
}

static int forget(void *context, char *message) {
  (void)message;
  precision_case_clear(context);
  return 0;
}

int precision_journal_open(measure_journal **journal, precision_case *c, char *message) {
  char name[PRECISION_NAME_SIZE], file[PRECISION_NAME_SIZE + 32];
  precision_case_name(c, name);
  snprintf(file, sizeof file, "work_precision_%s.journal", name);
  const resume_protocol protocol = {.what = "measurement",
                                    .folder = c->given->folder,
                                    .name = file,
                                    .restart = c->given->restart,
                                    .take = take,
                                    .forget = forget,
                                    .context = c};
  json_t *const settings = fingerprint(c);
  const int status = resume_open(journal, &protocol, settings, message);
  json_decref(settings);
  return status;
}

/* appends an entry of a point, which is completed by the values of a run */
static int append_run(measure_journal *journal, json_t *entry, const double values[],
                      char *message) {
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
    json_object_set_new(entry, precision_quantity_names[q], measure_json_number(values[q]));
  return resume_append(journal, entry, message);
}

int precision_journal_probe(measure_journal *journal, const precision_case *c, size_t point,
                            char *message) {
  const precision_point *const p = &c->point[point];
  json_t *const entry =
      json_pack("{s:s, s:I, s:I, s:i, s:I, s:s}", "type", "sample", "contacts",
                (json_int_t)c->contacts, "point", (json_int_t)point, "obstacle", (int)p->obstacle,
                "trials", (json_int_t)p->trials, "message", p->message);
  return append_run(journal, entry, p->first, message);
}

int precision_journal_sample(measure_journal *journal, const precision_case *c, size_t point,
                             size_t trial, char *message) {
  const precision_point *const p = &c->point[point];
  double values[PRECISION_QUANTITIES];
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++) values[q] = p->sample[q][trial];
  json_t *const entry =
      json_pack("{s:s, s:I, s:I, s:I, s:s}", "type", "sample", "contacts", (json_int_t)c->contacts,
                "point", (json_int_t)point, "trial", (json_int_t)trial, "message", p->message);
  return append_run(journal, entry, values, message);
}

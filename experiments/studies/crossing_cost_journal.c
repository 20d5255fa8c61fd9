/*
 * The journal of crossing-cost: its settings first, then what was chosen at every number of
 * contacts and every sample.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crossing_cost.h"
#include "json_file.h"
#include "record.h"
#include "resume.h"

static json_t *fingerprint(const crossing *all) {
  const arguments *const given = all->given;
  json_t *const contacts = json_array(), *const methods = json_array();
  for (size_t i = 0; i < given->contacts.count; i++)
    json_array_append_new(contacts, json_integer((json_int_t)given->contacts.contacts[i]));
  for (size_t i = 0; i < precision_method_count; i++)
    if (all->chosen[i]) json_array_append_new(methods, json_string(precision_methods[i].name));
  return json_pack("{s:o, s:o, s:o, s:I, s:I, s:f, s:f, s:f, s:s, s:s, s:o}", "contacts", contacts,
                   "methods", methods, "model", record_model(&given->m), "trials",
                   (json_int_t)given->trials, "seed", (json_int_t)given->seed, "target",
                   given->target, "point_work", given->point_work, "min_time", given->min_time,
                   "mujoco", bridge_version_string(), "mujoco_library", bridge_library_path(),
                   "build", record_build());
}

static bool take(void *context, const char *type, const json_t *entry) {
  crossing *const all = context;
  return strcmp(type, "sample") == 0 &&
         json_array_append(all->entries, (json_t *)(uintptr_t)entry) == 0;
}

static int forget(void *context, char *message) {
  crossing *const all = context;
  (void)message;
  return json_array_clear(all->entries);
}

int crossing_journal_open(crossing *all) {
  const resume_protocol protocol = {.what = "measurement",
                                    .folder = all->given->folder,
                                    .name = "crossing_cost.journal",
                                    .restart = all->given->restart,
                                    .take = take,
                                    .forget = forget,
                                    .context = all};
  json_t *const settings = fingerprint(all);
  const int status = resume_open(&all->journal, &protocol, settings, all->message);
  json_decref(settings);
  return status;
}

static double number_of(const json_t *object, const char *name) {
  double value = NAN;
  const json_t *const member = json_object_get(object, name);
  return member && !measure_json_value(member, &value) ? value : NAN;
}

bool crossing_journal_recall(const crossing *all, size_t contacts, crossing_choice *choice) {
  size_t i;
  json_t *entry;
  json_array_foreach(all->entries, i, entry) {
    const char *const name = json_string_value(json_object_get(entry, "choice"));
    if (!name || strcmp(name, choice->method->name) != 0 ||
        (size_t)json_integer_value(json_object_get(entry, "contacts")) != contacts)
      continue;
    choice->status = (precision_status)json_integer_value(json_object_get(entry, "status"));
    choice->value = number_of(entry, "value");
    choice->rms = number_of(entry, "rms_error");
    choice->seconds = number_of(entry, "seconds");
    choice->trials = (size_t)json_integer_value(json_object_get(entry, "trials"));
    const char *const message = json_string_value(json_object_get(entry, "message"));
    snprintf(choice->message, sizeof choice->message, "%s", message ? message : "");
    return true;
  }
  return false;
}

int crossing_journal_choice(crossing *all, size_t contacts, const crossing_choice *choice) {
  return resume_append(
      all->journal,
      json_pack("{s:s, s:I, s:s, s:i, s:o, s:o, s:o, s:I, s:s}", "type", "sample", "contacts",
                (json_int_t)contacts, "choice", choice->method->name, "status", (int)choice->status,
                "value", measure_json_number(choice->value), "rms_error",
                measure_json_number(choice->rms), "seconds", measure_json_number(choice->seconds),
                "trials", (json_int_t)choice->trials, "message", choice->message),
      all->message);
}

void crossing_journal_samples(const crossing *all, precision_case *c) {
  size_t i;
  json_t *entry;
  json_array_foreach(all->entries, i, entry) {
    if (json_object_get(entry, "point") &&
        (size_t)json_integer_value(json_object_get(entry, "contacts")) == c->contacts)
      precision_journal_take(c, entry);
  }
}

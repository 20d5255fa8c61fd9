/*
 * The journal of scale: its settings first, then every sample.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_file.h"
#include "record.h"
#include "resume.h"
#include "scale.h"

enum { KEY_SIZE = 128 };

/* which sample it is */
static void key_of(const scale_case *c, const scale_point *p, size_t trial, char key[KEY_SIZE]) {
  snprintf(key, KEY_SIZE, "N=%zu order=%d epsilon=%.17g trial=%zu", c->contacts, p->order,
           p->epsilon, trial);
}

static json_t *fingerprint(const scale *all) {
  const arguments *const given = all->given;
  json_t *const contacts = json_array(), *const epsilons = json_array();
  for (size_t i = 0; i < given->contacts.count; i++)
    json_array_append_new(contacts, json_integer((json_int_t)given->contacts.contacts[i]));
  for (size_t i = 0; i < given->epsilon_count; i++)
    json_array_append_new(epsilons, json_real(given->epsilons[i]));
  return json_pack("{s:o, s:o, s:o, s:I, s:I, s:f, s:o}", "contacts", contacts, "epsilons",
                   epsilons, "model", record_model(&given->m), "trials", (json_int_t)given->trials,
                   "seed", (json_int_t)given->seed, "point_time", given->point_time, "build",
                   record_build());
}

static bool take(void *context, const char *type, const json_t *entry) {
  scale *const all = context;
  const char *const key = json_string_value(json_object_get(entry, "key"));
  return strcmp(type, "sample") == 0 && key &&
         json_object_set(all->known, key, json_object_get(entry, "values")) == 0;
}

static int forget(void *context, char *message) {
  scale *const all = context;
  (void)message;
  return json_object_clear(all->known);
}

int scale_journal_open(scale *all) {
  const resume_protocol protocol = {.what = "measurement",
                                    .folder = all->given->folder,
                                    .name = "scale.journal",
                                    .restart = all->given->restart,
                                    .take = take,
                                    .forget = forget,
                                    .context = all};
  json_t *const settings = fingerprint(all);
  const int status = resume_open(&all->journal, &protocol, settings, all->message);
  json_decref(settings);
  return status;
}

bool scale_journal_recall(const scale *all, const scale_case *c, scale_point *p, size_t trial) {
  char key[KEY_SIZE];
  key_of(c, p, trial, key);
  const json_t *const values = json_object_get(all->known, key);
  if (json_array_size(values) != SCALE_QUANTITIES) return false;
  for (size_t q = 0; q < SCALE_QUANTITIES; q++)
    if (measure_json_value(json_array_get(values, q), &p->sample[q * c->starts.trials + trial]))
      return false;
  return true;
}

int scale_journal_sample(scale *all, const scale_case *c, const scale_point *p, size_t trial) {
  char key[KEY_SIZE];
  key_of(c, p, trial, key);
  json_t *const values = json_array();
  for (size_t q = 0; q < SCALE_QUANTITIES; q++)
    json_array_append_new(values, measure_json_number(p->sample[q * c->starts.trials + trial]));
  return resume_append(all->journal,
                       json_pack("{s:s, s:s, s:o}", "type", "sample", "key", key, "values", values),
                       all->message);
}

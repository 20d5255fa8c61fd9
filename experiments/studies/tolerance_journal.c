/*
 * The journal of tolerance: its settings first, then every piece of work.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "json_file.h"
#include "record.h"
#include "resume.h"
#include "tolerance.h"

static json_t *numbers(const double value[], size_t count) {
  json_t *const list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, measure_json_number(value[i]));
  return list;
}

static json_t *fingerprint(const tolerance *all) {
  const arguments *const given = all->given;
  json_t *const contacts = json_array();
  for (size_t i = 0; i < given->contacts.count; i++)
    json_array_append_new(contacts, json_integer((json_int_t)given->contacts.contacts[i]));
  return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "contacts", contacts, "damping",
                   numbers(given->dampings, given->damping_count), "tolerances",
                   numbers(given->tolerances, given->tolerance_count), "model",
                   record_model(&given->m), "trials", (json_int_t)given->trials, "seed",
                   (json_int_t)given->seed, "build", record_build());
}

static bool take(void *context, const char *type, const json_t *entry) {
  const tolerance *const all = context;
  const json_t *const values = json_object_get(entry, "values");
  const json_int_t work = json_integer_value(json_object_get(entry, "work"));
  if (strcmp(type, "sample") != 0 || work < 0 || (size_t)work >= all->work_count ||
      json_array_size(values) != all->work_size)
    return false;
  for (size_t i = 0; i < all->work_size; i++)
    if (measure_json_value(json_array_get(values, i), &tolerance_work(all, (size_t)work)[i]))
      return false;
  return all->done[work] = true;
}

static int forget(void *context, char *message) {
  const tolerance *const all = context;
  (void)message;
  memset(all->done, 0, all->work_count * sizeof *all->done);
  return 0;
}

int tolerance_journal_open(tolerance *all) {
  const resume_protocol protocol = {.what = "measurement",
                                    .folder = all->given->folder,
                                    .name = "tolerance.journal",
                                    .restart = all->given->restart,
                                    .take = take,
                                    .forget = forget,
                                    .context = all};
  json_t *const settings = fingerprint(all);
  const int status = resume_open(&all->journal, &protocol, settings, all->message);
  json_decref(settings);
  return status;
}

int tolerance_journal_append(tolerance *all, size_t work) {
  return resume_append(all->journal,
                       json_pack("{s:s, s:I, s:o}", "type", "sample", "work", (json_int_t)work,
                                 "values", numbers(tolerance_work(all, work), all->work_size)),
                       all->message);
}

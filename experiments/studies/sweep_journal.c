/*
 * The sweep's journal: its settings first, then what was learned of each row and every raw sample.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_file.h"
#include "record.h"
#include "resume.h"
#include "solvers.h"
#include "sweep.h"

/* settings in which two runs must agree for their samples to be one sweep's */
static json_t *fingerprint(const sweep_data *data) {
  const arguments *const given = data->given;
  json_t *const settings =
      json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:s, s:s}", "protocol", given->protocol,
                "trials", (json_int_t)data->trials, "seed", (json_int_t)given->seed, "processes",
                (json_int_t)given->processes, "model", record_model(&given->m), "settings",
                record_settings(&given->settings), "epsilon", measure_json_number(data->epsilon),
                "mujoco", bridge_version_string(), "mujoco_library", bridge_library_path());
  json_t *const contacts = json_array(), *const solvers = json_array();
  for (size_t i = 0; i < data->rows; i++)
    json_array_append_new(contacts, json_integer((json_int_t)data->row[i].contacts));
  for (size_t k = 0; k < given->solver_count; k++)
    json_array_append_new(solvers, json_string(given->solvers[k]->name));
  json_object_set_new(settings, "contacts", contacts);
  json_object_set_new(settings, "solvers", solvers);
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

/* JSON has no infinity: an absent number is no limit */
static double limit_of(const json_t *object, const char *name) {
  const double value = number_of(object, name);
  return isnan(value) ? INFINITY : value;
}

/* ---- entries of a row ------------------------------------------------------------------------ */

static json_t *entry_json(const protocol_entry *e) {
  return json_pack("{s:s, s:s, s:o, s:o, s:o}", "solver", e->solver->name, "protocol", e->protocol,
                   "target", measure_json_number(e->target), "tuned_rms",
                   measure_json_number(e->tuned_rms), "settings", record_settings(&e->settings));
}

static bool entry_from_json(const json_t *object, const solver_settings *base, protocol_entry *e) {
  const char *const solver = json_string_value(json_object_get(object, "solver"));
  const char *const protocol = json_string_value(json_object_get(object, "protocol"));
  const json_t *const s = json_object_get(object, "settings");
  if (!solver || !protocol || !s || !(e->solver = solver_find(solver))) return false;
  snprintf(e->protocol, sizeof e->protocol, "%s", protocol);
  e->target = number_of(object, "target");
  e->tuned_rms = number_of(object, "tuned_rms");
  e->settings = *base;
  e->settings.epsilon = number_of(s, "epsilon");
  e->settings.rtol = number_of(s, "rtol");
  e->settings.atol = number_of(s, "atol");
  e->settings.h_max = limit_of(s, "h_max");
  e->settings.projection_max = limit_of(s, "projection_max");
  e->settings.order = (int)index_of(s, "projection_order");
  e->settings.time_step = number_of(s, "time_step");
  e->settings.variant = solver_variant(e->solver, json_string_value(json_object_get(s, "variant")));
  return true;
}

static sweep_row *row_of(sweep_data *data, const json_t *entry) {
  const size_t contacts = index_of(entry, "contacts");
  for (size_t i = 0; i < data->rows; i++)
    if (data->row[i].contacts == contacts) return &data->row[i];
  return NULL;
}

static bool take_row(sweep_data *data, const json_t *entry) {
  sweep_row *const row = row_of(data, entry);
  const json_t *const entries = json_object_get(entry, "entries");
  const json_t *const gap = json_object_get(entry, "field_gap");
  if (!row || json_array_size(entries) > PROTOCOL_ENTRIES_MAX || !gap) return false;
  row->gap = (bridge_gap){.gap = number_of(gap, "gap"),
                          .rms = number_of(gap, "rms"),
                          .states = index_of(gap, "states"),
                          .touching = index_of(gap, "touching"),
                          .inverse_weight = number_of(gap, "inverse_weight"),
                          .scaling = number_of(gap, "scaling")};
  row->entries.count = json_array_size(entries);
  for (size_t k = 0; k < row->entries.count; k++)
    if (!entry_from_json(json_array_get(entries, k), &data->given->settings,
                         &row->entries.entry[k]))
      return false;
  char ignored[MEASURE_MESSAGE_SIZE];
  return row->entered || !sweep_row_alloc(row, data->trials, ignored);
}

static bool take_sample(sweep_data *data, const json_t *entry) {
  sweep_row *const row = row_of(data, entry);
  const size_t k = index_of(entry, "entry"), j = index_of(entry, "trial");
  if (!row || !row->entered || k >= row->entries.count || j >= data->trials) return false;
  sweep_cell *const c = &row->cell[k];
  c->seconds[j] = number_of(entry, "seconds");
  c->rms[j] = number_of(entry, "rms_error");
  c->events[j] = number_of(entry, "events");
  c->repetitions[j] = number_of(entry, "repetitions");
  c->process[j] = number_of(entry, "process");
  row->events_reference[j] = number_of(entry, "events_reference");
  row->contact_steps[j] = number_of(entry, "contact_steps");
  return true;
}

/* ---- the journal as a whole ------------------------------------------------------------------ */

static bool take(void *context, const char *type, const json_t *entry) {
  sweep_data *const data = context;
  if (strcmp(type, "row") == 0) return take_row(data, entry);
  return strcmp(type, "sample") != 0 || take_sample(data, entry);
}

static int forget(void *context, char *message) {
  sweep_data *const data = context, empty;
  if (sweep_data_alloc(&empty, data->given, message)) return -1;
  sweep_row *const old = data->row;
  data->row = empty.row;
  empty.row = old;
  sweep_data_free(&empty);
  return 0;
}

int sweep_journal_open(measure_journal **journal, sweep_data *data, char *message) {
  const resume_protocol protocol = {.what = "sweep",
                                    .folder = data->given->folder,
                                    .name = "sweep.journal",
                                    .restart = data->given->restart,
                                    .take = take,
                                    .forget = forget,
                                    .context = data};
  json_t *const settings = fingerprint(data);
  const int status = resume_open(journal, &protocol, settings, message);
  json_decref(settings);
  return status;
}

int sweep_journal_row(measure_journal *journal, const sweep_row *row, char *message) {
  json_t *const entries = json_array();
  for (size_t k = 0; k < row->entries.count; k++)
    json_array_append_new(entries, entry_json(&row->entries.entry[k]));
  return resume_append(journal,
                       json_pack("{s:s, s:I, s:o, s:o}", "type", "row", "contacts",
                                 (json_int_t)row->contacts, "field_gap", record_gap(&row->gap),
                                 "entries", entries),
                       message);
}

int sweep_journal_sample(measure_journal *journal, const sweep_row *row, size_t entry, size_t trial,
                         char *message) {
  const sweep_cell *const c = &row->cell[entry];
  return resume_append(
      journal,
      json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "sample",
                "contacts", (json_int_t)row->contacts, "entry", (json_int_t)entry, "trial",
                (json_int_t)trial, "seconds", measure_json_number(c->seconds[trial]), "rms_error",
                measure_json_number(c->rms[trial]), "events", measure_json_number(c->events[trial]),
                "repetitions", measure_json_number(c->repetitions[trial]), "process",
                measure_json_number(c->process[trial]), "events_reference",
                measure_json_number(row->events_reference[trial]), "contact_steps",
                measure_json_number(row->contact_steps[trial])),
      message);
}

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

/* the first member in which the two differ */
static const char *first_difference(json_t *ours, json_t *theirs) {
  const char *name;
  json_t *value;
  json_object_foreach(ours, name, value) {
    if (!json_equal(value, json_object_get(theirs, name))) return name;
  }
  return NULL;
}

static double number_of(const json_t *object, const char *name) {
  double value = NAN;
  const json_t *const member = json_object_get(object, name);
  return member && !measure_json_value(member, &value) ? value : NAN;
}

static size_t index_of(const json_t *object, const char *name) {
  return (size_t)json_integer_value(json_object_get(object, name));
}

/* ---- entries of a row ------------------------------------------------------------------------ */

static json_t *entry_json(const protocol_entry *e) {
  return json_pack("{s:s, s:s, s:o, s:o, s:o}", "solver", e->solver->name, "protocol", e->protocol,
                   "target", measure_json_number(e->target), "tuned_rms",
                   measure_json_number(e->tuned_rms), "settings", record_settings(&e->settings));
}

/* names that live as long as the program, for settings read back */
static const char *known_variant(const char *name) {
  static const char *const names[] = {"Euler", "implicitfast", "implicit", "RK4", "discrete"};
  for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return names[i];
  return NULL;
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
  // JSON has no infinity: an absent number is no limit
  e->settings.h_max = number_of(s, "h_max");
  if (isnan(e->settings.h_max)) e->settings.h_max = INFINITY;
  e->settings.time_step = number_of(s, "time_step");
  e->settings.variant = known_variant(json_string_value(json_object_get(s, "variant")));
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

/* takes in one entry, when there are data to take it into */
static bool take(sweep_data *data, const char *type, const json_t *entry) {
  if (!type) return false;
  if (data && strcmp(type, "row") == 0) return take_row(data, entry);
  if (data && strcmp(type, "sample") == 0) return take_sample(data, entry);
  return true;
}

/* takes in everything behind the settings, or with no data only looks; *unfinished when there are
 * samples of a sweep that did not come to its end */
static int take_all(measure_journal *journal, sweep_data *data, const char *folder,
                    bool *unfinished, char *message) {
  bool sampled = false, finished = false;
  for (json_t *entry;;) {
    if (measure_journal_read(journal, &entry, message)) return -1;
    if (!entry) break;
    const char *const type = json_string_value(json_object_get(entry, "type"));
    const bool taken = take(data, type, entry);
    sampled = sampled || (type && strcmp(type, "sample") == 0);
    finished = finished || (type && strcmp(type, "finished") == 0);
    json_decref(entry);
    if (taken) continue;
    measure_message(message,
                    "%s/sweep.journal holds an entry that is no sweep's; begin anew with --restart",
                    folder);
    return -1;
  }
  *unfinished = sampled && !finished;
  return 0;
}

/* begins a new journal with these settings */
static int begin(measure_journal *journal, json_t *settings, char *message) {
  json_t *const entry =
      json_pack("{s:s, s:i, s:O}", "type", "settings", "schema_version", 1, "settings", settings);
  int status = measure_journal_clear(journal, message);
  if (!status) status = measure_journal_append(journal, entry, message);
  json_decref(entry);
  return status;
}

/* compares the journal's settings with ours; *resume when what it holds is ours and unfinished */
static int examine(measure_journal *journal, sweep_data *data, json_t *settings, bool *resume,
                   char *message) {
  json_t *first;
  bool unfinished = true;
  *resume = false;
  if (measure_journal_read(journal, &first, message)) return -1;
  if (!first) return 0;
  const char *const different = first_difference(settings, json_object_get(first, "settings"));
  json_decref(first);
  // samples of other settings count only for whether that sweep had come to its end
  const char *const folder = data->given->folder;
  const int status = take_all(journal, different ? NULL : data, folder, &unfinished, message);
  if (!unfinished) return 0;
  if (different) {
    measure_message(
        message,
        "%s/sweep.journal holds an unfinished sweep that differs in %s; finish that one, "
        "or begin anew with --restart",
        folder, different);
    return -1;
  }
  *resume = true;
  return status;
}

/* rows and samples of a finished sweep were taken in before it was known to be finished */
static int forget(sweep_data *data, char *message) {
  sweep_data empty;
  if (sweep_data_alloc(&empty, data->given, message)) return -1;
  sweep_row *const old = data->row;
  data->row = empty.row;
  empty.row = old;
  sweep_data_free(&empty);
  return 0;
}

int sweep_journal_open(measure_journal **journal, sweep_data *data, char *message) {
  char path[RECORD_PATH_SIZE];
  if (record_path(path, data->given->folder, "sweep.journal")) {
    measure_message(message, "the path of the results folder is too long");
    return -1;
  }
  if (measure_journal_open(journal, path, message)) return -1;
  json_t *const settings = fingerprint(data);
  bool resume = false;
  int status = data->given->restart ? 0 : examine(*journal, data, settings, &resume, message);
  if (!status && !resume) {
    status = forget(data, message);
    if (!status) status = begin(*journal, settings, message);
  }
  json_decref(settings);
  if (!status) return 0;
  measure_journal_close(*journal);
  *journal = NULL;
  return -1;
}

static int append(measure_journal *journal, json_t *entry, char *message) {
  const int status = measure_journal_append(journal, entry, message);
  json_decref(entry);
  return status;
}

int sweep_journal_row(measure_journal *journal, const sweep_row *row, char *message) {
  json_t *const entries = json_array();
  for (size_t k = 0; k < row->entries.count; k++)
    json_array_append_new(entries, entry_json(&row->entries.entry[k]));
  return append(journal,
                json_pack("{s:s, s:I, s:o, s:o}", "type", "row", "contacts",
                          (json_int_t)row->contacts, "field_gap", record_gap(&row->gap), "entries",
                          entries),
                message);
}

int sweep_journal_sample(measure_journal *journal, const sweep_row *row, size_t entry, size_t trial,
                         char *message) {
  const sweep_cell *const c = &row->cell[entry];
  return append(
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

int sweep_journal_finish(measure_journal *journal, char *message) {
  const int status = append(journal, json_pack("{s:s}", "type", "finished"), message);
  measure_journal_sync(journal);
  return status;
}

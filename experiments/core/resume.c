/*
 * Journals that can be gone on with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "resume.h"

#include <string.h>

#include "record.h"

/* the first member in which the two differ */
static const char *first_difference(json_t *ours, json_t *theirs) {
  const char *name;
  json_t *value;
  json_object_foreach(ours, name, value) {
    if (!json_equal(value, json_object_get(theirs, name))) return name;
  }
  return NULL;
}

/* takes in everything behind the settings, or with `look` only looks; *unfinished when there are
 * samples of a run that did not come to its end */
static int take_all(measure_journal *journal, const resume_protocol *protocol, bool look,
                    bool *unfinished, char *message) {
  bool sampled = false, finished = false;
  for (json_t *entry;;) {
    if (measure_journal_read(journal, &entry, message)) return -1;
    if (!entry) break;
    const char *const type = json_string_value(json_object_get(entry, "type"));
    const bool end = type && strcmp(type, "finished") == 0;
    const bool taken = type && (look || end || protocol->take(protocol->context, type, entry));
    sampled = sampled || (type && strcmp(type, "sample") == 0);
    finished = finished || end;
    json_decref(entry);
    if (taken) continue;
    measure_message(message, "%s/%s holds an entry that is no %s's; begin anew with --restart",
                    protocol->folder, protocol->name, protocol->what);
    return -1;
  }
  *unfinished = sampled && !finished;
  return 0;
}

/* begins a new journal with these settings */
static int begin(measure_journal *journal, json_t *settings, char *message) {
  json_t *const entry =
      json_pack("{s:s, s:i, s:O}", "type", "settings", "schema_version", 1, "settings", settings);
  const int status = measure_journal_clear(journal, message);
  if (!status) return resume_append(journal, entry, message);
  json_decref(entry);
  return status;
}

/* compares the journal's settings with ours; *resume when what it holds is ours and unfinished */
static int examine(measure_journal *journal, const resume_protocol *protocol, json_t *settings,
                   bool *resume, char *message) {
  json_t *first;
  bool unfinished = true;
  if (measure_journal_read(journal, &first, message)) return -1;
  if (!first) return 0;
  const char *const different = first_difference(settings, json_object_get(first, "settings"));
  json_decref(first);
  // samples of other settings count only for whether that run had come to its end
  const int status = take_all(journal, protocol, different, &unfinished, message);
  if (!unfinished) return 0;
  if (different) {
    measure_message(message,
                    "%s/%s holds an unfinished %s that differs in %s; finish that one, "
                    "or begin anew with --restart",
                    protocol->folder, protocol->name, protocol->what, different);
    return -1;
  }
  *resume = true;
  return status;
}

/* goes on with the journal, or begins it */
static int go_on(measure_journal *journal, const resume_protocol *protocol, json_t *settings,
                 char *message) {
  bool resume = false;
  if (!protocol->restart && examine(journal, protocol, settings, &resume, message)) return -1;
  if (resume) return 0;
  // what a finished run had was taken in before it was known to be finished
  if (protocol->forget(protocol->context, message)) return -1;
  return begin(journal, settings, message);
}

int resume_open(measure_journal **journal, const resume_protocol *protocol, json_t *settings,
                char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  if (record_path(path, protocol->folder, protocol->name)) {
    measure_message(message, "the path of the results folder is too long");
    return -1;
  }
  if (measure_journal_open(journal, path, message)) return -1;
  if (!go_on(*journal, protocol, settings, message)) return 0;
  measure_journal_close(*journal);
  *journal = NULL;
  return -1;
}

int resume_append(measure_journal *journal, json_t *entry, char message[MEASURE_MESSAGE_SIZE]) {
  const int status = measure_journal_append(journal, entry, message);
  json_decref(entry);
  return status;
}

int resume_finish(measure_journal *journal, char message[MEASURE_MESSAGE_SIZE]) {
  const int status = resume_append(journal, json_pack("{s:s}", "type", "finished"), message);
  measure_journal_sync(journal);
  return status;
}

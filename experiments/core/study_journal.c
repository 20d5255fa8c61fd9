/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of a study: what its samples depend on first, then every cell, and at the end that it
 * is finished. The same settings go on where an unfinished journal ends, a finished one is begun
 * anew, and other settings are refused while there are unfinished samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "record.h"
#include "study_run.h"

/* the form of the journal */
enum { FORM = 2, NAME_SIZE = STUDY_CELL_NAME_SIZE + 64 };

/* the file's name in the folder of results */
static void name_of(const study_run *run, char name[NAME_SIZE]) {
  char of[STUDY_CELL_NAME_SIZE] = "";
  if (run->study->kept) study_case_name(run, of);
  snprintf(name, NAME_SIZE, "%s%s%s.journal", run->study->file, *of ? "_" : "", of);
}

static int append(study_run *run, json_t *entry) {
  const int status = measure_journal_append(run->private->journal, entry, run->message);
  json_decref(entry);
  return status;
}

/* ---- what it holds --------------------------------------------------------------------------- */

/* takes in everything behind the settings, or with `look` only looks; *unfinished when there are
 * samples of a run that did not come to its end. 0, or -1 with one line. */
static int take_all(study_run *run, const char *file, bool look, bool *unfinished) {
  bool sampled = false, finished = false;
  for (json_t *entry;;) {
    if (measure_journal_read(run->private->journal, &entry, run->message)) return -1;
    if (!entry) break;
    const char *const read = json_string_value(json_object_get(entry, "type"));
    const char *const type = read ? read : "";
    const bool end = strcmp(type, "finished") == 0, sample = strcmp(type, "sample") == 0;
    const bool taken = *type && (look || end || (sample && study_cells_take(run, entry)));
    sampled = sampled || sample;
    finished = finished || end;
    json_decref(entry);
    if (taken) continue;
    return measure_fail(run->message,
                        "%s/%s holds an entry that is no measurement's; begin anew with --restart",
                        run->folder, file);
  }
  *unfinished = sampled && !finished;
  return 0;
}

/* whether what it holds is ours and unfinished: 1, 0, or -1 with one line */
static int examine(study_run *run, const char *file, json_t *settings) {
  json_t *first;
  bool unfinished = true;
  if (measure_journal_read(run->private->journal, &first, run->message)) return -1;
  if (!first) return 0;
  const char *const different =
      json_integer_value(json_object_get(first, "schema_version")) == FORM
          ? study_first_difference(settings, json_object_get(first, "settings"))
          : "its form, which is that of another version of essbench";
  json_decref(first);
  // samples of other settings count only for whether that run had come to its end
  const int status = take_all(run, file, different, &unfinished);
  if (!unfinished) return 0;
  if (different)
    measure_message(run->message,
                    "%s/%s holds an unfinished measurement that differs in %s; finish that one, "
                    "or begin anew with --restart",
                    run->folder, file, different);
  else if (run->private->elsewhere)
    measure_message(run->message,
                    "%s/%s holds times of host %.100s, and this is %.100s; go on there, or begin "
                    "anew with --restart",
                    run->folder, file, run->private->elsewhere, ranks_host());
  return status || different || run->private->elsewhere ? -1 : 1;
}

/* begins it; what a finished run had was taken in before it was known to be finished */
static int begin(study_run *run, json_t *settings) {
  free(run->private->elsewhere);
  run->private->elsewhere = NULL;
  if (json_object_clear(run->private->known) ||
      measure_journal_clear(run->private->journal, run->message))
    return -1;
  return append(run, json_pack("{s:s, s:i, s:O}", "type", "settings", "schema_version", FORM,
                               "settings", settings));
}

/* ---- the study's ----------------------------------------------------------------------------- */

int study_journal_open(study_run *run) {
  if (run->study->brief) return 0;
  char file[NAME_SIZE], path[RECORD_PATH_SIZE];
  name_of(run, file);
  record_path(path, run->folder, file);
  if (measure_journal_open(&run->private->journal, path, run->message)) return -1;
  json_t *const settings = study_fingerprint(run);
  int status = run->private->request->restart ? 0 : examine(run, file, settings);
  if (!status) status = begin(run, settings);
  json_decref(settings);
  return status < 0 ? -1 : 0;
}

int study_journal_append(study_run *run, json_t *entry) {
  const bool taken = study_cells_take(run, entry);
  if (taken && run->private->journal) return append(run, entry);
  json_decref(entry);
  return taken ? 0 : study_out_of_memory(run);
}

int study_journal_finish(study_run *run) {
  if (!run->private->journal) return 0;
  const int status = append(run, json_pack("{s:s}", "type", "finished"));
  measure_journal_sync(run->private->journal);
  return status;
}

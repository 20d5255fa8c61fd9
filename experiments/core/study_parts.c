/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a cell that takes long: in a journal of the cell's own, whichever process runs it, until
 * the study's has the cell. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"
#include "record.h"
#include "study_run.h"

enum { NAME_SIZE = STUDY_CELL_NAME_SIZE + 80 };

static const char *path_of(const study_run *run, const char *cell, char path[RECORD_PATH_SIZE]) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s_%s.parts", run->study->file, cell);
  return record_path(path, run->folder, name);
}

/* what its first line has */
static json_t *heading(const study_run *run) {
  json_t *const settings = study_fingerprint(run);
  json_object_set_new(settings, "host", json_string(ranks_host()));
  return settings;
}

static int refuse(study_run *run, const char *cell, const char *different) {
  return measure_fail(
      run->message,
      "%s/%s_%s.parts holds a part of a measurement that differs in %s; finish that "
      "one, or begin anew with --restart",
      run->folder, run->study->file, cell, different);
}

/* all entries behind the first, which is of these settings */
static int take_all(study_run *run) {
  struct study_private *const p = run->private;
  for (json_t *entry;;) {
    if (measure_journal_read(p->parts_journal, &entry, run->message)) return -1;
    if (!entry) return 0;
    const char *const name = json_string_value(json_object_get(entry, "part"));
    if (name) json_object_set(p->parts, name, json_object_get(entry, "value"));
    json_decref(entry);
  }
}

static int open_journal(study_run *run, const char *cell) {
  struct study_private *const p = run->private;
  char path[RECORD_PATH_SIZE];
  json_t *first, *const ours = heading(run);
  int status = measure_journal_open(&p->parts_journal, path_of(run, cell, path), run->message);
  if (!status && p->request->restart)
    status = measure_journal_clear(p->parts_journal, run->message);
  if (!status) status = measure_journal_read(p->parts_journal, &first, run->message);
  if (!status && !first)
    status = measure_journal_append(p->parts_journal, ours, run->message);
  else if (!status) {
    const char *const different = study_first_difference(ours, first);
    status = different ? refuse(run, cell, different) : take_all(run);
    json_decref(first);
  }
  json_decref(ours);
  return status;
}

int study_parts_begin(study_run *run, const char *cell) {
  char path[RECORD_PATH_SIZE];
  struct study_private *const p = run->private;
  study_parts_end(run);
  p->parts = json_object();
  p->parts_cell = cell;
  if (!p->parts) return study_out_of_memory(run);
  // one that has not kept anything has no file
  return access(path_of(run, cell, path), F_OK) ? 0 : open_journal(run, cell);
}

void study_parts_end(study_run *run) {
  struct study_private *const p = run->private;
  measure_journal_close(p->parts_journal);
  json_decref(p->parts);
  p->parts_journal = NULL;
  p->parts = NULL;
}

void study_parts_drop(const study_run *run, const char *cell) {
  char path[RECORD_PATH_SIZE];
  if (run->study->show_part) unlink(path_of(run, cell, path));
}

bool study_parts_kept(const study_run *run) {
  char path[RECORD_PATH_SIZE];
  bool kept = false;
  for (size_t i = 0; run->study->show_part && i < run->private->cells; i++)
    kept = kept || !access(path_of(run, run->private->cell[i].name, path), F_OK);
  return kept;
}

const json_t *study_part(const study_run *run, const char *name) {
  return json_object_get(run->private->parts, name);
}

int study_keep_part(study_run *run, const char *name, json_t *value) {
  struct study_private *const p = run->private;
  // without a folder, or interrupted: what was cut short is no measurement
  int status = !value ? study_out_of_memory(run) : 0;
  if (!status && !*run->interrupted && p->parts) {
    if (!p->parts_journal) status = open_journal(run, p->parts_cell);
    json_t *const entry = json_pack("{s:s, s:O}", "part", name, "value", value);
    if (!status) status = measure_journal_append(p->parts_journal, entry, run->message);
    json_decref(entry);
  }
  json_decref(value);
  return status;
}

/* ---- what is there --------------------------------------------------------------------------- */

static int show_journal(study_run *run, const char *file, const char *cell) {
  char path[RECORD_PATH_SIZE];
  measure_journal *journal;
  json_t *entry;
  if (measure_journal_open(&journal, record_path(path, run->folder, file), run->message)) return -1;
  printf("%s is under way; this much of it is kept:\n", cell);
  int status = 0;
  while (!(status = measure_journal_read(journal, &entry, run->message)) && entry) {
    const char *const name = json_string_value(json_object_get(entry, "part"));
    if (name) run->study->show_part(name, json_object_get(entry, "value"));
    json_decref(entry);
  }
  measure_journal_close(journal);
  return status;
}

int study_parts_show(study_run *run, bool *shown) {
  struct dirent **entries;
  const size_t length = strlen(run->study->file);
  const int count = run->study->show_part ? scandir(run->folder, &entries, NULL, alphasort) : -1;
  int status = 0;
  *shown = false;
  for (int i = 0; i < count; i++) {
    const char *const name = entries[i]->d_name, *const dot = strrchr(name, '.');
    if (!status && dot && !strcmp(dot, ".parts") && !strncmp(name, run->study->file, length) &&
        name[length] == '_') {
      char cell[NAME_SIZE];
      snprintf(cell, sizeof cell, "%.*s", (int)(dot - name - (long)length - 1), name + length + 1);
      status = show_journal(run, name, cell);
      *shown = true;
    }
    free(entries[i]);
  }
  if (count >= 0) free(entries);
  return status;
}

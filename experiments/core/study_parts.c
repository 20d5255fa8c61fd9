/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a cell that takes long, in the database until its rows are there. Whichever process runs
 * the cell keeps them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "study_run.h"

int study_parts_begin(study_run *run, const char *cell) {
  struct study_private *const p = run->private;
  json_t *rows, *row;
  size_t i;
  study_parts_end(run);
  p->parts = json_object();
  p->parts_cell = cell;
  if ((!p->number && study_store_open(run)) ||
      study_store_ask(run, "SELECT name, value FROM part WHERE run = ? AND cell = ?",
                      json_pack("[I, s]", p->number, cell), &rows))
    return -1;
  json_array_foreach(rows, i, row)
      json_object_set_new(p->parts, json_string_value(json_array_get(row, 0)),
                          measure_json_parse(json_string_value(json_array_get(row, 1))));
  json_decref(rows);
  return 0;
}

void study_parts_end(study_run *run) {
  json_decref(run->private->parts);
  run->private->parts = NULL;
}

bool study_parts_kept(study_run *run) {
  json_t *rows;
  if (!run->private->number || !run->study->show_part ||
      study_store_ask(run, "SELECT 1 FROM part WHERE run = ? LIMIT 1",
                      json_pack("[I]", run->private->number), &rows))
    return false;
  const bool kept = json_array_size(rows) > 0;
  json_decref(rows);
  return kept;
}

const json_t *study_part(const study_run *run, const char *name) {
  return json_object_get(run->private->parts, name);
}

int study_keep_part(study_run *run, const char *name, json_t *value) {
  struct study_private *const p = run->private;
  char *const text = value ? measure_json_text(value) : NULL;
  // without a folder, or interrupted: what was cut short is no measurement
  int status = !text ? study_out_of_memory(run) : 0;
  if (!status && !*run->interrupted && p->parts)
    status = study_store_ask(run, "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)",
                             json_pack("[I, s, s, s]", p->number, p->parts_cell, name, text), NULL);
  free(text);
  json_decref(value);
  return status;
}

/* of the last run that has some */
int study_parts_show(study_run *run, bool *shown) {
  const char *last = "";
  json_t *rows, *row;
  size_t i;
  *shown = false;
  if (!run->study->show_part || !run->private->store) return 0;
  if (study_store_ask(
          run,
          "SELECT cell, name, value FROM part WHERE run = (SELECT max(part.run) FROM "
          "part JOIN run ON run.id = part.run WHERE study = ?) ORDER BY cell, part.rowid",
          json_pack("[s]", run->study->name), &rows))
    return -1;
  json_array_foreach(rows, i, row) {
    const char *const cell = json_string_value(json_array_get(row, 0));
    json_t *const value = measure_json_parse(json_string_value(json_array_get(row, 2)));
    if (strcmp(cell, last) != 0) printf("%s is under way; this much of it is kept:\n", cell);
    run->study->show_part(json_string_value(json_array_get(row, 1)), value);
    json_decref(value);
    last = cell;
  }
  *shown = json_array_size(rows) > 0;
  json_decref(rows);
  return 0;
}

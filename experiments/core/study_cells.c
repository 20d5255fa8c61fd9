/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of a study: planned, run, and known from its database. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_run.h"

static int reserve(struct study_private *p) {
  if (p->cells < p->room) return 0;
  const size_t room = p->room ? 2 * p->room : 64;
  study_planned *const cell = realloc(p->cell, room * sizeof *cell);
  if (!cell) return -1;
  p->cell = cell;
  p->room = room;
  return 0;
}

int study_cell(study_run *run, const void *what, const char *name, ...) {
  struct study_private *const p = run->private;
  char text[STUDY_CELL_NAME_SIZE];
  va_list values;
  va_start(values, name);
  vsnprintf(text, sizeof text, name, values);
  va_end(values);
  study_planned planned = {.name = strdup(text), .what = malloc(run->study->cell_size)};
  if (!planned.name || !planned.what || reserve(p)) {
    free(planned.name);
    free(planned.what);
    return study_out_of_memory(run);
  }
  memcpy(planned.what, what, run->study->cell_size);
  p->cell[p->cells++] = planned;
  return 0;
}

size_t study_cells(const study_run *run) {
  return run->private->cells;
}

const void *study_cell_at(const study_run *run, size_t index) {
  return run->private->cell[index].what;
}

const void *study_samples(const study_run *run, size_t index, size_t *count) {
  const study_planned *const cell = &run->private->cell[index];
  if (count) *count = cell->count;
  return run->private->rows[STUDY_SAMPLES].row +
         cell->first * run->study->tables[STUDY_SAMPLES].row_size;
}

void study_cells_free(study_run *run) {
  struct study_private *const p = run->private;
  for (size_t i = 0; i < p->cells; i++) {
    free(p->cell[i].name);
    free(p->cell[i].what);
  }
  free(p->cell);
}

/* ---- what is known --------------------------------------------------------------------------- */

bool study_cells_take(study_run *run, const json_t *entry) {
  const char *const name = json_string_value(json_object_get(entry, "cell"));
  json_t *const rows = json_object_get(entry, "rows");
  const size_t columns = column_count(run->study->tables[STUDY_SAMPLES].columns);
  if (!name || !json_is_array(rows)) return false;
  for (size_t i = 0; i < json_array_size(rows); i++)
    if (json_array_size(json_array_get(rows, i)) != columns) return false;
  return json_object_set(run->private->known, name, rows) == 0;
}

json_t *study_cells_entry(const study_run *run, const study_planned *cell) {
  return json_pack("{s:s, s:s, s:O}", "type", "sample", "cell", cell->name, "rows",
                   run->private->measured);
}

long study_cells_plan(study_run *run, size_t stage) {
  struct study_private *const p = run->private;
  const size_t before = p->cells;
  if (study_noted(run, run->study->plan(run, stage))) return -1;
  return (long)(p->cells - before);
}

int study_cells_run(study_run *run, size_t index) {
  json_decref(run->private->measured);
  run->private->measured = json_array();
  if (!run->private->measured) return study_out_of_memory(run);
  const study_planned *const cell = &run->private->cell[index];
  int status = run->study->show_part ? study_parts_begin(run, cell->name) : 0;
  if (!status) status = study_noted(run, run->study->run(run, cell->what));
  study_parts_end(run);
  return status;
}

/* the samples of one cell; its texts borrow from what is known */
static int settle(study_run *run, study_planned *cell) {
  const study_table *const t = &run->study->tables[STUDY_SAMPLES];
  const json_t *const rows = json_object_get(run->private->known, cell->name);
  void *const row = calloc(1, t->row_size);
  int status = row ? 0 : study_out_of_memory(run);
  cell->first = run->private->rows[STUDY_SAMPLES].count;
  cell->count = json_array_size(rows);
  for (size_t i = 0; !status && i < cell->count; i++) {
    const json_t *const values = json_array_get(rows, i);
    for (size_t k = 0; !status && t->columns[k].name; k++) {
      if (column_take(&t->columns[k], json_array_get(values, k), row)) continue;
      measure_message(run->message, "%s for %s is missing; begin anew with --restart",
                      t->columns[k].name, cell->name);
      status = -1;
    }
    if (!status) status = study_rows_append(run, STUDY_SAMPLES, row);
  }
  free(row);
  return status;
}

bool study_cells_known(const study_run *run, size_t index) {
  return json_object_get(run->private->known, run->private->cell[index].name) != NULL;
}

int study_cells_settle(study_run *run) {
  struct study_private *const p = run->private;
  for (; p->settled < p->cells; p->settled++)
    if (settle(run, &p->cell[p->settled])) return -1;
  return 0;
}

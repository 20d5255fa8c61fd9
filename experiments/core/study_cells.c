/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of a study: planned, run, and known from its database. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study_run.h"

int study_cell(study_run *run, const void *what, const char *name, ...) {
  struct study_private *const p = run->private;
  char text[STUDY_CELL_NAME_SIZE];
  va_list values;
  va_start(values, name);
  vsnprintf(text, sizeof text, name, values);
  va_end(values);
  study_planned planned = {.name = strdup(text), .what = malloc(run->study->cell_size)};
  study_planned *const cell = measure_grow(p->cell, &p->room, p->cells, sizeof *cell);
  if (cell) p->cell = cell;
  if (!planned.name || !planned.what || !cell) {
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

size_t study_first_sample(const study_run *run, size_t index) {
  return run->private->cell[index].first;
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
  if (!status && !rows) status = measure_fail(run->message, "%s is not measured", cell->name);
  cell->first = run->private->rows[STUDY_SAMPLES].count;
  cell->count = json_array_size(rows);
  for (size_t i = 0; !status && i < cell->count; i++) {
    const json_t *const values = json_array_get(rows, i);
    for (size_t k = 0; !status && t->columns[k].name; k++) {
      if (column_take(&t->columns[k], json_array_get(values, k), row)) continue;
      measure_message(run->message, "%s for %s is missing; start over with --restart",
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

/* ---- who runs which cell, and when ----------------------------------------------------------- */

/* a turn, and when it comes */
typedef struct keyed {
  study_turn turn;
  uint64_t key; /* of its race */
} keyed;

/* Steele, Lea and Flood's mix of 64 bits */
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

static int compare(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int by_turn(const void *a, const void *b) {
  const keyed *const x = a, *const y = b;
  const int worker = compare(x->turn.worker, y->turn.worker), race = compare(x->key, y->key);
  return worker ? worker : race ? race : compare(x->turn.cell, y->turn.cell);
}

static keyed key_of(const study_run *run, size_t cell, size_t workers) {
  const study *const s = run->study;
  if (!s->pinned) return (keyed){.turn = {.cell = cell}};
  if (!s->place) return (keyed){.turn = {.cell = cell, .worker = cell % workers}};
  const study_place place = s->place(study_cell_at(run, cell));
  const size_t worker = place.number % workers;
  return (keyed){.turn = {.cell = cell, .worker = worker},
                 .key = mix(mix(run->seed) + mix(worker) + place.race)};
}

study_turn *study_order(const study_run *run, size_t workers, size_t *count) {
  const size_t cells = study_cells(run);
  keyed *const order = calloc(cells + 1, sizeof *order);
  study_turn *const turns = calloc(cells + 1, sizeof *turns);
  *count = 0;
  for (size_t i = 0; order && turns && i < cells; i++)
    if (!study_cells_known(run, i)) order[(*count)++] = key_of(run, i, workers);
  if (order && turns) {
    qsort(order, *count, sizeof *order, by_turn);
    for (size_t i = 0; i < *count; i++) turns[i] = order[i].turn;
    free(order);
    return turns;
  }
  free(order);
  free(turns);
  measure_message(run->message, "out of memory");
  return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which cells of a study are run by which worker, and when. */
#include <stdint.h>
#include <stdlib.h>

#include "study_run.h"

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

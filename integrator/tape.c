/*
 * Linear operations of a run on directions, and the recording of them: entries, and checkpoints if
 * the run is longer than its memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

static void lay(ess_driver *d, ess_layout *l) {
  ess_tape *const tape = d->tangents->tape;
  const size_t n = d->system.dimension, p = d->system.parameters.count, m = d->system.event_count;
  for (int s = 0; s < ESS_STAGES; s++) {
    ESS_LAY(l, double, d->lanes > n + p ? d->lanes : n + p, &tape->x[s]);
    ESS_LAY(l, double, d->lanes, &tape->k[s]);
    ESS_LAY(l, double, (n * n), &tape->J[s]);
    ESS_LAY(l, double, (n * p) > p ? n * p : p, &tape->by[s]);
    ESS_LAY(l, double, n, &tape->back[s]);
  }
  double **const c = tape->dense;
  ESS_LAY(l, double, d->lanes, &c[0], &c[1], &c[2], &c[3], &tape->begin);
  ESS_LAY(l, double, n, &tape->lambda, &tape->error);
  ESS_LAY(l, double, m, &tape->mode, &tape->sign, &tape->live_sign);
  ESS_LAY(l, double, tape->room, &tape->entry);
}

size_t ess_driver_recorded(const ess_driver *d) {
  const ess_tangents *const v = d ? d->tangents : NULL;
  return v && v->tape ? v->tape->needed * sizeof(double) : 0;
}

void ess_tape_free(ess_tangents *v) {
  if (!v->tape) return;
  free(v->tape->memory);
  free(v->tape);
  v->tape = NULL;
}

/* ---- entries --------------------------------------------------------------------------------- */

double *ess_tape_add(ess_driver *d, ess_tape_kind kind, size_t count) {
  if (!ess_is_recording(d)) return NULL;
  ess_tape *const tape = d->tangents->tape;
  tape->needed += count + 2;
  // after one entry without room the others are useless
  if (tape->used > tape->room || count + 2 > tape->room - tape->used) tape->used = SIZE_MAX;
  if (tape->used == SIZE_MAX) return NULL;
  double *const entry = tape->entry + tape->used;
  entry[count] = (double)count;
  entry[count + 1] = (double)kind;
  tape->used += count + 2;
  return entry;
}

ess_tape_place ess_tape_place_of(const ess_driver *d) {
  const ess_tape *const tape = d->tangents->tape;
  return tape ? (ess_tape_place){tape->used, tape->needed} : (ess_tape_place){0, 0};
}

void ess_tape_take_back(ess_driver *d, ess_tape_place from) {
  ess_tape *const tape = d->tangents->tape;
  if (!tape) return;
  tape->used = from.used;
  tape->needed = from.needed;
}

void ess_tape_step(ess_driver *d, double theta) {
  ess_tape *const tape = d->tangents->tape;
  const size_t n = d->system.dimension, m = d->system.event_count;
  if (memcmp(tape->sign, d->sign, m * sizeof *d->sign) != 0) {
    signed char *const before =
        (signed char *)ess_tape_add(d, ESS_TAPE_MODE, (m + sizeof(double) - 1) / sizeof(double));
    for (size_t k = 0; before && k < m; k++) before[k] = (signed char)tape->sign[k];
    memcpy(tape->sign, d->sign, m * sizeof *d->sign);
  }
  double *const entry = ess_tape_add(d, ESS_TAPE_STEP, 3 + n);
  if (!entry) return;
  entry[0] = d->t;
  entry[1] = d->dt;
  entry[2] = theta;
  memcpy(entry + 3, d->x, n * sizeof *entry);
}

void ess_tape_units(ess_driver *d, size_t count) {
  const size_t n = d->system.dimension;
  memset(d->tangents->v, 0, count * n * sizeof(double));
  for (size_t i = 0; i < n; i++) d->tangents->v[i * n + i] = 1.0;
}

void ess_linear_gain(ess_driver *d, const double after[], const double before[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double *const entry = ess_tape_add(d, ESS_TAPE_GAIN, n);
  for (size_t i = 0; i < n; i++) {
    const double gain = after[i] - before[i];
    if (entry) entry[i] = gain;
    for (size_t j = 0; j < v->count; j++) v->v[j * n + i] += v->share[j] * gain;
  }
}

void ess_tangent_finish(ess_driver *d, const double f[]) {
  ess_tangents *const v = d->tangents;
  const bool is_pending = v->source == ESS_BEFORE_PENDING;
  v->source = ESS_BEFORE_AT_NODE;
  if (!is_pending) return;
  v->has_first = false;
  ess_linear_gain(d, f, v->mapped);
}

void ess_tape_open(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (!ess_is_recording(d)) return;
  v->count = v->wide;
  v->moves = d->system.parameters.count ? v->unit : NULL;
  v->has_first = false;
  v->theta = 0.0;
  ess_tape_units(d, v->wide);
}

void ess_tape_close(ess_driver *d, bool made) {
  ess_tangents *const v = d->tangents;
  if (!v || !v->tape || !v->count) return;
  const size_t n = d->system.dimension, p = d->system.parameters.count;
  v->count = 0;
  v->moves = NULL;
  v->has_first = false;
  v->theta = 0.0;
  double *const entry = made ? ess_tape_add(d, ESS_TAPE_MAP, n * v->wide) : NULL;
  if (!entry) return;
  memcpy(entry, v->v, n * n * sizeof *entry);
  for (size_t j = 0; j < p; j++)
    for (size_t i = 0; i < n; i++) entry[n * n + i * p + j] = v->v[(n + j) * n + i];
}

void ess_tape_begin(ess_driver *d) {
  if (!ess_is_recording(d)) return;
  ess_tape *const tape = d->tangents->tape;
  if (tape->paging != ESS_PAGING_NEVER) tape->paging = ESS_PAGING_NOW;
}

void ess_tape_end(ess_driver *d, int status) {
  ess_tangents *const v = d->tangents;
  if (!v || !v->tape) return;
  ess_tape_close(d, false);
  v->tape->status = status;
}

void ess_tape_clear(ess_driver *d) {
  ess_tape *const tape = d->tangents->tape;
  if (!tape) return;
  tape->entry = tape->live;
  tape->used = tape->needed = tape->kept = tape->live_from = 0;
  tape->paging = ESS_PAGING_IF_FULL;
  tape->turn = tape->until = 0;
  tape->status = ESS_SUCCESS;
  memset(tape->sign, 0, d->system.event_count * sizeof *tape->sign);
  d->tangents->count = 0;
  d->tangents->moves = NULL;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* A quarter of the memory records the current steps, a quarter is for a repetition, and half stores
 * checkpoints: copies of the blocks that hold the driver's state, which never move. If the first
 * quarter is half full, a checkpoint is made, and entries start again. The adjoint repeats the run
 * from checkpoint to checkpoint. */

/* Copies the blocks to a store, or back from it, if there is one; returns their bytes. V is not
 * among them: while operations are written down it has no columns. */
static size_t copy_blocks(const ess_driver *d, char *store, bool back) {
  const struct {
    void *at;
    size_t bytes;
  } blocks[] = {{(void *)d, sizeof *d},
                {d->memory.at, d->memory.bytes},
                {d->impacts, d->impacts ? sizeof *d->impacts : 0},
                {d->slides, d->slides ? sizeof *d->slides : 0},
                {d->tangents, d->tangents ? sizeof *d->tangents : 0}};
  size_t bytes = 0;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; bytes += blocks[i++].bytes) {
    if (!store || !blocks[i].bytes) continue;
    memcpy(back ? (char *)blocks[i].at : store + bytes, back ? store + bytes : blocks[i].at,
           blocks[i].bytes);
  }
  return bytes;
}

bool ess_tape_alloc(ess_driver *d, size_t bytes) {
  enum { LEAST_CHECKPOINTS = 32 };
  ess_tape *const tape = d->tangents->tape = calloc(1, sizeof *tape);
  if (!tape || bytes > SIZE_MAX / 2) return false;
  size_t all;
  tape->room = bytes / sizeof(double);
  tape->memory = ess_lay_out(d, lay, &all);
  if (!tape->memory) return false;
  tape->live = tape->entry;
  tape->one = copy_blocks(d, NULL, false) / sizeof(double) + 2; // with `turn`
  const size_t quarter = tape->room / 4, places = 2 * quarter / tape->one;
  if (places < LEAST_CHECKPOINTS + 1) return true;
  tape->room = quarter;
  tape->page = tape->live + quarter;
  tape->store = tape->page + quarter;
  tape->places = places - 1; // the last one is for the end
  return true;
}

static uint64_t *place(const ess_tape *tape, size_t i) {
  return (uint64_t *)(tape->store + i * tape->one);
}

static void keep(ess_driver *d, size_t i) {
  uint64_t *const turn = place(d->tangents->tape, i);
  *turn = d->tangents->tape->turn;
  copy_blocks(d, (char *)(turn + 1), false);
}

static void restore(ess_driver *d, size_t i) {
  ess_tape *const tape = d->tangents->tape;
  uint64_t *const turn = place(tape, i);
  copy_blocks(d, (char *)(turn + 1), true);
  tape->turn = *turn;
}

/* an empty list of entries, in the current mode */
static void begin_page(ess_driver *d, double *entry) {
  ess_tape *const tape = d->tangents->tape;
  tape->entry = entry;
  tape->used = 0;
  memcpy(tape->sign, d->sign, d->system.event_count * sizeof *d->sign);
}

bool ess_page_turn(ess_driver *d) {
  const ess_tangents *const v = d->tangents;
  ess_tape *const tape = v->tape;
  if (!ess_is_recording(d)) return false;
  tape->turn++;
  if (tape->until) return tape->turn >= tape->until;
  const bool begins = tape->paging == ESS_PAGING_NOW, full = tape->used > tape->room / 2;
  if (tape->paging == ESS_PAGING_NEVER) return false;
  tape->paging = ESS_PAGING_IF_FULL;
  if (!tape->places || tape->used == SIZE_MAX || !(begins || full)) return false;
  // a crossing that is being made is not in a checkpoint
  const bool meets = v->met_count && ess_is_last_instant(v, d->t);
  if (tape->kept == tape->places || v->source != ESS_BEFORE_AT_NODE || meets) {
    // a repetition from a checkpoint stays within its apply
    if (begins || tape->kept == tape->places) tape->paging = ESS_PAGING_NEVER;
    return false;
  }
  keep(d, tape->kept++);
  if (!full) return false;
  tape->live_from = tape->kept - 1;
  begin_page(d, tape->live);
  return false;
}

void ess_page_keep_end(ess_driver *d) {
  ess_tape *const tape = d->tangents->tape;
  tape->live_used = tape->used;
  memcpy(tape->live_sign, tape->sign, d->system.event_count * sizeof *tape->sign);
  keep(d, tape->places);
}

void ess_page_open(ess_driver *d, size_t i) {
  ess_tape *const tape = d->tangents->tape;
  restore(d, i);
  begin_page(d, tape->page);
  tape->turn--; // the one at which the checkpoint was made comes again
  tape->until = *place(tape, i + 1);
  // nobody observes the repetition
  d->options.observer = (ess_observer){0};
  d->grid.count = d->grid.done = 0;
}

void ess_page_close(ess_driver *d) {
  ess_tape *const tape = d->tangents->tape;
  restore(d, tape->places);
  tape->until = 0;
  tape->entry = tape->live;
  tape->used = tape->live_used;
  memcpy(tape->sign, tape->live_sign, d->system.event_count * sizeof *tape->sign);
}

bool ess_page_is_at(const ess_driver *d, size_t i) {
  const char *const bytes = (const char *)(place(d->tangents->tape, i) + 1);
  ess_driver was;
  memcpy(&was, bytes, sizeof was);
  // the blocks are one after the other, and the second one has the state
  const char *const x = bytes + sizeof was + ((const char *)was.x - (const char *)was.memory.at);
  // each apply sets the time anew if it is a state
  return was.t == d->t && memcmp(x, d->x, ess_caller_states(d) * sizeof *d->x) == 0;
}

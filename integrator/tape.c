/*
 * What a run does to directions, written down, and a recording that is longer than its
 * room.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

/* what the way back needs, and then the entries */
static void lay(ess_driver *d, ess_layout *l) {
  ess_tape *const tape = d->tangents->tape;
  const size_t n = d->system.dimension, p = d->system.parameters, m = d->system.guard_count;
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

/* one entry, whatever the mode */
static double *add(ess_tape *tape, ess_tape_kind kind, size_t count) {
  tape->needed += count + 2;
  // once something is missing nothing more is of use
  tape->is_short = tape->is_short || tape->used + count + 2 > tape->room;
  if (tape->is_short) return NULL;
  double *const entry = tape->entry + tape->used;
  entry[count] = (double)count;
  entry[count + 1] = (double)kind;
  tape->used += count + 2;
  return entry;
}

double *ess_tape_add(ess_driver *d, ess_tape_kind kind, size_t count) {
  return ess_is_recording(d) ? add(d->tangents->tape, kind, count) : NULL;
}

/* the mode that the next entry is in */
static void note_mode(ess_driver *d) {
  ess_tape *const tape = d->tangents->tape;
  const size_t m = d->system.guard_count;
  if (memcmp(tape->sign, d->sign, m * sizeof *d->sign) == 0) return;
  double *const entry = add(tape, ESS_TAPE_MODE, (m + sizeof(double) - 1) / sizeof(double));
  if (entry) {
    signed char *const before = (signed char *)entry;
    for (size_t k = 0; k < m; k++) before[k] = (signed char)tape->sign[k];
  }
  memcpy(tape->sign, d->sign, m * sizeof *d->sign);
}

void ess_tape_step(ess_driver *d, double theta) {
  const size_t n = d->system.dimension;
  note_mode(d);
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

void ess_tape_gain(ess_driver *d, const double f[], const double before[]) {
  const size_t n = d->system.dimension;
  double *const entry = ess_tape_add(d, ESS_TAPE_GAIN, n);
  for (size_t i = 0; entry && i < n; i++) entry[i] = f[i] - before[i];
}

void ess_tape_open(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  if (!ess_is_recording(d)) return;
  v->tape->is_open = true;
  v->tape->shared = SIZE_MAX;
  v->count = v->wide;
  v->moves = d->system.parameters ? v->unit : NULL;
  v->has_first = v->is_rough = false;
  ess_tape_units(d, v->wide);
}

void ess_tape_close(ess_driver *d, bool made) {
  ess_tangents *const v = d->tangents;
  if (!v || !v->tape || !v->tape->is_open) return;
  const size_t n = d->system.dimension, p = d->system.parameters;
  v->tape->is_open = false;
  v->count = 0;
  v->moves = NULL;
  v->has_first = v->is_rough = false;
  double *const entry = made ? ess_tape_add(d, ESS_TAPE_MAP, n * v->wide) : NULL;
  if (!entry) return;
  memcpy(entry, v->v, n * n * sizeof *entry);
  for (size_t j = 0; j < p; j++)
    for (size_t i = 0; i < n; i++) entry[n * n + i * p + j] = v->v[(n + j) * n + i];
}

void ess_tape_begin(ess_driver *d) {
  if (ess_is_recording(d)) d->tangents->tape->begins = true;
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
  tape->is_short = tape->is_again = tape->is_stuck = false;
  tape->turn = 0;
  tape->is_open = false;
  tape->shared = SIZE_MAX;
  tape->status = ESS_SUCCESS;
  memset(tape->sign, 0, d->system.guard_count * sizeof *tape->sign);
  d->tangents->count = 0;
  d->tangents->moves = NULL;
}

/* ---- gain ------------------------------------------------------------------------------------ */

/* What directions gain at a crossing, when the field after it is known. */

void ess_tangent_finish(ess_driver *d, const double f[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  v->source = ESS_BEFORE_AT_NODE;
  if (!v->is_pending) return;
  v->is_pending = v->has_first = false;
  ess_tape_gain(d, f, v->mapped);
  for (size_t j = 0; j < v->count; j++)
    for (size_t i = 0; i < n; i++) v->v[j * n + i] += v->share[j] * (f[i] - v->mapped[i]);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* A quarter of the room is for what the run does now, a quarter for what it has done before, and
 * half of it for checkpoints: where the first is full a checkpoint is made, and it is filled anew.
 * What has been there is recorded once more, from one checkpoint to the next, when an adjoint comes
 * back to it. */

/* All that a driver remembers lies in a few blocks, which stay where they are as long as it
 * lives: what is kept of it are their bytes. */

typedef struct block {
  void *at;
  size_t bytes;
} block;

enum { BLOCKS = 5 };

/* of directions only what is not theirs alone: recording follows none between steps */
static size_t list(const ess_driver *d, block blocks[BLOCKS]) {
  size_t count = 0;
  blocks[count++] = (block){(void *)d, sizeof *d};
  blocks[count++] = (block){d->memory, d->bytes};
  if (d->impacts) blocks[count++] = (block){d->impacts, sizeof *d->impacts};
  if (d->slides) blocks[count++] = (block){d->slides, sizeof *d->slides};
  if (d->tangents) blocks[count++] = (block){d->tangents, sizeof *d->tangents};
  return count;
}

/* copies them to a store, or back from it, where there is one; how many bytes they are */
static size_t copy(const ess_driver *d, char *store, bool back) {
  block blocks[BLOCKS];
  const size_t count = list(d, blocks);
  size_t bytes = 0;
  for (size_t i = 0; i < count; bytes += blocks[i++].bytes) {
    if (store && back)
      memcpy(blocks[i].at, store + bytes, blocks[i].bytes);
    else if (store)
      memcpy(store + bytes, blocks[i].at, blocks[i].bytes);
  }
  return bytes;
}

/* smallest number of checkpoints for which pages are worthwhile */
enum { LEAST = 32 };

/* what is kept before a driver's bytes */
typedef struct mark {
  uint64_t turn;
  size_t shared;
  double shared_t;
  uint64_t unused; /* bytes begin at whole numbers of them */
} mark;

/* divides the room for entries, where there is enough of it */
static void divide(const ess_driver *d, ess_tape *tape) {
  const size_t doubles = (copy(d, NULL, false) + sizeof(mark)) / sizeof(double) + 1;
  const size_t quarter = tape->room / 4;
  tape->one = doubles;
  if (2 * quarter / doubles < LEAST + 1) return;
  tape->room = quarter;
  tape->page = tape->live + quarter;
  tape->store = tape->page + quarter;
  tape->places = 2 * quarter / doubles - 1; // the last is for the end
}

bool ess_tape_alloc(ess_driver *d, size_t bytes) {
  ess_tape *const tape = d->tangents->tape = calloc(1, sizeof *tape);
  if (!tape || bytes > SIZE_MAX / 2) return false;
  size_t all;
  tape->room = bytes / sizeof(double);
  tape->memory = ess_lay_out(d, lay, &all);
  if (!tape->memory) return false;
  tape->shared = SIZE_MAX;
  tape->live = tape->entry;
  divide(d, tape);
  return true;
}

static mark *place(const ess_tape *tape, size_t i) {
  return (mark *)(tape->store + i * tape->one);
}

static void keep(ess_driver *d, size_t i) {
  const ess_tape *const tape = d->tangents->tape;
  mark *const m = place(tape, i);
  *m = (mark){.turn = tape->turn, .shared = tape->shared, .shared_t = tape->shared_t};
  copy(d, (char *)(m + 1), false);
}

/* an empty page, in the mode as it is */
static void begin_page(ess_driver *d, double *entry) {
  ess_tape *const tape = d->tangents->tape;
  tape->entry = entry;
  tape->used = 0;
  memcpy(tape->sign, d->sign, d->system.guard_count * sizeof *d->sign);
}

/* whether all that matters is in a checkpoint: no crossing is being made */
static bool is_quiet(const ess_driver *d) {
  const ess_tangents *const v = d->tangents;
  const bool meets = v->met_count && d->t >= v->met_from && d->t <= v->met_until;
  return !v->is_pending && v->source == ESS_BEFORE_AT_NODE && !meets;
}

bool ess_page_turn(ess_driver *d) {
  if (!ess_is_recording(d)) return false;
  ess_tape *const tape = d->tangents->tape;
  tape->turn++;
  if (tape->is_again) return tape->turn >= tape->until;
  const bool begins = tape->begins, full = tape->used > tape->room / 2;
  tape->begins = false;
  if (!tape->places || tape->is_stuck || !(begins || full)) return false;
  if (tape->kept == tape->places || !is_quiet(d)) {
    // from a checkpoint only the rest of its apply is made again
    tape->is_stuck = begins || tape->kept == tape->places;
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
  memcpy(tape->live_sign, tape->sign, d->system.guard_count * sizeof *tape->sign);
  keep(d, tape->places);
}

static void restore(ess_driver *d, size_t i) {
  ess_tape *const tape = d->tangents->tape;
  mark *const m = place(tape, i);
  copy(d, (char *)(m + 1), true);
  tape->turn = m->turn;
  tape->shared = m->shared;
  tape->shared_t = m->shared_t;
}

void ess_page_open(ess_driver *d, size_t i) {
  ess_tape *const tape = d->tangents->tape;
  restore(d, i);
  begin_page(d, tape->page);
  tape->is_again = true;
  // the turn at which it was made is made again
  tape->turn--;
  tape->until = place(tape, i + 1)->turn;
  // nobody is told of it
  d->options.observer = (ess_observer){0};
  d->times_count = d->times_done = 0;
}

void ess_page_close(ess_driver *d) {
  ess_tape *const tape = d->tangents->tape;
  restore(d, tape->places);
  tape->is_again = false;
  tape->entry = tape->live;
  tape->used = tape->live_used;
  memcpy(tape->sign, tape->live_sign, d->system.guard_count * sizeof *tape->sign);
}

bool ess_page_is_at(const ess_driver *d, size_t i) {
  const char *const bytes = (const char *)(place(d->tangents->tape, i) + 1);
  ess_driver was;
  memcpy(&was, bytes, sizeof was);
  // where its blocks were kept, the first of which has the state
  const char *const x = bytes + sizeof was + ((const char *)was.x - (const char *)was.memory);
  // the time, where it is a state more, is set anew by each apply
  return was.t == d->t && memcmp(x, d->x, ess_caller_states(d) * sizeof *d->x) == 0;
}

/*
 * The driver's memory: two blocks, one of doubles and one of indices and flags, laid out once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "driver_state.h"
#include "impact.h"
#include "lanes.h"
#include "memory.h"
#include "resets.h"

/* arrays start on a line of the cache */
enum { ALIGNMENT = 64, LINE = ALIGNMENT / sizeof(double) };

static size_t round_up(size_t count, size_t to) {
  return (count + to - 1) / to * to;
}

/* the next `bytes` of the block at the cursor */
static void *lay(char **cursor, size_t bytes) {
  void *const array = *cursor;
  *cursor += bytes;
  return array;
}

/* doubles by state, by guard, and for Dh; 0 when there are more than memory can hold */
static size_t count_doubles(const ess_driver *d, size_t by_state, size_t by_guard) {
  const size_t n = d->system.dimension, m = d->system.guard_count;
  const size_t most = SIZE_MAX / sizeof(double) / 8, gradient = d->system.guard_rates ? 0 : n;
  if (n > most / (by_state + 1) || m > most / (by_guard + gradient + 1)) return 0;
  return round_up(n, LINE) * by_state + d->blocks * ESS_BLOCK * by_guard + m * gradient;
}

static bool lay_doubles(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  double **const by_state[] = {&d->x,
                               &d->f,
                               &d->x_end,
                               &d->x_try,
                               &d->v_try,
                               &d->stage[1],
                               &d->stage[2],
                               &d->stage[3],
                               &d->stage[4],
                               &d->stage[5],
                               &d->stage[6],
                               &d->dense[0],
                               &d->dense[1],
                               &d->dense[2],
                               &d->dense[3],
                               &d->rtol,
                               &d->atol,
                               &d->piece.x,
                               &d->piece.c[0],
                               &d->piece.c[1],
                               &d->piece.c[2],
                               &d->piece.c[3],
                               &k->f,
                               &k->sum,
                               &k->first,
                               &k->quartic,
                               &k->at,
                               &k->embedded,
                               &d->stabilised.direction};
  double **const by_guard[] = {
      &d->h,          &d->rate,         &d->h_end,    &d->rate_end, &d->h_mid,
      &d->h_check[0], &d->h_check[1],   &d->h_try,    &d->rate_try, &d->sign,
      &d->side,       &d->epsilon,      &d->width,    &d->level,    &d->flagged_theta,
      &d->some_h,     &d->batch_time,   &d->scale,    &d->grain,    &d->inside_from,
      &d->inexact,    &d->turning.pace, &k->live,     &k->watch,    &k->known,
      &k->last,       &k->made,         &k->theta,    &k->pattern,  &k->until,
      &k->undone,     &k->value[0],     &k->value[1], &k->error[0], &k->error[1],
      &k->dense[0],   &k->dense[1],     &k->told,     &k->undoable};
  enum { STATES = sizeof by_state / sizeof *by_state, GUARDS = sizeof by_guard / sizeof *by_guard };
  const size_t count = count_doubles(d, STATES, GUARDS);
  if (!count) return false;
  d->memory = calloc(count + LINE, sizeof(double));
  d->memory_bytes = (count + LINE) * sizeof(double);
  if (!d->memory) return false;

  char *cursor = (char *)(round_up((uintptr_t)d->memory, ALIGNMENT));
  const size_t state_bytes = round_up(d->system.dimension, LINE) * sizeof(double);
  for (size_t i = 0; i < STATES; i++) *by_state[i] = lay(&cursor, state_bytes);
  for (size_t i = 0; i < GUARDS; i++)
    *by_guard[i] = lay(&cursor, d->blocks * ESS_BLOCK * sizeof(double));
  if (!d->system.guard_rates) d->jacobian = lay(&cursor, 0);
  d->stage[0] = d->f;
  return true;
}

static bool lay_indices(ess_driver *d) {
  const size_t m = d->system.guard_count, rows = 2 * m + 2;
  const size_t entries = ess_resets_size(&d->system);
  const size_t most = SIZE_MAX / sizeof(size_t) / 8;
  if (entries > most || m > most / 32) return false;
  const size_t bytes =
      (rows + entries + (1 + ESS_BLOCK / ESS_LANES) * d->blocks + 7 * m) * sizeof(size_t) +
      m * sizeof(ess_pair) + entries * sizeof(signed char) + 9 * m * sizeof(bool) +
      d->blocks * ESS_BLOCK * sizeof(ess_fate);
  d->indices = calloc(1, bytes);
  d->indices_bytes = bytes;
  if (!d->indices) return false;

  char *cursor = d->indices;
  d->row_start = lay(&cursor, rows * sizeof(size_t));
  d->row_guard = lay(&cursor, entries * sizeof(size_t));
  d->block_armed = lay(&cursor, d->blocks * sizeof(size_t));
  d->flagged = lay(&cursor, m * sizeof(size_t));
  d->batch = lay(&cursor, m * sizeof(size_t));
  d->kinks.kink = lay(&cursor, m * sizeof(size_t));
  d->kinks.group = lay(&cursor, d->blocks * (ESS_BLOCK / ESS_LANES) * sizeof(size_t));
  d->kinks.companion = lay(&cursor, m * sizeof(size_t));
  d->kinks.undo = lay(&cursor, m * sizeof(size_t));
  d->kinks.pair = lay(&cursor, m * sizeof(ess_pair));
  d->kinks.undone_by = lay(&cursor, 2 * m * sizeof(size_t));
  d->row_effect = lay(&cursor, entries * sizeof(signed char));
  d->kinks.is_checked = lay(&cursor, m * sizeof(bool));
  d->kinks.is_companion = lay(&cursor, m * sizeof(bool));
  d->kinks.arms_silent = lay(&cursor, 2 * m * sizeof(bool));
  d->silent = lay(&cursor, 2 * m * sizeof(bool));
  d->armed_at_start = lay(&cursor, 2 * m * sizeof(bool));
  d->armed_is_silent = lay(&cursor, m * sizeof(bool));
  d->fate = lay(&cursor, d->blocks * ESS_BLOCK * sizeof(ess_fate));
  return true;
}

bool ess_memory_alloc(ess_driver *d) {
  d->lanes = round_up(d->system.dimension, ESS_LANES);
  d->guard_lanes = round_up(d->system.guard_count, ESS_LANES);
  d->blocks = round_up(d->system.guard_count, ESS_BLOCK) / ESS_BLOCK;
  if (!lay_doubles(d) || !lay_indices(d) || !ess_impacts_alloc(d)) return false;
  ess_resets_copy(d);
  return true;
}

void ess_memory_free(ess_driver *d) {
  free(d->memory);
  free(d->indices);
  ess_impacts_free(d);
}

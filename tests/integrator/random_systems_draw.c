/*
 * Random systems, drawn: see random_systems.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "draws.h"
#include "oracle_events.h"
#include "random_systems.h"

enum { N = SYSTEMS_STATES, M = SYSTEMS_GUARDS, CLUSTERS = 4 };

static const double oracle_step = 0.02;

static double log_uniform(gsl_rng *rng, double low, double high) {
  return low * pow(high / low, gsl_rng_uniform(rng));
}

static bool one_in(gsl_rng *rng, unsigned long count) {
  return gsl_rng_uniform_int(rng, count) == 0;
}

/* a vector of this length in a random direction; across the drift where n > 1 */
static void draw_across(const random_system *s, gsl_rng *rng, double length, double v[]) {
  double along = 0.0, size = 0.0;
  gsl_ran_dir_nd(rng, s->n, v);
  for (size_t i = 0; i < s->n; i++) along += v[i] * s->drift[i];
  for (size_t i = 0; i < s->n; i++) v[i] -= along * s->drift[i];
  for (size_t i = 0; i < s->n; i++) size += v[i] * v[i];
  for (size_t i = 0; i < s->n; i++) v[i] *= length / sqrt(fmax(size, 1e-12));
}

static void scale_to(const random_system *s, double length, const double of[], double v[]) {
  for (size_t i = 0; i < s->n; i++) v[i] = length * of[i];
}

/* ---- the smooth part ------------------------------------------------------------------------- */

static void draw_field(random_system *s, gsl_rng *rng) {
  const size_t n = s->n;
  double entries[N * N];
  gsl_ran_dir_nd(rng, n, s->drift);
  gsl_ran_dir_nd(rng, n * n, entries);
  const double norm = gsl_ran_flat(rng, 0.2, 2.0);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) s->matrix[i][j] = norm * entries[i * n + j];
  for (size_t i = 0; i < n; i++) s->phase[i] = gsl_ran_flat(rng, 0.0, 6.0);
  gsl_ran_dir_nd(rng, n, s->drive);
  for (size_t i = 0; i < n; i++) s->x0[i] = gsl_ran_flat(rng, -0.5, 0.5);
}

/* ---- crossing times -------------------------------------------------------------------------- */

/* in clusters that are as long as 1e-6 ... 0.1 */
static void draw_times(size_t m, gsl_rng *rng, double times[]) {
  const size_t clusters = 1 + gsl_rng_uniform_int(rng, CLUSTERS);
  double start[CLUSTERS], width[CLUSTERS];
  for (size_t c = 0; c < clusters; c++) {
    start[c] = gsl_ran_flat(rng, 0.1, 0.8);
    width[c] = log_uniform(rng, 1e-6, 0.1);
  }
  for (size_t i = 0; i < m; i++) {
    const size_t c = gsl_rng_uniform_int(rng, clusters);
    times[i] = start[c] + width[c] * gsl_rng_uniform(rng);
  }
  qsort(times, m, sizeof *times, ascending);
}

/* ---- event functions ------------------------------------------------------------------------- */

static systems_shape draw_shape(const random_system *s, gsl_rng *rng) {
  const bool curved = s->kind == SYSTEMS_CURVED || (s->kind == SYSTEMS_MIXED && one_in(rng, 3));
  return curved ? (systems_shape)gsl_rng_uniform_int(rng, 4) : SYSTEMS_PLANE;
}

/* its normal leans to the side less where the field may go aside fast */
static void draw_guard(const random_system *s, gsl_rng *rng, double aside, systems_guard *g) {
  double across[N];
  g->shape = draw_shape(s, rng);
  g->orientation = s->kind != SYSTEMS_ROWS && one_in(rng, 4) ? -1.0 : 1.0;
  draw_across(s, rng, gsl_ran_flat(rng, 0.0, 0.6) / (1.0 + aside), across);
  for (size_t i = 0; i < s->n; i++) g->normal[i] = s->drift[i] + across[i];
  gsl_ran_dir_nd(rng, s->n, g->bend);
  const double sign = one_in(rng, 2) ? -1.0 : 1.0;
  if (g->shape == SYSTEMS_PEG)
    g->strength = log_uniform(rng, 0.05, 0.5);
  else
    g->strength = sign * log_uniform(rng, 0.1, g->shape == SYSTEMS_WAVE ? 4.0 : 1.0);
}

/* a peg is met at up to 0.7 of its radius off its middle */
static void place_peg(const random_system *s, gsl_rng *rng, const double x[], systems_guard *g) {
  const double off = gsl_ran_flat(rng, 0.0, 0.7), in = sqrt(1.0 - off * off);
  double across[N];
  draw_across(s, rng, off, across);
  for (size_t i = 0; i < s->n; i++)
    g->place[i] = x[i] + g->strength * (in * s->drift[i] + across[i]);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

/* what the jumps of a system have in common */
typedef struct jumps {
  double total, common[N];
  size_t m;
} jumps;

static void jump_alike(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                       systems_guard *g) {
  scale_to(s, j->total / (double)j->m, j->common, g->jump);
}

static void jump_unlike(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                        systems_guard *g) {
  const double size = j->total / (double)j->m * exp(fmin(1.5 * gsl_ran_ugaussian(rng), 3.0));
  draw_across(s, rng, 0.7 * size, g->jump);
  for (size_t c = 0; c < s->n; c++) g->jump[c] += 0.3 * size * j->common[c];
}

static void jump_opposite(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                          systems_guard *g) {
  const double sign = one_in(rng, 2) ? -1.0 : 1.0;
  scale_to(s, sign * j->total / sqrt((double)j->m), j->common, g->jump);
}

/* not smaller where there are more: their sum is one of them or none */
static void jump_interleaved(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                             systems_guard *g) {
  scale_to(s, i % 2 ? -j->total : j->total, j->common, g->jump);
}

static void jump_non_commuting(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                               systems_guard *g) {
  const double size = j->total / sqrt((double)j->m);
  g->linear = true;
  draw_across(s, rng, size, g->column);
  gsl_ran_dir_nd(rng, s->n, g->row);
  draw_across(s, rng, one_in(rng, 2) ? size : 0.0, g->pair);
}

static void jump_rates(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                       systems_guard *g) {
  const double size = j->total / (double)j->m;
  g->speed = size * gsl_ran_flat(rng, -1.0, 1.0);
  if (one_in(rng, 2)) g->speed = size;
  jump_unlike(s, rng, j, i, g);
}

typedef void draw_jump(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                       systems_guard *g);

static draw_jump *const DRAW_JUMP[SYSTEMS_KINDS] = {[SYSTEMS_ALIKE] = jump_alike,
                                                    [SYSTEMS_UNLIKE] = jump_unlike,
                                                    [SYSTEMS_OPPOSITE] = jump_opposite,
                                                    [SYSTEMS_INTERLEAVED] = jump_interleaved,
                                                    [SYSTEMS_NON_COMMUTING] = jump_non_commuting,
                                                    [SYSTEMS_RATES] = jump_rates,
                                                    [SYSTEMS_CURVED] = jump_unlike,
                                                    [SYSTEMS_ROWS] = jump_unlike};

/* of the i-th crossing; one kind after another where they are mixed */
static void draw_jump_of(const random_system *s, gsl_rng *rng, const jumps *j, size_t i,
                         systems_guard *g) {
  const systems_kind kind =
      s->kind == SYSTEMS_MIXED ? (systems_kind)gsl_rng_uniform_int(rng, SYSTEMS_CURVED) : s->kind;
  DRAW_JUMP[kind](s, rng, j, i, g);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* what a crossing of this kind's guards does to others: each is crossed upward once, unless an
 * earlier one disarms it */
typedef struct roles {
  size_t arms[M], disarms[M]; /* M: nobody */
} roles;

/* in the order of times, a guard may arm the next, silently or not, and disarm a later one that is
 * far enough away for their order to be certain */
static void draw_roles(random_system *s, gsl_rng *rng, const size_t order[], roles *r) {
  for (size_t k = 0; k < s->m; k++) r->arms[k] = r->disarms[k] = M;
  for (size_t i = 0; i + 1 < s->m; i++) {
    const size_t k = order[i], next = order[i + 1];
    const size_t later = order[i + 1 + gsl_rng_uniform_int(rng, s->m - i - 1)];
    if (!one_in(rng, 3)) continue;
    r->arms[k] = next;
    s->guard[next].unarmed = true;
    s->silent[ESS_GUARD_UP(k)] = one_in(rng, 2);
    const bool apart = s->guard[later].time > s->guard[k].time + 0.1;
    if (apart && later != next && one_in(rng, 2)) r->disarms[k] = later;
    i++;
  }
}

static void add_entry(random_system *s, size_t *count, size_t guard, signed char effect) {
  s->row_guard[*count] = guard;
  s->row_effect[(*count)++] = effect;
}

static int start_rows(const double sign[], bool armed[], void *params) {
  const random_system *const s = params;
  for (size_t k = 0; k < s->m; k++)
    if (s->guard[k].unarmed) armed[ESS_GUARD_UP(k)] = false;
  return 0;
}

/* mirror images come back in systems that are not one way */
static void write_rows(random_system *s, const roles *r) {
  size_t count = 0;
  for (size_t guard = 0; guard < 2 * s->m; guard++) {
    const size_t k = guard / 2;
    const bool up = guard == ESS_GUARD_UP(k);
    s->row_start[guard] = count;
    if (!s->one_way) add_entry(s, &count, guard ^ 1, 1);
    if (up && r->arms[k] < M) add_entry(s, &count, ESS_GUARD_UP(r->arms[k]), 1);
    if (up && r->disarms[k] < M) add_entry(s, &count, ESS_GUARD_UP(r->disarms[k]), -1);
  }
  s->row_start[2 * s->m] = s->row_start[2 * s->m + 1] = count;
  s->resets = (ess_reset_matrix){s->row_start, s->row_guard, s->row_effect, s->silent, start_rows};
}

/* silent guards change no field */
static void draw_rows(random_system *s, gsl_rng *rng, const size_t order[]) {
  roles r;
  draw_roles(s, rng, order, &r);
  write_rows(s, &r);
  for (size_t k = 0; k < s->m; k++)
    if (s->silent[ESS_GUARD_UP(k)]) memset(s->guard[k].jump, 0, sizeof s->guard[k].jump);
}

/* ---- all together ---------------------------------------------------------------------------- */

/* how fast the field goes aside, were crossings of a cluster made in any order */
static double speed_aside(const random_system *s, double total) {
  const bool cancel = s->kind == SYSTEMS_INTERLEAVED || s->kind == SYSTEMS_MIXED;
  return cancel ? 2.0 * total * sqrt((double)s->m) : 2.0 * total;
}

static void draw_guards(random_system *s, gsl_rng *rng, const size_t order[]) {
  jumps j = {.m = s->m};
  j.total = log_uniform(rng, 0.3, s->kind == SYSTEMS_NON_COMMUTING ? 2.0 : 5.0);
  draw_across(s, rng, 1.0, j.common);
  if (s->kind == SYSTEMS_MIXED) j.total *= 0.5;
  double times[M];
  draw_times(s->m, rng, times);
  for (size_t i = 0; i < s->m; i++) {
    systems_guard *const g = &s->guard[order[i]];
    g->time = times[i];
    g->partner = order[(i + 1) % s->m];
    draw_guard(s, rng, speed_aside(s, j.total), g);
    draw_jump_of(s, rng, &j, i, g);
    (void)gsl_rng_uniform_int(rng, 3); // keeps each seed's system what it has been
  }
}

/* integrates, and puts every guard where the state stands at its time */
static bool thread(random_system *s, gsl_rng *rng, const size_t order[], oracle_events *o) {
  for (size_t k = 0; k < s->m; k++) o->hidden[k] = true;
  oracle_events_latch(o);
  for (size_t k = 0; k < s->m; k++) {
    // latched as if below zero, where it may be above
    o->sign[k] = -s->guard[k].orientation;
    if (!s->guard[k].unarmed) o->armed[ESS_GUARD_UP(k)] = s->guard[k].orientation > 0.0;
    o->armed[ESS_GUARD_DOWN(k)] = s->guard[k].orientation < 0.0;
  }
  for (size_t i = 0; i < s->m && !o->failed; i++) {
    systems_guard *const g = &s->guard[order[i]];
    oracle_events_advance(o, g->time);
    memcpy(g->place, o->x, sizeof g->place);
    if (g->shape == SYSTEMS_PEG) place_peg(s, rng, o->x, g);
    o->hidden[order[i]] = false;
    oracle_events_cross(o, order[i]);
  }
  return !o->failed;
}

static bool integrate(random_system *s, oracle_events *o) {
  oracle_events_latch(o);
  for (size_t k = 0; k < s->m; k++)
    if (o->sign[k] != -s->guard[k].orientation) return false;
  for (size_t i = 0; i < SYSTEMS_TIMES && !o->failed; i++) {
    oracle_events_advance(o, random_system_time(i + 1));
    memcpy(&s->states[i * s->n], o->x, s->n * sizeof *o->x);
  }
  memcpy(s->crossings, o->crossings, sizeof s->crossings);
  for (size_t k = 0; k < s->m; k++) s->crossing_count += s->crossings[k];
  return !o->failed && o->slowest >= SYSTEMS_LIVE;
}

/* first the guards' places, then the path through all of them */
static int integrate_twice(random_system *s, gsl_rng *rng, const size_t order[]) {
  const unsigned callbacks = s->callbacks;
  s->callbacks = 2; // the independent integration wants rates, and those of one
  const ess_system system = random_system_ess(s);
  bool good = true;
  for (int pass = 0; pass < 2 && good; pass++) {
    oracle_events o;
    good = !oracle_events_begin(&o, &system, 0.0, s->x0, oracle_step);
    o.crossings_max = 3;
    good = good && (pass ? integrate(s, &o) : thread(s, rng, order, &o));
    oracle_events_end(&o);
  }
  s->callbacks = callbacks;
  return good ? 0 : -1;
}

static void draw_system(random_system *s, gsl_rng *rng, size_t order[]) {
  s->n = 2 + gsl_rng_uniform_int(rng, N - 1);
  s->m = one_in(rng, 3) ? 1 + gsl_rng_uniform_int(rng, M) : (size_t)log_uniform(rng, 1.0, M + 1.0);
  s->one_way = s->kind == SYSTEMS_ROWS && one_in(rng, 2);
  (void)one_in(rng, 3);
  s->callbacks = (unsigned)gsl_rng_uniform_int(rng, 4);
  for (size_t k = 0; k < s->m; k++) order[k] = k;
  gsl_ran_shuffle(rng, order, s->m, sizeof *order);
  draw_field(s, rng);
  draw_guards(s, rng, order);
  if (s->kind == SYSTEMS_ROWS) draw_rows(s, rng, order);
}

int random_system_draw(random_system *s, systems_kind kind, unsigned long seed) {
  size_t order[M];
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_taus2);
  if (!rng) return -1;
  gsl_rng_set(rng, seed * SYSTEMS_KINDS + kind + 1);
  memset(s, 0, sizeof *s);
  s->kind = kind;
  draw_system(s, rng, order);
  const int status = integrate_twice(s, rng, order);
  gsl_rng_free(rng);
  return status;
}

/*
 * Dense output: the last step made, kept so that its states can be asked for afterwards at no
 * evaluation, and the caller's samples on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"

/* Time advances to the node, which is the piece's end, up to the end of the apply. It keeps what
 * rounding cuts off: far from t = 0 that would add up. */
static void end_piece(ess_driver *d, ess_piece_kind kind, double length, double duration) {
  const double before = d->t, added = duration + d->apply.t_rest;
  d->piece.kind = kind;
  d->piece.length = length;
  d->piece.t0 = before;
  // what rounding cut off may be half a rounding below, or reach past the end: time does neither
  d->t = ess_smaller(added > 0.0 ? before + added : before, d->apply.t_end);
  if (d->caller.moves) ess_take_time(d, d->t);
  d->apply.t_rest = added - (d->t - before);
  d->piece.t1 = d->t;
}

void ess_piece_begin(ess_driver *d, double t, const double x[]) {
  // an apply that goes on where the last one ended has that one's last step behind it
  const size_t bytes = ess_caller_states(d) * sizeof *x;
  if (t == d->piece.t1 && memcmp(x, d->x, bytes) == 0) return;
  d->piece.kind = ESS_PIECE_POINT;
  d->piece.t0 = d->piece.t1 = t;
}

void ess_piece_step(ess_driver *d, double duration) {
  // nothing is copied: what the step was tried in becomes the piece's, and the other way round
  ess_swap(&d->x_end, &d->x);
  ess_swap(&d->x_end, &d->piece.x);
  for (int i = 0; i < ESS_DENSE; i++) ess_swap(&d->dense[i], &d->piece.c[i]);
  end_piece(d, ESS_PIECE_STEP, d->dt, duration);
}

void ess_take_whole_step(ess_driver *d, double t1) {
  if (d->dt == t1 - d->piece.t0) ess_take_time(d, d->piece.t1 = t1);
  ess_swap(&d->h, &d->h_end);
  ess_swap(&d->rate, &d->rate_end);
  ess_swap(&d->f, &d->stage[ESS_STAGES - 1]);
  const size_t size = d->system.event_count * sizeof *d->idle.at_end;
  if (d->unlocated.on) ess_swap(&d->unlocated.node, &d->unlocated.end);
  if (d->system.idle) memcpy(d->idle.at_node, d->idle.at_end, size);
  d->stage[0] = d->f;
}

void ess_piece_parabola(ess_driver *d, double duration, const double v[]) {
  const size_t bytes = d->lanes * sizeof *v;
  memcpy(d->piece.c[0], d->f, bytes);
  memcpy(d->piece.c[1], v, bytes);
  ess_swap(&d->x, &d->piece.x);
  memcpy(d->x, d->x_try, bytes);
  end_piece(d, ESS_PIECE_PARABOLA, duration, duration);
}

static void parabola_state(const ess_piece *p, size_t n, double elapsed, double x[]) {
  const double part = p->length > 0.0 ? elapsed / p->length : 1.0;
  for (size_t i = 0; i < n; i++)
    x[i] = p->x[i] + elapsed * (p->c[0][i] + part * (p->c[1][i] - p->c[0][i]));
}

void ess_piece_state(const ess_driver *d, double t, double x[]) {
  const ess_piece *const p = &d->piece;
  const size_t n = d->system.dimension;
  switch (p->kind) {
  case ESS_PIECE_POINT:
    memcpy(x, d->x, n * sizeof *x);
    return;
  case ESS_PIECE_STEP:
    ess_dopri5_along(n, p->x, p->c, ess_smaller(1.0, (t - p->t0) / p->length), x);
    return;
  case ESS_PIECE_PARABOLA:
    parabola_state(p, n, t - p->t0, x);
    return;
  }
}

void ess_piece_bend(const ess_driver *d, double bend[]) {
  const ess_piece *const p = &d->piece;
  memset(bend, 0, d->lanes * sizeof *bend);
  if (p->kind != ESS_PIECE_STEP || p->t1 != d->t) return;
  const double theta = (p->t1 - p->t0) / p->length, by = 2.0 / (p->length * p->length);
  for (size_t i = 0; i < d->lanes; i++) {
    const double inner = p->c[2][i] + (1.0 - theta) * p->c[3][i];
    const double slope = p->c[2][i] + (1.0 - 2.0 * theta) * p->c[3][i];
    const double turn = theta * (1.0 - theta) * p->c[3][i];
    bend[i] = by * ((1.0 - 2.0 * theta) * slope - (p->c[1][i] + theta * inner) - turn);
  }
}

int ess_driver_dense(ess_driver *d, double t, double x[]) {
  if (!d) return ESS_EINVAL;
  const ess_piece *const p = &d->piece;
  if (!x) return ess_refuse_at(d, t, "x must not be NULL");
  const double at = ess_caller_time(d, t);
  if (!(at >= p->t0 && at <= p->t1))
    return ess_refuse_at(d, t, "t must lie within the last step, from ess_driver_step_start on");
  // the ends to the last bit: no polynomial is evaluated there
  const size_t bytes = ess_caller_states(d) * sizeof *x;
  double *const all = d->caller.moves ? d->caller.x : x;
  if (at > p->t0 && at < p->t1) ess_piece_state(d, at, all);
  const double *const from = at == p->t1 ? d->x : at == p->t0 ? p->x : all;
  if (from != x) memcpy(x, from, bytes);
  return ESS_SUCCESS;
}

double ess_driver_step_start(const ess_driver *d) {
  return d ? ess_caller_time(d, d->piece.t0) : NAN;
}

/* ---- samples on the caller's time grid ------------------------------------------------------- */

/* one step's dense output in four lanes: of four components, or of one for four samples */
typedef struct dense_lanes {
  ess_lanes x, c[ESS_DENSE];
} dense_lanes;

static inline ess_lanes value_at(const dense_lanes *p, ess_lanes theta) {
  const ess_lanes rest = 1.0 - theta;
  return p->x + theta * (p->c[0] + rest * (p->c[1] + theta * (p->c[2] + rest * p->c[3])));
}

/* samples located on a step in one block */
enum { BLOCK = 16 * ESS_LANES };

/* theta of so many samples, which a division each makes the dearest part of them */
static void find_thetas(const double times[], size_t count, const ess_piece *p,
                        double theta[BLOCK]) {
  const ess_lanes one = ess_lanes_all(1.0);
  size_t k = 0;
  for (; k + ESS_LANES <= count; k += ESS_LANES)
    ess_lanes_store(theta + k, ess_lanes_min((ess_lanes_load(times + k) - p->t0) / p->length, one));
  for (; k < count; k++) theta[k] = ess_smaller(1.0, (times[k] - p->t0) / p->length);
}

/* component i of rows of n, four at once; the last few one by one */
static void sample_component(const ess_piece *p, size_t i, size_t n, const double theta[],
                             size_t count, double *rows) {
  dense_lanes held = {.x = ess_lanes_all(p->x[i])};
  for (int c = 0; c < ESS_DENSE; c++) held.c[c] = ess_lanes_all(p->c[c][i]);
  double *to = rows + i;
  size_t k = 0;
  for (; k + ESS_LANES <= count; k += ESS_LANES, to += ESS_LANES * n) {
    const ess_lanes value = value_at(&held, ess_lanes_load(theta + k));
    to[0] = value[0];
    to[n] = value[1];
    to[2 * n] = value[2];
    to[3 * n] = value[3];
  }
  for (; k < count; k++, to += n) *to = value_at(&held, ess_lanes_all(theta[k]))[0];
}

static inline dense_lanes hold(const ess_piece *p, size_t from) {
  dense_lanes held = {.x = ess_lanes_load(p->x + from)};
  for (int c = 0; c < ESS_DENSE; c++) held.c[c] = ess_lanes_load(p->c[c] + from);
  return held;
}

/* four components of each row from `from` on, and four from `other` on, where that is another
 * place: both by one pass */
static inline void sample_lanes(const ess_piece *p, size_t from, size_t other, size_t n,
                                const double theta[], size_t count, double *rows) {
  const dense_lanes a = hold(p, from), b = hold(p, other);
  for (size_t k = 0; k < count; k++) {
    const ess_lanes at = ess_lanes_all(theta[k]);
    ess_lanes_store(rows + k * n + from, value_at(&a, at));
    if (other != from) ess_lanes_store(rows + k * n + other, value_at(&b, at));
  }
}

/* rows of two, of which four stand in two lanes */
static void sample_pairs(const ess_piece *p, const double theta[], size_t count, double *rows) {
  dense_lanes a = {.x = ess_lanes_all(p->x[0])}, b = {.x = ess_lanes_all(p->x[1])};
  for (int c = 0; c < ESS_DENSE; c++) {
    a.c[c] = ess_lanes_all(p->c[c][0]);
    b.c[c] = ess_lanes_all(p->c[c][1]);
  }
  size_t k = 0;
  for (; k + ESS_LANES <= count; k += ESS_LANES) {
    const ess_lanes at = ess_lanes_load(theta + k), x = value_at(&a, at), y = value_at(&b, at);
    ess_lanes_store(rows + 2 * k, (ess_lanes){x[0], y[0], x[1], y[1]});
    ess_lanes_store(rows + 2 * k + 4, (ess_lanes){x[2], y[2], x[3], y[3]});
  }
  for (; k < count; k++) {
    const ess_lanes at = ess_lanes_all(theta[k]);
    rows[2 * k] = value_at(&a, at)[0];
    rows[2 * k + 1] = value_at(&b, at)[0];
  }
}

static void sample_block(ess_driver *d, const ess_piece *p, size_t first, size_t count) {
  const size_t n = d->system.dimension;
  double theta[BLOCK], *const rows = d->grid.states + first * n;
  find_thetas(d->grid.times + first, count, p, theta);
  if (n == 2) {
    sample_pairs(p, theta, count, rows);
    return;
  }
  for (size_t i = 0; n < ESS_LANES && i < n; i++) sample_component(p, i, n, theta, count, rows);
  if (n < ESS_LANES) return;
  // the last four overlap those before them, rather than reach beyond the caller's row
  for (size_t from = 0, last = n - ESS_LANES; from < n; from += 2 * ESS_LANES)
    sample_lanes(p, from < last ? from : last, from + ESS_LANES < last ? from + ESS_LANES : last, n,
                 theta, count, rows);
}

/* many at once, in lanes */
static void sample_step(ess_driver *d, const ess_piece *p, double t_end) {
  const size_t first = d->grid.done;
  size_t end = first;
  while (end + ESS_LANES <= d->grid.count && d->grid.times[end + ESS_LANES - 1] <= t_end)
    end += ESS_LANES;
  while (end < d->grid.count && d->grid.times[end] <= t_end) end++;
  d->grid.done = end;
  for (size_t k = first; k < end; k += BLOCK)
    sample_block(d, p, k, end - k < BLOCK ? end - k : BLOCK);
}

/* one by one, in the caller's time, and without the state that is time */
static void sample_one_by_one(ess_driver *d, double t_end) {
  const ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension;
  for (; d->grid.done < d->grid.count; d->grid.done++) {
    const double t = ess_caller_time(d, d->grid.times[d->grid.done]);
    double *const row = d->grid.states + d->grid.done * n, *const x = c->moves ? c->x : row;
    if (!(t <= t_end)) return;
    ess_piece_state(d, t, x);
    if (c->moves) memcpy(row, x, n * sizeof *row);
  }
}

void ess_sample_piece(ess_driver *d, double t_end) {
  if (d->piece.kind == ESS_PIECE_STEP && !d->caller.moves && d->caller.way > 0.0)
    sample_step(d, &d->piece, t_end);
  else
    sample_one_by_one(d, t_end);
}

void ess_sample_node(ess_driver *d) {
  const size_t n = ess_caller_states(d);
  for (size_t k = d->grid.done; k > 0 && ess_caller_time(d, d->grid.times[k - 1]) >= d->t; k--)
    memcpy(d->grid.states + (k - 1) * n, d->x, n * sizeof *d->x);
}

void ess_sample_rest(ess_driver *d) {
  for (; d->grid.done < d->grid.count; d->grid.done++)
    if (ess_caller_time(d, d->grid.times[d->grid.done]) > d->t) break;
  ess_sample_node(d);
}

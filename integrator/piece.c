/*
 * The last step made, kept so that its states can be asked for afterwards at no evaluation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "dense.h"
#include "driver_state.h"

/* adds to the time, up to the end of the apply, and keeps what rounding cuts off: far from t = 0 it
 * would add up */
static void advance_time(ess_driver *d, double duration) {
  const double before = d->t, added = duration + d->t_rest;
  // what rounding cut off may be half a rounding below, or reach past the end: time does neither
  d->t = ess_smaller(added > 0.0 ? before + added : before, d->t_end);
  d->t_rest = added - (d->t - before);
}

/* time advances to the node, which is the piece's end */
static void end_piece(ess_driver *d, ess_piece_kind kind, double length, double duration) {
  d->piece.kind = kind;
  d->piece.length = length;
  d->piece.t0 = d->t;
  advance_time(d, duration);
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

void ess_piece_parabola(ess_driver *d, double duration, const double v[]) {
  const size_t bytes = d->lanes * sizeof *v;
  memcpy(d->piece.c[0], d->f, bytes);
  memcpy(d->piece.c[1], v, bytes);
  ess_swap(&d->x, &d->piece.x);
  memcpy(d->x, d->x_try, bytes);
  end_piece(d, ESS_PIECE_PARABOLA, duration, duration);
}

static void step_state(const ess_piece *p, size_t n, double elapsed, double x[]) {
  const double theta = ess_smaller(1.0, elapsed / p->length), rest = 1.0 - theta;
  for (size_t i = 0; i < n; i++)
    x[i] = p->x[i] +
           theta * (p->c[0][i] + rest * (p->c[1][i] + theta * (p->c[2][i] + rest * p->c[3][i])));
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
    step_state(p, n, t - p->t0, x);
    return;
  case ESS_PIECE_PARABOLA:
    parabola_state(p, n, t - p->t0, x);
    return;
  }
}

int ess_driver_dense(ess_driver *d, double t, double x[]) {
  if (!d) return ESS_EINVAL;
  const ess_piece *const p = &d->piece;
  if (!x) return ess_refuse(d, t, "x must not be NULL");
  const double at = ess_caller_time(d, t);
  if (!(at >= p->t0 && at <= p->t1))
    return ess_refuse(d, t, "t must lie within the last step, from ess_driver_step_start on");
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

/*
 * Dense output: the last step made, kept so that its states can be asked for afterwards at no
 * evaluation, and the caller's samples on it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"

void ess_piece_begin(ess_driver *d, double t, const double x[]) {
  // an apply that goes on where the last one ended has that one's last step behind it
  const size_t bytes = ess_caller_states(d) * sizeof *x;
  if (t == d->piece.t1 && memcmp(x, d->x, bytes) == 0) return;
  d->piece.kind = ESS_PIECE_POINT;
  d->piece.t0 = d->piece.t1 = t;
}

void ess_piece_made(ess_driver *d, double duration, const double v[]) {
  ess_piece *const p = &d->piece;
  const size_t bytes = d->lanes * sizeof *d->x;
  p->kind = v ? ESS_PIECE_PARABOLA : ESS_PIECE_STEP;
  p->length = v ? duration : d->dt;
  if (v) {
    memcpy(p->c[0], d->f, bytes);
    memcpy(p->c[1], v, bytes);
    ess_swap(&d->x, &p->x);
    memcpy(d->x, d->x_try, bytes);
  } else {
    // nothing is copied: the arrays of the step just tried become the piece's, and vice versa
    ess_swap(&d->x_end, &d->x);
    ess_swap(&d->x_end, &p->x);
    for (int i = 0; i < ESS_DENSE; i++) ess_swap(&d->dense[i], &p->c[i]);
  }
  // The part of the duration that rounding cuts off is kept: far from t = 0 it would add up. It may
  // be half a rounding below, or reach past the end of the apply: time does neither.
  const double before = d->t, added = duration + d->t_rest;
  d->t = ess_smaller(added > 0.0 ? before + added : before, d->t_end);
  if (d->caller.moves) ess_take_time(d, d->t);
  d->t_rest = added - (d->t - before);
  p->t0 = before;
  p->t1 = d->t;
}

void ess_take_whole_step(ess_driver *d, double t1) {
  if (d->dt == t1 - d->piece.t0) ess_take_time(d, d->piece.t1 = t1);
  ess_swap(&d->h, &d->h_end);
  ess_swap(&d->rate, &d->rate_end);
  ess_swap(&d->f, &d->stage[ESS_STAGES - 1]);
  const size_t size = d->system.guard_count * sizeof *d->idle_at_end;
  if (d->system.idle) memcpy(d->idle_at_node, d->idle_at_end, size);
  d->stage[0] = d->f;
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
    for (size_t i = 0; i < n; i++) {
      const double elapsed = t - p->t0, part = p->length > 0.0 ? elapsed / p->length : 1.0;
      x[i] = p->x[i] + elapsed * (p->c[0][i] + part * (p->c[1][i] - p->c[0][i]));
    }
    return;
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

/* one by one, in the caller's time, and without the state that is time */
static void sample_for_caller(ess_driver *d, double t_end) {
  const ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension;
  for (; d->times_done < d->times_count; d->times_done++) {
    const double t = ess_caller_time(d, d->times[d->times_done]);
    double *const row = d->samples + d->times_done * n, *const x = c->moves ? c->x : row;
    if (!(t <= t_end)) return;
    ess_piece_state(d, t, x);
    if (c->moves) memcpy(row, x, n * sizeof *row);
  }
}

void ess_sample_piece(ess_driver *d, double t_end) {
  if (d->caller.moves || d->caller.way < 0.0) {
    sample_for_caller(d, t_end);
    return;
  }
  for (; d->times_done < d->times_count && d->times[d->times_done] <= t_end; d->times_done++)
    ess_piece_state(d, d->times[d->times_done], d->samples + d->times_done * d->system.dimension);
}

void ess_sample_node(ess_driver *d) {
  const size_t n = ess_caller_states(d);
  for (size_t k = d->times_done; k > 0 && ess_caller_time(d, d->times[k - 1]) >= d->t; k--)
    memcpy(d->samples + (k - 1) * n, d->x, n * sizeof *d->x);
}

void ess_sample_rest(ess_driver *d) {
  for (; d->times_done < d->times_count; d->times_done++)
    if (ess_caller_time(d, d->times[d->times_done]) > d->t) break;
  ess_sample_node(d);
}

/*
 * Samples on the caller's time grid.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "ess_internal.h"

/* whether a sample up to t_end is still to be written */
static bool pending(const ess_driver *d, double t_end) {
  return d->times_done < d->times_count && d->times[d->times_done] <= t_end;
}

/* the next row of the caller's buffer, and one sample fewer to do */
static double *next_row(ess_driver *d) {
  return d->samples + d->times_done++ * d->system.dimension;
}

/* one step's dense output in four lanes: of four components, or of one for four samples */
typedef struct dense_lanes {
  ess_lanes x, c[ESS_DENSE];
} dense_lanes;

static inline ess_lanes value_at(const dense_lanes *p, ess_lanes theta) {
  const ess_lanes rest = 1.0 - theta;
  return p->x + theta * (p->c[0] + rest * (p->c[1] + theta * (p->c[2] + rest * p->c[3])));
}

/* theta of samples k..k+3 */
static inline ess_lanes places(const double times[], double t, double dt) {
  const ess_lanes theta = (ess_lanes_load(times) - t) / dt, one = ess_lanes_all(1.0);
  return ess_lanes_min(theta, one);
}

/* component i, four samples at once; the last few one by one */
static void sample_component(const ess_driver *d, const ess_piece *p, size_t i, size_t first,
                             size_t end) {
  const size_t n = d->system.dimension;
  const double t = p->t0, dt = p->length, *const times = d->times;
  dense_lanes held = {.x = ess_lanes_all(p->x[i])};
  for (int c = 0; c < ESS_DENSE; c++) held.c[c] = ess_lanes_all(p->c[c][i]);
  double *to = d->samples + first * n + i;
  size_t k = first;
  for (; k + ESS_LANES <= end; k += ESS_LANES, to += ESS_LANES * n) {
    const ess_lanes value = value_at(&held, places(times + k, t, dt));
    to[0] = value[0];
    to[n] = value[1];
    to[2 * n] = value[2];
    to[3 * n] = value[3];
  }
  for (; k < end; k++, to += n)
    *to = value_at(&held, ess_lanes_all(ess_smaller(1.0, (times[k] - t) / dt)))[0];
}

/* four components from `from` on, one sample after the other */
static void sample_lanes(const ess_driver *d, const ess_piece *p, size_t from, size_t first,
                         size_t end) {
  const size_t n = d->system.dimension;
  const double t = p->t0, dt = p->length, *const times = d->times;
  dense_lanes held = {.x = ess_lanes_load(p->x + from)};
  for (int c = 0; c < ESS_DENSE; c++) held.c[c] = ess_lanes_load(p->c[c] + from);
  double *row = d->samples + first * n + from;
  for (size_t k = first; k < end; k++, row += n) {
    const double theta = ess_smaller(1.0, (times[k] - t) / dt);
    ess_lanes_store(row, value_at(&held, ess_lanes_all(theta)));
  }
}

/* many at once, in lanes */
static void sample_step(ess_driver *d, const ess_piece *p, double t_end) {
  const size_t n = d->system.dimension, first = d->times_done;
  size_t end = first;
  while (end < d->times_count && d->times[end] <= t_end) end++;
  d->times_done = end;
  if (end == first) return;
  if (n < ESS_LANES) {
    for (size_t i = 0; i < n; i++) sample_component(d, p, i, first, end);
    return;
  }
  // the last four overlap those before them, rather than reach beyond the caller's row
  for (size_t from = 0; from + ESS_LANES < n; from += ESS_LANES)
    sample_lanes(d, p, from, first, end);
  sample_lanes(d, p, n - ESS_LANES, first, end);
}

/* a cluster's first sub-step is its base's until the first crossing */
static void sample_base(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  ess_piece base = {.t0 = c->base_t, .length = c->base_dt, .x = c->base_x};
  memcpy(base.c, d->dense, sizeof base.c);
  sample_step(d, &base, c->base_t + c->from);
}

void ess_sample_piece(ess_driver *d, double t_end) {
  if (d->piece.kind == ESS_PIECE_STEP) {
    sample_step(d, &d->piece, t_end);
    return;
  }
  if (d->piece.kind == ESS_PIECE_PATH && !d->cluster.deviates) sample_base(d);
  while (pending(d, t_end)) {
    const double t = d->times[d->times_done];
    ess_piece_state(d, t, next_row(d));
  }
}

void ess_sample_rest(ess_driver *d) {
  const size_t n = d->system.dimension;
  while (pending(d, d->t)) memcpy(next_row(d), d->x, n * sizeof *d->x);
  // samples at the end are the end itself, to the last bit
  for (size_t k = d->times_done; k > 0 && d->times[k - 1] >= d->t; k--)
    memcpy(d->samples + (k - 1) * n, d->x, n * sizeof *d->x);
}

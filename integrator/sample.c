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

/* four components of the dense output at theta, from component i on */
static inline ess_lanes dense_lanes(const ess_driver *d, double theta, size_t i) {
  const double rest = 1.0 - theta;
  const ess_lanes inner = ess_lanes_load(d->dense[2] + i) + rest * ess_lanes_load(d->dense[3] + i);
  const ess_lanes middle = ess_lanes_load(d->dense[1] + i) + theta * inner;
  const ess_lanes outer = ess_lanes_load(d->dense[0] + i) + rest * middle;
  return ess_lanes_load(d->x + i) + theta * outer;
}

void ess_sample_dense(ess_driver *d, double t_end) {
  const size_t n = d->system.dimension;
  while (pending(d, t_end)) {
    const double theta = ess_smaller(1.0, (d->times[d->times_done] - d->t) / d->dt);
    double *const row = next_row(d);
    size_t i = 0;
    for (; i + ESS_LANES <= n; i += ESS_LANES) ess_lanes_store(row + i, dense_lanes(d, theta, i));
    // the last few: the driver's own arrays are filled up to whole lanes, the caller's are not
    if (i == n) continue;
    const ess_lanes last = dense_lanes(d, theta, i);
    memcpy(row + i, &last, (n - i) * sizeof *row);
  }
}

void ess_sample_parabola(ess_driver *d, double duration, const double v[]) {
  const double t_end = d->t + duration;
  while (pending(d, t_end)) {
    // leaves along f, passes the end: for v = f a straight line
    const double elapsed = d->times[d->times_done] - d->t;
    const double part = duration > 0.0 ? elapsed / duration : 1.0;
    double *const row = next_row(d);
    for (size_t i = 0; i < d->system.dimension; i++)
      row[i] = d->x[i] + elapsed * (d->f[i] + part * (v[i] - d->f[i]));
  }
}

void ess_sample_rest(ess_driver *d) {
  while (pending(d, d->t)) memcpy(next_row(d), d->x, d->system.dimension * sizeof *d->x);
}

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

void ess_sample_dense(ess_driver *d, double t_end) {
  while (pending(d, t_end)) {
    const double theta = fmin(1.0, (d->times[d->times_done] - d->t) / d->dt);
    ess_dopri5_dense(d, theta, next_row(d));
  }
}

void ess_sample_line(ess_driver *d, double t_end) {
  while (pending(d, t_end)) {
    const double elapsed = d->times[d->times_done] - d->t;
    double *const row = next_row(d);
    for (size_t i = 0; i < d->system.dimension; i++) row[i] = d->x[i] + elapsed * d->f[i];
  }
}

void ess_sample_rest(ess_driver *d) {
  while (pending(d, d->t)) memcpy(next_row(d), d->x, d->system.dimension * sizeof *d->x);
}

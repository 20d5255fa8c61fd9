/*
 * The grain of an event function: what is less is not told from zero. It is nought, until a step is
 * halved for one that stays in doubt however short the step is: such doubt is rounding, as where a
 * state rests on its zero, h = h' = 0, and differs from it by the last digits of large numbers. It
 * is nought again once the state has left.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "driver_state.h"
#include "grain.h"
#include "scattered.h"

/* a step that has been halved to less than this part of what it was: a doubt that comes with the
 * step's length is gone long before */
static const double HALVED = 1.0 / (1 << 24);

/* grain, as part of what the tolerance lets an event function err by */
static const double PART = 1e-3;

/* an event function that is so many grains has left its zero */
static const double LEFT = 10.0;

int ess_allowed_error(ess_driver *d, size_t k, double *allowed) {
  *allowed = 0.0;
  for (int way = 0; way < 2; way++) {
    for (size_t i = 0; i < d->system.dimension; i++) {
      const double unit = d->atol[i] + (d->rtol[i] + 8.0 * DBL_EPSILON) * fabs(d->x[i]);
      const double part = 1.0 + ess_scattered(2 * i + (size_t)way + 1);
      d->v_try[i] = part * (way ? unit : i % 2 ? -unit : unit);
    }
    const int status = ess_guard_rates(d, d->t, d->x, d->v_try, d->h_try, d->rate_try);
    if (status) return status;
    *allowed = ess_larger(fabs(d->rate_try[k]), *allowed);
  }
  return ESS_SUCCESS;
}

int ess_coarsen(ess_driver *d, size_t k, bool *coarser) {
  double allowed;
  *coarser = false;
  if (d->grain[k] > 0.0 || !(d->dt <= HALVED * d->longest_doubted)) return ESS_SUCCESS;
  const int status = ess_allowed_error(d, k, &allowed);
  const double doubt = d->cluster.inexact[k];
  if (status || !(doubt <= allowed && allowed > 0.0 && allowed < INFINITY)) return status;
  d->grain[k] = ess_larger(doubt, PART * allowed);
  d->is_coarse = *coarser = true;
  return ESS_SUCCESS;
}

int ess_refine(ess_driver *d) {
  d->is_coarse = false;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    double allowed;
    if (d->grain[k] == 0.0) continue;
    const int status = ess_allowed_error(d, k, &allowed);
    if (status) return status;
    if (fabs(d->h[k]) > LEFT * d->grain[k] || d->grain[k] > allowed) d->grain[k] = 0.0;
    d->is_coarse |= d->grain[k] > 0.0;
  }
  return ESS_SUCCESS;
}

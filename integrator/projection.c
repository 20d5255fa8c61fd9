/*
 * The projection step (section 3.1 of the paper): along the field's tangent onto the guard that is
 * reached first, and across it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "ess_internal.h"

bool ess_first_candidate(const ess_driver *d, size_t *guard, double *duration) {
  *guard = SIZE_MAX;
  *duration = INFINITY;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    const double rate = -d->sign[k] * d->rate[k];
    if (!(rate > 0.0) || d->level[k] == INFINITY) continue;
    const double reach = fmax(0.0, d->sign[k] * d->h[k] / rate);
    if (reach >= *duration) continue;
    *duration = reach;
    *guard = k;
  }
  return *guard != SIZE_MAX;
}

/* counts crossings made without time passing: more than every guard has, and a pair is at odds */
static int watch_progress(ess_driver *d, size_t guard) {
  const double resolution = 64.0 * DBL_EPSILON * fmax(fabs(d->t), DBL_MIN / DBL_EPSILON);
  if (d->t - d->progress_time > resolution) {
    d->progress_time = d->t;
    d->stalled_crossings = 0;
  }
  if (++d->stalled_crossings > 2 * d->system.guard_count + 16)
    return ess_fail(d, ESS_ECHATTER, guard);
  d->last_guard = guard;
  return ESS_SUCCESS;
}

/* the observer's share of a projection and its crossing */
static int observe(ess_driver *d, size_t guard, double t0) {
  const ess_observer *const o = &d->options.observer;
  int stop = 0;
  if (o->step) {
    const ess_step_info info = {.projection = true, .t0 = t0, .t1 = d->t, .x = d->x};
    stop = o->step(&info, o->context);
  }
  if (!stop && o->crossing) {
    const ess_crossing_info info = {.guard = guard,
                                    .direction = d->sign[guard] > 0.0 ? 1 : -1,
                                    .t = d->t,
                                    .x = d->x,
                                    .sign = d->sign};
    stop = o->crossing(&info, o->context);
  }
  return stop ? ess_fail(d, ESS_ESTOP, guard) : ESS_SUCCESS;
}

int ess_projection_step(ess_driver *d, size_t guard, double duration) {
  const double t0 = d->t;
  if (-d->sign[guard] * d->rate[guard] < d->options.liveness)
    return ess_fail(d, ESS_ELIVENESS, guard);
  if (d->apply_crossings++ >= d->options.max_crossings)
    return ess_fail(d, ESS_EMAXCROSSINGS, guard);
  ess_sample_line(d, t0 + duration);
  for (size_t i = 0; i < d->system.dimension; i++) d->x[i] += duration * d->f[i];
  d->t = t0 + duration;
  d->counters.projections++;

  int status = watch_progress(d, guard);
  if (!status) status = ess_flip(d, guard);
  if (!status) status = ess_evaluate_node(d);
  return status ? status : observe(d, guard, t0);
}

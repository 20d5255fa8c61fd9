/*
 * The projection step (section 3.1 of the paper): along the field's tangent onto the guard that is
 * reached first, and across it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "ess_internal.h"

/* smallest of v[count]; INFINITY for none. Four running minima, so that it vectorises. */
static double smallest(const double v[], size_t count) {
  enum { LANES = 4 };
  double lane[LANES] = {INFINITY, INFINITY, INFINITY, INFINITY};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (size_t i = 0; i < LANES; i++) lane[i] = v[k + i] < lane[i] ? v[k + i] : lane[i];
  for (; k < count; k++) lane[0] = v[k] < lane[0] ? v[k] : lane[0];
  return fmin(fmin(lane[0], lane[1]), fmin(lane[2], lane[3]));
}

bool ess_first_candidate(const ess_driver *d, size_t *guard, double *duration) {
  const size_t m = d->system.guard_count;
  const double *restrict const sign = d->sign, *restrict const level = d->level;
  const double *restrict const h = d->h, *restrict const rate = d->rate;
  double *restrict const reach = d->h_try;
  // time to every guard by the tangent; a receding guard, or one that is no candidate, is never
  // reached, and one already passed takes no time
  for (size_t k = 0; k < m; k++) {
    const double ahead = h[k] / -rate[k];
    const double time = ahead > 0.0 ? ahead : 0.0;
    reach[k] = -sign[k] * rate[k] > 0.0 && level[k] < INFINITY ? time : INFINITY;
  }
  *duration = smallest(reach, m);
  *guard = SIZE_MAX;
  if (*duration == INFINITY) return false;
  for (*guard = 0; reach[*guard] != *duration;) ++*guard;
  return true;
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
  ess_advance_time(d, duration);
  d->counters.projections++;

  int status = watch_progress(d, guard);
  if (!status) status = ess_flip(d, guard);
  if (!status) status = ess_evaluate_node(d);
  return status ? status : observe(d, guard, t0);
}

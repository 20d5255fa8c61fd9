/*
 * The projection step (section 3.1 of the paper): along the field onto the guard that is reached
 * first, and across it. Order 1 follows the tangent; order 2 the field half-way, with one
 * correction.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "dense.h"
#include "driver_state.h"
#include "events.h"
#include "impacts.h"
#include "lanes.h"
#include "locate.h"
#include "projection.h"
#include "suspect.h"
#include "tangents.h"

/* to = the node's state, `duration` further in direction v */
static inline void go_along(const ess_driver *d, double duration, const double v[], double to[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(to + i, ess_lanes_load(d->x + i) + duration * ess_lanes_load(v + i));
}

/*
 * Order 2: the field half-way along the tangent, in v_try, and the time along it to the guard. When
 * one of the batch is not approached by the half-way field, or only in more than twice the time, it
 * is nearly grazed: the tangent has to do.
 */
static int bend(ess_driver *d, size_t guard, double *duration) {
  const double q = *duration;
  double bent_duration = q;
  double *const v = d->v_try, *const x = d->x_try, *const h = d->some_h, *const rate = d->level;
  go_along(d, 0.5 * q, d->f, x);
  int status = ess_field(d, d->t + 0.5 * q, x, v);
  if (status) return status;
  for (size_t i = 0; i < d->system.dimension; i++)
    if (!isfinite(v[i])) return ess_fail(d, ESS_EFIELD, SIZE_MAX);

  go_along(d, q, v, x);
  status = ess_some_guard_rates(d, d->t + q, x, v, d->batch, d->batch_count, h, rate);
  bool bent = true;
  for (size_t i = 0; !status && i < d->batch_count; i++) {
    const size_t k = d->batch[i];
    if (!isfinite(h[i] + rate[i])) return ess_fail(d, ESS_EGUARD, k);
    const double approach = d->side[k] * rate[i];
    const double corrected = q - d->side[k] * h[i] / approach;
    bent = bent && approach > 0.0 && corrected <= 2.0 * q;
    if (k == guard) bent_duration = ess_larger(0.0, corrected);
  }
  if (bent)
    *duration = bent_duration;
  else
    memcpy(v, d->f, d->lanes * sizeof *v);
  return status;
}

/* whether the batch begins with a silent guard that has been passed already, or on which others in
 * the batch depend, itself or one of the silent ones after it: it is crossed by itself then */
static bool silent_goes_first(const ess_driver *d, const ess_candidate *first) {
  if (!ess_is_silent(d, d->batch[0])) return false;
  bool goes_first = first->duration == 0.0;
  for (size_t i = 0; i < d->batch_count && !goes_first; i++)
    goes_first = ess_is_silent(d, d->batch[i]) && ess_row_concerns_batch(d, d->batch[i]);
  return goes_first;
}

/* crosses the batch's guards in order, but for those that a crossing before has disarmed */
static int cross_batch(ess_driver *d) {
  double *const side = d->some_h;
  for (size_t i = 0; i < d->batch_count; i++) side[i] = d->side[d->batch[i]];
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < d->batch_count; i++)
    if (d->side[d->batch[i]] == side[i]) status = ess_make_crossing(d, d->batch[i]);
  return status;
}

/* the same, unless what is crossed is an impact, of which all events have to be found */
static int cross_or_impact(ess_driver *d, size_t guard) {
  int status = d->impacts ? ess_evaluate_node(d) : ESS_SUCCESS;
  if (status) return status;
  const size_t impact = d->impacts ? ess_due_impact(d, guard) : SIZE_MAX;
  if (impact != SIZE_MAX) return ess_make_impact(d, impact);
  status = cross_batch(d);
  return status ? status : ess_evaluate_node(d);
}

int ess_projection_step(ess_driver *d, const ess_candidate *first, double t1, bool *made) {
  const size_t guard = first->guard;
  const double t0 = d->t, *v = d->f, h = d->h[guard], rate = d->rate[guard];
  *made = false;
  ess_gather_batch(d, first);
  if (silent_goes_first(d, first)) {
    *made = true;
    return ess_make_crossing(d, d->batch[0]);
  }
  if (d->side[first->guard] * d->rate[first->guard] < d->options.liveness)
    return ess_fail(d, ESS_ELIVENESS, first->guard);
  int status = ESS_SUCCESS;
  double duration = first->duration;
  if (d->options.order == 2 && duration > 0.0) {
    status = bend(d, first->guard, &duration);
    v = d->v_try;
  }
  if (status || duration > t1 - t0) return status;
  go_along(d, duration, v, d->x_try);
  d->t_seen = t0 + duration;
  status = ess_check_state(d, d->x_try);
  if (status) return status;

  if (d->tangents) status = ess_tangent_projection(d, duration);
  if (status) return status;

  *made = true;
  ess_piece_parabola(d, duration, v);
  ess_sample_piece(d, t0 + duration);
  d->counters.projections++;

  status = ess_observe_step(d, t0, true);
  if (!status) status = cross_or_impact(d, guard);
  return status ? status : ess_suspect_projection(d, guard, h, rate);
}

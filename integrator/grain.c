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
#include <string.h>

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

/* the same where an event function only seems to rest on its zero */
static const double SLIGHT = 1e-5;

/* crossings in a row after which rounding is looked for: of all, and of one that is returned to */
enum { MANY = 16, SOME = 4 };

/* an event function that is so many grains has left its zero */
static const double LEFT = 10.0;

/* one of the two ways, into d->v_try */
static void move_by(ess_driver *d, double tolerances, double roundings, int way) {
  for (size_t i = 0; i < d->system.dimension; i++) {
    // the time that has passed, where it is a state more, is not off but for rounding
    const double size = fabs(d->x[i]);
    const double tolerance = i < ess_caller_states(d) ? d->atol[i] + d->rtol[i] * size : 0.0;
    const double unit = tolerances * tolerance + roundings * DBL_EPSILON * size;
    const double part = 1.0 + ess_scattered(2 * i + (size_t)way + 1);
    d->v_try[i] = part * (way ? unit : i % 2 ? -unit : unit);
  }
}

/* what event functions change by when each state moves by a part of its tolerance, and a multiple
 * of its rounding: of the first `count`, from k on */
static int weigh(ess_driver *d, size_t k, size_t count, double tolerances, double roundings,
                 double weight[]) {
  for (size_t i = 0; i < count; i++) weight[i] = 0.0;
  for (int way = 0; way < 2; way++) {
    move_by(d, tolerances, roundings, way);
    d->t_seen = d->t;
    const int status = ess_guard_rates(d, d->t, d->x, d->v_try, d->h_try, d->rate_try);
    if (status) return status;
    for (size_t i = 0; i < count; i++) weight[i] = ess_larger(fabs(d->rate_try[k + i]), weight[i]);
  }
  return ESS_SUCCESS;
}

/* what all event functions change by, as ess_allowed_error says, into d->some_h */
static int allowed_errors(ess_driver *d) {
  return weigh(d, 0, d->system.guard_count, 1.0, 8.0, d->some_h);
}

int ess_allowed_error(ess_driver *d, size_t k, double *allowed) {
  return weigh(d, k, 1, 1.0, 8.0, allowed);
}

int ess_rounding_error(ess_driver *d, size_t k, double *rounding) {
  return weigh(d, k, 1, 0.0, 8.0, rounding);
}

int ess_rounding_errors(ess_driver *d, double roundings[]) {
  return weigh(d, 0, d->system.guard_count, 0.0, 8.0, roundings);
}

/* whether the rate of event function k is nought at both ends of the step that is in doubt: what it
 * changes by there may be rounding however long the step is */
static bool is_at_rest(const ess_driver *d, size_t k) {
  return d->rate[k] == 0.0 && d->rate_end[k] == 0.0;
}

bool ess_is_shortest(const ess_driver *d) {
  return !(d->dt > 1e3 * DBL_EPSILON * ess_larger(fabs(d->t), d->longest_doubted));
}

int ess_coarsen(ess_driver *d, size_t k, bool *coarser) {
  const bool is_halved = d->dt <= HALVED * d->longest_doubted;
  double allowed;
  *coarser = false;
  if (d->grain[k] > 0.0 || !(is_halved || ess_is_shortest(d) || is_at_rest(d, k)))
    return ESS_SUCCESS;
  const int status =
      is_halved ? ess_allowed_error(d, k, &allowed) : ess_rounding_error(d, k, &allowed);
  const double doubt = d->inexact[k];
  if (status || !(doubt <= allowed && allowed > 0.0 && allowed < INFINITY)) return status;
  d->grain[k] = ess_larger(doubt, is_halved ? PART * allowed : allowed);
  d->is_coarse = *coarser = true;
  return ESS_SUCCESS;
}

int ess_refine(ess_driver *d) {
  const int status = allowed_errors(d);
  d->is_coarse = false;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    const double allowed = d->some_h[k], way = d->dt_next * fabs(d->rate[k]);
    if (fabs(d->h[k]) > LEFT * d->grain[k] || d->grain[k] > allowed || way > allowed)
      d->grain[k] = 0.0;
    d->is_coarse |= d->grain[k] > 0.0;
  }
  return status;
}

/* what event functions differ by where states are moved by their tolerance, as above: of those that
 * turn within that it is less than their rates say. Into d->some_h. */
static int allowed_differences(ess_driver *d) {
  double *const allowed = d->some_h;
  memset(allowed, 0, d->guard_lanes * sizeof *allowed);
  for (int way = 0; way < 2; way++) {
    move_by(d, 1.0, 8.0, way);
    for (size_t i = 0; i < d->system.dimension; i++) d->x_try[i] = d->x[i] + d->v_try[i];
    const int status = ess_guards(d, d->t, d->x_try, d->h_try);
    if (status) return status;
    for (size_t k = 0; k < d->system.guard_count; k++)
      allowed[k] = ess_larger(fabs(d->h_try[k] - d->h[k]), allowed[k]);
  }
  return ESS_SUCCESS;
}

/* whether crossings have come so many in a row that some may be rounding */
static bool may_be_rounding(const ess_driver *d) {
  const uint64_t since = d->apply_crossings - d->settled_crossings;
  return since >= MANY + d->system.guard_count || (since >= SOME && d->slide_returns >= SOME);
}

int ess_settle(ess_driver *d) {
  if (!may_be_rounding(d)) return ESS_SUCCESS;
  d->settled_crossings = d->apply_crossings;
  const int status = allowed_differences(d);
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    const double grain = SLIGHT * d->some_h[k];
    const bool rests = fabs(d->h[k]) + d->dt_next * fabs(d->rate[k]) <= grain;
    if (d->side[k] == 0.0 || !rests || !(grain < INFINITY)) continue;
    d->grain[k] = ess_larger(grain, d->grain[k]);
    d->is_coarse = true;
  }
  // what has been rounding says nothing of sliding
  const size_t returned = d->slide_guard;
  if (!status && returned < d->system.guard_count && d->grain[returned] > 0.0) d->slide_returns = 0;
  return status;
}

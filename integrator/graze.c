/*
 * Impacts that are grazed: a guard is reached along it, or all but reached, and what follows is in
 * doubt.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "callbacks.h"
#include "driver_state.h"
#include "enclosure.h"
#include "impacts.h"

/* a guard is grazed where the state goes no further beyond it, or stays no further from it, than
 * this part of what the tolerance lets it be off by; all of that where tangents are followed, which
 * have no limit there */
static const double PART = 1e-3;

/* how near to its zero, in parts of the way it goes, an event function has to turn for more to be
 * asked of it */
static const double NEAR = 1e-4;

/* where the state goes beyond its guard by more than this part of the way to the step's end, that
 * way would be a tenth of what the tolerance lets it be off by, were it a graze: nobody asks */
static const double FAR = 1e-2;

/* by how little event function k is grazed, by what it changes by when each state moves by its
 * tolerance */
static int weigh_tolerance(ess_driver *d, size_t k, double *doubt) {
  double *const v = d->v_try, h, rate;
  int status = ESS_SUCCESS;
  *doubt = 0.0;
  memset(v, 0, d->lanes * sizeof *v);
  // the time that has passed, where it is a state more, is not off
  for (size_t i = 0; !status && i < ess_caller_states(d); i++) {
    v[i] = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    status = ess_some_guard_rates(d, d->t, d->x, v, &k, 1, &h, &rate);
    *doubt += fabs(rate);
    v[i] = 0.0;
  }
  if (!d->tangents) *doubt *= PART;
  return status;
}

int ess_refuse_grazing(ess_driver *d, size_t k, double *zeno) {
  const double rate = d->side[k] * d->rate[k], rest = d->dt - (d->t - d->piece.t0);
  const double turn = d->side[k] * d->rate_end[k] - rate;
  if (!(rate > 0.0)) return ess_fail_grazing(d, k);
  if (d->piece.kind != ESS_PIECE_STEP || !(rest > 0.0) || !(turn < 0.0)) return ESS_SUCCESS;
  const double beyond = 0.5 * rate * rate * rest / -turn;
  if (!d->tangents && beyond > FAR * fabs(d->h_end[k])) return ESS_SUCCESS;
  double doubt;
  const int status = weigh_tolerance(d, k, &doubt);
  return status || beyond > doubt ? status : ess_zeno_of_graze(d, k, zeno);
}

/* where event function k turns within the step just tried, which it begins towards its guard and
 * ends away from it; its value there, seen from the near side */
static double turning_value(const ess_driver *d, size_t k, double *place) {
  enum { HALVINGS = 50 };
  double b[ESS_QUARTIC], below = 0.0, above = 1.0, slope;
  ess_model_guard(d, k, b);
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (below + above);
    ess_quartic(b, middle, &slope);
    *(slope > 0.0 ? &below : &above) = middle;
  }
  *place = below;
  return ess_quartic(b, below, &slope);
}

int ess_refuse_touch(ess_driver *d) {
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.guard_count; k++) {
    const bool turns = d->side[k] * d->rate[k] > 0.0 && d->side[k] * d->rate_end[k] < 0.0;
    if (!turns || !ess_is_impact(d, k)) continue;
    double place;
    const double way = fabs(d->h[k]) + fabs(d->h_end[k]), peak = turning_value(d, k, &place);
    if (!(peak < 0.0) || -peak > NEAR * way) continue;
    double doubt;
    status = weigh_tolerance(d, k, &doubt);
    if (status || -peak > doubt) continue;
    status = ess_fail_grazing(d, k);
    if (status == ESS_EGRAZING) d->failure.time = ess_caller_time(d, d->t + place * d->dt);
  }
  return status;
}

/*
 * Events that are stepped over: each evaluation of the field has the signs of its own state, and
 * the error control alone finds where they change. And the choice between that and location, by
 * their evaluations.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"

/* ---- steps over events ----------------------------------------------------------------------- */

/* The error control shows the sum of effects alone: each is that of a sign's change if the field
 * were another all along the step. */
ess_verdict ess_unlocated_judge(ess_driver *d) {
  const ess_unlocated *const u = &d->unlocated;
  const size_t n = d->system.dimension, m = d->system.plain_field ? 0 : d->system.event_count;
  double *const f = d->stage[1], *const off = d->stage[2], *const sign = u->before, most = 0.0;
  size_t changed = 0;
  for (size_t k = 0; k < m; k++) changed += u->end[k] != u->node[k];
  if (changed < 2) return (ess_verdict){0};
  int status = ess_take_signs(d, u->node);
  if (!status) status = ess_field_at(d, u->node, d->t + d->dt, d->x_end, f);
  for (size_t k = 0; !status && k < m; k++) {
    if (u->end[k] == u->node[k]) continue;
    memcpy(sign, u->node, m * sizeof *sign);
    sign[k] = -sign[k];
    status = ess_take_signs(d, sign);
    if (!status) status = ess_field_at(d, sign, d->t + d->dt, d->x_end, off);
    for (size_t i = 0; i < n; i++) off[i] = d->dt * (off[i] - f[i]);
    most = ess_larger(most, ess_scaled_norm(d, off, d->x, d->x_end));
  }
  if (status) return (ess_verdict){.status = status};
  const double next = d->dt * ess_larger(ESS_SHRINK_MOST, ESS_SAFER / most);
  const bool stands = most <= 1.0 || !ess_is_resolved(d, next);
  return stands ? (ess_verdict){0} : ess_refused(ESS_BY_CROSSING, next);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* steps by which the first trial's length is found; a trial ends early where it has taken more than
 * LOST times what the other way takes in the whole of it; and is repeated after WAIT times its
 * length, and each time that it is lost again after twice as much */
enum { TRIAL_STEPS = 32, WAIT = 8 };
static const double LOST = 1.25;

static double work_of(const ess_driver *d) {
  const ess_counters *const c = &d->counters;
  const double events = (double)(c->event_evaluations + c->jacobian_evaluations);
  return (double)c->field_evaluations + d->options.event_cost * (events + d->unlocated.some);
}

static void open_window(ess_driver *d, bool tries) {
  ess_unlocated *const u = &d->unlocated;
  u->tries = tries;
  u->since = d->t;
  u->work = work_of(d);
  u->steps = d->counters.steps;
}

void ess_unlocated_begin(ess_driver *d) {
  ess_unlocated *const u = &d->unlocated;
  u->on = d->options.locate != ESS_LOCATE_ALL;
  u->is_lost = false;
  u->trial = 0.0;
  u->wait = WAIT;
  if (!u->on) return;
  ess_disarm_all(d);
  open_window(d, false);
}

/* the other way from now on */
static int turn(ess_driver *d) {
  ess_unlocated *const u = &d->unlocated;
  u->on = !u->on;
  u->is_known = false;
  ess_forget_turning(d);
  ess_base_forget(d);
  d->control.after.crossed = SIZE_MAX;
  if (!u->on) {
    ess_returns_begin(d, d->t);
    return ess_latch(d);
  }
  ess_disarm_all(d);
  return ess_evaluate_node(d);
}

int ess_unlocated_instead(ess_driver *d) {
  d->unlocated.is_lost = true;
  d->unlocated.on = false;
  ess_no_failure(d);
  d->apply.phase = ESS_PHASE_ON;
  return turn(d);
}

int ess_unlocated_choose(ess_driver *d) {
  ess_unlocated *const u = &d->unlocated;
  const double time = d->t - u->since, work = work_of(d) - u->work;
  if (u->is_lost || !(time > 0.0)) return ESS_SUCCESS;
  if (u->trial == 0.0) { // the first window
    if (d->counters.steps - u->steps < TRIAL_STEPS) return ESS_SUCCESS;
    u->trial = time;
  } else if (u->tries) {
    const double other = u->rate[!u->on];
    const bool is_lost = work > LOST * other * u->trial;
    if (time < u->trial && !is_lost) return ESS_SUCCESS;
    u->rate[u->on] = work / time;
    const bool wins = !is_lost && u->rate[u->on] < other;
    u->wait = wins ? WAIT : 2 * u->wait;
    open_window(d, false);
    return wins ? ESS_SUCCESS : turn(d);
  } else if (time < (double)u->wait * u->trial) {
    return ESS_SUCCESS;
  }
  u->rate[u->on] = work / time;
  open_window(d, true);
  const int status = turn(d);
  // nor where it begins
  return status == ESS_ESLIDING ? ess_unlocated_instead(d) : status;
}

/*
 * What is crossed where a step has been cut, or at its end: silent guards that it has passed, and
 * the guards that it was cut at, an impact among them first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "callbacks.h"
#include "driver_state.h"
#include "events.h"
#include "impacts.h"
#include "locate.h"

void ess_enter_neighbourhoods(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++)
    if (d->fate[d->flagged[i]] == ESS_FATE_ENTERED) ess_hold_inside(d, d->flagged[i]);
}

int ess_cross_silent(ess_driver *d, const double h[]) {
  for (ess_fate which = ESS_FATE_PASSED; which <= ESS_FATE_REACHED; which++)
    for (size_t i = 0; i < d->flagged_count; i++) {
      const size_t k = d->flagged[i];
      if (d->fate[k] != which || d->side[k] == 0.0) continue;
      if (which == ESS_FATE_PASSED && d->side[k] * h[k] < 0.0) continue;
      const int status = ess_make_crossing(d, k);
      if (status) return status;
    }
  return ESS_SUCCESS;
}

/* the guards of impacts that the state rests on, and goes on to, are not reached where the step is
 * cut for another */
static void leave_resting(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    const bool rests = d->rate[k] == 0.0 && d->rate_end[k] == 0.0;
    if (rests && ess_is_impact(d, k)) d->fate[k] = ESS_FATE_NONE;
  }
}

/* an impact at the node, where the step was cut; SIZE_MAX when there is none. The node is evaluated
 * where there may be. */
static int find_impact(ess_driver *d, size_t *impact) {
  *impact = SIZE_MAX;
  for (size_t i = 0; d->impacts && i < d->flagged_count; i++)
    if (ess_is_impact(d, d->flagged[i])) *impact = d->flagged[i];
  if (*impact == SIZE_MAX) return ESS_SUCCESS;
  const int status = ess_evaluate_node(d);
  if (!status) leave_resting(d);
  *impact = SIZE_MAX;
  for (size_t i = 0; !status && *impact == SIZE_MAX && i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->fate[k] == ESS_FATE_ENTERED && ess_is_armed(d, k)) *impact = ess_due_impact(d, k);
  }
  return status;
}

/* whether guard k, where the state is, is still approached after what has been crossed there */
static int is_still_due(ess_driver *d, size_t k, bool *due) {
  double h, rate = 0.0;
  int status = ess_field(d, d->t, d->x, d->stage[1]);
  if (!status) status = ess_some_guard_rates(d, d->t, d->x, d->stage[1], &k, 1, &h, &rate);
  *due = !(d->side[k] * rate < 0.0);
  return status;
}

/* the guards that the step was cut at, none of which is an impact */
static int cross_all(ess_driver *d) {
  bool jumped = false; // another that is crossed here may have turned the state back
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->fate[k] != ESS_FATE_ENTERED || d->side[k] == 0.0) continue;
    bool due = true;
    int status = jumped ? is_still_due(d, k, &due) : ESS_SUCCESS;
    if (!status && !due) continue;
    jumped = jumped || !ess_is_silent(d, k);
    if (!status) status = ess_make_crossing(d, k);
    if (status) return status;
  }
  return ESS_SUCCESS;
}

int ess_cross_entered(ess_driver *d) {
  size_t impact;
  int status = find_impact(d, &impact);
  if (status || impact != SIZE_MAX) return status ? status : ess_make_impact(d, impact);
  status = cross_all(d);
  return status ? status : ess_evaluate_node(d);
}

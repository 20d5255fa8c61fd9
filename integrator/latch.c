/*
 * The latched mode at the start: on which side of every guard the state is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "impact.h"
#include "latch.h"
#include "resets.h"
#include "resting.h"
#include "status.h"

/* whether an event function is zero, as is its rate, here and where it has been looked at later */
static bool is_undecided(const ess_driver *d) {
  bool undecided = false;
  for (size_t k = 0; k < d->system.guard_count; k++)
    undecided |= d->h[k] == 0.0 && d->rate[k] == 0.0 && d->rate_end[k] == 0.0;
  return undecided;
}

/* rates a whole step later, which shows higher derivatives than the second */
static int look_further(ess_driver *d, double later) {
  double ignored;
  d->dt = ess_smaller(later, d->t_end - d->t);
  int status = ess_dopri5_try(d, &ignored);
  if (!status)
    status = ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[6], d->h_try, d->rate_end);
  return status;
}

/* the sides of guards on which the state starts exactly: where the field points, or, when it points
 * along the guard, where it points a little later; but where it points through an impact, the side
 * before that */
static int choose_sides(ess_driver *d) {
  const size_t m = d->system.guard_count, n = d->system.dimension;
  double later;
  int status = ess_dopri5_first_step(d, d->t + 1.0, &later);
  later *= 1e-3;
  for (size_t i = 0; !status && i < n; i++) d->x_try[i] = d->x[i] + later * d->f[i];
  const double t = ess_smaller(d->t + later, d->t_end);
  if (!status) status = ess_field(d, t, d->x_try, d->stage[1]);
  if (!status) status = ess_guard_rates(d, t, d->x_try, d->stage[1], d->h_try, d->rate_end);
  if (!status && is_undecided(d)) status = look_further(d, later);
  for (size_t k = 0; !status && k < m; k++) {
    const double rate = d->rate[k] == 0.0 ? d->rate_end[k] : d->rate[k];
    const bool rests = rate == 0.0 && ess_rests_on_impact(d, k);
    if (d->h[k] == 0.0 && rate < 0.0) d->sign[k] = -1.0;
    if (d->h[k] == 0.0 && rate != 0.0) status = ess_put_before_impact(d, k);
    if (rests) status = ess_impact_side(d, k);
  }
  if (!status) status = ess_announce(d, m);
  return status ? status : ess_evaluate_node(d);
}

int ess_latch(ess_driver *d) {
  const size_t m = d->system.guard_count;
  int status = m ? ess_guards(d, d->t, d->x, d->h) : ESS_SUCCESS;
  if (status) return status;
  bool on_a_guard = false;
  for (size_t k = 0; k < m; k++)
    if (!isfinite(d->h[k])) return ess_fail(d, ESS_EGUARD, k);
  for (size_t k = 0; k < m; k++) {
    d->sign[k] = d->h[k] >= 0.0 ? 1.0 : -1.0;
    on_a_guard = on_a_guard || d->h[k] == 0.0;
  }
  status = ess_announce(d, m);
  if (!status) status = ess_evaluate_node(d);
  if (!status) status = ess_check_guards(d);
  if (!status) status = ess_find_resting(d);
  for (size_t k = 0; k < m; k++) on_a_guard = on_a_guard || ess_rests_on_impact(d, k);
  if (!status && on_a_guard) status = choose_sides(d);
  if (!status) status = ess_put_before_passed(d);
  if (!status) status = ess_resets_start(d);
  if (!status) status = ess_impacts_start(d);
  d->latched = !status;
  return status;
}

int ess_resume(ess_driver *d) {
  int status = ess_announce(d, d->system.guard_count);
  if (!status) status = ess_evaluate_node(d);
  return status ? status : ess_check_guards(d);
}

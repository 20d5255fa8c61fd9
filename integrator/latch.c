/*
 * The latched mode at the start: on which side of every guard the state is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"

/* the sides of guards on which the state starts exactly: where the field points, or, when it points
 * along the guard, where it points a little later; but where it points through an impact, the side
 * before that */
static int choose_sides(ess_driver *d) {
  const size_t m = d->system.event_count;
  double later, ignored;
  int status = ess_control_first(d, d->t + 1.0, &later);
  later *= 1e-3;
  if (!status) status = ess_look_later(d, later);
  // an event function is zero, as is its rate, here and where it has been looked at later
  bool undecided = false;
  for (size_t k = 0; k < m; k++)
    undecided |= d->h[k] == 0.0 && d->rate[k] == 0.0 && d->rate_end[k] == 0.0;
  if (!status && undecided) { // a whole step later higher derivatives than the second show
    d->dt = ess_smaller(later, d->apply.t_end - d->t);
    status = ess_dopri5_try(d, &ignored);
    if (!status)
      status = ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[6], d->h_try, d->rate_end);
  }
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

/* fails where the state starts on event function k's zero, and the field leads away from it on
 * either side, by more than a negligible part of its jump: which side it goes to is not unique */
static int refuse_repelled(ess_driver *d, size_t k) {
  const double sign = d->sign[k], rate = sign * d->rate[k];
  double *const f = d->stage[1], h, other = 0.0;
  int status = ess_take_sign(d, k, -sign);
  if (!status) status = ess_field_at(d, d->sign, d->t, d->x, f);
  if (!status) status = ess_some_guard_rates(d, d->t, d->x, f, &k, 1, &h, &other);
  const int told = ess_take_sign(d, k, sign);
  if (!status) status = told;
  const double least = ESS_NEGLIGIBLE * fabs(rate - sign * other);
  if (status || !(rate > least && -sign * other > least)) return status;
  return ess_slide_fail(d, k, SIZE_MAX, ESS_NOT_UNIQUE);
}

int ess_latch(ess_driver *d) {
  const size_t m = d->system.event_count;
  int status = m ? ess_event_values(d, d->t, d->x, d->h) : ESS_SUCCESS;
  if (status) return status;
  bool on_a_guard = false;
  for (size_t k = 0; k < m; k++)
    if (!isfinite(d->h[k])) return ess_fail(d, ESS_EEVENT, k);
  for (size_t k = 0; k < m; k++) {
    d->sign[k] = d->h[k] >= 0.0 ? 1.0 : -1.0;
    on_a_guard = on_a_guard || d->h[k] == 0.0;
  }
  status = ess_announce(d, m);
  if (!status) status = ess_evaluate_node(d);
  if (!status) status = ess_check_events(d);
  if (!status) status = ess_find_resting(d);
  for (size_t k = 0; d->impacts && k < m; k++) on_a_guard = on_a_guard || ess_rests_on_impact(d, k);
  if (!status && on_a_guard) status = choose_sides(d);
  if (!status) status = ess_put_before_passed(d);
  if (!status) status = ess_put_past_jumps(d);
  if (!status) status = ess_watched_pass(d);
  if (!status) status = ess_start_armed(d);
  for (size_t k = 0; !status && k < m; k++)
    if (d->h[k] == 0.0 && ess_is_armed(d, k) && !ess_is_impact(d, k))
      status = refuse_repelled(d, k);
  return status;
}

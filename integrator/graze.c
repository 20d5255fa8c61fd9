/*
 * Touches, if V is followed: the state turns back at a guard, within the tolerance. A trajectory
 * displaced by delta crosses the guard twice or not at all, and stays beyond it for a time
 * proportional to the square root of delta. If the field changes across the guard, there is no
 * derivative (docs/theory/tangents.md#where-a-guard-is-touched).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "tangents.h"

/* A force that is continuous at its guard, as a spring's is, changes the field at the touch in
 * proportion to h, or to its rate, there. CONTINUOUS: accepted change over this share (of h or of
 * its rate at the step's ends) of the change at the ends. */
static const double CONTINUOUS = 8.0;

/* what crossing event function k's guard would add to the field f at this state */
static int find_jump_at(ess_driver *d, size_t k, double t, const double x[], double f[],
                        double jump[]) {
  int status = ess_field(d, t, x, f);
  if (status) return status;
  d->sign[k] = -d->sign[k];
  status = ess_announce(d, k);
  if (!status) status = ess_field(d, t, x, jump);
  d->sign[k] = -d->sign[k];
  const int told = ess_announce(d, k);
  for (size_t i = 0; !status && i < d->system.dimension; i++) jump[i] -= f[i];
  return status ? status : told;
}

/* the same at this place of the step just tried */
static int find_jump(ess_driver *d, size_t k, double theta, double f[], double jump[]) {
  ess_dopri5_dense(d, theta, d->x_try);
  return find_jump_at(d, k, d->t + theta * d->dt, d->x_try, f, jump);
}

/* whether the field changes across event function k's guard at this place of the step */
static int changes_field(ess_driver *d, size_t k, double theta, bool *changes) {
  ess_tangents *const v = d->tangents;
  double *const f = v->f_here, *const jump = v->f_beside, *const far = v->x_beside;
  double *const there = v->x, h, rate, rounding;
  *changes = false;
  int status = ess_rounding_error(d, k, &rounding);
  ess_dopri5_dense(d, theta, d->x_try);
  ess_dopri5_slope(d, theta, d->v_try);
  if (!status)
    status = ess_some_guard_rates(d, d->t + theta * d->dt, d->x_try, d->v_try, &k, 1, &h, &rate);
  if (status) return status;
  // h and its rate at this place over their sizes at the ends: the larger ratio, with rounding
  const double part =
      ess_larger((fabs(h) + rounding) / ess_larger(fabs(d->h[k]), fabs(d->h_end[k])),
                 fabs(rate) / ess_larger(fabs(d->rate[k]), fabs(d->rate_end[k])));
  status = find_jump(d, k, 0.0, f, far);
  if (!status) status = find_jump(d, k, 1.0, f, there);
  for (size_t i = 0; !status && i < d->system.dimension; i++)
    far[i] = ess_larger(fabs(far[i]), fabs(there[i]));
  if (!status) status = find_jump(d, k, theta, f, jump);
  for (size_t i = 0; !status && i < d->system.dimension; i++) {
    const double size = fabs(jump[i]);
    *changes |= size > CONTINUOUS * part * far[i] + ESS_ROUNDING * (fabs(f[i]) + size);
  }
  return status;
}

int ess_tangent_refuse_touch(ess_driver *d, const ess_location *found, bool last) {
  if (!ess_locates(d)) return ESS_SUCCESS;
  bool any = false;
  int status = ESS_SUCCESS;
  last = last && !(d->between.next < d->apply.t_end); // a step may also end at a jump of the field
  for (size_t k = 0; !status && k < d->watched.first; k++) {
    const double rate = d->side[k] * d->rate[k], rate_end = d->side[k] * d->rate_end[k];
    // a run that ends at the turn is on one side of it
    const bool turns = rate > 0.0 && (rate_end < 0.0 || (rate_end == 0.0 && !last));
    double peak, place, doubt, rounding;
    if (!turns || ess_is_impact(d, k) || !ess_turns_near(d, k, &peak, &place)) continue;
    if (found->use == ESS_USE_CUT && place > found->theta && d->flagged.fate[k] != ESS_FATE_ENTERED)
      continue;
    any = true;
    status = ess_weigh_graze(d, k, &doubt);
    if (!status) status = ess_rounding_error(d, k, &rounding);
    // a function that rests on its zero moves by rounding
    const double moved = fabs(d->h[k]) + fabs(d->h_end[k]);
    if (status || fabs(peak) > doubt || moved <= 2.0 * rounding) continue;
    bool changes;
    status = changes_field(d, k, place, &changes);
    if (status || !changes) continue;
    status = ess_fail(d, ESS_EGRAZING, k);
    d->failure.time = ess_caller_time(d, d->t + place * d->dt);
  }
  // a step that is cut needs these values, and other states have been looked at
  if (!status && any && found->use == ESS_USE_CUT)
    status = ess_event_values(d, d->t + found->theta * d->dt, d->x_end, d->h_try);
  return status;
}

/* ---- a run that ends where a watched function is touched ---------------------------------------
 */

int ess_tangent_refuse_end(ess_driver *d, size_t k, double rate) {
  ess_tangents *const v = d->tangents;
  const ess_piece *const p = &d->piece;
  const ess_impact_work *const w = d->impacts;
  double allowed, h = 0.0, beside = 0.0, ignored;
  if (!(fabs(rate) > 0.0)) return ess_fail(d, ESS_EGRAZING, k);
  if (k < d->watched.first || p->kind != ESS_PIECE_STEP) return ESS_SUCCESS;
  // an impact has taken the state off the step
  if (w && (w->t_open == d->t || w->t_stopped == d->t)) return ESS_SUCCESS;
  int status = ess_allowed_error(d, k, &allowed);
  // a parabola whose peak is this far beyond its zero changes its rate by itself in this time
  const double turn = 2.0 * allowed / fabs(rate);
  // the step's polynomial, before its zero or beyond, where it is longer
  const double behind = p->t1 - p->t0, ahead = p->length - behind;
  const double by = behind >= ahead ? -ess_smaller(turn, behind) : ess_smaller(turn, ahead);
  if (status || by == 0.0) return status;
  ess_piece_state(d, d->t + by, v->x);
  status = ess_some_guard_rates(d, d->t, d->x, d->f, &k, 1, &h, &ignored);
  if (!status) status = ess_some_guard_rates(d, d->t + by, v->x, d->f, &k, 1, &beside, &ignored);
  if (status) return status;
  const double changed = 2.0 * ((beside - h) / by - rate); // of the rate, over this time
  return fabs(changed) * turn < fabs(rate * by) ? ESS_SUCCESS : ess_fail(d, ESS_EGRAZING, k);
}

/* ---- a touch at a jump of the field by time -------------------------------------------------- */

/* A jump of the field may turn the state back at a guard, on either side of it. Trajectories beside
 * this one cross the guard twice, or not at all. */

/* whether the field at the node changes across event function k's guard, by more than a force that
 * is in proportion to h would */
static int changes_at_node(ess_driver *d, size_t k, double doubt, bool *changes) {
  ess_tangents *const v = d->tangents;
  double *const f = v->f_here, *const jump = v->f_beside, *const far = v->x, rounding;
  int status = ess_rounding_error(d, k, &rounding);
  if (!status) status = ess_event_values(d, d->piece.t0, d->piece.x, v->h);
  if (!status) status = find_jump_at(d, k, d->t, d->piece.x, f, far);
  if (!status) status = find_jump_at(d, k, d->t, d->x, f, jump);
  const double from = fabs(v->h[k]), part = from > doubt ? (fabs(d->h[k]) + rounding) / from : 0.0;
  for (size_t i = 0; !status && i < d->system.dimension; i++) {
    const double size = fabs(jump[i]);
    *changes |= size > CONTINUOUS * part * fabs(far[i]) + ESS_ROUNDING * (fabs(f[i]) + size);
  }
  return status;
}

int ess_tangent_note_corners(ess_driver *d) {
  double *const rate = d->tangents->corner, *const changes = rate + d->system.event_count;
  int status = ESS_SUCCESS;
  memset(rate, 0, 2 * d->system.event_count * sizeof *rate);
  for (size_t k = 0; !status && ess_locates(d) && k < d->watched.first; k++) {
    double doubt;
    if (d->side[k] == 0.0 || d->rate[k] == 0.0) continue;
    status = ess_weigh_graze(d, k, &doubt);
    if (status || fabs(d->h[k]) > doubt) continue;
    rate[k] = d->rate[k];
    bool any = ess_is_impact(d, k);
    if (!any) status = changes_at_node(d, k, doubt, &any);
    changes[k] = any;
  }
  return status;
}

int ess_tangent_refuse_corner(ess_driver *d) {
  const double *const rate = d->tangents->corner, *const changes = rate + d->system.event_count;
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->watched.first; k++) {
    double doubt;
    if (rate[k] == 0.0 || rate[k] * d->rate[k] > 0.0) continue;
    bool any = changes[k] != 0.0;
    if (!any) status = ess_weigh_graze(d, k, &doubt);
    if (!any && !status) status = changes_at_node(d, k, doubt, &any);
    if (!status && any) status = ess_fail(d, ESS_EGRAZING, k);
  }
  return status;
}

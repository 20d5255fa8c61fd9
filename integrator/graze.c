/*
 * Guards that are touched where tangents are followed: the state turns back at one, or all but so,
 * as far as the tolerance tells. Trajectories beside this one cross it twice, or not at all, and
 * stay beyond it for a time that is a square root of how far they are displaced. Where crossing it
 * changes the field there is no derivative.
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

/* rounding of a sum of terms in the field, relative */
static const double FIELD_ROUNDING = 16.0 * DBL_EPSILON;

/* whether the step that is to be taken comes to where event function k turns, or crosses it on the
 * way there */
static bool is_reached(const ess_driver *d, const ess_location *found, size_t k, double place) {
  return !found->cut || place <= found->theta || d->fate[k] == ESS_FATE_ENTERED;
}

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

/* what part of their size at the step's ends event function k, and its rate, are at this place,
 * where they may be rounding */
static int find_part(ess_driver *d, size_t k, double theta, double *part) {
  double h, rate, rounding;
  int status = ess_rounding_error(d, k, &rounding);
  ess_dopri5_dense(d, theta, d->x_try);
  ess_dopri5_slope(d, theta, d->v_try);
  if (!status)
    status = ess_some_guard_rates(d, d->t + theta * d->dt, d->x_try, d->v_try, &k, 1, &h, &rate);
  const double far = ess_larger(fabs(d->h[k]), fabs(d->h_end[k]));
  const double fast = ess_larger(fabs(d->rate[k]), fabs(d->rate_end[k]));
  if (!status) *part = ess_larger((fabs(h) + rounding) / far, fabs(rate) / fast);
  return status;
}

/* whether the field changes across event function k's guard where it is touched */
static int changes_field(ess_driver *d, size_t k, double theta, bool *changes) {
  ess_tangents *const v = d->tangents;
  double part, *const f = v->f_here, *const jump = v->f_beside, *const far = v->x_beside;
  double *const there = v->x;
  *changes = false;
  int status = find_part(d, k, theta, &part);
  if (!status) status = find_jump(d, k, 0.0, f, far);
  if (!status) status = find_jump(d, k, 1.0, f, there);
  for (size_t i = 0; !status && i < d->system.dimension; i++)
    far[i] = ess_larger(fabs(far[i]), fabs(there[i]));
  if (!status) status = find_jump(d, k, theta, f, jump);
  for (size_t i = 0; !status && i < d->system.dimension; i++) {
    const double size = fabs(jump[i]);
    *changes |= size > CONTINUOUS * part * far[i] + FIELD_ROUNDING * (fabs(f[i]) + size);
  }
  return status;
}

/* fails where event function k turns at this value so near to its zero that the tolerance does not
 * tell whether it is crossed, and that would change the field; but not where it rests there, and
 * moves by rounding alone */
static int refuse_touch(ess_driver *d, size_t k, double peak, double place) {
  const double way = fabs(d->h[k]) + fabs(d->h_end[k]);
  double doubt, rounding;
  bool changes;
  int status = ess_weigh_graze(d, k, &doubt);
  if (!status) status = ess_rounding_error(d, k, &rounding);
  if (status || peak > doubt || way <= 2.0 * rounding) return status;
  status = changes_field(d, k, place, &changes);
  if (status || !changes) return status;
  status = ess_fail(d, ESS_EGRAZING, k);
  d->failure.time = ess_caller_time(d, d->t + place * d->dt);
  return status;
}

/* whether event function k turns within the step just tried. A run that ends where it turns is on
 * one side of it. */
static bool turns(const ess_driver *d, size_t k, bool last) {
  const double rate = d->side[k] * d->rate[k], rate_end = d->side[k] * d->rate_end[k];
  return rate > 0.0 && (rate_end < 0.0 || (rate_end == 0.0 && !last)) && !ess_is_impact(d, k);
}

int ess_tangent_refuse_touch(ess_driver *d, const ess_location *found, bool last) {
  if (!d->scheme->locates) return ESS_SUCCESS;
  bool any = false;
  last = last && !(d->between.next < d->t_end); // a step may also end at a jump of the field
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->watched.first; k++) {
    if (!turns(d, k, last)) continue;
    double peak, place;
    if (!ess_turns_near(d, k, &peak, &place) || !is_reached(d, found, k, place)) continue;
    any = true;
    status = refuse_touch(d, k, fabs(peak), place);
  }
  // where the step is cut these are to be known, and other states have been looked at
  if (!status && any && found->cut)
    status = ess_guards(d, d->t + found->theta * d->dt, d->x_end, d->h_try);
  return status;
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
  if (!status) status = ess_guards(d, d->piece.t0, d->piece.x, v->h);
  if (!status) status = find_jump_at(d, k, d->t, d->piece.x, f, far);
  if (!status) status = find_jump_at(d, k, d->t, d->x, f, jump);
  const double from = fabs(v->h[k]), part = from > doubt ? (fabs(d->h[k]) + rounding) / from : 0.0;
  for (size_t i = 0; !status && i < d->system.dimension; i++) {
    const double size = fabs(jump[i]);
    *changes |= size > CONTINUOUS * part * fabs(far[i]) + FIELD_ROUNDING * (fabs(f[i]) + size);
  }
  return status;
}

int ess_tangent_note_corners(ess_driver *d) {
  double *const rate = d->tangents->corner, *const changes = rate + d->system.guard_count;
  int status = ESS_SUCCESS;
  memset(rate, 0, 2 * d->system.guard_count * sizeof *rate);
  for (size_t k = 0; !status && d->scheme->locates && k < d->watched.first; k++) {
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
  const double *const rate = d->tangents->corner, *const changes = rate + d->system.guard_count;
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

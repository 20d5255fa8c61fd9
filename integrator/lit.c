/*
 * LIT, the linearly implicit base of order 2 with one evaluation of the field a step: the method of
 * Adams and Bashforth predicts the end, and one step of Newton's method towards the trapezoidal
 * rule corrects it, with the caller's matrix W in the place of the Jacobian. Its first step of a
 * mode is ROS2's.
 *
 * E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., Springer
 * 1993, III.1, III.5: Adams methods, and those with variable steps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"

/* With the field f at the node, f_there at the node before it, which is `way` back, and w = dt/way:
 *
 *   p = x + dt (f + w/2 (f - f_there)),        off by -(1/6 + 1/(4w)) dt^3 x''',
 *   (1 - dt/2 W) q = x + dt/2 (f + f_p) - p,   f_p: the field at p,
 *   x_end = p + q, f_end = f_p + W q,          off by +1/12 dt^3 x'''.
 *
 * f_end is not the field at x_end, but differs from it by (W - J) q, which is as small as dt^3 and
 * enters the state with dt once more: so the order is 2 with any W. By the difference of both
 * errors, q = (1 + 1/w) dt^3 x''' / 4, the error is q w / (3 (1 + w)): a sixth of q where steps are
 * equal, and a third of it at most. x_end obeys the trapezoidal rule with f_end whatever W is, so a
 * jump by J of the field within the step, which f_p shows, is an error of at most dt J / 2 and adds
 * as much to q: with ESS_SEVERITY the estimate is no smaller as long as w is 1 or more. */

/* With a W that is far too stiff q is as small as that of a short step, and shows no error: what W
 * takes from the correction q_0 = (1 - dt/2 W) q is an error then. A step *relies* on W where it
 * would stand by the estimate of q, and not by that of q_0. The first of these steps evaluates the
 * field at x_end, which shows J q; so does one in so many of them, and each in which W takes
 * ESS_MARGIN times more than in all that have shown it right, or seems that much stiffer. W is
 * wrong in components in which W q is ESS_MARGIN times as large as J q. If it hides more there than
 * half the tolerance, the step is refused, as where a contact opens on the way; after 2
 * ESS_AGREEING of them in a row the trajectory goes on by dopri5. */
static int rely(ess_driver *d, double share, double by_q0, double *error) {
  ess_trust *const w = &d->choice.trust;
  const size_t n = d->system.dimension;
  const double severity = d->scheme->place_level ? 1.0 : d->base->severity;
  const double takes = by_q0 / *error, stiffness = (takes - 1.0) / d->dt;
  const bool more = takes > ESS_MARGIN * w->takes || stiffness > ESS_MARGIN * w->stiffness;
  const double *const by_w = d->stage[1], *const f_end = d->stage[ESS_STAGES - 1];
  double *const f = d->stage[2], *const off = d->x_try;
  if (!(severity * *error <= 1.0) || !(severity * by_q0 > 1.0)) return ESS_SUCCESS;
  if (!more && ++w->relied < 2 * ESS_RADIUS_TRIES) return ESS_SUCCESS;
  int status = ess_field(d, d->t + d->dt, d->x_end, f);
  if (status) return status;
  for (size_t i = 0; i < n; i++) {
    const double by_j = f[i] - (f_end[i] - by_w[i]);
    const bool is_right = fabs(by_w[i]) <= ESS_MARGIN * fabs(by_j);
    off[i] = is_right ? 0.0 : d->dt * share * (by_w[i] - by_j);
  }
  const double hidden = ess_are_finite(f, n) ? ess_scaled_norm(d, off, d->x, d->x_end) : INFINITY;
  const bool shows = severity * hidden <= 1.0;
  w->relied = 0;
  w->takes = shows ? ess_larger(w->takes, takes) : 0.0;
  w->stiffness = shows ? ess_larger(w->stiffness, stiffness) : 0.0;
  w->alarms = shows ? 0 : w->alarms + 1;
  if (!shows) *error = hidden;
  if (!ess_distrusts(d)) return ESS_SUCCESS;
  // from the field at the node, since that of the last step was by W
  d->base = &ess_base_dopri5;
  status = ess_evaluate_node(d);
  return status ? status : d->base->try(d, error);
}

static int try_lit(ess_driver *d, double *error) {
  const ess_system *const s = &d->system;
  const ess_beside *const b = &d->beside;
  const size_t n = s->dimension;
  const double dt = d->dt, c = 0.5 * dt, t = d->t + dt, at = ess_field_time(d, t);
  double *const predicted = d->stage[1], *const missing = d->stage[2], *const moved = d->x_try;
  double *const f_end = d->stage[ESS_STAGES - 1];
  ess_look_beside(d);
  if (b->way == 0.0) return ess_ros2_try(d, error);
  const double bend = c * dt / b->way;
  for (size_t i = 0; i < n; i++)
    predicted[i] = d->x[i] + dt * d->f[i] + bend * (d->f[i] - b->f_there[i]);
  int status = ess_field(d, t, predicted, f_end);
  if (status) return status;
  for (size_t i = 0; i < n; i++)
    moved[i] = missing[i] = d->x[i] + c * (d->f[i] + f_end[i]) - predicted[i];
  d->apply.t_seen = t;
  status = ess_called(d, s->field_solve(at, predicted, ess_signs_to_solve(d), c, moved, s->params));
  if (status) return status;
  const double share = dt / (3.0 * (dt + b->way));
  const double by_q0 = share * ess_scaled_norm(d, missing, d->x, predicted);
  for (size_t i = 0; i < n; i++) {
    const double by_w = (moved[i] - missing[i]) / c;
    d->x_end[i] = predicted[i] + moved[i];
    f_end[i] += by_w;
    predicted[i] = by_w;
    moved[i] *= share;
  }
  *error = ess_error_of_order_2(d);
  return rely(d, share, by_q0, error);
}

const ess_stepper ess_base_lit = {.kind = ESS_IMPLICIT,
                                  .try = try_lit,
                                  .judge = ess_control_judge,
                                  .dense = ess_dense_of_ends,
                                  .last = ESS_STAGES - 1,
                                  .alpha = ESS_BY_SQUARE,
                                  .safety = ESS_SAFER,
                                  .severity = ESS_SEVERITY,
                                  .near_beside = ESS_UNFELT};

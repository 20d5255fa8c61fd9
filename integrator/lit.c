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
  for (size_t i = 0; i < n; i++) {
    d->x_end[i] = predicted[i] + moved[i];
    f_end[i] += (moved[i] - missing[i]) / c;
    moved[i] *= share;
  }
  *error = ess_error_of_order_2(d);
  return ESS_SUCCESS;
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

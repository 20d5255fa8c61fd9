/*
 * Differences of the field along a direction, and how long they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "difference.h"
#include "driver_state.h"
#include "slide_state.h"
#include "tangent_state.h"

/* the size of a state below which its tolerance is absolute; 0 where it never is */
static double size_of(const ess_driver *d, size_t i) {
  return d->atol[i] / (d->rtol[i] > 0.0 ? d->rtol[i] : 1e-8);
}

double ess_tangent_unit(const ess_driver *d, size_t i) {
  const double unit = size_of(d, i);
  return unit > 0.0 ? unit : 1.0;
}

double ess_tangent_part(const ess_driver *d, const double x[], const double along[], double part) {
  // the time that has passed, where it is a state more, says nothing of how large states are
  const size_t n = ess_caller_states(d);
  double largest = 0.0, state = 0.0, direction = 0.0;
  for (size_t i = 0; i < n; i++) largest = ess_larger(largest, fabs(x[i]));
  for (size_t i = 0; i < n; i++) {
    double unit = size_of(d, i);
    if (!(unit > 0.0)) unit = largest > 0.0 ? largest : 1.0;
    state = ess_larger(state, fabs(x[i]) / unit);
    const double its = fabs(along[i]) / unit;
    if (!(its <= DBL_MAX)) return NAN; // so is the difference, then
    direction = ess_larger(direction, its);
  }
  const double multiple = direction > 0.0 ? part * ess_larger(state, 1.0) / direction : 0.0;
  return isinf(multiple) ? 0.0 : multiple; // one so small has decayed
}

double ess_time_apart(const ess_driver *d) {
  const double t = fabs(d->t), dt = d->dt, rounding = 1e4 * DBL_EPSILON * t;
  const double moved = ess_tangent_part(d, d->x, d->f, cbrt(DBL_EPSILON));
  double apart = moved > 0.0 ? moved : cbrt(DBL_EPSILON) * ess_larger(t, 1.0);
  if (dt > 0.0) apart = ess_smaller(cbrt(DBL_EPSILON * ess_larger(t, dt) * dt * dt), apart);
  return ess_larger(apart, rounding);
}

/* the same from both sides: on surfaces directions have to stay, and an error across them is not
 * damped, whatever else is */
static int central_difference(ess_driver *d, double t, const double x[], const double from[],
                              double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const double step = ess_tangent_part(d, x, from, cbrt(DBL_EPSILON));
  memset(to, 0, n * sizeof *to);
  if (step == 0.0) return ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) v->x_beside[i] = x[i] + step * from[i];
  int status = ess_field(d, t, v->x_beside, v->f_beside);
  for (size_t i = 0; i < n; i++) v->x_beside[i] = x[i] - step * from[i];
  if (!status) status = ess_field(d, t, v->x_beside, to);
  for (size_t i = 0; i < n; i++) to[i] = (v->f_beside[i] - to[i]) / (2.0 * step);
  return status;
}

int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  if (ess_is_sliding(d)) return central_difference(d, t, x, from, to);
  const double step = ess_tangent_part(d, x, from, sqrt(DBL_EPSILON));
  memset(to, 0, n * sizeof *to);
  if (step == 0.0) return ESS_SUCCESS;
  for (size_t i = 0; i < n; i++) v->x_beside[i] = x[i] + step * from[i];
  const int status = ess_field(d, t, v->x_beside, v->f_beside);
  for (size_t i = 0; i < n; i++) to[i] = (v->f_beside[i] - f[i]) / step;
  return status;
}

/*
 * The derivative of an impact's map, as the caller has it or by differences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "derivative.h"
#include "difference.h"
#include "driver_state.h"
#include "impact_state.h"
#include "tangent_state.h"

/* the caller's map once more, of a state beside that of the impact, with the same events */
static int map_beside(ess_driver *d, const ess_impact *impact, double step, const double along[],
                      double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, m = d->system.guard_count;
  for (size_t i = 0; i < n; i++) v->x_beside[i] = impact->x[i] + step * along[i];
  memcpy(to, v->x_beside, n * sizeof *to);
  memcpy(v->mode, impact->mode, m * sizeof *v->mode);
  memcpy(v->armed, impact->armed, 2 * m * sizeof *v->armed);
  ess_impact beside = *impact;
  beside.x = v->x_beside;
  beside.after = to;
  beside.mode = v->mode;
  beside.armed = v->armed;
  d->t_seen = impact->t;
  const int code = d->impacts->calls.map(&beside, d->system.params);
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

/* what a difference of the map multiplies a direction by, which may be one of time, too */
static double step_along(const ess_driver *d, const double x[], const double from[]) {
  const size_t states = ess_caller_states(d);
  const double step = ess_tangent_part(d, x, from, cbrt(DBL_EPSILON));
  const double moved = states < d->system.dimension ? fabs(from[states]) : 0.0;
  if (moved == 0.0) return step;
  const double apart = ess_time_apart(d) / moved;
  return step == 0.0 ? apart : ess_smaller(apart, step);
}

/* one column by differences of the map */
static int difference(ess_driver *d, const ess_impact *impact, const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const double step = step_along(d, impact->x, from);
  memset(to, 0, n * sizeof *to);
  if (step == 0.0) return ESS_SUCCESS;
  int status = map_beside(d, impact, step, from, to);
  if (!status) status = map_beside(d, impact, -step, from, v->f_beside);
  for (size_t i = 0; i < n; i++) to[i] = (to[i] - v->f_beside[i]) / (2.0 * step);
  return status;
}

int ess_tangent_map(ess_driver *d, const ess_impact *impact, const double from[], size_t count,
                    double to[]) {
  const size_t n = d->system.dimension;
  double *const matrix = d->tangents->matrix;
  int status = ESS_SUCCESS;
  if (!d->impacts->calls.jacobian) {
    for (size_t j = 0; !status && j < count; j++)
      status = difference(d, impact, from + j * n, to + j * n);
    return status;
  }
  d->t_seen = impact->t;
  const int code = d->impacts->calls.jacobian(impact, matrix, d->system.params);
  if (code) return ess_callback_failed(d, code);
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (size_t l = 0; l < n; l++) sum += matrix[i * n + l] * from[j * n + l];
      to[j * n + i] = sum;
    }
  return ESS_SUCCESS;
}

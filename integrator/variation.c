/*
 * Tangents between crossings: v' = (df/dx) v, by the stages of the step that the state makes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "difference.h"
#include "dopri5.h"
#include "driver_state.h"
#include "parameters.h"
#include "piece.h"
#include "slide_state.h"
#include "status.h"
#include "tangent.h"
#include "tangent_state.h"
#include "tape.h"
#include "variation.h"

/* directions may err by so many tolerances in a step: less, and most steps of the state would be
 * too long for them, by little */
static const double ALLOWED = 10.0;

/* what is smaller than this has decayed, and is no error: doubles soon below it lose their digits
 */
static const double DECAYED = 1e-304;

/* the largest component; not a number where one is not */
static double norm(const double v[], size_t n) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++) most = fabs(v[i]) <= most ? most : fabs(v[i]) + 0.0 * most;
  return most;
}

/* to = matrix times from */
static void multiply(const double matrix[], const double from[], size_t n, double to[]) {
  for (size_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) sum += matrix[i * n + j] * from[j];
    to[i] = sum;
  }
}

/* by the state alone */
static int state_rates(ess_driver *d, double t, const double x[], const double *f,
                       const double from[], size_t count, double to[]) {
  ess_tangents *const v = d->tangents;
  const ess_system *const s = &d->system;
  const size_t n = s->dimension;
  if (s->field_jacobian && !ess_is_sliding(d)) {
    d->counters.field_jacobian_evaluations++;
    d->t_seen = t;
    const int code = s->field_jacobian(t, x, d->sign, v->matrix, s->params);
    if (code) return ess_callback_failed(d, code);
    for (size_t j = 0; j < count; j++) multiply(v->matrix, from + j * n, n, to + j * n);
    return ESS_SUCCESS;
  }
  int status = ESS_SUCCESS;
  if (!f) {
    status = ess_field(d, t, x, v->f_here);
    f = v->f_here;
  }
  for (size_t j = 0; !status && j < count; j++)
    status = ess_tangent_difference(d, t, x, f, from + j * n, to + j * n);
  return status;
}

int ess_tangent_rates(ess_driver *d, double t, const double x[], const double *f,
                      const double from[], const double along[], size_t count, double to[]) {
  const int status = state_rates(d, t, x, f, from, count, to);
  return status ? status : ess_parameter_rates(d, t, x, along, count, to);
}

/* what is rounding in differences of the field along a direction: shorter steps do not mend it */
static double rounding_of(const ess_driver *d, const double along[]) {
  const double step = ess_tangent_part(d, d->x, along, sqrt(DBL_EPSILON));
  return step > 0.0 ? DBL_EPSILON * norm(d->f, d->system.dimension) / step : 0.0;
}

/* the error of directions over a step of this length that ends here, in units of what is allowed,
 * as if their components were states: the largest of all directions */
static double error_of(ess_driver *d, double dt, const double end[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double most = 0.0;
  ess_dopri5_sum(ESS_SUM_ERROR, dt, NULL, v->k, v->count * n, v->w);
  for (size_t j = 0; j < v->count; j++) {
    double *const error = v->w + j * n, *const from = v->v + j * n;
    const double *const along = v->along ? v->along + j * d->system.parameters : NULL;
    const double rounding =
        d->system.field_jacobian && !ess_is_sliding(d) ? 0.0 : rounding_of(d, from);
    const double lost = fabs(dt) * (rounding + ess_parameter_noise(d, along));
    for (size_t i = 0; i < n; i++) error[i] = ess_larger(0.0, fabs(error[i]) - lost - DECAYED);
    const double its = ess_scaled_norm(d, error, from, end + j * n);
    if (!(its <= DBL_MAX) || !(norm(end + j * n, n) < INFINITY)) return INFINITY;
    most = ess_larger(most, its);
  }
  return most / ALLOWED;
}

/* rates in the stages of the step just tried */
static int try_step(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  const size_t all = v->count * d->system.dimension;
  int status = ESS_SUCCESS;
  for (int s = v->has_first; !status && s < ESS_STAGES; s++) {
    const double t = ess_dopri5_stage(d, s, v->x);
    double *const to = s == ESS_STAGES - 1 ? v->v_end : v->w;
    ess_dopri5_sum((ess_sum)s, d->dt, v->v, v->k, all, to);
    const bool is_off = s == 0 && v->source == ESS_BEFORE_UNKNOWN;
    status =
        ess_tangent_rates(d, t, v->x, is_off ? NULL : d->stage[s], to, v->along, v->count, v->k[s]);
  }
  ess_dopri5_sum(ESS_SUM_DENSE, d->dt, NULL, v->k, all, v->v_last);
  // where it is not a number shorter steps may be better
  v->is_rough = !status && !(error_of(d, d->dt, v->v_end) <= 1.0);
  v->has_first = !status;
  return status;
}

/* directions at theta of the step tried */
static void go_to(ess_driver *d, double theta) {
  ess_tangents *const v = d->tangents;
  const double rest = 1.0 - theta;
  for (size_t i = 0; i < v->count * d->system.dimension; i++) {
    const double rise = v->v_end[i] - v->v[i], bend = d->dt * v->k[0][i] - rise;
    const double inner = rise - d->dt * v->k[ESS_STAGES - 1][i] - bend + rest * v->v_last[i];
    v->v[i] += theta * (rise + rest * (bend + theta * inner));
  }
}

/* the field at theta by the step's dense output */
static void rate_at(const ess_driver *d, double theta, double f[]) {
  const double rest = 1.0 - theta;
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double inner = d->dense[2][i] + rest * d->dense[3][i];
    const double middle = d->dense[1][i] + theta * inner;
    const double outer = d->dense[0][i] + rest * middle;
    const double turn = inner - theta * d->dense[3][i];
    f[i] = (outer + theta * (rest * turn - middle)) / d->dt;
  }
}

/* the step has no stages of the pair: directions go along the piece that it becomes */
static int go_without_stages(ess_driver *d, double theta, bool cut) {
  ess_tangents *const v = d->tangents;
  v->has_first = false;
  v->is_rough = true;
  v->source = cut ? ESS_BEFORE_KNOWN : ESS_BEFORE_AT_NODE;
  if (cut) rate_at(d, theta, v->before);
  return ESS_SUCCESS;
}

int ess_tangent_step(ess_driver *d, double theta, bool cut) {
  ess_tangents *const v = d->tangents;
  if (ess_is_recording(d) && !d->stabilised.is_on && !ess_is_sliding(d)) {
    v->source = cut ? ESS_BEFORE_KNOWN : ESS_BEFORE_AT_NODE;
    if (cut) rate_at(d, theta, v->before);
    ess_tape_step(d, theta);
    return ESS_SUCCESS;
  }
  ess_tape_open(d);
  if (d->stabilised.is_on) return go_without_stages(d, theta, cut);
  const int status = try_step(d);
  if (status) return status;
  v->has_first = !cut && !v->is_rough;
  v->source = cut ? ESS_BEFORE_KNOWN : ESS_BEFORE_AT_NODE;
  if (cut) rate_at(d, theta, v->before);
  if (v->is_rough) return ESS_SUCCESS; // they go along the piece
  if (cut) {
    go_to(d, theta);
  } else {
    memcpy(v->v, v->v_end, v->count * d->system.dimension * sizeof *v->v);
    ess_swap(&v->k[0], &v->k[ESS_STAGES - 1]);
  }
  return ESS_SUCCESS;
}

/* to = v + factor rate */
static void go_along(const ess_driver *d, const double rate[], double factor, double to[]) {
  const ess_tangents *const v = d->tangents;
  for (size_t i = 0; i < v->count * d->system.dimension; i++) to[i] = v->v[i] + factor * rate[i];
}

/* rates of what is in `from`, at u of the last piece */
static int rates_on_path(ess_driver *d, double u, const double from[], double to[]) {
  ess_tangents *const v = d->tangents;
  ess_piece_state(d, d->piece.t0 + u, v->x);
  return ess_tangent_rates(d, d->piece.t0 + u, v->x, NULL, from, v->along, v->count, to);
}

/* one step of the pair along the last piece, into v_end */
static int try_along(ess_driver *d, double u, double dt) {
  ess_tangents *const v = d->tangents;
  int status = ESS_SUCCESS;
  for (int s = 0; !status && s < ESS_STAGES; s++) {
    double *const to = s == ESS_STAGES - 1 ? v->v_end : v->w;
    ess_dopri5_sum((ess_sum)s, dt, v->v, v->k, v->count * d->system.dimension, to);
    status = rates_on_path(d, u + ess_dopri5_node(s) * dt, to, v->k[s]);
  }
  return status;
}

/* as many steps of the pair as the tolerance takes */
static int go_long(ess_driver *d, double u, double length) {
  ess_tangents *const v = d->tangents;
  double dt = length;
  int status = ESS_SUCCESS;
  for (uint64_t i = 0; !status && i < d->options.max_steps && length != 0.0; i++) {
    const bool last = fabs(dt) >= fabs(length) * (1.0 - 1e-9);
    if (last) dt = length;
    status = try_along(d, u, dt);
    const double error = status ? 0.0 : error_of(d, dt, v->v_end);
    const double factor = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0; // 0 where it is infinite
    if (!status && error <= 1.0) {
      memcpy(v->v, v->v_end, v->count * d->system.dimension * sizeof *v->v);
      u += dt;
      length = last ? 0.0 : length - dt;
    }
    dt *= ess_clamp(factor, 0.2, 5.0);
    if (!status && length != 0.0 && !(fabs(dt) > DBL_EPSILON * fabs(d->t)))
      status = ess_fail(d, isfinite(error) ? ESS_EUNDERFLOW : ESS_EFIELD, SIZE_MAX);
  }
  return status || length == 0.0 ? status : ess_fail(d, ESS_EMAXSTEPS, SIZE_MAX);
}

int ess_tangent_piece(ess_driver *d) {
  ess_tangents *const v = d->tangents;
  int status = ESS_SUCCESS;
  if (v->is_rough) {
    v->is_rough = false;
    status = ess_tangents_lose(d, go_long(d, 0.0, d->piece.t1 - d->piece.t0));
  }
  ess_tape_close(d, true);
  return status;
}

int ess_tangent_projection(ess_driver *d, double duration) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, all = v->count * n;
  v->source = ESS_BEFORE_UNKNOWN;
  v->has_first = false;
  int status = ess_tangent_rates(d, d->t, d->x, d->f, v->v, v->along, v->count, v->k[0]);
  if (!status && d->options.order == 2) {
    const double half = 0.5 * duration;
    for (size_t i = 0; i < n; i++) v->x[i] = d->x[i] + half * d->f[i];
    go_along(d, v->k[0], half, v->w);
    status = ess_tangent_rates(d, d->t + half, v->x, NULL, v->w, v->along, v->count, v->k[0]);
  }
  if (status) return status;
  for (size_t i = 0; i < all; i++) v->w[i] = v->v[i] + duration * v->k[0][i];
  status = ess_tangents_check(d, v->w);
  if (!status) memcpy(v->v, v->w, all * sizeof *v->v);
  return status;
}

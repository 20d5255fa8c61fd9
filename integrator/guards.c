/*
 * The caller's callbacks, the latched mode, and which guards are candidates (section 3.1 of the
 * paper: the pool of guards that have not been crossed).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "ess_internal.h"

/* turns a callback's code into a status */
static int called(ess_driver *d, int code) {
  if (!code) return ESS_SUCCESS;
  d->failure.callback_code = code;
  return ess_fail(d, ESS_ECALLBACK, SIZE_MAX);
}

int ess_field(ess_driver *d, double t, const double x[], double f[]) {
  d->counters.field_evaluations++;
  return called(d, d->system.field(t, x, d->sign, f, d->system.params));
}

int ess_guards(ess_driver *d, const double x[], double h[]) {
  d->counters.guard_evaluations++;
  return called(d, d->system.guards(x, h, d->system.params));
}

int ess_guard_rates(ess_driver *d, const double x[], const double v[], double h[], double rate[]) {
  const ess_system *const s = &d->system;
  if (s->guard_rates) {
    d->counters.guard_evaluations++;
    return called(d, s->guard_rates(x, v, h, rate, s->params));
  }
  int status = ess_guards(d, x, h);
  if (status) return status;
  d->counters.jacobian_evaluations++;
  status = called(d, s->guard_jacobian(x, d->jacobian, s->params));
  if (status) return status;
  for (size_t k = 0; k < s->guard_count; k++) {
    const double *const gradient = d->jacobian + k * s->dimension;
    double sum = 0.0;
    for (size_t i = 0; i < s->dimension; i++) sum += gradient[i] * v[i];
    rate[k] = sum;
  }
  return ESS_SUCCESS;
}

/* one pass without a branch per element, so that it vectorises */
static bool all_finite(const double v[], size_t count) {
  int64_t bad = 0;
  for (size_t i = 0; i < count; i++) bad |= !(fabs(v[i]) <= DBL_MAX);
  return !bad;
}

/* index of the first element that is not finite */
static size_t first_not_finite(const double v[], size_t count) {
  size_t i = 0;
  while (i < count && isfinite(v[i])) i++;
  return i;
}

int ess_evaluate_node(ess_driver *d) {
  const size_t m = d->system.guard_count;
  int status = ess_field(d, d->t, d->x, d->f);
  if (status) return status;
  if (!all_finite(d->f, d->system.dimension)) return ess_fail(d, ESS_EFIELD, SIZE_MAX);
  if (!m) return ESS_SUCCESS;
  status = ess_guard_rates(d, d->x, d->f, d->h, d->rate);
  if (status) return status;
  if (!all_finite(d->h, m)) return ess_fail(d, ESS_EGUARD, first_not_finite(d->h, m));
  if (!all_finite(d->rate, m)) return ess_fail(d, ESS_EGUARD, first_not_finite(d->rate, m));
  return ESS_SUCCESS;
}

/* tells the model which signs changed: one guard, or all (guard_count) */
static int announce(ess_driver *d, size_t guard) {
  if (!d->system.mode_changed) return ESS_SUCCESS;
  return called(d, d->system.mode_changed(d->sign, guard, d->system.params));
}

/* makes guard k a candidate, or none */
static void arm(ess_driver *d, size_t k, bool candidate) {
  const bool before = d->level[k] < INFINITY;
  if (candidate == before) return;
  d->level[k] = candidate ? -d->epsilon[k] : INFINITY;
  d->entry[k] = -d->epsilon[k];
  if (candidate)
    d->armed_count++;
  else
    d->armed_count--;
}

/* the sides of guards on which the state starts exactly: where the field points, or, when it points
 * along the guard, where it points a little later */
static int choose_sides(ess_driver *d) {
  const size_t m = d->system.guard_count, n = d->system.dimension;
  double later;
  int status = ess_dopri5_first_step(d, d->t + 1.0, &later);
  later *= 1e-3;
  for (size_t i = 0; !status && i < n; i++) d->x_try[i] = d->x[i] + later * d->f[i];
  if (!status) status = ess_field(d, d->t + later, d->x_try, d->stage[1]);
  if (!status) status = ess_guard_rates(d, d->x_try, d->stage[1], d->h_try, d->rate_end);
  for (size_t k = 0; !status && k < m; k++) {
    const double rate = d->rate[k] == 0.0 ? d->rate_end[k] : d->rate[k];
    if (d->h[k] == 0.0 && rate < 0.0) d->sign[k] = -1.0;
  }
  if (!status) status = announce(d, m);
  return status ? status : ess_evaluate_node(d);
}

int ess_latch(ess_driver *d) {
  const size_t m = d->system.guard_count;
  int status = m ? ess_guards(d, d->x, d->h) : ESS_SUCCESS;
  if (status) return status;
  bool on_a_guard = false;
  for (size_t k = 0; k < m; k++) {
    d->sign[k] = d->h[k] >= 0.0 ? 1.0 : -1.0;
    on_a_guard = on_a_guard || d->h[k] == 0.0;
  }
  status = announce(d, m);
  if (!status) status = ess_evaluate_node(d);
  if (!status && on_a_guard) status = choose_sides(d);
  if (status) return status;

  d->armed_count = 0;
  for (size_t k = 0; k < m; k++) {
    d->level[k] = INFINITY;
    arm(d, k, !d->system.one_way || d->sign[k] < 0.0);
  }
  d->latched = true;
  return ESS_SUCCESS;
}

int ess_resume(ess_driver *d) {
  const int status = announce(d, d->system.guard_count);
  return status ? status : ess_evaluate_node(d);
}

void ess_update_levels(ess_driver *d) {
  const size_t m = d->system.guard_count;
  const double *restrict const sign = d->sign, *restrict const h = d->h;
  const double *restrict const epsilon = d->epsilon;
  double *restrict const entry = d->entry, *restrict const level = d->level;
  // where an entry was located, rounding may leave g a little below -epsilon: it counts as inside
  // from there on, until it is left
  for (size_t k = 0; k < m; k++) {
    const double g = -sign[k] * h[k];
    const double inside = g >= entry[k] ? 0.0 : -epsilon[k];
    entry[k] = g >= entry[k] ? entry[k] : -epsilon[k];
    level[k] = level[k] < INFINITY ? inside : INFINITY;
  }
}

int ess_flip(ess_driver *d, size_t k) {
  d->sign[k] = -d->sign[k];
  d->entry[k] = -d->epsilon[k];
  arm(d, k, d->options.rearm == ESS_REARM_MIRROR && !d->system.one_way);
  return announce(d, k);
}

int ess_refill_pool(ess_driver *d) {
  if (d->options.rearm != ESS_REARM_POOL || d->armed_count) return ESS_SUCCESS;
  bool mode_changed = false;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (d->system.one_way && d->h[k] < 0.0 && d->sign[k] > 0.0) {
      d->sign[k] = -1.0;
      mode_changed = true;
    }
    // a mirrored pair offers the member that lies ahead of the latched side
    arm(d, k, -d->sign[k] * d->h[k] < 0.0 && (!d->system.one_way || d->sign[k] < 0.0));
  }
  if (!mode_changed) return ESS_SUCCESS;
  const int status = announce(d, d->system.guard_count);
  return status ? status : ess_evaluate_node(d);
}

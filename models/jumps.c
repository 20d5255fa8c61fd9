/*
 * The reference solution of a model that has no exact one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "jumps.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* unless a model knows better: no guard is crossed twice within a step, and rk8pd is exact to
 * rounding over it */
static const double usual_step = 1e-4;

/* crossings closer than this are one instant: what rounding leaves of their order, s */
static const double instant = 1e-13;

enum { BISECTIONS = 60, MOST_JUMPS = 100000 };

typedef struct pursuit {
  const model *m;
  gsl_odeiv2_step *step;
  gsl_odeiv2_system system;
  double longest_step, t, x[MODEL_DIMENSION_MAX], sign[JUMPS_GUARDS_MAX];
  double *jacobian; /* of the event functions, where a system has no rates of its own */
  bool armed[2 * JUMPS_GUARDS_MAX];
  size_t events;
} pursuit;

static int field(double t, const double x[], double dxdt[], void *params) {
  const pursuit *const p = params;
  const ess_system *const s = &p->m->system;
  return s->field(t, x, p->sign, dxdt, s->params) ? GSL_EBADFUNC : GSL_SUCCESS;
}

/* what a system knows of the mode besides the signs that it is handed */
static int tell_mode(const pursuit *p) {
  const ess_system *const s = &p->m->system;
  return s->mode_changed ? s->mode_changed(p->sign, s->event_count, s->params) : 0;
}

/* the state a time tau later, in the present mode */
static int flow(pursuit *p, double tau, double x[]) {
  double error[MODEL_DIMENSION_MAX];
  memcpy(x, p->x, p->system.dimension * sizeof *x);
  gsl_odeiv2_step_reset(p->step);
  return tau > 0.0 ? gsl_odeiv2_step_apply(p->step, p->t, tau, x, error, NULL, NULL, &p->system)
                   : GSL_SUCCESS;
}

/* how far a guard's event function is beyond it */
static double beyond(size_t guard, const double h[]) {
  return guard % 2 ? -h[guard / 2] : h[guard / 2];
}

/* whether the guard, or any armed one for SIZE_MAX, has been passed after tau */
static int is_passed(pursuit *p, size_t guard, double tau, bool *passed) {
  const ess_system *const s = &p->m->system;
  double x[MODEL_DIMENSION_MAX], h[JUMPS_GUARDS_MAX];
  const int status = flow(p, tau, x);
  *passed = false;
  if (status || s->event_functions(0.0, x, h, s->params)) return GSL_EBADFUNC;
  for (size_t j = 0; j < 2 * s->event_count; j++)
    if (p->armed[j] && (guard == SIZE_MAX || guard == j)) *passed = *passed || beyond(j, h) > 0.0;
  return GSL_SUCCESS;
}

/* the first time at which it has been, within a step in which it is */
static int locate(pursuit *p, size_t guard, double step, double *tau) {
  double low = 0.0, high = step;
  int status = GSL_SUCCESS;
  for (int i = 0; !status && i < BISECTIONS; i++) {
    const double middle = 0.5 * (low + high);
    bool passed;
    status = is_passed(p, guard, middle, &passed);
    *(passed ? &high : &low) = middle;
  }
  *tau = high;
  return status;
}

/* what a crossing arms and disarms; without rows, the way back */
static void apply_row(pursuit *p, size_t guard) {
  const ess_reset_matrix *const r = p->m->system.resets;
  if (!r) p->armed[guard ^ 1] = model_has_guard(p->m, guard ^ 1);
  for (size_t i = r ? r->row_start[guard] : 0; r && i < r->row_start[guard + 1]; i++) {
    p->armed[r->guard[i]] = r->effect[i] > 0;
    if (r->effect[i] > 0) p->sign[r->guard[i] / 2] = r->guard[i] % 2 ? 1.0 : -1.0;
  }
}

/* the guards passed by an instant after the first, as event functions */
static int list_crossed(pursuit *p, double tau, size_t crossed[], size_t *count) {
  const size_t guards = 2 * p->m->system.event_count;
  int status = GSL_SUCCESS;
  *count = 0;
  for (size_t j = 0; !status && j < guards; j++) {
    bool passed = false;
    if (p->armed[j]) status = is_passed(p, j, tau + instant, &passed);
    if (passed) crossed[(*count)++] = j / 2;
  }
  return status;
}

/* all that is crossed at an instant: signs are flipped, rows applied, and the map says the rest */
static int jump(pursuit *p, double tau) {
  const ess_system *const s = &p->m->system;
  size_t crossed[JUMPS_GUARDS_MAX], count;
  double x[MODEL_DIMENSION_MAX], sign[JUMPS_GUARDS_MAX];
  int status = list_crossed(p, tau, crossed, &count);
  if (!status) status = flow(p, tau, x);
  if (status) return status;
  bool impact = false;
  memcpy(p->x, x, s->dimension * sizeof *x);
  memcpy(sign, p->sign, sizeof sign);
  p->t += tau;
  for (size_t i = 0; i < count; i++) {
    const size_t k = crossed[i], guard = sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
    p->sign[k] = -sign[k];
    p->armed[guard] = false;
    apply_row(p, guard);
    impact = impact || (s->impacts && (!s->kinds || s->kinds[guard] == ESS_GUARD_IMPACT));
    p->events += p->m->type->changes_field(p->m, k, p->sign);
  }
  ess_impact with = {.t = p->t,
                     .count = count,
                     .events = crossed,
                     .x = x,
                     .sign = sign,
                     .after = p->x,
                     .mode = p->sign,
                     .armed = p->armed};
  if (impact && s->impacts->map(&with, s->params)) return GSL_EBADFUNC;
  return tell_mode(p) ? GSL_EBADFUNC : GSL_SUCCESS;
}

/* to t1, jump by jump */
static int pursue(pursuit *p, double t1) {
  int status = GSL_SUCCESS;
  for (int jumped = 0; !status && p->t < t1;) {
    const double left = t1 - p->t, count = ceil(left / p->longest_step);
    double tau = left / count, x[MODEL_DIMENSION_MAX];
    bool passed;
    status = is_passed(p, SIZE_MAX, tau, &passed);
    if (!status && passed) {
      if (++jumped > MOST_JUMPS) return GSL_EMAXITER;
      status = locate(p, SIZE_MAX, tau, &tau);
      if (!status) status = jump(p, tau);
    } else if (!status) {
      status = flow(p, tau, x);
      memcpy(p->x, x, p->system.dimension * sizeof *x);
      p->t = count > 1.0 ? p->t + tau : t1;
    }
  }
  return status;
}

/* field, event functions and their rates */
static int find_rates(const pursuit *p, double f[], double h[], double rate[]) {
  const ess_system *const s = &p->m->system;
  if (s->field(0.0, p->x, p->sign, f, s->params)) return GSL_EBADFUNC;
  if (s->event_rates)
    return s->event_rates(0.0, p->x, 1.0, f, NULL, s->event_count, h, rate, s->params)
               ? GSL_EBADFUNC
               : 0;
  if (s->event_functions(0.0, p->x, h, s->params) ||
      s->event_jacobian(0.0, p->x, p->jacobian, s->params))
    return GSL_EBADFUNC;
  for (size_t k = 0; k < s->event_count; k++) {
    rate[k] = 0.0;
    for (size_t i = 0; i < s->dimension; i++) rate[k] += p->jacobian[k * s->dimension + i] * f[i];
  }
  return GSL_SUCCESS;
}

/* Whether a guard that is armed is crossed as the run begins, in the mode it begins in; a state at
 * rest on it crosses none. */
static int begins_with_jump(const pursuit *p, bool *jumps) {
  static const double rest = 1e-9;
  double h[JUMPS_GUARDS_MAX], f[MODEL_DIMENSION_MAX], rate[JUMPS_GUARDS_MAX];
  *jumps = false;
  if (find_rates(p, f, h, rate)) return GSL_EBADFUNC;
  for (size_t j = 0; j < 2 * p->m->system.event_count; j++) {
    const double outward = j % 2 ? -rate[j / 2] : rate[j / 2];
    *jumps = *jumps || (p->armed[j] && h[j / 2] == 0.0 && outward > rest);
  }
  return GSL_SUCCESS;
}

/* signs by the event functions, on their zero by where the field leads */
static int begin(pursuit *p, const double x0[]) {
  const ess_system *const s = &p->m->system;
  double h[JUMPS_GUARDS_MAX], f[MODEL_DIMENSION_MAX], rate[JUMPS_GUARDS_MAX];
  memcpy(p->x, x0, s->dimension * sizeof *x0);
  if (s->event_functions(0.0, p->x, h, s->params)) return GSL_EBADFUNC;
  for (size_t k = 0; k < s->event_count; k++) p->sign[k] = h[k] > 0.0 ? 1.0 : -1.0;
  if (find_rates(p, f, h, rate)) return GSL_EBADFUNC;
  for (size_t k = 0; k < s->event_count; k++) {
    if (h[k] == 0.0 && rate[k] > 0.0) p->sign[k] = 1.0;
    for (size_t guard = ESS_GUARD_UP(k); guard <= ESS_GUARD_DOWN(k); guard++)
      p->armed[guard] = model_has_guard(p->m, guard);
  }
  if (s->start && s->start(0.0, p->x, p->sign, p->armed, s->params)) return GSL_EBADFUNC;
  for (size_t guard = 0; guard < 2 * s->event_count; guard++)
    p->armed[guard] = p->armed[guard] && (p->sign[guard / 2] > 0.0) == guard % 2;
  bool jumps;
  if (tell_mode(p) || begins_with_jump(p, &jumps)) return GSL_EBADFUNC;
  return jumps ? jump(p, 0.0) : GSL_SUCCESS;
}

int jumps_reference(const model *m, const double x0[], model_reference *out,
                    char message[MODEL_MESSAGE_SIZE]) {
  return jumps_reference_by(m, x0, usual_step, out, message);
}

/* rows that leave it to the state which guard they arm are libess's own */
static bool arms_ahead(const ess_system *s) {
  const ess_reset_matrix *const r = s->resets;
  for (size_t i = 0; r && i < r->row_start[2 * s->event_count + 1]; i++)
    if (r->effect[i] == ESS_ARM_AHEAD) return true;
  return false;
}

int jumps_reference_by(const model *m, const double x0[], double longest_step, model_reference *out,
                       char message[MODEL_MESSAGE_SIZE]) {
  const size_t n = m->system.dimension, guards = m->system.event_count;
  if (guards > JUMPS_GUARDS_MAX) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "%s: this reference takes up to %d event functions, not %zu", m->type->name,
             JUMPS_GUARDS_MAX, guards);
    return -1;
  }
  if (arms_ahead(&m->system)) {
    snprintf(message, MODEL_MESSAGE_SIZE, "%s: this reference takes no row with ESS_ARM_AHEAD",
             m->type->name);
    return -1;
  }
  pursuit p = {.m = m,
               .system = {.function = field, .dimension = n, .params = &p},
               .longest_step = fmin(longest_step, usual_step)};
  p.step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, n);
  p.jacobian = calloc(guards * n + 1, sizeof *p.jacobian);
  int status = p.step && p.jacobian ? begin(&p, x0) : GSL_ENOMEM;
  for (size_t i = 0; !status && i < out->count; i++) {
    status = pursue(&p, out->times[i]);
    memcpy(&out->states[i * n], p.x, n * sizeof *p.x);
    if (out->reached) out->reached(i + 1, out->context);
  }
  if (status)
    snprintf(message, MODEL_MESSAGE_SIZE, "%s: reference failed at t = %.9g s: %s", m->type->name,
             p.t, gsl_strerror(status));
  if (p.step) gsl_odeiv2_step_free(p.step);
  free(p.jacobian);
  out->events = p.events;
  out->kind = "reference";
  return status ? -1 : 0;
}

/*
 * The reference solution of models that slide.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slides.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GUARDS = 16, STATES = 32, SWEEPS = 20000, BISECTIONS = 60, CHANGES = 100000 };

/* rk8pd is exact to rounding over it, s; a surface is where its event function is no larger */
static const double longest_step = 1e-3, nearby = 1e-11;

typedef struct pursuit {
  const model *m;
  gsl_odeiv2_step *step;
  gsl_odeiv2_system system;
  double t, x[STATES];
  double sign[GUARDS]; /* between -1 and +1 of those held */
  bool held[GUARDS];
  size_t events;
} pursuit;

static double along(const double gradient[], const double v[], size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += gradient[i] * v[i];
  return sum;
}

/* signs of those chosen that hold the state on their surfaces, within bounds or whatever they are,
 * and the field with them */
static int hold(const pursuit *p, double t, const double x[], const bool chosen[], double bound,
                double sign[], double f[]) {
  const ess_system *const s = &p->m->system;
  const size_t n = s->dimension, m = s->event_count;
  double Dh[GUARDS * STATES], rest[STATES], jump[GUARDS][STATES], probe[GUARDS];
  if (s->event_jacobian(t, x, Dh, s->params)) return GSL_EBADFUNC;
  for (size_t k = 0; k < m; k++) probe[k] = chosen[k] ? -1.0 : sign[k];
  if (s->field(t, x, probe, rest, s->params)) return GSL_EBADFUNC;
  for (size_t k = 0; k < m; k++) {
    if (!chosen[k]) continue;
    probe[k] = 1.0;
    if (s->field(t, x, probe, jump[k], s->params)) return GSL_EBADFUNC;
    probe[k] = -1.0;
    for (size_t i = 0; i < n; i++) jump[k][i] = 0.5 * (jump[k][i] - rest[i]);
  }
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; chosen[k] && i < n; i++) rest[i] += jump[k][i];
  memcpy(f, rest, n * sizeof *f);
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; chosen[k] && i < n; i++) f[i] += sign[k] * jump[k][i];
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double most = 0.0;
    for (size_t k = 0; k < m; k++) {
      if (!chosen[k]) continue;
      const double by = along(Dh + k * n, jump[k], n);
      const double next = fmax(-bound, fmin(bound, sign[k] - along(Dh + k * n, f, n) / by));
      const double change = next - sign[k];
      for (size_t i = 0; i < n; i++) f[i] += change * jump[k][i];
      sign[k] = next;
      most = fmax(most, fabs(change));
    }
    if (most < 1e-15) break;
  }
  return GSL_SUCCESS;
}

static int field(double t, const double x[], double dxdt[], void *params) {
  const pursuit *const p = params;
  double sign[GUARDS];
  memcpy(sign, p->sign, sizeof sign);
  return hold(p, t, x, p->held, INFINITY, sign, dxdt);
}

static int flow(pursuit *p, double tau, double x[]) {
  double error[STATES];
  memcpy(x, p->x, p->system.dimension * sizeof *x);
  gsl_odeiv2_step_reset(p->step);
  return tau > 0.0 ? gsl_odeiv2_step_apply(p->step, p->t, tau, x, error, NULL, NULL, &p->system)
                   : GSL_SUCCESS;
}

/* whether one that is free has been passed after tau, or one that is held let go */
static int is_over(pursuit *p, double tau, bool *over) {
  const ess_system *const s = &p->m->system;
  double x[STATES], f[STATES], h[GUARDS], sign[GUARDS];
  int status = flow(p, tau, x);
  memcpy(sign, p->sign, sizeof sign);
  if (!status) status = hold(p, p->t + tau, x, p->held, INFINITY, sign, f);
  if (status || s->event_functions(p->t + tau, x, h, s->params)) return GSL_EBADFUNC;
  *over = false;
  for (size_t k = 0; k < s->event_count; k++)
    *over = *over || (p->held[k] ? fabs(sign[k]) > 1.0 : p->sign[k] * h[k] < -nearby);
  return GSL_SUCCESS;
}

/* the mode at the state: those nearby are held, or go to the side that their bound says */
static int choose(pursuit *p) {
  const ess_system *const s = &p->m->system;
  double h[GUARDS], f[STATES], before[GUARDS];
  bool near[GUARDS];
  if (s->event_functions(p->t, p->x, h, s->params)) return GSL_EBADFUNC;
  memcpy(before, p->sign, sizeof before);
  for (size_t k = 0; k < s->event_count; k++) {
    near[k] = fabs(h[k]) <= 4.0 * nearby;
    if (!near[k]) p->sign[k] = h[k] < 0.0 ? -1.0 : 1.0;
  }
  const int status = hold(p, p->t, p->x, near, 1.0, p->sign, f);
  for (size_t k = 0; k < s->event_count; k++) {
    const bool holds = near[k] && fabs(p->sign[k]) < 1.0 - 1e-12;
    p->events += !p->held[k] && (holds || before[k] * p->sign[k] < 0.0);
    p->held[k] = holds;
  }
  return status;
}

static int pursue(pursuit *p, double t1) {
  int status = GSL_SUCCESS;
  for (int changes = 0; !status && p->t < t1;) {
    const double left = t1 - p->t, count = ceil(left / longest_step);
    double low = 0.0, high = left / count, x[STATES];
    bool over;
    status = is_over(p, high, &over);
    for (int i = 0; !status && over && i < BISECTIONS; i++) {
      bool half;
      status = is_over(p, 0.5 * (low + high), &half);
      *(half ? &high : &low) = 0.5 * (low + high);
    }
    if (!status) status = flow(p, high, x);
    memcpy(p->x, x, p->system.dimension * sizeof *x);
    p->t = over || count > 1.0 ? p->t + high : t1;
    if (!status && over) status = ++changes > CHANGES ? GSL_EMAXITER : choose(p);
  }
  return status;
}

int slides_reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]) {
  const size_t n = m->system.dimension;
  if (n > STATES || m->system.event_count > GUARDS) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "%s: this reference takes up to %d states and %d event functions", m->type->name,
             STATES, GUARDS);
    return -1;
  }
  pursuit p = {.m = m, .system = {.function = field, .dimension = n, .params = &p}};
  memcpy(p.x, x0, n * sizeof *x0);
  p.step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, n);
  int status = p.step ? choose(&p) : GSL_ENOMEM;
  for (size_t i = 0; !status && i < out->count; i++) {
    status = pursue(&p, out->times[i]);
    memcpy(&out->states[i * n], p.x, n * sizeof *p.x);
    if (out->reached) out->reached(i + 1, out->context);
  }
  if (status)
    snprintf(message, MODEL_MESSAGE_SIZE, "%s: reference failed at t = %.9g s: %s", m->type->name,
             p.t, gsl_strerror(status));
  if (p.step) gsl_odeiv2_step_free(p.step);
  out->events = p.events;
  out->kind = "reference";
  return status ? -1 : 0;
}

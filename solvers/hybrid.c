/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tutorial's hybrid method: explicit Euler at a fixed step, and before each step a guard check,
 * which latches the mode of that step. No crossing is located, so each is up to a step late. */
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "fixed_step.h"
#include "mode.h"

typedef struct hybrid {
  const model *m;
  fixed_step plan;
  double *h;    /* [event_count] event functions */
  double *sign; /* [event_count] the latched mode; all 0: none yet */
} hybrid;

static void release(void *instance) {
  hybrid *const s = instance;
  if (!s) return;
  free(s->h);
  free(s);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  fixed_step plan;
  int status = mode_check_impacts("hybrid", m, message);
  if (!status) status = fixed_step_fit("hybrid", settings, output->dt, &plan, message);
  if (status) return status;
  const size_t room = m->system.event_count + 1;
  hybrid *const s = calloc(1, sizeof *s);
  if (s) s->h = calloc(2 * room, sizeof *s->h);
  if (!s || !s->h) {
    release(s);
    return SOLVER_FAIL(message, "hybrid: out of memory");
  }
  *s = (hybrid){.m = m, .plan = plan, .h = s->h, .sign = s->h + room};
  *instance = s;
  return 0;
}

/* the sign that h_k says; the one before it, where it is no guard that leads from there */
static double sign_of(const hybrid *s, size_t k) {
  const double before = s->sign[k], after = s->h[k] >= 0.0 ? 1.0 : -1.0;
  if (before * after >= 0.0) return after;
  return model_has_guard(s->m, before < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k)) ? after : before;
}

/* whether any sign differs from the latched one */
static bool is_mode_old(const hybrid *s) {
  const size_t count = s->m->system.event_count;
  bool old = false;
  for (size_t k = 0; k < count; k++) old |= sign_of(s, k) != s->sign[k];
  return old;
}

/* guard check: latches the mode at x and counts the sign changes that change the field */
static int check_guards(hybrid *s, double t, const double x[], solver_report *report) {
  const ess_system *const system = &s->m->system;
  if (!system->event_count) return 0;
  report->event_evaluations++;
  if (system->event_functions(t, x, s->h, system->params)) return -1;
  if (!is_mode_old(s)) return 0;
  for (size_t k = 0; k < system->event_count; k++) {
    const double before = s->sign[k];
    s->sign[k] = sign_of(s, k);
    if (before * s->sign[k] < 0.0) report->events += s->m->type->changes_field(s->m, k, s->sign);
  }
  return system->mode_changed ? system->mode_changed(s->sign, system->event_count, system->params)
                              : 0;
}

static int step(void *instance, double t, double dt, double x[], solver_report *report) {
  hybrid *const s = instance;
  const ess_system *const system = &s->m->system;
  double dxdt[MODEL_DIMENSION_MAX];
  if (check_guards(s, t, x, report) || system->field(t, x, s->sign, dxdt, system->params))
    return SOLVER_FAIL(report->message, "hybrid: a callback failed at t = %g s", t);
  for (size_t i = 0; i < system->dimension; i++) x[i] += dt * dxdt[i];
  report->field_evaluations++;
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  hybrid *const s = instance;
  memset(s->sign, 0, s->m->system.event_count * sizeof *s->sign);
  return fixed_step_run(&s->plan, "hybrid", s->m->system.dimension, x0, output, step, s, report);
}

const solver_type hybrid_solver = {
    .name = "hybrid",
    .summary = "explicit Euler with a guard check at every step",
    .prepare = prepare,
    .run = run,
    .release = release,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GSL's integrators the way a GSL user handles events: adaptive steps that end at every output
 * time, the sign of every event function compared at the end of each, and a step that crosses
 * repeated with bisected lengths until it ends on the crossing, where the integrator starts anew.
 *
 * The crossing is on the far side of the guard, within atol of it (atol in units of the event
 * function) or as near as time resolves. What is crossed and crossed back within one step, at most
 * the output step long, is not seen: that is the method's nature, and h_max the remedy. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "mode.h"

static const char *const variants[] = {"rk8pd", "rkf45", NULL};

typedef struct gsl_events {
  latched_mode mode;
  gsl_odeiv2_system system;
  gsl_odeiv2_step *step;
  gsl_odeiv2_control *control;
  gsl_odeiv2_evolve *evolve;
  double h_max, atol;
} gsl_events;

static int field(double t, const double x[], double dxdt[], void *params) {
  return mode_field(params, t, x, dxdt) ? GSL_EBADFUNC : GSL_SUCCESS;
}

static void release(void *instance) {
  gsl_events *const g = instance;
  if (!g) return;
  if (g->step) gsl_odeiv2_step_free(g->step);
  if (g->control) gsl_odeiv2_control_free(g->control);
  if (g->evolve) gsl_odeiv2_evolve_free(g->evolve);
  mode_free(&g->mode);
  free(g);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  const int variant = mode_check("gsl", m, settings, SIZE_MAX, variants, message);
  if (variant < 0) return variant;

  const size_t n = m->system.dimension;
  gsl_events *const g = calloc(1, sizeof *g);
  if (g && mode_alloc(&g->mode, m, "gsl", message) == 0) {
    g->system = (gsl_odeiv2_system){.function = field, .dimension = n, .params = &g->mode};
    g->step = gsl_odeiv2_step_alloc(variant ? gsl_odeiv2_step_rkf45 : gsl_odeiv2_step_rk8pd, n);
    g->control = gsl_odeiv2_control_y_new(settings->atol, settings->rtol);
    g->evolve = gsl_odeiv2_evolve_alloc(n);
    g->h_max = settings->h_max;
    g->atol = settings->atol;
  }
  if (!g || !g->step || !g->control || !g->evolve) {
    release(g);
    return SOLVER_FAIL(message, "gsl: out of memory");
  }
  *instance = g;
  return 0;
}

/* how far the state at x is across the guards: the largest g of those armed; h is left there */
static int crossed(gsl_events *g, double t, const double x[], double *far) {
  latched_mode *const mode = &g->mode;
  *far = -INFINITY;
  const int status = mode_guards(mode, t, x, mode->h);
  for (size_t k = 0; k < mode->m->system.event_count; k++)
    if (mode_armed(mode, k)) *far = fmax(*far, mode_gap(mode, k, mode->h[k]));
  return status;
}

/* shortens the step of *length from t and x0 that ended across a guard at x, to end just across */
static int bisect(gsl_events *g, double t, const double x0[], double *length, double x[],
                  double far) {
  const size_t size = g->system.dimension * sizeof *x;
  double shorter = 0.0, error[MODEL_DIMENSION_MAX], tried[MODEL_DIMENSION_MAX];
  while (far > g->atol) {
    const double middle = 0.5 * (shorter + *length);
    if (t + middle <= t + shorter || t + middle >= t + *length) break;
    memcpy(tried, x0, size);
    double far_tried;
    int status = gsl_odeiv2_step_apply(g->step, t, middle, tried, error, NULL, NULL, &g->system);
    if (!status) status = crossed(g, t + middle, tried, &far_tried);
    if (status) return status;
    if (far_tried > 0.0) {
      memcpy(x, tried, size);
      *length = middle;
      far = far_tried;
    } else {
      shorter = middle;
    }
  }
  return 0;
}

/* crosses every guard that x is across, and starts the integrator anew */
static int cross(gsl_events *g, double t, const double x[], solver_report *report) {
  latched_mode *const mode = &g->mode;
  double far;
  if (crossed(g, t, x, &far)) return mode_fail(mode, "a callback failed", t, report);
  for (size_t k = 0; k < mode->m->system.event_count; k++)
    if (mode_armed(mode, k) && mode_gap(mode, k, mode->h[k]) > 0.0 &&
        mode_cross(mode, k, t, report))
      return SOLVER_FAILED;
  report->entries++;
  report->rejected += g->evolve->failed_steps;
  gsl_odeiv2_step_reset(g->step);
  gsl_odeiv2_evolve_reset(g->evolve);
  return 0;
}

/* one step towards t1, cut at a crossing */
static int advance(gsl_events *g, double *t, double t1, double *h, double x[],
                   solver_report *report) {
  const double t0 = *t;
  double x0[MODEL_DIMENSION_MAX], far;
  memcpy(x0, x, g->system.dimension * sizeof *x);
  *h = fmin(*h, g->h_max);
  if (gsl_odeiv2_evolve_apply(g->evolve, g->control, g->step, &g->system, t, t1, h, x))
    return mode_fail(&g->mode, "the integrator finds no step", *t, report);
  if (!mode_finite(x, g->system.dimension))
    return mode_fail(&g->mode, "the state is not finite", *t, report);
  report->steps++;
  if (crossed(g, *t, x, &far)) return mode_fail(&g->mode, "a callback failed", *t, report);
  if (!(far > 0.0)) return 0;
  double length = *t - t0;
  if (bisect(g, t0, x0, &length, x, far))
    return mode_fail(&g->mode, "a callback failed", t0, report);
  *t = fmin(t0 + length, t1);
  return cross(g, *t, x, report);
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  gsl_events *const g = instance;
  const size_t n = g->system.dimension;
  double t = output->times[0], h = output->dt, x[MODEL_DIMENSION_MAX];
  *report = (solver_report){0};
  memcpy(x, x0, n * sizeof *x);
  gsl_odeiv2_step_reset(g->step);
  gsl_odeiv2_evolve_reset(g->evolve);
  int status = mode_start(&g->mode, t, x, report);
  for (size_t i = 0; !status && i < output->count; i++) {
    while (!status && t < output->times[i])
      status = advance(g, &t, output->times[i], &h, x, report);
    memcpy(output->states + i * n, x, n * sizeof *x);
  }
  report->rejected += g->evolve->failed_steps;
  mode_report(&g->mode, report);
  return status;
}

const solver_type gsl_events_solver = {
    .name = "gsl",
    .summary = "GSL rk8pd or rkf45, crossings bisected",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .release = release,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two plain methods (plain.h) at a fixed step: Euler as MuJoCo has it, semi-implicit where the
 * state is coordinates and their rates, and the classical Runge-Kutta method of order 4. */
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "fixed_step.h"
#include "mode.h"
#include "plain.h"

typedef struct stepper {
  const char *name;
  plain_mode mode;
  fixed_step plan;
  size_t coordinates; /* of which the next states are the rates; 0: it is no mechanical system */
} stepper;

static void release(void *instance) {
  stepper *const s = instance;
  if (!s) return;
  plain_free(&s->mode);
  free(s);
}

/* the coordinates, when the first half of the state has the second as its rates, seen where no two
 * states are the same */
static size_t count_coordinates(plain_mode *mode, const model *m) {
  const size_t n = m->system.dimension, half = n / 2;
  double x[MODEL_DIMENSION_MAX], dxdt[MODEL_DIMENSION_MAX];
  for (size_t i = 0; i < n; i++) x[i] = 0.01 * (double)(i + 1);
  plain_start(mode);
  if (n % 2 || plain_field(mode, 0.0, x, dxdt)) return 0;
  return memcmp(dxdt, x + half, half * sizeof *x) == 0 ? half : 0;
}

static int prepare(const char *name, const model *m, const solver_settings *settings,
                   const solver_output *output, void **instance,
                   char message[SOLVER_MESSAGE_SIZE]) {
  fixed_step plan;
  if (plain_check(name, m, message) || fixed_step_fit(name, settings, output->dt, &plan, message))
    return SOLVER_REFUSED;
  stepper *const s = calloc(1, sizeof *s);
  if (!s || plain_alloc(&s->mode, name, m, message)) {
    release(s);
    return SOLVER_FAIL(message, "%s: out of memory", name);
  }
  s->name = name;
  s->plan = plan;
  s->coordinates = count_coordinates(&s->mode, m);
  *instance = s;
  return 0;
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  return plain_inspect(&((stepper *)instance)->mode, output, report);
}

static int fail(const stepper *s, const char *why, double t, solver_report *report) {
  return SOLVER_FAIL(report->message, "%s: %s at t = %.9g", s->name, why, t);
}

/* ---- Euler ----------------------------------------------------------------------------------- */

/* the rates first, and the coordinates by the new ones */
static int step_euler(void *context, double t, double dt, double x[], solver_report *report) {
  stepper *const s = context;
  const size_t n = s->mode.m->system.dimension, half = s->coordinates;
  double dxdt[MODEL_DIMENSION_MAX];
  if (plain_field(&s->mode, t, x, dxdt)) return fail(s, "a callback failed", t, report);
  for (size_t i = half; i < n; i++) x[i] += dt * dxdt[i];
  for (size_t i = 0; i < half; i++) x[i] += dt * x[half + i];
  return 0;
}

static int run_euler(void *instance, const double x0[], const solver_output *output,
                     solver_report *report) {
  stepper *const s = instance;
  plain_start(&s->mode);
  const int status = fixed_step_run(&s->plan, s->name, s->mode.m->system.dimension, x0, output,
                                    step_euler, s, report);
  plain_report(&s->mode, report);
  return status;
}

static int prepare_euler(const model *m, const solver_settings *settings,
                         const solver_output *output, void **instance,
                         char message[SOLVER_MESSAGE_SIZE]) {
  return prepare("plain-euler", m, settings, output, instance, message);
}

const solver_type plain_euler_solver = {
    .name = "plain-euler",
    .summary = "Euler as MuJoCo has it, the mode read off the state: no crossing is looked for",
    .prepare = prepare_euler,
    .run = run_euler,
    .inspect = inspect,
    .release = release,
};

/* ---- Runge-Kutta ----------------------------------------------------------------------------- */

/* a step from x, where the field is f, into `to` */
static int step_rk4(stepper *s, double t, const double x[], const double f[], double to[]) {
  const size_t n = s->mode.m->system.dimension;
  const double dt = s->plan.dt;
  double at[MODEL_DIMENSION_MAX], k2[MODEL_DIMENSION_MAX], k3[MODEL_DIMENSION_MAX],
      k4[MODEL_DIMENSION_MAX];
  for (size_t i = 0; i < n; i++) at[i] = x[i] + 0.5 * dt * f[i];
  int status = plain_field(&s->mode, t + 0.5 * dt, at, k2);
  for (size_t i = 0; i < n; i++) at[i] = x[i] + 0.5 * dt * k2[i];
  if (!status) status = plain_field(&s->mode, t + 0.5 * dt, at, k3);
  for (size_t i = 0; i < n; i++) at[i] = x[i] + dt * k3[i];
  if (!status) status = plain_field(&s->mode, t + dt, at, k4);
  for (size_t i = 0; i < n; i++) to[i] = x[i] + dt / 6.0 * (f[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
  return status;
}

/* outputs first+1 .. first+stride of a step: at its end x1, and before by the cubic through both
 * ends with the field's slopes */
static void write_hermite(const stepper *s, size_t first, const double x0[], const double f0[],
                          const double x1[], const double f1[], const solver_output *output) {
  const size_t n = s->mode.m->system.dimension, stride = s->plan.stride;
  for (size_t k = 1; k <= stride && first + k < output->count; k++) {
    double *const to = output->states + (first + k) * n;
    const double a = (double)k / (double)stride, b = 1.0 - a, dt = s->plan.dt;
    for (size_t i = 0; i < n; i++) {
      const double rise = x1[i] - x0[i];
      const double bend = b * (dt * f0[i] - rise) + a * (rise - dt * f1[i]);
      to[i] = k == stride ? x1[i] : b * x0[i] + a * x1[i] + a * b * bend;
    }
  }
}

static int run_rk4(void *instance, const double x0[], const solver_output *output,
                   solver_report *report) {
  stepper *const s = instance;
  const size_t n = s->mode.m->system.dimension, steps = s->plan.substeps ? s->plan.substeps : 1;
  double room[4][MODEL_DIMENSION_MAX], *x = room[0], *f = room[1], *to = room[2], *f_to = room[3];
  *report = (solver_report){0};
  plain_start(&s->mode);
  memcpy(x, x0, n * sizeof *x);
  memcpy(output->states, x0, n * sizeof *x);
  int status = plain_field(&s->mode, output->times[0], x, f);
  for (size_t i = 0; !status && i + 1 < output->count; i += s->plan.stride) {
    const double *x_from = x, *f_from = f;
    for (size_t k = 0; !status && k < steps; k++) {
      const double t = output->times[i] + (double)k * s->plan.dt;
      status = step_rk4(s, t, x, f, to);
      if (!status) status = plain_field(&s->mode, t + s->plan.dt, to, f_to);
      x_from = x, f_from = f;
      x = to, f = f_to;
      to = (double *)x_from, f_to = (double *)f_from;
    }
    report->steps += steps;
    if (!status && !mode_finite(x, n))
      return fail(s, "the state is not finite", output->times[i], report);
    write_hermite(s, i, x_from, f_from, x, f, output);
  }
  plain_report(&s->mode, report);
  return status ? fail(s, "a callback failed", output->times[0], report) : 0;
}

static int prepare_rk4(const model *m, const solver_settings *settings, const solver_output *output,
                       void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return prepare("plain-rk4", m, settings, output, instance, message);
}

const solver_type plain_rk4_solver = {
    .name = "plain-rk4",
    .summary = "Runge-Kutta of order 4, the mode read off the state: no crossing is looked for",
    .prepare = prepare_rk4,
    .run = run_rk4,
    .inspect = inspect,
    .release = release,
};

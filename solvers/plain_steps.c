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

/* What is not finite stays so, as each step adds to the state: the last output tells. */
static int finish(const stepper *s, int status, const solver_output *output,
                  solver_report *report) {
  const size_t n = s->mode.m->system.dimension, steps = s->plan.substeps ? s->plan.substeps : 1;
  size_t last = output->count - 1;
  report->steps = steps * (last / s->plan.stride + (last % s->plan.stride > 0));
  plain_report(&s->mode, report);
  if (status) return fail(s, "a callback failed", output->times[0], report);
  if (mode_finite(output->states + last * n, n)) return 0;
  while (last > 0 && !mode_finite(output->states + (last - 1) * n, n)) last--;
  return fail(s, "the state is not finite", output->times[last], report);
}

/* ---- Euler ----------------------------------------------------------------------------------- */

/* the rates first, and the coordinates by the new ones; from x into `to`, which may be x */
static inline int step_euler(stepper *s, size_t n, size_t half, double t, const double x[],
                             double to[]) {
  double dxdt[MODEL_DIMENSION_MAX];
  const double dt = s->plan.dt;
  const int status = plain_field(&s->mode, t, x, dxdt);
  for (size_t i = half; i < n; i++) to[i] = x[i] + dt * dxdt[i];
  for (size_t i = 0; i < half; i++) to[i] = x[i] + dt * to[half + i];
  return status;
}

/* all steps, each output where it belongs; those that a step passes over on the chord */
static inline int euler(stepper *s, size_t n, size_t half, const solver_output *output) {
  const size_t substeps = s->plan.substeps, stride = s->plan.stride, last = output->count - 1;
  double x[MODEL_DIMENSION_MAX];
  int status = 0;
  for (size_t i = 0; !status && i < last; i += stride) {
    const double *const from = output->states + i * n, t = output->times[i];
    double *const to = stride > last - i ? x : output->states + (i + stride) * n;
    status = step_euler(s, n, half, t, from, to);
    for (size_t k = 1; !status && k < substeps; k++)
      status = step_euler(s, n, half, t + (double)k * s->plan.dt, to, to);
    if (stride > 1) fixed_step_chord(stride, i, n, to, output);
  }
  return status;
}

static int run_euler(void *instance, const double x0[], const solver_output *output,
                     solver_report *report) {
  stepper *const s = instance;
  const size_t n = s->mode.m->system.dimension, half = s->coordinates;
  *report = (solver_report){0};
  plain_start(&s->mode);
  memcpy(output->states, x0, n * sizeof *x0);
  // a body in the plane: compilers unroll what has a number
  const int status = n == 6 && half == 3 ? euler(s, 6, 3, output) : euler(s, n, half, output);
  return finish(s, status, output, report);
}

PLAIN_SOLVER(euler, "plain-euler",
             "Euler as MuJoCo has it, the mode read off the state: no crossing is looked for",
             run_euler, prepare("plain-euler", m, settings, output, instance, message));

/* ---- Runge-Kutta ----------------------------------------------------------------------------- */

/* a step from x, where the field is f, into `to`, which may be x */
static inline int step_rk4(stepper *s, size_t n, double t, const double x[], const double f[],
                           double to[]) {
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

/* the outputs that a step from output `first` passes over: on the cubic through both ends with the
 * field's slopes */
static void write_hermite(const stepper *s, size_t first, const double x0[], const double f0[],
                          const double x1[], const double f1[], const solver_output *output) {
  const size_t n = s->mode.m->system.dimension, stride = s->plan.stride;
  for (size_t k = 1; k < stride && first + k < output->count; k++) {
    double *const to = output->states + (first + k) * n;
    const double a = (double)k / (double)stride, b = 1.0 - a, dt = s->plan.dt;
    for (size_t i = 0; i < n; i++) {
      const double rise = x1[i] - x0[i];
      const double bend = b * (dt * f0[i] - rise) + a * (rise - dt * f1[i]);
      to[i] = b * x0[i] + a * x1[i] + a * b * bend;
    }
  }
}

static inline int rk4(stepper *s, size_t n, const solver_output *output) {
  const size_t stride = s->plan.stride, last = output->count - 1;
  const size_t steps = s->plan.substeps ? s->plan.substeps : 1;
  double spare[MODEL_DIMENSION_MAX], room[2][MODEL_DIMENSION_MAX], *f = room[0], *f_to = room[1];
  int status = plain_field(&s->mode, output->times[0], output->states, f);
  for (size_t i = 0; !status && i < last; i += stride) {
    const double *const from = output->states + i * n, *x = from;
    double *const to = stride > last - i ? spare : output->states + (i + stride) * n;
    for (size_t k = 0; !status && k < steps; k++, x = to) {
      const double t = output->times[i] + (double)k * s->plan.dt;
      status = step_rk4(s, n, t, x, f, to);
      if (!status) status = plain_field(&s->mode, t + s->plan.dt, to, f_to);
      double *const f_from = f;
      f = f_to, f_to = f_from;
    }
    if (stride > 1) write_hermite(s, i, from, f_to, to, f, output);
  }
  return status;
}

static int run_rk4(void *instance, const double x0[], const solver_output *output,
                   solver_report *report) {
  stepper *const s = instance;
  const size_t n = s->mode.m->system.dimension;
  *report = (solver_report){0};
  plain_start(&s->mode);
  memcpy(output->states, x0, n * sizeof *x0);
  const int status = n == 6 ? rk4(s, 6, output) : rk4(s, n, output);
  return finish(s, status, output, report);
}

PLAIN_SOLVER(rk4, "plain-rk4",
             "Runge-Kutta of order 4, the mode read off the state: no crossing is looked for",
             run_rk4, prepare("plain-rk4", m, settings, output, instance, message));

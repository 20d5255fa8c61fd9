/*
 * A relay that controls a linear system (P. T. Piiroinen and Yu. A. Kuznetsov, An event-driven
 * method to simulate Filippov systems, 2008, eq. 32): it slides again and again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slides.h"

enum { N = 3 };
enum { OMEGA, ZETA, SIGMA, FIRST, SECOND, THIRD, DURATION, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [OMEGA] = {"omega", 25, 1e-3, 1e3, false, NULL, "frequency, 1/s"},
    [ZETA] = {"zeta", 0.05, 0, 10, false, NULL, "damping ratio"},
    [SIGMA] = {"sigma", 1, -100, 100, false, NULL,
               "half the relay's contribution to the rate of the second state"},
    [FIRST] = {"first", 0.05, -100, 100, false, NULL, "initial value of the first state"},
    [SECOND] = {"second", -0.01, -100, 100, false, NULL, "initial value of the second state"},
    [THIRD] = {"third", 0.1, -100, 100, false, NULL, "initial value of the third state"},
    [DURATION] = {"duration", 4, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[N] = {"x1", "x2", "x3"};

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const double *const value = params;
  const double w = value[OMEGA], damping = 2.0 * value[ZETA] * w;
  (void)t;
  dxdt[0] = -(damping + 1.0) * x[0] + x[1] - sign[0];
  dxdt[1] = -(damping + w * w) * x[0] + x[2] + 2.0 * value[SIGMA] * sign[0];
  dxdt[2] = -w * w * x[0] - sign[0];
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  const double *const value = params;
  const double w = value[OMEGA], damping = 2.0 * value[ZETA] * w;
  (void)t, (void)x, (void)sign;
  memset(J, 0, N * N * sizeof *J);
  J[0] = -(damping + 1.0);
  J[N] = -(damping + w * w);
  J[2 * N] = -w * w;
  J[1] = J[N + 2] = 1.0;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = x[0];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)x, (void)params;
  Dh[0] = 1.0;
  Dh[1] = Dh[2] = 0.0;
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  for (int i = 0; i < N; i++) x0[i] = m->value[FIRST + i];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  initial_state(m, x0);
  x0[0] += 0.05 * gsl_rng_uniform(rng);
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  double *const value = malloc(sizeof m->value);
  if (!value) {
    snprintf(message, MODEL_MESSAGE_SIZE, "%s: out of memory", m->type->name);
    return -1;
  }
  memcpy(value, m->value, sizeof m->value);
  m->data = value;
  m->system = (ess_system){.dimension = N,
                           .event_count = 1,
                           .field = field,
                           .field_jacobian = field_jacobian,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .params = value};
  return 0;
}

static void release(model *m) {
  free(m->data);
}

const model_type relay_type = {
    .name = "relay",
    .summary = "a linear system that a relay controls, which slides",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = N,
    .state_names = state_names,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = slides_reference,
    .changes_field = changes_field,
    .slides = true,
};

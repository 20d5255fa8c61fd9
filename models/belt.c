/*
 * A mass on a spring, carried by a belt with dry friction that falls with the speed of slip: it
 * sticks, and slips.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slides.h"

enum { X, V, N };
enum { SPEED, FRICTION, SLOPE, POSITION, START, DURATION, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [SPEED] = {"belt-speed", 0.5, -100, 100, false, NULL, "speed of the belt, m/s"},
    [FRICTION] = {"friction", 1, 1e-6, 1e6, false, NULL, "static friction per mass, m/s^2"},
    [SLOPE] = {"falling", 0.2, 0, 10, false, NULL,
               "relative decrease of the friction per m/s of slip"},
    [POSITION] = {"position", 0, -100, 100, false, NULL, "initial position, m"},
    [START] = {"speed", 0.5, -100, 100, false, NULL, "initial speed, m/s"},
    [DURATION] = {"duration", 20, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[N] = {"x", "v"};

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const double *const value = params;
  const double slip = x[V] - value[SPEED];
  (void)t;
  dxdt[X] = x[V];
  dxdt[V] = -x[X] - value[FRICTION] * (sign[0] - value[SLOPE] * slip);
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  const double *const value = params;
  (void)t, (void)x, (void)sign;
  J[X * N + X] = 0.0;
  J[X * N + V] = 1.0;
  J[V * N + X] = -1.0;
  J[V * N + V] = value[FRICTION] * value[SLOPE];
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  const double *const value = params;
  (void)t;
  h[0] = x[V] - value[SPEED];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)x, (void)params;
  Dh[X] = 0.0;
  Dh[V] = 1.0;
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  x0[X] = m->value[POSITION];
  x0[V] = m->value[START];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  initial_state(m, x0);
  x0[X] += 0.5 * gsl_rng_uniform(rng);
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

const model_type belt_type = {
    .name = "belt",
    .summary = "a mass on a spring, carried by a belt: it sticks and slips",
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

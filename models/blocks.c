/*
 * A chain of blocks on a floor with dry friction, joined by springs, the first of which is shaken:
 * waves of slip run along it, and several blocks stick at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slides.h"

enum { BLOCKS, STIFFNESS, FRICTION, SHAKING, FREQUENCY, DURATION, PARAMETER_COUNT };
enum { MOST = 8 };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [BLOCKS] = {"blocks", 4, 1, MOST, true, NULL, "number of blocks in the chain"},
    [STIFFNESS] = {"stiffness", 4, 1e-3, 1e4, false, NULL,
                   "stiffness of each spring per mass of a block, 1/s^2"},
    [FRICTION] = {"friction", 0.3, 1e-6, 1e3, false, NULL,
                  "friction of each block per mass, m/s^2"},
    [SHAKING] = {"shaking", 2, 0, 1e3, false, NULL,
                 "amplitude of the force on the first block per mass, m/s^2"},
    [FREQUENCY] = {"frequency", 1.3, 0, 1e3, false, NULL,
                   "angular frequency of the force on the first block, rad/s"},
    [DURATION] = {"duration", 20, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[2 * MOST] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
                                                  "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"};

static size_t count(const double value[]) {
  return (size_t)value[BLOCKS];
}

static const char *state_name(const model *m, size_t i) {
  const size_t n = count(m->value);
  return state_names[i < n ? i : MOST + i - n];
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const double *const value = params, *const v = x + count(value);
  const size_t n = count(value);
  for (size_t i = 0; i < n; i++) {
    double force =
        i ? value[STIFFNESS] * (x[i - 1] - x[i]) : value[SHAKING] * sin(value[FREQUENCY] * t);
    if (i + 1 < n) force += value[STIFFNESS] * (x[i + 1] - x[i]);
    if (i == 0) force -= value[STIFFNESS] * x[0];
    dxdt[i] = v[i];
    dxdt[n + i] = force - value[FRICTION] * sign[i];
  }
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  const size_t n = count(params);
  (void)t;
  for (size_t i = 0; i < n; i++) h[i] = x[n + i];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  const size_t n = count(params);
  (void)t, (void)x;
  for (size_t i = 0; i < 2 * n * n; i++) Dh[i] = i % (2 * n) == n + i / (2 * n);
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  const size_t n = count(m->value);
  for (size_t i = 0; i < n; i++) {
    x0[i] = 0.0;
    x0[n + i] = 0.1 / (double)(i + 1);
  }
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  initial_state(m, x0);
  for (size_t i = 0; i < count(m->value); i++) x0[i] = 0.1 * gsl_rng_uniform(rng);
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
  m->system = (ess_system){.dimension = 2 * count(m->value),
                           .event_count = count(m->value),
                           .field = field,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .params = value};
  return 0;
}

static void release(model *m) {
  free(m->data);
}

const model_type blocks_type = {
    .name = "blocks",
    .summary = "a chain of blocks on springs and a floor with dry friction",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .state_name = state_name,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = slides_reference,
    .changes_field = changes_field,
    .slides = true,
};

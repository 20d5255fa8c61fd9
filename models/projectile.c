/*
 * A projectile with drag, over the distance x in place of time, until it lands: height y, speed v
 * and angle phi, from the documentation of NAG's routine d02bj,
 *
 *   y' = tan phi,   v' = a tan phi / v + b v / cos phi,   phi' = a / v^2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "projectile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jumps.h"

enum { Y, V, PHI, N };
enum { A, B, PARAMETERS };
enum { WEIGHT, DRAG, HEIGHT, SPEED, ANGLE, DURATION, COUNT };

static const model_parameter parameters[COUNT] = {
    [WEIGHT] = {"a", -0.032, -10, 0, false, NULL, "coefficient of gravity in v' and phi'"},
    [DRAG] = {"b", -0.02, -10, 0, false, NULL, "coefficient of drag in v'"},
    [HEIGHT] = {"y", 0.5, 0, 1000, false, NULL, "initial height"},
    [SPEED] = {"v", 0.5, 1e-3, 1000, false, NULL, "initial speed"},
    [ANGLE] = {"phi", 0.62831853071795864769, -1.5, 1.5, false, NULL,
               "initial angle, rad"}, // pi / 5
    [DURATION] = {"duration", 8, 1e-3, 1000, false, NULL, "distance x at which the run ends"},
};

static const char *const state_names[N] = {"y", "v", "phi"};
static const char *const system_parameters[PARAMETERS] = {"a", "b"};

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const double *const p = params;
  (void)t, (void)sign;
  const double slope = tan(x[PHI]), v = x[V];
  dxdt[Y] = slope;
  dxdt[V] = p[A] * slope / v + p[B] * v / cos(x[PHI]);
  dxdt[PHI] = p[A] / (v * v);
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  const double *const p = params;
  (void)t, (void)sign;
  const double slope = tan(x[PHI]), v = x[V], secant = 1.0 / cos(x[PHI]);
  memset(J, 0, N * N * sizeof *J);
  J[Y * N + PHI] = secant * secant;
  J[V * N + V] = -p[A] * slope / (v * v) + p[B] * secant;
  J[V * N + PHI] = p[A] * secant * secant / v + p[B] * v * secant * slope;
  J[PHI * N + V] = -2.0 * p[A] / (v * v * v);
  return 0;
}

static int field_parameter_jacobian(double t, const double x[], const double sign[], double Fp[],
                                    void *params) {
  (void)t, (void)sign, (void)params;
  const double v = x[V];
  Fp[Y * PARAMETERS + A] = Fp[Y * PARAMETERS + B] = Fp[PHI * PARAMETERS + B] = 0.0;
  Fp[V * PARAMETERS + A] = tan(x[PHI]) / v;
  Fp[V * PARAMETERS + B] = v / cos(x[PHI]);
  Fp[PHI * PARAMETERS + A] = 1.0 / (v * v);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = x[Y];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)x, (void)params;
  Dh[Y] = 1.0;
  Dh[V] = Dh[PHI] = 0.0;
  return 0;
}

static int guard_parameter_jacobian(double t, const double x[], double hp[], void *params) {
  (void)t, (void)x, (void)params;
  hp[A] = hp[B] = 0.0;
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  x0[Y] = m->value[HEIGHT];
  x0[V] = m->value[SPEED];
  x0[PHI] = m->value[ANGLE];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)rng;
  initial_state(m, x0);
}

/* what lies below the ground is flown through: the crossing is the end of a derivative's run */
static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return false;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  double *const p = malloc(PARAMETERS * sizeof *p);
  if (!p) {
    snprintf(message, MODEL_MESSAGE_SIZE, "projectile: out of memory");
    return -1;
  }
  p[A] = m->value[WEIGHT];
  p[B] = m->value[DRAG];
  m->data = p;
  m->system = (ess_system){.dimension = N,
                           .event_count = 1,
                           .field = field,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .field_jacobian = field_jacobian,
                           .parameters = {.count = PARAMETERS,
                                          .values = p,
                                          .field_jacobian = field_parameter_jacobian,
                                          .event_jacobian = guard_parameter_jacobian},
                           .params = p};
  return 0;
}

static void release(model *m) {
  free(m->data);
}

const model_type projectile_type = {
    .name = "projectile",
    .summary = "a projectile with drag as a function of distance, until it lands",
    .parameters = parameters,
    .parameter_count = COUNT,
    .dimension = N,
    .state_names = state_names,
    .system_parameters = system_parameters,
    .end_name = "x",
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = jumps_reference,
    .changes_field = changes_field,
};

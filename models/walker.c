/*
 * The simplest walker (Garcia, Chatterjee, Ruina & Coleman 1998): two straight legs of length 1, a
 * mass at the hip and feet of no weight beside it, down a slope. theta is the leg that stands, from
 * the normal of the slope, phi the angle between the legs; lengths in legs, times in sqrt(leg / g):
 *
 *   theta'' = sin(theta - slope),
 *   phi''   = theta'' + theta'^2 sin phi - cos(theta - slope) sin phi.
 *
 * Where phi = 2 theta the other heel strikes, without rebound or slip, and the legs change places.
 * A foot that scuffs the slope on its way forward passes through it, as in the paper.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "walker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jumps.h"

enum { THETA, DTHETA, PHI, DPHI, N };
enum { SLOPE_P, PARAMETERS };
enum { SLOPE, ANGLE, RATE, DURATION, COUNT };

/*
 * The foot that swings is on the slope three times in a step: behind, where it scuffs, and ahead,
 * where it strikes. Only what comes after the standing leg has passed the normal may be a strike,
 * and that only from below: phi - 2 theta is zero from above where the foot passes on its way
 * forward.
 */
enum { PASSES, STRIKES, EVENTS };

static const model_parameter parameters[COUNT] = {
    [SLOPE] = {"slope", 0.009, 0, 0.5, false, NULL, "slope of the ground, rad"},
    [ANGLE] = {"theta", 0.2, 1e-6, 1, false, NULL, "initial angle of the stance leg, rad"},
    [RATE] = {"rate", -0.2, -10, 0, false, NULL,
              "initial rate of the stance leg, rad per sqrt(leg / g)"},
    [DURATION] = {"duration", 8, 1e-3, 1000, false, NULL,
                  "duration of the run, in units of sqrt(leg / g)"},
};

static const char *const state_names[N] = {"theta", "dtheta", "phi", "dphi"};
static const char *const system_parameters[PARAMETERS] = {"slope"};

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t, (void)sign;
  const double tilt = x[THETA] - *(const double *)params;
  dxdt[THETA] = x[DTHETA];
  dxdt[DTHETA] = sin(tilt);
  dxdt[PHI] = x[DPHI];
  dxdt[DPHI] = sin(tilt) + sin(x[PHI]) * (x[DTHETA] * x[DTHETA] - cos(tilt));
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t, (void)sign;
  const double tilt = x[THETA] - *(const double *)params;
  memset(J, 0, N * N * sizeof *J);
  J[THETA * N + DTHETA] = J[PHI * N + DPHI] = 1.0;
  J[DTHETA * N + THETA] = cos(tilt);
  J[DPHI * N + THETA] = cos(tilt) + sin(x[PHI]) * sin(tilt);
  J[DPHI * N + DTHETA] = 2.0 * sin(x[PHI]) * x[DTHETA];
  J[DPHI * N + PHI] = cos(x[PHI]) * (x[DTHETA] * x[DTHETA] - cos(tilt));
  return 0;
}

/* the slope and theta are one angle */
static int field_parameter_jacobian(double t, const double x[], const double sign[], double Fp[],
                                    void *params) {
  (void)t, (void)sign;
  const double tilt = x[THETA] - *(const double *)params;
  Fp[THETA] = Fp[PHI] = 0.0;
  Fp[DTHETA] = -cos(tilt);
  Fp[DPHI] = -cos(tilt) - sin(x[PHI]) * sin(tilt);
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[PASSES] = -x[THETA];
  h[STRIKES] = x[PHI] - 2.0 * x[THETA];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)x, (void)params;
  memset(Dh, 0, EVENTS * N * sizeof *Dh);
  Dh[PASSES * N + THETA] = -1.0;
  Dh[STRIKES * N + PHI] = 1.0;
  Dh[STRIKES * N + THETA] = -2.0;
  return 0;
}

static int guard_parameter_jacobian(double t, const double x[], double hp[], void *params) {
  (void)t, (void)x, (void)params;
  memset(hp, 0, EVENTS * PARAMETERS * sizeof *hp);
  return 0;
}

static void await_passing(double sign[], bool armed[]) {
  memset(armed, 0, 2 * EVENTS * sizeof *armed);
  armed[ESS_GUARD_UP(PASSES)] = true;
  sign[PASSES] = -1.0;
  sign[STRIKES] = 1.0;
}

/* from where the foot is it is the way forward first, or the strike */
static void await_strike(const double x[], double sign[], bool armed[]) {
  const bool below = x[PHI] - 2.0 * x[THETA] < 0.0;
  memset(armed, 0, 2 * EVENTS * sizeof *armed);
  armed[below ? ESS_GUARD_UP(STRIKES) : ESS_GUARD_DOWN(STRIKES)] = true;
  sign[PASSES] = 1.0;
  sign[STRIKES] = below ? -1.0 : 1.0;
}

static bool is_strike(const ess_impact *impact) {
  return impact->events[0] == STRIKES && impact->sign[STRIKES] < 0.0;
}

/* one event is armed at a time */
static int change(ess_impact *impact, void *params) {
  (void)params;
  const double *const x = impact->x;
  double *const after = impact->after;
  if (impact->events[0] == PASSES) {
    await_strike(x, impact->mode, impact->armed);
  } else if (is_strike(impact)) {
    const double c = cos(2.0 * x[THETA]);
    after[THETA] = -x[THETA];
    after[DTHETA] = c * x[DTHETA];
    after[PHI] = -2.0 * x[THETA];
    after[DPHI] = c * (1.0 - c) * x[DTHETA];
    await_passing(impact->mode, impact->armed);
  } else {
    memset(impact->armed, 0, 2 * EVENTS * sizeof *impact->armed);
    impact->armed[ESS_GUARD_UP(STRIKES)] = true;
  }
  return 0;
}

static int change_jacobian(const ess_impact *impact, double DR[], void *params) {
  (void)params;
  const double *const x = impact->x;
  memset(DR, 0, N * N * sizeof *DR);
  if (!is_strike(impact)) {
    for (size_t i = 0; i < N; i++) DR[i * N + i] = 1.0;
    return 0;
  }
  const double c = cos(2.0 * x[THETA]), bend = -2.0 * sin(2.0 * x[THETA]);
  DR[THETA * N + THETA] = -1.0;
  DR[DTHETA * N + THETA] = bend * x[DTHETA];
  DR[DTHETA * N + DTHETA] = c;
  DR[PHI * N + THETA] = -2.0;
  DR[DPHI * N + THETA] = bend * (1.0 - 2.0 * c) * x[DTHETA];
  DR[DPHI * N + DTHETA] = c * (1.0 - c);
  return 0;
}

static int change_by_parameters(const ess_impact *impact, double Rp[], void *params) {
  (void)impact, (void)params;
  memset(Rp, 0, N * PARAMETERS * sizeof *Rp);
  return 0;
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)params;
  if (x[THETA] > 0.0)
    await_passing(sign, armed);
  else
    await_strike(x, sign, armed);
  return 0;
}

static const ess_impacts impacts = {
    .map = change, .jacobian = change_jacobian, .parameter_jacobian = change_by_parameters};

/* a step begins where the last heel has struck: the other leg follows from the one that stands */
static void begin(double angle, double rate, double x[]) {
  x[THETA] = angle;
  x[DTHETA] = rate;
  x[PHI] = 2.0 * angle;
  x[DPHI] = (1.0 - cos(2.0 * angle)) * rate;
}

static void initial_state(const model *m, double x0[]) {
  begin(m->value[ANGLE], m->value[RATE], x0);
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  begin(m->value[ANGLE] * (1.0 + 0.01 * gsl_rng_uniform(rng)), m->value[RATE], x0);
}

/* a strike is a jump; nothing else changes anything */
static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m;
  return guard == STRIKES && sign[STRIKES] > 0.0;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  double *const p = malloc(PARAMETERS * sizeof *p);
  if (!p) {
    snprintf(message, MODEL_MESSAGE_SIZE, "walker: out of memory");
    return -1;
  }
  p[SLOPE_P] = m->value[SLOPE];
  m->data = p;
  m->system = (ess_system){.dimension = N,
                           .event_count = EVENTS,
                           .field = field,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .impacts = &impacts,
                           .start = start,
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

const model_type walker_type = {
    .name = "walker",
    .summary = "the simplest walker: two legs on a slope",
    .parameters = parameters,
    .parameter_count = COUNT,
    .dimension = N,
    .state_names = state_names,
    .system_parameters = system_parameters,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = jumps_reference,
    .changes_field = changes_field,
};

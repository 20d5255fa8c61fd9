/*
 * The spring-loaded inverted pendulum: a mass that runs on a springy leg without mass, set down at
 * a fixed angle. Where it lands the leg's foot jumps to its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "slip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jumps.h"

enum { X, Z, VX, VZ, FOOT, N };
enum { MASS, STIFFNESS, LEG, ANGLE, GRAVITY, HEIGHT, SPEED, DURATION, PARAMETER_COUNT };

/*
 * Event functions. It stands while `LEAVES` is negative, that is while the leg is shorter than at
 * rest; it may land again once it falls, since it may leave the ground lower than it lands.
 */
enum { LANDS, LEAVES, FALLS, EVENTS };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [MASS] = {"mass", 80, 1e-3, 1e6, false, NULL, "mass, kg"},
    [STIFFNESS] = {"stiffness", 20000, 1e-3, 1e9, false, NULL, "stiffness of the leg, N/m"},
    [LEG] = {"free-length", 1, 1e-3, 100, false, NULL, "rest length of the leg, m"},
    [ANGLE] = {"angle", 68, 1, 179, false, NULL,
               "angle of attack: of the leg to the ground at touch-down, degrees"},
    [GRAVITY] = {"gravity", 9.81, 1e-3, 1000, false, NULL, "gravity, m/s^2"},
    [HEIGHT] = {"height", 1, 0, 100, false, NULL, "initial height, at an apex, m"},
    [SPEED] = {"speed", 5, -100, 100, false, NULL, "initial forward speed, m/s"},
    [DURATION] = {"duration", 0.6, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[N] = {"x", "z", "vx", "vz", "foot"};

typedef struct slip {
  double mass, stiffness, leg, ahead, lands_at, gravity; /* the foot is set so far ahead, the mass
                                                            then being so high */
  double height, speed; /* at the start, which say what energy a gait has */
} slip;

static double leg_length(const double x[]) {
  return hypot(x[X] - x[FOOT], x[Z]);
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const slip *const p = params;
  const double length = leg_length(x);
  const double pull =
      sign[LEAVES] < 0.0 ? p->stiffness * (p->leg - length) / (p->mass * length) : 0.0;
  dxdt[X] = x[VX];
  dxdt[Z] = x[VZ];
  dxdt[VX] = pull * (x[X] - x[FOOT]);
  dxdt[VZ] = pull * x[Z] - p->gravity;
  dxdt[FOOT] = 0.0;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const slip *const p = params;
  h[LANDS] = p->lands_at - x[Z];
  h[LEAVES] = leg_length(x) - p->leg;
  h[FALLS] = -x[VZ];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)params;
  const double length = leg_length(x);
  memset(Dh, 0, EVENTS * N * sizeof *Dh);
  Dh[LANDS * N + Z] = -1.0;
  Dh[LEAVES * N + X] = (x[X] - x[FOOT]) / length;
  Dh[LEAVES * N + FOOT] = -Dh[LEAVES * N + X];
  Dh[LEAVES * N + Z] = x[Z] / length;
  Dh[FALLS * N + VZ] = -1.0;
  return 0;
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt;
  double all[EVENTS];
  const double rates[EVENTS] = {[LANDS] = -v[Z],
                                [LEAVES] = ((x[X] - x[FOOT]) * (v[X] - v[FOOT]) + x[Z] * v[Z]) /
                                           leg_length(x),
                                [FALLS] = -v[VZ]};
  event_functions(t, x, all, params);
  for (size_t i = 0; i < count; i++) {
    h[i] = all[which ? which[i] : i];
    rate[i] = rates[which ? which[i] : i];
  }
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t;
  const slip *const p = params;
  memset(J, 0, N * N * sizeof *J);
  J[X * N + VX] = J[Z * N + VZ] = 1.0;
  if (sign[LEAVES] > 0.0) return 0;

  // of pull * (u, z), u = x - foot, where pull = k/m (leg/length - 1)
  const double u = x[X] - x[FOOT], z = x[Z], length = leg_length(x);
  const double rate = p->stiffness / p->mass, pull = rate * (p->leg / length - 1.0);
  const double bend = rate * p->leg / (length * length * length);
  J[VX * N + X] = pull - bend * u * u;
  J[VX * N + Z] = J[VZ * N + X] = -bend * u * z;
  J[VZ * N + Z] = pull - bend * z * z;
  J[VX * N + FOOT] = -J[VX * N + X];
  J[VZ * N + FOOT] = -J[VZ * N + X];
  return 0;
}

static void arm_only(double sign[], bool armed[], int event) {
  memset(armed, 0, 2 * EVENTS * sizeof *armed);
  armed[ESS_GUARD_UP(event)] = true;
  sign[event] = -1.0;
}

/* only one event is ever armed */
static int change(ess_impact *impact, void *params) {
  const slip *const p = params;
  double *const x = impact->after;
  switch (impact->events[0]) {
  case LANDS:
    x[FOOT] = x[X] + p->ahead;
    arm_only(impact->mode, impact->armed, LEAVES);
    break;
  case LEAVES:
    arm_only(impact->mode, impact->armed, x[VZ] > 0.0 ? FALLS : LANDS);
    break;
  default:
    arm_only(impact->mode, impact->armed, LANDS);
  }
  return 0;
}

static int change_jacobian(const ess_impact *impact, double DR[], void *params) {
  (void)params;
  memset(DR, 0, N * N * sizeof *DR);
  for (size_t i = 0; i < N; i++) DR[i * N + i] = 1.0;
  if (impact->events[0] != LANDS) return 0;
  DR[FOOT * N + FOOT] = 0.0;
  DR[FOOT * N + X] = 1.0;
  return 0;
}

/* a leg longer than at rest is in the air; the apex has just been, or is to come */
static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)params;
  arm_only(sign, armed, sign[LEAVES] < 0.0 ? LEAVES : x[VZ] > 0.0 ? FALLS : LANDS);
  return 0;
}

static const ess_impacts impacts = {.map = change, .jacobian = change_jacobian};

/* from the apex, the leg already at its angle */
static void initial_state(const model *m, double x0[]) {
  const slip *const p = m->data;
  memset(x0, 0, N * sizeof *x0);
  x0[Z] = m->value[HEIGHT];
  x0[VX] = m->value[SPEED];
  x0[FOOT] = p->ahead;
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  initial_state(m, x0);
  x0[Z] += 0.05 * gsl_rng_uniform(rng);
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)sign;
  return guard != FALLS;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const double angle = m->value[ANGLE] * (3.14159265358979323846 / 180.0), leg = m->value[LEG];
  if (m->value[HEIGHT] <= leg * sin(angle)) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "slip: height %.9g is not accepted; it is above %.9g m, where the leg lands",
             m->value[HEIGHT], leg * sin(angle));
    return MODEL_REFUSED;
  }
  slip *const p = malloc(sizeof *p);
  if (!p) {
    snprintf(message, MODEL_MESSAGE_SIZE, "slip: out of memory");
    return -1;
  }
  *p = (slip){.mass = m->value[MASS],
              .stiffness = m->value[STIFFNESS],
              .leg = leg,
              .ahead = leg * cos(angle),
              .lands_at = leg * sin(angle),
              .gravity = m->value[GRAVITY],
              .height = m->value[HEIGHT],
              .speed = m->value[SPEED]};
  m->data = p;
  m->system = (ess_system){.dimension = N,
                           .event_count = EVENTS,
                           .field = field,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .event_rates = event_rates,
                           .impacts = &impacts,
                           .start = start,
                           .field_jacobian = field_jacobian,
                           .params = p};
  return 0;
}

static void release(model *m) {
  free(m->data);
}

const model_type slip_type = {
    .name = "slip",
    .summary = "a mass running on a springy leg without mass (SLIP)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = N,
    .state_names = state_names,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = jumps_reference,
    .changes_field = changes_field,
};

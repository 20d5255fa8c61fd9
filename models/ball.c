/*
 * A ball that bounces off a floor, or off a ceiling, with its exact solution: parabolas. Without
 * restitution under a ceiling it is the bag of beans of Pace & Burden (2017), which stops there and
 * leaves at once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ball.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Z, V, N };
enum { SURFACE, RESTITUTION, HEIGHT, SPEED, GRAVITY, COMPLETE, DURATION, PARAMETER_COUNT };
enum { FLOOR, CEILING };

static const char *const surfaces[] = {"floor", "ceiling", NULL}, *const answers[] = {"no", "yes",
                                                                                      NULL};

static const model_parameter parameters[PARAMETER_COUNT] = {
    [SURFACE] = {"surface", FLOOR, 0, 1, false, surfaces, "surface at z = 0"},
    [RESTITUTION] = {"restitution", 0.8, 0, 1, false, NULL, "coefficient of restitution"},
    [HEIGHT] = {"height", 1, -100, 100, false, NULL, "initial height, m"},
    [SPEED] = {"speed", 0, -100, 100, false, NULL, "initial upward speed, m/s"},
    [GRAVITY] = {"gravity", 9.81, 1e-3, 1000, false, NULL, "gravity, m/s^2"},
    [COMPLETE] = {"complete", 0, 0, 1, false, answers,
                  "continue after impacts have accumulated (Zeno)"},
    [DURATION] = {"duration", 1, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[N] = {"z", "v"};

typedef struct ball {
  double outward; /* +1: the ball is above the surface; -1: below */
  double restitution, gravity;
  double rests_below; /* m/s: bouncing off more slowly it stays on a floor; 0: it never does */
} ball;

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const bool rests = sign[0] > 0.0;
  dxdt[Z] = rests ? 0.0 : x[V];
  dxdt[V] = rests ? 0.0 : -((const ball *)params)->gravity;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  h[0] = -((const ball *)params)->outward * x[Z];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x;
  Dh[Z] = -((const ball *)params)->outward;
  Dh[V] = 0.0;
  return 0;
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt, (void)which, (void)count;
  rate[0] = -((const ball *)params)->outward * v[Z];
  return event_functions(t, x, h, params);
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t, (void)x, (void)params;
  J[0] = J[2] = J[3] = 0.0;
  J[1] = sign[0] > 0.0 ? 0.0 : 1.0;
  return 0;
}

/* it stays on its side of the surface */
static int bounce(ess_impact *impact, void *params) {
  const ball *const p = params;
  impact->after[Z] = 0.0;
  impact->after[V] *= -p->restitution;
  const bool rests = fabs(impact->after[V]) < p->rests_below;
  if (rests) impact->after[V] = 0.0;
  impact->mode[0] = rests ? 1.0 : -1.0;
  impact->armed[ESS_GUARD_UP(0)] = !rests;
  impact->armed[ESS_GUARD_DOWN(0)] = false;
  return 0;
}

static int bounce_jacobian(const ess_impact *impact, double DR[], void *params) {
  const ball *const p = params;
  const bool rests = fabs(p->restitution * impact->x[V]) < p->rests_below;
  DR[0] = DR[1] = DR[2] = 0.0;
  DR[3] = rests ? 0.0 : -p->restitution;
  return 0;
}

/* on the surface, too, it is on its own side */
static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  (void)t, (void)x, (void)params;
  sign[0] = -1.0;
  armed[ESS_GUARD_UP(0)] = true;
  armed[ESS_GUARD_DOWN(0)] = false;
  return 0;
}

static const ess_impacts impacts = {.map = bounce, .jacobian = bounce_jacobian};

/* Time from a state to where it next meets the surface, which it is on or off: infinite if never.
 * Speeds at z = 0 are +-s with s^2 = v^2 + 2 g z. */
static double meeting(const ball *p, double z, double v) {
  const double square = v * v + 2.0 * p->gravity * z;
  if (p->outward > 0.0) return z == 0.0 && v <= 0.0 ? 0.0 : (v + sqrt(square)) / p->gravity;
  if (!(v > 0.0) || square < 0.0 || z == 0.0) return INFINITY;
  return -2.0 * z / (v + sqrt(square)); // the earlier one, in the form that does not cancel
}

/* on the floor from the i-th time on */
static int rest(size_t i, model_reference *out) {
  memset(&out->states[i * N], 0, (out->count - i) * N * sizeof *out->states);
  out->kind = "exact";
  return 0;
}

static int reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]) {
  enum { MOST = 1000 };
  const ball *const p = m->data;
  double t = 0.0, z = x0[Z], v = x0[V], next = meeting(p, z, v);
  out->events = 0;
  for (size_t i = 0; i < out->count; i++) {
    for (; t + next <= out->times[i]; next = meeting(p, z, v)) {
      if (out->events++ == MOST) {
        snprintf(message, MODEL_MESSAGE_SIZE,
                 "ball: impacts accumulate, and it comes to rest, at t = %.9g s (Zeno)", t);
        return -1;
      }
      t += next;
      v = -p->restitution * (v - p->gravity * next);
      z = 0.0;
      if (fabs(v) < p->rests_below) return rest(i, out);
    }
    const double tau = out->times[i] - t;
    out->states[i * N + Z] = z + tau * (v - 0.5 * p->gravity * tau);
    out->states[i * N + V] = v - p->gravity * tau;
  }
  out->kind = "exact";
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  x0[Z] = m->value[HEIGHT];
  x0[V] = m->value[SPEED];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)rng;
  initial_state(m, x0);
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const bool below = m->value[SURFACE] == CEILING;
  if (!below && m->value[RESTITUTION] == 0.0) {
    snprintf(message, MODEL_MESSAGE_SIZE,
             "ball: restitution 0 is not accepted on a floor; it is above 0 there");
    return MODEL_REFUSED;
  }
  if (below ? m->value[HEIGHT] >= 0.0 : m->value[HEIGHT] < 0.0) {
    snprintf(message, MODEL_MESSAGE_SIZE, "ball: height %.9g is not accepted; %s", m->value[HEIGHT],
             below ? "a ceiling, at z = 0, is above it" : "a floor, at z = 0, is not above it");
    return MODEL_REFUSED;
  }
  ball *const p = malloc(sizeof *p);
  if (!p) {
    snprintf(message, MODEL_MESSAGE_SIZE, "ball: out of memory");
    return -1;
  }
  *p = (ball){.outward = below ? -1.0 : 1.0,
              .restitution = m->value[RESTITUTION],
              .gravity = m->value[GRAVITY],
              .rests_below = m->value[COMPLETE] > 0.0 && !below ? 1e-8 : 0.0};
  m->data = p;
  m->system = (ess_system){.dimension = N,
                           .event_count = 1,
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

const model_type ball_type = {
    .name = "ball",
    .summary = "a ball bouncing off a floor or a ceiling, or a bag of beans stopping there",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = N,
    .state_names = state_names,
    .time_step = 0.002,
    .prepare = prepare,
    .release = release,
    .initial_state = initial_state,
    .random_state = random_state,
    .reference = reference,
    .changes_field = changes_field,
};

/*
 * A point mass that falls on a spring standing on the ground, with its exact solution: parabolas
 * in flight, sinusoids in stance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hopper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { Z, V, N };
enum { MASS, STIFFNESS, FREE_LENGTH, GRAVITY, HEIGHT, DURATION, PARAMETER_COUNT };

static const double pi = 3.14159265358979323846;

static const model_parameter parameters[PARAMETER_COUNT] = {
    [MASS] = {"mass", 1, 1e-3, 1e6, false, NULL, "mass, kg"},
    [STIFFNESS] = {"stiffness", 800, 1e-3, 1e9, false, NULL, "spring stiffness, N/m"},
    [FREE_LENGTH] = {"free-length", 1, 0, 100, false, NULL, "free length of the spring, m"},
    [GRAVITY] = {"gravity", 9.81, 1e-3, 1000, false, NULL, "gravity, m/s^2"},
    [HEIGHT] = {"height", 2, -100, 100, false, NULL, "initial height, m"},
    [DURATION] = {"duration", 2, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[N] = {"z", "vz"};

const hopper_parameters *hopper_get(const model *m) {
  return m->data;
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  const hopper_parameters *p = params;
  const double touches = 0.5 + 0.5 * sign[0]; // 1 or 0, and affine between them
  const double spring = touches * p->stiffness * (p->free_length - x[Z]) / p->mass;
  dxdt[Z] = x[V];
  dxdt[V] = spring - p->gravity;
  return 0;
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  (void)t, (void)x;
  const hopper_parameters *p = params;
  const double touches = 0.5 + 0.5 * sign[0];
  J[Z * N + Z] = J[V * N + V] = 0;
  J[Z * N + V] = 1;
  J[V * N + Z] = -touches * p->stiffness / p->mass;
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t;
  const hopper_parameters *p = params;
  h[0] = p->free_length - x[Z];
  return 0;
}

static int event_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x, (void)params;
  Dh[Z] = -1;
  Dh[V] = 0;
  return 0;
}

static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  (void)vt, (void)which, (void)count;
  rate[0] = -v[Z];
  return event_functions(t, x, h, params);
}

/* A stretch of the exact trajectory in one mode, from its start at time t. */
typedef struct piece {
  bool stance;
  double t, z, v;
} piece;

/* Angular frequency of the stance, and how far its equilibrium lies below the free length. */
static double frequency(const hopper_parameters *p) {
  return sqrt(p->stiffness / p->mass);
}

static double sag(const hopper_parameters *p) {
  return p->mass * p->gravity / p->stiffness;
}

static void state_at(const hopper_parameters *p, const piece *s, double tau, double x[N]) {
  if (s->stance) {
    // about the start, so that tau = 0 gives it to the last bit
    const double w = frequency(p), half = sin(0.5 * w * tau);
    const double a = s->z - p->free_length + sag(p), b = s->v / w;
    x[Z] = s->z + b * sin(w * tau) - 2 * a * half * half;
    x[V] = s->v * cos(w * tau) - w * a * sin(w * tau);
  } else {
    x[Z] = s->z + tau * (s->v - 0.5 * p->gravity * tau);
    x[V] = s->v - p->gravity * tau;
  }
}

static piece first_piece(const hopper_parameters *p, const double x0[]) {
  const bool on_the_way_up = x0[Z] == p->free_length && x0[V] > 0;
  return (piece){.stance = x0[Z] <= p->free_length && !on_the_way_up, .z = x0[Z], .v = x0[V]};
}

/* Touch-down after a flight, with the speed that energy gives. */
static piece touch_down(const hopper_parameters *p, const piece *s) {
  const double drop = s->z - p->free_length;
  const double speed = sqrt(fmax(0, s->v * s->v + 2 * p->gravity * drop));

  // the root of the parabola in the form that does not cancel
  const double tau = s->v >= 0 ? (s->v + speed) / p->gravity : 2 * drop / (speed - s->v);
  return (piece){.stance = true, .t = s->t + tau, .z = p->free_length, .v = -speed};
}

/* Lift-off after a stance, at infinite time when the spring never lets go. */
static piece lift_off(const hopper_parameters *p, const piece *s) {
  const double w = frequency(p), y = sag(p);
  const double a = s->z - p->free_length + y, b = s->v / w;
  const double amplitude = hypot(a, b);
  if (amplitude <= y) return (piece){.t = INFINITY};

  // y = amplitude*cos(angle), rising, at the next angle after that of the start, -atan2(b, a);
  // a start that rises has it ahead by less than a turn, however near it is
  double turn = atan2(b, a) - acos(y / amplitude);
  if (turn <= 0) turn = b > 0 ? 0 : turn + 2 * pi;
  const double speed = w * sqrt((amplitude - y) * (amplitude + y));
  return (piece){.stance = false, .t = s->t + turn / w, .z = p->free_length, .v = speed};
}

static piece next_piece(const hopper_parameters *p, const piece *s) {
  return s->stance ? lift_off(p, s) : touch_down(p, s);
}

static int reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]) {
  const hopper_parameters *p = hopper_get(m);
  if (!(isfinite(x0[Z]) && isfinite(x0[V]))) {
    snprintf(message, MODEL_MESSAGE_SIZE, "hopper: the initial state must be finite");
    return -1;
  }
  piece now = first_piece(p, x0), next = next_piece(p, &now);
  out->events = 0;
  for (size_t i = 0; i < out->count; i++) {
    while (next.t <= out->times[i]) {
      now = next;
      next = next_piece(p, &now);
      out->events++;
    }
    state_at(p, &now, out->times[i] - now.t, &out->states[i * N]);
  }
  out->kind = "exact";
  return 0;
}

static void initial_state(const model *m, double x0[]) {
  x0[Z] = m->value[HEIGHT];
  x0[V] = 0;
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)rng;
  initial_state(m, x0);
}

static size_t contact_count(const model *m) {
  (void)m;
  return 1;
}

static void active_contacts(const model *m, const double x[], unsigned char active[]) {
  active[0] = x[Z] <= hopper_get(m)->free_length;
}

static void mechanics(const model *m, model_mechanics *out) {
  const hopper_parameters *p = hopper_get(m);
  *out = (model_mechanics){.coordinates = 1,
                           .contacts = 1,
                           .inverse_mass = {1 / p->mass},
                           .free_acceleration = {-p->gravity},
                           .stiffness = p->stiffness};
}

static void penetrations(const model *m, const double x[], double p[], double gradient[]) {
  p[0] = hopper_get(m)->free_length - x[Z];
  gradient[0] = -1;
}

static int contact_force(const model *m, const double x[], double force[]) {
  const hopper_parameters *p = hopper_get(m);
  force[0] = x[Z] < p->free_length ? p->stiffness * (p->free_length - x[Z]) : 0.0;
  return 0;
}

static bool changes_field(const model *m, size_t guard, const double sign[]) {
  (void)m, (void)guard, (void)sign;
  return true;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  hopper_parameters *p = malloc(sizeof *p);
  if (!p) {
    snprintf(message, MODEL_MESSAGE_SIZE, "hopper: out of memory");
    return -1;
  }
  *p = (hopper_parameters){.mass = m->value[MASS],
                           .stiffness = m->value[STIFFNESS],
                           .free_length = m->value[FREE_LENGTH],
                           .gravity = m->value[GRAVITY],
                           .height = m->value[HEIGHT]};
  m->data = p;
  m->system = (ess_system){.dimension = N,
                           .event_count = 1,
                           .field = field,
                           .field_jacobian = field_jacobian,
                           .affine_in_signs = true,
                           .event_functions = event_functions,
                           .event_jacobian = event_jacobian,
                           .event_rates = event_rates,
                           .params = p};
  return 0;
}

static void release(model *m) {
  free(m->data);
}

const model_type hopper_type = {
    .name = "hopper",
    .summary = "a mass hopping on a spring: the calibration model (section 5.1)",
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
    .contact_count = contact_count,
    .active_contacts = active_contacts,
    .mechanics = mechanics,
    .penetrations = penetrations,
    .contact_force = contact_force,
    .changes_field = changes_field,
};

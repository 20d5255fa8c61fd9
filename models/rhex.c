/*
 * A body that leaps from lying on the ground by two pairs of massless legs, in RHex's manner
 * (Figures 1, 3 to 5 and 10). Masses, lengths and motors are this model's own; the paper gives the
 * friction and when the legs are started, and what happens is to be compared in kind.
 *
 * A leg swings down in the air, pushes while it touches, and when it has lifted off turns on to
 * where it is out of the way. Of the ledge, the body meets the edge, and its ends meet the top.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_model.h"
#include "contact_models.h"

enum { X, Z, PHI, FRONT, REAR, CLOCK, COORDINATES }; /* legs relative to the body, 0 is downward */
enum {
  FRONT_FOOT,
  FRONT_ALONG,
  REAR_FOOT,
  REAR_ALONG,
  NOSE,
  TAIL,
  EDGE,
  NOSE_ON_LEDGE,
  TAIL_ON_LEDGE,
  CONSTRAINTS
};
enum {
  SCENARIO,
  MASS,
  INERTIA,
  LEG,
  TORQUE,
  NO_LOAD,
  LIFT,
  LEDGE,
  LEDGE_AT,
  DELTA_T,
  COMPLETE,
  DURATION,
  PARAMETER_COUNT
};
enum { LEGS = 2, VERTICAL = 1 };

static const char *const scenarios[] = {"forward", "vertical", "ledge", NULL};

static const model_parameter parameters[PARAMETER_COUNT] = {
    [SCENARIO] = {"scenario", 0, 0, 2, false, scenarios,
                  "manoeuvre, which sets when the legs start"},
    [MASS] = {"mass", 6, 1e-3, 1e3, false, NULL, "mass of the body, kg"},
    [INERTIA] = {"inertia", 0.12, 1e-6, 1e3, false, NULL, "moment of inertia of the body, kg m^2"},
    [LEG] = {"leg", 0.15, 0.1, 0.3, false, NULL, "length of a leg, m"},
    [TORQUE] = {"torque", 8, 0, 1e3, false, NULL, "stall torque of a pair of legs, N m"},
    [NO_LOAD] = {"no-load-speed", 30, 1, 1e3, false, NULL, "no-load speed of a leg, rad/s"},
    [LIFT] = {"lift", 0.05, 1e-3, 10, false, NULL,
              "speed at which a foot lifts off when an impact releases it, m/s"},
    [LEDGE] = {"ledge", 0.1, 0, 10, false, NULL,
               "height of the ledge, m; 0, or scenario vertical: no ledge"},
    [LEDGE_AT] = {"ledge-at", 0.3, 0.26, 10, false, NULL,
                  "initial distance of the ledge from the body's centre, m"},
    [DELTA_T] = CONTACT_DELTA_T,
    [COMPLETE] = CONTACT_COMPLETE,
    [DURATION] = CONTACT_DURATION(1),
};

static const char *const state_names[] = {"x",  "z",  "phi",   "front",  "rear",  "clock",
                                          "vx", "vz", "omega", "vfront", "vrear", "one"};
static const char *const names[CONSTRAINTS] = {"front",       "front sticks",  "rear",
                                               "rear sticks", "nose",          "tail",
                                               "edge",        "nose on ledge", "tail on ledge"};
static const size_t limbs[COORDINATES] = {MECHANISM_BODY, MECHANISM_BODY, MECHANISM_BODY,
                                          FRONT_FOOT,     REAR_FOOT,      MECHANISM_ALONE};
static const size_t foot_of[LEGS] = {FRONT_FOOT, REAR_FOOT}, leg_of[LEGS] = {FRONT, REAR};

/* of the hips, and of the body's ends, m */
static const double hips[LEGS] = {0.1, -0.23}, half_length = 0.25, half_thickness = 0.06;

/* how far corners are rounded off, which keeps gaps analytic (A3), m */
static const double rounding = 0.01;

/* where legs start, and where they end, rad; how soon a motor is on, s; a free leg's own spring and
 * damper, 1/s^2 and 1/s */
static const double raised = 1.6, out_of_the_way = 2.8, switching = 1e-3, spring = 900, damper = 60;

typedef struct rhex {
  contact_model base;
  mechanism_constraint constraint[CONSTRAINTS];
  double mass, inertia, leg, torque, no_load, ledge, ledge_at;
  double turns[LEGS]; /* -1: the foot is swept backward, 1: forward */
  double starts[LEGS];
} rhex;

static void inertia(const double q[], double M[], void *params) {
  (void)q;
  const rhex *const p = params;
  memset(M, 0, COORDINATES * COORDINATES * sizeof *M);
  M[X * COORDINATES + X] = M[Z * COORDINATES + Z] = p->mass;
  M[PHI * COORDINATES + PHI] = p->inertia;
}

static void potential(const double q[], double N[], void *params) {
  (void)q;
  const rhex *const p = params;
  memset(N, 0, COORDINATES * sizeof *N);
  N[Z] = p->mass * contact_gravity;
}

/* from 0 to 1 when the leg is started */
static double is_on(const rhex *p, size_t leg, double clock) {
  return 0.5 * (1 + tanh((clock - p->starts[leg]) / switching));
}

/* a motor at fixed voltage */
static void motors(const double q[], const double v[], contact_mode mode, double force[],
                   void *params) {
  (void)mode; // a free leg is no part of the mechanics, and its motor acts on nothing else
  const rhex *const p = params;
  for (size_t i = 0; i < LEGS; i++) {
    const double speed = p->turns[i] * v[leg_of[i]];
    force[leg_of[i]] = p->turns[i] * p->torque * is_on(p, i, q[CLOCK]) * (1 - speed / p->no_load);
  }
}

static void free_legs(const double q[], const double v[], double acceleration[], void *params) {
  const rhex *const p = params;
  for (size_t i = 0; i < LEGS; i++) {
    const size_t leg = leg_of[i];
    const double to = p->turns[i] * out_of_the_way;
    acceleration[leg] = is_on(p, i, q[CLOCK]) * spring * (to - q[leg]) - damper * v[leg];
  }
}

/* The larger of two distances and its gradient in X, Z and PHI, rounded off where they are alike:
 * the distance from a convex corner. */
typedef struct distance {
  double value, x, z, phi;
} distance;

static distance larger(distance a, distance b) {
  const double apart = a.value - b.value, root = hypot(apart, rounding);
  const double share = 0.5 * (1 + apart / root);
  return (distance){.value = 0.5 * (a.value + b.value + root),
                    .x = share * a.x + (1 - share) * b.x,
                    .z = share * a.z + (1 - share) * b.z,
                    .phi = share * a.phi + (1 - share) * b.phi};
}

/* of the ledge's edge from the body: under it, ahead of its nose, or behind its tail */
static distance edge_from_body(const rhex *p, const double q[]) {
  const double c = cos(q[PHI]), s = sin(q[PHI]), x = p->ledge_at - q[X], z = p->ledge - q[Z];
  const double ahead = x * c + z * s, above = z * c - x * s;
  const distance under = {-half_thickness - above, -s, c, ahead},
                 before = {ahead - half_length, -c, -s, above},
                 behind = {-half_length - ahead, c, s, -above};
  return larger(under, larger(before, behind));
}

/* of an end's lower corner from the ledge: over its top, or before its face */
static distance end_from_ledge(const rhex *p, const double q[], double ahead) {
  const double x = ahead * cos(q[PHI]) + half_thickness * sin(q[PHI]),
               z = ahead * sin(q[PHI]) - half_thickness * cos(q[PHI]);
  const distance over = {q[Z] + z - p->ledge, 0, 1, x}, before = {p->ledge_at - q[X] - x, -1, 0, z};
  return larger(over, before);
}

static distance body_distance(const rhex *p, const double q[], size_t k) {
  const double ahead = k == NOSE || k == NOSE_ON_LEDGE ? half_length : -half_length;
  if (k == EDGE) return edge_from_body(p, q);
  if (k > EDGE) return end_from_ledge(p, q, ahead);
  return (distance){.value = q[Z] + ahead * sin(q[PHI]) - half_thickness * cos(q[PHI]),
                    .z = 1,
                    .phi = ahead * cos(q[PHI]) + half_thickness * sin(q[PHI])};
}

static void gaps(const double q[], double a[], void *params) {
  const rhex *const p = params;
  for (size_t i = 0; i < LEGS; i++)
    a[foot_of[i]] = q[Z] + hips[i] * sin(q[PHI]) - p->leg * cos(q[PHI] + q[leg_of[i]]);
  for (size_t k = NOSE; k < p->base.m.constraints; k++) a[k] = body_distance(p, q, k).value;
}

static void rows(const double q[], double A[], void *params) {
  const rhex *const p = params;
  memset(A, 0, p->base.m.constraints * COORDINATES * sizeof *A);
  for (size_t i = 0; i < LEGS; i++) {
    double *const normal = A + foot_of[i] * COORDINATES, *const along = normal + COORDINATES;
    const double angle = q[PHI] + q[leg_of[i]];
    normal[Z] = 1;
    normal[leg_of[i]] = p->leg * sin(angle);
    normal[PHI] = hips[i] * cos(q[PHI]) + normal[leg_of[i]];
    along[X] = 1;
    along[leg_of[i]] = p->leg * cos(angle);
    along[PHI] = -hips[i] * sin(q[PHI]) + along[leg_of[i]];
  }
  for (size_t k = NOSE; k < p->base.m.constraints; k++) {
    const distance d = body_distance(p, q, k);
    A[k * COORDINATES + X] = d.x;
    A[k * COORDINATES + Z] = d.z;
    A[k * COORDINATES + PHI] = d.phi;
  }
}

/* friction of the feet, by how much the front legs are started before the rear ones, and which way
 * the rear feet are swept */
static const struct {
  double front, rear, before, rear_turns;
} captions[] = {{1.8, 2.5, 0.01, -1}, {0.8, 0.8, -0.06, 1}, {0.8, 0.8, 0.06, -1}};

static void describe(rhex *p, const model *m) {
  const int scenario = (int)m->value[SCENARIO];
  const double first = 0.005, before = captions[scenario].before;
  p->mass = m->value[MASS];
  p->inertia = m->value[INERTIA];
  p->leg = m->value[LEG];
  p->torque = m->value[TORQUE];
  p->no_load = m->value[NO_LOAD];
  p->ledge = scenario == VERTICAL ? 0 : m->value[LEDGE];
  p->ledge_at = m->value[LEDGE_AT];
  p->starts[0] = first + fmax(0, -before);
  p->starts[1] = first + fmax(0, before);
  p->turns[0] = -1;
  p->turns[1] = captions[scenario].rear_turns;
  for (size_t k = 0; k < CONSTRAINTS; k++) p->constraint[k].normal = k;
  p->constraint[FRONT_ALONG] =
      (mechanism_constraint){.normal = FRONT_FOOT, .friction = captions[scenario].front};
  p->constraint[REAR_ALONG] =
      (mechanism_constraint){.normal = REAR_FOOT, .friction = captions[scenario].rear};
}

/* Legs that do not lift the body carry nothing: a foot lands, is let go, and lands again as soon as
 * its spring has brought it back. They lift it from where they reach the ground at the start. */
static int legs_are_weak(const model *m, char message[MODEL_MESSAGE_SIZE]) {
  const double leg = m->value[LEG], ahead = sqrt(leg * leg - half_thickness * half_thickness);
  // the feet also push against each other: a twentieth more
  const double least = 1.05 * m->value[MASS] * contact_gravity * ahead / LEGS;
  if (m->value[TORQUE] > least) return 0;
  snprintf(message, MODEL_MESSAGE_SIZE,
           "torque: %.9g is not accepted; above %.9g N m the legs lift this body", m->value[TORQUE],
           least);
  return MODEL_REFUSED;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  if (legs_are_weak(m, message)) return MODEL_REFUSED;
  rhex *const p = calloc(1, sizeof *p);
  if (!p) return contact_model_prepare(m, NULL, 0, message);
  describe(p, m);
  p->base.names = names;
  p->base.completes = m->value[COMPLETE] > 0;
  p->base.m = (mechanism){.coordinates = COORDINATES,
                          .constraints = p->ledge > 0 ? CONSTRAINTS : EDGE,
                          .constraint = p->constraint,
                          .limb = limbs,
                          .inertia = inertia,
                          .potential = potential,
                          .applied = motors,
                          .gaps = gaps,
                          .rows = rows,
                          .free_limbs = free_legs,
                          .lift = m->value[LIFT],
                          .time_scale = 1e-3,
                          .params = p};
  p->base.start[Z] = half_thickness;
  for (size_t i = 0; i < LEGS; i++) p->base.start[leg_of[i]] = -p->turns[i] * raised;
  p->base.start[COORDINATES + CLOCK] = 1;
  return contact_model_prepare(m, &p->base, m->value[DELTA_T], message);
}

const model_type rhex_type = {
    .name = "rhex",
    .summary = "a body that leaps with massless legs (contact modes, Figures 1 to 5 and 10)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = 2 * COORDINATES,
    .state_names = state_names,
    .prepare = prepare,
    CONTACT_MODEL_MEMBERS,
};

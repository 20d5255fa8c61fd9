/*
 * A point that slides along the ground onto a hill (Figure 7).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "contact_model.h"
#include "contact_models.h"

enum { X, Z, COORDINATES };
enum { GROUND, HILL, CONSTRAINTS };
enum { SLOPE, SPEED, DISTANCE, MASS, DELTA_T, DURATION, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    [SLOPE] = {"slope", 30, 1, 89, false, NULL, "slope of the hill, degrees"},
    [SPEED] = {"speed", 1, 0, 1e3, false, NULL, "initial speed along the ground, m/s"},
    [DISTANCE] = {"distance", 0.1235, 0, 100, false, NULL, "initial distance to the hill, m"},
    [MASS] = {"mass", 1, 1e-6, 1e6, false, NULL, "mass, kg"},
    [DELTA_T] = CONTACT_DELTA_T,
    [DURATION] = CONTACT_DURATION(1),
};

static const char *const state_names[] = {"x", "z", "vx", "vz"};
static const char *const names[CONSTRAINTS] = {"G", "H"};
static const mechanism_constraint constraints[CONSTRAINTS] = {{.normal = GROUND}, {.normal = HILL}};

typedef struct hill {
  contact_model base;
  double mass, sine, cosine;
} hill;

static void inertia(const double q[], double M[], void *params) {
  (void)q;
  const hill *const p = params;
  M[0] = M[3] = p->mass;
  M[1] = M[2] = 0;
}

static void potential(const double q[], double N[], void *params) {
  (void)q;
  const hill *const p = params;
  N[X] = 0;
  N[Z] = p->mass * contact_gravity;
}

static void gaps(const double q[], double a[], void *params) {
  const hill *const p = params;
  a[GROUND] = q[Z];
  a[HILL] = p->cosine * q[Z] - p->sine * q[X];
}

static void rows(const double q[], double A[], void *params) {
  (void)q;
  const hill *const p = params;
  A[GROUND * COORDINATES + X] = 0;
  A[GROUND * COORDINATES + Z] = 1;
  A[HILL * COORDINATES + X] = -p->sine;
  A[HILL * COORDINATES + Z] = p->cosine;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  static const double degree = 3.14159265358979323846 / 180;
  hill *const p = calloc(1, sizeof *p);
  if (!p) return contact_model_prepare(m, NULL, 0, message);
  p->mass = m->value[MASS];
  p->sine = sin(degree * m->value[SLOPE]);
  p->cosine = cos(degree * m->value[SLOPE]);
  p->base.names = names;
  p->base.m = (mechanism){.coordinates = COORDINATES,
                          .constraints = CONSTRAINTS,
                          .constraint = constraints,
                          .inertia = inertia,
                          .potential = potential,
                          .gaps = gaps,
                          .rows = rows,
                          .params = p};
  p->base.start[X] = -m->value[DISTANCE];
  p->base.start[COORDINATES + X] = m->value[SPEED];
  return contact_model_prepare(m, &p->base, m->value[DELTA_T], message);
}

const model_type hill_type = {
    .name = "hill",
    .summary = "a point sliding onto a hill (contact modes, Figure 7)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = 2 * COORDINATES,
    .state_names = state_names,
    .prepare = prepare,
    CONTACT_MODEL_MEMBERS,
};

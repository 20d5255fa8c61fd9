/*
 * A particle that nothing pulls, on one of the four curves of Figure 2.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "contact_model.h"
#include "contact_models.h"

enum { X, Y, COORDINATES };
enum { CURVE, SPEED, START_X, DELTA_T, DURATION, PARAMETER_COUNT };

static const char *const curves[] = {"a", "b", "c", "d", NULL};

static const model_parameter parameters[PARAMETER_COUNT] = {
    [CURVE] = {"curve", 0, 0, 3, false, curves,
               "constraint >= 0: x^2 + 4y, -x^2 + 4y, x^3 + 8y or -x^3 + 8y"},
    [SPEED] = {"speed", 1, 1e-3, 1e3, false, NULL,
               "initial speed along the curve, to the right, m/s"},
    [START_X] = {"start-x", 0, -10, 10, false, NULL, "initial x on the curve, m"},
    [DELTA_T] = CONTACT_DELTA_T,
    [DURATION] = CONTACT_DURATION(1),
};

static const char *const state_names[] = {"x", "y", "vx", "vy"};
static const char *const names[] = {"curve"};
static const mechanism_constraint constraints[] = {{.normal = 0}};

/* a = sign x^power + height y */
typedef struct particle {
  contact_model base;
  double sign, height;
  int power;
} particle;

static void inertia(const double q[], double M[], void *params) {
  (void)q, (void)params;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void gaps(const double q[], double a[], void *params) {
  const particle *const p = params;
  a[0] = p->sign * pow(q[X], p->power) + p->height * q[Y];
}

static void rows(const double q[], double A[], void *params) {
  const particle *const p = params;
  A[X] = p->sign * p->power * pow(q[X], p->power - 1);
  A[Y] = p->height;
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  particle *const p = calloc(1, sizeof *p);
  if (!p) return contact_model_prepare(m, NULL, 0, message);
  const int curve = (int)m->value[CURVE];
  const double x = m->value[START_X], speed = m->value[SPEED];
  p->power = curve < 2 ? 2 : 3;
  p->height = curve < 2 ? 4 : 8;
  p->sign = curve % 2 ? -1 : 1;
  p->base.names = names;
  p->base.m = (mechanism){.coordinates = COORDINATES,
                          .constraints = 1,
                          .constraint = constraints,
                          .inertia = inertia,
                          .gaps = gaps,
                          .rows = rows,
                          .params = p};
  const double slope = -p->sign * p->power * pow(x, p->power - 1) / p->height;
  double *const start = p->base.start;
  start[X] = x;
  start[Y] = -p->sign * pow(x, p->power) / p->height;
  start[COORDINATES + X] = speed / sqrt(1 + slope * slope);
  start[COORDINATES + Y] = slope * start[COORDINATES + X];
  return contact_model_prepare(m, &p->base, m->value[DELTA_T], message);
}

const model_type particle_type = {
    .name = "particle-on-curve",
    .summary = "a free particle on a curve that it may leave (contact modes, Figure 2)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = 2 * COORDINATES,
    .state_names = state_names,
    .prepare = prepare,
    CONTACT_MODEL_MEMBERS,
};

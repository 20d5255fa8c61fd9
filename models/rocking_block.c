/*
 * A block that rocks from corner to corner (Figures 8 and 9). Its corners slide, or stick whatever
 * the force.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "contact_model.h"
#include "contact_models.h"

enum { X, Z, PHI, COORDINATES };
enum { LEFT, RIGHT, LEFT_ALONG, RIGHT_ALONG, CONSTRAINTS };
enum { WIDTH, HEIGHT, MASS, FRICTION, TILT, DELTA_T, COMPLETE, DURATION, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    BLOCK_PARAMETERS,
    [DELTA_T] = CONTACT_DELTA_T,
    [COMPLETE] = CONTACT_COMPLETE,
    [DURATION] = CONTACT_DURATION(0.6),
};

static const char *const state_names[] = {"x", "z", "phi", "vx", "vz", "omega"};
static const char *const names[CONSTRAINTS] = {"left", "right", "left along", "right along"};

static const mechanism_constraint constraints[CONSTRAINTS] = {
    [LEFT] = {.normal = LEFT},
    [RIGHT] = {.normal = RIGHT},
    [LEFT_ALONG] = {.normal = LEFT, .friction = MECHANISM_STICKS, .body = 1},
    [RIGHT_ALONG] = {.normal = RIGHT, .friction = MECHANISM_STICKS, .body = 1},
};

typedef struct block {
  contact_model base;
  double width, height, mass, inertia;
} block;

static void inertia(const double q[], double M[], void *params) {
  (void)q;
  const block *const p = params;
  memset(M, 0, COORDINATES * COORDINATES * sizeof *M);
  M[X * COORDINATES + X] = M[Z * COORDINATES + Z] = p->mass;
  M[PHI * COORDINATES + PHI] = p->inertia;
}

static void potential(const double q[], double N[], void *params) {
  (void)q;
  const block *const p = params;
  N[X] = N[PHI] = 0;
  N[Z] = p->mass * contact_gravity;
}

/* a corner, from the centre */
static void corner(const block *p, size_t k, double phi, double from[2]) {
  const double across = (k == LEFT ? -0.5 : 0.5) * p->width, down = -0.5 * p->height;
  from[0] = across * cos(phi) - down * sin(phi);
  from[1] = across * sin(phi) + down * cos(phi);
}

static void gaps(const double q[], double a[], void *params) {
  for (size_t k = LEFT; k <= RIGHT; k++) {
    double from[2];
    corner(params, k, q[PHI], from);
    a[k] = q[Z] + from[1];
  }
}

static void rows(const double q[], double A[], void *params) {
  const block *const p = params;
  memset(A, 0, p->base.m.constraints * COORDINATES * sizeof *A);
  for (size_t k = LEFT; k <= RIGHT; k++) {
    double from[2];
    corner(p, k, q[PHI], from);
    A[k * COORDINATES + Z] = 1;
    A[k * COORDINATES + PHI] = from[0];
    const size_t along = k + LEFT_ALONG;
    if (along >= p->base.m.constraints) continue;
    A[along * COORDINATES + X] = 1;
    A[along * COORDINATES + PHI] = -from[1];
  }
}

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  if (block_falls_over(m->value[WIDTH], m->value[HEIGHT], m->value[TILT], message))
    return MODEL_REFUSED;
  block *const p = calloc(1, sizeof *p);
  if (!p) return contact_model_prepare(m, NULL, 0, message);
  p->width = m->value[WIDTH];
  p->height = m->value[HEIGHT];
  p->mass = m->value[MASS];
  p->inertia = p->mass * (p->width * p->width + p->height * p->height) / 12;
  p->base.names = names;
  p->base.completes = m->value[COMPLETE] > 0;
  p->base.m =
      (mechanism){.coordinates = COORDINATES,
                  .constraints = m->value[FRICTION] == BLOCK_STICKS ? CONSTRAINTS : LEFT_ALONG,
                  .constraint = constraints,
                  .inertia = inertia,
                  .potential = potential,
                  .gaps = gaps,
                  .rows = rows,
                  .params = p};
  double from[2];
  corner(p, m->value[TILT] < 0 ? RIGHT : LEFT, m->value[TILT], from);
  p->base.start[Z] = -from[1];
  p->base.start[PHI] = m->value[TILT];
  return contact_model_prepare(m, &p->base, m->value[DELTA_T], message);
}

const model_type rocking_block_type = {
    .name = "rocking-block",
    .summary = "a block that rocks from corner to corner (contact modes, Figure 8)",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .dimension = 2 * COORDINATES,
    .state_names = state_names,
    .prepare = prepare,
    CONTACT_MODEL_MEMBERS,
};

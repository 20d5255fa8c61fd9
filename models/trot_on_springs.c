/*
 * The body that falls onto two rigid limbs (trot_rigid.c), with springs and dampers between feet
 * and ground.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "corner_springs.h"
#include "trot.h"

enum {
  TILT,
  HEIGHT,
  SPEED,
  MASS,
  INERTIA,
  HALF_LENGTH,
  LEG,
  STIFFNESS,
  RATIO,
  GRAVITY,
  DURATION,
  PARAMETER_COUNT
};

static const model_parameter parameters[PARAMETER_COUNT] = {
    TROT_PARAMETERS,
    [STIFFNESS] = {"stiffness", 1e6, 1, 1e12, false, NULL,
                   "stiffness of the ground below a foot, N/m"},
    [RATIO] = {"damping-ratio", 2, 0, 1000, false, NULL,
               "damping ratio of the ground, c/(2 sqrt(k m)), with the mass m of the body"},
};

static const char *const state_names[] = {"x",  "z",     "theta",       "vx",
                                          "vz", "omega", "anchor-rear", "anchor-front"};

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const double d = m->value[HALF_LENGTH], k = m->value[STIFFNESS], mass = m->value[MASS];
  const corner_springs p = {.mass = mass,
                            .inertia = m->value[INERTIA],
                            .gravity = m->value[GRAVITY],
                            .ground = m->value[LEG],
                            .corner = {{-d, 0.0}, {d, 0.0}},
                            .stiffness = k,
                            .damping = corner_springs_damping(k, mass, m->value[RATIO])};
  return corner_springs_prepare(m, &p, message);
}

static void initial_state(const model *m, double x0[]) {
  memset(x0, 0, CORNERS_STATES * sizeof *x0);
  x0[CORNERS_Z] = m->value[HEIGHT];
  x0[CORNERS_PHI] = m->value[TILT];
  x0[CORNERS_VZ] = -m->value[SPEED];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  initial_state(m, x0);
  x0[CORNERS_PHI] += 0.2 * (gsl_rng_uniform(rng) - 0.5);
}

const model_type trot_on_springs_type = {
    .name = "trot-on-springs",
    .summary = "a body landing on two rigid limbs, with springs and dampers for the ground",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .state_names = state_names,
    .prepare = prepare,
    .initial_state = initial_state,
    .random_state = random_state,
    CORNER_SPRINGS_MEMBERS,
};

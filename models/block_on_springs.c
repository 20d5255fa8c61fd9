/*
 * The block that rocks from corner to corner (rocking_block.c), with springs and dampers for rigid
 * contacts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "block.h"
#include "corner_springs.h"

enum { WIDTH, HEIGHT, MASS, FRICTION, TILT, STIFFNESS, RATIO, DURATION, PARAMETER_COUNT };

static const model_parameter parameters[PARAMETER_COUNT] = {
    BLOCK_PARAMETERS,
    [STIFFNESS] = {"stiffness", 1e6, 1, 1e12, false, NULL,
                   "stiffness of the springs at a corner, N/m"},
    [RATIO] = {"damping-ratio", 2, 0, 1000, false, NULL,
               "damping ratio at a corner, c/(2 sqrt(k m)), with the mass m of the block"},
    [DURATION] = {"duration", 0.6, 1e-3, 1000, false, NULL, "duration of the run, s"},
};

static const char *const state_names[] = {"x",  "z",     "phi",         "vx",
                                          "vz", "omega", "anchor-left", "anchor-right"};

static int prepare(model *m, char message[MODEL_MESSAGE_SIZE]) {
  const double w = m->value[WIDTH], h = m->value[HEIGHT], mass = m->value[MASS];
  const double k = m->value[STIFFNESS];
  if (block_falls_over(w, h, m->value[TILT], message)) return MODEL_REFUSED;
  const corner_springs p = {.mass = mass,
                            .inertia = mass * (w * w + h * h) / 12,
                            .gravity = 9.81,
                            .corner = {{-0.5 * w, -0.5 * h}, {0.5 * w, -0.5 * h}},
                            .stiffness = k,
                            .damping = corner_springs_damping(k, mass, m->value[RATIO]),
                            .sticks = m->value[FRICTION] == BLOCK_STICKS};
  return corner_springs_prepare(m, &p, message);
}

/* The corner that it rests on is pressed as far as it takes to carry the block as it begins to
 * turn: a spring that is not would throw it. */
static void initial_state(const model *m, double x0[]) {
  const corner_springs *const p = m->data;
  const int on = m->value[TILT] < 0 ? 1 : 0;
  double r[2];
  corner_springs_from(p, on, m->value[TILT], r);
  const double across = p->sticks ? r[1] : 0.0;
  const double reach = p->inertia / p->mass + r[0] * r[0] + across * across;
  const double turn = p->gravity * r[0] / reach;
  memset(x0, 0, CORNERS_STATES * sizeof *x0);
  x0[CORNERS_ANCHOR + on] = r[0];
  x0[CORNERS_X] = -p->mass * turn * across / p->stiffness;
  x0[CORNERS_Z] = -r[1] - p->mass * (p->gravity - turn * r[0]) / p->stiffness;
  x0[CORNERS_PHI] = m->value[TILT];
}

static void random_state(const model *m, gsl_rng *rng, double x0[]) {
  (void)rng;
  initial_state(m, x0);
}

const model_type block_on_springs_type = {
    .name = "block-on-springs",
    .summary = "the rocking block with springs and dampers for contacts",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .state_names = state_names,
    .prepare = prepare,
    .initial_state = initial_state,
    .random_state = random_state,
    CORNER_SPRINGS_MEMBERS,
};

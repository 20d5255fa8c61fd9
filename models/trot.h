/*
 * Public interface of the trotting body beyond model.h: the parameters that decide whether its
 * outcomes are continuous, and differentiable, in the initial condition.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_TROT_H
#define MODEL_TROT_H

#include "model.h"

enum { TROT_RIGID, TROT_SOFT };
enum { TROT_Z, TROT_THETA, TROT_VZ, TROT_OMEGA, TROT_REAR = 4, TROT_FRONT };

/* How far limbs are decoupled (Pace & Burden 2017) at a state with both feet on the ground. */
typedef struct trot_decoupling {
  double orthogonality; /* Da_rear M^-1 Da_front', over the lengths of both: 0 makes outcomes
                           continuous, condition (6) */
  bool block_diagonal;  /* Assumption 3, 1: limbs have coordinates and masses of their own */
  double foreign;    /* Assumption 3, 2: largest change of a limb's own force with the state of the
                        other one, over the largest with its own; NaN where limbs have no states */
  double additivity; /* Assumption 3, 3: largest mixed second difference of the forces on the body
                        between the states of two limbs, over the largest of one limb alone; NaN
                        where limbs have no states */
} trot_decoupling;

trot_decoupling trot_decoupling_at(const model *m, const double x[]);

/* Options that say which body it is, by the names of a model's own parameters. */
#define TROT_PARAMETERS                                                                            \
  [TILT] = {"tilt", 0, -1.2, 1.2, false, NULL, "initial rotation, rad"},                           \
  [HEIGHT] = {"height", 1.5, 0, 100, false, NULL, "initial height of the body, m"},                \
  [SPEED] = {"speed", 1, 0, 100, false, NULL, "initial downward speed, m/s"},                      \
  [MASS] = {"mass", 1, 1e-3, 1e6, false, NULL, "mass of the body, kg"},                            \
  [INERTIA] = {"inertia", 2, 1e-3, 1e6, false, NULL, "moment of inertia of the body, kg m^2"},     \
  [HALF_LENGTH] =                                                                                  \
      {"half-length", 1, 1e-3, 100, false, NULL, "distance from the centre to a leg, m"},          \
  [LEG] = {"free-length", 1, 0, 100, false, NULL, "rest length of a leg, m"},                      \
  [GRAVITY] = {"gravity", 9.81, 0, 1000, false, NULL, "gravity, m/s^2"},                           \
  [DURATION] = {"duration", 0.3, 1e-3, 100, false, NULL, "duration of the run, s"}

extern const model_type trot_type;

#endif

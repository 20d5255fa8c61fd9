/*
 * What a robot's callbacks cost, and where in MuJoCo the time goes, beside a step of MuJoCo's own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_COST_H
#define ROBOT_COST_H

#include "robot.h"

/* Seconds a call, the mean over all states; of a few states at a time the least of all rounds. */
typedef struct robot_cost {
  double field;      /* of which: */
  double kinematics; /* poses of bodies, lengths of tendons; event functions find them done */
  double inertia;    /* its factors, and transmissions */
  double rows;       /* of contacts and limits that act */
  double forces;     /* velocities, actuators, and the solver's search for the rows' forces */
  double guards;     /* at a state not seen before */
  double rates;      /* of event functions, after the field at that state */
  double step;       /* mj_step, Euler, of the model as it was compiled */
  double acting;     /* contacts and limits that act, the mean */
} robot_cost;

/* At states[count * dimension], with the signs that they have, `rounds` times over. 0, or -1 as a
 * callback. */
int robot_cost_at(robot *r, const double states[], size_t count, size_t rounds, robot_cost *out);

/* `count` states along MuJoCo's own steps of `dt` from x[dimension], controls as they are set. 0,
 * or -1 as a callback. */
int robot_cost_states(robot *r, const double x[], double dt, size_t count, double states[]);

#endif

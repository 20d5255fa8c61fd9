/*
 * What a robot's actuators are told: nothing, a constant, or rows of a table, each held for one
 * control period; or, by a PD controller, what leads their joints to these positions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_CONTROLS_H
#define ROBOT_CONTROLS_H

#include "robot.h"

typedef struct robot_controls {
  size_t count;  /* of rows, at least 1; the last is held to the end */
  size_t nu;     /* of actuators */
  double period; /* a row is held for so long, s */
  double *value; /* [count * nu]; owned */

  /* Of a PD controller, whose output is kp (value - q) - kd dq/dt of each actuator's joint at the
   * beginning of a period; joint NULL: there is none. */
  double kp, kd;
  size_t (*joint)[2]; /* [nu]: the position and the velocity of each actuator's joint; owned */
} robot_controls;

/*
 * From what the user wrote: NULL, which is those of keyframe 0, or else 0 for all; "0.5", for all;
 * "0.1,-0.2,0.3", one for each actuator; or a csv file whose header has the actuators' names, in
 * any order, or as many columns of other names in the actuators' order. 0, or a solver_status with
 * one line. Free with robot_controls_free.
 */
int robot_controls_read(const robot *r, const char *text, double period, robot_controls *out,
                        char message[ROBOT_MESSAGE_SIZE]);
void robot_controls_free(robot_controls *c);

/*
 * Makes these the positions of a PD controller with the gains "KP,KD": each actuator is to act on a
 * hinge or a slide, by a force or torque. With `own`, instead of what was read, those of the
 * robot's keyframe, or else of qpos0. 0, or a solver_status with one line.
 */
int robot_controls_track(const robot *r, const char *gains, bool own, robot_controls *c,
                         char message[ROBOT_MESSAGE_SIZE]);

/* The row that holds from time t on, and until when: INFINITY for the last. A time that is a tick
 * up to rounding belongs to the row behind it. */
const double *robot_controls_at(const robot_controls *c, double t, double *until);

/* What a run holds: controls that are known until a time. Begin with room for ctrl[nu], and until
 * -INFINITY. */
typedef struct robot_held {
  double *ctrl, until;
} robot_held;

/* The controls from time t on, which are new where t is at `until` or behind it. A PD controller
 * then sees these positions and velocities. */
const double *robot_controls_hold(const robot_controls *c, double t, const double q[],
                                  const double v[], robot_held *held);

#endif

/*
 * What a robot's actuators are told: nothing, a constant, or rows of a table, each held for one
 * control period.
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

/* The row that holds from time t on, and until when: INFINITY for the last. A time that is a tick
 * up to rounding belongs to the row behind it. */
const double *robot_controls_at(const robot_controls *c, double t, double *until);

#endif

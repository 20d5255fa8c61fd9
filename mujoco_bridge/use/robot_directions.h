/*
 * Directions in which a robot's state may move, 2 nv + na numbers: of positions as velocities move
 * them, whether there are quaternions or not, of velocities, and of activations. They are those of
 * MuJoCo's mjd_transitionFD.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_DIRECTIONS_H
#define ROBOT_DIRECTIONS_H

#include "robot.h"

/* How many numbers a direction has. */
size_t robot_directions(const robot *r);

/* The derivative dx[dimension] of the state x as it moves along a direction; and the direction that
 * a derivative is of, whose change of a quaternion's length is none. */
void robot_rate_of_direction(const robot *r, const double x[], const double way[], double dx[]);
void robot_direction_of_rate(const robot *r, const double x[], const double dx[], double way[]);

/* The state that is `by` times the direction away from x; and from x to y in the numbers of a
 * direction. */
void robot_move(const robot *r, const double x[], const double way[], double by, double out[]);
void robot_difference(const robot *r, const double x[], const double y[], double way[]);

#endif

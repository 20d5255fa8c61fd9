/*
 * Private to the bridge: where the points of contact events are, found once for each pose; and
 * MuJoCo's contacts at points.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_POINTS_H
#define ROBOT_POINTS_H

#include "robot_instance.h"

/* Of a pair with a rule, at the poses that r->data has. The robot's, until they change. */
const robot_touch *robot_point(robot *r, size_t event);

/* Adds MuJoCo's contact of a pair at a point to those that r->data has. May leave by MuJoCo's error
 * handler: call it within robot_guarded. */
void robot_point_add(robot *r, const robot_pair *p, const robot_touch *touch);

/* The poses are others. */
void robot_points_forget(robot *r);

#endif

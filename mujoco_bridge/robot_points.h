/*
 * Private to the bridge: where the points of contact events are, found once for each pose.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_POINTS_H
#define ROBOT_POINTS_H

#include "robot_instance.h"

/* Of a pair with a rule, at the poses that r->data has. The robot's, until they change. */
const robot_touch *robot_point(robot *r, size_t event);

/* The poses are others. */
void robot_points_forget(robot *r);

#endif

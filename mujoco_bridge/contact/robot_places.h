/*
 * Private to the bridge: where bodies are, and the geoms that event functions are of, which is all
 * that values of event functions within a step need: half of what MuJoCo's kinematics find out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_PLACES_H
#define ROBOT_PLACES_H

#include "robot_instance.h"

/* Which geoms these are; none where event functions are of more than places. False where there is
 * no memory. */
bool robot_places_find(robot_shared *shared);

/* Their places, and those of all bodies, at r->data->qpos: xpos, xquat, xmat, geom_xpos, and but
 * for spheres geom_xmat. */
void robot_places(const robot *r);

#endif

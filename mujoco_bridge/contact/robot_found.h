/*
 * Private to the bridge: pairs of geoms without a rule, which are followed: MuJoCo's own search
 * says how far they are apart and where they touch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_FOUND_H
#define ROBOT_FOUND_H

#include "robot_distance.h"
#include "robot_instance.h"

/* Whether MuJoCo's points of a pair without a rule are taken. A twin's are not: its springs are at
 * points with rules. */
bool robot_found_follows(const robot_shared *s, const robot_pair *p);

/* These may leave by MuJoCo's error handler: call them within robot_guarded. Poses of bodies are in
 * r->data. */

/* Adds MuJoCo's points of a pair that is latched to its contacts. */
void robot_found_add(robot *r, const robot_pair *p);

/* How far a pair is apart: less than its margin exactly where MuJoCo lists a contact of it; where
 * it is far, a bound. */
void robot_found_distance(robot *r, const robot_pair *p, robot_touch *out);

/* Where it touches. */
robot_points robot_found_points(robot *r, const robot_pair *p);

#endif

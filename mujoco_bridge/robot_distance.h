/*
 * Private to the bridge: where two geoms are nearest, point by point, as a smooth function.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_DISTANCE_H
#define ROBOT_DISTANCE_H

#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stddef.h>

/* As MuJoCo's mjContact has them. */
typedef struct robot_touch {
  double dist;
  double pos[3];    /* half-way between the surfaces */
  double normal[3]; /* from the first geom to the second */
  double tangent[3];
} robot_touch;

/* How many points of two geoms may touch; 0: there is no rule for their types, which come in
 * ascending order. */
size_t robot_distance_points(int type1, int type2);

/* Whether MuJoCo has contacts of the two types at all. */
bool robot_distance_collide(int type1, int type2);

/* Point `part` of a pair of geoms, whose poses are in d. */
void robot_distance(const mjModel *m, const mjData *d, const int geom[2], size_t part,
                    robot_touch *out);

/* The velocity of the second geom's point where they touch against the first's; velocities of
 * bodies are in d. */
void robot_distance_velocity(const mjModel *m, const mjData *d, const int geom[2],
                             const robot_touch *touch, double out[3]);

#endif

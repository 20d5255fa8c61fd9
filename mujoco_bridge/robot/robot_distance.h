/*
 * Private to the bridge: where two geoms are nearest, point by point, as a smooth function.
 *
 * SPDX-License-Identifier: Apache-2.0
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

/* Point `part` of the `parts` that a pair of geoms has, whose poses are in d. Two parts of two
 * capsules are the ends of where they lie side by side: right for parallel ones alone. */
void robot_distance(const mjModel *m, const mjData *d, const int geom[2], size_t parts, size_t part,
                    robot_touch *out);

/* Whether two capsules are as parallel as MuJoCo takes for parallel. */
bool robot_distance_parallel(const mjData *d, const int geom[2]);

/* Whether the points of two such geoms are a plane's, below points that stay where they are in the
 * second geom: a sphere's centre, ends of a capsule, corners of a box. */
bool robot_distance_is_of_points(int type1, int type2);

/* The velocity of the second geom's body at a point against that of the first's, by the velocities
 * of all bodies, such as d->cvel. */
void robot_distance_velocity(const mjModel *m, const mjData *d, const int geom[2],
                             const double twist[], const double point[3], double out[3]);

/* whether the boxes about two geoms, or a plane and such a box, are at least so far apart along an
 * axis of one of them: so the geoms are, too */
bool robot_distance_apart(const mjModel *m, const mjData *d, const int geom[2], double reach);

/* Completes a contact's frame from its normal and a tangent, which may be 0: mju_makeFrame, which
 * is not exported. */
void robot_distance_frame(double frame[9]);

#endif

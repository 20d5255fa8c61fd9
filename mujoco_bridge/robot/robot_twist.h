/*
 * Private to the bridge: velocities of bodies along a direction of states, and how the bodies' own
 * velocities change along it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_TWIST_H
#define ROBOT_TWIST_H

#include <mujoco/mujoco.h>

/*
 * At the poses that d has: along[6 * nbody] are the velocities, as MuJoCo's cvel, of bodies whose
 * joints have `speed`[nv]; change[6 * nbody] are the rates of those that the joint velocities
 * v[nv] are, where positions change by `speed` and v by dv[nv]. Of the field's own direction,
 * speed = v and dv = v', these are the bodies' accelerations.
 */
void robot_twist(const mjModel *m, const mjData *d, const double speed[], const double v[],
                 const double dv[], double along[], double change[]);

/* The velocity of a point of a geom's body, by velocities such as `along`. */
void robot_twist_at(const mjModel *m, const mjData *d, const double twist[], int geom,
                    const double point[3], double out[3]);

#endif

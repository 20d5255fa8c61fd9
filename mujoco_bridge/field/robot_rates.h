/*
 * Private to the bridge: rates of positions are no velocities where a joint has a quaternion.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_RATES_H
#define ROBOT_RATES_H

#include <mujoco/mujoco.h>

/* The rates of positions, dq[nq], that velocities v[nv] make at the positions q; and the velocities
 * that make those rates. */
void robot_position_rates(const mjModel *m, const double q[], const double v[], double dq[]);
void robot_velocities(const mjModel *m, const double q[], const double dq[], double v[]);

#endif

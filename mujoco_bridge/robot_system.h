/*
 * Private to the bridge: the callbacks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_SYSTEM_H
#define ROBOT_SYSTEM_H

#include "robot_instance.h"

/* The system of r. */
ess_system robot_system_of(robot *r);

/* The rates of positions, dq[nq], that velocities v[nv] make at the positions q; and the velocities
 * that make those rates. */
void robot_position_rates(const mjModel *m, const double q[], const double v[], double dq[]);
void robot_velocities(const mjModel *m, const double q[], const double dq[], double v[]);

#endif

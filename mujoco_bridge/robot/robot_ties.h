/*
 * Private to the bridge: what equalities tie together stays together in a start.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_TIES_H
#define ROBOT_TIES_H

#include "robot_instance.h"

/*
 * Moves x[nq + nv] as little as it may, so that it meets the model's equalities as far as
 * pose[nq + nv] does, and its velocities likewise. What pose breaks, x breaks as much. 0, or a
 * solver_status with one line: no state near x does.
 */
int robot_ties_keep(const mjModel *m, const double pose[], double x[],
                    char message[ROBOT_MESSAGE_SIZE]);

/* The most by which x[nq] breaks an equality, in its unit: m, rad or a tendon's. 0, or a
 * solver_status with one line. */
int robot_ties_broken(const mjModel *m, const double x[], double *by,
                      char message[ROBOT_MESSAGE_SIZE]);

#endif

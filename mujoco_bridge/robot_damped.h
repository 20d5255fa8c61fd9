/*
 * Private to the bridge: what damps a robot's velocities, for linearly implicit steps.
 *
 * Of v' = M^-1 f(q, v) the stiff part is W = -M^-1 D, where D is how joints' dampers and a twin's
 * contacts resist velocities. So (1 - c W)^-1 v = (M + c D)^-1 M v, as MuJoCo's own Euler has it;
 * positions and activations are left as they are. M + c D has the inertia's pattern, of which rows
 * are of a joint's degree of freedom and those that it hangs on: it is factorised without fill-in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_DAMPED_H
#define ROBOT_DAMPED_H

#include "robot_instance.h"

/* False when there is no memory. */
bool robot_damped_alloc(robot *r);
void robot_damped_free(robot *r);

/* After the stages of a field, which are of x. */
void robot_damped_note(robot *r, const double x[]);

/* What is known is of another run. */
void robot_damped_forget(robot *r);

/* The signs that matter at x, where they are known without a look: those of the node, and any where
 * nothing but joints damps. False where they are not. */
bool robot_damped_signs(const robot *r, const double x[], double sign[]);

/* In place of v[dimension], (1 - c W)^-1 v at x. May leave by MuJoCo's error handler. */
void robot_damped_solve(robot *r, const double x[], const double sign[], double c, double v[]);

#endif

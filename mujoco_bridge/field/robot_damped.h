/*
 * Private to the bridge: what resists a robot's motion, for linearly implicit steps.
 *
 * Of q' = T v, (M + A) v' = f(q, v) the stiff part is
 *   W = (0, T; -(M + A)^-1 K T^-1, -(M + A)^-1 D)
 * where D is how joints' dampers and contacts resist velocities, K how their springs resist what
 * moves them, and A how MuJoCo's own contacts and limits resist accelerations. So of
 * (1 - c W)^-1 (a, b) the velocities are
 *   v = (M + A + c D + c^2 K)^-1 ((M + A) b - c K T^-1 a)
 * and the positions a + c T v; activations are left as they are. These matrices have the inertia's
 * pattern, of which rows are of a joint's degree of freedom and those that it hangs on: their sum
 * is factorised without fill-in.
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

/* The signs at x, where they are known without a look: those of the node. False where they are not.
 */
bool robot_damped_signs(const robot *r, const double x[], double sign[]);

/* In place of v[dimension], (1 - c W)^-1 v at x. May leave by MuJoCo's error handler. */
void robot_damped_solve(robot *r, const double x[], const double sign[], double c, double v[]);

/* The same of MuJoCo's own field, by the rows and forces that its latest call, at x, has left in
 * r->data; and whether these, or the matrices that an earlier solution made of them, are there. */
bool robot_damped_has_plain(const robot *r, const double x[]);
void robot_damped_solve_plain(robot *r, const double x[], double c, double v[]);

#endif

/*
 * Private to the bridge: contacts as springs and dampers in N/m and N s/m, in MuJoCo and here.
 *
 * With v the velocity of the second geom's point against the first's, split along the normal n and
 * across it, a contact p > 0 deep has the force
 *   u = (k p + c p', -c v_t)   projected onto the cone |F_t| <= mu F_n
 * in the metric that MuJoCo's impratio i makes, in which a tangential newton counts i times less:
 *   F_n = (u_n + mu T / i) / (1 + mu^2 / i),   F_t = mu F_n u_t / T   where T = |u_t| > mu u_n,
 * and F = u elsewhere; none where F_n < 0. So a foot that sticks is held by a damper, and creeps.
 *
 * MuJoCo's own contact, with constant impedance d and A = body_invweight0 of both bodies, is that
 * and an added mass d/((1-d) A), which scaling A, K and B divides (bridge.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_TWIN_H
#define ROBOT_TWIN_H

#include "robot_instance.h"

/* Puts in the place of the model of `shared`, whose pairs are known, one whose contacts are springs
 * and dampers; pairs are then to be found anew. 0, or a solver_status with one line. */
int robot_twin_make(robot_shared *shared, const char *file, const char *text,
                    const robot_options *options, char message[ROBOT_MESSAGE_SIZE]);

/* Whether it has forces whose sign is an event: with a damper they end before the contact does. */
bool robot_twin_has_forces(const robot_shared *shared);

/* What crossings arm, once all events are known: a force's sign is an event while its points touch,
 * where they have no friction. False where there is no memory. The system of one instance gets
 * them, unless all are events at all times. */
bool robot_twin_rows(robot_shared *shared);
void robot_twin_give_resets(robot *r, ess_system *system);

/* The forces of contacts that act, at the poses and velocities that r->data has, by the latched
 * signs r->acting: into qfrc_applied. May leave by MuJoCo's error handler. */
void robot_twin_push(robot *r);

/* Adds to D and K, which have the pattern of the inertia, how much the forces of contacts that act
 * resist velocities and what moves their points; forces of two bodies of which none hangs on the
 * other, without what one does to the other. Points are taken to stay in their bodies, and normals
 * as they are. At the poses and velocities that r->data has. */
void robot_twin_resist(robot *r, double D[], double K[]);

/* The normal force of the contact of event k before it is cut off at 0, over the stiffness, m: with
 * friction what sliding adds included. At the poses and velocities that r->data has. */
double robot_twin_force(robot *r, size_t k);

/* Whether robot_twin_force_rate knows the contact of event k: of a plane and a point. */
bool robot_twin_knows_rate(const robot *r, size_t k);

/* The rate of that force along the direction that r->along and r->change are of; velocities as
 * above. Where nothing slides at all, that of friction is 0. */
double robot_twin_force_rate(robot *r, size_t k);

#endif

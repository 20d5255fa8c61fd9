/*
 * Private to the bridge: accelerations under constraints that push or do not.
 *
 * MuJoCo's forces f minimise f (A + R) f / 2 + f b, where A = J M^-1 J^T and b is what the rows
 * would do without them, over reference. Where each row is free or pushes only (equalities, limits,
 * contacts without friction or with a pyramid for its cone) it is enough to know which rows push:
 * then f solves linear equations, exactly. So the rows that pushed at the last state are tried,
 * then those that the solution says, until they are the same: Newton's method of MuJoCo's own
 * solver, with as many unknowns as there are rows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_FORCES_H
#define ROBOT_FORCES_H

#include "robot_instance.h"

/* False when there is no memory. */
bool robot_forces_alloc(robot *r);
void robot_forces_free(robot *r);

/* data->qacc and data->efc_force of data->qacc_smooth and the rows; false where the rows are of
 * other kinds or too many, or which of them push is not found soon: then MuJoCo's solver is to be
 * asked. */
bool robot_forces_solve(robot *r);

/* Adds to A, D and K, which have the pattern of the inertia, how much the rows that push resist
 * accelerations, velocities and what moves their points: their law is f = -(J a + b J v + k p) / R.
 * But for those of two chains of bodies. By the forces that r->data has. */
void robot_forces_resist(robot *r, double A[], double D[], double K[]);

#endif

/*
 * Private to the bridge: pairs of geoms that are not to touch, in MuJoCo and here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_WITHOUT_H
#define ROBOT_WITHOUT_H

#include "robot_instance.h"

/* Whether both geoms are of one robot: of bodies that hang on the same body of the world. */
bool robot_without_self(const mjModel *m, const int geom[2]);

/* Whether MuJoCo is told that two geoms with such a margin never touch. */
bool robot_without_margin(double margin);

/* Puts in the place of the model of `shared`, whose pairs are known, one that lacks those that
 * `without` names: "self", or names of geoms or bodies, "A,B" or "A,B,C,D". Pairs are then to be
 * found anew. 0, or a solver_status with one line. */
int robot_without_make(robot_shared *shared, const char *file, const char *text,
                       const char *without, char message[ROBOT_MESSAGE_SIZE]);

#endif

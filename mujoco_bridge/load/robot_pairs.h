/*
 * Private to the bridge: which geoms of a model may touch, and with which contact.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ROBOT_PAIRS_H
#define ROBOT_PAIRS_H

#include "robot_instance.h"

enum { ROBOT_PAIRS_MAX = 20000 };

/* Fills in pairs and pair_count of `shared`, whose model is there; those without a rule last. 0, or
 * a solver_status with one line. */
int robot_pairs_find(robot_shared *shared, char message[ROBOT_MESSAGE_SIZE]);

#endif

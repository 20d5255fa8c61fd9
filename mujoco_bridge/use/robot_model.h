/*
 * Any MJCF as a model: its states, its own pose as the start, libess's field of it, and MuJoCo's
 * own steps in place of the twin that xmlgen writes of other models.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_MODEL_H
#define ROBOT_MODEL_H

#include "bridge.h"
#include "model.h"
#include "solver.h"

/* "mjcf", of model.file. Its reference is a run of libess at the parameter `reference`. */
extern const model_type robot_model_type;

/* How far libess's field is from MuJoCo's own (mj_forward), as bridge_field_gap says it, at states
 * along a run from x0, half of them with velocities changed at random. 0, or -1 with one line. */
int robot_model_gap(const model *m, const double x0[], unsigned long seed, bridge_gap *gap,
                    char message[MODEL_MESSAGE_SIZE]);

#endif

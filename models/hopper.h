/*
 * Public interface of the hopper beyond model.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_HOPPER_H
#define MODEL_HOPPER_H

#include "model.h"

extern const model_type hopper_type;

/* SI units. */
typedef struct hopper_parameters {
  double mass, stiffness, free_length, gravity, height;
} hopper_parameters;

/* The parameters of a prepared hopper. Owned by the model, valid until it is released. */
const hopper_parameters *hopper_get(const model *m);

#endif

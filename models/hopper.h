/*
 * What other rooms may know of the hopper beyond the model seam.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_HOPPER_H
#define MODEL_HOPPER_H

#include "model.h"

/* SI units. */
typedef struct hopper_parameters {
  double mass, stiffness, free_length, gravity, height;
} hopper_parameters;

/* The parameters of a prepared hopper. */
const hopper_parameters *hopper_get(const model *m);

#endif

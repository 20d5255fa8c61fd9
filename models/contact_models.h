/*
 * The models that are mechanisms with contact modes, one file each: the examples of Johnson, Burden
 * & Koditschek, "A Hybrid Systems Model for Simple Manipulation and Self-Manipulation Systems".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CONTACT_MODELS_H
#define CONTACT_MODELS_H

#include "model.h"

extern const model_type particle_type, ball_under_ceiling_type, hill_type, rhex_type,
    rocking_block_type;

#endif

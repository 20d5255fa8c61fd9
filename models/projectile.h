/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_PROJECTILE_H
#define MODEL_PROJECTILE_H

#include "model.h"

extern const model_type projectile_type;

#endif

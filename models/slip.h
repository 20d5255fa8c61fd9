/*
 * The running mass on a springy leg.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_SLIP_H
#define MODEL_SLIP_H

#include "model.h"

extern const model_type slip_type;

#endif

/*
 * The simplest walker: two legs without mass, a hip, and feet so light that they do not matter.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_WALKER_H
#define MODEL_WALKER_H

#include "model.h"

extern const model_type walker_type;

#endif

/*
 * The ball that bounces off a floor, or a ceiling.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_BALL_H
#define MODEL_BALL_H

#include "model.h"

extern const model_type ball_type;

#endif

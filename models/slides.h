/*
 * Models that slide: the field points back to an event function's zero from both sides, and the
 * state goes on along it. And their reference, which takes from libess no more than the form of a
 * system.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_SLIDES_H
#define MODEL_SLIDES_H

#include "model.h"

extern const model_type belt_type, relay_type, blocks_type;

/* As model_type.reference, of systems without rows and impacts whose jumps of the field add up and
 * whose event functions are affine in the state: steps of GSL's rk8pd in each mode, a sign between
 * -1 and +1 by sweeps over what slides, and each beginning and end by bisection. */
int slides_reference(const model *m, const double x0[], model_reference *out,
                     char message[MODEL_MESSAGE_SIZE]);

#endif

/*
 * The reference solution of models that have no exact one, whether their state jumps where an event
 * function is crossed, as at an impact, or not. It takes from libess no more than the form of a
 * system: it integrates with GSL's rk8pd in short steps, finds each crossing by bisection, and lets
 * the system's own rows and map say what comes of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_JUMPS_H
#define MODEL_JUMPS_H

#include "model.h"

enum { JUMPS_GUARDS_MAX = 32 };

/* As model_type.reference, in steps of at most 0.1 ms, in which no guard may be crossed twice. It
 * refuses more than JUMPS_GUARDS_MAX event functions, and rows with ESS_ARM_AHEAD. */
int jumps_reference(const model *m, const double x0[], model_reference *out,
                    char message[MODEL_MESSAGE_SIZE]);

/* The same by steps no longer than that, s: for what is stiff. */
int jumps_reference_by(const model *m, const double x0[], double longest_step, model_reference *out,
                       char message[MODEL_MESSAGE_SIZE]);

#endif

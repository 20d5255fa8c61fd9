/*
 * Public interface of affine3, the system of the order test, beyond model.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_AFFINE3_H
#define MODEL_AFFINE3_H

#include "model.h"

enum { AFFINE3_GUARDS = 3 };

extern const model_type affine3_type;

/*
 * Exact crossings, located to round-off, of the trajectory that starts at x0[3] and ends at t1:
 * ascending `times` (s), the event function of each in `guards`, and how many there are. Each of
 * the three guards is crossed at most once. 0, or -1 with one line when memory ran out, x0 or t1
 * is not finite, or t1 is negative.
 */
int affine3_crossings(const double x0[], double t1, double times[AFFINE3_GUARDS],
                      size_t guards[AFFINE3_GUARDS], size_t *count,
                      char message[MODEL_MESSAGE_SIZE]);

/*
 * The exact derivative of the state at t1 by x0: derivative[9], row-major. Where crossings
 * coincide, the flow has a derivative for each order that they may be made in: `order` lists all
 * crossings in the one that is wanted; NULL: as they are found. 0, or -1 with one line.
 */
int affine3_derivative(const double x0[], double t1, const size_t order[], double derivative[],
                       char message[MODEL_MESSAGE_SIZE]);

#endif

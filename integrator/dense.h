/*
 * Dense output: the last step, for who asks later, and the caller's samples on it. A new kind of
 * step needs its kind, a function that makes it the last, and a case in ess_piece_state; samples
 * and dense output follow.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_DENSE_H
#define ESS_DENSE_H

#include "ess.h"

/* A point at the time that the apply begins, where it does not go on from the step before. */
void ess_piece_begin(ess_driver *d, double t, const double x[]);

/* The dense output of the step just tried is the last step, and x_end the node, which is `duration`
 * from where it was; or the parabola to x_try along f and v. Time advances with them. */
void ess_piece_step(ess_driver *d, double duration);
void ess_piece_parabola(ess_driver *d, double duration, const double v[]);

/* The state within the piece: n values. */
void ess_piece_state(const ess_driver *d, double t, double x[]);

/* ---- the caller's samples -------------------------------------------------------------------- */

/* Writes those up to time t_end on the last step; the rest, with the node
 * itself. */
void ess_sample_piece(ess_driver *d, double t_end);
void ess_sample_rest(ess_driver *d);

#endif

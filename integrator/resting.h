/*
 * States that start on the guard of an impact, or rest there within rounding: balls that touch. No
 * field says on which side of it they are, and rounding must not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_RESTING_H
#define ESS_RESTING_H

#include "ess.h"

/* Looks which event functions of impacts are zero, but for rounding, and do not change, at the node
 * where a run starts; what it has found of event function k. */
int ess_find_resting(ess_driver *d);
bool ess_rests_on_impact(const ess_driver *d, size_t k);

/* Whether an impact of event function k alone that is met at time t with this state from this side,
 * -1 below it, sends it back there; *after is the state after it. */
bool ess_impact_returns(ess_driver *d, double t, size_t k, const double x[], double side,
                        const double **after);

/* Latches event function k, at rest, to the side from which its impact is made: where both of its
 * guards are impacts, that to which the map sends it back, armed. ESS_EGRAZING where there is none.
 */
int ess_impact_side(ess_driver *d, size_t k);

/* Latches event function k, on whose zero the state is, and which is latched to where the field
 * leads, to its other side where that leads through an impact: where both of its guards are
 * impacts, if the map sends it back there, and there alone. ESS_EGRAZING where it is pushed to an
 * impact from rest. Not where the system says how it starts. */
int ess_put_before_impact(ess_driver *d, size_t k);

/* Latches event functions that are beyond the zero of an impact by no more than the tolerance, and
 * move on, to the side from which that is made, where its map sends them back there: a run that
 * goes on from a state at which another has ended on an event. */
int ess_put_before_passed(ess_driver *d);

/* After an impact: those that rest on, or beyond, an armed guard count as on it. */
int ess_let_rest(ess_driver *d);

/* After an impact: ESS_EZENO where the map has stopped the state on a guard to which the field
 * pushes it, so that impacts follow each other in no time. */
int ess_end_stopped(ess_driver *d);

#endif

/*
 * Rest on the guards of impacts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_REST_H
#define ESS_SLIDE_REST_H

#include "slide_state.h"

/* Whether a state may rest on the guards of impacts: it is asked for, and no direction is followed.
 */
bool ess_may_rest(const ess_driver *d);

/* The state has been changed so by an impact of event function k, among others. */
void ess_rest_note(ess_driver *d, size_t k, const double before[], const double after[]);

/* Whether the impacts of some guards have ended at the node; these are in question where it is
 * settled. When they accumulate, NAN where they have taken all of the speed at once. */
bool ess_rest_ends(ess_driver *d, double zeno);

/* What those that have ended push the state by: they are in question where they are settled
 * next. Then what of them does not hold the state. */
int ess_rest_begin(ess_driver *d);
int ess_rest_end(ess_driver *d);

/* Of the `count` surfaces just solved for: whether one that rests has lambda = 1, which is no bound
 * of it; it is made to push more. */
bool ess_rest_widen(ess_driver *d, size_t count);

#endif

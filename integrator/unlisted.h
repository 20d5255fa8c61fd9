/*
 * Event functions along the path of a sub-step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_UNLISTED_H
#define ESS_UNLISTED_H

#include "ess.h"

/* Whether event function k has no crossing that is missing: it is not armed, its crossing has been
 * made, or can wait until the sub-step's end, being silent, armed within, and arming no other. */
bool ess_is_settled(const ess_driver *d, size_t k);

/* Whether event function k, which is not crossed, stays below zero from the first crossing on, its
 * course put right by `off` at the end and in doubt by as much on the way. */
bool ess_stays_below(ess_driver *d, size_t k, double off);

/* Calls the event functions along the path with jumps for the curved ones: *safe is false when one
 * does, or may do, what is not listed; *missing is set when one rises once and for good, which can
 * be listed. */
int ess_watch_curved(ess_driver *d, bool *safe, bool *missing);

#endif

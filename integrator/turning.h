/*
 * How fast event functions turn, as far as it has been seen: no step is so long that one could turn
 * on its way unseen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TURNING_H
#define ESS_TURNING_H

#include "ess.h"

/* A share of which nothing is said: steps may grow as much as they ever do. */
#define ESS_STILL_TURNING 1e-5

/* Nothing is known of the event functions where the driver is now. */
void ess_forget_turning(ess_driver *d);

/* Where a step begins: event functions that change faster than they did turn sooner. */
void ess_watch_paces(ess_driver *d);

/* Of the step just tried, whose guards have been flagged without doubt: whether it is too long for
 * the way in which event functions turn. The next is bounded by what this one has shown. */
bool ess_turns_too_far(ess_driver *d);

#endif

/*
 * Crossings where the state is, and what observers are told.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CROSSING_H
#define ESS_CROSSING_H

#include "ess.h"

/* Crosses a guard where the state is. */
int ess_make_crossing(ess_driver *d, size_t guard);

/* The same where an impact's map has carried the state past it. */
int ess_make_carried_crossing(ess_driver *d, size_t guard);

/* Tells the observer of a step, or projection, from t0 to the node. */
int ess_observe_step(ess_driver *d, double t0, bool projection);

/* Tells the observer of a crossing just made; whether it asks to stop. */
bool ess_observe_crossing(ess_driver *d, size_t guard, double t, const double x[]);

#endif

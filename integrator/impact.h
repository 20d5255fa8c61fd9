/*
 * Impacts, crossings at which the state jumps (ess_impacts).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_IMPACT_H
#define ESS_IMPACT_H

#include "ess.h"

/* What is wrong with a system's impacts, as ess_check says it; NULL when nothing is. */
const char *ess_impacts_check(const ess_system *system);

/* Allocates and frees what the driver keeps; false when there is no memory. */
bool ess_impacts_alloc(ess_driver *d);
void ess_impacts_free(ess_driver *d);

/* No impact has been made yet. */
void ess_impacts_forget(ess_driver *d);

/* The mode to start with, by the caller's `start`: the signs are latched, the guards armed. */
int ess_impacts_start(ess_driver *d);

/* Makes the impact of all events at the node, k among them, and those that the map carries the
 * state past. The node is evaluated, before and after. */
int ess_make_impact(ess_driver *d, size_t k);

#endif

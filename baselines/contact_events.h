/*
 * Crossings counted on the samples, for solvers without event functions.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CONTACT_EVENTS_H
#define CONTACT_EVENTS_H

#include "solver.h"

/* How many contacts begin or cease to act from one sample to the next, over all samples; a contact
 * that does both between two samples goes unseen. `scratch` has room for two flags per contact. */
uint64_t contact_events_count(const model *m, const solver_output *output, unsigned char scratch[]);

#endif

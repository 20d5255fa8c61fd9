/*
 * Projections onto guards, and crossings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_PROJECTION_H
#define ESS_PROJECTION_H

#include "locate.h"

/* Moves along the field onto the candidate's guard and crosses it, and the silent ones on the way.
 * A silent one on which others depend is crossed where the state is, and nothing else done. *made
 * is false when the guard turns out to lie beyond t1; nothing has changed then. */
int ess_projection_step(ess_driver *d, const ess_candidate *first, double t1, bool *made);

#endif

/*
 * Sub-steps: a try lists crossings (listing.c), makes them in groups and measures their jumps
 * (groups.c, undo.c), times them on the path that these bend (path.c, jumps.c, times.c), looks
 * where that leads (induced.c, unlisted.c), and weighs what was not foreseen (substep.c,
 * unforeseen.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SUBSTEP_H
#define ESS_SUBSTEP_H

#include "ess.h"

/* Tries the sub-step of d->cluster: its crossings are made, x_end is the state at its end, stage[6]
 * the field there. Accept when *error <= 1; not finite when it is too long for its guards. */
int ess_substep_try(ess_driver *d, double *error);

/* The same, shorter, with the jumps as they have been measured: one call of the field; and whether
 * that can be done. */
bool ess_substep_can_shorten(const ess_driver *d, double length);
int ess_substep_shorten(ess_driver *d, double length, double *error);

#endif

/*
 * The times of the crossings of a sub-step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TIMES_H
#define ESS_TIMES_H

#include "ess.h"

/* A crossing that turns out to come a little before or after the sub-step is made in it all the
 * same, when that little is less than this part of it. */
#define ESS_OUTSIDE 0.1

/* Corrects the crossings' times by courses and jumps, in closed form; where what is left matters to
 * the state, and for curved event functions, on the path itself. `corrected`: courses have been put
 * right in this try. *fit is false when a time moves too far. Crossings are in d->cluster.order by
 * their times then. */
int ess_move_times(ess_driver *d, bool corrected, bool *fit);

/* What the state is moved by, in units of the tolerance, when each crossing's time moves by this.
 */
double ess_weigh_moves(const ess_driver *d, const double moved[]);

/* Whether crossings whose rows concern the same event functions were made in the order of their
 * corrected times: that of the others changes nothing. */
bool ess_keeps_order(ess_driver *d);

#endif

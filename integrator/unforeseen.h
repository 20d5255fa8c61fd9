/*
 * What event functions are at the end of a sub-step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_UNFORESEEN_H
#define ESS_UNFORESEEN_H

#include "ess.h"

/* What the state is off by, in units of the tolerance, since event functions end the
 * sub-step, in h_try and rate_try, otherwise than foreseen; INFINITY where one may have been
 * crossed unseen, or turns out to be curved, or is not a number. */
int ess_weigh_unforeseen(ess_driver *d, double *unforeseen);

#endif

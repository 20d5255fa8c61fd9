/*
 * The mode that a run begins in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_LATCH_H
#define ESS_LATCH_H

#include "ess.h"

/* Latches signs from h at the node and arms the guards to start with (first apply), or
 * tells the model the mode kept from the apply before. Evaluates the node. */
int ess_latch(ess_driver *d);
int ess_resume(ess_driver *d);

#endif

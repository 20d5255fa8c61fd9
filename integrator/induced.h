/*
 * Crossings that the jumps of a sub-step lead to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_INDUCED_H
#define ESS_INDUCED_H

#include "ess.h"

/* Corrects the crossings' times, and adds crossings that their jumps lead to; the sub-step may come
 * to end elsewhere, with a crossing. *well is false when it is too long for that. */
int ess_correct_times(ess_driver *d, bool *well);

#endif

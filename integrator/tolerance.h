/*
 * The method by one tolerance.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TOLERANCE_H
#define ESS_TOLERANCE_H

#include "ess.h"

/* Towards t1 by one tolerance. */
int ess_advance_by_tolerance(ess_driver *d, double t1);

#endif

/*
 * Guards of impacts that are reached along them: ESS_EGRAZING.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_GRAZE_H
#define ESS_GRAZE_H

#include "ess.h"

/* Fails where event function k's guard, an impact, is reached along it: by how its rate
 * changes in the rest of the step that was cut here, the state turns back at once; where one is all
 * but reached within the step just tried, which is to be taken whole. Where that is the end of a
 * series of impacts, the first does not fail, and *zeno is when it ends. */
int ess_refuse_grazing(ess_driver *d, size_t k, double *zeno);
int ess_refuse_touch(ess_driver *d);

#endif

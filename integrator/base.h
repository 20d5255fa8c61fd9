/*
 * Which base makes steps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_BASE_H
#define ESS_BASE_H

#include "ess.h"

/* Where it is not dopri5 alone. Before each try, which base makes it; after a step made,
 * which is to make the next. */
void ess_base_reset(ess_driver *d);
int ess_base_begin(ess_driver *d);
void ess_base_choose(ess_driver *d);

#endif

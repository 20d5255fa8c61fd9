/*
 * Jumps of one instant whose order does not matter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ADDITIVE_H
#define ESS_ADDITIVE_H

#include "ess.h"

/* Whether the jumps of many events add up, and turn the rate of none: then their order
 * does not matter, and directions gain what each adds. */
int ess_tangent_additive(ess_driver *d, size_t count, bool *adds);

#endif

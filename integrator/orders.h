/*
 * Directions through several events at one instant.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ORDERS_H
#define ESS_ORDERS_H

#include "ess.h"

/* Several events, those listed, at the state `at` and in the mode as it is, which lead to
 * this state: directions are those after all of them. */
int ess_tangent_meeting(ess_driver *d, size_t count, const double outcome[]);

#endif

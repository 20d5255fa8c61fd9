/*
 * Tangents, directions that the derivative of the flow carries along: what the driver keeps for
 * them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENT_H
#define ESS_TANGENT_H

#include "ess_internal.h"

/* An impact, whose map has been made, before its mode and state are the driver's. */
int ess_tangent_impact(ess_driver *d, const ess_impact *impact);

#endif

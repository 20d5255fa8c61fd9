/*
 * What a crossing adds to directions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_GAIN_H
#define ESS_GAIN_H

#include "ess.h"

/* The field after the crossing is this: what was noted down is done. */
void ess_tangent_finish(ess_driver *d, const double f[]);

#endif

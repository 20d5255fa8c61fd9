/*
 * The options in force.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_OPTIONS_H
#define ESS_OPTIONS_H

#include "ess.h"

/* These are in force from here on, their arrays copied. */
void ess_take_options(ess_driver *d, const ess_options *options);

#endif

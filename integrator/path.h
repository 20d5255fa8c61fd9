/*
 * The path of a sub-step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_PATH_H
#define ESS_PATH_H

#include "ess.h"

/* The path at u, and its rate; without what its crossings add, and with it. */
void ess_path_without_jumps(const ess_driver *d, double u, double x[], double rate[]);
void ess_path(const ess_driver *d, double u, double x[], double rate[]);

#endif

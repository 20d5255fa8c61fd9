/*
 * What the guard of an impact pushes a state by.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_PUSH_H
#define ESS_SLIDE_PUSH_H

#include "slide_state.h"

/* At lambda = 1, at time t and state x: what the map does to one that comes a little towards it. */
int ess_rest_push(ess_driver *d, double t, const double x[], size_t k, double jump[]);

#endif

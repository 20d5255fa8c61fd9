/*
 * Rates of event functions by differences.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLOPE_H
#define ESS_SLOPE_H

#include "driver_state.h"

/* rate[m] = dh/dx v + dh/dt vt of the caller's event functions h[m] at the caller's time t and
 * state x[n]; 0, or what a callback returned. */
int ess_slope(ess_driver *d, double t, const double x[], double vt, const double v[],
              const double h[], double rate[]);

#endif

/*
 * Directions by differences of the field.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_DIFFERENCE_H
#define ESS_DIFFERENCE_H

#include "ess.h"

/* The size of state i below which its tolerance is absolute; 1 where it never is. */
double ess_tangent_unit(const ess_driver *d, size_t i);

/* What a difference along a direction multiplies it by, to move the state x by this part of it;
 * states are weighed by where their tolerance becomes relative. 0 of a direction that is nothing.
 */
double ess_tangent_part(const ess_driver *d, const double x[], const double along[], double part);

/* How far apart in time a map is looked at for a central difference by time: a part of the last
 * step, or of what the state takes to move by its size, whatever the unit of time. */
double ess_time_apart(const ess_driver *d);

/* One column by a difference of the field, which is f at x. */
int ess_tangent_difference(ess_driver *d, double t, const double x[], const double f[],
                           const double from[], double to[]);

#endif

/*
 * Directions across crossings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SALTATION_H
#define ESS_SALTATION_H

#include "ess.h"

/* Event function k is about to be crossed where the state is: what it does to directions is noted
 * down. */
int ess_tangent_cross(ess_driver *d, size_t k);

/* The same within a sub-step, at this time since it began. */
int ess_tangent_cross_path(ess_driver *d, size_t k, double u);

/* Once it is crossed, at this time. */
int ess_tangent_cross_end(ess_driver *d, double t);

/* An impact whose map has been made, before its mode and state are the driver's. */
int ess_tangent_impact(ess_driver *d, const ess_impact *impact);

/* The same of one, or of a crossing (NULL), that the last impact's map has led to: it happens when
 * that does, however the state is displaced. */
int ess_tangent_carried(ess_driver *d, const ess_impact *impact);

#endif

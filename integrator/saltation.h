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

/* An impact whose map has been made, before its mode and state are the driver's. */
int ess_tangent_impact(ess_driver *d, const ess_impact *impact);

/* The same of one, or of a crossing (NULL), that the last impact's map has led to: it happens when
 * that does, however the state is displaced. */
int ess_tangent_carried(ess_driver *d, const ess_impact *impact);

/* ---- note --------------------------------------------------------------------------------- */

/* The share of event function k's crossing at v->at, whose rate is this. */
int ess_tape_share(ess_driver *d, size_t k, double rate, double t);

/* What an impact's map does. */
int ess_tape_map(ess_driver *d, const ess_impact *impact);

#endif

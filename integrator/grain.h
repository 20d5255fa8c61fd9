/*
 * What is not told from the zero of an event function.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_GRAIN_H
#define ESS_GRAIN_H

#include "ess.h"

/* What event function k changes by when states move by their tolerance: the larger of two ways,
 * along which no two states are moved by amounts that could cancel. */
int ess_allowed_error(ess_driver *d, size_t k, double *allowed);

/* Called at the node after crossings: where they come as fast as rounding makes them, event
 * functions that rest on their zeros, and do not leave them within a step, are given grains. */
int ess_settle(ess_driver *d);

/* The same when they move by eight roundings. */
int ess_rounding_error(ess_driver *d, size_t k, double *rounding);
int ess_rounding_errors(ess_driver *d, double roundings[]); /* of all */

/* Whether the step being tried is as short as steps get that are halved for a doubt: what time
 * resolves, which near t = 0 is by how long they were. */
bool ess_is_shortest(const ess_driver *d);

/* Event function k is in doubt over the step just tried; when it has been so over far
 * longer ones too, and its doubt is small beside the tolerance, it is given a grain. */
int ess_coarsen(ess_driver *d, size_t k, bool *coarser);

/* Called at the node before a step is tried: those that have left their zeros, or may err by less
 * than their grains now, have none any more. */
int ess_refine(ess_driver *d);

#endif

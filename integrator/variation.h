/*
 * Directions between crossings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_VARIATION_H
#define ESS_VARIATION_H

#include "ess.h"

/* to = the field's Jacobian at x, times from, `count` columns, whose parameters move along
 * `along`, or NULL (parameters.h); f is the field there, or NULL. */
int ess_tangent_rates(ess_driver *d, double t, const double x[], const double *f,
                      const double from[], const double along[], size_t count, double to[]);

/* Directions go on along the step just tried to theta, before the node does. */
int ess_tangent_step(ess_driver *d, double theta, bool cut);

/* Where that has not been enough, once the step is the last piece. */
int ess_tangent_piece(ess_driver *d);

/* Along the projection of this length from the node. */
int ess_tangent_projection(ess_driver *d, double duration);

#endif

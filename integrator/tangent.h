/*
 * Directions that the derivative of the flow carries along, from apply to apply.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_TANGENT_H
#define ESS_TANGENT_H

#include "ess.h"

void ess_tangents_free(ess_driver *d);

/* An apply begins; another trajectory does. */
void ess_tangents_begin(ess_driver *d);
void ess_tangents_forget(ess_driver *d);

/* Fails where a direction is not finite. */
int ess_tangents_check(ess_driver *d, const double columns[]);

/* A failure on their way, which the state has gone already: they are lost. */
int ess_tangents_lose(ess_driver *d, int status);

/* An apply ends, perhaps at a crossing: directions as the caller sees them. */
int ess_tangents_show(ess_driver *d);

/* ---- variation ---------------------------------------------------------------------------- */

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

/* ---- tangent_control ---------------------------------------------------------------------- */

/* By how many times less the step of dopri5 just tried has to err than this error, which is in
 * units of what is allowed; 1 where that is enough. */
int ess_tangent_severity(ess_driver *d, double error, double *severity);

/* Before a stabilised step is tried: dopri5 is to make it where a crossing is near. */
int ess_tangent_leave(ess_driver *d);

/* The stabilised step just tried makes its first crossing after this time: *again where dopri5 is
 * to go there. */
int ess_tangent_approach(ess_driver *d, double time, bool *again);

#endif

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

#endif

/*
 * The field's Jacobian along a sub-step, where the caller has none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_KNOTS_H
#define ESS_KNOTS_H

#include "driver_state.h"
#include "tangent_state.h"

/* The Jacobian along the sub-step just accepted, before its crossings are made in turn; what it is
 * at this time since it began, into `between`. */
int ess_tangent_knots(ess_driver *d);
void ess_tangent_knots_at(ess_driver *d, double u);

/* Whether the Jacobian is had without calls of the field. */
static inline bool ess_tangent_knows(const ess_driver *d) {
  return d->system.field_jacobian || d->tangents->has_knots;
}

#endif

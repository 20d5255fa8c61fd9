/*
 * Where event functions are called within a step, beside its ends and its middle: a place in each
 * half, elsewhere in each step, so that no period falls on the same phase every time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_LOOKED_H
#define ESS_LOOKED_H

#include "driver_state.h"
#include "lanes.h"
#include "quartic.h"

/* The places of this step. */
void ess_choose_looks(ess_driver *d);

/* A model's value at a place. */
static inline ess_lanes ess_value_at(const double w[ESS_QUARTIC], ess_lanes b0, ess_lanes b1,
                                     ess_lanes b2, ess_lanes b3, ess_lanes b4) {
  return w[0] * b0 + w[1] * b1 + w[2] * b2 + w[3] * b3 + w[4] * b4;
}

#endif

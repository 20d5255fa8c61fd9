/*
 * The model of each event function over a step, and the guards that it reaches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_BOUND_H
#define ESS_BOUND_H

#include "driver_state.h"
#include "lanes.h"
#include "quartic.h"

/* Bernstein coefficients of guard k's model over the step, relative to its level. */
void ess_model_guard(const ess_driver *d, size_t k, double b[ESS_QUARTIC]);

/* g may miss its level by this much: a billionth of the neighbourhood, or rounding. */
double ess_level_tolerance(const ess_driver *d, size_t k);

/* Lists in d->flagged the guards that reach their level within the step, by their model. Returns a
 * guard of which the step is too long to tell, or SIZE_MAX. */
size_t ess_flag_guards(ess_driver *d);

/* Forgets the guards that are listed. */
void ess_clear_flags(ess_driver *d);

/* Whether guard k's model is off by no more than rounding where it was checked. */
bool ess_model_is_exact(const ess_driver *d, size_t k);

/* Takes the guards off the list whose models do not cross before theta. */
void ess_keep_rivals(ess_driver *d, double theta);

/* ---- looked ------------------------------------------------------------------------------- */

/* The places of this step. */
void ess_choose_looks(ess_driver *d);

/* A model's value at a place. */
static inline ess_lanes ess_value_at(const double w[ESS_QUARTIC], ess_lanes b0, ess_lanes b1,
                                     ess_lanes b2, ess_lanes b3, ess_lanes b4) {
  return w[0] * b0 + w[1] * b1 + w[2] * b2 + w[3] * b3 + w[4] * b4;
}

#endif

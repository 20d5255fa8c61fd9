/*
 * Where a sliding state is put.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_DRIFT_H
#define ESS_SLIDE_DRIFT_H

#include "slide_state.h"

/* Moves the state back onto its surfaces, by so many tolerances at most. */
int ess_slide_put_back(ess_driver *d, double most);

/* The state leaves the i-th of the `count` surfaces just looked at, of second order, to the side
 * `to`: it goes away by the cube of time. So it is put beside it, by what is nothing beside the
 * tolerance, and moves away from there: adds that to d->x_try. */
int ess_slide_step_beside(ess_driver *d, size_t i, size_t count, double to);

#endif

/*
 * What is crossed where a step has been cut.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CUT_H
#define ESS_CUT_H

#include "ess.h"

/* The guards that the step was cut at are inside their neighbourhoods: called at the new node. */
void ess_enter_neighbourhoods(ess_driver *d);

/* Crosses the silent guards that the step just taken has passed, by the event functions h at its
 * end, then those it was cut at. */
int ess_cross_silent(ess_driver *d, const double h[]);

/* Crosses the others that it was cut at, where the state is, and evaluates the node. */
int ess_cross_entered(ess_driver *d);

#endif

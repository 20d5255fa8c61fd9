/*
 * Steps of the linearly implicit base.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_RODAS_H
#define ESS_RODAS_H

#include "slides.h"

/* What such steps need, where the options ask for them; false when there is no memory. */
bool ess_rodas_alloc(ess_driver *d, const ess_options *options);
void ess_rodas_free(ess_driver *d);

/* Whether such steps are made: while the state slides dopri5 makes them. */
static inline bool ess_by_rodas(const ess_driver *d) {
  return d->rodas && !ess_is_sliding(d);
}

/* The field may be another from now on. */
void ess_rodas_forget(ess_driver *d);

/* As ess_dopri5_try; makes the dense output, too, which is a cubic of its own. */
int ess_rodas_try(ess_driver *d, double *error);

/* Which of the driver's stages, which such steps do not have, hold these slopes of a step whose
 * event functions have been looked at. */
enum { ESS_RODAS_FIRST = 3, ESS_RODAS_LAST = 4 };

/* Before the step just tried is cut at theta, for the guards that are entered there: *again where
 * it is to end there instead. */
int ess_rodas_approach(ess_driver *d, double theta, bool *again);

#endif

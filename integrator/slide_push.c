/*
 * What the guard of an impact pushes a state by that rests on it: the force of infinitely many
 * impacts acts as each of them does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "slide_push.h"
#include "driver_state.h"
#include "resting.h"
#include "slide_notes.h"

int ess_rest_push(ess_driver *d, double t, const double x[], size_t k, double jump[]) {
  ess_slides *const s = d->slides;
  const double *const push = s->push + k * d->lanes;
  const double *after;
  for (size_t l = 0; l < d->lanes; l++) s->beside[l] = x[l] - push[l];
  if (!ess_impact_returns(d, t, k, s->beside, d->sign[k], &after))
    return ess_slide_fail(d, k, SIZE_MAX,
                          "an impact's map does not say what pushes the state back");
  for (size_t l = 0; l < d->lanes; l++) jump[l] = s->scale[k] * (after[l] - s->beside[l]);
  return ESS_SUCCESS;
}

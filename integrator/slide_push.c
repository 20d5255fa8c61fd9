/*
 * What the guard of an impact pushes a state by that rests on it: the force of infinitely many
 * impacts acts as each of them does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "driver_state.h"
#include "impacts.h"
#include "slides.h"

/* a state that goes away from the guard is asked of at so much more speed towards it, so often */
static const double FASTER = 8.0;
enum { TRIES = 16 };

int ess_rest_push(ess_driver *d, double t, const double x[], size_t k, double jump[]) {
  ess_slides *const s = d->slides;
  const double *const push = s->push + k * d->lanes, *after;
  double times = 1.0;
  bool changes = false;
  for (int i = 0; !changes && i < TRIES; i++, times *= FASTER) {
    for (size_t l = 0; l < d->lanes; l++) s->beside[l] = x[l] - times * push[l];
    if (!ess_impact_returns(d, t, k, s->beside, d->sign[k], &after))
      return ess_slide_fail(d, k, SIZE_MAX,
                            "an impact's map does not say what pushes the state back");
    for (size_t l = 0; l < d->lanes; l++) {
      jump[l] = s->scale[k] / times * (after[l] - s->beside[l]);
      changes = changes || jump[l] != 0.0;
    }
  }
  return ESS_SUCCESS;
}

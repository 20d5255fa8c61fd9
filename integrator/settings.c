/*
 * The options in force, and others between applies: what is copied of them, and what of the
 * trajectory follows them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "ess_internal.h"

/* by state; beyond the last nothing is ever wrong */
static void copy_tolerances(ess_driver *d, const ess_options *o) {
  const size_t n = d->system.dimension;
  for (size_t i = 0; i < d->lanes; i++) {
    d->rtol[i] = i >= n ? 0.0 : o->rtols ? o->rtols[i] : o->rtol;
    d->atol[i] = i >= n ? 1.0 : o->atols ? o->atols[i] : o->atol;
  }
}

/* guards that are armed stay so; one whose neighbourhood is another is inside it or not anew */
static void resize_armed(ess_driver *d) {
  for (size_t k = 0; d->latched && k < d->system.guard_count; k++) {
    const double width = ess_is_silent(d, k) ? 0.0 : d->epsilon[k];
    if (d->side[k] == 0.0 || d->width[k] == width) continue;
    d->width[k] = width;
    d->entry[k] = 0.0;
  }
}

void ess_take_options(ess_driver *d, const ess_options *options) {
  d->options = *options;
  copy_tolerances(d, options);
  ess_set_neighbourhoods(d);
  d->options.rtols = d->options.atols = d->options.guard_epsilons = NULL;
  resize_armed(d);
}

int ess_driver_set_options(ess_driver *d, const ess_options *options) {
  if (!d) return ESS_EINVAL;
  const char *wrong = NULL;
  if (d->applying) wrong = "options change between applies, not within one";
  if (!wrong) wrong = ess_check(&d->system, options);
  if (wrong) return ess_refuse(d, d->t, wrong);
  ess_take_options(d, options);
  ess_no_failure(d);
  return ESS_SUCCESS;
}

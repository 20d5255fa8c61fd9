/*
 * Which guards are armed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ARMED_H
#define ESS_ARMED_H

#include <math.h>

#include "driver_state.h"

/* the guard of event function k that a state on its latched side has ahead */
static inline size_t ess_guard_ahead(const ess_driver *d, size_t k) {
  return d->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
}

/* whether that guard is silent, while it is armed */
static inline bool ess_is_silent(const ess_driver *d, size_t k) {
  return d->armed_is_silent[k];
}

/* whether one of event function k's guards is armed */
static inline bool ess_is_armed(const ess_driver *d, size_t k) {
  return fabs(d->side[k]) > 0.0; // quicker than != is where that has to think of NaN
}

/* arms a guard, which is ahead of its event function's latched side, and what goes with it */
static inline void ess_arm(ess_driver *d, size_t guard) {
  const size_t k = guard / 2, more = !ess_is_armed(d, k);
  const bool silent = d->silent[guard];
  d->block_armed[k / ESS_BLOCK] += more;
  d->armed_count += more;
  d->side[k] = -d->sign[k];
  d->inside_from[k] = 0.0;
  d->armed_is_silent[k] = silent;
  d->width[k] = silent ? 0.0 : d->epsilon[k];
}

/* arms neither guard of event function k */
static inline void ess_disarm(ess_driver *d, size_t k) {
  if (!ess_is_armed(d, k)) return;
  d->block_armed[k / ESS_BLOCK]--;
  d->armed_count--;
  d->side[k] = 0.0;
  d->inside_from[k] = INFINITY;
}

#endif

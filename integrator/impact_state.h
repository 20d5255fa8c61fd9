/*
 * Impacts, crossings at which the state jumps (ess_impacts): what the driver keeps for them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_IMPACT_STATE_H
#define ESS_IMPACT_STATE_H

#include "armed.h"
#include "driver_state.h"

enum { ESS_WAYS = 4 }; /* times between impacts that are remembered */

/* Owned by the driver of a system with impacts; NULL in any other. */
typedef struct ess_impact_work {
  ess_impacts calls; /* the caller's functions */
  bool *at;          /* by guard */
  size_t *events;
  double *x, *sign, *side; /* before the impact */
  double *after, *mode;
  bool *armed;

  /* the last impact, and how long after the one before each of the last came, the last one first;
   * how many in a row came sooner than the one before, by the last two together */
  double last, way[ESS_WAYS];
  uint64_t shrinking;
  void *memory;
} ess_impact_work;

/* Whether crossing event function k's armed guard is an impact. */
static inline bool ess_is_impact(const ess_driver *d, size_t k) {
  return d->impacts && ess_is_armed(d, k) && d->impacts->at[ess_guard_ahead(d, k)];
}

#endif

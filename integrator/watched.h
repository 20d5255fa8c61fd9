/*
 * Functions that are only watched: event functions after the caller's, whose crossing changes
 * nothing. So they are found as surely as those, and in the same order of time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_WATCHED_H
#define ESS_WATCHED_H

#include "driver_state.h"

/* One line about what is wrong with what is watched; NULL when nothing is. */
const char *ess_watched_check(const ess_system *system, const ess_options *options);

/* The caller's system with what it watches as event functions, or itself where it watches nothing;
 * false when there is no memory. */
bool ess_watched_join(ess_driver *d, const ess_system *system, ess_system *joined);

void ess_watched_free(ess_driver *d);

/* Counts of events begin anew. */
void ess_watched_reset(ess_driver *d);

/* The observer that is told of all event functions, for the caller's, which is told of its own. */
ess_observer ess_watched_observer(ess_driver *d, const ess_observer *observer);

/* whether event function k is only watched */
static inline bool ess_is_watched(const ess_driver *d, size_t k) {
  return k >= d->watched.first;
}

/* whether an impact at this very time has taken event function k past its zero */
static inline bool ess_has_jumped(const ess_driver *d, size_t k) {
  const ess_watched *const w = &d->watched;
  return w->count && k >= w->first && w->jumped[k - w->first] && w->jump_t == d->t;
}

/* whether event function k is crossed upward alone */
static inline bool ess_is_one_way(const ess_driver *d, size_t k) {
  return d->system.one_way && !ess_is_watched(d, k);
}

#endif

/*
 * Event functions' guards: which are armed, what crossing one changes, and what is crossed at one
 * instant, or in one step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_EVENTS_H
#define ESS_EVENTS_H

#include <math.h>

#include "driver_state.h"

/* ---- which guards are armed ------------------------------------------------------------------ */

/* the guard of event function k that a state on its latched side has ahead */
static inline size_t ess_guard_ahead(const ess_driver *d, size_t k) {
  return d->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
}

/* the sign from which a guard is crossed */
static inline double ess_sign_before(size_t guard) {
  return guard % 2 ? 1.0 : -1.0;
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

/* whether an impact at this very time has taken event function k past its zero */
static inline bool ess_has_jumped(const ess_driver *d, size_t k) {
  const ess_watched *const w = &d->watched;
  return w->count && k >= w->first && w->jumped[k - w->first] && w->jump_t == d->t;
}

/* whether event function k is crossed upward alone */
static inline bool ess_is_one_way(const ess_driver *d, size_t k) {
  return d->system.one_way && k < d->watched.first; // what is watched is not
}

/* ---- the guard reset matrix ------------------------------------------------------------------ */

/* What is wrong with a system's matrix, as ess_check says it; NULL when nothing is. */
const char *ess_resets_check(const ess_system *system);

/* Entries of the system's matrix, or of that of mirrored pairs; copies it into the driver. */
size_t ess_resets_size(const ess_system *system);
void ess_resets_copy(ess_driver *d);

/* Arms the guards to start with, given the latched signs. */
int ess_resets_start(ess_driver *d);

/* Flips event function k's sign and applies the row of the guard crossed. */
int ess_cross(ess_driver *d, size_t k);

/* Applies the row of the empty pool after an integration step. May change the mode. */
int ess_refill(ess_driver *d);

/* Whether the row of event function k's armed guard arms none but its own mirror image, and
 * concerns no other that is flagged. */
bool ess_row_is_local(const ess_driver *d, size_t k);

/* Whether crossing event function k's armed guard arms guards of other event functions, or concerns
 * one in the batch. */
bool ess_row_concerns_batch(const ess_driver *d, size_t k);

/* ---- events of one instant ------------------------------------------------------------------- */

/* Events closer in time than this are of one instant, at the node, which is evaluated. */
double ess_tie(const ess_driver *d);

/* An impact at this instant, when event function k is being crossed at the node, which is
 * evaluated: k itself, or another; SIZE_MAX when there is none. */
size_t ess_due_impact(const ess_driver *d, size_t k);

/* Lists the events of the instant at which event function k is crossed, silent ones apart, and
 * returns how many there are. */
size_t ess_gather_events(const ess_driver *d, size_t k, size_t events[]);

/* The armed guards of the mode as it is, by guard; and the mode becomes this, of which only guards
 * that lie ahead can be armed. The model is not told. */
void ess_list_armed(const ess_driver *d, bool armed[]);
void ess_set_mode(ess_driver *d, const double mode[], const bool armed[]);

/* Fails when so many crossings have been made that time should have passed. */
int ess_watch_progress(ess_driver *d, size_t guard);

/* ---- crossings ------------------------------------------------------------------------------- */

/* Crosses a guard where the state is. */
int ess_make_crossing(ess_driver *d, size_t guard);

/* The same where an impact's map has carried the state past it. */
int ess_make_carried_crossing(ess_driver *d, size_t guard);

/* Tells the observer of a step, or projection, from t0 to the node. */
int ess_observe_step(ess_driver *d, double t0, bool projection);

/* Tells the observer of a crossing just made, upward or downward; whether it asks to stop. */
bool ess_observe_crossing(ess_driver *d, size_t guard, int direction, double t, const double x[]);

/* ---- where a step has been cut --------------------------------------------------------------- */

/* Crosses the silent guards that the step just taken has passed, by the event functions h at its
 * end, then those that it was cut at. */
int ess_cross_silent(ess_driver *d, const double h[]);

/* Crosses those whose signs have acted on nothing, in the order of their times. Where that ends the
 * run, the state is that of the crossing. */
int ess_cross_idle(ess_driver *d, const double h[]);

/* ---- by time --------------------------------------------------------------------------------- */

/* Sorts crossings by time, those of one time by guard, in O(count log count) without
 * allocation; in O(count) when they are in order, in reverse, or nearly so. */
void ess_sort_by_time(double time[], size_t guard[], size_t count);

#endif

/*
 * Events: armed guards and their crossings, the bounds of an event function within a step, its
 * errors, and the ledger of crossings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_EVENTS_H
#define ESS_EVENTS_H

#include <float.h>
#include <math.h>

#include "driver_state.h"

/* accuracy of a located crossing, in steps, or in the numbers that change on the way to it */
static const double ESS_LOCATED = 1e-11;

/* ---- which guards are armed ------------------------------------------------------------------ */

/* the guard of event function k that a state on its latched side has ahead */
static inline size_t ess_guard_ahead(const ess_driver *d, size_t k) {
  return d->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
}

/* the other guard of the same event function */
static inline size_t ess_mirror(size_t guard) {
  return guard ^ 1;
}

/* The kind of a system's guard, which need not give any. */
static inline ess_guard_kind ess_kind_of(const ess_system *s, size_t guard) {
  if (s->kinds) return s->kinds[guard];
  return s->impacts ? ESS_GUARD_IMPACT : ESS_GUARD_CHANGES_FIELD;
}

/* the sign from which a guard is crossed */
static inline double ess_sign_before(size_t guard) {
  return guard % 2 ? 1.0 : -1.0;
}

/* Whether the guard of event function k that is armed is silent. */
static inline bool ess_is_silent(const ess_driver *d, size_t k) {
  return d->is_silent[k] != 0.0;
}

/* whether one of event function k's guards is armed */
static inline bool ess_is_armed(const ess_driver *d, size_t k) {
  return fabs(d->side[k]) > 0.0; // quicker than != is where that has to think of NaN
}

/* arms a guard, which is ahead of its event function's latched side, and what goes with it */
static inline void ess_arm(ess_driver *d, size_t guard) {
  const size_t k = guard / 2, more = d->side[k] == 0.0;
  d->block_armed[k / ESS_BLOCK] += more;
  d->armed_count += more;
  d->side[k] = -d->sign[k];
  d->due_from[k] = 0.0;
  d->is_silent[k] = d->rows.kind[guard] == ESS_GUARD_ARMS_ONLY;
}

/* arms neither guard of event function k */
static inline void ess_disarm(ess_driver *d, size_t k) {
  if (!ess_is_armed(d, k)) return;
  d->block_armed[k / ESS_BLOCK]--;
  d->armed_count--;
  d->side[k] = 0.0;
  d->due_from[k] = INFINITY;
}

/* whether an impact at this very time has taken event function k past its zero */
static inline bool ess_has_jumped(const ess_driver *d, size_t k) {
  const ess_watched *const w = &d->watched;
  return w->count && k >= w->first && w->jumped[k - w->first] && w->jump_t == d->t;
}

/* whether the guard that event function k has ahead of this side can be armed at all */
static inline bool ess_has_guard(const ess_driver *d, size_t k, double sign) {
  return d->rows.kind[sign < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k)] != ESS_GUARD_NONE;
}

/* ---- the guard reset matrix ------------------------------------------------------------------ */

/* Checks a system's matrix and kinds of guards: a line for ess_check, or NULL. */
const char *ess_resets_check(const ess_system *system);
const char *ess_kinds_check(const ess_system *system);

/* Counts the entries of the system's matrix, or of mirrored pairs, and copies it into the driver.
 */
size_t ess_resets_size(const ess_system *system);
void ess_resets_copy(ess_driver *d);

/* The mode to start with, and its armed guards: the default ones, or those of the system. */
int ess_resets_start(ess_driver *d);

/* No guard is armed any more. */
void ess_disarm_all(ess_driver *d);

/* Flips event function k's sign and applies the row of the guard crossed. */
int ess_cross(ess_driver *d, size_t k);

/* The same of some of four that are crossed one way, by rows that are alike. */
void ess_cross_four(ess_driver *d, size_t i, ess_mask which);

/* Whether these of four are crossed one way, by rows that are alike. */
static inline bool ess_are_alike(const ess_driver *d, size_t i, ess_mask which) {
  const unsigned bits = ess_mask_bits(which);
  const unsigned up = ess_mask_bits((ess_lanes_load(d->sign + i) < (ess_lanes){0.0}) & which);
  return (!up || up == bits) && d->through.is_alike[i / 2 + !up];
}

/* Applies the row of the empty pool after an integration step. May change the mode. */
int ess_refill(ess_driver *d);

/* True if the row of event function k's armed guard arms no guard but its mirror image, and disarms
 * none of a flagged event function. */
bool ess_row_is_local(const ess_driver *d, size_t k);

/* True if the row of event function k's armed guard arms guards of other event functions, or names
 * one in the batch. */
bool ess_row_concerns_batch(const ess_driver *d, size_t k);

/* ---- events of one instant ------------------------------------------------------------------- */

/* Rounding of the time of a jump, at which one run may end and the next start: it depends on how
 * the event function is written, t - T or sin(w t). */
static inline double ess_time_rounding(const ess_driver *d) {
  return 8.0 * DBL_EPSILON * fabs(d->t);
}

/* Events closer in time than this are of one instant, at the node, which is evaluated. */
double ess_tie(const ess_driver *d);

/* Of a list of events that are due within a tie of event function k's crossing, at the node,
 * removes those that come later whatever the state is within its tolerance. Two guards of time
 * alone come in the order of their times. */
int ess_keep_unordered(ess_driver *d, size_t k, size_t events[], size_t *count);

/* Finds an impact of the instant at which event function k is crossed, at the evaluated node: k
 * itself, or another; SIZE_MAX if there is none. */
int ess_due_impact(ess_driver *d, size_t k, size_t *impact);

/* Lists the events of the instant at which event function k is crossed, by these values and rates,
 * without silent ones; returns their number. */
size_t ess_gather_events(const ess_driver *d, size_t k, const double h[], const double rate[],
                         size_t events[]);

/* Lists the armed guards; fails if a sign of the mode is neither -1.0 nor +1.0, with this reason;
 * sets the mode, in which only guards that lie ahead can be armed. The model is not informed. */
void ess_list_armed(const ess_driver *d, bool armed[]);
int ess_check_mode(ess_driver *d, const double mode[], size_t event, const char *reason);
void ess_set_mode(ess_driver *d, const double mode[], const bool armed[]);

/* Sets an earlier mode of the driver, by its signs and sides. */
void ess_take_sides(ess_driver *d, const double sign[], const double side[]);

/* ---- crossings ------------------------------------------------------------------------------- */

/* Crosses event function k's armed guard at the node; `carried`: an impact's map has carried the
 * state past it. */
int ess_make_crossing(ess_driver *d, size_t k, bool carried);

/* Reports the last piece, from t0 to the node, to the observer. */
int ess_observe_step(ess_driver *d, double t0);

/* Reports a crossing, upward or downward, to the observer; true if that asks to stop. */
bool ess_observe_crossing(ess_driver *d, size_t guard, int direction, double t, const double x[]);

/* ---- where a step has been cut --------------------------------------------------------------- */

/* Crosses the silent guards that the step just taken has passed, by the event functions h at its
 * end, then those that it was cut at. */
int ess_cross_silent(ess_driver *d, const double h[]);

/* Crosses idle guards, in the order of their times. If that ends the run, the node is the state of
 * the crossing. */
int ess_cross_idle(ess_driver *d, const double h[]);

/* ---- by time --------------------------------------------------------------------------------- */

/* One more crossing in d->batch.list. */
static inline void ess_list_in_batch(ess_driver *d, size_t k, double time) {
  d->batch.list[d->batch.count] = k;
  d->batch.time[d->batch.count++] = time;
}

/* Sorts crossings by time, those of one time by guard, in O(count log count) without
 * allocation; in O(count) when they are in order, in reverse, or nearly so. */
void ess_sort_by_time(double time[], size_t guard[], size_t count);

/* ---- what an event function may be within a step --------------------------------------------- */

/* An event function between the ends of the step just tried is bounded by a quartic and its doubt
 * (along.h). Location, steps through crossings, and a guard that is touched and left again all use
 * this one enclosure. */

/* Distance from its level within which a guard is at it: a billionth of this scale, or rounding in
 * values that add up to `size`; of one event function, or of four. */
#define ESS_SLIGHT(scale, size) (1e-9 * (scale) + 8.0 * DBL_EPSILON * (size))

/* Event function k seen from a side, over the step just tried: where its value in the middle is not
 * `known` it is taken to be a cubic. The same of a guard from theta on; and of event function k's
 * armed guard relative to its level. */
void ess_model_event(const ess_driver *d, size_t k, double side, bool known, double b[ESS_QUARTIC]);
void ess_model_after(const ess_driver *d, size_t guard, double theta, bool known,
                     double b[ESS_QUARTIC]);
void ess_model_guard(const ess_driver *d, size_t k, double b[ESS_QUARTIC]);

/* Event function k and the three after it, from no side; and their armed guards relative to their
 * levels. */
static inline ess_models ess_model_events(const ess_driver *d, size_t k, bool known) {
  const ess_lanes quarter = ess_lanes_all(0.25 * d->dt);
  const ess_lanes h = ess_lanes_load(d->h + k), rate = ess_lanes_load(d->rate + k);
  const ess_lanes h_end = ess_lanes_load(d->h_end + k), rate_end = ess_lanes_load(d->rate_end + k);
  const ess_lanes middle = known ? ess_lanes_load(d->inside.middle + k)
                                 : ess_middle_of_cubics(h, rate, h_end, rate_end, quarter);
  ess_models m;
  ess_quartic_of_four(h, rate, middle, h_end, rate_end, quarter, m.b);
  return m;
}

static inline ess_models ess_seen_from_guards(const ess_driver *d, size_t k, const ess_models *m) {
  const ess_lanes side = ess_lanes_load(d->side + k), level = ess_lanes_load(d->levels.at + k);
  ess_models seen;
  for (int i = 0; i < ESS_QUARTIC; i++) seen.b[i] = side * m->b[i] - level;
  return seen;
}

static inline ess_models ess_model_guards(const ess_driver *d, size_t k) {
  const ess_models m = ess_model_events(d, k, true);
  return ess_seen_from_guards(d, k, &m);
}

/* The distance from its level within which guard k is at it. */
double ess_level_tolerance(const ess_driver *d, size_t k);

/* Which of four guards, those of these event functions that lie beyond their zeros by `side`, are
 * not reached in the rest of the step where they are armed at theta, whatever their models are off
 * by; and whether one is not. */
ess_mask ess_stay_below(const ess_driver *d, const size_t which[ESS_LANES], ess_lanes side,
                        ess_lanes theta);
bool ess_stays_below(const ess_driver *d, size_t guard, double theta);

/* Whether event function k's model is off by no more than rounding where it was checked. */
bool ess_model_is_exact(const ess_driver *d, size_t k);

/* ---- the guards that a step reaches ------------------------------------------------------- */

/* Event functions at the end of the step just tried, and at three places within it. */
int ess_look_at_guards(ess_driver *d);

/* Where each armed guard stops that step: where it is crossed. */
void ess_set_levels(ess_driver *d);

/* Lists in d->flagged.list the guards that reach their level within the step, by their model.
 * Returns a guard of which the step is too long to tell, or SIZE_MAX. */
size_t ess_flag_events(ess_driver *d);

/* Forgets the guards that are listed. */
void ess_clear_flags(ess_driver *d);

/* Takes the guards off the list whose models do not cross before theta. */
void ess_keep_rivals(ess_driver *d, double theta);

/* ---- where a step is cut --------------------------------------------------------------------- */

/* Where the first of the guards that have been flagged, none in doubt, reaches its level. h_mid,
 * h_check, h_end and rate_end must be set. A silent guard cuts the step only when another flagged
 * guard depends on it; ess_cross_silent is for the others. */
int ess_locate_flagged(ess_driver *d, ess_location *found);

/* ---- wrong rates ----------------------------------------------------------------------------- */

/* The step just tried is halved for event function k: checks its rate from time to time. */
int ess_suspect_step(ess_driver *d, size_t k);

/* The step just tried may be too long for the turns of event functions: one whose rate is wrong
 * seems to turn in steps of any length. */
int ess_suspect_turns(ess_driver *d);

/* A step has been made. */
void ess_suspect_none(ess_driver *d);

/* The last piece, from this value and rate of event function k, was to reach its zero at the node.
 */
int ess_suspect_piece(ess_driver *d, size_t k, double h, double rate);

/* ---- errors and grains ----------------------------------------------------------------------- */

/* Parts of the error that the tolerance allows an event function: a distance from the guard, or of
 * a state from a surface, that is lost in it; and a grain where an event function seems to rest on
 * its zero. It has left that so many grains away. */
static const double ESS_LOST = 1e-3, ESS_GRAIN_AT_REST = 1e-5, ESS_GRAINS_AWAY = 10.0;

/* The error that the tolerance allows event function k, or all: their change when the states move
 * by their tolerances and eight roundings; and their change by the roundings alone. */
int ess_allowed_error(ess_driver *d, size_t k, double *allowed);
int ess_allowed_errors(ess_driver *d, double allowed[]);
int ess_rounding_error(ess_driver *d, size_t k, double *rounding);
int ess_rounding_errors(ess_driver *d, double roundings[]);

/* Crossings may be rounding: event functions that rest on their zeros, and do not leave them within
 * a step, get grains. */
int ess_give_grains(ess_driver *d);

/* Changes of all event functions, into d->rate_try, when the states move by their tolerances in the
 * first or second of two directions. */
int ess_rates_astray(ess_driver *d, int direction);

/* Bounds on the terms whose sums are the rates along v. */
int ess_weigh_terms(ess_driver *d, const double v[], double terms[]);

/* Changes of all event functions by the rounding of a map from `before` to `after`: it rounds each
 * state that it changes by the largest of them, as in coordinates that mix large states and small.
 */
int ess_map_errors(ess_driver *d, const double before[], const double after[], double errors[]);

/* True if the step being tried is as short as halvings for a doubt make it: time resolves no
 * shorter one; near t = 0 the longest try takes the place of the time. */
bool ess_is_shortest(const ess_driver *d);

/* Event function k is in doubt over the step just tried: it gets a grain if it was over far longer
 * steps, too, and the doubt is small beside the tolerance. */
int ess_coarsen(ess_driver *d, size_t k, bool *coarser);

/* At the node before a step: takes the grains of event functions that have left their zeros, or are
 * allowed a smaller error. */
int ess_refine(ess_driver *d);

/* ---- the ledger of crossings ----------------------------------------------------------------- */

/* MANY: crossings that ties, rounding and contacts that bounce by turns make in a row, for each
 * event function or beside some for each; and refusals of a step in a row for an event function's
 * turning. ALIKE: returns, or ratios of impacts, in a row that leave no doubt. */
enum { ESS_MANY = 16, ESS_ALIKE = 8 };

/* Event function k is about to be crossed at the node. Fails where there are too many crossings, or
 * where they are a slide. ess_count_crossing: one of an impact, which is no return to a surface. */
int ess_note_crossing(ess_driver *d, size_t k);
int ess_count_crossing(ess_driver *d, size_t k);

/* Counts the returns to this event function from now on. */
void ess_watch_returns_of(ess_driver *d, size_t k);

/* Event function k is crossed in a step: time passes. */
static inline void ess_count_return(ess_driver *d, size_t k) {
  ess_returns *const r = &d->returns;
  if (k == r->guard) {
    r->count++;
    r->others = 0;
  } else if (++r->others > ESS_MANY * d->system.event_count) {
    ess_watch_returns_of(d, k);
  }
}

/* Does what the record of the crossings made so far asks for, at the node. */
int ess_obey_returns(ess_driver *d);

/* The mode changes at the node by event function k: fails where it does so without end. */
int ess_watch_progress(ess_driver *d, size_t k);

/* Another trajectory begins at time t; an apply does; nothing is known of guards. */
void ess_returns_begin(ess_driver *d, double t);
void ess_returns_open(ess_driver *d);
void ess_returns_forget(ess_driver *d);

/* The run ends at this time with this status, which is left to the loop where the state may rest
 * instead: ESS_ENDS. ess_end makes that failure; ess_rest_instead does, unless guards of impacts
 * are found that may hold the state. */
int ess_end_or_rest(ess_driver *d, ess_status status, size_t guard, double time);
int ess_rest_instead(ess_driver *d, int status);
int ess_end(ess_driver *d);

#endif

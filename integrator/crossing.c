/*
 * Crossings: one where the state is, what observers are told of it and of steps, and returns to one
 * event function that are sliding; and those of a step that has gone through them, if it has gone
 * through all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "kinks.h"
#include "slides.h"
#include "tangents.h"

int ess_make_crossing(ess_driver *d, size_t guard, bool carried) {
  const bool silent = ess_is_silent(d, guard);
  int status = ess_note_crossing(d, guard);
  if (status) return status;
  if (silent)
    d->counters.silent++;
  else
    d->counters.crossings++;
  if (!silent && guard < d->watched.first) d->control.after.crossed = ess_guard_ahead(d, guard);
  if (d->tangents && !silent)
    status = carried ? ess_tangent_carried(d, NULL) : ess_tangent_cross(d, guard);
  if (status) return status;
  // the crossing is made, and observed, even when the model fails to follow the mode
  if (d->slides && !silent && !carried) {
    ess_slide_note(d, guard);
    d->returns.of[ess_guard_ahead(d, guard)].t = d->t;
  }
  const int way = d->sign[guard] < 0.0 ? 1 : -1; // its row may latch it back
  status = ess_cross(d, guard);
  const bool stop = !silent && ess_observe_crossing(d, guard, way, d->t, d->x);
  return stop && !status ? ess_fail(d, ESS_ESTOP, guard) : status;
}

/* the silent guards that the step just taken has passed, then those that it was cut at */
int ess_cross_silent(ess_driver *d, const double h[]) {
  bool any_reached = false;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    any_reached |= d->fate[k] == ESS_FATE_REACHED;
    if (d->fate[k] != ESS_FATE_PASSED || d->side[k] == 0.0 || d->side[k] * h[k] < 0.0) continue;
    const int status = ess_make_crossing(d, k, false);
    if (status) return status;
  }
  for (size_t i = 0; any_reached && i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->fate[k] != ESS_FATE_REACHED || d->side[k] == 0.0) continue;
    const int status = ess_make_crossing(d, k, false);
    if (status) return status;
  }
  return ESS_SUCCESS;
}

/* ---- does a step through crossings fit? ------------------------------------------------------ */

enum { QUARTIC = ESS_QUARTIC };

/* whether the guard just crossed is approached again, so fast that it may be reached within another
 * such step: the field may point to it from both sides */
static bool turns_back(const ess_driver *d, size_t i) {
  const double g = -d->side[i] * d->h_end[i], rate = -d->side[i] * d->rate_end[i];
  return rate > 0.0 && g + d->dt * rate >= 0.0;
}

/* whether what a crossing arms is not crossed in this step; silent guards may be, at its end */
static bool arms_nothing_due(const ess_driver *d, size_t i) {
  const size_t guard = ess_guard_ahead(d, i);
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t armed = d->row_guard[e];
    if (d->row_effect[e] < 0 || d->silent[armed]) continue;
    if (armed / 2 == i ? turns_back(d, i) : !ess_stays_below(d, armed, d->kinks.theta[i]))
      return false;
  }
  return true;
}

/* whether what undoes a visit is crossed once, and neither of both arms what else is due; silent
 * guards may be, at the step's end, of what undoes it */
static bool is_simple(const ess_driver *d, size_t i) {
  const ess_kinks *const k = &d->kinks;
  const size_t guard = ess_guard_ahead(d, i), undo = k->undo[i];
  double after[QUARTIC];
  ess_model_after(d, undo, k->theta[i], true, after);
  if (undo / 2 == i) after[0] = -DBL_MIN;
  if (!(after[0] < 0.0)) return false; // it is armed on the far side of its zero: not reached
  if (ess_sign_changes(after) > 1) return false;
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t armed = d->row_guard[e];
    if (d->row_effect[e] < 0 || armed == undo) continue;
    if (!ess_stays_below(d, armed, k->theta[i])) return false;
  }
  for (size_t e = d->row_start[undo]; e < d->row_start[undo + 1]; e++) {
    const size_t armed = d->row_guard[e];
    if (d->row_effect[e] == ESS_ARM_AHEAD) return false;
    if (d->row_effect[e] < 0 || d->silent[armed] || armed / 2 == i || armed / 2 == undo / 2)
      continue;
    if (!ess_stays_below(d, armed, k->until[i])) return false;
  }
  return true;
}

/* which of four guards' models rise through zero once */
static inline ess_mask rise(const ess_driver *d, size_t i) {
  const ess_models m = ess_model_guards(d, i);
  return ess_rise_once(&m, (ess_lanes){0.0});
}

/* which of four are crossings that are made, once */
static inline ess_mask rise_once(const ess_driver *d, size_t i) {
  return rise(d, i) & ess_mask_at(d->kinks.known, i) & ess_mask_at(d->kinks.made, i) &
         ~(ess_lanes_load(d->kinks.until + i) < 1.0);
}

/* silent guards that the step goes through, each for good */
static bool is_passed(ess_driver *d, size_t i) {
  d->fate[i] = ESS_FATE_PASSED;
  return ess_row_is_local(d, i);
}

/* whether a flagged guard is one that the step goes through, or is silent and passed for good */
static bool is_accounted_for(ess_driver *d, size_t i) {
  const ess_kinks *const k = &d->kinks;
  double b[QUARTIC];
  ess_model_guard(d, i, b);
  const bool known = ess_is_set(k->known, i), ends_above = b[QUARTIC - 1] >= 0.0;
  if (known && ess_is_visit(k, i))
    return b[0] < 0.0 && ess_sign_changes(b) == 2 - ends_above && !ess_is_set(k->made, i);
  // what bounds it is above its level, but it is not
  const bool misses = !ends_above && ess_quartic_upcrossing(b) > 1.0;
  if (b[0] < 0.0 && misses && !(known && ess_is_set(k->made, i))) return true;
  if (!(b[0] < 0.0) || ess_sign_changes(b) != 1 || !ends_above) return false;
  return ess_is_silent(d, i) ? is_passed(d, i) : known && ess_is_set(k->made, i);
}

/* whether each of them is; most are crossed once, and known by four at once */
static bool are_accounted_for(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  double *const plain = k->error[0]; // masks
  size_t looked_at = SIZE_MAX;
  ess_mask rising = {0};
  for (size_t n = 0; n < k->groups; n++)
    ess_keep_mask(plain, k->group[n], rise_once(d, k->group[n]));
  for (size_t n = 0; n < d->flagged_count; n++) {
    const size_t i = d->flagged[n], lane = i % ESS_LANES;
    const bool known = ess_is_set(k->known, i);
    if (known && ess_is_set(plain, i)) continue;
    if (!known && ess_is_silent(d, i)) {
      if (looked_at != i - lane) rising = rise(d, looked_at = i - lane);
      if (rising[lane] && !is_passed(d, i)) return false;
      if (rising[lane]) continue;
    }
    if (!is_accounted_for(d, i)) return false;
  }
  return true;
}

/* which of four crossings arm a guard that is due in this step: one of others, or their own */
static inline ess_mask arm_due(const ess_driver *d, size_t i) {
  const ess_kinks *const k = &d->kinks;
  const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0};
  const ess_lanes rate = -side * ess_lanes_load(d->rate_end + i);
  const ess_lanes soon = d->dt * rate - side * ess_lanes_load(d->h_end + i);
  const ess_mask is_paired = ess_lanes_load(k->pair_side + i) != zero;
  ess_mask due = (rate > zero) & (soon >= zero) & ~is_paired;
  if (ess_mask_any(is_paired))
    due |= ~ess_stay_below(d, k->pair + i, ess_lanes_load(k->pair_side + i),
                           ess_lanes_load(k->theta + i)) &
           is_paired;
  return due & ess_mask_at(k->known, i) & ess_mask_at(k->made, i) & ess_mask_at(k->undoable, i);
}

/* whether a crossing that is undone may be, and one whose row arms several arms none that is due */
static bool are_simple(const ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  for (size_t n = 0; n < k->count; n++) {
    const size_t i = k->kink[n];
    const bool made = ess_is_set(k->made, i), visit = ess_is_visit(k, i);
    if (visit && (made || !is_simple(d, i))) return false;
    if (made && !arms_nothing_due(d, i)) return false;
  }
  return true;
}

bool ess_kinks_fits(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  if (!are_accounted_for(d)) return false;
  if (k->count + k->visits > d->system.guard_count && k->visits) return false;
  for (size_t n = 0; n < k->groups; n++)
    if (ess_mask_any(arm_due(d, k->group[n]))) return false;
  return (!k->visits && !k->arm_more) || are_simple(d);
}

/* ---- a step through crossings ---------------------------------------------------------------- */

/* A step through crossings becomes part of the trajectory: its crossings are made in the order of
 * their times, and told of. */

/* the run ends within the step, at this time */
static void stop_at(ess_driver *d, double t) {
  ess_piece_state(d, t, d->stage[1]);
  memcpy(d->x, d->stage[1], d->lanes * sizeof *d->x);
  ess_take_time(d, d->piece.t1 = d->failure.time = t);
}

static double time_at(const ess_driver *d, double theta) {
  return ess_smaller(d->piece.t0 + theta * d->piece.length, d->piece.t1);
}

/* crossing k of the step, at theta */
static inline int make_one(ess_driver *d, size_t k, double theta) {
  if (d->apply_crossings++ >= d->options.max_crossings) return ess_fail(d, ESS_EMAXCROSSINGS, k);
  d->counters.crossings++;
  ess_count_return(d, k);
  const int way = d->sign[k] < 0.0 ? 1 : -1, status = ess_cross(d, k);
  if (!d->options.observer.crossing) return status;
  const double t = time_at(d, theta);
  ess_piece_state(d, t, d->stage[1]);
  const bool stop = ess_observe_crossing(d, k, way, t, d->stage[1]);
  return stop && !status ? ess_fail(d, ESS_ESTOP, k) : status;
}

/* those that are undone, too, in the order of their times */
static int make_in_turn(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  d->batch_count = 0;
  for (size_t n = 0; n < k->count; n++) {
    const size_t i = k->kink[n];
    const bool visited = ess_is_visit(k, i);
    if (visited || ess_is_set(k->made, i)) ess_list_in_batch(d, i, k->theta[i]);
    if (visited) ess_list_in_batch(d, k->undo[i] / 2, k->until[i]);
  }
  ess_sort_by_time(d->batch_time, d->batch, d->batch_count);
  for (size_t i = 0; i < d->batch_count; i++) {
    const int status = make_one(d, d->batch[i], d->batch_time[i]);
    if (status) stop_at(d, time_at(d, d->batch_time[i]));
    if (status) return status;
  }
  return ESS_SUCCESS;
}

static int make_crossings(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  // others do not concern each other: the order matters to who is told, or where it ends at one
  if (k->visits || d->options.observer.crossing || d->system.mode_changed ||
      d->apply_crossings + k->count > d->options.max_crossings)
    return make_in_turn(d);
  for (size_t n = 0; n < k->count; n++) {
    const size_t i = k->kink[n];
    const int status = ess_is_set(k->made, i) ? make_one(d, i, k->theta[i]) : ESS_SUCCESS;
    if (status) stop_at(d, time_at(d, k->theta[i]));
    if (status) return status;
  }
  return ESS_SUCCESS;
}

/* silent guards that this one's row has armed, and that have been passed since */
static inline int cross_armed_silent(ess_driver *d, size_t guard) {
  int status = ESS_SUCCESS;
  if (!d->kinks.row[guard].arms_silent) return ESS_SUCCESS;
  for (size_t e = d->row_start[guard]; !status && e < d->row_start[guard + 1]; e++) {
    const size_t other = d->row_guard[e] / 2;
    if (d->row_effect[e] < 0 || !ess_is_armed(d, other) || !ess_is_silent(d, other)) continue;
    if (d->side[other] * d->h[other] >= 0.0) status = ess_make_crossing(d, other, false);
  }
  return status;
}

static int cross_all_silent(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  for (size_t n = 0; !status && n < k->count; n++) {
    const size_t i = k->kink[n];
    // the row of the guard that was crossed: the one behind now
    const size_t guard = d->sign[i] > 0.0 ? ESS_GUARD_UP(i) : ESS_GUARD_DOWN(i);
    if (ess_is_visit(k, i)) status = cross_armed_silent(d, k->undo[i]);
    if (ess_is_set(k->made, i)) status = cross_armed_silent(d, guard);
  }
  return status;
}

int ess_kinks_take(ess_driver *d, double t1) {
  const double t0 = d->t;
  if (d->doubt.count) ess_suspect_none(d);
  ess_piece_step(d, d->dt);
  d->counters.steps++;
  d->counters.through++;
  ess_kinks_accepted(d);
  ess_take_whole_step(d, t1);
  d->t_seen = d->t;
  int status = make_crossings(d);
  if (!status) status = ess_kinks_give_up(d); // companions of what was not crossed after all
  if (!status) status = ess_cross_silent(d, d->h);
  if (!status) status = cross_all_silent(d);
  if (!status) status = ess_refill(d);
  ess_sample_piece(d, d->t); // no further than an observer has let it go
  return status ? status : ess_observe_step(d, t0);
}

/* ---- crossings of what is idle --------------------------------------------------------------- */

int ess_cross_idle(ess_driver *d, const double h[]) {
  int status = ESS_SUCCESS;
  d->batch_count = 0;
  for (size_t n = 0; n < d->flagged_count; n++) {
    const size_t k = d->flagged[n];
    if (d->fate[k] != ESS_FATE_IDLE || d->side[k] == 0.0 || d->side[k] * h[k] < 0.0) continue;
    double b[QUARTIC];
    ess_model_guard(d, k, b);
    ess_list_in_batch(d, k, ess_quartic_upcrossing(b));
  }
  ess_sort_by_time(d->batch_time, d->batch, d->batch_count);
  for (size_t i = 0; !status && i < d->batch_count; i++) {
    const double t = time_at(d, d->batch_time[i]);
    if (d->slides) d->returns.of[ess_guard_ahead(d, d->batch[i])].t = t;
    status = make_one(d, d->batch[i], d->batch_time[i]);
    if (status) stop_at(d, t);
  }
  // a step says the same of the next one as without them
  d->stabilised.crossings += d->batch_count;
  return status;
}

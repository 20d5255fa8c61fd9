/*
 * Crossings: one at the node, what observers are told of it and of steps, and those of a step
 * through crossings, or of a step whose event functions were idle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"
#include "tangents.h"
#include "through.h"

int ess_make_crossing(ess_driver *d, size_t k, bool carried) {
  const bool silent = ess_is_silent(d, k);
  int status = ess_note_crossing(d, k);
  if (status) return status;
  if (!silent && k < d->watched.first) d->control.after.crossed = ess_guard_ahead(d, k);
  if (d->tangents && !silent)
    status = carried ? ess_tangent_carried(d, NULL) : ess_tangent_cross(d, k);
  if (status) return status;
  if (silent)
    d->counters.silent++;
  else
    d->counters.crossings++;
  // the crossing is made, and observed, even when the model fails to follow the mode
  if (d->slides && !silent && !carried) {
    ess_slide_note(d, k);
    d->returns.of[ess_guard_ahead(d, k)].t = d->t;
  }
  const int direction = d->sign[k] < 0.0 ? 1 : -1; // its row may latch it back
  status = ess_cross(d, k);
  const bool stop = !silent && ess_observe_crossing(d, k, direction, d->t, d->x);
  return stop && !status ? ess_fail(d, ESS_ESTOP, k) : status;
}

/* Crosses these of four silent guards, which have been passed for good: in any order. */
static int cross_four_silent(ess_driver *d, size_t from, ess_mask passed) {
  unsigned bits = ess_mask_bits(passed);
  const size_t first = from + (size_t)__builtin_ctz(bits);
  const size_t count = (size_t)__builtin_popcount(bits);
  const bool at_once = count > 1 && !d->system.mode_changed && !d->slides && !d->tangents &&
                       d->apply.crossings + count <= d->options.max_crossings &&
                       ess_are_alike(d, from, passed);
  int status = at_once ? ess_watch_progress(d, first) : ESS_SUCCESS;
  if (at_once && !status) {
    d->returns.stalled += count - 1;
    d->apply.crossings += count;
    d->counters.silent += count;
    ess_cross_four(d, from, passed);
    return ESS_SUCCESS;
  }
  for (; bits && !status; bits &= bits - 1)
    status = ess_make_crossing(d, from + (size_t)__builtin_ctz(bits), false);
  return status;
}

int ess_cross_silent(ess_driver *d, const double h[]) {
  int status = ESS_SUCCESS;
  // those passed for good, by four, in any order
  for (size_t i = 0, next; i < d->flagged.count && !status; i = next) {
    const size_t from = d->flagged.list[i] - d->flagged.list[i] % ESS_LANES;
    ess_mask passed = {0};
    for (next = i; next < d->flagged.count && d->flagged.list[next] - from < ESS_LANES; next++) {
      const size_t k = d->flagged.list[next];
      if (d->flagged.fate[k] == ESS_FATE_PASSED && d->side[k] != 0.0 && d->side[k] * h[k] >= 0.0)
        passed[k - from] = -1;
    }
    if (ess_mask_any(passed)) status = cross_four_silent(d, from, passed);
  }
  for (size_t i = 0; i < d->flagged.count && !status; i++) {
    const size_t k = d->flagged.list[i];
    if (d->flagged.fate[k] == ESS_FATE_REACHED && d->side[k] != 0.0)
      status = ess_make_crossing(d, k, false);
  }
  return status;
}

/* ---- does a step through crossings fit? ------------------------------------------------------ */

enum { QUARTIC = ESS_QUARTIC };

/* Whether crossing i arms no guard that is due in this step, and so does the one that
 * undoes it, which is crossed once. Silent guards may be due at the step's end. */
static bool is_simple(const ess_driver *d, size_t i) {
  const ess_through *const k = &d->through;
  const bool made = ess_is_set(k->made, i), undone = ess_is_undone(k, i);
  const size_t guard = ess_guard_ahead(d, i), undo = k->undo[i];
  double after[QUARTIC];
  if (undone) {
    if (made) return false;
    ess_model_after(d, undo, k->theta[i], true, after);
    if (undo / 2 == i) after[0] = -DBL_MIN;
    // armed on the far side of its zero it is not reached
    if (!(after[0] < 0.0) || ess_sign_changes(after) > 1) return false;
  } else if (!made) {
    return true;
  }
  for (size_t e = d->rows.start[guard]; e < d->rows.start[guard + 1]; e++) {
    const size_t armed = d->rows.guard[e];
    if (d->rows.effect[e] < 0 ||
        (undone ? armed == undo : d->rows.kind[armed] == ESS_GUARD_ARMS_ONLY))
      continue;
    // approached again, so fast that it may be reached within another such step
    const double g = -d->side[i] * d->h_end[i], rate = -d->side[i] * d->rate_end[i];
    const bool turns_back = rate > 0.0 && g + d->dt * rate >= 0.0;
    if (!undone && armed / 2 == i ? turns_back : !ess_stays_below(d, armed, k->theta[i]))
      return false;
  }
  for (size_t e = d->rows.start[undo]; undone && e < d->rows.start[undo + 1]; e++) {
    const size_t armed = d->rows.guard[e];
    if (d->rows.effect[e] == ESS_ARM_AHEAD) return false;
    if (d->rows.effect[e] < 0 || d->rows.kind[armed] == ESS_GUARD_ARMS_ONLY || armed / 2 == i ||
        armed / 2 == undo / 2)
      continue;
    if (!ess_stays_below(d, armed, k->until[i])) return false;
  }
  return true;
}

/* whether a flagged guard is one that the step goes through, or is silent and passed for good */
static bool is_accounted_for(ess_driver *d, size_t i) {
  const ess_through *const k = &d->through;
  double b[QUARTIC];
  ess_model_guard(d, i, b);
  const bool known = ess_is_set(k->known, i), made = known && ess_is_set(k->made, i);
  const bool ends_above = b[QUARTIC - 1] >= 0.0;
  if (known && ess_is_undone(k, i))
    return b[0] < 0.0 && ess_sign_changes(b) == 2 - ends_above && !made;
  // its bound is above its level, but it is not
  if (b[0] < 0.0 && !ends_above && ess_quartic_upcrossing(b) > 1.0 && !made) return true;
  if (!(b[0] < 0.0) || ess_sign_changes(b) != 1 || !ends_above) return false;
  if (!ess_is_silent(d, i)) return made;
  d->flagged.fate[i] = ESS_FATE_PASSED;
  return ess_row_is_local(d, i);
}

/* which of four crossings arm a guard that is due in this step: another's, or their own */
static inline ess_mask arm_due(const ess_driver *d, size_t i) {
  const ess_through *const k = &d->through;
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

/* Guards that are crossed once are not flagged, as far as their models are trusted (enclosure.c).
 */
bool ess_through_fits(ess_driver *d) {
  const ess_through *const k = &d->through;
  size_t modelled = SIZE_MAX; // the four whose models are known
  ess_mask rising = {0};
  for (size_t n = 0; n < d->flagged.count; n++) {
    const size_t i = d->flagged.list[n], lane = i % ESS_LANES;
    const bool once = ess_is_set(k->once, i), known = ess_is_set(k->known, i);
    if (once || (!known && ess_is_silent(d, i))) {
      if (modelled != i - lane) {
        const ess_models m = ess_model_guards(d, modelled = i - lane);
        rising = ess_rise_once(&m, (ess_lanes){0.0});
      }
      if (rising[lane] && once) continue;
      if (rising[lane]) {
        d->flagged.fate[i] = ESS_FATE_PASSED;
        if (!ess_row_is_local(d, i)) return false;
        continue;
      }
    }
    if (!is_accounted_for(d, i)) return false;
  }
  if (k->count + k->undone > d->system.event_count && k->undone) return false;
  for (size_t n = 0; n < k->groups; n++)
    if (ess_mask_any(arm_due(d, k->group[n]))) return false;
  for (size_t n = 0; (k->undone || k->arm_more) && n < k->groups; n++)
    for (unsigned bits = ess_crossed_bits(k, k->group[n]); bits; bits &= bits - 1)
      if (!is_simple(d, k->group[n] + (size_t)__builtin_ctz(bits))) return false;
  return true;
}

/* ---- crossings within a step ----------------------------------------------------------------- */

/* Crossing k, at theta of the step that has just become part of the trajectory. Where that ends the
 * run the node is the state of the crossing. */
static inline int make_one(ess_driver *d, size_t k, double theta) {
  const double t = ess_smaller(d->piece.t0 + theta * d->piece.length, d->piece.t1);
  int status = ESS_SUCCESS;
  bool stop = false;
  if (d->apply.crossings++ >= d->options.max_crossings) {
    status = ess_fail(d, ESS_EMAXCROSSINGS, k);
  } else {
    d->counters.crossings++;
    ess_count_return(d, k);
    if (d->slides) d->returns.of[ess_guard_ahead(d, k)].t = t;
    const int direction = d->sign[k] < 0.0 ? 1 : -1;
    status = ess_cross(d, k);
    if (d->options.observer.crossing) {
      ess_piece_state(d, t, d->stage[1]);
      stop = ess_observe_crossing(d, k, direction, t, d->stage[1]);
    }
  }
  if (stop && !status) status = ess_fail(d, ESS_ESTOP, k);
  if (!status) return ESS_SUCCESS;
  ess_piece_state(d, t, d->stage[1]);
  memcpy(d->x, d->stage[1], d->lanes * sizeof *d->x);
  ess_take_time(d, d->piece.t1 = d->failure.time = t);
  return status;
}

/* The crossings of four event functions, which need no order: no state between them is reported. */
static int make_four(ess_driver *d, size_t i, ess_mask which) {
  ess_returns *const r = &d->returns;
  unsigned bits = ess_mask_bits(which);
  const size_t count = (size_t)__builtin_popcount(bits);
  const bool returns =
      r->guard - i < ESS_LANES || r->others + count > ESS_MANY * d->system.event_count;
  if (!returns && !d->slides && ess_are_alike(d, i, which)) {
    d->apply.crossings += count;
    d->counters.crossings += count;
    r->others += count;
    ess_cross_four(d, i, which);
    return ESS_SUCCESS;
  }
  int status = ESS_SUCCESS;
  for (; bits && !status; bits &= bits - 1) {
    const size_t k = i + (size_t)__builtin_ctz(bits);
    status = make_one(d, k, d->through.theta[k]);
  }
  return status;
}

/* the batch, in the order of times, or as it is listed */
static int make_batch(ess_driver *d, bool in_turn) {
  int status = ESS_SUCCESS;
  if (in_turn) ess_sort_by_time(d->batch.time, d->batch.list, d->batch.count);
  for (size_t i = 0; !status && i < d->batch.count; i++)
    status = make_one(d, d->batch.list[i], d->batch.time[i]);
  return status;
}

/* Crosses the silent guards that this one's row has armed and that have been passed since. */
static inline int cross_armed_silent(ess_driver *d, size_t guard) {
  int status = ESS_SUCCESS;
  if (!d->through.row[guard].arms_silent) return ESS_SUCCESS;
  for (size_t e = d->rows.start[guard]; !status && e < d->rows.start[guard + 1]; e++) {
    const size_t other = d->rows.guard[e] / 2;
    if (d->rows.effect[e] < 0 || !ess_is_armed(d, other) || !ess_is_silent(d, other)) continue;
    if (d->side[other] * d->h[other] >= 0.0) status = ess_make_crossing(d, other, false);
  }
  return status;
}

/* which of these four are armed and silent, and have been passed */
static inline ess_mask are_passed(const ess_driver *d, size_t i, ess_mask which) {
  const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0};
  const ess_mask silent = (side != zero) & (ess_lanes_load(d->is_silent + i) != zero);
  return which & silent & (side * ess_lanes_load(d->h + i) >= zero);
}

/* The same for the crossings of a group, which have been made. */
static int cross_armed_silent_of(ess_driver *d, size_t i) {
  const ess_through *const k = &d->through;
  const ess_mask made = ess_mask_at(k->known, i) & ess_mask_at(k->made, i);
  unsigned bits = ess_crossed_bits(k, i);
  const unsigned up = ess_mask_bits(made & (ess_lanes_load(d->sign + i) > (ess_lanes){0.0}));
  const bool same_way = !up || up == ess_mask_bits(made), down = !up;
  int status = ESS_SUCCESS;
  if (bits && !k->undone && same_way && k->is_alike[i / 2 + down]) {
    const ess_crossing_row *const r = &k->row[2 * i + down];
    if (!r->arms_silent || !ess_mask_any(made)) return ESS_SUCCESS;
    const ess_mask own = are_passed(d, i, made);
    if (r->arms_mirror && ess_mask_any(own)) status = cross_four_silent(d, i, own);
    if (status || r->other == ESS_NONE || r->sign == 0.0) return status;
    const ess_mask others = are_passed(d, r->other, made);
    return ess_mask_any(others) ? cross_four_silent(d, r->other, others) : ESS_SUCCESS;
  }
  for (; bits && !status; bits &= bits - 1) {
    const size_t one = i + (size_t)__builtin_ctz(bits);
    // the row of the guard that was crossed: the one behind now
    const size_t guard = d->sign[one] > 0.0 ? ESS_GUARD_UP(one) : ESS_GUARD_DOWN(one);
    if (ess_is_undone(k, one)) status = cross_armed_silent(d, k->undo[one]);
    if (!status && ess_is_set(k->made, one)) status = cross_armed_silent(d, guard);
  }
  return status;
}

int ess_through_take(ess_driver *d, double t1) {
  const ess_through *const k = &d->through;
  const double t0 = d->t;
  if (d->doubt.count) ess_suspect_none(d);
  ess_piece_step(d, d->dt);
  d->counters.steps++;
  d->counters.through++;
  ess_through_accepted(d);
  ess_take_whole_step(d, t1);
  int status = k->end_turns ? ess_guard_rates(d, d->t, d->x, d->f, d->h, d->rate) : ESS_SUCCESS;
  if (status) return status;
  d->apply.t_seen = d->t;
  // crossings that are not undone do not concern each other: their order matters to observers, and
  // where the run ends at one
  const bool in_turn = k->undone || d->options.observer.crossing || d->system.mode_changed ||
                       d->apply.crossings + k->count > d->options.max_crossings;
  d->batch.count = 0;
  for (size_t n = 0; in_turn && n < k->groups; n++)
    for (unsigned bits = ess_crossed_bits(k, k->group[n]); bits; bits &= bits - 1) {
      const size_t i = k->group[n] + (size_t)__builtin_ctz(bits);
      const bool undone = ess_is_undone(k, i);
      if (undone || ess_is_set(k->made, i)) ess_list_in_batch(d, i, k->theta[i]);
      if (undone) ess_list_in_batch(d, k->undo[i] / 2, k->until[i]);
    }
  if (in_turn) status = make_batch(d, true);
  for (size_t n = 0; !in_turn && !status && n < k->groups; n++) {
    const ess_mask made = ess_mask_at(k->known, k->group[n]) & ess_mask_at(k->made, k->group[n]);
    if (ess_mask_any(made)) status = make_four(d, k->group[n], made);
  }
  if (!status) status = ess_through_give_up(d); // companions of what was not crossed after all
  if (!status) status = ess_cross_silent(d, d->h);
  for (size_t n = 0; !status && n < k->groups; n++) status = cross_armed_silent_of(d, k->group[n]);
  if (!status) status = ess_refill(d);
  ess_sample_piece(d, d->t); // no further than an observer has let it go
  return status ? status : ess_observe_step(d, t0);
}

int ess_cross_idle(ess_driver *d, const double h[]) {
  d->batch.count = 0;
  for (size_t n = 0; n < d->flagged.count; n++) {
    const size_t k = d->flagged.list[n];
    if (d->flagged.fate[k] != ESS_FATE_IDLE || d->side[k] == 0.0 || d->side[k] * h[k] < 0.0)
      continue;
    double b[QUARTIC];
    ess_model_guard(d, k, b);
    ess_list_in_batch(d, k, ess_quartic_upcrossing(b));
  }
  // a step says the same of the next one as without them
  d->choice.crossings += d->batch.count;
  return make_batch(d, true);
}

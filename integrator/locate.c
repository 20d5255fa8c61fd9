/*
 * Where the first candidate reaches its level within a step: the models of the few guards that do
 * (enclosure.c) say where to look, the event functions themselves decide.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"

enum { QUARTIC = ESS_QUARTIC };

/* ---- the few that may be the first ----------------------------------------------------------- */

/* Leaves on the list only the guards that may cross before the likely first one, which dismisses
 * most of a hundred at once; false when nothing can be said. The likely first one, silent ones
 * aside, is that of the chords between the places looked at. */
static bool keep_first_ones(ess_driver *d) {
  const double at[] = {0.0, d->inside.compared.at[0], 0.5, d->inside.compared.at[1], 1.0};
  size_t likely = SIZE_MAX;
  double soonest = ESS_NEVER, b[QUARTIC];
  for (size_t i = 0; i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    const double h[] = {d->h[k], d->inside.beside[0][k], d->inside.middle[k],
                        d->inside.beside[1][k], d->h_end[k]};
    double before = d->side[k] * h[0] - d->levels.at[k], now = before;
    if (before >= 0.0 || ess_is_silent(d, k)) continue;
    int j = 0;
    while (now < 0.0 && ++j < QUARTIC) {
      before = now;
      now = d->side[k] * h[j] - d->levels.at[k];
    }
    if (!(now >= 0.0)) continue;
    const double theta = at[j] - now / (now - before) * (at[j] - at[j - 1]);
    if (theta >= soonest) continue;
    soonest = theta;
    likely = k;
  }
  if (likely == SIZE_MAX) return false;
  if (d->levels.at[likely] < 0.0) d->scheme->place_level(d, likely);
  ess_model_guard(d, likely, b);
  const double theta = b[0] < 0.0 ? ess_quartic_upcrossing(b) : ESS_NEVER;
  if (theta > 1.0) return false;
  ess_keep_rivals(d, theta);
  return true;
}

/* ---- guards that are armed beyond their levels ----------------------------------------------- */

/* A guard that is armed beyond its level is not crossed while it recedes. If it goes below, it is
 * crossed where it comes back; if it turns before, it is crossed where it turns: from there on it
 * is on the wrong side. The model says which of both, and about where; the event function decides.
 */

/* the height of event function k's guard above its level at theta, and its rate along the dense
 * output */
static int rise_at(ess_driver *d, size_t k, double theta, double *excess, double *rise) {
  double h, rate;
  ess_dopri5_dense(d, theta, d->x_try);
  ess_dopri5_slope(d, theta, d->v_try);
  const int status =
      ess_some_guard_rates(d, d->t + theta * d->dt, d->x_try, d->v_try, &k, 1, &h, &rate);
  if (status) return status;
  if (!isfinite(h + rate)) return ess_fail(d, ESS_EEVENT, k);
  *excess = d->side[k] * h - d->levels.at[k];
  *rise = d->side[k] * rate;
  return ESS_SUCCESS;
}

/* half-widths of the search for the turn of h_k around that of its quartic, in steps; decreasing,
 * because another turn may be near */
static const double BESIDE[] = {0x1p-5, 0x1p-9, 0x1p-14};

/* moves *theta to the event function's turn near it, and finds the height there; *found = false
 * where there is none */
static int place_turn(ess_driver *d, size_t k, double *theta, double *excess, bool *found) {
  double below = *theta, above = *theta, rise = 0.0, now = 0.0;
  int status = ESS_SUCCESS;
  *found = false;
  for (size_t i = 0; !*found && i < sizeof BESIDE / sizeof *BESIDE; i++) {
    below = ess_larger(*theta - BESIDE[i], 0.0);
    above = ess_smaller(*theta + BESIDE[i], 1.0);
    status = rise_at(d, k, below, excess, &rise);
    if (!status) status = rise_at(d, k, above, excess, &now);
    if (status) return status;
    *found = rise < 0.0 && now >= 0.0;
  }
  if (!*found) return ESS_SUCCESS;
  ess_search s = ess_search_from(above, below, above, rise);
  for (int i = 0; i < ESS_PROBES; i++) {
    ess_search_on(&s, now, NAN);
    if (ess_search_is_over(&s)) break;
    status = rise_at(d, k, s.theta, excess, &now);
    if (status) return status;
  }
  *theta = s.above;
  return rise_at(d, k, *theta, excess, &now);
}

/* error bound of a quartic's slope over that of its value: the slope of theta^2 (theta - 1/2)
 * (1 - theta)^2 is a little more than seven times its largest value */
static const double STEEPER = 8.0;

/* From which place on the i-th flagged guard counts, which starts above its level; *sure = false
 * where its model and the event function disagree. One that rises from the start is crossed where
 * it has risen by more than its tolerance: from rest, that is the root of that, up to some 1e-6 of
 * a step, later than it turned. */
static int place_beyond(ess_driver *d, size_t i, bool *sure) {
  const size_t k = d->flagged.list[i];
  const double unit = ess_level_tolerance(d, k), doubt = d->inside.inexact[k];
  double b[QUARTIC], until[QUARTIC], rest[QUARTIC], slope, excess;
  bool found;
  ess_model_guard(d, k, b);
  const bool rises_at_once = b[1] > b[0] || (b[1] == b[0] && !(b[2] < b[1]));
  double theta = rises_at_once ? 0.0 : ess_quartic_turn(b, 0.0);
  ess_quartic_split(b, ess_smaller(theta, 1.0), until, rest);
  double most = rest[0];
  for (int j = 1; j < QUARTIC; j++) most = ess_larger(rest[j], most);
  const bool turns = theta <= 1.0 && most > rest[0] + unit;
  d->flagged.theta[i] = turns ? theta : ESS_NEVER;
  *sure = true;
  if (turns && theta == 0.0) d->levels.at[k] += b[0] + unit;
  if (theta == 0.0) return ESS_SUCCESS;
  const double soonest = ess_quartic_turn(b, STEEPER * doubt);
  *sure = theta - soonest <= BESIDE[0] || ess_quartic(b, soonest, &slope) < -doubt;
  if (!turns || ess_quartic(b, theta, &slope) < 0.0) return ESS_SUCCESS;
  const int status = place_turn(d, k, &theta, &excess, &found);
  if (status) return status;
  *sure &= found && !(excess < -unit);
  d->flagged.theta[i] = theta;
  d->flagged.fate[k] = ESS_FATE_TURNING;
  return ESS_SUCCESS;
}

/* From which place on each flagged guard counts. One that is silent, or idle, on which no other
 * flagged one depends, and which is passed for good, need not be found. *doubtful is one whose
 * place is not sure. */
static int place_flagged(ess_driver *d, size_t *doubtful) {
  // the crossing of an idle guard only arms its mirror image: that can wait for the step's end
  const bool may_be_idle = d->system.idle && !d->system.affine_in_signs && !d->tangents &&
                           !d->rodas && !ess_is_sliding(d) && ess_locates(d);
  for (size_t i = 0; i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    double b[QUARTIC];
    if (d->levels.at[k] < 0.0) d->scheme->place_level(d, k);
    d->flagged.fate[k] = ESS_FATE_SOUGHT;
    d->flagged.theta[i] = 0.0;
    if (!(d->side[k] * d->h[k] < d->levels.at[k])) {
      bool sure;
      const int status = place_beyond(d, i, &sure);
      if (!sure) *doubtful = k;
      if (status || !sure) return status;
      continue;
    }
    const bool silent = ess_is_silent(d, k);
    const bool idle = may_be_idle && d->idle.in_step[k] && !silent && !ess_is_impact(d, k);
    if (!silent && !idle) continue;
    ess_model_guard(d, k, b);
    if (ess_sign_changes(b) == 1 && ess_row_is_local(d, k)) {
      d->flagged.fate[k] = idle ? ESS_FATE_IDLE : ESS_FATE_PASSED;
      d->flagged.theta[i] = ESS_NEVER; // it stops no search
    }
  }
  return ESS_SUCCESS;
}

/* ---- the first of them ----------------------------------------------------------------------- */

/* a search for the level, and the values at its last place */
typedef struct probe {
  ess_search search;
  double theta;
  size_t guard;  /* the guard furthest above its level, relative to its tolerance */
  double excess; /* its g - level */
  bool close;    /* excess within its tolerance */
} probe;

/* the flagged guard whose model crosses first, and where; SIZE_MAX when none does */
static size_t first_flagged(const ess_driver *d, double *theta) {
  size_t first = SIZE_MAX;
  *theta = ESS_NEVER;
  for (size_t i = 0; i < d->flagged.count; i++) {
    double b[QUARTIC], slope, crossing = d->flagged.theta[i];
    if (crossing > 1.0) continue;
    if (d->flagged.fate[d->flagged.list[i]] != ESS_FATE_TURNING) {
      ess_model_guard(d, d->flagged.list[i], b);
      // most often it does not come before the first so far, at the price of one evaluation
      if (*theta <= 1.0 && ess_sign_changes(b) == 1 && ess_quartic(b, *theta, &slope) < 0.0)
        continue;
      crossing = ess_quartic_upcrossing(b);
    }
    if (!(crossing < *theta)) continue;
    *theta = crossing;
    first = i;
  }
  return first;
}

/* the height of the i-th flagged guard above its level at theta, by its value in h_try, and the
 * tolerance of that; of one that turns, how far theta is beyond its turn */
static double excess_at(const ess_driver *d, size_t i, double theta, double *unit) {
  const size_t k = d->flagged.list[i];
  const bool turns = d->flagged.fate[k] == ESS_FATE_TURNING;
  *unit = turns ? ESS_PLACED : ess_level_tolerance(d, k);
  return turns ? theta - d->flagged.theta[i] : d->side[k] * d->h_try[k] - d->levels.at[k];
}

/* evaluates the flagged guards at theta, into h_try */
static int look(ess_driver *d, double theta, probe *p) {
  const bool by_some = d->caller.system.event_rates && d->flagged.count < d->system.event_count;
  const double t = d->t + theta * d->dt;
  ess_dopri5_dense(d, theta, d->x_try);
  memset(d->v_try, 0, d->lanes * sizeof *d->v_try); // values alone are asked for
  const int status = by_some ? ess_some_guard_rates(d, t, d->x_try, d->v_try, d->flagged.list,
                                                    d->flagged.count, d->some_h, d->rate_try)
                             : ess_event_values(d, t, d->x_try, d->h_try);
  if (status) return status;
  for (size_t i = 0; by_some && i < d->flagged.count; i++)
    d->h_try[d->flagged.list[i]] = d->some_h[i];
  p->theta = theta;
  p->excess = -INFINITY;
  double furthest = -INFINITY;
  for (size_t i = 0; i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    if (theta < d->flagged.theta[i]) continue;
    double unit;
    const double excess = excess_at(d, i, theta, &unit);
    if (!isfinite(d->h_try[k])) return ess_fail(d, ESS_EEVENT, k);
    if (excess / unit <= furthest) continue;
    furthest = excess / unit;
    p->excess = excess;
    p->guard = k;
  }
  p->close = fabs(furthest) <= 1.0;
  return ESS_SUCCESS;
}

/* Searches from the model's crossing for the real one; *found = false for a false alarm. A bracket
 * ends the search if the slope of the model leads no further, and the step may be cut anywhere in
 * it: h_k jumps there, or its rounding exceeds its change along the step. */
static int refine(ess_driver *d, probe *p, bool *found) {
  ess_search *const s = &p->search;
  for (int i = 0; i < ESS_PROBES; i++) {
    double b[QUARTIC], slope = 1.0; // of one that turns
    const int status = look(d, s->theta, p);
    *found = p->close;
    if (status || p->close) return status;
    if (p->excess > -INFINITY && d->flagged.fate[p->guard] != ESS_FATE_TURNING) {
      ess_model_guard(d, p->guard, b);
      ess_quartic(b, s->theta, &slope);
    }
    ess_search_on(s, p->excess, slope);
    if (ess_search_is_over(s)) break;
    const double width = s->above - s->below;
    if (!ess_search_is_halved(s) || width > ESS_LOCATED) continue;
    for (size_t j = 0; j < d->lanes; j++) d->x_try[j] = width * (d->x_end[j] - d->x[j]);
    if (ess_scaled_norm(d, d->x_try, d->x, d->x_end) <= ESS_UNFELT) break;
  }
  // the bracket is as narrow as it gets: the guard at its upper end decides
  const int status = look(d, s->above, p);
  *found = p->excess >= 0.0;
  return status;
}

/* whether a guard that was not flagged, and is below its level at the node, lies above it at the
 * probe: its model said that it would not */
static bool overlooked(const ess_driver *d) {
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK; k < (b + 1) * ESS_BLOCK; k += ESS_LANES) {
      const ess_lanes h = ess_lanes_load(d->h + k), side = ess_lanes_load(d->side + k);
      const ess_lanes level = ess_lanes_load(d->levels.at + k);
      const ess_lanes size = ess_lanes_abs(h) + ess_lanes_abs(ess_lanes_load(d->h_end + k));
      const ess_lanes slight = ESS_SLIGHT(ess_lanes_load(d->levels.scale + k), size);
      const ess_mask above =
          (side * ess_lanes_load(d->h_try + k) - level > slight) & (side * h < level);
      if (!ess_mask_any(above)) continue;
      for (size_t i = 0; i < ESS_LANES; i++)
        if (above[i] && !d->flagged.fate[k + i]) return true;
    }
  }
  return false;
}

/* The first crossing is found at the probe: every guard is looked at there, and those at their
 * level are where the step is cut. */
static int settle(ess_driver *d, const probe *p, ess_location *found) {
  double b[QUARTIC], until[QUARTIC], rest[QUARTIC], slope, unit;
  if (d->caller.system.event_rates && d->flagged.count < d->system.event_count) {
    const int status = ess_event_values(d, d->t + p->theta * d->dt, d->x_try, d->h_try);
    if (status) return status;
  }
  found->use = ESS_USE_CUT;
  found->theta = p->theta;
  if (overlooked(d)) found->doubt_guard = p->guard;
  for (size_t i = 0; i < d->flagged.count; i++) {
    // a guard that the model has touched and left before was not there: it may be elsewhere
    const size_t k = d->flagged.list[i];
    if (d->flagged.theta[i] > 1.0) continue;
    ess_model_guard(d, k, b);
    ess_quartic_split(b, p->theta, until, rest);
    const int expected = b[0] < 0.0 ? 1 : 2;
    if (ess_sign_changes(until) > expected && !ess_model_is_exact(d, k))
      found->doubt_guard = p->guard;
  }
  for (size_t i = 0; found->doubt_guard == SIZE_MAX && i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    const double excess = excess_at(d, i, p->theta, &unit);
    // one that is armed beyond its level does not count until it comes back, or turns
    if (excess < -unit || p->theta < d->flagged.theta[i]) continue;
    if (excess < 0.0 && k != p->guard) {
      ess_model_guard(d, k, b);
      ess_quartic(b, p->theta, &slope);
      if (slope < 0.0) continue; // it recedes
    }
    d->flagged.fate[k] = ess_is_silent(d, k) ? ESS_FATE_REACHED : ESS_FATE_ENTERED;
  }
  return ESS_SUCCESS;
}

int ess_locate_flagged(ess_driver *d, ess_location *found) {
  *found = (ess_location){.theta = 1.0, .doubt_guard = SIZE_MAX};
  bool shortened = d->flagged.count > 1 && keep_first_ones(d);
  int status = place_flagged(d, &found->doubt_guard);
  for (;;) {
    // the guard whose model crosses first shows where to look for the first real crossing of any
    double theta;
    bool real;
    const bool is_over = status || found->doubt_guard != SIZE_MAX;
    const size_t first = is_over ? SIZE_MAX : first_flagged(d, &theta);
    if (first == SIZE_MAX) {
      if (status || !shortened) return status;
      // a false alarm: the others count again
      shortened = false;
      found->doubt_guard = ess_flag_events(d);
      if (found->doubt_guard == SIZE_MAX) status = place_flagged(d, &found->doubt_guard);
      continue;
    }
    probe p = {.search = ess_search_from(theta, 0.0, 1.0, NAN)};
    status = refine(d, &p, &real);
    if (status) return status;
    if (real) {
      // where it has come to the place from which its guard counts, and that lies beyond the level
      // already, the guard went below and rose again where its model does not say
      const size_t i = ess_place_in(d->flagged.list, d->flagged.count, p.guard);
      if (p.close || !(p.search.below < d->flagged.theta[i])) return settle(d, &p, found);
      found->doubt_guard = p.guard;
    } else {
      d->flagged.theta[first] = ESS_NEVER;
      // it crosses elsewhere, or not at all
      if (!ess_model_is_exact(d, d->flagged.list[first]))
        found->doubt_guard = d->flagged.list[first];
    }
  }
}

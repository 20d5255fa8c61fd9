/*
 * Where the first candidate reaches its level within a step: the models of the few guards that do
 * (enclosure.c) say where to look, the event functions themselves decide.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"

/* ---- the search ------------------------------------------------------------------------------ */

enum { QUARTIC = ESS_QUARTIC, PROBES = 80, NEWTON_PROBES = 8 };

/* where a search for the level stands: the probe, what it found, and the bracket around it */
typedef struct probe {
  double theta, below, above;
  size_t guard;  /* the guard furthest above its level, relative to its tolerance */
  double excess; /* its g - level */
  bool close;    /* excess within its tolerance */
} probe;

/* where guard k first rises to its level, by the chords between the places it has been looked at;
 * ESS_NEVER when it lies above at the start, or below at all of them */
static double rises_by_chords(const ess_driver *d, size_t k) {
  const double side = d->side[k], level = d->level[k];
  const double g[] = {side * d->h[k] - level, side * d->h_check[0][k] - level,
                      side * d->h_mid[k] - level, side * d->h_check[1][k] - level,
                      side * d->h_end[k] - level};
  const double theta[] = {0.0, d->looked.at[0], 0.5, d->looked.at[1], 1.0};
  if (g[0] >= 0.0) return ESS_NEVER;
  for (int i = 1; i < QUARTIC; i++)
    if (g[i] >= 0.0) return theta[i] - g[i] / (g[i] - g[i - 1]) * (theta[i] - theta[i - 1]);
  return ESS_NEVER;
}

/* the flagged guard that is likely to be the first, silent ones aside; SIZE_MAX when chords show
 * none */
static size_t likely_first(const ess_driver *d) {
  size_t likely = SIZE_MAX;
  double soonest = ESS_NEVER;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    const double theta = rises_by_chords(d, k);
    if (theta >= soonest || ess_is_silent(d, k)) continue;
    soonest = theta;
    likely = k;
  }
  return likely;
}

/* leaves on the list only the guards that may cross before the likely first one, which dismisses
 * most of a hundred at once; false when nothing can be said */
static bool keep_first_ones(ess_driver *d) {
  const size_t likely = likely_first(d);
  if (likely == SIZE_MAX) return false;
  double b[QUARTIC];
  if (d->level[likely] < 0.0) d->scheme->place_level(d, likely);
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

/* where a model that falls turns for the first time, were its slope larger by this between its
 * ends; ESS_NEVER where it falls to the end */
static double first_turn(const double b[QUARTIC], double more) {
  double slope[QUARTIC];
  ess_quartic_slope(b, slope);
  for (int i = 1; i < QUARTIC - 1; i++) slope[i] += more;
  return ess_quartic_upcrossing(slope);
}

/* how far event function k's guard is above its level at theta, and how fast it rises there along
 * the dense output */
static int rise_at(ess_driver *d, size_t k, double theta, double *excess, double *rise) {
  double h, rate;
  ess_dopri5_dense(d, theta, d->x_try);
  ess_dopri5_slope(d, theta, d->v_try);
  const int status =
      ess_some_guard_rates(d, d->t + theta * d->dt, d->x_try, d->v_try, &k, 1, &h, &rate);
  if (status) return status;
  if (!isfinite(h + rate)) return ess_fail(d, ESS_EGUARD, k);
  *excess = d->side[k] * h - d->level[k];
  *rise = d->side[k] * rate;
  return ESS_SUCCESS;
}

/* half-widths of the search for the turn of h_k around that of its quartic, in steps; decreasing,
 * because another turn may be near */
static const double BESIDE[] = {0x1p-5, 0x1p-9, 0x1p-14};

/* error bound of a quartic's slope over that of its value: the slope of theta^2 (theta - 1/2)
 * (1 - theta)^2 is a little more than seven times its largest value */
static const double STEEPER = 8.0;

/* accuracy of the place of a turn, in steps */
static const double PLACED = 1e-14;

/* a bracket of the turn near theta, between these; *found = false where there is none */
static int bracket_turn(ess_driver *d, size_t k, double theta, double at[2], double rise[2],
                        bool *found) {
  double excess;
  *found = false;
  for (size_t i = 0; !*found && i < sizeof BESIDE / sizeof *BESIDE; i++) {
    at[0] = ess_larger(theta - BESIDE[i], 0.0);
    at[1] = ess_smaller(theta + BESIDE[i], 1.0);
    int status = rise_at(d, k, at[0], &excess, &rise[0]);
    if (!status) status = rise_at(d, k, at[1], &excess, &rise[1]);
    if (status) return status;
    *found = rise[0] < 0.0 && rise[1] >= 0.0;
  }
  return ESS_SUCCESS;
}

/* the event function's turn near theta, which becomes that, and its height there; *found = false
 * where there is none */
static int place_turn(ess_driver *d, size_t k, double *theta, double *excess, bool *found) {
  double at[2], rise[2], now;
  int status = bracket_turn(d, k, *theta, at, rise, found), last = -1;
  for (int i = 0; !status && *found && at[1] - at[0] > PLACED && i < PROBES; i++) {
    // regula falsi by Illinois: what stays twice counts half
    double next = at[1] - rise[1] * (at[1] - at[0]) / (rise[1] - rise[0]);
    if (!(next > at[0] && next < at[1])) next = 0.5 * (at[0] + at[1]);
    status = rise_at(d, k, next, excess, &now);
    const int end = now >= 0.0;
    if (end == last) rise[!end] *= 0.5;
    last = end;
    at[end] = next;
    rise[end] = now;
  }
  if (status || !*found) return status;
  *theta = at[1];
  return rise_at(d, k, *theta, excess, &now);
}

/* whether a model rises after theta by more than what is no way */
static bool rises_after(const double b[QUARTIC], double theta, double unit) {
  double until[QUARTIC], rest[QUARTIC];
  ess_quartic_split(b, theta, until, rest);
  double most = rest[0];
  for (int i = 1; i < QUARTIC; i++) most = ess_larger(rest[i], most);
  return most > rest[0] + unit;
}

/* whether it does so from the start */
static bool rises_at_once(const double b[QUARTIC]) {
  return b[1] > b[0] || (b[1] == b[0] && !(b[2] < b[1]));
}

/* from which place on the i-th flagged guard counts, which starts above its level; *sure = false
 * where its model and the event function are at odds about that. One that rises from the start is
 * crossed where it has risen by what is no way: from rest, that is the root of that, up to some
 * 1e-6 of a step, later than it turned. */
static int place_beyond(ess_driver *d, size_t i, bool *sure) {
  const size_t k = d->flagged[i];
  const double unit = ess_level_tolerance(d, k), doubt = d->inexact[k];
  double b[QUARTIC], slope, excess;
  bool found;
  ess_model_guard(d, k, b);
  double theta = rises_at_once(b) ? 0.0 : first_turn(b, 0.0);
  const bool turns = theta <= 1.0 && rises_after(b, theta, unit);
  d->flagged_theta[i] = turns ? theta : ESS_NEVER;
  *sure = true;
  if (turns && theta == 0.0) d->level[k] += b[0] + unit;
  if (theta == 0.0) return ESS_SUCCESS;
  const double soonest = first_turn(b, STEEPER * doubt);
  *sure = theta - soonest <= BESIDE[0] || ess_quartic(b, soonest, &slope) < -doubt;
  if (!turns || ess_quartic(b, theta, &slope) < 0.0) return ESS_SUCCESS;
  const int status = place_turn(d, k, &theta, &excess, &found);
  if (status) return status;
  *sure &= found && !(excess < -unit);
  d->flagged_theta[i] = theta;
  d->fate[k] = ESS_FATE_TURNING;
  return ESS_SUCCESS;
}

/* whether event function k's sign acts on nothing all along the step being tried, and all that a
 * crossing comes to is that its other guard lies ahead */
static bool is_idle(const ess_driver *d, size_t k) {
  const bool is_told =
      !d->system.weights && !d->tangents && !d->rodas && !ess_is_sliding(d) && d->scheme->locates;
  return is_told && d->idle_in_step[k] && !ess_is_silent(d, k) && !ess_is_impact(d, k);
}

/* from which place on each flagged guard counts. One that is silent, or idle, on which no other
 * flagged one depends, and which is passed for good, need not be found. *doubtful is one of which
 * it cannot be told. */
static int place_flagged(ess_driver *d, size_t *doubtful) {
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->level[k] < 0.0) d->scheme->place_level(d, k);
    const bool below = d->side[k] * d->h[k] < d->level[k];
    d->fate[k] = ESS_FATE_SOUGHT;
    d->flagged_theta[i] = 0.0;
    if (!below) {
      bool sure;
      const int status = place_beyond(d, i, &sure);
      if (!sure) *doubtful = k;
      if (status || !sure) return status;
    }
    const bool idle = d->system.idle && is_idle(d, k);
    if (!below || !(ess_is_silent(d, k) || idle)) continue;
    double b[QUARTIC];
    ess_model_guard(d, k, b);
    if (ess_sign_changes(b) == 1 && ess_row_is_local(d, k)) {
      d->fate[k] = idle ? ESS_FATE_IDLE : ESS_FATE_PASSED;
      d->flagged_theta[i] = ESS_NEVER; // it stops no search
    }
  }
  return ESS_SUCCESS;
}

/* ---- the first of them ----------------------------------------------------------------------- */

/* the flagged guard whose model crosses first, and where; SIZE_MAX when none does */
static size_t first_flagged(const ess_driver *d, double *theta) {
  size_t first = SIZE_MAX;
  *theta = ESS_NEVER;
  for (size_t i = 0; i < d->flagged_count; i++) {
    double b[QUARTIC], slope, crossing = d->flagged_theta[i];
    if (crossing > 1.0) continue;
    if (d->fate[d->flagged[i]] != ESS_FATE_TURNING) {
      ess_model_guard(d, d->flagged[i], b);
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

/* how far the i-th flagged guard is above its level at theta, by its value in h_try, and what is no
 * way; of one that turns, how far theta is beyond its turn */
static double excess_at(const ess_driver *d, size_t i, double theta, double *unit) {
  const size_t k = d->flagged[i];
  const bool turns = d->fate[k] == ESS_FATE_TURNING;
  *unit = turns ? PLACED : ess_level_tolerance(d, k);
  return turns ? theta - d->flagged_theta[i] : d->side[k] * d->h_try[k] - d->level[k];
}

/* evaluates the flagged guards at p->theta, into h_try, and narrows the bracket */
static int look(ess_driver *d, probe *p) {
  const bool by_some = d->system.some_guard_rates;
  const double t = d->t + p->theta * d->dt;
  ess_dopri5_dense(d, p->theta, d->x_try);
  const int status = by_some ? ess_some_guard_rates(d, t, d->x_try, d->f, d->flagged,
                                                    d->flagged_count, d->some_h, d->rate_try)
                             : ess_guards(d, t, d->x_try, d->h_try);
  if (status) return status;
  for (size_t i = 0; by_some && i < d->flagged_count; i++) d->h_try[d->flagged[i]] = d->some_h[i];
  p->excess = -INFINITY;
  double furthest = -INFINITY;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (p->theta < d->flagged_theta[i]) continue;
    double unit;
    const double excess = excess_at(d, i, p->theta, &unit);
    if (!isfinite(d->h_try[k])) return ess_fail(d, ESS_EGUARD, k);
    if (excess / unit <= furthest) continue;
    furthest = excess / unit;
    p->excess = excess;
    p->guard = k;
  }
  p->close = fabs(furthest) <= 1.0;
  if (p->excess < 0.0)
    p->below = p->theta;
  else
    p->above = p->theta;
  return ESS_SUCCESS;
}

/* the next place to look: Newton with the model's slope, or the middle of the bracket when that
 * does not get there */
static double next_probe(const ess_driver *d, const probe *p, int probes) {
  if (p->excess > -INFINITY && probes < NEWTON_PROBES) {
    double b[QUARTIC], slope = 1.0;
    ess_model_guard(d, p->guard, b);
    if (d->fate[p->guard] != ESS_FATE_TURNING) ess_quartic(b, p->theta, &slope);
    const double newton = p->theta - p->excess / slope;
    if (newton > p->below && newton < p->above) return newton;
  }
  return 0.5 * (p->below + p->above);
}

/* The search ends at rounding, which may exceed the change of h_k along the step if h_k is a
 * difference: in a bracket narrower than NARROW steps, a value above HARDLY_LESS times the one
 * before. h_k may also jump there, so the bracket must be below UNFELT tolerances, too. */
static const double NARROW = 1e-9, HARDLY_LESS = 0.5, UNFELT = 1e-3;

/* whether a bracket is so narrow that where in it the step is cut does not matter */
static bool is_unfelt(ess_driver *d, double width) {
  if (width > NARROW) return false;
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = width * (d->x_end[i] - d->x[i]);
  return ess_scaled_norm(d, d->x_try, d->x, d->x_end) <= UNFELT;
}

/* searches from the model's crossing p->theta for the real one; *found = false for a false alarm */
static int refine(ess_driver *d, probe *p, bool *found) {
  double before = INFINITY;
  *found = false;
  for (int i = 0; i < PROBES; i++) {
    const int status = look(d, p);
    if (status) return status;
    if (p->close) {
      *found = true;
      return ESS_SUCCESS;
    }
    const double now = fabs(p->excess), width = p->above - p->below;
    if (width <= 2.0 * DBL_EPSILON * p->above) break;
    if (now >= HARDLY_LESS * before && is_unfelt(d, width)) break;
    before = now;
    p->theta = next_probe(d, p, i);
  }
  // the bracket is as narrow as it gets: what lies at its upper end decides
  p->theta = p->above;
  const int status = look(d, p);
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
      const ess_lanes level = ess_lanes_load(d->level + k);
      const ess_lanes size = ess_lanes_abs(h) + ess_lanes_abs(ess_lanes_load(d->h_end + k));
      const ess_lanes slight = ESS_SLIGHT(ess_lanes_load(d->scale + k), size);
      const ess_mask above =
          (side * ess_lanes_load(d->h_try + k) - level > slight) & (side * h < level);
      if (!ess_mask_any(above)) continue;
      for (size_t i = 0; i < ESS_LANES; i++)
        if (above[i] && !d->fate[k + i]) return true;
    }
  }
  return false;
}

/* whether guard k, which is close to its level at theta, but below it, moves away from it */
static bool recedes(const ess_driver *d, size_t k, double theta) {
  double b[QUARTIC], slope;
  ess_model_guard(d, k, b);
  ess_quartic(b, theta, &slope);
  return slope < 0.0;
}

/* whether the models have a guard touched and left before theta: there was no such thing where they
 * say, but it may be elsewhere when they are off */
static bool passed_over(const ess_driver *d, double theta) {
  for (size_t i = 0; i < d->flagged_count; i++) {
    if (d->flagged_theta[i] > 1.0) continue;
    double b[QUARTIC], until[QUARTIC], rest[QUARTIC];
    ess_model_guard(d, d->flagged[i], b);
    ess_quartic_split(b, theta, until, rest);
    const int expected = b[0] < 0.0 ? 1 : 2;
    if (ess_sign_changes(until) > expected && !ess_model_is_exact(d, d->flagged[i])) return true;
  }
  return false;
}

/* The first crossing is found at the probe: every guard is looked at there, and those at their
 * level are where the step is cut. */
static int settle(ess_driver *d, const probe *p, ess_location *found) {
  if (d->system.some_guard_rates) {
    const int status = ess_guards(d, d->t + p->theta * d->dt, d->x_try, d->h_try);
    if (status) return status;
  }
  found->cut = true;
  found->theta = p->theta;
  if (overlooked(d) || passed_over(d, p->theta)) {
    found->doubt_guard = p->guard;
    return ESS_SUCCESS;
  }
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    double unit;
    const double excess = excess_at(d, i, p->theta, &unit);
    // one that is armed beyond its level does not count until it comes back, or turns
    if (excess < -unit || p->theta < d->flagged_theta[i]) continue;
    if (excess < 0.0 && k != p->guard && recedes(d, k, p->theta)) continue;
    d->fate[k] = ess_is_silent(d, k) ? ESS_FATE_REACHED : ESS_FATE_ENTERED;
  }
  return ESS_SUCCESS;
}

int ess_locate_flagged(ess_driver *d, ess_location *found) {
  *found = (ess_location){.theta = 1.0, .doubt_guard = SIZE_MAX};
  bool shortened = d->flagged_count > 1 && keep_first_ones(d);
  int status = place_flagged(d, &found->doubt_guard);
  for (;;) {
    // the guard whose model crosses first shows where to look for the first real crossing of any
    probe p = {.below = 0.0, .above = 1.0};
    bool real;
    const bool is_over = status || found->doubt_guard != SIZE_MAX;
    const size_t first = is_over ? SIZE_MAX : first_flagged(d, &p.theta);
    if (first == SIZE_MAX) {
      if (status || !shortened) return status;
      // a false alarm: the others count again
      shortened = false;
      found->doubt_guard = ess_flag_guards(d);
      if (found->doubt_guard == SIZE_MAX) status = place_flagged(d, &found->doubt_guard);
      continue;
    }
    status = refine(d, &p, &real);
    if (status) return status;
    if (real) {
      // where it has come to the place from which its guard counts, and that lies beyond the level
      // already, the guard went below and rose again where its model does not say
      const size_t i = ess_place_in(d->flagged, d->flagged_count, p.guard);
      if (p.close || !(p.below < d->flagged_theta[i])) return settle(d, &p, found);
      found->doubt_guard = p.guard;
    } else {
      d->flagged_theta[first] = ESS_NEVER;
      // it crosses elsewhere, or not at all
      if (!ess_model_is_exact(d, d->flagged[first])) found->doubt_guard = d->flagged[first];
    }
  }
}

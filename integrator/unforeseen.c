/*
 * Where and how event functions end a sub-step, held against what their courses and the jumps had
 * foreseen: what was not foreseen is weighed into the error, and shows which are curved
 * (docs/theory/sub-steps.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "course.h"
#include "driver_state.h"
#include "jumps.h"
#include "lanes.h"
#include "listing.h"
#include "times.h"
#include "unforeseen.h"
#include "unlisted.h"

/* part of what a guard is found passed by that may be unforeseen, and the guard not be curved */
static const double OVERLOOKED = 0.1;

/* Where an event function ends off what was foretold, it may have risen above zero and come back in
 * between. It may if it is off by more than this part of how much its rate changes in the step. */
static const double PEAKS = 2e-5;

/* those that were passed over were not expected to go two thirds of the way to their zeros: so much
 * is too much */
static const double STILL_FAR = 0.75;

/* part of what crossings would move the state by, had event functions been where they ended, that
 * it is taken to be off by; and how much of that, in units of the tolerance, has the next sub-step
 * call them at its path's end */
static const double MOVED = 0.25, LOOKS = 0.05;

/* what crossings may move the state by, in units of the tolerance, where event functions have been
 * elsewhere on the way than value or rate at the end tells by itself */
static const double ASTRAY = 4.0;

/* what was not foreseen of the event functions at the end */
typedef struct surprise {
  bool known;       /* all are numbers */
  ess_mask suspect; /* one may be curved */
  bool peaked;      /* one that was not crossed may have been */
} surprise;

/* which of four event functions end otherwise than expected by so much of their range that they may
 * be curved, where that may matter: their zeros are not many ranges away */
static ess_mask may_be_curved(const ess_driver *d, size_t k, ess_lanes off, ess_lanes turned) {
  const double length = d->cluster.length;
  const ess_lanes h = ess_lanes_load(d->h_try + k), start = ess_lanes_load(d->h + k);
  const ess_lanes rate = ess_lanes_abs(ess_lanes_load(d->rate_try + k));
  const ess_lanes fast = ess_lanes_max(rate, ess_lanes_abs(ess_lanes_load(d->rate + k)));
  const ess_lanes bend = (length * length) * ess_lanes_abs(ess_lanes_load(d->cluster.square + k));
  const ess_lanes way = ess_lanes_abs(h - start);
  const ess_lanes range = ess_lanes_max(ess_lanes_max(way, length * fast), bend);
  const ess_lanes slight = ess_roundings(start, h);
  const ess_lanes most = ESS_CURVED * range + slight, side = ess_lanes_load(d->side + k);
  const ess_lanes worse = ess_lanes_max(ess_lanes_abs(off), length * ess_lanes_abs(turned));
  return (worse > most) & (side != 0.0) & (side * h > -ESS_NEAR * range);
}

/* which of four guards have been passed for longer than they may wait, and not because of what the
 * defect has moved */
static ess_mask may_be_overlooked(const ess_driver *d, size_t k, ess_lanes off) {
  const ess_lanes h = ess_lanes_load(d->h_try + k), side = ess_lanes_load(d->side + k);
  const ess_lanes late = d->cluster.wait * ess_lanes_abs(ess_lanes_load(d->rate_try + k));
  const ess_lanes slight = ess_roundings(ess_lanes_load(d->h + k), h);
  return (side * h > late) & (ess_lanes_abs(off) > OVERLOOKED * ess_lanes_abs(h) + slight);
}

/* whether four event functions are neither, at a glance: most never are */
static inline bool end_as_expected(const ess_driver *d, size_t k, ess_lanes off, ess_lanes turned,
                                   double length) {
  const ess_lanes h = ess_lanes_load(d->h_try + k);
  const ess_lanes way = ess_lanes_abs(h - ess_lanes_load(d->h + k));
  const ess_lanes worse = ess_lanes_max(ess_lanes_abs(off), length * ess_lanes_abs(turned));
  const ess_lanes side = ess_lanes_load(d->side + k);
  return !ess_mask_any((~(worse <= ESS_CURVED * way) | (side * h > 0.0)) & (side != 0.0));
}

/* whether four event functions that were passed over, being far from their zeros, still are */
static bool has_stayed_far(const ess_driver *d, size_t k) {
  const ess_lanes start = ess_lanes_load(d->h + k), h = ess_lanes_load(d->h_try + k);
  const ess_mask moved = ~(ess_lanes_abs(h - start) <= STILL_FAR * ess_lanes_abs(start));
  return !ess_mask_any(moved & (ess_lanes_load(d->side + k) != 0.0));
}

/* four event functions that were passed over: where they were to be expected */
static void expect(ess_driver *d, size_t k, const ess_terms *terms) {
  ess_cluster *const c = &d->cluster;
  const ess_course p = ess_course_of(d, k);
  ess_lanes end = ess_course_value(&p, c->length);
  for (size_t i = 0; i < terms->count; i++)
    end += terms->shift[i] * ess_lanes_load(terms->rate[i] + k);
  ess_lanes_store(c->ahead + k, end);
  c->is_far[k] = false;
}

/* which of four guards, below zero at both ends, may have been above in between, which their
 * courses did not tell well: jumps turned their rates by so much at most */
static inline ess_mask may_have_peaked(const ess_driver *d, size_t k, ess_lanes off, double length,
                                       double jumps) {
  const ess_lanes side = ess_lanes_load(d->side + k), zero = {0.0};
  const ess_lanes first = side * ess_lanes_load(d->h + k),
                  last = side * ess_lanes_load(d->h_try + k);
  const ess_lanes rate = side * ess_lanes_load(d->rate + k);
  const ess_lanes rate_end = side * ess_lanes_load(d->rate_try + k);
  const ess_lanes turn = ess_lanes_abs(rate_end - rate) + jumps;
  const ess_mask turns = (rate + jumps > zero) & (rate_end - jumps < zero);
  const ess_mask high = ess_lanes_max(first, last) + (0.25 * length) * turn >= zero;
  const ess_mask unsure = ess_lanes_abs(off) > (PEAKS * length) * turn;
  return turns & high & (first < zero) & (last < zero) & unsure;
}

/* whether those have stayed below for sure; those that have not are curved */
static bool have_stayed_below(ess_driver *d, size_t k, ess_mask peaks) {
  ess_cluster *const c = &d->cluster;
  bool stayed = true;
  for (unsigned bits = ess_mask_bits(peaks); bits; bits &= bits - 1) {
    const size_t i = k + (size_t)__builtin_ctz(bits);
    const bool watched = c->is_curved[i] || c->crossed[i] == c->trial || ess_is_settled(d, i);
    if (watched || ess_stays_below(d, i, c->ahead[i])) continue;
    ess_note_curved(d, i);
    stayed = false;
  }
  return stayed;
}

/* with how much other rates than expected event functions end is kept, for terms that many; whether
 * they and their rates are numbers there */
ESS_INLINE bool compare_rates(ess_driver *d, const ess_terms *terms, size_t count) {
  const ess_cluster *const c = &d->cluster;
  const double length = c->length;
  ess_mask known = ~(ess_mask){0};
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES) {
    const ess_course p = ess_course_of(d, k);
    ess_lanes turned = ess_lanes_load(d->rate_try + k) - ess_course_slope(&p, length);
    for (size_t i = 0; i < count; i++)
      turned -= terms->turn[i] * ess_lanes_load(terms->rate[i] + k);
    ess_lanes_store(c->defect_rate + k, turned);
    known &= ess_lanes_abs(ess_lanes_load(d->h_try + k)) + ess_lanes_abs(turned) <= DBL_MAX;
  }
  return !ess_mask_any(~known);
}

/* those that were passed over and have not stayed far are looked at after all */
static void look_at_moved(ess_driver *d, const ess_terms *terms) {
  ess_cluster *const c = &d->cluster;
  for (size_t n = 0; n < c->far_count; n++) {
    const size_t k = c->far[n];
    if (has_stayed_far(d, k)) continue;
    expect(d, k, terms);
    c->near[c->near_count++] = k;
  }
}

/* by how much event functions end elsewhere than expected is kept, and what that shows */
static void compare_near(ess_driver *d, surprise *found) {
  const ess_cluster *const c = &d->cluster;
  const double length = c->length, jumps = c->turn;
  for (size_t n = 0; n < c->near_count; n++) {
    const size_t k = c->near[n];
    const ess_lanes turned = ess_lanes_load(c->defect_rate + k);
    const ess_lanes off = ess_lanes_load(d->h_try + k) - ess_lanes_load(c->ahead + k);
    ess_lanes_store(c->ahead + k, off);
    if (!ess_any_armed(d, k)) continue;
    const ess_mask peaks = may_have_peaked(d, k, off, length, jumps);
    if (ess_mask_any(peaks)) found->peaked = !have_stayed_below(d, k, peaks) || found->peaked;
    if (!end_as_expected(d, k, off, turned, length))
      found->suspect |= may_be_curved(d, k, off, turned) | may_be_overlooked(d, k, off);
  }
}

/* whether by how much four event functions end elsewhere than expected has been kept: not of those
 * that no guard is armed on any more, nor of those that are far */
static inline bool are_compared(const ess_driver *d, size_t k) {
  return ess_any_armed(d, k) && !d->cluster.is_far[k];
}

/* the same of the others that are crossed, each by itself */
static void compare_crossed(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  const ess_made *const made = ess_all_made(d);
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    if (!c->is_made[i] || are_compared(d, k - k % ESS_LANES)) continue;
    double slope, rate;
    const double course = ess_course_at(d, k, c->length, &slope);
    c->ahead[k] = d->h_try[k] - course - ess_shift(d, k, made, c->length, &rate);
  }
}

/* as may_be_curved says it, of one that is left: its zero is near */
static bool is_left_curved(const ess_driver *d, size_t k, double off, double turned) {
  const double length = d->cluster.length, h = d->h_try[k], start = d->h[k];
  const double fast = ess_larger(fabs(d->rate_try[k]), fabs(d->rate[k]));
  const double bend = length * length * fabs(d->cluster.square[k]);
  const double range = ess_larger(ess_larger(fabs(h - start), length * fast), bend);
  const double slight = 64.0 * DBL_EPSILON * (fabs(h) + fabs(start));
  return !(ess_larger(fabs(off), length * fabs(turned)) <= ESS_CURVED * range + slight);
}

/* whether one of those that are left may be curved */
static bool compare_left(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    if (c->is_made[i] && ess_is_left(d, k) && is_left_curved(d, k, c->ahead[k], c->defect_rate[k]))
      return true;
  }
  return false;
}

static surprise compare_ends(ess_driver *d) {
  surprise found = {0};
  ess_terms terms;
  ess_terms_of(d, ess_all_made(d), d->cluster.length, &terms);
  // most often two, a jump and its trend: known so, they make no loop
  found.known =
      terms.count == 2 ? compare_rates(d, &terms, 2) : compare_rates(d, &terms, terms.count);
  look_at_moved(d, &terms);
  compare_near(d, &found);
  compare_crossed(d);
  if (compare_left(d)) found.suspect = ~(ess_mask){0};
  return found;
}

/* notes those of four event functions that are curved: what the defect does to them does not
 * explain where and how they end; whether all of them are known */
static bool note_bent(ess_driver *d, size_t k, const double by_defect[]) {
  const ess_cluster *const c = &d->cluster;
  const ess_lanes turn = ess_lanes_load(by_defect + k);
  const ess_lanes off = ess_lanes_load(c->ahead + k) - c->weight * turn;
  const ess_lanes turned = ess_lanes_load(c->defect_rate + k) - turn;
  const ess_mask overlooked = may_be_overlooked(d, k, off);
  bool known = true;
  unsigned bits = ess_mask_bits(may_be_curved(d, k, off, turned) | overlooked);
  for (; bits; bits &= bits - 1) {
    const size_t lane = (size_t)__builtin_ctz(bits), i = k + lane;
    const bool passed = overlooked[lane] && c->crossed[i] != c->trial && !ess_is_settled(d, i);
    known = known && !passed && c->is_curved[i];
    ess_note_curved(d, i);
  }
  return known;
}

/* the same of those that are left */
static bool note_left(ess_driver *d, const double by_defect[]) {
  const ess_cluster *const c = &d->cluster;
  bool known = true;
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    if (!c->is_made[i] || !ess_is_left(d, k)) continue;
    const double off = c->ahead[k] - c->weight * by_defect[k];
    if (!is_left_curved(d, k, off, c->defect_rate[k] - by_defect[k])) continue;
    known = known && c->is_curved[k];
    ess_note_curved(d, k);
  }
  return known;
}

/* the same of all; *none when there are none but those that are known */
static int note_all_bent(ess_driver *d, bool *none) {
  const ess_cluster *const c = &d->cluster;
  double *const by_defect = c->seen[0];
  const int status =
      ess_guard_rates(d, d->t + c->length, d->x_end, c->defect, c->seen[1], by_defect);
  *none = true;
  for (size_t n = 0; !status && n < c->near_count; n++)
    if (ess_any_armed(d, c->near[n])) *none = note_bent(d, c->near[n], by_defect) && *none;
  if (!status) *none = note_left(d, by_defect) && *none;
  return status;
}

/* what the state is off by, in units of the tolerance, since event functions were not quite where
 * they were expected when they were crossed */
static double weigh_offs(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  double *const moved = d->some_h;
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    const double part = ess_clamp(c->time[i] / c->length, 0.0, 1.0);
    const bool counts = c->is_made[i];
    moved[i] = counts ? part * part * c->ahead[k] / d->rate_try[k] : 0.0;
  }
  return MOVED * ess_weigh_moves(d, moved);
}

/* what it may be off by since they were elsewhere on the way, by the part of that which is too
 * much. One that was off as the square of time ends with a rate off by twice as much over the
 * length; not so where two jumps that bend a curved one make up for each other by the end. */
static double weigh_turns(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  double *const moved = d->some_h;
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    const double part = ess_clamp(c->time[i] / c->length, 0.0, 1.0);
    const double bulge = c->length * c->defect_rate[k] - 2.0 * c->ahead[k];
    const bool counts = c->is_made[i];
    moved[i] = counts ? part * part * (1.0 - part) * bulge / d->rate_try[k] : 0.0;
  }
  return ess_weigh_moves(d, moved) / ASTRAY;
}

/* both; the second where it is too much by itself */
static double weigh_crossings(ess_driver *d) {
  const double moved = weigh_offs(d), astray = weigh_turns(d);
  return astray <= 1.0 ? moved : ess_larger(moved, astray);
}

int ess_weigh_unforeseen(ess_driver *d, double *unforeseen) {
  const surprise found = compare_ends(d);
  bool none = true;
  int status = ESS_SUCCESS;
  if (ess_mask_any(found.suspect)) status = note_all_bent(d, &none);
  *unforeseen = found.known && !found.peaked && none ? weigh_crossings(d) : INFINITY;
  d->cluster.looks = !(*unforeseen <= LOOKS);
  return status;
}

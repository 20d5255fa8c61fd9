/*
 * Which guards are crossed along a sub-step without its jumps, and when: by the courses of the
 * event functions (course.h), without a call of theirs. Courses begin and go on here, and the list
 * of the event functions that are curved is kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"
#include "armed.h"
#include "bound.h"
#include "course.h"
#include "driver_state.h"
#include "impact_state.h"
#include "lanes.h"
#include "listing.h"
#include "quartic.h"
#include "resets.h"
#include "sort.h"

enum { QUARTIC = ESS_QUARTIC };

/* an event function is curved when its model over the base may be off by more of its range */
static const double CURVED = 3e-2;

/* an impact within this part of a sub-step from its beginning leaves no room for it */
static const double AT_ONCE = 1e-3;

/* largest coefficient less the smallest, of four */
static ess_lanes range_of(const ess_lanes b[QUARTIC]) {
  ess_lanes low = b[0], high = b[0];
  for (int i = 1; i < QUARTIC; i++) {
    low = ess_lanes_min(low, b[i]);
    high = ess_lanes_max(high, b[i]);
  }
  return high - low;
}

void ess_note_curved(ess_driver *d, size_t k) {
  ess_cluster *const c = &d->cluster;
  if (c->is_curved[k] || k >= d->system.guard_count) return;
  c->is_curved[k] = true;
  c->curved[c->curved_count++] = k;
}

void ess_forget_curved(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  while (c->curved_count > 0) c->is_curved[c->curved[--c->curved_count]] = false;
}

void ess_begin_courses(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double quarter = 0.25 * d->dt, per = 1.0 / d->dt, square = per * per;
  c->base_t = d->t;
  c->base_dt = d->dt;
  c->offset = 0.0;
  c->looks = true;
  c->is_corrected = false;
  ess_forget_curved(d);
  ess_model_doubts(d);
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES) {
    const ess_lanes b0 = ess_lanes_load(d->h + k), b4 = ess_lanes_load(d->h_end + k);
    const ess_lanes b1 = b0 + quarter * ess_lanes_load(d->rate + k);
    const ess_lanes b3 = b4 - quarter * ess_lanes_load(d->rate_end + k);
    const ess_lanes middle = ess_lanes_load(d->h_mid + k);
    const ess_lanes b2 = (16.0 * middle - b0 - b4 - 4.0 * (b1 + b3)) * (1.0 / 6.0);
    const ess_lanes quartic = b4 - 4.0 * (b3 + b1) + 6.0 * b2 + b0;
    ess_lanes_store(c->square + k, (6.0 * square) * (b2 - 2.0 * b1 + b0));
    ess_lanes_store(c->cubic + k, (4.0 * square * per) * (b3 - 3.0 * (b2 - b1) - b0));
    ess_lanes_store(c->quartic + k, (square * square) * quartic);
    const ess_lanes b[QUARTIC] = {b0, b1, b2, b3, b4};
    const ess_mask curved = ess_lanes_load(c->inexact + k) > CURVED * range_of(b);
    for (unsigned bits = ess_mask_bits(curved); bits; bits &= bits - 1)
      ess_note_curved(d, k + (size_t)__builtin_ctz(bits));
  }
}

void ess_restore_courses(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  if (!c->is_corrected) return;
  c->is_corrected = false;
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES)
    ess_lanes_store(c->square + k,
                    ess_lanes_load(c->square + k) - ess_lanes_load(c->corrected + k));
}

void ess_go_on_courses(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  c->is_corrected = false;
  const double o = c->length, bend = 0.5 / c->age;
  for (size_t k = 0; k < d->guard_lanes; k += ESS_LANES) {
    const ess_lanes cubic = ess_lanes_load(c->cubic + k);
    const ess_lanes quartic = ess_lanes_load(c->quartic + k);
    ess_lanes_store(c->square + k, ess_lanes_load(c->square + k) +
                                       (3.0 * o) * (cubic + (2.0 * o) * quartic) +
                                       bend * ess_lanes_load(c->defect_rate + k));
    ess_lanes_store(c->cubic + k, cubic + (4.0 * o) * quartic);
  }
}

/* when those of four event functions that rise through zero once do so, by Newton steps: as exactly
 * as that has to be, since jumps move it; INFINITY where that has to be looked at more closely */
static inline void roots_of_lanes(const ess_driver *d, size_t k, const ess_course *p,
                                  const ess_bounds *m, double length) {
  enum { STEPS = 4 };
  const ess_lanes zero = {0.0}, end = ess_lanes_all(length);
  ess_mask any, many;
  ess_bounds_changes(m, &any, &many);
  ess_mask plain = any & ~many & (m->b[0] < 0.0);
  ess_lanes u = length * m->b[0] / (m->b[0] - m->b[QUARTIC - 1]), moved = zero;
  for (int i = 0; i < STEPS; i++) {
    moved = ess_course_values(p, u) / ess_course_slopes(p, u);
    u -= moved;
    plain &= (u >= zero) & (u <= end);
  }
  plain &= ess_lanes_abs(moved) <= 1e-4 * end;
  ess_lanes_store(d->cluster.root + k, ess_lanes_select(plain, u, ess_lanes_all(INFINITY)));
}

/* when guard k, of which Newton steps do not tell it, is crossed since the node; INFINITY: not at
 * all */
static double find_root(const ess_driver *d, size_t k) {
  const ess_cluster *const c = &d->cluster;
  const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k];
  // passed a little before the node, by what corrected the state there
  if (g >= 0.0 && rate > 0.0) return -ess_smaller(g / rate, c->latest);
  const size_t lane = k % ESS_LANES;
  const ess_course p = ess_course_of(d, k - lane);
  const ess_bounds m = ess_course_bounds(d, &p, k - lane, c->length);
  double b[QUARTIC];
  for (int i = 0; i < QUARTIC; i++) b[i] = m.b[i][lane];
  const double theta = ess_quartic_upcrossing(b);
  if (theta <= 1.0) return theta * c->length;
  // above its level without having been below it
  return g >= 0.0 && b[QUARTIC - 1] > ess_level_tolerance(d, k) ? 0.0 : INFINITY;
}

/* the same of any flagged guard */
static inline double predict(const ess_driver *d, size_t k) {
  const double root = d->cluster.root[k];
  return root < INFINITY ? root : find_root(d, k);
}

/* when the courses of the flagged guards rise through zero */
static void find_roots(const ess_driver *d) {
  const double length = d->cluster.length;
  size_t kept = SIZE_MAX;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i] - d->flagged[i] % ESS_LANES;
    if (k == kept) continue;
    const ess_course p = ess_course_of(d, k);
    const ess_bounds m = ess_course_bounds(d, &p, k, length);
    roots_of_lanes(d, k, &p, &m, length);
    kept = k;
  }
}

/* the lanes that hold flagged guards, into c->near */
static void list_flagged_lanes(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  c->near_count = 0;
  for (size_t i = 0, kept = SIZE_MAX; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i] - d->flagged[i] % ESS_LANES;
    if (k != kept) c->near[c->near_count++] = k;
    kept = k;
  }
}

/* those of them that end the step highest: they may well be the first to be crossed */
static size_t find_highest(const ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  size_t found = 0;
  double most = -INFINITY;
  for (size_t n = 0; n < c->near_count; n++) {
    const size_t k = c->near[n];
    const ess_lanes g = ess_lanes_load(d->side + k) * ess_lanes_load(d->h_end + k);
    const double high = ess_larger(ess_larger(g[0], g[1]), ess_larger(g[2], g[3]));
    if (high > most) found = n;
    most = ess_larger(high, most);
  }
  return found;
}

/* whether the courses of four guards, those of them that are armed, are below zero until then */
static inline bool are_below_until(const ess_driver *d, size_t k, double u) {
  const ess_course p = ess_course_of(d, k);
  const ess_bounds m = ess_course_bounds(d, &p, k, u);
  ess_mask below = m.b[0] < 0.0;
  for (int i = 1; i < QUARTIC; i++) below &= m.b[i] < 0.0;
  return !ess_mask_any(~below & (ess_lanes_load(d->side + k) != 0.0));
}

/* when the first of four guards that are flagged is crossed, silent ones apart */
static double first_of_lanes(const ess_driver *d, size_t k) {
  const double length = d->cluster.length;
  const ess_course p = ess_course_of(d, k);
  const ess_bounds m = ess_course_bounds(d, &p, k, length);
  double first = INFINITY;
  roots_of_lanes(d, k, &p, &m, length);
  for (size_t i = k; i < k + ESS_LANES; i++)
    if (d->fate[i] && !ess_is_silent(d, i)) first = ess_smaller(predict(d, i), first);
  return first;
}

/* how many of four flagged guards have risen through zero for sure by then, silent ones apart */
static size_t count_risen(const ess_driver *d, size_t k, double u) {
  const ess_course p = ess_course_of(d, k);
  const ess_lanes side = ess_lanes_load(d->side + k), end = side * ess_course_value(&p, u);
  size_t count = 0;
  for (unsigned b = ess_mask_bits((side * p.a[0] < 0.0) & (end >= 0.0)); b; b &= b - 1) {
    const size_t i = k + (size_t)__builtin_ctz(b);
    count += d->fate[i] && !ess_is_silent(d, i);
  }
  return count;
}

void ess_count_roughly(ess_driver *d, double window, size_t *count, double *first) {
  ess_cluster *const c = &d->cluster;
  c->length = c->base_dt;
  *count = 0;
  *first = INFINITY;
  if (d->impacts) return;
  list_flagged_lanes(d);
  const size_t highest = find_highest(d);
  *first = first_of_lanes(d, c->near[highest]);
  for (size_t n = 0; n < c->near_count; n++)
    if (n != highest && !are_below_until(d, c->near[n], ess_smaller(*first, c->length)))
      *first = ess_smaller(first_of_lanes(d, c->near[n]), *first);
  const double until = ess_smaller(*first + window, c->length);
  for (size_t n = 0; n < c->near_count; n++) *count += count_risen(d, c->near[n], until);
  c->from = ess_larger(*first, 0.0);
}

bool ess_count_crossings(ess_driver *d, double window, size_t *count, double *first, double *last) {
  ess_cluster *const c = &d->cluster;
  c->length = c->base_dt;
  find_roots(d);
  *first = INFINITY;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    d->some_h[i] = ess_is_silent(d, k) ? INFINITY : predict(d, k);
    *first = ess_smaller(d->some_h[i], *first);
  }
  *count = 0;
  *last = *first;
  for (size_t i = 0; i < d->flagged_count; i++) {
    if (!(d->some_h[i] <= *first + window)) continue;
    // an impact is located
    if (d->some_h[i] == *first && ess_is_impact(d, d->flagged[i])) return false;
    *count += 1;
    *last = ess_larger(d->some_h[i], *last);
  }
  c->from = ess_larger(*first, 0.0);
  return *first < INFINITY;
}

/* whether silent guard k need not be listed: it is passed for good, and no other depends on it */
static bool just_passes(const ess_driver *d, size_t k) {
  return ess_is_silent(d, k) && d->cluster.root[k] < INFINITY && ess_row_is_local(d, k);
}

void ess_prepare_list(ess_driver *d, size_t from) {
  ess_cluster *const c = &d->cluster;
  for (size_t i = from; i < c->count; i++) {
    c->listed_side[i] = d->side[c->crossing[i]];
    c->is_silent[i] = ess_is_silent(d, c->crossing[i]);
    c->is_made[i] = false;
  }
}

/* lists those lanes of a block, after so many others, that hold a guard whose course may change by
 * as much as it is below zero; by how much all may is kept */
ESS_INLINE size_t list_lanes(ess_driver *d, size_t block, double length, size_t count) {
  ess_cluster *const c = &d->cluster;
  for (size_t k = block * ESS_BLOCK, end = ess_block_end(d, block); k < end; k += ESS_LANES) {
    const ess_course p = ess_course_of(d, k);
    const ess_lanes side = ess_lanes_load(d->side + k), g = side * p.a[0];
    const ess_lanes way = ess_course_way(&p, length);
    ess_lanes_store(c->way + k, way);
    c->near[count] = k;
    count += ess_mask_any((g + way >= 0.0) & (side != 0.0));
  }
  return count;
}

/* flags those of four guards whose courses may rise above zero, and tells when they do */
ESS_INLINE void flag_lanes(ess_driver *d, size_t k, double length) {
  const ess_course p = ess_course_of(d, k);
  const ess_bounds m = ess_course_bounds(d, &p, k, length);
  const ess_lanes side = ess_lanes_load(d->side + k);
  const ess_lanes inner = ess_lanes_max(m.b[1], ess_lanes_max(m.b[2], m.b[3]));
  const ess_lanes high = ess_lanes_max(ess_lanes_max(m.b[0], m.b[4]), inner);
  unsigned near = ess_mask_bits((high >= 0.0) & (side != 0.0));
  if (!near) return;
  roots_of_lanes(d, k, &p, &m, length);
  for (; near; near &= near - 1) ess_flag(d, k + (size_t)__builtin_ctz(near));
}

/* the few lanes that may matter are listed first: what is computed for one then does not wait for
 * the choice of the next */
static void flag_guards(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double length = c->length;
  size_t count = 0;
  ess_clear_flags(d);
  c->listed = length;
  for (size_t b = 0; b < d->blocks; b++) {
    c->has_ways[b] = d->block_armed[b] > 0;
    if (c->has_ways[b]) count = list_lanes(d, b, length, count);
  }
  for (size_t i = 0; i < count; i++) flag_lanes(d, c->near[i], length);
}

/* a sub-step ends at its first impact, which is located; there is none where it begins with one */
static void end_at_impact(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  size_t i = 0;
  while (i < c->count && !ess_is_impact(d, c->crossing[i])) i++;
  if (i == c->count) return;
  c->is_hopeless = c->time[i] - c->from <= AT_ONCE * (c->length - c->from);
  if (!c->is_hopeless) c->length = c->time[i];
  c->count = i;
}

void ess_list_crossings(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  flag_guards(d);
  c->count = c->passed_count = 0;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (just_passes(d, k)) {
      c->passed[c->passed_count++] = k;
      c->crossed[k] = c->trial;
      continue;
    }
    const double time = predict(d, k);
    if (time == INFINITY) continue;
    c->crossing[c->count] = k;
    c->time[c->count++] = time;
  }
  ess_sort_by_time(c->time, c->crossing, c->count);
  if (d->impacts) end_at_impact(d);
  ess_prepare_list(d, 0);
}

/*
 * Which candidate the field at the node reaches first, and where each stops an integration step
 * (section 3.1 of the paper: the argmin over the guards not crossed, over all of them and not only
 * those inside their neighbourhoods).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "armed.h"
#include "bound.h"
#include "callbacks.h"
#include "candidates.h"
#include "driver_state.h"
#include "impact_state.h"
#include "lanes.h"
#include "sort.h"

/* windows tried before all candidates are looked at, and how much wider each is */
enum { WINDOWS = 3, WIDER = 4 };

/* the first candidate, by rounding, may not be the first when it lies this near the window's end */
static const double WITHIN = 1.0 - 1e-9;

/* time the tangent takes to armed guard k; INFINITY when it recedes, none when already passed */
static double reach(const ess_driver *d, size_t k) {
  const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k];
  if (!(rate > 0.0)) return INFINITY;
  return g < d->grain[k] ? (d->grain[k] - g) / rate : 0.0;
}

/* which of four guards will have been reached after `window`, or are not numbers */
static inline ess_mask reached_after(const ess_driver *d, size_t k, double window) {
  const ess_lanes h = ess_lanes_load(d->h + k), rate = ess_lanes_load(d->rate + k);
  return ~(ess_lanes_load(d->side + k) * (h + window * rate) <= 0.0);
}

/* the same of a block's guards, a bit for each */
static inline unsigned block_reached_after(const ess_driver *d, size_t b, double window) {
  unsigned bits = 0;
  for (size_t k = b * ESS_BLOCK, shift = 0; k < ess_block_end(d, b); k += ESS_LANES) {
    bits |= ess_mask_bits(reached_after(d, k, window)) << shift;
    shift += ESS_LANES;
  }
  return bits;
}

/* adds guard k to the list when it is approached, and keeps the first, silent ones that are still
 * ahead apart; *bad when it is not finite */
static inline void list_one(ess_driver *d, size_t k, ess_candidate *first, bool *bad) {
  if (!(fabs(d->h[k]) + fabs(d->rate[k]) <= DBL_MAX)) *bad = true;
  const double duration = reach(d, k);
  if (duration == INFINITY) return;
  d->batch[d->batch_count] = k;
  d->batch_time[d->batch_count++] = duration;
  if (duration < first->duration && !(duration > 0.0 && ess_is_silent(d, k)))
    *first = (ess_candidate){.found = true, .guard = k, .duration = duration};
}

/* lists the guards reached within the window, in no order, and returns the first candidate; *bad
 * when one is not finite */
static ess_candidate list_within(ess_driver *d, double window, bool *bad) {
  ess_candidate first = {.guard = SIZE_MAX, .duration = INFINITY};
  d->batch_count = 0;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (unsigned bits = block_reached_after(d, b, window); bits; bits &= bits - 1)
      list_one(d, b * ESS_BLOCK + (size_t)__builtin_ctz(bits), &first, bad);
  }
  return first;
}

/* times to the guards of a block, and the smallest; INFINITY for those not armed, and for silent
 * ones that are still ahead */
static double soonest_of_block(const ess_driver *d, size_t b, double times[ESS_BLOCK]) {
  const size_t from = b * ESS_BLOCK, end = ess_block_end(d, b);
  ess_lanes least = ess_lanes_all(INFINITY);
  for (size_t k = from; k < end; k += ESS_LANES) {
    const ess_lanes side = ess_lanes_load(d->side + k);
    const ess_lanes g = side * ess_lanes_load(d->h + k), rate = side * ess_lanes_load(d->rate + k);
    const ess_lanes way = ess_lanes_load(d->grain + k) - g;
    const ess_lanes time = ess_lanes_max(way / rate, ess_lanes_all(0.0));
    const ess_mask counts = (ess_lanes_load(d->width + k) > 0.0) | (time <= 0.0);
    const ess_lanes reached =
        ess_lanes_select((rate > 0.0) & counts, time, ess_lanes_all(INFINITY));
    ess_lanes_store(times + (k - from), reached);
    least = ess_lanes_min(reached, least);
  }
  const double left = least[0] < least[1] ? least[0] : least[1];
  const double right = least[2] < least[3] ? least[2] : least[3];
  return left < right ? left : right;
}

/* the first of all */
static void first_of_all(const ess_driver *d, ess_candidate *first) {
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    double times[ESS_BLOCK];
    const double soonest = soonest_of_block(d, b, times);
    if (!(soonest < first->duration)) continue;
    for (size_t k = b * ESS_BLOCK; k < ess_block_end(d, b); k++) {
      const double time = times[k - b * ESS_BLOCK];
      if (time < first->duration && !(time > 0.0 && ess_is_silent(d, k)))
        *first = (ess_candidate){.found = true, .guard = k, .duration = time};
    }
  }
}

/* by how much the state is inside the neighbourhood of k's armed guard: within its width of the
 * guard, and no further than the field goes in the time it may take */
static double margin_of(const ess_driver *d, size_t k) {
  const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k];
  const double far =
      d->projection_max < INFINITY ? d->projection_max * ess_larger(rate, 0.0) : INFINITY;
  return g + ess_smaller(d->width[k], far);
}

/* the margins of four */
static inline ess_lanes margins(const ess_driver *d, size_t k) {
  const ess_lanes side = ess_lanes_load(d->side + k), zero = {0.0};
  const ess_lanes g = side * ess_lanes_load(d->h + k), width = ess_lanes_load(d->width + k);
  if (!(d->projection_max < INFINITY)) return g + width;
  const ess_lanes far = d->projection_max * ess_lanes_max(side * ess_lanes_load(d->rate + k), zero);
  return g + ess_lanes_min(width, far);
}

bool ess_inside(const ess_driver *d, size_t k) {
  return margin_of(d, k) >= d->inside_from[k];
}

void ess_hold_inside(ess_driver *d, size_t k) {
  // the field at the node is not the slope of the dense output there: the margin may be below 0
  const double margin = margin_of(d, k) - 4.0 * ess_level_tolerance(d, k);
  if (margin < d->inside_from[k]) d->inside_from[k] = margin;
}

bool ess_any_inside(const ess_driver *d) {
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    ess_mask outside = ~(ess_mask){0};
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES)
      outside &= (margins(d, k) < ess_lanes_load(d->inside_from + k)) |
                 (ess_lanes_load(d->width + k) == 0.0);
    if (ess_mask_any(~outside)) return true;
  }
  return false;
}

/* a window that makes it likely that the next search sees what it needs and little more: as long as
 * lies between the first and the second candidate now, and half as much again */
static double next_window(const ess_driver *d, double window, const ess_candidate *first) {
  double second = INFINITY;
  for (size_t i = 0; i < d->batch_count; i++)
    if (d->batch[i] != first->guard && d->batch_time[i] < second) second = d->batch_time[i];
  const double between = 1.5 * (second - first->duration);
  return between > 0.0 && between < INFINITY ? between : 2.0 * window;
}

int ess_first_candidate(ess_driver *d, ess_candidate *first) {
  *first = (ess_candidate){.guard = SIZE_MAX, .duration = INFINITY};
  if (!d->armed_count) return ESS_SUCCESS;
  // most candidates are far: a short window of time spares them the division
  double window = d->window;
  for (int i = 0; i < WINDOWS; i++, window *= WIDER) {
    bool bad = false;
    *first = list_within(d, window, &bad);
    if (bad) {
      const int status = ess_check_guards(d);
      if (status) return status;
      break;
    }
    // with no guard inside there is nothing to project onto, whichever is the first
    if (i == 0 && !first->found && !ess_any_inside(d)) return ESS_SUCCESS;
    if (!(first->duration <= window * WITHIN)) continue;
    d->listed_until = window * WITHIN;
    d->window = next_window(d, window, first);
    return ESS_SUCCESS;
  }
  // the list stays as it is: of what has been passed already it misses none
  *first = (ess_candidate){.guard = SIZE_MAX, .duration = INFINITY};
  d->listed_until = -1.0;
  first_of_all(d, first);
  if (first->found && first->duration > 0.0) d->window = first->duration;
  return ESS_SUCCESS;
}

/* whether no armed guard is on its zero or beyond it, and all that is known of them are numbers */
static bool none_is_passed(const ess_driver *d) {
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    ess_mask passed = {0};
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      const ess_lanes h = ess_lanes_load(d->h + k), rate = ess_lanes_load(d->rate + k);
      const ess_lanes g = ess_lanes_load(d->side + k) * (h + 0.0 * rate);
      // from 0, or less, or INFINITY when none is armed
      passed |= ~(g < ess_lanes_load(d->inside_from + k));
    }
    if (ess_mask_any(passed)) return false;
  }
  return true;
}

int ess_first_due(ess_driver *d, ess_candidate *first) {
  *first = (ess_candidate){.guard = SIZE_MAX, .duration = INFINITY};
  if (!d->armed_count || none_is_passed(d)) return ESS_SUCCESS;
  d->window = 0.0;
  return ess_first_candidate(d, first);
}

void ess_gather_batch(ess_driver *d, const ess_candidate *first) {
  const double end = first->duration;
  if (end > d->listed_until) {
    bool ignored;
    list_within(d, end * (2.0 - WITHIN), &ignored);
  }
  size_t kept = 0;
  bool has_first = false;
  for (size_t i = 0; i < d->batch_count; i++) {
    const size_t k = d->batch[i];
    has_first = has_first || k == first->guard;
    if (k != first->guard && (d->batch_time[i] > end || !ess_is_silent(d, k))) continue;
    d->batch[kept] = k;
    d->batch_time[kept++] = d->batch_time[i];
  }
  // a list of what is reached in no time does not hold a guard on its zero
  if (!has_first) {
    d->batch[kept] = first->guard;
    d->batch_time[kept++] = first->duration;
  }
  d->batch_count = kept;
  ess_sort_by_time(d->batch_time, d->batch, kept);
}

/* the levels of LANES guards from k on */
static void set_levels_at(ess_driver *d, size_t k) {
  const ess_lanes from = ess_lanes_load(d->inside_from + k), zero = {0.0};
  const ess_mask armed = ess_lanes_load(d->side + k) != 0.0;
  const ess_mask inside = margins(d, k) >= from;

  // where an entry was located, the margin may be a little below 0: it counts as inside from there
  // on, until it is left
  ess_lanes_store(d->inside_from + k, ess_lanes_select(armed & ~inside, zero, from));

  // a neighbourhood bounded by time is at most as wide as the faster end of the step makes it, most
  // often: one that is wider is found at the next node
  ess_lanes width = ess_lanes_load(d->width + k), epsilon = ess_lanes_load(d->epsilon + k);
  if (d->projection_max < INFINITY) {
    const ess_lanes rate = ess_lanes_load(d->rate + k), rate_end = ess_lanes_load(d->rate_end + k);
    const ess_lanes far =
        d->projection_max * ess_lanes_max(ess_lanes_abs(rate), ess_lanes_abs(rate_end));
    width = ess_lanes_min(width, far);
    epsilon = ess_lanes_min(epsilon, far);
  }
  ess_lanes_store(d->scale + k, epsilon);
  const ess_lanes level = ess_lanes_select(inside, zero, -width);
  ess_lanes_store(d->level + k, ess_lanes_select(armed, level, ess_lanes_all(INFINITY)));
}

/* nothing is projected onto before the guard reached first: where it is awaited, no other stops the
 * step before it is reached itself */
static void await_first(ess_driver *d) {
  for (size_t k = 0; k < d->system.guard_count; k++)
    if (k != d->first_reached && d->level[k] < 0.0) d->level[k] = 0.0;
}

/* Guards stop a step where they are crossed. One that is not told from its zero within its grain is
 * crossed a grain beyond that: it is located to a grain, too, and is not crossed where it is. */
static void set_plain_levels(ess_driver *d) {
  const ess_lanes never = ess_lanes_all(INFINITY);
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      const ess_mask armed = ess_lanes_load(d->side + k) != 0.0;
      const ess_lanes fast = ess_lanes_max(ess_lanes_abs(ess_lanes_load(d->rate + k)),
                                           ess_lanes_abs(ess_lanes_load(d->rate_end + k)));
      const ess_lanes grain = ess_lanes_load(d->grain + k);
      ess_lanes_store(d->scale + k, (1e-3 * d->dt) * fast + 1e9 * grain);
      ess_lanes_store(d->level + k, ess_lanes_select(armed, 2.0 * grain, never));
    }
  }
}

/* but for impacts, which are at their zeros: what rests there begins no way of its own */
static void set_levels_of_impacts(ess_driver *d) {
  for (size_t k = 0; k < d->system.guard_count; k++)
    if (ess_is_impact(d, k)) d->level[k] = 0.0;
}

void ess_set_levels(ess_driver *d) {
  if (d->options.method == ESS_METHOD_TOLERANCE) {
    set_plain_levels(d);
    if (d->impacts && d->is_coarse) set_levels_of_impacts(d);
    return;
  }
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES)
      set_levels_at(d, k);
  }
  if (d->awaiting) await_first(d);
}

/*
 * The guard reset matrix: which guards a crossing arms and disarms (section 7 of the paper names it
 * as future work). Mirrored pairs are the matrix of a system that gives none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"

static inline bool is_up(size_t guard) {
  return guard % 2 == 0;
}

/* what is crossed upward alone has no guard to be crossed downward; ESS_ARM_AHEAD may name it */
static const char *check_one_way(const ess_reset_matrix *r, size_t entries) {
  for (size_t i = 0; i < entries; i++)
    if (!is_up(r->guard[i]) && r->effect[i] == 1)
      return "resets must not arm ESS_GUARD_DOWN where one_way is true";
  return NULL;
}

/* on its own guard the sign of an event function is anybody's guess */
static const char *check_ahead(const ess_reset_matrix *r, size_t guards) {
  for (size_t j = 0; j < guards; j++)
    for (size_t i = r->row_start[j]; i < r->row_start[j + 1]; i++)
      if (r->effect[i] == ESS_ARM_AHEAD && r->guard[i] / 2 == j / 2)
        return "ESS_ARM_AHEAD must not name the event function that is crossed";
  return NULL;
}

const char *ess_resets_check(const ess_system *system) {
  const ess_reset_matrix *const r = system->resets;
  const size_t guards = 2 * system->guard_count;
  if (!r) return NULL;
  if (!r->row_start) return "resets->row_start must not be NULL";
  if (r->row_start[0] != 0) return "resets->row_start must begin with 0";
  for (size_t j = 0; j <= guards; j++)
    if (r->row_start[j + 1] < r->row_start[j]) return "resets->row_start must ascend";
  const size_t entries = r->row_start[guards + 1];
  if (entries && (!r->guard || !r->effect)) return "resets->guard and effect must not be NULL";
  for (size_t i = 0; i < entries; i++) {
    const signed char effect = r->effect[i];
    if (r->guard[i] >= guards) return "each of resets->guard must be below 2 guard_count";
    if (effect != 1 && effect != -1 && effect != ESS_ARM_AHEAD)
      return "each of resets->effect must be +1, -1 or ESS_ARM_AHEAD";
  }
  const char *const wrong = system->one_way ? check_one_way(r, entries) : NULL;
  return wrong ? wrong : check_ahead(r, guards);
}

size_t ess_resets_size(const ess_system *system) {
  const size_t watched = 2 * system->watch.count, own = 2 * system->guard_count - watched;
  if (system->resets) return system->resets->row_start[own + 1] + watched;
  return (system->one_way ? 0 : own) + watched;
}

/* from guard `from` on every crossing arms the guard's mirror image */
static void make_mirror(ess_driver *d, size_t from) {
  const size_t guards = 2 * d->system.guard_count;
  size_t entry = d->row_start[from];
  for (size_t j = from; j < guards; j++, entry++) {
    d->row_guard[entry] = ess_mirror(j);
    d->row_effect[entry] = 1;
    d->row_start[j + 1] = entry + 1;
  }
  d->row_start[guards + 1] = entry;
}

/* the caller's rows, then those of what it watches, then the one for when no guard is armed */
static void copy_rows(ess_driver *d, const ess_reset_matrix *r) {
  const size_t own = 2 * d->watched.first, guards = 2 * d->system.guard_count;
  const size_t last = r->row_start[own], rest = r->row_start[own + 1] - last;
  memcpy(d->row_start, r->row_start, (own + 1) * sizeof *d->row_start);
  if (last) memcpy(d->row_guard, r->guard, last * sizeof *d->row_guard);
  if (last) memcpy(d->row_effect, r->effect, last * sizeof *d->row_effect);
  make_mirror(d, own);
  const size_t to = d->row_start[guards];
  if (rest) memcpy(d->row_guard + to, r->guard + last, rest * sizeof *d->row_guard);
  if (rest) memcpy(d->row_effect + to, r->effect + last, rest * sizeof *d->row_effect);
  d->row_start[guards + 1] = to + rest;
  if (r->silent && own) memcpy(d->silent, r->silent, own * sizeof *d->silent);
}

/* the one guard, silent ones aside, that this one's row arms, which may undo its crossing */
static size_t undoes(const ess_driver *d, size_t guard, bool *arms_more) {
  size_t undo = ESS_NONE, arms = 0;
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    if (d->row_effect[e] < 0 || d->silent[d->row_guard[e]]) continue;
    undo = d->row_guard[e];
    arms++;
  }
  *arms_more = arms > 1;
  return arms == 1 ? undo : ESS_NONE;
}

/* what a guard's row comes to in a step */
static ess_kink_row read_row(const ess_driver *d, size_t guard) {
  const size_t i = guard / 2;
  ess_kink_row r = {.other = ESS_NONE, .is_simple = true};
  r.undo = undoes(d, guard, &r.arms_more);
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t armed = d->row_guard[e], other = armed / 2;
    const int effect = d->row_effect[e];
    r.arms_silent |= effect > 0 && d->silent[armed];
    r.is_simple &= effect != ESS_ARM_AHEAD;
    r.is_simple &= other == i ? armed != guard && effect > 0 : r.other == ESS_NONE;
    r.arms_mirror |= other == i;
    if (other == i) continue;
    r.other = other;
    r.named = armed;
    r.sign = effect > 0 ? ess_sign_before(armed) : 0.0;
  }
  r.undoable = -(int64_t)(r.undo != ESS_NONE);
  r.is_paired = r.undo != ESS_NONE && r.undo / 2 != i;
  r.pair = r.is_paired ? r.undo / 2 : i;
  r.pair_side = r.is_paired ? -ess_sign_before(r.undo) : 0.0;
  return r;
}

void ess_resets_copy(ess_driver *d) {
  const ess_reset_matrix *const r = d->system.resets;
  if (r)
    copy_rows(d, r);
  else
    make_mirror(d, d->system.one_way ? 2 * d->watched.first : 0); // one-way guards have none
  if (r) d->start = r->start;
  for (size_t guard = 0; guard < 2 * d->system.guard_count; guard++)
    d->kinks.row[guard] = read_row(d, guard);
}

/* arms one guard, which latches its event function's sign to the near side: true when that changes
 * it */
static inline bool arm(ess_driver *d, size_t guard) {
  const size_t k = guard / 2;
  const double sign = ess_sign_before(guard);
  const bool sign_changed = d->sign[k] * sign < 0.0;
  d->sign[k] = sign;
  if (sign_changed || !ess_is_armed(d, k)) ess_arm(d, guard);
  return sign_changed;
}

/* arms the guard ahead of the side that an event function is on, by its value or, on its zero, its
 * rate: true when that changes its sign */
static bool arm_beside(ess_driver *d, size_t k, double side) {
  const double sign = side == 0.0 ? d->sign[k] : side < 0.0 ? -1.0 : 1.0;
  if (sign < 0.0 || !ess_is_one_way(d, k))
    return arm(d, sign < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k));
  const bool sign_changed = d->sign[k] != sign;
  ess_disarm(d, k);
  d->sign[k] = sign;
  return sign_changed;
}

/* event function k at the crossing's state; on its zero its rate along the field there, in the mode
 * so far */
static int find_side(ess_driver *d, size_t k, double *side) {
  const double *const x = d->row_x ? d->row_x : d->x;
  double *const f = d->stage[5], rate;
  const double t = d->row_x ? d->row_t : d->t;
  int status = d->system.some_guard_rates
                   ? ess_some_guard_rates(d, t, x, d->f, &k, 1, &d->h_try[k], &rate)
                   : ess_guards(d, t, x, d->h_try);
  *side = d->h_try[k];
  if (!status && *side == 0.0) {
    status = ess_field(d, t, x, f);
    if (!status) status = ess_some_guard_rates(d, t, x, f, &k, 1, &rate, side);
  }
  return status || isfinite(*side) ? status : ess_fail(d, ESS_EGUARD, k);
}

/* one entry of a row that arms what lies ahead */
static int apply_ahead(ess_driver *d, size_t k) {
  double side;
  const int status = find_side(d, k, &side);
  if (status) return status;
  return arm_beside(d, k, side) ? ess_announce(d, k) : ESS_SUCCESS;
}

/* one entry of a row, which names this guard: the mode may change */
static inline int apply_entry(ess_driver *d, size_t entry, size_t guard) {
  const size_t k = guard / 2;
  const signed char effect = d->row_effect[entry];
  if (d->slides) ess_slide_release(d, k);
  if (effect == ESS_ARM_AHEAD) return apply_ahead(d, k);
  if (effect > 0) return arm(d, guard) ? ess_announce(d, k) : ESS_SUCCESS;
  if (ess_guard_ahead(d, k) == guard) ess_disarm(d, k);
  return ESS_SUCCESS;
}

int ess_resets_start(ess_driver *d) {
  const size_t m = d->system.guard_count;
  for (size_t k = 0; k < m; k++) {
    d->armed_at_start[ESS_GUARD_UP(k)] = d->sign[k] < 0.0;
    d->armed_at_start[ESS_GUARD_DOWN(k)] = d->sign[k] > 0.0 && !ess_is_one_way(d, k);
  }
  d->t_seen = d->t;
  const int code = d->start ? d->start(d->sign, d->armed_at_start, d->system.params) : 0;
  if (code) return ess_callback_failed(d, code);
  d->armed_count = 0;
  for (size_t b = 0; b < d->blocks; b++) d->block_armed[b] = 0;
  for (size_t k = 0; k < d->blocks * ESS_BLOCK; k++) {
    d->side[k] = 0.0;
    d->due_from[k] = INFINITY;
    const bool has_guard = k < m && (d->sign[k] < 0.0 || !ess_is_one_way(d, k));
    if (has_guard && d->armed_at_start[ess_guard_ahead(d, k)]) ess_arm(d, ess_guard_ahead(d, k));
  }
  return ESS_SUCCESS;
}

/* by any row */
static __attribute__((noinline)) int cross_by_row(ess_driver *d, size_t k) {
  const size_t guard = ess_guard_ahead(d, k), end = d->row_start[guard + 1];
  ess_disarm(d, k);
  d->sign[k] = -d->sign[k];
  int status = ess_announce(d, k);
  // the whole row, also when the model failed: it is told of the mode again when the run is resumed
  for (size_t i = d->row_start[guard]; i < end; i++) {
    const int applied = apply_entry(d, i, d->row_guard[i]);
    if (!status) status = applied;
  }
  return status;
}

int ess_cross(ess_driver *d, size_t k) {
  const ess_kink_row *const r = &d->kinks.row[ess_guard_ahead(d, k)];
  if (d->system.mode_changed || d->slides || !r->is_simple) return cross_by_row(d, k);
  // a row names little where no model is told of signs: most crossings of many are made so
  d->sign[k] = -d->sign[k];
  if (r->arms_mirror)
    ess_arm(d, ess_guard_ahead(d, k));
  else
    ess_disarm(d, k);
  if (r->other == ESS_NONE) return ESS_SUCCESS;
  if (r->sign != 0.0)
    arm(d, r->named);
  else if (ess_guard_ahead(d, r->other) == r->named)
    ess_disarm(d, r->other);
  return ESS_SUCCESS;
}

/* on which side of event function k the node is, by sign: where a crossing has just been made its
 * value may still be on the other, or nothing, by what crossings are located to */
static double side_at_node(const ess_driver *d, size_t k) {
  if (!d->scheme->locates) return d->h[k];
  return fabs(d->h[k]) <= ess_level_tolerance(d, k) ? d->sign[k] : d->h[k];
}

int ess_refill(ess_driver *d) {
  const size_t row = 2 * d->system.guard_count;
  // what is watched is armed at all times
  const bool armed = d->armed_count > d->watched.count;
  if (armed || d->row_start[row] == d->row_start[row + 1]) return ESS_SUCCESS;
  // nobody has looked at guards that are not armed
  int status = ess_check_guards(d);
  if (status) return status;
  bool mode_changed = false;
  for (size_t i = d->row_start[row]; i < d->row_start[row + 1]; i++) {
    const size_t guard = d->row_guard[i], k = guard / 2;
    const bool ahead = d->row_effect[i] == ESS_ARM_AHEAD;
    const double at_node = side_at_node(d, k);
    const bool is_near = is_up(guard) ? at_node < 0.0 : at_node > 0.0;
    if (d->row_effect[i] < 0 || !(ahead || is_near)) continue;
    const double side = d->h[k] == 0.0 ? d->rate[k] : d->h[k];
    if (!(ahead ? arm_beside(d, k, side) : arm(d, guard))) continue;
    mode_changed = true;
    if (!status) status = ess_announce(d, k);
  }
  if (status || !mode_changed) return status;
  return ess_evaluate_node(d);
}

bool ess_row_concerns_batch(const ess_driver *d, size_t k) {
  const size_t guard = ess_guard_ahead(d, k);
  bool concerns = false;
  for (size_t i = d->row_start[guard]; i < d->row_start[guard + 1]; i++) {
    const size_t other = d->row_guard[i] / 2;
    concerns =
        concerns ||
        (other != k && (d->row_effect[i] > 0 || ess_is_listed(d->batch, d->batch_count, other)));
  }
  return concerns;
}

bool ess_row_is_local(const ess_driver *d, size_t k) {
  const size_t guard = ess_guard_ahead(d, k);
  bool local = true;
  for (size_t i = d->row_start[guard]; i < d->row_start[guard + 1]; i++) {
    const size_t other = d->row_guard[i];
    local = local && (other == ess_mirror(guard) || (d->row_effect[i] < 0 && !d->fate[other / 2]));
  }
  return local;
}

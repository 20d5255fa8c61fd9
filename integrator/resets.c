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

const char *ess_resets_check(const ess_system *system) {
  const ess_reset_matrix *const r = system->resets;
  const size_t guards = 2 * system->event_count;
  if (!r) return NULL;
  if (!r->row_start) return "resets->row_start must not be NULL";
  if (r->row_start[0] != 0) return "resets->row_start must begin with 0";
  for (size_t j = 0; j <= guards; j++)
    if (r->row_start[j + 1] < r->row_start[j]) return "resets->row_start must ascend";
  const size_t entries = r->row_start[guards + 1];
  if (entries && (!r->guard || !r->effect)) return "resets->guard and effect must not be NULL";
  for (size_t i = 0; i < entries; i++) {
    const signed char effect = r->effect[i];
    if (r->guard[i] >= guards) return "each of resets->guard must be below 2 event_count";
    if (effect != 1 && effect != -1 && effect != ESS_ARM_AHEAD)
      return "each of resets->effect must be +1, -1 or ESS_ARM_AHEAD";
  }
  // ESS_ARM_AHEAD may name a guard that does not exist
  for (size_t i = 0; i < entries; i++)
    if (r->effect[i] == 1 && ess_kind_of(system, r->guard[i]) == ESS_GUARD_NONE)
      return "resets must not arm a guard of kind ESS_GUARD_NONE";
  // on its own guard an event function has no sign
  for (size_t j = 0; j < guards; j++)
    for (size_t i = r->row_start[j]; i < r->row_start[j + 1]; i++)
      if (r->effect[i] == ESS_ARM_AHEAD && r->guard[i] / 2 == j / 2)
        return "ESS_ARM_AHEAD must not name the event function that is crossed";
  return NULL;
}

const char *ess_kinds_check(const ess_system *system) {
  for (size_t j = 0; system->kinds && j < 2 * system->event_count; j++) {
    const ess_guard_kind kind = system->kinds[j];
    if (kind != ESS_GUARD_CHANGES_FIELD && kind != ESS_GUARD_ARMS_ONLY &&
        kind != ESS_GUARD_IMPACT && kind != ESS_GUARD_NONE)
      return "each of kinds must be ESS_GUARD_CHANGES_FIELD, ESS_GUARD_ARMS_ONLY, "
             "ESS_GUARD_IMPACT or ESS_GUARD_NONE";
    if (kind == ESS_GUARD_IMPACT && !system->impacts)
      return "a guard of kind ESS_GUARD_IMPACT needs impacts";
  }
  return NULL;
}

size_t ess_resets_size(const ess_system *system) {
  const size_t watched = 2 * system->watch.count, own = 2 * system->event_count - watched;
  return (system->resets ? system->resets->row_start[own + 1] : own) + watched;
}

/* the effect of a guard's row in a step */
static ess_crossing_row read_row(const ess_driver *d, size_t guard) {
  const size_t i = guard / 2;
  ess_crossing_row r = {.other = ESS_NONE, .undo = ESS_NONE, .is_simple = true};
  size_t arms = 0; // silent guards aside: one alone may undo the crossing
  for (size_t e = d->rows.start[guard]; e < d->rows.start[guard + 1]; e++) {
    const size_t armed = d->rows.guard[e], other = armed / 2;
    const int effect = d->rows.effect[e];
    const bool is_silent = d->rows.kind[armed] == ESS_GUARD_ARMS_ONLY;
    if (effect >= 0 && !is_silent) {
      r.undo = armed;
      arms++;
    }
    r.arms_silent |= effect > 0 && is_silent;
    r.is_simple &= effect != ESS_ARM_AHEAD;
    r.is_simple &= other == i ? armed != guard && effect > 0 : r.other == ESS_NONE;
    r.arms_mirror |= other == i;
    if (other == i) continue;
    r.other = other;
    r.named = armed;
    r.sign = effect > 0 ? ess_sign_before(armed) : 0.0;
  }
  if (arms != 1) r.undo = ESS_NONE;
  r.arms_more = arms > 1;
  r.undoable = -(int64_t)(r.undo != ESS_NONE);
  const bool is_paired = r.undo != ESS_NONE && r.undo / 2 != i;
  r.pair = is_paired ? r.undo / 2 : i;
  r.pair_side = is_paired ? -ess_sign_before(r.undo) : 0.0;
  return r;
}

/* a guard's number in a row `by` further on, if the first row names this one */
static inline size_t further(size_t first, size_t by) {
  return first == ESS_NONE ? ESS_NONE : first + by;
}

/* whether the rows of four guards, each two further on than the one before, do the same to their
 * lanes */
static bool do_alike(const ess_driver *d, size_t first) {
  const ess_crossing_row *const one = &d->through.row[first];
  const ess_guard_kind *const kind = d->rows.kind;
  bool alike = one->is_simple;
  for (size_t lane = 1; alike && lane < ESS_LANES; lane++) {
    const size_t guard = first + 2 * lane;
    const ess_crossing_row *const other = &d->through.row[guard];
    alike = other->is_simple && other->arms_mirror == one->arms_mirror &&
            other->arms_silent == one->arms_silent && other->arms_more == one->arms_more &&
            other->undo == further(one->undo, 2 * lane) && other->pair == one->pair + lane &&
            other->pair_side == one->pair_side && other->other == further(one->other, lane) &&
            other->sign == one->sign && kind[ess_mirror(guard)] == kind[ess_mirror(first)];
    if (alike && one->other != ESS_NONE)
      alike = other->named == one->named + 2 * lane && kind[other->named] == kind[one->named];
  }
  return alike;
}

void ess_resets_copy(ess_driver *d) {
  const ess_reset_matrix *const r = d->system.resets;
  const size_t own = 2 * d->watched.first, guards = 2 * d->system.event_count;
  size_t entry = 0, from = 0;
  for (size_t j = 0; j < own; j++) d->rows.kind[j] = ess_kind_of(&d->system, j);
  if (r) {
    from = own;
    entry = r->row_start[own];
    memcpy(d->rows.start, r->row_start, (own + 1) * sizeof *d->rows.start);
    if (entry) memcpy(d->rows.guard, r->guard, entry * sizeof *d->rows.guard);
    if (entry) memcpy(d->rows.effect, r->effect, entry * sizeof *d->rows.effect);
  }
  for (size_t j = from; j < guards; j++) {
    const size_t k = j / 2;
    if (ess_has_guard(d, k, -1.0) && ess_has_guard(d, k, 1.0)) {
      d->rows.guard[entry] = ess_mirror(j);
      d->rows.effect[entry++] = 1;
    }
    d->rows.start[j + 1] = entry;
  }
  // the row of the empty pool comes last
  for (size_t i = r ? r->row_start[own] : 0; r && i < r->row_start[own + 1]; i++, entry++) {
    d->rows.guard[entry] = r->guard[i];
    d->rows.effect[entry] = r->effect[i];
  }
  d->rows.start[guards + 1] = entry;
  for (size_t guard = 0; guard < guards; guard++) d->through.row[guard] = read_row(d, guard);
  for (size_t i = 0; i + ESS_LANES <= d->system.event_count; i += ESS_LANES)
    for (size_t down = 0; down < 2; down++)
      d->through.is_alike[i / 2 + down] = do_alike(d, 2 * i + down);
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
  if (ess_has_guard(d, k, sign)) return arm(d, sign < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k));
  const bool sign_changed = d->sign[k] != sign;
  ess_disarm(d, k);
  d->sign[k] = sign;
  return sign_changed;
}

/* Arms the guard that event function k has ahead at the crossing's state: on its zero by its rate
 * along the field there, in the mode so far. */
static int arm_ahead(ess_driver *d, size_t k) {
  const double *const x = d->rows.x ? d->rows.x : d->x;
  double *const f = d->stage[5], rate, side;
  const double t = d->rows.x ? d->rows.t : d->t;
  int status = d->caller.system.event_rates
                   ? ess_some_guard_rates(d, t, x, d->f, &k, 1, &d->h_try[k], &rate)
                   : ess_event_values(d, t, x, d->h_try);
  side = d->h_try[k];
  if (!status && side == 0.0) {
    status = ess_field(d, t, x, f);
    if (!status) status = ess_some_guard_rates(d, t, x, f, &k, 1, &rate, &side);
  }
  if (!status && !isfinite(side)) status = ess_fail(d, ESS_EEVENT, k);
  if (status) return status;
  return arm_beside(d, k, side) ? ess_announce(d, k) : ESS_SUCCESS;
}

void ess_disarm_all(ess_driver *d) {
  d->armed_count = 0;
  for (size_t b = 0; b < d->blocks; b++) d->block_armed[b] = 0;
  for (size_t k = 0; k < d->blocks * ESS_BLOCK; k++) {
    d->side[k] = 0.0;
    d->due_from[k] = INFINITY;
  }
}

int ess_resets_start(ess_driver *d) {
  const ess_system *const s = &d->system;
  const size_t m = s->event_count;
  double *const mode = d->h_try;
  bool *const armed = d->rows.armed;
  for (size_t k = 0; k < m; k++) {
    mode[k] = d->sign[k];
    armed[ESS_GUARD_UP(k)] = ess_has_guard(d, k, -1.0);
    armed[ESS_GUARD_DOWN(k)] = ess_has_guard(d, k, 1.0);
  }
  d->apply.t_seen = d->t;
  const int code = s->start ? s->start(d->t, d->x, mode, armed, s->params) : 0;
  if (code) return ess_callback_failed(d, code);
  int status = ess_check_mode(d, mode, SIZE_MAX,
                              "each sign that start returns must be exactly -1.0 or +1.0");
  if (status) return status;
  ess_disarm_all(d);
  const bool mode_changed = m && memcmp(mode, d->sign, m * sizeof *mode) != 0;
  ess_set_mode(d, mode, armed);
  if (!mode_changed) return ESS_SUCCESS;
  status = ess_announce(d, m);
  return status ? status : ess_evaluate_node(d);
}

/* by any row: the whole of it, also when the model fails, which is told of the mode again when the
 * run is resumed */
static __attribute__((noinline)) int cross_by_row(ess_driver *d, size_t k) {
  const size_t guard = ess_guard_ahead(d, k), end = d->rows.start[guard + 1];
  ess_disarm(d, k);
  d->sign[k] = -d->sign[k];
  int status = ess_announce(d, k);
  for (size_t i = d->rows.start[guard]; i < end; i++) {
    const size_t named = d->rows.guard[i], other = named / 2;
    int applied = ESS_SUCCESS;
    if (d->slides) ess_slide_release(d, other);
    if (d->rows.effect[i] == ESS_ARM_AHEAD)
      applied = arm_ahead(d, other);
    else if (d->rows.effect[i] > 0)
      applied = arm(d, named) ? ess_announce(d, other) : ESS_SUCCESS;
    else if (ess_guard_ahead(d, other) == named)
      ess_disarm(d, other);
    if (!status) status = applied;
  }
  return status;
}

int ess_cross(ess_driver *d, size_t k) {
  const ess_crossing_row *const r = &d->through.row[ess_guard_ahead(d, k)];
  if (d->system.mode_changed || d->slides || !r->is_simple) return cross_by_row(d, k);
  // where no model is informed of signs a row names few guards: most crossings are made here
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

/* so many more of four guards are armed, or fewer, that may stand in two blocks */
static inline void count_armed(ess_driver *d, size_t i, unsigned bits, size_t more) {
  if (!bits) return;
  const size_t left = ESS_BLOCK - i % ESS_BLOCK, block = i / ESS_BLOCK;
  const unsigned here = left < ESS_LANES ? bits & ((1u << left) - 1) : bits, there = bits ^ here;
  d->block_armed[block] += more * (size_t)__builtin_popcount(here);
  if (there) d->block_armed[block + 1] += more * (size_t)__builtin_popcount(there);
  d->armed_count += more * (size_t)__builtin_popcount(bits);
}

/* arms these of four guards, or disarms them, which are ahead of these signs */
static inline void arm_four(ess_driver *d, size_t i, ess_mask which, ess_lanes sign, bool silent) {
  const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0};
  const ess_mask armed = side != zero, arms = sign != zero;
  const ess_lanes due = ess_lanes_select(arms, zero, ess_lanes_all(INFINITY));
  ess_lanes_store(d->side + i, ess_lanes_select(which, -sign, side));
  ess_lanes_store(d->due_from + i, ess_lanes_select(which, due, ess_lanes_load(d->due_from + i)));
  count_armed(d, i, ess_mask_bits(which & arms & ~armed), 1);
  count_armed(d, i, ess_mask_bits(which & armed & ~arms), (size_t)-1);
  const ess_lanes is_silent = ess_lanes_load(d->is_silent + i);
  ess_lanes_store(d->is_silent + i,
                  ess_lanes_select(which & arms, ess_lanes_all(silent), is_silent));
}

void ess_cross_four(ess_driver *d, size_t i, ess_mask which) {
  const ess_lanes zero = {0.0}, was = ess_lanes_load(d->sign + i);
  const size_t one = i + (size_t)__builtin_ctz(ess_mask_bits(which));
  const size_t guard = 2 * i + (d->sign[one] > 0.0);
  const ess_crossing_row *const r = &d->through.row[guard];
  const ess_lanes now = ess_lanes_select(which, -was, was);
  ess_lanes_store(d->sign + i, now);
  arm_four(d, i, which, r->arms_mirror ? now : zero,
           d->rows.kind[ess_mirror(guard)] == ESS_GUARD_ARMS_ONLY);
  if (r->other == ESS_NONE) return;
  const ess_lanes other = ess_lanes_load(d->sign + r->other);
  const ess_lanes side = ess_lanes_load(d->side + r->other);
  if (r->sign != 0.0) {
    const ess_lanes sign = ess_lanes_all(r->sign);
    const ess_mask changes = which & ((other != sign) | (side == zero));
    ess_lanes_store(d->sign + r->other, ess_lanes_select(which, sign, other));
    arm_four(d, r->other, changes, sign, d->rows.kind[r->named] == ESS_GUARD_ARMS_ONLY);
  } else {
    const ess_mask ahead = other == ess_lanes_all(ess_sign_before(r->named));
    arm_four(d, r->other, which & ahead & (side != zero), zero, false);
  }
}

int ess_refill(ess_driver *d) {
  const size_t row = 2 * d->system.event_count;
  // what is watched is armed at all times
  const bool armed = d->armed_count > d->watched.count;
  if (armed || d->rows.start[row] == d->rows.start[row + 1]) return ESS_SUCCESS;
  // guards that are not armed have not been checked
  int status = ess_check_events(d);
  if (status) return status;
  bool mode_changed = false;
  for (size_t i = d->rows.start[row]; i < d->rows.start[row + 1]; i++) {
    const size_t guard = d->rows.guard[i], k = guard / 2;
    const bool ahead = d->rows.effect[i] == ESS_ARM_AHEAD;
    // where a crossing has just been located its value may still be on the other side, or nothing
    const bool located = ess_locates(d) && fabs(d->h[k]) <= ess_level_tolerance(d, k);
    const double at_node = located ? d->sign[k] : d->h[k];
    const bool is_near = ess_sign_before(guard) * at_node > 0.0;
    if (d->rows.effect[i] < 0 || !(ahead || is_near)) continue;
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
  for (size_t i = d->rows.start[guard]; i < d->rows.start[guard + 1]; i++) {
    const size_t other = d->rows.guard[i] / 2;
    const bool arms = d->rows.effect[i] > 0;
    if (other != k && (arms || ess_is_listed(d->batch.list, d->batch.count, other))) return true;
  }
  return false;
}

bool ess_row_is_local(const ess_driver *d, size_t k) {
  const size_t guard = ess_guard_ahead(d, k);
  const bool through = d->base->kind == ESS_THROUGH; // some crossings need no flag there
  for (size_t i = d->rows.start[guard]; i < d->rows.start[guard + 1]; i++) {
    const size_t other = d->rows.guard[i];
    if (other == ess_mirror(guard)) continue;
    if (d->rows.effect[i] >= 0 || d->flagged.fate[other / 2]) return false;
    if (through && ess_is_set(d->through.known, other / 2)) return false;
  }
  return true;
}

/*
 * The choice of steps through crossings, and their length. Where the tangent reaches so many guards
 * that locating each of them takes more evaluations than a step through all, by those that both
 * kinds of steps have taken in this run, the next step goes through them
 * (docs/theory/through-crossings.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "through.h"

/* Largest growth of the length, and the exponent of the error in the length after a rejection. */
static const double GROW_THROUGH = 3.0, REJECTED = -0.3;

/* FEW_MOST: crossings in a step up to which they may be located one by one, and armed guards up to
 * which they are. MANY_MORE: crossings ahead, over those of the last step through crossings, which
 * does not predict the length of a step through so many. */
enum { FEW_MOST = 3, MANY_MORE = 2 };

/* Length of the first step through crossings over that of the step that would ignore them. */
static const double FIRST_THROUGH = 0.02;

/* Growth of steps through crossings each time that crossings were located one by one instead. */
static const double AGAIN = 1.15;

/* Halvings for crossings that affect each other, after which they are located one by one. */
enum { HALVINGS_MOST = 6 };

/* Reduction of the first step, and the largest number of reductions, if it would reach nearly all
 * guards. */
static const double REACH_SHORTER = 0.4;
enum { REACHES_MOST = 4 };

/* ---- before the first step ------------------------------------------------------------------- */

void ess_through_reset(ess_driver *d) {
  ess_through *const k = &d->through;
  if (k->changing) { // a trajectory is the same whatever came before it
    memset(k->changes, 0, d->system.event_count * sizeof *k->changes);
    memset(k->checked, 0, d->system.event_count * sizeof *k->checked);
    k->changing = 0;
  }
  k->is_coupled = false;
  k->length = 0.0;
  k->last_count = k->most = 0;
  k->most_length = INFINITY;
  k->through = k->located = (ess_spent){0.0, 0.0};
}

/* ---- what steps cost ------------------------------------------------------------------------- */

/* Evaluations so far, of the right-hand side and of event functions. */
static double spent(const ess_driver *d) {
  return (double)(d->counters.field_evaluations + d->counters.event_evaluations);
}

/* Evaluations since the last charge belong to steps of this kind, of which so many have been made.
 */
static void charge(ess_driver *d, ess_spent *s, double made) {
  const double now = spent(d);
  s->evaluations += now - d->through.spent;
  s->steps += made;
  d->through.spent = now;
  if (s->steps < 8.0) return; // former ones count half from here on
  s->evaluations *= 0.5;
  s->steps *= 0.5;
}

/* Crossings in a step up to which they are located one by one: that takes fewer evaluations, as far
 * as is known of both. */
static size_t few(const ess_through *k) {
  const ess_spent *const t = &k->through, *const l = &k->located;
  if (t->steps == 0.0 || l->steps == 0.0) return FEW_MOST;
  const double ratio = t->evaluations * l->steps / (t->steps * l->evaluations);
  return (size_t)ess_clamp(ratio, 1.0, FEW_MOST);
}

/* ---- a step that has been tried -------------------------------------------------------------- */

/* Many crossings that affect each other are tried in shorter steps; a few are made one by one. */
ess_verdict ess_through_leave(ess_driver *d) {
  ess_through *const k = &d->through;
  ess_verdict v = ess_refused(ESS_BY_THROUGH, k->whole);
  charge(d, &k->through, 0.0);
  if (k->count > few(k) && k->parts++ < HALVINGS_MOST)
    v.next = 0.5 * d->dt;
  else
    d->base = &ess_base_dopri5;
  v.status = ess_through_give_up(d);
  return v;
}

/* Whether this error lets a step through crossings stand. */
static ess_verdict judge(ess_driver *d, double error) {
  ess_through *const k = &d->through;
  if (k->is_coupled) error = INFINITY;
  if (error <= 1.0 && k->count)
    return ess_control_stands(
        d, d->dt * ess_smaller(GROW_THROUGH, ESS_SAFER * pow(error, -d->base->alpha)));
  ess_verdict v = ess_control_judge(d, error);
  if (ess_stands(&v)) return v;
  if (k->is_coupled) return ess_through_leave(d);
  if (!ess_is_resolved(d, v.next)) return v;
  v.status = ess_through_give_up(d);
  if (!k->count || !isfinite(error)) return v;
  const double factor = ess_larger(ESS_SHRINK_MOST, ESS_SAFETY * pow(error, REJECTED));
  v.cause = ESS_BY_THROUGH;
  v.next = d->dt * factor;
  charge(d, &k->through, 0.0);
  if (factor * (double)k->count > (double)few(k)) return v;
  // from here on so few are crossed that they are made one by one
  d->base = &ess_base_dopri5;
  k->length = v.next;
  return v;
}

const ess_stepper ess_base_through = {.kind = ESS_THROUGH,
                                      .try = ess_through_try,
                                      .judge = judge,
                                      .last = ESS_STAGES - 1,
                                      .alpha = 0.2 - 0.75 * ESS_BETA,
                                      .safety = ESS_SAFETY,
                                      .severity = 1.0};

/* ---- the next step --------------------------------------------------------------------------- */

/* Whether the tangent reaches more guards than that within a time, and none whose row latches a
 * sign that changes the field by itself */
static bool reaches_more(const ess_driver *d, double time, size_t than) {
  const ess_through *const k = &d->through;
  size_t near = 0;
  for (size_t b = 0; b < d->blocks && (near <= than || k->changing); b++) {
    if (!d->block_armed[b]) continue;
    unsigned bits = 0;
    for (size_t lane = 0; lane < ESS_BLOCK; lane += ESS_LANES) {
      const size_t i = b * ESS_BLOCK + lane;
      const ess_lanes h = ess_lanes_load(d->h + i), rate = ess_lanes_load(d->rate + i);
      const ess_mask reached = ess_lanes_load(d->side + i) * (h + time * rate) > 0.0;
      bits |= ess_mask_bits(reached) << lane;
    }
    for (; bits; bits &= bits - 1, near++) {
      if (!k->changing) continue;
      const size_t guard = ess_guard_ahead(d, b * ESS_BLOCK + (size_t)__builtin_ctz(bits));
      const ess_crossing_row *const r = &k->row[guard];
      if (r->other != ESS_NONE && k->changes[r->other] && r->sign == -d->sign[r->other])
        return false;
    }
  }
  return near > than;
}

void ess_through_choose(ess_driver *d) {
  ess_through *const k = &d->through;
  const bool may = d->system.affine_in_signs && !d->impacts && !d->tangents && !d->grains.any &&
                   d->options.base == ESS_BASE_DOPRI5;
  k->parts = 0;
  k->spent = spent(d);
  if (!may || d->armed_count <= FEW_MOST) return;
  const double rest = ess_smaller(d->apply.t_end - d->t, d->options.h_max);
  const double longest = k->length > 0.0 ? k->length : FIRST_THROUGH * d->control.next;
  double length = ess_smaller(ess_smaller(d->control.next, rest), longest);
  k->whole = d->control.next;
  // the first of all steps through crossings is not to reach nearly all guards, as where a body
  // falls on all of its contacts, if half of it goes through more than a few
  const size_t most = d->armed_count - d->armed_count / 4;
  for (int i = 0; !(k->length > 0.0) && i < REACHES_MOST && reaches_more(d, length, most); i++) {
    if (!reaches_more(d, REACH_SHORTER * length, few(k))) break;
    length *= REACH_SHORTER;
  }
  if (!reaches_more(d, length, few(k))) return;
  if (k->most_length < length && reaches_more(d, length, MANY_MORE * k->last_count + k->most / 2))
    length = k->most_length;
  d->base = &ess_base_through;
  ess_control_bound(d, ESS_BY_THROUGH, length);
}

void ess_through_accepted(ess_driver *d) {
  ess_through *const k = &d->through;
  // a step without crossings does not predict the length of one with them
  if (!k->count) return;
  charge(d, &k->through, 1.0);
  k->length = d->control.next;
  k->last_count = k->count;
  if (k->count < k->most) return;
  k->most = k->count;
  k->most_length = ess_larger(d->dt, d->control.next);
}

void ess_through_located(ess_driver *d) {
  charge(d, &d->through.located, 1.0);
  d->through.length *= AGAIN;
}

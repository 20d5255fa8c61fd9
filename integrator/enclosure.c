/*
 * Bounds of event functions within an integration step, and the guards that may reach their level.
 *
 * Along the dense output, a quartic, the event function is modelled by the quartic that has its
 * values and rates at both ends and its value at mid-step; for an event function affine in the
 * state the model is exact. Its Bernstein coefficients bound it, (L1) and (L2) of
 * docs/theory/location.md: when all lie below the level the guard cannot stop the step, whatever it
 * does between the ends, and no touch-and-leave goes unseen. The values at the first and last
 * quarter, which the model does not use, say how far it may be off (L3).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"

enum { QUARTIC = ESS_QUARTIC };

/* ---- models ------------------------------------------------------------------------------- */

void ess_model_event(const ess_driver *d, size_t k, double side, bool known, double b[QUARTIC]) {
  const double quarter = 0.25 * d->dt;
  const double middle =
      known ? d->inside.middle[k]
            : ess_middle_of_cubic(d->h[k], d->rate[k], d->h_end[k], d->rate_end[k], quarter);
  ess_quartic_of_one(d->h[k], d->rate[k], middle, d->h_end[k], d->rate_end[k], quarter, b);
  for (int i = 0; i < QUARTIC; i++) b[i] *= side;
}

void ess_model_after(const ess_driver *d, size_t guard, double theta, bool known,
                     double b[QUARTIC]) {
  double whole[QUARTIC], until[QUARTIC];
  ess_model_event(d, guard / 2, guard % 2 ? -1.0 : 1.0, known, whole);
  ess_quartic_split(whole, theta, until, b);
}

void ess_model_guard(const ess_driver *d, size_t k, double b[QUARTIC]) {
  ess_model_event(d, k, d->side[k], true, b);
  for (int i = 0; i < QUARTIC; i++) b[i] -= d->levels.at[k];
}

double ess_level_tolerance(const ess_driver *d, size_t k) {
  return ESS_SLIGHT(d->levels.scale[k], fabs(d->h[k]) + fabs(d->h_end[k]));
}

/* ---- values within the step --------------------------------------------------------------- */

/* The end comes first: the field has just been evaluated there, and the caller may have cached
 * quantities of that state. */
int ess_look_at_guards(ess_driver *d) {
  // the model's error is theta^2 (theta - 1/2) (1 - theta)^2 times a fifth derivative
  static const double largest[2] = {0.275, 0.725};
  ess_compare_at(&d->inside.compared, largest, d->counters.steps + d->counters.rejected + 1);
  double *const h[] = {d->inside.beside[0], d->inside.middle, d->inside.beside[1]};
  const double at[] = {d->inside.compared.at[0], 0.5, d->inside.compared.at[1]};
  int status = d->base->rates
                   ? d->base->rates(d)
                   : ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[6], d->h_end, d->rate_end);
  for (int i = 0; !status && i < 3; i++) {
    ess_dopri5_dense(d, at[i], d->x_try);
    status = ess_event_values(d, d->t + at[i] * d->dt, d->x_try, h[i]);
  }
  return status;
}

/* Guards stop a step where they are crossed. One within its grain of zero is crossed a grain beyond
 * that: it is located to a grain, too, and is not crossed at its zero. */
void ess_set_levels(ess_driver *d) {
  const ess_lanes never = ess_lanes_all(INFINITY);
  const double slight = 1e-3 * d->dt;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t lane = 0; lane < ESS_BLOCK; lane += ESS_LANES) {
      const size_t k = b * ESS_BLOCK + lane;
      const ess_mask armed = ess_lanes_load(d->side + k) != 0.0;
      const ess_lanes fast = ess_lanes_max(ess_lanes_abs(ess_lanes_load(d->rate + k)),
                                           ess_lanes_abs(ess_lanes_load(d->rate_end + k)));
      const ess_lanes grain = ess_lanes_load(d->grains.of + k);
      ess_lanes_store(d->levels.scale + k, slight * fast + 1e9 * grain);
      ess_lanes_store(d->levels.at + k, ess_lanes_select(armed, 2.0 * grain, never));
    }
  }
  // but impacts are at their zeros: a state that rests there does not leave by a grain
  for (size_t k = 0; d->impacts && d->grains.any && k < d->system.event_count; k++)
    if (ess_is_impact(d, k)) d->levels.at[k] = 0.0;
}

/* ---- doubt -------------------------------------------------------------------------------- */

/* Values of event functions along a step, and rates at its ends. */
typedef struct values {
  const double *first, *rate, *middle, *last, *rate_last, *check[2];
} values;

/* Four event functions' models, from no side, and their errors at the places compared. */
typedef struct looks {
  ess_models m;
  ess_lanes off[2], worst;
} looks;

static inline looks look_at(const values *v, const ess_compared *c, ess_lanes quarter, size_t k) {
  looks l;
  ess_quartic_of_four(ess_lanes_load(v->first + k), ess_lanes_load(v->rate + k),
                      ess_lanes_load(v->middle + k), ess_lanes_load(v->last + k),
                      ess_lanes_load(v->rate_last + k), quarter, l.m.b);
  for (int i = 0; i < 2; i++) {
    const double *const w = c->weight[i];
    const ess_lanes *const b = l.m.b;
    const ess_lanes model = w[0] * b[0] + w[1] * b[1] + w[2] * b[2] + w[3] * b[3] + w[4] * b[4];
    l.off[i] = ess_lanes_load(v->check[i] + k) - model;
  }
  l.worst = ess_lanes_max(ess_lanes_abs(l.off[0]), ess_lanes_abs(l.off[1]));
  return l;
}

/* The distance within which a guard is at its level, and the error bound of the models where they
 * are compared: between these places it is larger by ESS_MARGIN at most. It is not a
 * number when a value or rate is not, or is too large for a model: nothing is known there. */
static inline ess_lanes doubt_of(const looks *l, ess_lanes scale, ess_lanes *slight) {
  const ess_lanes *const b = l->m.b, size = ess_lanes_abs(b[0]) + ess_lanes_abs(b[4]);
  const ess_lanes rounding = 16.0 * DBL_EPSILON * (size + ess_lanes_abs(b[2]));
  *slight = ESS_SLIGHT(scale, size);
  const ess_lanes off = ESS_DOUBT * (l->worst - rounding - *slight);
  return ess_lanes_max(off, ess_lanes_all(0.0)) + 0.0 * (l->off[0] + l->off[1]);
}

ess_mask ess_stay_below(const ess_driver *d, const size_t which[ESS_LANES], ess_lanes side,
                        ess_lanes theta) {
  const ess_lanes zero = {0.0};
  const double *const of[] = {d->h,
                              d->rate,
                              d->inside.middle,
                              d->h_end,
                              d->rate_end,
                              d->inside.beside[0],
                              d->inside.beside[1],
                              d->levels.scale};
  const bool in_turn =
      which[1] == which[0] + 1 && which[2] == which[0] + 2 && which[3] == which[0] + 3;
  double four[8][ESS_LANES];
  for (int j = 0; j < 8; j++) {
    if (in_turn)
      ess_lanes_store(four[j], ess_lanes_load(of[j] + which[0]));
    else
      for (int i = 0; i < ESS_LANES; i++) four[j][i] = of[j][which[i]];
  }
  const values v = {four[0], four[1], four[2], four[3], four[4], {four[5], four[6]}};
  looks l = look_at(&v, &d->inside.compared, ess_lanes_all(0.25 * d->dt), 0);
  ess_lanes slight, *const b = l.m.b;
  const ess_lanes more = ESS_MARGIN * doubt_of(&l, ess_lanes_load(four[7]), &slight);
  for (int i = 0; i < QUARTIC; i++) b[i] = side * b[i] + (i && i < QUARTIC - 1 ? more : zero);
  ess_mask below = b[QUARTIC - 1] < zero;
  for (int last = QUARTIC - 2; last >= 0; last--) { // de Casteljau
    for (int i = 0; i <= last; i++) b[i] += theta * (b[i + 1] - b[i]);
    below &= b[last] < zero;
  }
  return below;
}

bool ess_stays_below(const ess_driver *d, size_t guard, double theta) {
  const size_t k = guard / 2, which[ESS_LANES] = {k, k, k, k};
  const ess_lanes side = ess_lanes_all(guard % 2 ? -1.0 : 1.0);
  return ess_mask_any(ess_stay_below(d, which, side, ess_lanes_all(theta)));
}

bool ess_model_is_exact(const ess_driver *d, size_t k) {
  const size_t from = k - k % ESS_LANES;
  const values v = {d->h,     d->rate,     d->inside.middle,
                    d->h_end, d->rate_end, {d->inside.beside[0], d->inside.beside[1]}};
  const looks l = look_at(&v, &d->inside.compared, ess_lanes_all(0.25 * d->dt), from);
  ess_lanes slight;
  return doubt_of(&l, ess_lanes_load(d->levels.scale + from), &slight)[k % ESS_LANES] == 0.0;
}

/* ---- the guards that a step reaches ------------------------------------------------------- */

/* Accepted doubt over the range of a model whose crossing is located. */
static const double TRUSTED = 0.003;

/* A distance is far from zero in a step if its extent, which is the range and the doubt of its
 * model, is less than FAR of its least size. It then bounds no step, since it changes at the speeds
 * of bodies, far from zero as near it: its extent by time has grown by no more than STEADY since
 * the last step. What begins to change is treated as any other event function. */
static const double FAR = 0.5, STEADY = 2.0;

static bool is_far(const ess_driver *d, const ess_lanes b[QUARTIC], size_t k, double extent) {
  const size_t i = k % ESS_LANES;
  double least = INFINITY;
  for (int j = 0; j < QUARTIC; j++) least = ess_smaller(least, b[0][i] < 0.0 ? -b[j][i] : b[j][i]);
  return extent < FAR * least && extent <= STEADY * d->control.turning.speed[k] * d->dt;
}

/* Notes the largest doubt over the range of four armed guards' models: it bounds the next step,
 * but for those that are far. */
static inline void note_share(ess_driver *d, size_t k, const ess_lanes b[QUARTIC], ess_lanes range,
                              ess_lanes doubt) {
  ess_turning *const turning = &d->control.turning;
  const ess_lanes least = ESS_STILL * ess_lanes_abs(ess_lanes_load(d->h + k));
  const ess_mask armed = ess_lanes_load(d->side + k) != (ess_lanes){0.0};
  const ess_mask counts = armed & (range > least) & (doubt > turning->share * range);
  if (!ess_mask_any(counts)) return;
  const ess_lanes share = ess_lanes_select(counts, doubt / range, (ess_lanes){0.0});
  for (size_t i = 0; i < ESS_LANES; i++) {
    if (!(share[i] > turning->share)) continue;
    if (turning->is_distance[k + i] && is_far(d, b, k + i, range[i] + doubt[i])) continue;
    turning->share = share[i];
    turning->guard = k + i;
  }
}

/* Whether guard k, near its level but not for sure beyond it, reaches it; *doubtful where its model
 * does not decide that, or the place of the first crossing. The model decides if its doubt is a
 * small part of its range, and were it higher by the margin of its doubt there would still be no
 * crossing before that; a guard that starts above its level would still go below. */
static bool reaches_level(const ess_driver *d, size_t k, double margin, double doubt,
                          bool *doubtful) {
  double b[QUARTIC], until[QUARTIC], rest[QUARTIC];
  if (d->side[k] == 0.0) return false;
  *doubtful = !(margin >= 0.0); // or not a number
  if (margin >= 0.0 && doubt == 0.0) return true;
  ess_model_guard(d, k, b);
  const double range = ess_quartic_range(b), crossing = ess_quartic_upcrossing(b);
  for (int i = 1; i < QUARTIC - 1; i++) b[i] += ESS_MARGIN * doubt;
  const double soonest = ess_quartic_upcrossing(b);
  if (margin + doubt < 0.0 && soonest > 1.0) return false;
  // a cut at a certain crossing that is not located is checked again
  const bool is_checked = crossing <= 1.0 && !ess_locates(d);
  ess_quartic_split(b, ess_smaller(crossing, 1.0), until, rest);
  const bool is_decided = crossing > 1.0 ? soonest > 1.0
                                         : (b[0] < 0.0 || soonest <= 1.0) &&
                                               ess_sign_changes(until) <= 1 + !(b[0] < 0.0);
  *doubtful |= !(doubt <= (is_checked ? ESS_BELIEVED : TRUSTED) * range) || !is_decided;
  return true;
}

void ess_clear_flags(ess_driver *d) {
  for (size_t i = 0; i < d->flagged.count; i++) d->flagged.fate[d->flagged.list[i]] = ESS_FATE_NONE;
  d->flagged.count = 0;
}

size_t ess_flag_events(ess_driver *d) {
  const bool through = d->base->kind == ESS_THROUGH && d->through.count > 0;
  const ess_compared compared = d->inside.compared;
  const values v = {d->h,     d->rate,     d->inside.middle,
                    d->h_end, d->rate_end, {d->inside.beside[0], d->inside.beside[1]}};
  const ess_lanes zero = {0.0}, quarter = ess_lanes_all(0.25 * d->dt);
  if (d->flagged.count) ess_clear_flags(d);
  d->control.turning.share = ESS_STILL_TURNING;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    double margin[ESS_BLOCK];    // by which they rise above their levels
    unsigned near = 0, sure = 0; // bits: guards that may, and those that do by a trusted model
    for (size_t lane = 0; lane < ESS_BLOCK; lane += ESS_LANES) {
      const size_t k = b * ESS_BLOCK + lane;
      const ess_lanes side = ess_lanes_load(d->side + k);
      const ess_mask armed = side != zero;
      if (!ess_mask_any(armed)) continue;
      const looks l = look_at(&v, &compared, quarter, k);
      const ess_lanes *const model = l.m.b, left = ess_lanes_max(side * model[1], side * model[2]);
      const ess_lanes right = ess_lanes_max(side * model[3], side * model[4]);
      const ess_lanes height = ess_lanes_max(left, right) - ess_lanes_load(d->levels.at + k);
      // most are far below, and bound no step, even if rounding is an error; no number is neither
      const ess_lanes most = ESS_DOUBT * l.worst + 0.0 * l.off[0];
      const ess_lanes slope =
          ess_lanes_max(ess_lanes_abs(model[1] - model[0]), ess_lanes_abs(model[4] - model[3]));
      const ess_lanes range = ess_lanes_max(ess_lanes_abs(model[4] - model[0]), 2.0 * slope);
      const ess_lanes believed = d->control.turning.share * range;
      ess_lanes_store(d->control.turning.extent + k, range + most);
      if (!ess_mask_any(~((height + ESS_MARGIN * most < zero) & (most <= believed)))) continue;
      ess_lanes slight;
      const ess_lanes doubt = doubt_of(&l, ess_lanes_load(d->levels.scale + k), &slight);
      const ess_lanes rise = height - slight + 0.0 * model[2];
      const unsigned reached = ess_mask_bits(~(rise + ESS_MARGIN * doubt < 0.0));
      ess_lanes_store(d->inside.inexact + k, doubt);
      if (ess_mask_any(doubt > believed)) note_share(d, k, model, range, doubt);
      if (!reached) continue;
      // most of these rise through their level once, even were their models off by their doubt
      const ess_models m = ess_seen_from_guards(d, k, &l.m);
      const ess_mask rises = ess_rise_once(&m, ESS_MARGIN * doubt);
      const ess_mask trusted = (doubt == zero) | (rises & (doubt <= 0.5 * TRUSTED * range));
      const ess_mask certain = trusted & armed & (rise >= zero);
      const ess_mask once = // a step goes through these, which need not be flagged
          through ? certain & rises & ess_mask_at(d->through.once, k) : (ess_mask){0};
      ess_lanes_store(margin + lane, rise);
      near |= (reached & ~ess_mask_bits(once)) << lane;
      sure |= (reached & ess_mask_bits(certain)) << lane;
    }
    for (; near; near &= near - 1) {
      const size_t i = (size_t)__builtin_ctz(near), k = b * ESS_BLOCK + i;
      bool doubtful = false;
      if (!(sure >> i & 1) && !reaches_level(d, k, margin[i], d->inside.inexact[k], &doubtful))
        continue;
      if (doubtful) return k;
      d->flagged.theta[d->flagged.count] = ESS_NEVER; // until it is placed
      d->flagged.list[d->flagged.count++] = k;
      d->flagged.fate[k] = ESS_FATE_SOUGHT;
    }
  }
  return SIZE_MAX;
}

/* A rival starts below its level, rises through it once, and is at `theta` not below it by more
 * than rounding; or it may do otherwise. */
void ess_keep_rivals(ess_driver *d, double theta) {
  const double rest = 1.0 - theta;
  const double weight[QUARTIC] = {rest * rest * rest * rest, 4.0 * rest * rest * rest * theta,
                                  6.0 * rest * rest * theta * theta,
                                  4.0 * rest * theta * theta * theta,
                                  theta * theta * theta * theta};
  d->flagged.count = 0;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      if (!(d->flagged.fate[k] | d->flagged.fate[k + 1] | d->flagged.fate[k + 2] |
            d->flagged.fate[k + 3]))
        continue;
      const ess_models m = ess_model_guards(d, k);
      ess_lanes value = weight[0] * m.b[0], size = ess_lanes_abs(m.b[0]);
      ess_mask falls = {0};
      for (int i = 1; i < QUARTIC; i++) {
        value += weight[i] * m.b[i];
        size += ess_lanes_abs(m.b[i]);
        falls |= (m.b[i] < 0.0) & ~(m.b[i - 1] < 0.0);
      }
      const unsigned rivals = ess_mask_bits(~(value < -ESS_STILL * size) | falls | ~(m.b[0] < 0.0));
      for (size_t i = 0; i < ESS_LANES; i++) {
        if (!d->flagged.fate[k + i]) continue;
        d->flagged.fate[k + i] = rivals >> i & 1 ? ESS_FATE_SOUGHT : ESS_FATE_NONE;
        if (d->flagged.fate[k + i]) d->flagged.list[d->flagged.count++] = k + i;
      }
    }
  }
}

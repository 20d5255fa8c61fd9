/*
 * Steps through crossings: one Dormand-Prince step in which the signs follow the state, stage by
 * stage. Each crossing is a kink in the path, or a jump of its slope, which the quadrature gets
 * wrong by moments that are known once the time of the crossing is. Where the field is affine in
 * the signs all of them are put right together, by calls of the field with weights for signs
 * (docs/theory/method.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "armed.h"
#include "bound.h"
#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "kinks.h"
#include "lanes.h"
#include "quartic.h"
#include "resets.h"
#include "status.h"

enum { LAST_STAGE = ESS_STAGES - 1, QUARTIC = ESS_QUARTIC };

/* corrections of second order are held below the tolerance over this */
static const double SEVERITY = 60.0;

/* what kinks take the path away from a quartic in the middle of the step is in the dense output;
 * elsewhere up to this part of that may be missing */
static const double BETWEEN = 1.0;

/* after a rejection: safety factor, exponent, and how much shorter at most */
static const double SAFETY = 0.9, EXPONENT = -0.3, SHRINK_MOST = 0.1;

/* and after an acceptance */
static const double NEXT_SAFETY = 0.8, NEXT_EXPONENT = -0.17, GROW_MOST = 3.0;

/* what a step through crossings costs beside a plain one, and at most so many steps are made
 * otherwise before the next try */
static const double PRICE = 2.0;
enum { PATIENCE_MOST = 31, FEW = 3 };

/* the first of all steps through crossings, in parts of the one that has come to them */
static const double FIRST = 0.05;

/* so often a step is halved for what crossings do to each other before they are made one by one */
enum { PARTS_MOST = 6 };

/* a guard that the tangent reaches within so many steps may be crossed */
static const double REACH = 2.0;

/* by how much a field that is affine may miss the mean, relative to its change and to itself */
static const double AFFINE = 1e-6, ROUNDED = 1e-9;

void ess_kinks_reset(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  k->is_on = k->is_involved = false;
  k->wait = k->patience = 0;
  k->length = 0.0;
}

/* ---- signs that follow the state ------------------------------------------------------------- */

static inline ess_mask mask_at(const double masks[], size_t i) {
  return (ess_mask)ess_lanes_load(masks + i);
}

static inline void keep_mask(double masks[], size_t i, ess_mask mask) {
  ess_lanes_store(masks + i, (ess_lanes)mask);
}

static inline bool is_set(const double masks[], size_t i) {
  int64_t bits;
  memcpy(&bits, masks + i, sizeof bits);
  return bits != 0;
}

/* tells the model of an event function's sign in the next call of the field */
static int tell(ess_driver *d, size_t i) {
  const ess_system *const s = &d->system;
  const int code = s->mode_changed ? s->mode_changed(d->kinks.live, i, s->params) : 0;
  return code ? ess_callback_failed(d, code) : ESS_SUCCESS;
}

static int tell_kinks(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  if (!d->system.mode_changed) return ESS_SUCCESS;
  for (size_t i = 0; !status && i < k->count; i++) status = tell(d, k->kink[i]);
  return status;
}

static void begin(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  for (size_t i = 0; i < k->groups; i++) keep_mask(k->known, k->group[i], (ess_mask){0});
  for (size_t i = 0; i < k->companions; i++) k->is_companion[k->companion[i]] = false;
  k->count = k->groups = k->companions = 0;
  k->is_involved = false;
  memcpy(k->live, d->sign, d->guard_lanes * sizeof *d->sign);
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t i = b * ESS_BLOCK, end = ess_block_end(d, b); i < end; i += ESS_LANES) {
      const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0};
      const ess_mask below = (side * ess_lanes_load(d->h + i) < zero) &
                             (ess_lanes_load(d->width + i) > zero); // silent: nought
      ess_lanes_store(k->watch + i, ess_lanes_select(below, side, zero));
    }
  }
}

/* latches the event function of the guard that a row arms, as a companion of the crossing */
static int latch(ess_driver *d, size_t guard) {
  ess_kinks *const k = &d->kinks;
  const size_t other = guard / 2;
  const double sign = guard % 2 ? 1.0 : -1.0;
  k->is_involved |= is_set(k->known, other) || (k->is_companion[other] && k->live[other] != sign);
  if (k->is_companion[other] || k->is_involved) return ESS_SUCCESS;
  k->is_companion[other] = true;
  k->companion[k->companions++] = other;
  if (k->live[other] == sign) return ESS_SUCCESS;
  k->live[other] = sign;
  return tell(d, other);
}

/* what the row of event function i's guard does to others; those that look at the state, or
 * concern what is crossed in this step, are involved */
static int latch_row(ess_driver *d, size_t i) {
  ess_kinks *const k = &d->kinks;
  const size_t guard = ess_guard_ahead(d, i);
  int status = ESS_SUCCESS;
  for (size_t e = d->row_start[guard]; !status && e < d->row_start[guard + 1]; e++) {
    const size_t other = d->row_guard[e] / 2;
    if (d->row_effect[e] == ESS_ARM_AHEAD) k->is_involved = true;
    if (other == i || k->is_involved) continue;
    if (d->row_effect[e] < 0)
      k->is_involved |= is_set(k->known, other);
    else
      status = latch(d, d->row_guard[e]);
  }
  return status;
}

/* the lanes from i on hold their first crossing */
static void open_group(ess_kinks *k, size_t i) {
  const ess_lanes zero = {0.0};
  k->group[k->groups++] = i;
  for (int order = 0; order < 2; order++) {
    ess_lanes_store(k->value[order] + i, zero);
    ess_lanes_store(k->error[order] + i, zero);
    ess_lanes_store(k->dense[order] + i, zero);
  }
  ess_lanes_store(k->theta + i, zero + 1.0);
  keep_mask(k->last, i, (ess_mask){0});
  keep_mask(k->made, i, (ess_mask){0});
}

/* lists the guards that are beyond their zeros by h, and have not been seen so in this step */
static int look(ess_driver *d, const double h[]) {
  ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  for (size_t b = 0; b < d->blocks && !status; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t i = b * ESS_BLOCK, end = ess_block_end(d, b); i < end; i += ESS_LANES) {
      const ess_lanes g = ess_lanes_load(k->watch + i) * ess_lanes_load(h + i), zero = {0.0};
      const ess_mask known = mask_at(k->known, i), beyond = g > zero;
      unsigned bits = ess_mask_bits(beyond & ~known);
      if (!bits) continue;
      if (!ess_mask_any(known)) open_group(k, i);
      keep_mask(k->known, i, known | beyond);
      for (; bits && !status; bits &= bits - 1) {
        const size_t found = i + (size_t)__builtin_ctz(bits);
        k->is_involved |= k->is_companion[found];
        k->kink[k->count++] = found;
        status = latch_row(d, found);
      }
    }
  }
  return status;
}

/* which of four are seen beyond their zeros by h */
static inline ess_mask seen_by(const ess_kinks *k, const double h[], size_t i) {
  const ess_lanes zero = {0.0};
  return mask_at(k->known, i) & (ess_lanes_load(k->watch + i) * ess_lanes_load(h + i) > zero);
}

/* their signs: flipped where they are seen beyond their zeros */
static inline void flip(ess_driver *d, size_t i, ess_mask seen) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes sign = ess_lanes_load(d->sign + i), live = ess_lanes_load(k->live + i);
  const ess_lanes now = ess_lanes_select(seen, -sign, sign);
  ess_lanes_store(k->live + i, ess_lanes_select(mask_at(k->known, i), now, live));
}

static inline void add_where(double to[], size_t i, ess_mask where, double value) {
  const ess_lanes zero = {0.0};
  ess_lanes_store(to + i,
                  ess_lanes_load(to + i) + ess_lanes_select(where, ess_lanes_all(value), zero));
}

/* event functions take the signs that this stage sees them with, and its weights are added up */
static int follow(ess_driver *d, const double h[], int s) {
  ess_kinks *const k = &d->kinks;
  const double c = ess_dopri5_c[s];
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_mask seen = seen_by(k, h, i);
    flip(d, i, seen);
    if (s == LAST_STAGE) keep_mask(k->last, i, seen);
    if (s == 1) continue; // its weights are nought
    add_where(k->value[0], i, seen, -ess_dopri5_b[s]);
    add_where(k->value[1], i, seen, -ess_dopri5_b[s] * c);
    add_where(k->error[0], i, seen, ess_dopri5_e[s]);
    add_where(k->error[1], i, seen, ess_dopri5_e[s] * c);
    add_where(k->dense[0], i, seen, ess_dopri5_d[s]);
    add_where(k->dense[1], i, seen, ess_dopri5_d[s] * c);
  }
  return tell_kinks(d);
}

static int sweep(ess_driver *d) {
  int status = ESS_SUCCESS;
  for (int s = 1; !status && s < ESS_STAGES; s++) {
    double *const x = s == LAST_STAGE ? d->x_end : d->x_try;
    const double t = ess_dopri5_stage(d, s, x);
    status = ess_guards(d, t, x, d->h_try);
    if (!status) status = look(d, d->h_try);
    if (status || d->kinks.is_involved) return status;
    if (d->kinks.count) status = follow(d, d->h_try, s);
    if (!status) status = ess_field_at(d, d->kinks.live, t, x, d->stage[s]);
  }
  return status;
}

/* ---- what the quadrature has missed ---------------------------------------------------------- */

/* where the kinks of four lanes are, by event functions at the step's end and, where that is known,
 * in its middle: where the cubics, or quartics, with these values and rates at both ends rise
 * through zero; 1 where they do not lie above it there */
static ess_lanes place(const ess_driver *d, size_t i, const double middle[], const double h[],
                       const double rate[]) {
  enum { STEPS = 5 };
  const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0}, one = ess_lanes_all(1.0);
  const ess_lanes g0 = side * ess_lanes_load(d->h + i), g1 = side * ess_lanes_load(h + i);
  const ess_lanes s0 = d->dt * side * ess_lanes_load(d->rate + i);
  const ess_lanes s1 = d->dt * side * ess_lanes_load(rate + i);
  const ess_lanes c2 = 3.0 * (g1 - g0) - 2.0 * s0 - s1, c3 = s0 + s1 - 2.0 * (g1 - g0);
  ess_lanes c4 = zero; // of theta^2 (1 - theta)^2
  if (middle) c4 = 16.0 * side * ess_lanes_load(middle + i) - 8.0 * (g0 + g1) - 2.0 * (s0 - s1);
  const ess_mask rises = mask_at(d->kinks.known, i) & (g1 > zero);
  ess_lanes below = zero, above = one;
  ess_lanes theta = g0 / ess_lanes_select(rises, g0 - g1, -one);
  for (int step = 0; step < STEPS; step++) {
    const ess_lanes hump = theta * (1.0 - theta);
    const ess_lanes value = g0 + theta * (s0 + theta * (c2 + theta * c3)) + c4 * hump * hump;
    const ess_lanes slope =
        s0 + theta * (2.0 * c2 + (3.0 * theta) * c3) + 2.0 * c4 * hump * (1.0 - 2.0 * theta);
    const ess_mask is_below = value < zero;
    below = ess_lanes_select(is_below, theta, below);
    above = ess_lanes_select(is_below, above, theta);
    const ess_lanes newton = theta - value / slope;
    const ess_mask kept = (newton > below) & (newton < above);
    theta = ess_lanes_select(kept, newton, 0.5 * (below + above));
  }
  return ess_lanes_select(rises, theta, one);
}

/* the kinks' places and moments, by event functions where the sweep has ended */
static int measure(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  const int status =
      ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[LAST_STAGE], d->h_end, d->rate_end);
  for (size_t n = 0; !status && n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes theta = place(d, i, NULL, d->h_end, d->rate_end), rest = 1.0 - theta;
    ess_lanes_store(k->theta + i, theta);
    ess_lanes_store(k->value[0] + i, ess_lanes_load(k->value[0] + i) + rest);
    ess_lanes_store(k->value[1] + i, ess_lanes_load(k->value[1] + i) + 0.5 * rest * (1.0 + theta));
  }
  return status;
}

/* weights of the event functions that are crossed: 0 before, 1 after */
static inline void weigh(ess_driver *d, size_t i, ess_lanes w) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes live = ess_lanes_load(k->live + i), sign = ess_lanes_load(d->sign + i);
  const ess_lanes now = sign * (1.0 - 2.0 * w);
  ess_lanes_store(k->live + i, ess_lanes_select(mask_at(k->known, i), now, live));
}

/* the field with their weights */
static int weighted(ess_driver *d, double t, const double x[], double f[]) {
  const int status = tell_kinks(d);
  return status ? status : ess_field_at(d, d->kinks.live, t, x, f);
}

/* by moments at the step's beginning: those of order 0 less those of order 1, times a factor */
static int weighted_at_start(ess_driver *d, double factor, double *const moment[2], double f[]) {
  const ess_kinks *const k = &d->kinks;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    weigh(d, i, factor * (ess_lanes_load(moment[0] + i) - ess_lanes_load(moment[1] + i)));
  }
  return weighted(d, d->t, d->x, f);
}

/* at the step's end, beside those that its last stage has seen already; NULL: these alone */
static int weighted_at_end(ess_driver *d, const double moment[], const double x[], double f[]) {
  const ess_kinks *const k = &d->kinks;
  const ess_lanes one = ess_lanes_all(1.0), zero = {0.0};
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes seen = ess_lanes_select(mask_at(k->last, i), one, zero);
    weigh(d, i, moment ? seen + ess_lanes_load(moment + i) : seen);
  }
  return weighted(d, d->t + d->dt, x, f);
}

/* to += factor (a - b) */
static void add_difference(const ess_driver *d, double factor, const double a[], const double b[],
                           double to[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(to + i, ess_lanes_load(to + i) +
                                factor * (ess_lanes_load(a + i) - ess_lanes_load(b + i)));
}

/* ---- is the field affine? -------------------------------------------------------------------- */

/* whether `middle` is the mean of a and b, up to rounding */
static bool is_mean(const ess_driver *d, const double middle[], const double a[],
                    const double b[]) {
  double off = 0.0, change = 0.0, size = 0.0;
  for (size_t i = 0; i < d->system.dimension; i++) {
    off = ess_larger(off, fabs(middle[i] - 0.5 * (a[i] + b[i])));
    change = ess_larger(change, fabs(a[i] - b[i]));
    size = ess_larger(size, fabs(a[i]) + fabs(b[i]));
  }
  return !(off > AFFINE * change + ROUNDED * size);
}

/* the field at the node, with every kink at this weight, or one alone */
static int even(ess_driver *d, double w, size_t only, double f[]) {
  const ess_kinks *const k = &d->kinks;
  for (size_t i = 0; i < k->count; i++) {
    const size_t kink = k->kink[i];
    k->live[kink] = d->sign[kink] * (only == SIZE_MAX || kink == only ? 1.0 - 2.0 * w : 1.0);
  }
  return weighted(d, d->t, d->x, f);
}

/* fails where the field is not affine in one sign by itself; where it is, but not in several
 * together, crossings are made one by one */
static int check_each(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  int status = even(d, 0.0, SIZE_MAX, k->sum);
  for (size_t i = 0; !status && i < k->count; i++) {
    status = even(d, 1.0, k->kink[i], k->first);
    if (!status) status = even(d, 0.5, k->kink[i], k->f);
    if (!status && !is_mean(d, k->f, k->sum, k->first))
      return ess_fail(d, ESS_EWEIGHTS, k->kink[i]);
  }
  k->is_involved = true;
  return status;
}

/* those met for the first time are looked at at once; it takes two calls */
static int check_new(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  size_t unknown = 0;
  for (size_t i = 0; i < k->count; i++) unknown += !k->is_checked[k->kink[i]];
  if (!unknown) return ESS_SUCCESS;
  int status = even(d, 1.0, SIZE_MAX, k->first);
  if (!status) status = even(d, 0.5, SIZE_MAX, k->f);
  if (status) return status;
  if (!is_mean(d, k->f, d->stage[0], k->first)) return check_each(d);
  for (size_t i = 0; i < k->count; i++) k->is_checked[k->kink[i]] = true;
  return ESS_SUCCESS;
}

/* whether they add up in this step: `full` is the field at the node by their weights */
static int check_sum(ess_driver *d, const double full[]) {
  ess_kinks *const k = &d->kinks;
  if (k->count < 2) return ESS_SUCCESS;
  const int status = weighted_at_start(d, 0.5, k->value, k->f);
  if (!status) k->is_involved = !is_mean(d, k->f, d->stage[0], full);
  return status;
}

/* ---- the corrections ------------------------------------------------------------------------- */

/* the moments' parts at the step's beginning: of its end's state, of its error, of its dense
 * output */
static int correct_from_start(ess_driver *d, double error[]) {
  ess_kinks *const k = &d->kinks;
  int status = weighted_at_start(d, 1.0, k->value, k->sum);
  if (!status) status = check_sum(d, k->sum);
  if (status || k->is_involved) return status;
  for (size_t i = 0; i < d->lanes; i++) k->first[i] = k->sum[i] -= d->stage[0][i];
  status = weighted_at_start(d, 1.0, k->error, k->f);
  if (status) return status;
  add_difference(d, -d->dt, k->f, d->stage[0], error);
  status = weighted_at_start(d, 1.0, k->dense, k->f);
  if (!status) add_difference(d, -d->dt, k->f, d->stage[0], k->quartic);
  return status;
}

/* and those at its end */
static int correct_from_end(ess_driver *d, double error[]) {
  ess_kinks *const k = &d->kinks;
  const double *const f = d->stage[LAST_STAGE];
  int status = weighted_at_end(d, k->value[1], d->x_end, k->f);
  if (status) return status;
  add_difference(d, 1.0, k->f, f, k->sum);
  status = weighted_at_end(d, k->error[1], d->x_end, k->f);
  if (status) return status;
  add_difference(d, -d->dt, k->f, f, error);
  status = weighted_at_end(d, k->dense[1], d->x_end, k->f);
  if (!status) add_difference(d, -d->dt, k->f, f, k->quartic);
  return status;
}

/* what the kinks do to the state changes the field: by that at the end, to second order. The state
 * there is corrected; *off is what this comes to. */
static int correct_end(ess_driver *d, double *off) {
  ess_kinks *const k = &d->kinks;
  const double *const f = d->stage[LAST_STAGE];
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] + d->dt * k->first[i];
  const int status = weighted_at_end(d, NULL, d->x_try, k->f);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) {
    d->v_try[i] = d->dt * (k->f[i] - f[i]);
    k->at[i] = d->x_end[i];
    d->x_end[i] += d->dt * k->sum[i] + d->v_try[i];
  }
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  return status;
}

/* event functions in the middle of the path: that of the dense output, and by how much kinks take
 * the path away from what is smooth, by what they have added to the rate until there */
static int look_at_middle(ess_driver *d, double *off) {
  ess_kinks *const k = &d->kinks;
  const double *const f = d->stage[LAST_STAGE];
  double *const from_start = k->error[0], *const none = k->error[1], *const from_end = k->dense[1];
  const ess_lanes zero = {0.0}, eighth = ess_lanes_all(0.125);
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes theta = ess_lanes_load(k->theta + i), square = theta * theta;
    const ess_lanes until = ess_lanes_max(0.5 - theta, zero);
    const ess_lanes until_1 = ess_lanes_max(0.5 * (0.25 - square), zero);
    const ess_lanes whole_1 = 0.5 * (1.0 - square), whole_0 = (1.0 - theta) - whole_1;
    ess_lanes_store(from_start + i, (until - until_1) - 0.5 * whole_0);
    ess_lanes_store(none + i, zero);
    ess_lanes_store(from_end + i,
                    until_1 - 0.5 * whole_1 + ess_lanes_select(theta < 1.0, eighth, zero));
  }
  memset(d->v_try, 0, d->lanes * sizeof *d->v_try);
  int status = weighted_at_start(d, 1.0, k->error, k->f);
  if (status) return status;
  add_difference(d, d->dt, k->f, d->stage[0], d->v_try);
  status = weighted_at_end(d, from_end, k->at, k->f);
  if (status) return status;
  add_difference(d, d->dt, k->f, f, d->v_try);
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  for (size_t i = 0; i < d->lanes; i++) {
    k->quartic[i] += 16.0 * d->v_try[i];
    d->v_try[i] = 0.5 * (d->x[i] + d->x_end[i]) + 0.125 * d->dt * (d->stage[0][i] - f[i]) +
                  0.0625 * k->quartic[i];
  }
  return ess_guards(d, d->t + 0.5 * d->dt, d->v_try, d->h_mid);
}

/* crossings have moved with the end that has been corrected, and are not where cubics have them:
 * that is made good, too */
static int correct_places(ess_driver *d, double *off, double *off_middle) {
  ess_kinks *const k = &d->kinks;
  double *const at_start = k->error[0], *const none = k->error[1], *const at_end = k->dense[1];
  int status = look_at_middle(d, off_middle);
  if (!status) status = ess_guards(d, d->t + d->dt, d->x_end, d->h_end);
  // some have been led to by what the others did
  if (!status) status = look(d, d->h_end);
  if (!status && !k->is_involved) status = check_new(d);
  if (status || k->is_involved) return status;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes theta = place(d, i, d->h_mid, d->h_end, d->rate_end);
    const ess_lanes earlier = ess_lanes_load(k->theta + i) - theta, zero = {0.0};
    ess_lanes_store(at_start + i, (1.0 - theta) * earlier);
    ess_lanes_store(none + i, zero);
    ess_lanes_store(at_end + i, theta * earlier);
  }
  memset(d->v_try, 0, d->lanes * sizeof *d->v_try);
  status = weighted_at_start(d, 1.0, k->error, k->f);
  if (status) return status;
  add_difference(d, d->dt, k->f, d->stage[0], d->v_try);
  status = weighted_at_end(d, at_end, k->at, k->f);
  if (status) return status;
  add_difference(d, d->dt, k->f, d->stage[LAST_STAGE], d->v_try);
  for (size_t i = 0; i < d->lanes; i++) d->x_end[i] += d->v_try[i];
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  return status;
}

/* field and event functions at the end, with the signs as they are */
static int evaluate_end(ess_driver *d) {
  double *const f = d->stage[LAST_STAGE];
  const double t = d->t + d->dt;
  const int status = weighted(d, t, d->x_end, f);
  return status ? status : ess_guard_rates(d, t, d->x_end, f, d->h_end, d->rate_end);
}

/* the corrected end, in the mode that it has, and where crossings are by that */
static int finish(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  for (size_t n = 0; n < k->groups; n++) flip(d, k->group[n], mask_at(k->last, k->group[n]));
  const size_t count = k->count;
  int status = evaluate_end(d);
  if (!status) status = look(d, d->h_end);
  k->is_involved |= k->count > count; // nobody has made good for those
  if (status || k->is_involved) return status;
  ess_mask differs = {0};
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_mask seen = seen_by(k, d->h_end, i);
    differs |= seen ^ mask_at(k->last, i);
    keep_mask(k->made, i, seen);
    flip(d, i, seen);
  }
  if (ess_mask_any(differs)) status = evaluate_end(d);
  for (size_t n = 0; !status && n < k->groups; n++)
    ess_lanes_store(k->theta + k->group[n], place(d, k->group[n], d->h_mid, d->h_end, d->rate_end));
  return status;
}

static int correct(ess_driver *d, double *error) {
  ess_kinks *const k = &d->kinks;
  double *const embedded = d->cluster.defect; // no sub-step is under way
  double moved = 0.0, second = 0.0, middle = 0.0;
  ess_dopri5_sum(ESS_SUM_ERROR, d->dt, NULL, d->stage, d->lanes, embedded);
  ess_dopri5_sum(ESS_SUM_DENSE, d->dt, NULL, d->stage, d->lanes, k->quartic);
  int status = measure(d);
  if (!status) status = check_new(d);
  if (!status && !k->is_involved) status = correct_from_start(d, embedded);
  if (status || k->is_involved) return status;
  status = correct_from_end(d, embedded);
  if (!status) status = correct_end(d, &second);
  if (!status) status = correct_places(d, &moved, &middle);
  if (!status && !k->is_involved) status = finish(d);
  if (status || k->is_involved) return status;
  const double smooth = d->severity * ess_scaled_norm(d, embedded, d->x, d->x_end);
  // not a number stays one
  *error = ess_larger(smooth, BETWEEN * middle) + 0.0 * (moved + second + smooth);
  *error = ess_larger(SEVERITY * ess_larger(moved, second), *error);
  return ESS_SUCCESS;
}

int ess_kinks_try(ess_driver *d, double *error) {
  begin(d);
  *error = INFINITY;
  const int status = sweep(d);
  if (status || d->kinks.is_involved) return status;
  if (d->kinks.count) return correct(d, error);
  ess_dopri5_sum(ESS_SUM_ERROR, d->dt, NULL, d->stage, d->lanes, d->x_try);
  *error = d->severity * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  return ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[LAST_STAGE], d->h_end, d->rate_end);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* the next step, were it to go through crossings */
static double usual_length(const ess_driver *d) {
  const double most = d->kinks.length > 0.0 ? GROW_MOST * d->kinks.length : d->dt_next;
  return ess_smaller(ess_smaller(d->dt_next, most), d->t_end - d->t);
}

void ess_kinks_choose(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  k->is_on = false;
  k->is_barred = true;
  if (!d->system.weights || !d->armed_count || d->impacts || d->tangents || k->wait ||
      d->is_coarse || d->options.base != ESS_BASE_DOPRI5)
    return;
  k->is_barred = false;
  k->parts = 0;
  k->whole = d->dt_next;
  const double reach = REACH * usual_length(d);
  int near = 0;
  for (size_t b = 0; b < d->blocks && near <= FEW; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t i = b * ESS_BLOCK, end = ess_block_end(d, b); i < end; i += ESS_LANES) {
      const ess_lanes h = ess_lanes_load(d->h + i), rate = ess_lanes_load(d->rate + i);
      const ess_mask reached = ess_lanes_load(d->side + i) * (h + reach * rate) > 0.0;
      near += __builtin_popcount(ess_mask_bits(reached));
    }
  }
  k->is_on = near > FEW;
  if (k->is_on) d->dt_next = usual_length(d);
}

int ess_kinks_give_up(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  if (!d->system.mode_changed) return ESS_SUCCESS;
  memcpy(k->live, d->sign, d->guard_lanes * sizeof *d->sign);
  status = tell_kinks(d);
  for (size_t i = 0; !status && i < k->companions; i++) status = tell(d, k->companion[i]);
  return status;
}

double ess_kinks_next_length(const ess_driver *d, double error) {
  return d->dt * ess_smaller(GROW_MOST, NEXT_SAFETY * pow(error, NEXT_EXPONENT));
}

/* the other way, now and for some time: longer each time in a row */
static void step_aside(ess_kinks *k) {
  k->is_on = false;
  k->is_barred = true;
  k->patience = k->patience < PATIENCE_MOST ? 2 * k->patience + 1 : PATIENCE_MOST;
  k->wait = k->patience;
}

/* what crossings do to each other in this step is told in shorter ones, if they are many; a few are
 * made one by one */
static void part(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  k->is_barred = true;
  k->is_on = k->count > FEW && k->parts++ < PARTS_MOST;
  d->dt_next = k->is_on ? 0.5 * d->dt : k->whole;
}

int ess_kinks_reject(ess_driver *d, double error) {
  ess_kinks *const k = &d->kinks;
  const int status = ess_kinks_give_up(d);
  if (k->is_involved) {
    d->counters.rejected++;
    part(d);
    return status;
  }
  if (!k->count || !isfinite(error)) return status;
  const double factor = ess_larger(SHRINK_MOST, SAFETY * pow(error, EXPONENT));
  if (PRICE < factor * (double)(k->count + 1)) {
    d->dt_next = d->dt * factor;
  } else {
    step_aside(k);
    d->dt_next = d->dt;
  }
  return status;
}

int ess_kinks_leave(ess_driver *d) {
  d->counters.rejected++;
  part(d);
  return ess_kinks_give_up(d);
}

bool ess_kinks_met(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  if (k->wait) k->wait--;
  return !k->is_barred && d->flagged_count > FEW;
}

void ess_kinks_come_to(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  d->dt_next = ess_smaller(d->dt_next, k->length > 0.0 ? k->length : FIRST * d->dt);
}

bool ess_kinks_made(const ess_driver *d, size_t i) {
  return is_set(d->kinks.made, i);
}

/* ---- a step that is accepted ----------------------------------------------------------------- */

/* Bernstein coefficients of event function i's model, from any side of it */
static void model_from(const ess_driver *d, size_t i, double side, double b[QUARTIC]) {
  const double quarter = 0.25 * d->dt * side;
  b[0] = side * d->h[i];
  b[4] = side * d->h_end[i];
  b[1] = b[0] + quarter * d->rate[i];
  b[3] = b[4] - quarter * d->rate_end[i];
  b[2] = (16.0 * side * d->h_mid[i] - b[0] - b[4] - 4.0 * (b[1] + b[3])) / 6.0;
}

/* whether a guard that is armed at theta is then not reached any more */
static bool stays_below(const ess_driver *d, size_t guard, double theta) {
  const double side = guard % 2 ? -1.0 : 1.0;
  double b[QUARTIC];
  model_from(d, guard / 2, side, b);
  bool below = true;
  for (int i = 0; i < QUARTIC; i++) below = below && b[i] < 0.0;
  if (below) return true;
  // from its end back to theta
  double reversed[QUARTIC], rest[QUARTIC];
  for (int i = 0; i < QUARTIC; i++) reversed[i] = b[QUARTIC - 1 - i];
  ess_quartic_until(reversed, 1.0 - theta, rest);
  below = true;
  for (int i = 0; i < QUARTIC; i++) below = below && rest[i] < 0.0;
  return below;
}

/* whether the guard just crossed is approached again, so fast that it may be reached within another
 * such step: the field may point to it from both sides */
static bool turns_back(const ess_driver *d, size_t i) {
  const double g = -d->side[i] * d->h_end[i], rate = -d->side[i] * d->rate_end[i];
  return rate > 0.0 && g + d->dt * rate >= 0.0;
}

/* whether what a crossing arms is not crossed in this step; silent guards may be, at its end */
static bool arms_nothing_due(const ess_driver *d, size_t i) {
  const size_t guard = ess_guard_ahead(d, i);
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t armed = d->row_guard[e];
    if (d->row_effect[e] < 0 || d->silent[armed]) continue;
    if (armed / 2 == i ? turns_back(d, i) : !stays_below(d, armed, d->kinks.theta[i])) return false;
  }
  return true;
}

/* whether a flagged guard is one that the step goes through, or is silent and passed for good */
static bool is_accounted_for(ess_driver *d, size_t i) {
  double b[QUARTIC];
  ess_model_guard(d, i, b);
  if (!(b[0] < 0.0) || ess_sign_changes(b) != 1 || !(b[QUARTIC - 1] >= 0.0)) return false;
  if (!ess_is_silent(d, i)) return is_set(d->kinks.known, i) && is_set(d->kinks.made, i);
  d->fate[i] = ESS_FATE_PASSED;
  return ess_row_is_local(d, i);
}

bool ess_kinks_fits(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  for (size_t i = 0; i < d->flagged_count; i++)
    if (!is_accounted_for(d, d->flagged[i])) return false;
  for (size_t i = 0; i < k->count; i++)
    if (is_set(k->made, k->kink[i]) && !arms_nothing_due(d, k->kink[i])) return false;
  return true;
}

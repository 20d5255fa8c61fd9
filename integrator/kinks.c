/*
 * Steps through crossings: one Dormand-Prince step in which the signs follow the state, stage by
 * stage. Each crossing is a kink in the path, or a jump of its slope, which the quadrature gets
 * wrong by moments that are known once the time of the crossing is. Where the field is affine in
 * the signs all of them are corrected together, by right-hand-side evaluations with weights as
 * signs (docs/theory/method.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "kinks.h"

enum { LAST_STAGE = ESS_STAGES - 1, QUARTIC = ESS_QUARTIC };

/* Each estimate times its factor must be <= 1. SEVERITY_OF_KINKS: second-order effect of kinks on
 * the state. SEVERITY_OF_PLACES: effect of errors in their places. SEVERITY_OF_ERROR: embedded
 * error. */
static const double SEVERITY_OF_KINKS = 30.0, SEVERITY_OF_PLACES = 20.0, SEVERITY_OF_ERROR = 18.0;

/* Error of the dense output between nodes. BETWEEN: over the deviation from a quartic in the middle
 * of the step. UNSEEN_IN_MIDDLE: over the effect on the end, of which up to a third (some thirty
 * tolerances) may be missing if kinks are near a quarter of the step or cancel in the middle. */
static const double BETWEEN = 0.5, UNSEEN_IN_MIDDLE = 0.01;

/* embedded error, over the tolerance, from which the effect of kinks is removed */
static const double SMOOTH = 0.2;

/* Largest growth of the length, and the exponent of the error in the length after a rejection. The
 * error of a step that certainly goes too far makes the next one about a third as long. */
static const double GROW_THROUGH = 3.0, REJECTED = -0.3, TOO_FAR = 30.0;

/* REACHES_FEW: crossings in a step up to which they are located one by one, with fewer field
 * evaluations. MANY_MORE: crossings ahead, over those of the last step through crossings, which
 * does not predict the length of a step through so many. */
enum { REACHES_FEW = 3, MANY_MORE = 2 };

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

/* Weight at which a field is checked between both modes; at 1/2 deviations that are odd about it
 * would not show. */
static const double BETWEEN_MODES = 0.3;

/* Deviation of a field from affine, over itself, up to which it counts as rounding. */
static const double AFFINE_ROUNDED = 1e-9;

/* ---- before the first step ------------------------------------------------------------------- */

/* The sums that a kink's moments lose to the stages that have seen it, for each set of stages. */
void ess_kinks_prepare(ess_driver *d) {
  for (size_t seen = 0; seen < ESS_PATTERNS; seen++) {
    double *const sum = d->kinks.table[seen];
    for (int i = 0; i < ESS_KINK_SUMS; i++) sum[i] = 0.0;
    for (int s = 1; s < ESS_STAGES; s++) {
      if (!(seen >> s & 1)) continue;
      const double c = ess_dopri5_c[s], rest = 1.0 - c;
      const double b = ess_dopri5_b[s], e = ess_dopri5_e[s], dense = ess_dopri5_d[s];
      const double add[] = {-b * rest, -b * c, e * rest, e * c, dense * rest, dense * c};
      for (int i = 0; i < ESS_KINK_SUMS; i++) sum[i] += add[i];
    }
  }
}

void ess_kinks_reset(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  if (k->any_acts) { // a trajectory is the same whatever came before it
    memset(k->acts, 0, d->system.guard_count * sizeof *k->acts);
    memset(k->is_checked, 0, d->system.guard_count * sizeof *k->is_checked);
    k->any_acts = false;
  }
  k->is_involved = false;
  k->length = 0.0;
  k->last_count = k->most = 0;
  k->most_length = INFINITY;
}

/* ---- signs that follow the state ------------------------------------------------------------- */

/* the model is told of an event function's sign in the next call of the field */
static int tell(ess_driver *d, size_t i) {
  const ess_system *const s = &d->system;
  return s->mode_changed ? ess_called(d, s->mode_changed(d->kinks.live, i, s->params))
                         : ESS_SUCCESS;
}

static int tell_kinks(ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  if (!d->system.mode_changed) return ESS_SUCCESS;
  for (size_t i = 0; !status && i < k->count; i++) {
    const size_t kink = k->kink[i];
    if (k->live[kink] != k->told[kink]) status = tell(d, kink);
    k->told[kink] = k->live[kink];
  }
  return status;
}

static void take_signs(ess_driver *d) {
  memcpy(d->kinks.live, d->sign, d->blocks * ESS_BLOCK * sizeof *d->sign);
}

static inline bool is_companion(const ess_kinks *k, size_t i) {
  return k->companion_in[i] == k->tries;
}

/* An event function that a row of a crossing in this step names is its companion, and must not be
 * crossed in it, too. It is latched to the sign that the row arms its guard from; 0: disarmed. */
static inline int latch(ess_driver *d, size_t other, double sign) {
  ess_kinks *const k = &d->kinks;
  const bool flips = sign != 0.0 && k->live[other] != sign;
  k->is_involved |=
      ess_is_set(k->known, other) || (flips && (is_companion(k, other) || k->acts[other]));
  if (k->is_involved || is_companion(k, other)) return ESS_SUCCESS;
  k->companion_in[other] = k->tries;
  k->companion[k->companions++] = other;
  if (!flips) return ESS_SUCCESS;
  k->live[other] = sign;
  return tell(d, other);
}

/* lists a crossing, which has not been listed in this step, and applies its row to others */
static int list_kink(ess_driver *d, size_t i) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes zero = {0.0};
  const size_t from = i - i % ESS_LANES, guard = ess_guard_ahead(d, i);
  const ess_kink_row *const r = &k->row[guard];
  const int64_t yes = -1;
  // the masks would show this, too, but a processor waits when it reads four numbers as one vector
  // just after it has written them one by one
  if (k->opened_in[from / ESS_LANES] != k->tries) {
    k->group[k->groups++] = from;
    k->opened_in[from / ESS_LANES] = k->tries;
    ess_lanes_store(k->theta + from, zero + 1.0);
    ess_lanes_store(k->until + from, zero + 1.0);
    ess_lanes_store(k->pair_side + from, zero);
    ess_keep_mask(k->pattern, from, (ess_mask){0});
    ess_keep_mask(k->last, from, (ess_mask){0});
    ess_keep_mask(k->made, from, (ess_mask){0});
    for (size_t lane = 0; lane < ESS_LANES; lane++) k->pair[from + lane] = from;
  }
  memcpy(k->known + i, &yes, sizeof yes);
  memcpy(k->undoable + i, &r->undoable, sizeof r->undoable);
  k->watch[i] = 0.0;
  k->is_involved |= is_companion(k, i);
  k->kink[k->count++] = i;
  k->unknown += !k->is_checked[i];
  if (d->system.mode_changed) k->told[i] = d->sign[i];
  k->undo[i] = r->undo;
  k->pair[i] = r->pair;
  k->pair_side[i] = r->pair_side;
  k->is_paired |= r->pair_side != 0.0;
  k->arm_more |= r->arms_more;
  // most crossings of many are made without a look at the row's entries
  if (r->is_simple) return r->other == ESS_NONE ? ESS_SUCCESS : latch(d, r->other, r->sign);
  // rows that look at the state, or concern other crossings of this step, are involved
  int status = ESS_SUCCESS;
  for (size_t e = d->rows.start[guard]; !status && e < d->rows.start[guard + 1]; e++) {
    const size_t other = d->rows.guard[e] / 2;
    const double sign = d->rows.effect[e] > 0 ? ess_sign_before(d->rows.guard[e]) : 0.0;
    if (d->rows.effect[e] == ESS_ARM_AHEAD) k->is_involved = true;
    if (other != i && !k->is_involved) status = latch(d, other, sign);
  }
  return status;
}

/* lists the watched guards beyond their zeros by h, which have not been seen so in this step */
static int look(ess_driver *d, const double h[]) {
  const ess_kinks *const k = &d->kinks;
  const ess_lanes zero = {0.0};
  for (size_t n = 0; n < k->blocks; n++) {
    const double *const watch = k->watch + k->block[n], *const from = h + k->block[n];
    ess_lanes most = zero;
    for (size_t i = 0; i < ESS_BLOCK; i += ESS_LANES)
      most = ess_lanes_max(ess_lanes_load(watch + i) * ess_lanes_load(from + i), most);
    if (!ess_mask_any(most > zero)) continue;
    unsigned bits = 0;
    for (size_t i = 0; i < ESS_BLOCK; i += ESS_LANES)
      bits |= ess_mask_bits(ess_lanes_load(watch + i) * ess_lanes_load(from + i) > zero) << i;
    for (; bits; bits &= bits - 1) {
      const int status = list_kink(d, k->block[n] + (size_t)__builtin_ctz(bits));
      if (status) return status;
    }
  }
  return ESS_SUCCESS;
}

/* which of four crossings are undone by h again, by a guard that they have armed; those that their
 * own guards undo are not seen any more */
static inline ess_mask undone_by(const ess_kinks *k, const double h[], size_t i) {
  const ess_lanes zero = {0.0};
  if (!k->is_paired) return (ess_mask){0};
  const size_t *const pair = k->pair + i;
  const ess_lanes other = {h[pair[0]], h[pair[1]], h[pair[2]], h[pair[3]]};
  return ess_lanes_load(k->pair_side + i) * other > zero;
}

/* which of four are seen beyond their zeros by h, and not undone */
static inline ess_mask seen_by(const ess_driver *d, const double h[], size_t i) {
  const ess_kinks *const k = &d->kinks;
  const ess_lanes zero = {0.0};
  const ess_mask beyond = ess_lanes_load(d->side + i) * ess_lanes_load(h + i) > zero;
  return ess_mask_at(k->known, i) & beyond & ~undone_by(k, h, i);
}

/* the signs of four crossings, by their weights: 0 before, 1 after; those that are seen have 1 */
static inline void weigh(ess_driver *d, size_t i, ess_lanes w) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes live = ess_lanes_load(k->live + i), sign = ess_lanes_load(d->sign + i);
  const ess_lanes now = sign * (1.0 - 2.0 * w);
  ess_lanes_store(k->live + i, ess_lanes_select(ess_mask_at(k->known, i), now, live));
}

static inline ess_lanes weight_of(ess_mask seen) {
  return (ess_lanes)(seen & (ess_mask)ess_lanes_all(1.0));
}

/* the stages: each sees event functions with signs of its own, which are noted */
static int sweep(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  for (int s = 1; !status && s < ESS_STAGES; s++) {
    const int64_t bit = (int64_t)1 << s;
    double *const x = s == LAST_STAGE ? d->x_end : d->x_try;
    const double t = ess_dopri5_stage(d, s, x);
    status = ess_guards(d, t, x, d->h_try);
    if (!status) status = look(d, d->h_try);
    if (status || k->is_involved) return status;
    for (size_t n = 0; n < k->groups; n++) {
      const size_t i = k->group[n];
      const ess_mask seen = seen_by(d, d->h_try, i), noted = ess_mask_at(k->pattern, i);
      weigh(d, i, weight_of(seen));
      if (s == LAST_STAGE) ess_keep_mask(k->last, i, seen);
      ess_keep_mask(k->pattern, i, noted | (seen & (ess_mask){bit, bit, bit, bit}));
    }
    status = tell_kinks(d);
    if (!status) status = ess_field_at(d, k->live, t, x, d->stage[s]);
  }
  return status;
}

/* ---- where the kinks are --------------------------------------------------------------------- */

/* The places of four kinks, by event functions at the step's ends and, if `middle` is known, in its
 * middle: their models rise through zero there; 1 if they do not lie above it at the end. */
static ess_lanes place(const ess_driver *d, size_t i, bool middle) {
  const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0}, one = ess_lanes_all(1.0);
  ess_models m = ess_model_events(d, i, middle);
  for (int j = 0; j < QUARTIC; j++) m.b[j] *= side;
  const ess_mask rises = ess_mask_at(d->kinks.known, i) & (m.b[QUARTIC - 1] > zero);
  const ess_lanes near = middle ? ess_lanes_load(d->kinks.theta + i) : one;
  const ess_lanes chord = m.b[0] / ess_lanes_select(rises, m.b[0] - m.b[QUARTIC - 1], -one);
  const ess_lanes from = ess_lanes_select(near < one, near, chord);
  return ess_lanes_select(rises, ess_quartics_rise(m.b, rises, from), one);
}

/* Touch and leave, of four: where crossings are made and undone that their ends do not show. There,
 * guards are on the side that they were on, or the guard that undoes them is beyond its zero, too.
 * Their moments are those by theta as it was, as if they were there to stay at the end, or had not
 * been there at all. */
static inline void place_visits(ess_driver *d, size_t from, bool middle) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes zero = {0.0};
  const ess_mask beyond = ess_lanes_load(d->side + from) * ess_lanes_load(d->h_end + from) > zero;
  const ess_mask stays = beyond & ~undone_by(k, d->h_end, from);
  unsigned bits =
      ess_mask_bits(ess_mask_at(k->known, from) & ess_mask_at(k->undoable, from) & ~stays);
  ess_lanes_store(k->until + from, zero + 1.0);
  for (; bits; bits &= bits - 1) {
    const size_t i = from + (size_t)__builtin_ctz(bits), undo = k->undo[i];
    double b[QUARTIC], after[QUARTIC];
    ess_model_event(d, i, d->side[i], middle, b);
    const double was = k->theta[i], theta = ess_smaller(ess_quartic_upcrossing(b), 1.0);
    k->theta[i] = theta;
    if (theta < 1.0) {
      ess_model_after(d, undo, theta, middle, after);
      if (undo / 2 == i) after[0] = -DBL_MIN; // it has just been left
      const double part = after[0] < 0.0 ? ess_quartic_upcrossing(after) : 0.0;
      const double undone = part <= 1.0 ? theta + part * (1.0 - theta) : 1.0;
      k->until[i] = ess_larger(undone, theta + DBL_EPSILON);
      k->visits += ess_is_visit(k, i);
    }
    if (middle) continue;
    const double until = k->until[i];
    const double first = 0.5 * (was * was - theta * theta - (1.0 - until * until));
    k->value[0][i] += was - theta - (1.0 - until) - first;
    k->value[1][i] += first;
  }
}

/* of four guards that have not been seen beyond their zeros, how far their cubics' control points
 * lie beyond them */
static inline ess_lanes between(const ess_driver *d, size_t i) {
  const double third = d->dt / 3.0;
  const ess_lanes watch = ess_lanes_load(d->kinks.watch + i);
  const ess_lanes first = ess_lanes_load(d->h + i) + third * ess_lanes_load(d->rate + i);
  const ess_lanes last = ess_lanes_load(d->h_end + i) - third * ess_lanes_load(d->rate_end + i);
  return ess_lanes_max(watch * first, watch * last);
}

/* event functions at the end */
static int look_at_end(ess_driver *d) {
  double *const f = d->stage[LAST_STAGE];
  return ess_guard_rates(d, d->t + d->dt, d->x_end, f, d->h_end, d->rate_end);
}

/* the kinks' places and moments, by event functions where the sweep has ended; those of guards too
 * that rise above their zeros and fall again between two stages */
static int measure(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes zero = {0.0};
  double b[QUARTIC];
  int status = look_at_end(d);
  if (status) return status;
  for (size_t n = 0; n < k->blocks; n++) {
    const size_t from = k->block[n];
    ess_lanes most = zero;
    for (size_t i = from; i < from + ESS_BLOCK; i += ESS_LANES)
      most = ess_lanes_max(between(d, i), most);
    if (!ess_mask_any(most > zero)) continue;
    for (size_t i = from; i < from + ESS_BLOCK; i += ESS_LANES) {
      unsigned bits = ess_mask_bits(between(d, i) > zero);
      for (; bits && !status; bits &= bits - 1) {
        const size_t found = i + (size_t)__builtin_ctz(bits);
        ess_model_event(d, found, d->side[found], false, b);
        if (ess_quartic_upcrossing(b) < 1.0) status = list_kink(d, found);
      }
    }
  }
  k->visits = 0;
  for (size_t n = 0; !status && n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes theta = place(d, i, false), rest = 1.0 - theta;
    const ess_mask seen = ess_mask_at(k->pattern, i);
    ess_lanes sum[ESS_KINK_SUMS];
    for (int j = 0; j < ESS_KINK_SUMS; j++)
      sum[j] = (ess_lanes){k->table[seen[0]][j], k->table[seen[1]][j], k->table[seen[2]][j],
                           k->table[seen[3]][j]};
    ess_lanes_store(k->theta + i, theta);
    ess_lanes_store(k->value[0] + i, sum[0] + 0.5 * rest * rest);
    ess_lanes_store(k->value[1] + i, sum[1] + 0.5 * rest * (1.0 + theta));
    for (int end = 0; end < 2; end++) {
      ess_lanes_store(k->error[end] + i, sum[2 + end]);
      ess_lanes_store(k->dense[end] + i, sum[4 + end]);
    }
    place_visits(d, i, false);
  }
  return status;
}

/* where the kinks are by quartics; their places so far are kept in place of their moments */
static void place_again(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  k->visits = 0;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    ess_lanes_store(k->value[0] + i, ess_lanes_load(k->theta + i));
    ess_lanes_store(k->value[1] + i, ess_lanes_load(k->until + i));
    ess_lanes_store(k->theta + i, place(d, i, true));
    place_visits(d, i, true);
  }
}

/* ---- the field with weights ------------------------------------------------------------------ */

/* the field with their weights */
static int weighted(ess_driver *d, double t, const double x[], double f[]) {
  const int status = tell_kinks(d);
  return status ? status : ess_field_at(d, d->kinks.live, t, x, f);
}

/* at the step's beginning, by these weights times a factor */
static int weighted_at_start(ess_driver *d, double factor, const double weight[], double f[]) {
  const ess_kinks *const k = &d->kinks;
  for (size_t n = 0; n < k->groups; n++)
    weigh(d, k->group[n], factor * ess_lanes_load(weight + k->group[n]));
  return weighted(d, d->t, d->x, f);
}

/* at the step's end, beside those that its last stage has seen already; NULL: these alone */
static int weighted_at_end(ess_driver *d, const double weight[], const double x[], double f[]) {
  const ess_kinks *const k = &d->kinks;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes seen = weight_of(ess_mask_at(k->last, i));
    weigh(d, i, weight ? seen + ess_lanes_load(weight + i) : seen);
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

/* adds kinks with these weights, by the field at either end, to a sum over the stages */
static int add_kinks(ess_driver *d, double factor, double *const weight[2], double to[]) {
  const ess_kinks *const k = &d->kinks;
  int status = weighted_at_start(d, 1.0, weight[0], k->f);
  if (status) return status;
  add_difference(d, factor * d->dt, k->f, d->stage[0], to);
  status = weighted_at_end(d, weight[1], k->at, k->f);
  if (!status) add_difference(d, factor * d->dt, k->f, d->stage[LAST_STAGE], to);
  return status;
}

/* ---- is the field affine? -------------------------------------------------------------------- */

/* whether `between` is this part of the way from a to b, up to rounding */
static bool is_on_the_way(const ess_driver *d, double part, const double between[],
                          const double a[], const double b[]) {
  const double affine = ESS_SAME * ess_smaller(1.0, fabs(part) / BETWEEN_MODES);
  double off_most = 0.0, change_most = 0.0, size_most = 0.0;
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double off = fabs(between[i] - a[i] - part * (b[i] - a[i]));
    off_most = ess_larger(off_most, off);
    change_most = ess_larger(change_most, fabs(a[i] - b[i]));
    size_most = ess_larger(size_most, fabs(a[i]) + fabs(b[i]));
  }
  if (off_most > affine * change_most + AFFINE_ROUNDED * size_most) return false;
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double off = fabs(between[i] - a[i] - part * (b[i] - a[i]));
    const double own = affine * fabs(a[i] - b[i]) + AFFINE_ROUNDED * (fabs(a[i]) + fabs(b[i]));
    const double tolerance = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    if (off > own + ESS_ROUNDING * size_most && fabs(d->dt) * off > ESS_UNFELT * tolerance)
      return false;
  }
  return true;
}

/* the field at the node, with some of the kinks at this weight, and the others not crossed */
static int even(ess_driver *d, double w, size_t from, size_t to, double f[]) {
  const ess_kinks *const k = &d->kinks;
  for (size_t i = 0; i < k->count; i++) {
    const size_t kink = k->kink[i];
    k->live[kink] = d->sign[kink] * (i >= from && i < to ? 1.0 - 2.0 * w : 1.0);
  }
  return weighted(d, d->t, d->x, f);
}

/* Whether signs that rows latch change the field by themselves, before any crossing of this step:
 * the weights of crossings do not count that, and crossings are then made one by one. The signs
 * that do so are found by undoing one after the other. */
static int check_latched(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  bool any = false;
  for (size_t i = 0; i < k->companions; i++)
    any = any || (k->live[k->companion[i]] != d->sign[k->companion[i]]);
  if (!any) return ESS_SUCCESS;
  int status = even(d, 0.0, 0, 0, k->f);
  if (status || is_on_the_way(d, 1.0, k->f, d->stage[0], d->stage[0])) return status;
  k->is_involved = true;
  for (size_t i = 0; !status && i < k->companions; i++) {
    const size_t other = k->companion[i];
    if (k->live[other] == d->sign[other]) continue;
    memcpy(k->first, k->f, d->lanes * sizeof *k->f);
    k->live[other] = d->sign[other];
    status = tell(d, other);
    if (!status) status = weighted(d, d->t, d->x, k->f);
    if (is_on_the_way(d, 1.0, k->f, k->first, k->first)) continue;
    k->acts[other] = k->any_acts = true;
  }
  return status;
}

/* Fails where the field is not affine in one sign by itself. Those of several that are not affine
 * together are looked at by halves; crossings are then not made in this step. */
static int check_some(ess_driver *d, size_t from, size_t to) {
  ess_kinks *const k = &d->kinks;
  int status = even(d, 1.0, from, to, k->first);
  if (!status) status = even(d, BETWEEN_MODES, from, to, k->f);
  if (status) return status;
  if (is_on_the_way(d, BETWEEN_MODES, k->f, d->stage[0], k->first)) {
    for (size_t i = from; i < to; i++) k->is_checked[k->kink[i]] = true;
    return ESS_SUCCESS;
  }
  if (to - from == k->count) {
    status = check_latched(d);
    if (status || k->is_involved) return status;
  }
  if (to - from == 1) return ess_fail(d, ESS_EAFFINE, k->kink[from]);
  k->is_involved = true;
  const size_t middle = from + (to - from) / 2;
  status = check_some(d, from, middle);
  return status ? status : check_some(d, middle, to);
}

/* the pairs of which either guard is crossed in this step: both signs flipped, or neither */
static int set_pairs(ess_driver *d, bool both) {
  ess_kinks *const k = &d->kinks;
  int status = ESS_SUCCESS;
  for (size_t n = 0; !status && n < k->count; n++) {
    const size_t i = k->kink[n], other = k->pair[i];
    if (other == i || !ess_is_visit(k, i)) continue;
    const double before = ess_sign_before(k->undo[i]); // as the first crossing latches it
    k->live[i] = both ? -d->sign[i] : d->sign[i];
    k->live[other] = both ? -before : before;
    status = tell(d, other);
  }
  return status;
}

/* New crossings are looked at, most often all at once: it takes two calls. A crossing is undone if
 * the field with both signs flipped is as with neither: one call for all in this step. */
static int check_new(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  bool any = false;
  int status = k->unknown ? check_some(d, 0, k->count) : ESS_SUCCESS;
  k->unknown = 0;
  if (status || k->is_involved || !k->visits) return status;
  for (size_t n = 0; n < k->count; n++) {
    const size_t i = k->kink[n];
    any = any || (k->pair[i] != i && ess_is_visit(k, i));
    k->live[i] = d->sign[i];
  }
  if (!any) return ESS_SUCCESS;
  status = set_pairs(d, true);
  if (!status) status = weighted(d, d->t, d->x, k->f);
  if (!status) status = set_pairs(d, false);
  k->is_involved |= !is_on_the_way(d, 1.0, k->f, d->stage[0], d->stage[0]);
  return status;
}

/* Whether kinks add up in this step, and the field is affine still: with their weights the field at
 * the node has gone as much of the way as these are of weights of which the largest is as large as
 * that of a crossing that is made. Their signs are the other ones, which a field that is affine
 * between 0 and 1 alone does not follow. */
static int check_sum(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  double most = 0.0;
  for (size_t n = 0; n < k->count; n++) most = ess_larger(fabs(k->value[0][k->kink[n]]), most);
  if (k->count < 2 || most == 0.0) return check_latched(d);
  const int status = weighted_at_start(d, -1.0 / most, k->value[0], k->f);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->stage[0][i] + k->first[i];
  if (!status) k->is_involved = !is_on_the_way(d, -most, d->x_try, d->stage[0], k->f);
  return status;
}

/* ---- the corrections ------------------------------------------------------------------------- */

/* The sum that the quadrature has missed, as a rate, corrects the end. So does the change of the
 * last stage by the part that is known at the beginning: *off is that change. */
static int correct_end(ess_driver *d, double *off) {
  ess_kinks *const k = &d->kinks;
  const double *const f = d->stage[LAST_STAGE];
  int status = weighted_at_start(d, 1.0, k->value[0], k->sum);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) k->first[i] = k->sum[i] -= d->stage[0][i];
  status = weighted_at_end(d, k->value[1], d->x_end, k->f);
  if (status) return status;
  add_difference(d, 1.0, k->f, f, k->sum);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x_end[i] + d->dt * k->first[i];
  status = weighted_at_end(d, NULL, d->x_try, k->f);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) {
    d->v_try[i] = d->dt * (k->f[i] - f[i]);
    k->at[i] = d->x_end[i];
    d->x_end[i] += d->dt * k->sum[i] + d->v_try[i];
  }
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  return status;
}

/* the parts, by the field at either end, of a kink's effect on the path until its middle */
static inline void moments_of_middle(ess_lanes theta, ess_lanes *start, ess_lanes *end) {
  const ess_lanes zero = {0.0}, eighth = ess_lanes_all(0.125), square = theta * theta;
  const ess_lanes until = ess_lanes_max(0.5 - theta, zero);
  const ess_lanes until_1 = ess_lanes_max(0.5 * (0.25 - square), zero);
  const ess_lanes whole_1 = 0.5 * (1.0 - square), whole_0 = (1.0 - theta) - whole_1;
  *start = (until - until_1) - 0.5 * whole_0;
  *end = until_1 - 0.5 * whole_1 + ess_lanes_select(theta < 1.0, eighth, zero);
}

/* Event functions in the middle of the path: that of the dense output. Its last coefficient loses
 * the kinks that are in its sum over the stages, and gets *off, the distance by which kinks take
 * the path away from a smooth one until there. */
static int look_at_middle(ess_driver *d, double *off) {
  ess_kinks *const k = &d->kinks;
  const double *const f = d->stage[LAST_STAGE];
  int status = add_kinks(d, -1.0, k->dense, k->quartic);
  if (status) return status;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    ess_lanes start, end, start_until, end_until;
    moments_of_middle(ess_lanes_load(k->theta + i), &start, &end);
    moments_of_middle(ess_lanes_load(k->until + i), &start_until, &end_until);
    ess_lanes_store(k->error[0] + i, start - start_until);
    ess_lanes_store(k->error[1] + i, end - end_until);
  }
  memset(d->v_try, 0, d->lanes * sizeof *d->v_try);
  status = add_kinks(d, 1.0, k->error, d->v_try);
  if (status) return status;
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  for (size_t i = 0; i < d->lanes; i++) {
    k->quartic[i] += 16.0 * d->v_try[i];
    d->v_try[i] = 0.5 * (d->x[i] + d->x_end[i]) + 0.125 * d->dt * (d->stage[0][i] - f[i]) +
                  0.0625 * k->quartic[i];
  }
  return ess_guards(d, d->t + 0.5 * d->dt, d->v_try, d->inside.middle);
}

/* Crossings have moved with the end that has been corrected, and are not where cubics have them:
 * that is corrected, too. */
static int correct_places(ess_driver *d, double *off, double *off_middle) {
  ess_kinks *const k = &d->kinks;
  double *const longer = k->error[0];
  int status = look_at_middle(d, off_middle);
  if (!status) status = ess_guards(d, d->t + d->dt, d->x_end, d->h_end);
  // other crossings have led to some
  if (!status) status = look(d, d->h_end);
  if (!status && !k->is_involved) status = check_new(d);
  if (status || k->is_involved) return status;
  place_again(d);
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes theta = ess_lanes_load(k->theta + i), until = ess_lanes_load(k->until + i);
    const ess_lanes earlier = ess_lanes_load(k->value[0] + i) - theta;
    ess_lanes_store(longer + i, earlier + until - ess_lanes_load(k->value[1] + i));
  }
  // so little that it may all be by the field at the end
  status = weighted_at_end(d, longer, k->at, k->f);
  memset(d->v_try, 0, d->lanes * sizeof *d->v_try);
  add_difference(d, d->dt, k->f, d->stage[LAST_STAGE], d->v_try);
  for (size_t i = 0; i < d->lanes; i++) d->x_end[i] += d->v_try[i];
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  return status;
}

/* the corrected end, in the mode that it has, and where crossings are by that */
static int finish(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  double *const f = d->stage[LAST_STAGE];
  const size_t count = k->count;
  int status = weighted_at_end(d, NULL, d->x_end, f);
  if (!status) status = look_at_end(d);
  if (!status) status = look(d, d->h_end);
  k->is_involved |= k->count > count; // those have not been corrected
  if (status || k->is_involved) return status;
  ess_mask differs = {0};
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_mask seen = seen_by(d, d->h_end, i);
    differs |= seen ^ ess_mask_at(k->last, i);
    ess_keep_mask(k->made, i, seen);
    weigh(d, i, weight_of(seen));
  }
  if (!ess_mask_any(differs) && !k->visits) return ESS_SUCCESS; // they are where they were
  if (ess_mask_any(differs)) {
    status = weighted(d, d->t + d->dt, d->x_end, f);
    if (!status) status = look_at_end(d);
  }
  if (!status) place_again(d);
  return status;
}

/* whether most of the crossings are over again at the step's end, before any length is known */
static bool goes_too_far(const ess_driver *d) {
  const ess_kinks *const k = &d->kinks;
  size_t over = 0;
  for (size_t n = 0; n < k->groups; n++) {
    const ess_mask left = ess_mask_at(k->known, k->group[n]) & ~ess_mask_at(k->last, k->group[n]);
    over += (size_t)__builtin_popcount(ess_mask_bits(left));
  }
  return !(k->length > 0.0) && 2 * over > k->count;
}

/* the step with its kinks, and its error: the first estimate that refuses it ends this */
static int correct(ess_driver *d, double *error) {
  ess_kinks *const k = &d->kinks;
  double smooth = 0.0, moved = 0.0, second = 0.0, middle = 0.0;
  *error = TOO_FAR;
  if (goes_too_far(d)) return ESS_SUCCESS;
  int status = measure(d);
  if (!status) status = check_new(d);
  if (status || k->is_involved) return status;
  status = correct_end(d, &second);
  *error = SEVERITY_OF_KINKS * second;
  if (status || !(*error <= 1.0)) return status;
  // the embedded error without its kinks, unless it is small with them
  ess_dopri5_sum(ESS_SUM_ERROR, d->dt, NULL, d->stage, d->lanes, k->embedded);
  smooth = SEVERITY_OF_ERROR * ess_scaled_norm(d, k->embedded, d->x, d->x_end);
  if (!(smooth <= SMOOTH)) {
    status = add_kinks(d, -1.0, k->error, k->embedded);
    smooth = SEVERITY_OF_ERROR * ess_scaled_norm(d, k->embedded, d->x, d->x_end);
  }
  *error = ess_larger(smooth, SEVERITY_OF_KINKS * second);
  if (status || *error > 1.0) return status;
  status = check_sum(d);
  if (status || k->is_involved) return status;
  ess_dopri5_sum(ESS_SUM_DENSE, d->dt, NULL, d->stage, d->lanes, k->quartic);
  for (size_t i = 0; i < d->lanes; i++) d->v_try[i] = d->dt * k->sum[i];
  const double first = ess_scaled_norm(d, d->v_try, d->x, d->x_end);
  if (SEVERITY_OF_KINKS * ess_larger(second, first) <= 1.0) {
    // the effect of kinks on the end, and by that on the stages, is allowed: the step stays as it
    // was, and only signs are kept
    memcpy(d->x_end, k->at, d->lanes * sizeof *d->x_end);
    for (size_t n = 0; n < k->groups; n++) {
      const size_t i = k->group[n];
      ess_keep_mask(k->made, i, ess_mask_at(k->last, i));
      weigh(d, i, weight_of(ess_mask_at(k->last, i)));
    }
    return tell_kinks(d);
  }
  status = correct_places(d, &moved, &middle);
  if (!status && !k->is_involved) status = finish(d);
  if (status || k->is_involved) return status;
  *error = ess_larger(smooth, ess_larger(BETWEEN * middle, UNSEEN_IN_MIDDLE * first));
  *error = ess_larger(*error, ess_larger(SEVERITY_OF_PLACES * moved, SEVERITY_OF_KINKS * second));
  *error += 0.0 * (moved + second + smooth); // not a number stays one
  return ESS_SUCCESS;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Tries a step as dopri5 does, with signs that follow the state. Where it crosses none it is that
 * step. d->kinks.is_involved: crossings have to be made one by one. */
static int try_through(ess_driver *d, double *error) {
  ess_kinks *const k = &d->kinks;
  const ess_lanes zero = {0.0};
  for (size_t i = 0; i < k->groups; i++) ess_keep_mask(k->known, k->group[i], (ess_mask){0});
  k->tries++; // nothing is a companion any more
  k->count = k->groups = k->companions = k->unknown = k->blocks = 0;
  k->is_involved = k->is_paired = k->arm_more = false;
  take_signs(d);
  // guards are watched that are armed and below their zeros; silent ones are not
  for (size_t b = 0; b < d->blocks; b++) {
    const size_t from = b * ESS_BLOCK;
    ess_mask any = {0};
    if (!d->block_armed[b]) continue;
    for (size_t i = from; i < from + ESS_BLOCK; i += ESS_LANES) {
      const ess_lanes side = ess_lanes_load(d->side + i);
      const ess_mask below =
          (side * ess_lanes_load(d->h + i) < zero) & (ess_lanes_load(d->is_silent + i) == zero);
      ess_lanes_store(k->watch + i, (ess_lanes)(below & (ess_mask)side));
      any |= below;
    }
    if (ess_mask_any(any)) k->block[k->blocks++] = from;
  }
  *error = INFINITY;
  const int status = sweep(d);
  if (status || k->is_involved) return status;
  if (k->count) return correct(d, error);
  ess_dopri5_sum(ESS_SUM_ERROR, d->dt, NULL, d->stage, d->lanes, d->x_try);
  *error = ESS_SEVERITY * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  return look_at_end(d);
}

int ess_kinks_give_up(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  if (!d->system.mode_changed) return ESS_SUCCESS;
  take_signs(d);
  int status = tell_kinks(d);
  for (size_t i = 0; !status && i < k->companions; i++) status = tell(d, k->companion[i]);
  return status;
}

/* Many crossings that affect each other are tried in shorter steps; a few are made one by one. */
ess_verdict ess_kinks_leave(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  ess_verdict v = ess_refused(ESS_BY_THROUGH, k->whole);
  if (k->count > REACHES_FEW && k->parts++ < HALVINGS_MOST)
    v.next = 0.5 * d->dt;
  else
    d->base = &ess_base_dopri5;
  v.status = ess_kinks_give_up(d);
  return v;
}

static ess_verdict judge(ess_driver *d, double error) {
  ess_kinks *const k = &d->kinks;
  if (error <= 1.0 && k->count)
    return ess_control_stands(
        d, d->dt * ess_smaller(GROW_THROUGH, ESS_SAFER * pow(error, -d->base->alpha)));
  ess_verdict v = ess_control_judge(d, error);
  if (ess_stands(&v)) return v;
  if (k->is_involved) return ess_kinks_leave(d);
  if (!ess_is_resolved(d, v.next)) return v;
  v.status = ess_kinks_give_up(d);
  if (!k->count || !isfinite(error)) return v;
  const double factor = ess_larger(ESS_SHRINK_MOST, ESS_SAFETY * pow(error, REJECTED));
  v.cause = ESS_BY_THROUGH;
  v.next = d->dt * factor;
  if (factor * (double)k->count > REACHES_FEW) return v;
  // from here on so few are crossed that they are made one by one
  d->base = &ess_base_dopri5;
  k->length = v.next;
  return v;
}

static void make_dense(ess_driver *d) {
  ess_dense_of_pair(d);
  if (d->kinks.count) memcpy(d->dense[3], d->kinks.quartic, d->lanes * sizeof *d->x);
}

/* the sweep has looked at event functions where it has ended */
static int know_rates(ess_driver *d) {
  (void)d;
  return ESS_SUCCESS;
}

const ess_stepper ess_base_through = {.kind = ESS_THROUGH,
                                      .try = try_through,
                                      .judge = judge,
                                      .dense = make_dense,
                                      .rates = know_rates,
                                      .last = ESS_STAGES - 1,
                                      .alpha = 0.2 - 0.75 * ESS_BETA,
                                      .safety = ESS_SAFETY,
                                      .severity = 1.0};

/* ---- the choice ------------------------------------------------------------------------------ */

/* whether the tangent reaches more guards than that within a time, and none whose row latches a
 * sign that changes the field by itself */
static bool reaches_more(const ess_driver *d, double time, size_t than) {
  const ess_kinks *const k = &d->kinks;
  size_t near = 0;
  for (size_t b = 0; b < d->blocks && (near <= than || k->any_acts); b++) {
    if (!d->block_armed[b]) continue;
    unsigned bits = 0;
    for (size_t lane = 0; lane < ESS_BLOCK; lane += ESS_LANES) {
      const size_t i = b * ESS_BLOCK + lane;
      const ess_lanes h = ess_lanes_load(d->h + i), rate = ess_lanes_load(d->rate + i);
      const ess_mask reached = ess_lanes_load(d->side + i) * (h + time * rate) > 0.0;
      bits |= ess_mask_bits(reached) << lane;
    }
    for (; bits; bits &= bits - 1, near++) {
      if (!k->any_acts) continue;
      const size_t guard = ess_guard_ahead(d, b * ESS_BLOCK + (size_t)__builtin_ctz(bits));
      const ess_kink_row *const r = &k->row[guard];
      if (r->other != ESS_NONE && k->acts[r->other] && r->sign == -d->sign[r->other]) return false;
    }
  }
  return near > than;
}

void ess_kinks_choose(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  const bool may = d->system.affine_in_signs && !d->impacts && !d->tangents && !d->grains.any &&
                   d->options.base == ESS_BASE_DOPRI5;
  k->parts = 0;
  if (!may || d->armed_count <= REACHES_FEW) return;
  const double rest = ess_smaller(d->apply.t_end - d->t, d->options.h_max);
  const double longest = k->length > 0.0 ? k->length : FIRST_THROUGH * d->control.next;
  double length = ess_smaller(ess_smaller(d->control.next, rest), longest);
  k->whole = d->control.next;
  // the first of all steps through crossings is not to reach nearly all guards, as where a body
  // falls on all of its contacts, if half of it goes through more than a few
  const size_t most = d->armed_count - d->armed_count / 4;
  for (int i = 0; !(k->length > 0.0) && i < REACHES_MOST && reaches_more(d, length, most); i++) {
    if (!reaches_more(d, REACH_SHORTER * length, REACHES_FEW)) break;
    length *= REACH_SHORTER;
  }
  if (!reaches_more(d, length, REACHES_FEW)) return;
  if (k->most_length < length && reaches_more(d, length, MANY_MORE * k->last_count + k->most / 2))
    length = k->most_length;
  d->base = &ess_base_through;
  ess_control_bound(d, ESS_BY_THROUGH, length);
}

void ess_kinks_accepted(ess_driver *d) {
  ess_kinks *const k = &d->kinks;
  // a step without crossings does not predict the length of one with them
  if (!k->count) return;
  k->length = d->control.next;
  k->last_count = k->count;
  if (k->count < k->most) return;
  k->most = k->count;
  k->most_length = ess_larger(d->dt, d->control.next);
}

void ess_kinks_located(ess_driver *d) {
  d->kinks.length *= AGAIN;
}

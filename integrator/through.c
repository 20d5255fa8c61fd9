/*
 * Steps through crossings: one Dormand-Prince step with fractional signs. At each crossing the
 * right-hand side jumps, which a quadrature gets wrong. Where it is affine in the signs a stage may
 * have a part of a jump: with the weights of a cubic that has the jump's first two moments, the
 * quadrature is right. The places of the crossings are predicted. Evaluations with weights as signs
 * measure the error of the prediction, and that of the dense output
 * (docs/theory/through-crossings.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "through.h"

enum { LAST_STAGE = ESS_STAGES - 1, QUARTIC = ESS_QUARTIC, PLACES = ESS_PLACES };

/* Each estimate times its factor must be <= 1. SEVERITY_OF_ERROR: embedded error. HUMPED: change of
 * the dense output's last coefficient, which is 1/16 of that in the middle of the step. LEFT_OVER:
 * what crossings leave between the ends beside. */
static const double SEVERITY_OF_ERROR = 10.0, HUMPED = 0.0625, LEFT_OVER = 0.25;

/* LEFT: effect on the state, in tolerances, that is left as it is. LEFT_BETWEEN: the same between
 * the ends, where errors do not accumulate. BY_CHANCE: a sum that is less than this part of its
 * summands is so small by chance. */
static const double LEFT = 0.05, LEFT_BETWEEN = 0.3, BY_CHANCE = 0.25;

/* Step of Newton's method for a place that is the last: its error is about the square of that. */
static const double PLACED_NEAR = 1e-3;

/* Weight at which a field is checked between both modes; at 1/2 deviations that are odd about it
 * would not show. */
static const double BETWEEN_MODES = 0.3;

/* Deviation of a field from affine, over itself, up to which it counts as rounding. */
static const double AFFINE_ROUNDED = 1e-9;

/* ---- the crossings of a step ----------------------------------------------------------------- */

/* The model is notified of an event function's sign in the next evaluation. */
static int notify(ess_driver *d, size_t i) {
  const ess_system *const s = &d->system;
  return s->mode_changed ? ess_called(d, s->mode_changed(d->through.live, i, s->params))
                         : ESS_SUCCESS;
}

static int notify_of_crossings(ess_driver *d) {
  const ess_through *const k = &d->through;
  int status = ESS_SUCCESS;
  if (!d->system.mode_changed) return ESS_SUCCESS;
  for (size_t n = 0; n < k->groups; n++)
    for (unsigned bits = ess_crossed_bits(k, k->group[n]); bits && !status; bits &= bits - 1) {
      const size_t i = k->group[n] + (size_t)__builtin_ctz(bits);
      if (k->live[i] != k->notified[i]) status = notify(d, i);
      k->notified[i] = k->live[i];
    }
  return status;
}

static void take_signs(ess_driver *d) {
  for (size_t i = 0; i < d->blocks * ESS_BLOCK; i += ESS_LANES)
    ess_lanes_store(d->through.live + i, ess_lanes_load(d->sign + i));
}

static inline bool is_companion(const ess_through *k, size_t i) {
  return k->companion_in[i] == (double)k->tries;
}

static inline ess_mask are_companions(const ess_through *k, size_t i) {
  return ess_lanes_load(k->companion_in + i) == ess_lanes_all((double)k->tries);
}

/* An event function that a row of a crossing in this step names is its companion, and must not be
 * crossed in it, too. It is latched to the sign that the row arms its guard from; 0: disarmed. */
static inline int latch(ess_driver *d, size_t other, double sign) {
  ess_through *const k = &d->through;
  const bool flips = sign != 0.0 && k->live[other] != sign;
  k->is_coupled |=
      ess_is_set(k->known, other) || (flips && (is_companion(k, other) || k->changes[other]));
  if (k->is_coupled || is_companion(k, other)) return ESS_SUCCESS;
  k->companion_in[other] = (double)k->tries;
  k->companion[k->companions++] = other;
  if (!flips) return ESS_SUCCESS;
  k->live[other] = sign;
  return notify(d, other);
}

/* The same of four, of which the model is not notified. */
static inline void latch_four(ess_driver *d, size_t other, double sign, ess_mask which) {
  ess_through *const k = &d->through;
  const ess_lanes live = ess_lanes_load(k->live + other), to = ess_lanes_all(sign);
  const ess_mask were = are_companions(k, other), mark = were | which;
  ess_mask flips = {0}, involved = ess_mask_at(k->known, other);
  if (sign != 0.0) flips = which & (live != to);
  if (k->changing)
    for (size_t lane = 0; lane < ESS_LANES; lane++)
      if (flips[lane] && k->changes[other + lane]) involved[lane] = -1;
  k->is_coupled |= ess_mask_any((involved & which) | (flips & were));
  const ess_lanes now = ess_lanes_all((double)k->tries);
  ess_lanes_store(k->companion_in + other,
                  ess_lanes_select(mark, now, ess_lanes_load(k->companion_in + other)));
  for (unsigned bits = ess_mask_bits(flips & ~were); bits; bits &= bits - 1)
    k->companion[k->companions++] = other + (size_t)__builtin_ctz(bits);
  ess_lanes_store(k->live + other, ess_lanes_select(flips & ~were, to, live));
}

/* Lists these of four crossings, which have not been listed in this step and whose rows are as r,
 * that of lane 0. */
static inline void list_rows(ess_driver *d, size_t i, ess_mask which, const ess_crossing_row *r) {
  ess_through *const k = &d->through;
  if (k->opened_in[i / ESS_LANES] != k->tries) {
    const ess_lanes zero = {0.0};
    k->group[k->groups++] = i;
    k->opened_in[i / ESS_LANES] = k->tries;
    ess_lanes_store(k->theta + i, zero + 1.0);
    ess_lanes_store(k->until + i, zero + 1.0);
    ess_lanes_store(k->pair_side + i, zero);
    ess_lanes_store(k->last + i, zero);
    ess_keep_mask(k->undoable, i, (ess_mask){0});
    for (size_t lane = 0; lane < ESS_LANES; lane++) k->pair[i + lane] = i + lane;
  }
  ess_keep_mask(k->known, i, ess_mask_at(k->known, i) | which);
  ess_keep_mask(k->watch, i, ess_mask_at(k->watch, i) & ~which);
  k->arm_more |= r->arms_more;
  k->is_coupled |= ess_mask_any(are_companions(k, i) & which);
  k->unknown += ess_mask_any(which & ~ess_mask_at(k->checked, i));
  k->count += (size_t)__builtin_popcount(ess_mask_bits(which));
  if (r->undo == ESS_NONE) return;
  ess_keep_mask(k->undoable, i, ess_mask_at(k->undoable, i) | which);
  if (r->pair_side == 0.0) return;
  k->is_paired = true;
  ess_lanes_store(k->pair_side + i, ess_lanes_select(which, ess_lanes_all(r->pair_side),
                                                     ess_lanes_load(k->pair_side + i)));
  for (size_t lane = 0; lane < ESS_LANES; lane++)
    if (which[lane]) k->pair[i + lane] = r->pair + lane;
}

/* Lists one crossing, and applies its row to other event functions. */
static int list_one(ess_driver *d, size_t i) {
  ess_through *const k = &d->through;
  const size_t guard = ess_guard_ahead(d, i), lane = i % ESS_LANES;
  ess_crossing_row row = k->row[guard];
  ess_mask one = {0};
  one[lane] = -1;
  row.pair -= lane;
  list_rows(d, i - lane, one, &row);
  if (d->system.mode_changed) k->notified[i] = d->sign[i];
  // most crossings of many are made without the row's entries
  if (row.is_simple) return row.other == ESS_NONE ? ESS_SUCCESS : latch(d, row.other, row.sign);
  // rows that depend on the state, or name other crossings of this step, couple them
  int status = ESS_SUCCESS;
  for (size_t e = d->rows.start[guard]; !status && e < d->rows.start[guard + 1]; e++) {
    const size_t other = d->rows.guard[e] / 2;
    const double sign = d->rows.effect[e] > 0 ? ess_sign_before(d->rows.guard[e]) : 0.0;
    if (d->rows.effect[e] == ESS_ARM_AHEAD) k->is_coupled = true;
    if (other != i && !k->is_coupled) status = latch(d, other, sign);
  }
  return status;
}

/* Lists these of four, at once where their rows are alike. */
static int list_four(ess_driver *d, size_t i, ess_mask which) {
  ess_through *const k = &d->through;
  unsigned bits = ess_mask_bits(which);
  int status = ESS_SUCCESS;
  if (d->system.mode_changed || !ess_are_alike(d, i, which)) {
    for (; bits && !status; bits &= bits - 1) status = list_one(d, i + (size_t)__builtin_ctz(bits));
    return status;
  }
  const size_t down = d->sign[i + (size_t)__builtin_ctz(bits)] > 0.0;
  const ess_crossing_row *const r = &k->row[2 * i + down];
  list_rows(d, i, which, r);
  if (r->other != ESS_NONE) latch_four(d, r->other, r->sign, which);
  return ESS_SUCCESS;
}

/* which of four crossings are undone by h again, by a guard that they have armed; those that their
 * own guards undo are not seen any more */
static inline ess_mask undone_by(const ess_through *k, const double h[], size_t i) {
  const ess_lanes zero = {0.0};
  if (!k->is_paired) return (ess_mask){0};
  const size_t *const pair = k->pair + i;
  const ess_lanes other = {h[pair[0]], h[pair[1]], h[pair[2]], h[pair[3]]};
  return ess_lanes_load(k->pair_side + i) * other > zero;
}

/* the signs of four crossings, by their weights: 0 before, 1 after */
static inline void weigh(ess_driver *d, size_t i, ess_lanes w) {
  ess_through *const k = &d->through;
  const ess_lanes live = ess_lanes_load(k->live + i), sign = ess_lanes_load(d->sign + i);
  const ess_lanes now = sign * (1.0 - 2.0 * w);
  ess_lanes_store(k->live + i, ess_lanes_select(ess_mask_at(k->known, i), now, live));
}

/* ---- the places of crossings ------------------------------------------------------------------
 */

/* The places of four crossings by quartics: where these rise through zero; 1 if they do not lie
 * above it at the end. Newton's method goes on from the places so far. */
static ess_lanes place_by_quartics(const ess_driver *d, size_t i) {
  const ess_lanes side = ess_lanes_load(d->side + i), zero = {0.0}, one = ess_lanes_all(1.0);
  const ess_lanes way = d->dt * side, first = side * ess_lanes_load(d->h + i);
  const ess_lanes rise = side * ess_lanes_load(d->h_end + i) - first;
  const ess_lanes slope = way * ess_lanes_load(d->rate + i);
  const ess_lanes cube = slope + way * ess_lanes_load(d->rate_end + i) - 2.0 * rise;
  const ess_lanes square = rise - slope - cube;
  const ess_mask rises = ess_mask_at(d->through.known, i) & (first + rise > zero);
  const ess_lanes near = ess_lanes_load(d->through.theta + i);
  ess_lanes below = zero, above = one;
  ess_lanes theta = ess_lanes_select(near < one, near, -first / ess_lanes_select(rises, rise, one));
  const ess_lanes hump = 16.0 * (side * ess_lanes_load(d->inside.middle + i) - first) -
                         (8.0 * slope + 4.0 * square + 2.0 * cube);
  for (int probe = 0; probe < ESS_PROBES; probe++) {
    const ess_lanes rest = theta * (1.0 - theta);
    const ess_lanes value =
        first + theta * (slope + theta * (square + theta * cube)) + rest * rest * hump;
    const ess_lanes steep = slope + theta * (2.0 * square + 3.0 * (theta * cube)) +
                            2.0 * rest * (1.0 - 2.0 * theta) * hump;
    const ess_mask is_below = value < zero;
    below = ess_lanes_select(is_below, theta, below);
    above = ess_lanes_select(is_below, above, theta);
    const ess_lanes newton = theta - value / steep;
    const ess_mask kept = (newton >= below) & (newton <= above);
    const ess_mask arrived = kept & (ess_lanes_abs(newton - theta) <= ess_lanes_all(PLACED_NEAR));
    theta = ess_lanes_select(kept, newton, 0.5 * (below + above));
    if (!ess_mask_any(rises & ~arrived & (above - below > DBL_EPSILON * above))) break;
  }
  return ess_lanes_select(rises, theta, one);
}

/* Touch and leave, of four: where crossings are made and undone that their ends do not show. There,
 * guards are on the side that they were on, or the guard that undoes them is beyond its zero, too.
 */
static inline void place_undone(ess_driver *d, size_t from, bool middle) {
  ess_through *const k = &d->through;
  const ess_lanes zero = {0.0};
  const ess_mask beyond = ess_lanes_load(d->side + from) * ess_lanes_load(d->h_end + from) > zero;
  const ess_mask stays = beyond & ~undone_by(k, d->h_end, from);
  unsigned bits =
      ess_mask_bits(ess_mask_at(k->known, from) & ess_mask_at(k->undoable, from) & ~stays);
  ess_lanes_store(k->until + from, zero + 1.0);
  if (!bits) return;
  // most of these are not reached
  const ess_models m = ess_model_events(d, from, middle);
  ess_mask reached = {0};
  for (int j = 0; j < QUARTIC; j++) reached |= ess_lanes_load(d->side + from) * m.b[j] >= zero;
  for (bits &= ess_mask_bits(reached); bits; bits &= bits - 1) {
    const size_t i = from + (size_t)__builtin_ctz(bits);
    const size_t undo = k->undo[i] = k->row[ess_guard_ahead(d, i)].undo;
    double b[QUARTIC], after[QUARTIC];
    ess_model_event(d, i, d->side[i], middle, b);
    const double theta = ess_smaller(ess_quartic_upcrossing(b), 1.0);
    k->theta[i] = theta;
    if (theta < 1.0) {
      ess_model_after(d, undo, theta, middle, after);
      if (undo / 2 == i) after[0] = -DBL_MIN; // it has just been left
      const double part = after[0] < 0.0 ? ess_quartic_upcrossing(after) : 0.0;
      const double undone = part <= 1.0 ? theta + part * (1.0 - theta) : 1.0;
      k->until[i] = ess_larger(undone, theta + DBL_EPSILON);
      k->undone += ess_is_undone(k, i);
    }
  }
}

/* Of four watched guards, by their cubics: how far the inner control points lie beyond their zeros.
 */
static inline ess_lanes between(const ess_driver *d, size_t i, ess_lanes watch) {
  const double third = d->dt / 3.0;
  const ess_lanes first = ess_lanes_load(d->h + i) + third * ess_lanes_load(d->rate + i);
  const ess_lanes last = ess_lanes_load(d->h_end + i) - third * ess_lanes_load(d->rate_end + i);
  return ess_lanes_max(watch * first, watch * last);
}

/* Lists watched guards that have not been listed in this step: those beyond their zeros at the end,
 * and those that rise above them in between, by cubics. */
static int find_more(ess_driver *d) {
  ess_through *const k = &d->through;
  const ess_lanes zero = {0.0};
  double b[QUARTIC];
  int status = ESS_SUCCESS;
  for (size_t n = 0; n < k->blocks; n++) {
    const size_t from = k->block[n];
    ess_lanes most = zero;
    for (size_t i = from; i < from + ESS_BLOCK; i += ESS_LANES) {
      const ess_lanes watch = ess_lanes_load(k->watch + i);
      most = ess_lanes_max(watch * ess_lanes_load(d->h_end + i), most);
      most = ess_lanes_max(between(d, i, watch), most);
    }
    if (!ess_mask_any(most > zero)) continue;
    for (size_t i = from; i < from + ESS_BLOCK && !status; i += ESS_LANES) {
      const ess_lanes watch = ess_lanes_load(k->watch + i);
      const ess_mask beyond = watch * ess_lanes_load(d->h_end + i) > zero;
      unsigned bits = ess_mask_bits((between(d, i, watch) > zero) & ~beyond);
      if (ess_mask_any(beyond)) status = list_four(d, i, beyond);
      for (; bits && !status; bits &= bits - 1) {
        const size_t found = i + (size_t)__builtin_ctz(bits);
        ess_model_event(d, found, d->side[found], false, b);
        if (ess_quartic_upcrossing(b) < 1.0) status = list_one(d, found);
      }
    }
    if (status) return status;
  }
  return ESS_SUCCESS;
}

/* Predicts the places, by event functions where a Taylor polynomial of degree 2 ends, whose
 * second derivative is that of the last step's dense output, and by parabolas. */
static int predict(ess_driver *d) {
  ess_through *const k = &d->through;
  const ess_lanes zero = {0.0};
  const double dt = d->dt;
  // guards are watched that are armed and below their zeros; silent ones are not
  for (size_t i = 0; i < k->groups; i++) {
    ess_keep_mask(k->known, k->group[i], (ess_mask){0});
    ess_keep_mask(k->made, k->group[i], (ess_mask){0});
    ess_keep_mask(k->once, k->group[i], (ess_mask){0});
  }
  k->tries++; // nothing is a companion any more
  k->count = k->groups = k->companions = k->unknown = k->blocks = 0;
  k->is_coupled = k->is_paired = k->arm_more = k->end_turns = false;
  take_signs(d);
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
  ess_piece_bend(d, k->f);
  for (size_t i = 0; i < d->lanes; i++) d->x_try[i] = d->x[i] + dt * (d->f[i] + 0.5 * dt * k->f[i]);
  int status = ess_event_values(d, d->t + dt, d->x_try, d->h_end);
  for (size_t i = 0; !status && i < d->blocks * ESS_BLOCK; i += ESS_LANES) {
    const ess_lanes h = ess_lanes_load(d->h + i), rate = ess_lanes_load(d->rate + i);
    ess_lanes_store(d->rate_end + i, 2.0 / dt * (ess_lanes_load(d->h_end + i) - h) - rate);
  }
  if (!status) status = find_more(d);
  k->undone = 0;
  for (size_t n = 0; !status && n < k->groups; n++) {
    const size_t i = k->group[n];
    // where a parabola through both values, with this rate, rises through zero
    const ess_lanes side = ess_lanes_load(d->side + i), first = side * ess_lanes_load(d->h + i);
    const ess_lanes last = side * ess_lanes_load(d->h_end + i);
    const ess_lanes slope = dt * side * ess_lanes_load(d->rate + i), bend = last - first - slope;
    const ess_lanes root = ess_lanes_sqrt(ess_lanes_max(slope * slope - 4.0 * first * bend, zero));
    const ess_lanes theta = ess_lanes_min(-2.0 * first / (slope + root), zero + 1.0);
    const ess_mask rises = ess_mask_at(k->known, i) & (last > zero);
    ess_lanes_store(k->theta + i, ess_lanes_select(rises, theta, zero + 1.0));
    place_undone(d, i, false);
  }
  return status;
}

/* ---- fractional signs ------------------------------------------------------------------------ */

/* At a place of the step, the weight of a crossing at theta: (W1) of
 * docs/theory/through-crossings.md. */
static inline ess_lanes weight_at(double c, ess_lanes theta) {
  const ess_lanes one = ess_lanes_all(1.0), zero = {0.0};
  const double hump = c * (1.0 - c), rise = c * c * (3.0 - 2.0 * c);
  const ess_lanes w = (rise + hump * (9.0 - 12.0 * c)) +
                      theta * (hump * (60.0 * c - 36.0) + theta * (hump * (30.0 - 60.0 * c)));
  return ess_lanes_select(theta < one, w, zero);
}

/* The stages, with the signs by the weights; the last one has those that are there to stay.
 */
static int take_stages(ess_driver *d) {
  ess_through *const k = &d->through;
  const ess_lanes one = ess_lanes_all(1.0);
  double *const from = k->left[0], *const way = k->left[1]; // as long as nothing is left
  int status = ESS_SUCCESS;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes sign = ess_lanes_load(d->sign + i);
    const ess_mask known = ess_mask_at(k->known, i);
    ess_lanes_store(from + i, ess_lanes_select(known, sign, ess_lanes_load(k->live + i)));
    ess_lanes_store(way + i, (ess_lanes)(known & (ess_mask)(-2.0 * sign)));
    const ess_mask begun = ess_lanes_load(k->theta + i) < one;
    const ess_mask stays = begun & ~(ess_lanes_load(k->until + i) < one);
    ess_lanes_store(k->last + i, (ess_lanes)(stays & (ess_mask)one));
  }
  for (int s = 1; !status && s < ESS_STAGES; s++) {
    double *const x = s == LAST_STAGE ? d->x_end : d->x_try;
    const double t = ess_dopri5_stage(d, s, x), c = ess_dopri5_c[s];
    for (size_t n = 0; n < k->groups; n++) {
      const size_t i = k->group[n];
      ess_lanes w = weight_at(c, ess_lanes_load(k->theta + i));
      if (k->undone) w -= weight_at(c, ess_lanes_load(k->until + i));
      ess_lanes_store(k->live + i, ess_lanes_load(from + i) + w * ess_lanes_load(way + i));
    }
    status = notify_of_crossings(d);
    if (!status) status = ess_field_at(d, k->live, t, x, d->stage[s]);
  }
  return status;
}

/* Where the dense output and the path are compared. Of a crossing anywhere, they show
 * at least half of the most. */
static const double PLACE[] = {0.16, 0.42, 0.58, 0.84};

/* The shape of the dense output's last term. */
#define HUMP(s) ((s) * (s) * (1.0 - (s)) * (1.0 - (s)))

/* Weights of the last coefficient of the dense output, by the field at the node and at the end; and
 * how far the path goes off it at the places, times the jump. */
typedef struct bend {
  ess_lanes start, end, left[PLACES];
} bend;

/* Those with which it follows the path of a crossing at theta, once the end is corrected */
static inline bend bend_of_path(ess_lanes theta) {
  const ess_lanes zero = {0.0}, square = theta * theta;
  const ess_mask is = theta < ess_lanes_all(1.0);
  ess_lanes all = zero, end = zero;
  double squares = 0.0;
  bend path;
  for (int j = 0; j < PLACES; j++) squares += HUMP(PLACE[j]) * HUMP(PLACE[j]);
  for (int j = 0; j < PLACES; j++) {
    const double s = PLACE[j], rise = s * s * (3.0 - 2.0 * s), slope = s * s * (s - 1.0);
    const double part = HUMP(s) / squares;
    const ess_lanes after = ess_lanes_max(s - theta, zero);
    const ess_lanes after_1 = ess_lanes_max(0.5 * (s * s - square), zero);
    path.left[j] = (after - rise * (1.0 - theta)) - slope;
    all += part * path.left[j];
    end += part * ((after_1 - 0.5 * rise * (1.0 - square)) - slope);
  }
  for (int j = 0; j < PLACES; j++)
    path.left[j] = ess_lanes_select(is, path.left[j] - HUMP(PLACE[j]) * all, zero);
  path.start = ess_lanes_select(is, all - end, zero);
  path.end = ess_lanes_select(is, end, zero);
  return path;
}

/* less those that it has, by the stages; `fourth` is their sum of d c^4 */
static inline void unbend_stages(ess_lanes theta, double fourth, bend *b) {
  const ess_lanes zero = {0.0}, q = 60.0 * theta * (1.0 - theta) - 12.0;
  const ess_lanes p = 9.0 + theta * (30.0 * theta - 36.0);
  const ess_mask is = theta < ess_lanes_all(1.0);
  const ess_lanes all = -0.25 * (2.0 + q), end = 0.25 * (3.0 + q - p) - fourth * (2.0 + q);
  b->start -= ess_lanes_select(is, all - end, zero);
  b->end -= ess_lanes_select(is, end, zero);
}

/* The places by quartics: by how much the moments were off, and the last coefficient of the
 * dense output, as weights by the field at either end. *differs: the last stage has had other
 * signs. */
static void place_again(ess_driver *d, bool *differs) {
  ess_through *const k = &d->through;
  ess_mask other = {0};
  double fourth = 0.0;
  for (int s = 0; s < ESS_STAGES; s++) {
    const double square = ess_dopri5_c[s] * ess_dopri5_c[s];
    fourth += ess_dopri5_d[s] * square * square;
  }
  k->undone = 0;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes was = ess_lanes_load(k->theta + i), was_until = ess_lanes_load(k->until + i);
    ess_lanes_store(k->theta + i, place_by_quartics(d, i));
    place_undone(d, i, true);
    const ess_lanes now = ess_lanes_load(k->theta + i), until = ess_lanes_load(k->until + i);
    const ess_lanes all = (was - now) - (was_until - until);
    const ess_lanes first =
        0.5 * ((was * was - now * now) - (was_until * was_until - until * until));
    ess_lanes_store(k->missed[0] + i, all - first);
    ess_lanes_store(k->missed[1] + i, first);
    bend b = bend_of_path(now);
    unbend_stages(was, fourth, &b);
    if (ess_mask_any((until < 1.0) | (was_until < 1.0))) {
      bend undone = bend_of_path(until);
      unbend_stages(was_until, fourth, &undone);
      b.start -= undone.start;
      b.end -= undone.end;
      for (int j = 0; j < PLACES; j++) b.left[j] -= undone.left[j];
    }
    ess_lanes_store(k->aside[0] + i, HUMPED * b.start);
    ess_lanes_store(k->aside[1] + i, HUMPED * b.end);
    for (int j = 0; j < PLACES; j++) ess_lanes_store(k->left[j] + i, LEFT_OVER * b.left[j]);
    const ess_mask beyond =
        ess_lanes_load(d->side + i) * ess_lanes_load(d->h_end + i) > (ess_lanes){0.0};
    const ess_mask made = ess_mask_at(k->known, i) & beyond & ~undone_by(k, d->h_end, i);
    ess_keep_mask(k->made, i, made);
    ess_keep_mask(k->once, i, made & ~(until < 1.0));
    other |= made ^ (ess_lanes_load(k->last + i) > ess_lanes_all(0.5));
  }
  *differs = ess_mask_any(other);
}

/* ---- the field with weights ------------------------------------------------------------------ */

/* the field with their weights */
static int weighted(ess_driver *d, double t, const double x[], double f[]) {
  const int status = notify_of_crossings(d);
  return status ? status : ess_field_at(d, d->through.live, t, x, f);
}

/* at the step's end, beside those that are there to stay */
static int weighted_at_end(ess_driver *d, double factor, const double weight[], double f[]) {
  const ess_through *const k = &d->through;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    weigh(d, i, ess_lanes_load(k->last + i) + factor * ess_lanes_load(weight + i));
  }
  return weighted(d, d->t + d->dt, d->x_end, f);
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

/* The right-hand side at the node, with some of the crossings at this weight, and the others not
 * crossed. */
static int field_with_some(ess_driver *d, double w, size_t from, size_t to, double f[]) {
  const ess_through *const k = &d->through;
  for (size_t i = 0; i < k->count; i++) {
    const size_t one = k->crossed[i];
    k->live[one] = d->sign[one] * (i >= from && i < to ? 1.0 - 2.0 * w : 1.0);
  }
  return weighted(d, d->t, d->x, f);
}

/* Whether signs that rows latch change the field by themselves, before any crossing of this step:
 * the weights of crossings do not count that, and crossings are then made one by one. The signs
 * that do so are found by undoing one after the other. */
static int check_latched(ess_driver *d) {
  ess_through *const k = &d->through;
  bool any = false;
  for (size_t i = 0; i < k->companions; i++)
    any = any || (k->live[k->companion[i]] != d->sign[k->companion[i]]);
  if (!any) return ESS_SUCCESS;
  int status = field_with_some(d, 0.0, 0, 0, k->f);
  if (status || is_on_the_way(d, 1.0, k->f, d->stage[0], d->stage[0])) return status;
  k->is_coupled = true;
  for (size_t i = 0; !status && i < k->companions; i++) {
    const size_t other = k->companion[i];
    if (k->live[other] == d->sign[other]) continue;
    memcpy(k->first, k->f, d->lanes * sizeof *k->f);
    k->live[other] = d->sign[other];
    status = notify(d, other);
    if (!status) status = weighted(d, d->t, d->x, k->f);
    if (is_on_the_way(d, 1.0, k->f, k->first, k->first)) continue;
    k->changing += !k->changes[other];
    k->changes[other] = true;
  }
  return status;
}

/* Fails where the field is not affine in one sign by itself. Those of several that are not affine
 * together are checked by halves; crossings are then not made in this step. */
static int check_some(ess_driver *d, size_t from, size_t to) {
  ess_through *const k = &d->through;
  const int64_t yes = -1;
  int status = field_with_some(d, 1.0, from, to, k->first);
  if (!status) status = field_with_some(d, BETWEEN_MODES, from, to, k->f);
  if (status) return status;
  if (is_on_the_way(d, BETWEEN_MODES, k->f, d->stage[0], k->first)) {
    for (size_t i = from; i < to; i++) memcpy(k->checked + k->crossed[i], &yes, sizeof yes);
    return ESS_SUCCESS;
  }
  if (to - from == k->count) {
    status = check_latched(d);
    if (status || k->is_coupled) return status;
  }
  if (to - from == 1) return ess_fail(d, ESS_EAFFINE, k->crossed[from]);
  k->is_coupled = true;
  const size_t middle = from + (to - from) / 2;
  status = check_some(d, from, middle);
  return status ? status : check_some(d, middle, to);
}

/* the pairs of which either guard is crossed in this step: both signs flipped, or neither */
static int set_pairs(ess_driver *d, bool both) {
  ess_through *const k = &d->through;
  int status = ESS_SUCCESS;
  for (size_t n = 0; !status && n < k->count; n++) {
    const size_t i = k->crossed[n], other = k->pair[i];
    if (other == i || !ess_is_undone(k, i)) continue;
    const double before = ess_sign_before(k->undo[i]); // as the first crossing latches it
    k->live[i] = both ? -d->sign[i] : d->sign[i];
    k->live[other] = both ? -before : before;
    status = notify(d, other);
  }
  return status;
}

/* New crossings are checked, most often all at once, by two evaluations. A crossing is undone if
 * the field with both signs flipped is as with neither: one evaluation for all in this step. */
static int check_new(ess_driver *d) {
  ess_through *const k = &d->through;
  bool any = false;
  if (!k->unknown && !k->undone) return ESS_SUCCESS;
  size_t listed = 0;
  for (size_t n = 0; n < k->groups; n++)
    for (unsigned bits = ess_crossed_bits(k, k->group[n]); bits; bits &= bits - 1)
      k->crossed[listed++] = k->group[n] + (size_t)__builtin_ctz(bits);
  int status = k->unknown ? check_some(d, 0, k->count) : ESS_SUCCESS;
  k->unknown = 0;
  if (status || k->is_coupled || !k->undone) return status;
  for (size_t n = 0; n < k->count; n++) {
    const size_t i = k->crossed[n];
    any = any || (k->pair[i] != i && ess_is_undone(k, i));
    k->live[i] = d->sign[i];
  }
  if (!any) return ESS_SUCCESS;
  status = set_pairs(d, true);
  if (!status) status = weighted(d, d->t, d->x, k->f);
  if (!status) status = set_pairs(d, false);
  k->is_coupled |= !is_on_the_way(d, 1.0, k->f, d->stage[0], d->stage[0]);
  return status;
}

/* ---- errors of the prediction ---------------------------------------------------------------- */

/* The sums of jumps with these weights, by the field at the node and at the end. Checks whether
 * they add up at the end, where the field has to be affine still: with their weights it goes as
 * much of the way as these are of weights of which the largest takes a crossing back. The first are
 * to the other side, which a field that is affine between 0 and 1 alone does not follow. */
static int sum_jumps(ess_driver *d, double *const weight[2], bool checks, double start[],
                     double end[]) {
  ess_through *const k = &d->through;
  const double *const f = d->stage[LAST_STAGE];
  double most = 0.0;
  ess_lanes high = {0.0}, low = {0.0};
  for (size_t n = 0; n < k->groups; n++) {
    const ess_lanes w = ess_lanes_load(weight[1] + k->group[n]);
    high = ess_lanes_max(w, high);
    low = ess_lanes_min(w, low);
  }
  for (size_t lane = 0; lane < ESS_LANES; lane++) {
    if (high[lane] > fabs(most)) most = high[lane];
    if (-low[lane] > fabs(most)) most = low[lane];
  }
  const double way = most < 0.0 ? -1.0 : 1.0;
  for (size_t n = 0; n < k->groups; n++)
    weigh(d, k->group[n], ess_lanes_load(weight[0] + k->group[n]));
  int status = weighted(d, d->t, d->x, k->f);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) start[i] = d->dt * (k->f[i] - d->stage[0][i]);
  status = weighted_at_end(d, way, weight[1], k->first);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) end[i] = way * d->dt * (k->first[i] - f[i]);
  if (!checks || most == 0.0) return ESS_SUCCESS;
  status = weighted_at_end(d, -1.0 / most, weight[1], k->f);
  if (!status) k->is_coupled = !is_on_the_way(d, -fabs(most), k->first, f, k->f);
  return status;
}

/* the size of the sum of two, which may take the place of one, but no less than if that were small
 * by chance */
static double size_of_sum(const ess_driver *d, const double a[], const double b[], double sum[]) {
  const double parts =
      ess_scaled_norm(d, a, d->x, d->x_end) + ess_scaled_norm(d, b, d->x, d->x_end);
  for (size_t i = 0; i < d->lanes; i++) sum[i] = a[i] + b[i];
  return ess_larger(ess_scaled_norm(d, sum, d->x, d->x_end), BY_CHANCE * parts) + 0.0 * parts;
}

static double sum_of(ess_lanes v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

/* The errors of the prediction, of the dense output's last coefficient, and what is left at the
 * places between the ends, with the signs by which these add up to the most: as weights by the
 * field at the node and at the end, all in one. */
static void weigh_all(ess_driver *d, double *const weight[2]) {
  const ess_through *const k = &d->through;
  ess_lanes square[PLACES] = {{0.0}}, row[PLACES] = {{0.0}};
  double sign[PLACES], size[PLACES];
  int most = 0;
  for (size_t n = 0; n < k->groups; n++)
    for (int j = 0; j < PLACES; j++) {
      const ess_lanes left = ess_lanes_load(k->left[j] + k->group[n]);
      square[j] += left * left;
    }
  for (int j = 0; j < PLACES; j++) {
    size[j] = sum_of(square[j]);
    if (size[j] > size[most]) most = j;
  }
  for (size_t n = 0; n < k->groups; n++)
    for (int j = 0; j < PLACES; j++)
      row[j] +=
          ess_lanes_load(k->left[most] + k->group[n]) * ess_lanes_load(k->left[j] + k->group[n]);
  for (int j = 0; j < PLACES; j++) sign[j] = sum_of(row[j]) < 0.0 ? -1.0 : 1.0;
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    ess_lanes left = {0.0};
    for (int j = 0; j < PLACES; j++) left += sign[j] * ess_lanes_load(k->left[j] + i);
    const ess_lanes late = ess_lanes_load(k->theta + i) * left;
    ess_lanes_store(weight[0] + i, ess_lanes_load(k->missed[0] + i) +
                                       ess_lanes_load(k->aside[0] + i) + (left - late));
    ess_lanes_store(weight[1] + i,
                    ess_lanes_load(k->missed[1] + i) + ess_lanes_load(k->aside[1] + i) + late);
  }
}

/* Measures, in tolerances, how far the end is off by the prediction's errors, with that in v_try,
 * and the path between the ends, off its dense output: all by the same two evaluations, and only
 * where their sum is not small each by itself. *bends: the dense output is another then. */
static int measure(ess_driver *d, double *moved, double *between, bool *bends) {
  ess_through *const k = &d->through;
  double *const start = k->sum[0], *const end = k->sum[1];
  const double most = 2.0; // of a sum of two, each of which may be 1
  weigh_all(d, k->left);
  int status = sum_jumps(d, k->left, true, start, end);
  if (status || k->is_coupled) return status;
  *moved = *between = size_of_sum(d, start, end, d->x_try);
  if (*moved <= LEFT || !(*moved <= most)) return ESS_SUCCESS;
  status = sum_jumps(d, k->missed, false, k->at, d->v_try);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) {
    start[i] -= k->at[i];
    end[i] -= d->v_try[i];
  }
  *moved = size_of_sum(d, k->at, d->v_try, d->v_try);
  *between = size_of_sum(d, start, end, d->x_try);
  if (*between <= LEFT_BETWEEN || !(*between <= most)) return ESS_SUCCESS;
  status = sum_jumps(d, k->aside, false, k->at, d->x_try);
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++) {
    start[i] -= k->at[i];
    end[i] -= d->x_try[i];
    k->quartic[i] += (k->at[i] + d->x_try[i]) / HUMPED;
  }
  *between = size_of_sum(d, k->at, d->x_try, k->at);
  *between = ess_larger(*between, size_of_sum(d, start, end, d->x_try));
  *bends = true;
  return ESS_SUCCESS;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The end, corrected by v_try where it moves, in the mode that it has, and the dense output where
 * that bends. Crossings that then appear, or disappear, have not been measured. Where only the
 * slope at the end is another, and the dense output hardly is, event functions are not evaluated
 * again until the step is made. */
static int correct_end(ess_driver *d, bool moves, bool differs, bool bends) {
  ess_through *const k = &d->through;
  double *const f = d->stage[LAST_STAGE];
  const size_t count = k->count;
  for (size_t i = 0; moves && i < d->lanes; i++) d->x_end[i] += d->v_try[i];
  for (size_t n = 0; n < k->groups; n++) {
    const size_t i = k->group[n];
    const ess_lanes made = (ess_lanes)(ess_mask_at(k->made, i) & (ess_mask)ess_lanes_all(1.0));
    weigh(d, i, made);
    ess_lanes_store(k->last + i, made);
  }
  memcpy(k->f, f, d->lanes * sizeof *f);
  int status = moves || differs ? weighted(d, d->t + d->dt, d->x_end, f) : notify_of_crossings(d);
  if (status || !(moves || differs || bends)) return status;
  if (!moves && !bends) {
    // the largest value of the cubic of unit slope at the end is 4/27
    for (size_t i = 0; i < d->lanes; i++) k->at[i] = 4.0 / 27.0 * d->dt * (f[i] - k->f[i]);
    k->end_turns = ess_scaled_norm(d, k->at, d->x, d->x_end) <= LEFT;
    if (k->end_turns) return ESS_SUCCESS;
  }
  ess_dense_of_pair(d);
  memcpy(d->dense[3], k->quartic, d->lanes * sizeof *d->x); // by the signs of the stages
  status = ess_look_at_guards(d);
  if (!status) status = find_more(d);
  k->is_coupled |= k->count > count;
  if (status || k->is_coupled) return status;
  place_again(d, &differs);
  k->is_coupled |= differs;
  return ESS_SUCCESS;
}

/* ---- the step -------------------------------------------------------------------------------- */

int ess_through_try(ess_driver *d, double *error) {
  ess_through *const k = &d->through;
  double moved = 0.0, between = 0.0;
  bool differs = false, bends = false;
  *error = INFINITY;
  int status = predict(d);
  if (!status && !k->is_coupled) status = check_new(d);
  if (status || k->is_coupled) return status;
  status = take_stages(d);
  if (status) return status;
  ess_dopri5_sum(ESS_SUM_ERROR, d->dt, NULL, d->stage, d->lanes, d->x_try);
  const double severity = k->count ? SEVERITY_OF_ERROR : ESS_SEVERITY;
  *error = severity * ess_scaled_norm(d, d->x_try, d->x, d->x_end);
  if (!(*error <= 1.0)) return ESS_SUCCESS;
  ess_dense_of_pair(d);
  status = ess_look_at_guards(d);
  if (!status) status = find_more(d);
  if (status || k->is_coupled || !k->count) return status;
  memcpy(k->quartic, d->dense[3], d->lanes * sizeof *d->x);
  place_again(d, &differs);
  status = check_new(d);
  if (!status && !k->is_coupled) status = measure(d, &moved, &between, &bends);
  if (status || k->is_coupled) return status;
  *error = ess_larger(*error, ess_larger(moved, between)) + 0.0 * (moved + between);
  if (!(*error <= 1.0)) return ESS_SUCCESS;
  return correct_end(d, moved > LEFT, differs, bends);
}

int ess_through_give_up(ess_driver *d) {
  ess_through *const k = &d->through;
  if (!d->system.mode_changed) return ESS_SUCCESS;
  take_signs(d);
  int status = notify_of_crossings(d);
  for (size_t i = 0; !status && i < k->companions; i++) status = notify(d, k->companion[i]);
  return status;
}

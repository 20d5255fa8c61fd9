/*
 * One sub-step: the crossings within it, what they add to the field, and the defect at its end that
 * measures, and corrects, what that leaves out (docs/METHOD.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ess_internal.h"
#include "quartic.h"

enum { QUARTIC = ESS_QUARTIC };

/* part of |defect| times length that the corrected state is taken to be off by */
static const double DEFECT = 1.0;

/* a defect without crossings is part curvature that the path has not yet, part what it will have:
 * its weight, and for how long it has grown, in sub-steps, lie between those of the two */
static const double SMOOTH_WEIGHT = 0.45, SMOOTH_AGE = 0.8;

/* the sub-steps of a cluster share the tolerance: so many more, and each may err half as much */
static const double SHARING = 50.0;

/* a crossing that turns out to come a little before or after the sub-step is made in it all the
 * same, when that little is less than this part of it */
static const double OUTSIDE = 0.1;

/* part of a correction by the model that it is taken to be off by, and what of that, in units of
 * the tolerance, is left as it is */
static const double MOVED = 0.25, MATTERS = 0.05;

/* part of its range by which jumps may move an event function before it has to be looked at anew,
 * where its model is off by more than this part: it is curved, and three places do not tell */
static const double BENT = 0.05, CURVED = 1e-4;

/* one that stays further from its zero than this many of its ranges is not touched */
static const double NEAR = 8.0;

/* a corrected time may differ from the predicted one by this part of the sub-step */
static const double SHIFT_MOST = 0.25;

/* --- crossings on the path without jumps --------------------------------------------------------
 */

/* event functions along the path without jumps, over the whole sub-step. The base has been looked
 * at in three places, and was short enough to tell: over a small part of it the middle is enough */
static int watch(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  double *const x = d->x_try, *const rate = d->v_try;
  d->dt = c->length; // what the guards' models run over
  d->has_quarters = false;
  ess_path_without_jumps(d, 0.5 * c->length, x, rate);
  d->t_seen = d->t + 0.5 * c->length;
  const int status = ess_guards(d, x, d->h_mid);
  if (status) return status;
  ess_path_without_jumps(d, c->length, x, rate);
  d->t_seen = d->t + c->length;
  return ess_guard_rates(d, x, rate, d->h_end, d->rate_end);
}

/* Bernstein coefficients of four event functions over the sub-step, each seen from its side */
typedef struct models {
  ess_lanes b[QUARTIC];
} models;

static inline models models_from(const ess_driver *d, size_t k) {
  const ess_lanes side = ess_lanes_load(d->side + k), quarter = ess_lanes_all(0.25 * d->dt);
  const ess_lanes h0 = ess_lanes_load(d->h + k), h1 = ess_lanes_load(d->h_end + k);
  const ess_lanes early = h0 + quarter * ess_lanes_load(d->rate + k);
  const ess_lanes late = h1 - quarter * ess_lanes_load(d->rate_end + k);
  const ess_lanes middle = 16.0 * ess_lanes_load(d->h_mid + k) - h0 - h1 - 4.0 * (early + late);
  return (models){{side * h0, side * early, side * middle * (1.0 / 6.0), side * late, side * h1}};
}

/* values of the four at theta */
static inline ess_lanes value_at(const models *m, double theta) {
  const double rest = 1.0 - theta;
  const ess_lanes *const b = m->b;
  return rest * rest *
             (rest * rest * b[0] + 4.0 * rest * theta * b[1] + 6.0 * theta * theta * b[2]) +
         theta * theta * theta * (4.0 * rest * b[3] + theta * b[4]);
}

/* how often the coefficients change their sign, as masks: at all, and more than once */
static inline void count_changes(const models *m, ess_mask *any, ess_mask *many) {
  *any = *many = (ess_mask){0};
  for (int i = 1; i < QUARTIC; i++) {
    const ess_mask change = (m->b[i] < 0.0) ^ (m->b[i - 1] < 0.0);
    *many |= *any & change;
    *any |= change;
  }
}

/* keeps the models of four event functions, by powers, and where those that rise through zero once
 * do so: to a millionth or so, since times are corrected on the path with jumps; ESS_NEVER where
 * that has to be looked at more closely */
static void keep_models(const ess_driver *d, size_t k) {
  enum { STEPS = 4 };
  const ess_cluster *const c = &d->cluster;
  const models m = models_from(d, k);
  const ess_lanes *const b = m.b, one = ess_lanes_all(1.0), zero = {0.0};
  const ess_lanes a[QUARTIC] = {b[0], 4.0 * (b[1] - b[0]), 6.0 * (b[2] - 2.0 * b[1] + b[0]),
                                4.0 * (b[3] - 3.0 * (b[2] - b[1]) - b[0]),
                                b[4] - 4.0 * (b[3] + b[1]) + 6.0 * b[2] + b[0]};
  for (int i = 0; i < QUARTIC; i++) ess_lanes_store(c->model[i] + k, a[i]);
  ess_mask any, many;
  count_changes(&m, &any, &many);
  ess_mask plain = any & ~many & (b[0] < 0.0);
  ess_lanes theta = b[0] / (b[0] - b[QUARTIC - 1]), moved = zero;
  for (int i = 0; i < STEPS; i++) {
    const ess_lanes value = a[0] + theta * (a[1] + theta * (a[2] + theta * (a[3] + theta * a[4])));
    const ess_lanes slope =
        a[1] + theta * (2.0 * a[2] + theta * (3.0 * a[3] + theta * (4.0 * a[4])));
    moved = value / slope;
    theta -= moved;
    plain &= (theta >= zero) & (theta <= one);
  }
  plain &= ess_lanes_abs(moved) <= ess_lanes_all(1e-4);
  ess_lanes_store(c->root + k, ess_lanes_select(plain, theta, ess_lanes_all(ESS_NEVER)));
}

/* by powers, of event function k alone, seen from the side that counts now */
static void powers_from(const ess_driver *d, size_t k, double a[QUARTIC]) {
  const models m = models_from(d, k - k % ESS_LANES);
  double b[QUARTIC];
  for (int i = 0; i < QUARTIC; i++) b[i] = m.b[i][k % ESS_LANES];
  ess_powers(b, a);
}

/* as it was kept */
static inline void model_of(const ess_driver *d, size_t k, double a[QUARTIC]) {
  for (int i = 0; i < QUARTIC; i++) a[i] = d->cluster.model[i][k];
}

/* when guard k is crossed, since the node, by its model, which is kept; INFINITY: not at all */
static double predict(const ess_driver *d, size_t k) {
  const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k], dt = d->dt;
  // passed a little before the node, by what corrected the state there
  if (g >= 0.0 && rate > 0.0) return -ess_smaller(g / rate, d->cluster.latest);
  if (d->cluster.root[k] <= 1.0) return d->cluster.root[k] * dt;
  double b[QUARTIC];
  ess_model_guard(d, k, b);
  const double theta = ess_quartic_upcrossing(b);
  if (theta <= 1.0) return theta * dt;
  // above its level without having been below it
  return g >= 0.0 && b[QUARTIC - 1] > ess_level_tolerance(d, k) ? 0.0 : INFINITY;
}

/* what is known of the listed crossings from the given one on */
static void prepare_list(ess_driver *d, size_t from) {
  ess_cluster *const c = &d->cluster;
  for (size_t i = from; i < c->count; i++) {
    c->listed_side[i] = d->side[c->crossing[i]];
    c->is_silent[i] = ess_is_silent(d, c->crossing[i]);
    c->is_made[i] = false;
  }
}

/* whether silent guard k need not be listed: it is passed for good, and no other depends on it */
static bool just_passes(const ess_driver *d, size_t k) {
  return ess_is_silent(d, k) && d->cluster.root[k] <= 1.0 && ess_row_is_local(d, k);
}

bool ess_survey_crossings(ess_driver *d, double window, size_t *count, double *first,
                          double *last) {
  ess_cluster *const c = &d->cluster;
  size_t kept = SIZE_MAX;
  *first = INFINITY;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (k / ESS_LANES != kept) keep_models(d, k - k % ESS_LANES);
    kept = k / ESS_LANES;
    const double time = ess_is_silent(d, k) ? INFINITY : predict(d, k);
    d->some_h[i] = time;
    *first = ess_smaller(time, *first);
  }
  *count = 0;
  *last = *first;
  for (size_t i = 0; i < d->flagged_count; i++) {
    if (!(d->some_h[i] <= *first + window)) continue;
    *count += 1;
    *last = ess_larger(d->some_h[i], *last);
  }
  c->from = ess_larger(*first, 0.0);
  return *first < INFINITY;
}

static void list_crossings(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  size_t kept = SIZE_MAX;
  c->count = c->passed_count = 0;
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (k / ESS_LANES != kept) keep_models(d, k - k % ESS_LANES);
    kept = k / ESS_LANES;
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
  prepare_list(d, 0);
}

/* a sub-step whose last crossing lies in its second half ends there, so that the next one begins
 * with a crossing: what its defect is made of is clear then */
static void end_before_last(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  c->is_aligned = false;
  size_t last = c->count;
  while (last > 0 && c->is_silent[last - 1]) last--;
  if (!last) return;
  const double time = c->time[--last];
  if (time - c->from < 0.5 * (c->length - c->from)) return;
  c->is_aligned = true;
  c->length = time;
  c->count = last;
}

/* --- the path with jumps ------------------------------------------------------------------------
 */

/* by how much the jumps move event function k, seen from its side before: v^2 (a + b v), v from 0
 * at the first crossing to 1 at the end */
typedef struct shift {
  double a, b;
} shift;

static shift shift_through(double middle, double end) {
  const double b = 2.0 * (end - 4.0 * middle);
  return (shift){.a = end - b, .b = b};
}

/* whether an event function that the crossings concern, seen from the side that counts now, may be
 * crossed and leave again unseen */
static bool may_return(const ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  // neighbours are noted one after the other, by turns with what their rows concern
  size_t looked_at[2] = {SIZE_MAX, SIZE_MAX};
  for (size_t n = 0; n < c->noted_count; n++) {
    const size_t k = c->noted[n].guard - c->noted[n].guard % ESS_LANES;
    if (k == looked_at[0] || k == looked_at[1]) continue;
    looked_at[1] = looked_at[0];
    looked_at[0] = k;
    const models m = models_from(d, k);
    ess_mask any, many;
    count_changes(&m, &any, &many);
    const unsigned doubtful = ess_mask_bits(many & (ess_lanes_load(d->side + k) != 0.0));
    for (size_t i = 0; doubtful >> i; i++)
      if ((doubtful >> i & 1) && c->touched[k + i] == c->trial) return true;
  }
  return false;
}

/* whether a crossing's time has not moved too far to be believed, nor out of the sub-step */
static bool is_near(const ess_cluster *c, double moved, double time) {
  const double span = c->length - c->from;
  return fabs(moved) <= SHIFT_MOST * span && time <= c->length + OUTSIDE * span;
}

/* corrects the time of the i-th crossing by its model; false when it moves too far */
static bool correct_time(ess_driver *d, size_t i, const double h_half[], const double h_last[]) {
  const ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i];
  const double side = c->listed_side[i], span = c->length - c->from;
  double a[QUARTIC];
  model_of(d, k, a);
  const double half = ess_powers_value(a, (c->from + 0.5 * span) / d->dt);
  const double end = ess_powers_value(a, c->length / d->dt);
  const shift s = shift_through(side * h_half[k] - half, side * h_last[k] - end);

  const double time = c->time[i], theta = time / d->dt;
  if (time <= 0.0) return true; // it came before
  const double v = ess_larger(0.0, (time - c->from) / span);
  const double value = ess_powers_value(a, theta) + v * v * (s.a + s.b * v);
  const double slope = ess_powers_slope(a, theta) / d->dt + v * (2.0 * s.a + 3.0 * s.b * v) / span;
  const double moved = -value / slope;
  c->time[i] = time + moved;
  return slope > 0.0 && is_near(c, moved, c->time[i]);
}

/* the same on the path itself, which turns at each crossing */
static int refine_time(ess_driver *d, size_t i, double *moved, bool *near) {
  ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i];
  double *const x = d->x_try, *const direction = d->v_try, h, rate;
  // as the crossing finds it, before it adds its own jump
  const bool silent = c->is_silent[i];
  c->is_silent[i] = true;
  ess_path(d, c->time[i], x, direction);
  c->is_silent[i] = silent;
  d->t_seen = d->t + c->time[i];
  const int status = ess_some_guard_rates(d, x, direction, &k, 1, &h, &rate);
  *moved = -h / rate;
  c->time[i] += *moved;
  // where it falls the way leads to another crossing, of the other direction
  *near = c->listed_side[i] * rate > 0.0 && is_near(c, *moved, c->time[i]);
  return status;
}

/* rate of event function k, seen from its side, where the sub-step ends: which may be before the
 * end that it was watched to */
static double rate_at_end(const ess_driver *d, size_t k) {
  double a[QUARTIC];
  powers_from(d, k, a);
  return ess_powers_slope(a, d->cluster.length / d->dt) / d->dt;
}

/* whether event function k has no crossing that is missing: it has been made, or can wait until the
 * sub-step's end, being silent, armed within, and arming no other */
static bool is_settled(const ess_driver *d, size_t k) {
  const ess_cluster *const c = &d->cluster;
  const bool waits = c->touched[k] == c->trial && ess_is_silent(d, k) && ess_row_arms_none(d, k);
  return d->side[k] == 0.0 || c->crossed[k] == c->trial || waits;
}

/* whether event function k bends along the path, so that its tangent does not tell when it was
 * passed */
static bool is_curved(const ess_driver *d, size_t k, const double h_last[]) {
  return d->cluster.inexact[k] > CURVED * fabs(h_last[k] - d->h[k]);
}

/* whether event functions look as they should where the jumps have led: of those not crossed none
 * has been passed, but shortly before the end, and none at all that was armed within */
static bool ends_well(const ess_driver *d, const double h_last[]) {
  const ess_cluster *const c = &d->cluster;
  const double most = OUTSIDE * (c->length - c->from);
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK; k < ess_block_end(d, b); k += ESS_LANES) {
      const ess_lanes side = ess_lanes_load(d->side + k), g = side * ess_lanes_load(h_last + k);
      const unsigned passed = ess_mask_bits((side != 0.0) & ~(g < 0.0));
      for (size_t i = 0; passed >> i; i++) {
        if (!(passed >> i & 1) || is_settled(d, k + i)) continue;
        if (c->touched[k + i] == c->trial || is_curved(d, k + i, h_last) ||
            !(g[i] <= most * fabs(rate_at_end(d, k + i))))
          return false;
      }
    }
  }
  return true;
}

/* whether a guard that is not crossed may have been touched and left on the path with jumps, though
 * not on the path without: it lies beyond its zero half-way, or a parabola through its values does
 * somewhere, or the jumps have moved it by so much of its range that three places do not tell */
static bool may_touch(const ess_driver *d, const double h_half[], const double h_last[]) {
  const ess_cluster *const c = &d->cluster;
  const double span = c->length - c->from;
  const double theta[] = {c->from / d->dt, (c->from + 0.5 * span) / d->dt, c->length / d->dt};
  const ess_lanes zero = {0.0};
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK; k < ess_block_end(d, b); k += ESS_LANES) {
      const ess_lanes side = ess_lanes_load(d->side + k);
      const models m = models_from(d, k);
      ess_lanes before[3];
      for (int i = 0; i < 3; i++) before[i] = value_at(&m, theta[i]);
      const ess_lanes g0 = before[0], half = side * ess_lanes_load(h_half + k);
      const ess_lanes last = side * ess_lanes_load(h_last + k);
      const ess_lanes bend = 2.0 * (g0 - 2.0 * half + last), slope = 4.0 * half - 3.0 * g0 - last;
      const ess_mask humps = (bend < zero) & (slope > zero) & (slope + 2.0 * bend < zero);
      const ess_mask touches =
          (half >= zero) | (humps & (g0 - slope * slope / (4.0 * bend) >= zero));

      const ess_lanes moved =
          ess_lanes_max(ess_lanes_abs(half - before[1]), ess_lanes_abs(last - before[2]));
      const ess_lanes high = ess_lanes_max(g0, ess_lanes_max(half, last));
      const ess_lanes low = ess_lanes_min(g0, ess_lanes_min(half, last));
      const ess_lanes range = high - low;
      const ess_mask curved = ess_lanes_load(c->inexact + k) > CURVED * range;
      const ess_mask strays = curved & (moved > BENT * range) & (high > -NEAR * range);
      const ess_mask doubtful = (touches | strays) & (side != zero) & (g0 < zero) & (last < zero);
      if (!ess_mask_any(doubtful)) continue;
      for (size_t i = 0; i < ESS_LANES; i++)
        if (doubtful[i] && !is_settled(d, k + i)) return true;
    }
  }
  return false;
}

/* lists after the others the guards that the jumps have led across; false when one has been crossed
 * that does not rise */
static bool list_more(ess_driver *d, const double h_last[]) {
  ess_cluster *const c = &d->cluster;
  const size_t listed = c->count;
  bool rising = true;
  for (size_t b = 0; rising && b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK; k < ess_block_end(d, b); k++) {
      const double g = d->side[k] * h_last[k];
      if (!(g >= 0.0) || is_settled(d, k)) continue;
      // where it was armed a moment ago, nobody knows when it was crossed
      c->is_hopeless = c->is_hopeless || c->touched[k] == c->trial;
      rising = rising && !c->is_hopeless && c->count < d->system.guard_count;
      double a[QUARTIC];
      powers_from(d, k, a);
      const double rate = ess_powers_slope(a, c->length / d->dt) / d->dt;
      rising = rising && rate > 0.0;
      if (!rising) break;
      for (int j = 0; j < QUARTIC; j++) c->model[j][k] = a[j];
      c->crossing[c->count] = k;
      c->time[c->count++] = ess_larger(c->from, c->length - g / rate);
    }
  }
  const size_t more = c->count - listed;
  ess_sort_by_time(c->time + listed, c->crossing + listed, more);
  prepare_list(d, listed);
  return rising;
}

/* what the state is moved by, in units of the tolerance, when each crossing's time moves by this */
static double weigh_moves(const ess_driver *d, const double moved[]) {
  const ess_cluster *const c = &d->cluster;
  double sum = 0.0;
  for (size_t g = 0; g < c->group_count; g++) {
    double times = 0.0;
    for (size_t i = c->group[g].begin; i < c->group[g].end; i++)
      if (!c->is_silent[i]) times += fabs(moved[i]);
    if (times > 0.0) sum += times * ess_scaled_norm(d, c->group[g].jump, d->x, d->x);
  }
  return sum;
}

/* what the time of a crossing by its model may be off by, since the model is: over a part of the
 * base by the fifth power of that part, as interpolation is */
static double time_in_doubt(const ess_driver *d, size_t i) {
  const ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i];
  const double part = ess_smaller(1.0, d->dt / c->base_dt), square = part * part;
  double a[QUARTIC];
  model_of(d, k, a);
  const double slope = ess_powers_slope(a, c->time[i] / d->dt) / d->dt;
  return c->inexact[k] * square * square * part / fabs(slope);
}

/* corrects the times of all crossings; where that matters to the state, or the models are in doubt,
 * it is done on the path itself, twice. *fit is false when one moves too far. */
static int move_times(ess_driver *d, bool *fit) {
  enum { PASSES = 2 };
  ess_cluster *const c = &d->cluster;
  double *const moved = d->some_h;
  *fit = true;
  for (size_t i = 0; *fit && i < c->count; i++) {
    const double before = c->time[i];
    moved[i] = 0.0;
    if (!c->is_made[i]) continue;
    *fit = correct_time(d, i, d->h_try, d->h_check[0]);
    moved[i] = MOVED * fabs(c->time[i] - before);
    if (c->inexact[c->crossing[i]] > 0.0) moved[i] += time_in_doubt(d, i);
  }
  if (!*fit) return ESS_SUCCESS;
  c->moved = weigh_moves(d, moved);
  int status = ESS_SUCCESS;
  for (int pass = 0; pass < PASSES && c->moved > MATTERS; pass++) {
    for (size_t i = 0; !status && *fit && i < c->count; i++)
      if (c->is_made[i]) status = refine_time(d, i, &moved[i], fit);
    if (status || !*fit) return status;
    c->moved = weigh_moves(d, moved);
  }
  return ESS_SUCCESS;
}

/* notes that crossing i concerns event function e; false when one that does, and was made before
 * it, comes later by its corrected time */
static bool follows(ess_driver *d, size_t i, size_t e) {
  ess_cluster *const c = &d->cluster;
  double *const latest = d->some_h;
  size_t *const by = d->batch;
  const bool first = c->concerned[e] != c->concern;
  const bool tie = !first && c->time[i] == latest[e] && c->crossing[i] < c->crossing[by[e]];
  if (!first && (c->time[i] < latest[e] || tie)) return false;
  c->concerned[e] = c->concern;
  latest[e] = c->time[i];
  by[e] = i;
  return true;
}

/* whether crossings whose rows concern the same event functions were made in the order of their
 * corrected times: that of the others changes nothing */
static bool keeps_order(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  bool kept = true;
  c->concern++;
  for (size_t i = 0; kept && i < c->count; i++) {
    if (!c->is_made[i]) continue;
    const size_t k = c->crossing[i];
    const size_t guard = c->listed_side[i] > 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
    kept = follows(d, i, k);
    for (size_t e = d->row_start[guard]; kept && e < d->row_start[guard + 1]; e++)
      if (d->row_guard[e] / 2 != k) kept = follows(d, i, d->row_guard[e] / 2);
  }
  return kept;
}

/* corrects the crossings' times on the path that the jumps make, and adds crossings that they lead
 * to; *well is false when the sub-step is too long for that */
static int correct_times(ess_driver *d, bool *well) {
  enum { ROUNDS = 4 };
  ess_cluster *const c = &d->cluster;
  double *const x = d->x_try, *const rate = d->v_try;
  int status = ESS_SUCCESS;
  *well = false;
  for (int round = 0; !status && !*well && round < ROUNDS; round++) {
    ess_path(d, c->from + 0.5 * (c->length - c->from), x, rate);
    status = ess_guards(d, x, d->h_try);
    ess_path(d, c->length, x, rate);
    if (!status) status = ess_guards(d, x, d->h_check[0]);
    if (status) return status;
    bool fit = !may_return(d) && !may_touch(d, d->h_try, d->h_check[0]);
    if (fit) status = move_times(d, &fit);
    if (status) return status;
    fit = fit && keeps_order(d);
    *well = fit && ends_well(d, d->h_check[0]);
    if (!fit) return ESS_SUCCESS;
    if (*well) break;
    const size_t listed = c->count;
    if (!list_more(d, d->h_check[0]) || c->count == listed) return ESS_SUCCESS;
    c->is_extended = true;
    status = ess_make_groups(d, listed, &fit);
    if (!fit) return status;
  }
  return status;
}

/* --- the defect ---------------------------------------------------------------------------------
 */

/* how the defect adds up in the state. It has two parts: jumps change along the path, and were
 * measured where the sub-step's crossings begin, but count from their own times on; and what they
 * have moved since those times moves the field. The weights of both are nearly the same where a
 * sub-step begins with a crossing; what they differ by is in doubt. */
static void weigh(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double span = c->length - c->from;
  double count = 0.0, ages = 0.0, squares = 0.0, parts = 0.0;
  for (size_t i = 0; i < c->count; i++) {
    if (!c->is_made[i] || c->is_silent[i]) continue;
    const double age = ess_clamp((c->length - c->time[i]) / span, 0.0, 1.0);
    count += 1.0;
    ages += age;
    squares += age * age;
    parts += age * (2.0 - age);
  }
  c->mean_age = SMOOTH_AGE * span;
  c->weight = SMOOTH_WEIGHT * span;
  c->doubt = 0.0;
  if (!(ages > 0.0)) return;
  const double changing = 0.5 * parts / count, moving = 0.5 * squares / ages;
  c->weight = 0.5 * span * (changing + moving);
  c->doubt = 0.5 * span * fabs(changing - moving);
  c->mean_age = span * ages / count;
}

/* whether a guard just crossed is approached again from its other side so fast that it would be
 * reached within another such sub-step: the field may point to it from both */
static bool turns_back(const ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  const double span = c->length - c->from;
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    if (!c->is_made[i] || d->side[k] != -c->listed_side[i]) continue;
    const double g = d->side[k] * d->h_try[k], rate = d->side[k] * d->rate_try[k];
    if (rate > 0.0 && g + span * rate >= 0.0) return true;
  }
  return false;
}

/* the field at the sub-step's end, and its error in units of the tolerance: the state there goes
 * into x_end, corrected, and the field into stage[6] */
static int measure_defect(ess_driver *d, double *error) {
  ess_cluster *const c = &d->cluster;
  double *const rate = d->v_try, *const f = d->stage[6];
  ess_path(d, c->length, d->x_end, rate);
  int status = ess_field(d, d->t + c->length, d->x_end, f);
  if (status) return status;
  weigh(d);
  const double part = DEFECT * (c->length - c->from) + c->doubt;
  for (size_t i = 0; i < d->lanes; i++) {
    c->defect[i] = f[i] - rate[i];
    d->x_end[i] += c->weight * c->defect[i];
    d->x_try[i] = part * fabs(c->defect[i]) + c->unlike[i];
  }
  *error = ess_scaled_norm(d, d->x_try, d->x, d->x_end) + c->moved;
  // the sub-steps of a cluster share the tolerance
  *error *= 1.0 + (double)c->substeps / SHARING;
  if (!(*error <= 1.0)) return ESS_SUCCESS;
  d->t_seen = d->t + c->length;
  status = ess_guard_rates(d, d->x_end, f, d->h_try, d->rate_try);
  c->is_hopeless = !status && turns_back(d);
  if (c->is_hopeless) *error = INFINITY;
  return status;
}

int ess_substep_try(ess_driver *d, double *error) {
  ess_cluster *const c = &d->cluster;
  *error = INFINITY;
  c->trial++;
  c->group_count = 0;
  c->noted_count = 0;
  c->is_measured = c->is_extended = c->is_hopeless = false;
  c->too_unlike = INFINITY;
  c->moved = 0.0;
  int status = watch(d);
  if (status) return status;
  if (ess_flag_guards(d) != SIZE_MAX) return ESS_SUCCESS;
  list_crossings(d);
  end_before_last(d);
  bool fit = true;
  status = ess_make_groups(d, 0, &fit);
  c->is_measured = fit;
  if (!status && fit && c->noted_count) status = correct_times(d, &fit);
  if (!fit) *error = c->too_unlike;
  if (status || !fit) return status;
  return measure_defect(d, error);
}

bool ess_substep_can_shorten(const ess_driver *d, double length) {
  const ess_cluster *const c = &d->cluster;
  size_t i = 0;
  while (i < c->count && c->time[i] <= length) i++;
  for (; i < c->count; i++)
    if (c->time[i] <= length) return false;
  return c->is_measured && !c->is_extended && c->group_count > 0;
}

int ess_substep_shorten(ess_driver *d, double length, double *error) {
  ess_cluster *const c = &d->cluster;
  const double part = (length - c->from) / (c->length - c->from);
  for (size_t i = 0; i < d->lanes; i++) c->unlike[i] *= part * part;
  c->trial++;
  for (size_t i = 0; i < c->passed_count; i++) c->crossed[c->passed[i]] = c->trial;
  c->length = length;
  while (c->count && c->time[c->count - 1] > length) c->count--;
  end_before_last(d);
  *error = INFINITY;
  bool fit;
  int status = ess_shorten_groups(d, &fit);
  c->moved = 0.0;
  if (!status && fit && c->noted_count) status = correct_times(d, &fit);
  if (status || !fit) return status;
  return measure_defect(d, error);
}

/*
 * What event functions may be within an integration step, and which guards may reach their level.
 *
 * Along the dense output, a quartic, the event function is modelled by the quartic that has its
 * values and rates at both ends and its value at mid-step; for an event function affine in the
 * state the model is exact. Its Bernstein coefficients bound it: when all lie below the level the
 * guard cannot stop the step, whatever it does between the ends, and no touch-and-leave goes
 * unseen. The values at the first and last quarter, which the model does not use, say how far it
 * may be off.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"

enum { QUARTIC = ESS_QUARTIC, SUBDIVISIONS = 40, ITERATIONS = 80 };

/* ---- quartics ----------------------------------------------------------------------------- */

/* relative Newton step below which iteration ends: the next would be its square */
static const double CLOSE = 1e-9;

/* by powers, a[0] + a[1] theta + ... + a[4] theta^4, for one that is evaluated over and over */
static inline void to_powers(const double b[QUARTIC], double a[QUARTIC]) {
  a[0] = b[0];
  a[1] = 4.0 * (b[1] - b[0]);
  a[2] = 6.0 * (b[2] - 2.0 * b[1] + b[0]);
  a[3] = 4.0 * (b[3] - 3.0 * (b[2] - b[1]) - b[0]);
  a[4] = b[4] - 4.0 * (b[3] + b[1]) + 6.0 * b[2] + b[0];
}

static inline double value_of(const double a[QUARTIC], double theta, double *slope) {
  *slope = a[1] + theta * (2.0 * a[2] + theta * (3.0 * a[3] + theta * 4.0 * a[4]));
  return a[0] + theta * (a[1] + theta * (a[2] + theta * (a[3] + theta * a[4])));
}

double ess_quartic(const double b[QUARTIC], double theta, double *slope) {
  double a[QUARTIC];
  to_powers(b, a);
  return value_of(a, theta, slope);
}

/* de Casteljau */
void ess_quartic_split(const double b[QUARTIC], double theta, double until[QUARTIC],
                       double after[QUARTIC]) {
  memcpy(after, b, QUARTIC * sizeof *after);
  for (int level = 0; level < QUARTIC; level++) {
    until[level] = after[0];
    for (int i = 0; i < QUARTIC - 1 - level; i++) after[i] += theta * (after[i + 1] - after[i]);
  }
}

void ess_quartic_slope(const double b[QUARTIC], double slope[QUARTIC]) {
  for (int i = 0; i < QUARTIC; i++) {
    const double before = i > 0 ? b[i] - b[i - 1] : 0.0;
    const double after = i < QUARTIC - 1 ? b[i + 1] - b[i] : 0.0;
    slope[i] = i * before + (QUARTIC - 1 - i) * after;
  }
}

int ess_sign_changes(const double b[QUARTIC]) {
  int changes = 0;
  for (int i = 1; i < QUARTIC; i++) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  return changes;
}

/* the first upcrossing of one that may have several, by its halves */
static double halved(const double b[QUARTIC], int depth) {
  double half[2][QUARTIC];
  // what dips below zero for less than that, and ends above, has crossed by its end
  if (depth == SUBDIVISIONS) return b[QUARTIC - 1] >= 0.0 ? 1.0 : ESS_NEVER;
  ess_quartic_split(b, 0.5, half[0], half[1]);
  for (int i = 0; i < 2; i++) {
    const double theta = ess_sign_changes(half[i]) > 1 ? halved(half[i], depth + 1)
                                                       : ess_quartic_upcrossing(half[i]);
    if (theta <= 1.0) return 0.5 * i + 0.5 * theta;
  }
  return ESS_NEVER;
}

double ess_quartic_upcrossing(const double b[QUARTIC]) {
  // the number of sign changes bounds the number of roots (Descartes)
  const int changes = ess_sign_changes(b);
  if (changes > 1) return halved(b, 0);
  if (changes == 0 || !(b[0] < 0.0 && b[QUARTIC - 1] >= 0.0)) return ESS_NEVER;
  // one root: Newton kept within its bracket
  double a[QUARTIC], below = 0.0, above = 1.0, theta = b[0] / (b[0] - b[4]);
  to_powers(b, a);
  for (int i = 0; i < ITERATIONS && above - below > DBL_EPSILON * above; i++) {
    double slope;
    const double value = value_of(a, theta, &slope);
    if (value < 0.0)
      below = theta;
    else
      above = theta;
    const double newton = theta - value / slope;
    const bool kept = newton > below && newton < above;
    if (kept && fabs(newton - theta) <= CLOSE * theta) return newton;
    theta = kept ? newton : 0.5 * (below + above);
  }
  return above;
}

/* ---- models ------------------------------------------------------------------------------- */

void ess_model_event(const ess_driver *d, size_t k, double side, bool known, double b[QUARTIC]) {
  ess_quartic_of_one(d->h[k], d->rate[k], d->h_mid[k], d->h_end[k], d->rate_end[k], 0.25 * d->dt,
                     b);
  if (!known) b[2] = 0.5 * (b[0] + b[4]) + 2.0 / 3.0 * (b[1] - b[0] + b[3] - b[4]);
  for (int i = 0; i < QUARTIC; i++) b[i] *= side;
}

void ess_model_after(const ess_driver *d, size_t guard, double theta, bool known,
                     double b[QUARTIC]) {
  double whole[QUARTIC], until[QUARTIC];
  ess_model_event(d, guard / 2, guard % 2 ? -1.0 : 1.0, known, whole);
  ess_quartic_split(whole, theta, until, b);
}

void ess_model_guard(const ess_driver *d, size_t k, double b[QUARTIC]) {
  ess_quartic_of_one(d->h[k], d->rate[k], d->h_mid[k], d->h_end[k], d->rate_end[k], 0.25 * d->dt,
                     b);
  for (int i = 0; i < QUARTIC; i++) b[i] = d->side[k] * b[i] - d->level[k];
}

double ess_level_tolerance(const ess_driver *d, size_t k) {
  return ESS_SLIGHT(d->scale[k], fabs(d->h[k]) + fabs(d->h_end[k]));
}

/* ---- where models are held against event functions ---------------------------------------- */

/* Two places per step at which the quartic is compared with the event function, drawn from a
 * low-discrepancy sequence: no two steps have the same places, and those of a few are even. */

/* FARTHEST: places of the largest interpolation error. ASIDE: distance within which the error is at
 * least 92 % of it. FRACTION: powers of the root of x^3 = x + 1, which make the sequence even. */
static const double FARTHEST[2] = {0.275, 0.725}, ASIDE = 0.055;
static const double FRACTION[2] = {0.7548776662466927, 0.5698402909980532};

/* The end comes first: a caller that keeps what it has found out of a state has just been asked for
 * the field there. */
int ess_look_at_guards(ess_driver *d) {
  ess_looked *const p = &d->looked;
  double *const h[] = {d->h_check[0], d->h_mid, d->h_check[1]};
  const double number = (double)(d->counters.steps + d->counters.rejected + 1);
  int status = d->base->rates
                   ? d->base->rates(d)
                   : ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[6], d->h_end, d->rate_end);
  for (int i = 0; i < 2; i++) {
    const double multiple = FRACTION[i] * number;
    const double theta = FARTHEST[i] + ASIDE * (2.0 * (multiple - floor(multiple)) - 1.0);
    const double rest = 1.0 - theta, square = theta * theta, left = rest * rest;
    p->at[i] = theta;
    p->weight[i][0] = left * left;
    p->weight[i][1] = 4.0 * left * rest * theta;
    p->weight[i][2] = 6.0 * left * square;
    p->weight[i][3] = 4.0 * rest * square * theta;
    p->weight[i][4] = square * square;
  }
  const double at[] = {p->at[0], 0.5, p->at[1]};
  for (int i = 0; !status && i < 3; i++) {
    ess_dopri5_dense(d, at[i], d->x_try);
    status = ess_guards(d, d->t + at[i] * d->dt, d->x_try, h[i]);
  }
  return status;
}

/* Guards stop a step where they are crossed. One that is not told from its zero within its grain is
 * crossed a grain beyond that: it is located to a grain, too, and is not crossed where it is. */
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
      const ess_lanes grain = ess_lanes_load(d->grain + k);
      ess_lanes_store(d->scale + k, slight * fast + 1e9 * grain);
      ess_lanes_store(d->level + k, ess_lanes_select(armed, 2.0 * grain, never));
    }
  }
  // but for impacts, which are at their zeros: what rests there begins no way of its own
  for (size_t k = 0; d->impacts && d->is_coarse && k < d->system.guard_count; k++)
    if (ess_is_impact(d, k)) d->level[k] = 0.0;
}

/* factor on the error bound between the places compared */
static const double FARTHER = 4.0;

/* distance of a quartic below its level, relative to its size, that no rounding explains */
static const double WELL_BELOW = 1e-6;

/* error bound over the range of a quartic, below which the quartic is trusted. ESS_BELIEVED
 * is enough if it crosses its level for certain, where crossings are not located: the cut is
 * checked again. */
static const double TRUSTED = 0.003;

/* four guards' models, from no side; by how much they miss what is there near both quarters, and at
 * the worse of both */
typedef struct looks {
  ess_lanes b[QUARTIC], off[2], worst;
} looks;

/* by which their models are off, once their coefficients are there */
static inline void hold_against(const ess_looked *p, ess_lanes first, ess_lanes last, looks *l) {
  const ess_lanes *const b = l->b;
  for (int i = 0; i < 2; i++) {
    const double *const w = p->weight[i];
    const ess_lanes model = w[0] * b[0] + w[1] * b[1] + w[2] * b[2] + w[3] * b[3] + w[4] * b[4];
    l->off[i] = (i ? last : first) - model;
  }
  l->worst = ess_lanes_max(ess_lanes_abs(l->off[0]), ess_lanes_abs(l->off[1]));
}

static inline looks look_at(const ess_driver *d, const ess_looked *p, size_t k) {
  looks l;
  ess_quartic_of_four(ess_lanes_load(d->h + k), ess_lanes_load(d->rate + k),
                      ess_lanes_load(d->h_mid + k), ess_lanes_load(d->h_end + k),
                      ess_lanes_load(d->rate_end + k), ess_lanes_all(0.25 * d->dt), l.b);
  hold_against(p, ess_lanes_load(d->h_check[0] + k), ess_lanes_load(d->h_check[1] + k), &l);
  return l;
}

/* what is not told from a level, and by how much models may be off; not a number when a value or
 * rate is not, or is too large for a model: nothing is known there */
static inline ess_lanes doubt_of(const looks *l, ess_lanes scale, ess_lanes *slight) {
  const ess_lanes size = ess_lanes_abs(l->b[0]) + ess_lanes_abs(l->b[4]);
  const ess_lanes rounding = 16.0 * DBL_EPSILON * (size + ess_lanes_abs(l->b[2]));
  *slight = ESS_SLIGHT(scale, size);
  const ess_lanes off = ESS_DOUBT * (l->worst - rounding - *slight);
  return ess_lanes_max(off, ess_lanes_all(0.0)) + 0.0 * (l->off[0] + l->off[1]);
}

/* the model were it off by more than is allowed for; its ends are where it has values and rates */
static void raise_between_ends(double b[QUARTIC], double doubt) {
  for (int i = 1; i < QUARTIC - 1; i++) b[i] += FARTHER * doubt;
}

static inline ess_lanes gather(const double from[], const size_t which[ESS_LANES]) {
  return (ess_lanes){from[which[0]], from[which[1]], from[which[2]], from[which[3]]};
}

ess_mask ess_stay_below(const ess_driver *d, const size_t which[ESS_LANES], ess_lanes side,
                        ess_lanes theta) {
  const ess_lanes zero = {0.0};
  looks l;
  ess_quartic_of_four(gather(d->h, which), gather(d->rate, which), gather(d->h_mid, which),
                      gather(d->h_end, which), gather(d->rate_end, which),
                      ess_lanes_all(0.25 * d->dt), l.b);
  hold_against(&d->looked, gather(d->h_check[0], which), gather(d->h_check[1], which), &l);
  ess_lanes slight;
  const ess_lanes more = FARTHER * doubt_of(&l, gather(d->scale, which), &slight);
  for (int i = 0; i < QUARTIC; i++) l.b[i] = side * l.b[i] + (i && i < QUARTIC - 1 ? more : zero);
  ess_mask below = l.b[QUARTIC - 1] < zero;
  for (int last = QUARTIC - 2; last >= 0; last--) { // de Casteljau
    for (int i = 0; i <= last; i++) l.b[i] += theta * (l.b[i + 1] - l.b[i]);
    below &= l.b[last] < zero;
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
  const looks l = look_at(d, &d->looked, from);
  ess_lanes slight;
  return doubt_of(&l, ess_lanes_load(d->scale + from), &slight)[k % ESS_LANES] == 0.0;
}

/* ---- the guards that a step reaches ------------------------------------------------------- */

/* which of four guards rise through their level once, whatever their models, of which each is
 * believed, are off by: most of those that reach it do, and there is no need to know where */
static ess_mask rise_for_sure(const ess_driver *d, size_t k, const looks *l, ess_lanes doubt) {
  const ess_models m = ess_seen_from_guards(d, k, l->b);
  ess_lanes low = m.b[0], high = m.b[0];
  for (int i = 1; i < QUARTIC; i++) {
    low = ess_lanes_min(low, m.b[i]);
    high = ess_lanes_max(high, m.b[i]);
  }
  return ess_rise_once(&m, FARTHER * doubt) & (doubt <= TRUSTED * (high - low));
}

/* which of four guards' models may cross before theta: all but those that start below their level,
 * rise through it once, and are well below it still */
static ess_mask may_cross_before(const ess_models *m, double theta) {
  const double rest = 1.0 - theta;
  const double weight[QUARTIC] = {rest * rest * rest * rest, 4.0 * rest * rest * rest * theta,
                                  6.0 * rest * rest * theta * theta,
                                  4.0 * rest * theta * theta * theta,
                                  theta * theta * theta * theta};
  ess_lanes value = weight[0] * m->b[0], size = ess_lanes_abs(m->b[0]);
  ess_mask falls = {0};
  for (int i = 1; i < QUARTIC; i++) {
    value += weight[i] * m->b[i];
    size += ess_lanes_abs(m->b[i]);
    falls |= (m->b[i] < 0.0) & ~(m->b[i - 1] < 0.0);
  }
  return ~(value < -WELL_BELOW * size) | falls | ~(m->b[0] < 0.0);
}

/* what share of their ranges the models of four guards may be off by */
static void note_share(ess_driver *d, size_t k, const ess_lanes b[QUARTIC], ess_lanes doubt) {
  const ess_lanes ends = ess_lanes_max(ess_lanes_abs(b[1] - b[0]), ess_lanes_abs(b[4] - b[3]));
  const ess_lanes range = ess_lanes_max(ess_lanes_abs(b[4] - b[0]), 2.0 * ends);
  const ess_lanes least = ESS_STILL * ess_lanes_abs(ess_lanes_load(d->h + k));
  const ess_mask armed = ess_lanes_load(d->side + k) != (ess_lanes){0.0};
  const ess_mask turns = armed & (range > least);
  unsigned bits = ess_mask_bits(turns & (doubt > d->control.turning.share * range));
  for (; bits; bits &= bits - 1) {
    const size_t i = (size_t)__builtin_ctz(bits);
    if (!(doubt[i] > d->control.turning.share * range[i])) continue;
    d->control.turning.share = doubt[i] / range[i];
    d->control.turning.guard = k + i;
  }
}

/* largest coefficient less the smallest */
static double range_of(const double b[QUARTIC]) {
  double low = b[0], high = b[0];
  for (int i = 1; i < QUARTIC; i++) {
    low = ess_smaller(low, b[i]);
    high = ess_larger(high, b[i]);
  }
  return high - low;
}

/* whether guard k's model says for sure when the guard first crosses its level, if it does: it is
 * off by a small part of its range, and by more than is allowed for there would still be no
 * crossing before that; one that starts above its level would still go below. Most rise for sure,
 * and are not asked for here. */
static bool model_is_trusted(const ess_driver *d, size_t k, double doubt) {
  double b[QUARTIC], until[QUARTIC], rest[QUARTIC];
  ess_model_guard(d, k, b);
  const double range = range_of(b);
  const double crossing = ess_quartic_upcrossing(b);
  const bool checked = crossing <= 1.0 && !d->scheme->locates;
  if (!(doubt <= (checked ? ESS_BELIEVED : TRUSTED) * range)) return false;
  raise_between_ends(b, doubt);
  if (crossing > 1.0) return ess_quartic_upcrossing(b) > 1.0;
  if (!(b[0] < 0.0) && ess_quartic_upcrossing(b) > 1.0) return false;
  ess_quartic_split(b, crossing, until, rest);
  return ess_sign_changes(until) <= 1 + !(b[0] < 0.0);
}

/* whether a model whose coefficients lie below its level would reach it if it were off by more */
static bool may_yet_reach(const ess_driver *d, size_t k, double doubt) {
  double b[QUARTIC];
  ess_model_guard(d, k, b);
  raise_between_ends(b, doubt);
  return ess_quartic_upcrossing(b) <= 1.0;
}

void ess_clear_flags(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++) d->fate[d->flagged[i]] = ESS_FATE_NONE;
  d->flagged_count = 0;
}

/* whether guard k, near its level but not for sure beyond it, reaches it; *doubtful when that
 * cannot be told */
static bool reaches_level(const ess_driver *d, size_t k, double margin, double doubt,
                          bool *doubtful) {
  if (d->side[k] == 0.0) return false;
  if (margin + doubt < 0.0 && !may_yet_reach(d, k, doubt)) return false;
  // neither below its level for sure nor crossing it for sure, or not a number
  *doubtful = !(margin >= 0.0 && (doubt == 0.0 || model_is_trusted(d, k, doubt)));
  return true;
}

/* Lists a block's guards that reach their level, and returns one in doubt, or SIZE_MAX. By bits:
 * those that may, or are not numbers, and of these the armed ones that do by models that need not
 * be looked at closely. */
static size_t flag_block(ess_driver *d, size_t block, unsigned near, unsigned sure,
                         const double margin[]) {
  for (; near; near &= near - 1) {
    const size_t i = (size_t)__builtin_ctz(near), k = block * ESS_BLOCK + i;
    bool doubtful = false;
    if (!(sure >> i & 1) && !reaches_level(d, k, margin[i], d->inexact[k], &doubtful)) continue;
    if (doubtful) return k;
    d->flagged_theta[d->flagged_count] = ESS_NEVER; // until it is placed
    d->flagged[d->flagged_count++] = k;
    d->fate[k] = ESS_FATE_SOUGHT;
  }
  return SIZE_MAX;
}

size_t ess_flag_guards(ess_driver *d) {
  const ess_looked looked = d->looked;
  const ess_lanes zero = {0.0};
  if (d->flagged_count) ess_clear_flags(d);
  d->control.turning.share = ESS_STILL_TURNING;
  for (size_t b = 0; b < d->blocks; b++) {
    double margin[ESS_BLOCK]; // by which they rise above their levels
    unsigned near = 0, sure = 0;
    if (!d->block_armed[b]) continue;
    for (size_t lane = 0; lane < ESS_BLOCK; lane += ESS_LANES) {
      const size_t k = b * ESS_BLOCK + lane;
      const ess_lanes side = ess_lanes_load(d->side + k);
      const ess_mask armed = side != zero;
      if (!ess_mask_any(armed)) continue;
      const looks l = look_at(d, &looked, k);
      const ess_lanes left = ess_lanes_max(side * l.b[1], side * l.b[2]);
      const ess_lanes right = ess_lanes_max(side * l.b[3], side * l.b[4]);
      const ess_lanes height = ess_lanes_max(left, right) - ess_lanes_load(d->level + k);
      const ess_lanes way = ess_lanes_abs(l.b[4] - l.b[0]);
      // most are below their levels, and so little off that it says nothing, by bounds that take
      // rounding for an error; what is no number is not
      const ess_lanes most = ESS_DOUBT * l.worst + 0.0 * l.off[0];
      const ess_mask far =
          (height + FARTHER * most < 0.0) & (most <= d->control.turning.share * way);
      if (!ess_mask_any(~far)) continue;
      ess_lanes slight;
      const ess_lanes doubt = doubt_of(&l, ess_lanes_load(d->scale + k), &slight);
      const ess_lanes rise = height - slight + 0.0 * l.b[2];
      const unsigned reached = ess_mask_bits(~(rise + FARTHER * doubt < 0.0));
      ess_lanes_store(d->inexact + k, doubt);
      if (ess_mask_any(doubt > d->control.turning.share * way)) note_share(d, k, l.b, doubt);
      if (!reached) continue;
      const ess_mask trusted = (doubt == zero) | rise_for_sure(d, k, &l, doubt);
      ess_lanes_store(margin + lane, rise);
      near |= reached << lane;
      sure |= (reached & ess_mask_bits(trusted & armed & (rise >= zero))) << lane;
    }
    const size_t doubtful = near ? flag_block(d, b, near, sure, margin) : SIZE_MAX;
    if (doubtful != SIZE_MAX) return doubtful;
  }
  return SIZE_MAX;
}

/* whether any of four guards is flagged */
static bool any_flagged(const ess_driver *d, size_t k) {
  return d->fate[k] | d->fate[k + 1] | d->fate[k + 2] | d->fate[k + 3];
}

void ess_keep_rivals(ess_driver *d, double theta) {
  d->flagged_count = 0;
  for (size_t b = 0; b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    for (size_t k = b * ESS_BLOCK, end = ess_block_end(d, b); k < end; k += ESS_LANES) {
      if (!any_flagged(d, k)) continue;
      const ess_models m = ess_model_guards(d, k);
      const unsigned rivals = ess_mask_bits(may_cross_before(&m, theta));
      for (size_t i = 0; i < ESS_LANES; i++) {
        if (!d->fate[k + i]) continue;
        d->fate[k + i] = rivals >> i & 1 ? ESS_FATE_SOUGHT : ESS_FATE_NONE;
        if (d->fate[k + i]) d->flagged[d->flagged_count++] = k + i;
      }
    }
  }
}

/*
 * Event functions along a sub-step with its jumps, place by place, where bounds do not tell what
 * they do: without what the jumps add by their rates, which turns at each crossing, they are
 * smooth. That is their course; or, for those that are curved, a model of what they are where the
 * path really goes, distrusted as along an integration step (bound.c), since what they are along
 * the base says little of what they are beside it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "armed.h"
#include "callbacks.h"
#include "course.h"
#include "driver_state.h"
#include "jumps.h"
#include "lanes.h"
#include "path.h"
#include "quartic.h"
#include "reset_check.h"
#include "resets.h"
#include "unlisted.h"

enum { QUARTIC = ESS_QUARTIC, LOOKS = ESS_LOOKS, PLACES = ESS_PLACES, PLACED = ESS_PLACED };

/* in the middle a model is off by at most so many times what it is off by at the first or last
 * quarter */
static const double DOUBT = 16.0;

bool ess_is_settled(const ess_driver *d, size_t k) {
  const ess_cluster *const c = &d->cluster;
  const bool waits = c->touched[k] == c->trial && ess_is_silent(d, k) && ess_row_arms_none(d, k);
  return d->side[k] == 0.0 || c->crossed[k] == c->trial || waits;
}

/* one event function */
typedef struct along {
  double side;       /* it is seen from */
  double from, span; /* where the sub-step differs from the base, and how long from there */
  double a[QUARTIC]; /* its smooth part, by powers of the time since `from` */
  double doubt;      /* by how much that may be off in the middle */
  double g[PLACED];  /* with jumps, at places from there to the end */
} along;

/* the i-th of `count` places along it */
static double place_at(const ess_cluster *c, int i, int count) {
  return i == count ? c->length : c->from + (c->length - c->from) * i / count;
}

/* notes what has been made of each group until the i-th place */
static void note_made(ess_cluster *c, size_t i, const ess_made made[]) {
  for (size_t g = 0; g < c->group_count; g++) {
    ess_made_until *const until = &c->places.until[g];
    until->count[i] = made[g].count;
    until->times[i] = made[g].times;
    until->late[i] = made[g].late;
    until->late_times[i] = made[g].late_times;
    until->spread[i] = made[g].spread;
  }
}

/* the other way round */
static void made_until(const ess_cluster *c, size_t i, ess_made made[]) {
  for (size_t g = 0; g < c->group_count; g++) {
    const ess_made_until *const until = &c->places.until[g];
    made[g] = (ess_made){until->count[i], until->times[i], until->late[i], until->late_times[i],
                         until->spread[i]};
  }
}

static void lay_places(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  ess_made made[ESS_GROUPS];
  if (c->places.is_laid) return;
  ess_none_made(c, made);
  c->places.is_laid = true;
  for (size_t i = 0, n = 0; i < PLACED; i++) {
    const double u = i < PLACES ? place_at(c, (int)i, PLACES) : c->length;
    for (; n < c->made_count && (i >= PLACES || c->time[c->order[n]] <= u); n++) {
      const size_t crossing = c->order[n];
      if (!c->is_silent[crossing]) ess_add_made(&made[c->of_group[crossing]], c, crossing);
    }
    c->places.u[i] = u;
    note_made(c, i, made);
  }
}

/* event function k at u, seen from its side, with the jumps made until then */
static double value_at(const ess_driver *d, const along *a, size_t k, const ess_made made[],
                       double u) {
  double rate;
  return a->side * (ess_powers_value(a->a, u - a->from) + ess_shift(d, k, made, u, &rate));
}

/* what jumps add to event function k at four places, the i-th and those that follow */
static inline ess_lanes shift_at_places(const ess_driver *d, size_t k, size_t i) {
  const ess_cluster *const c = &d->cluster;
  const ess_lanes u = ess_lanes_load(c->places.u + i);
  ess_lanes shift = {0.0};
  for (size_t g = 0; g < c->group_count; g++) {
    const ess_made_until *const m = &c->places.until[g];
    shift +=
        c->group[g].rate[k] * (ess_lanes_load(m->count + i) * u - ess_lanes_load(m->times + i));
    if (c->group[g].is_even) continue;
    shift += c->group[g].trend_rate[k] *
             (ess_lanes_load(m->late + i) * u - ess_lanes_load(m->late_times + i));
  }
  return shift;
}

static void fill_places(const ess_driver *d, size_t k, along *a) {
  ess_course smooth;
  for (int i = 0; i < QUARTIC; i++) smooth.a[i] = ess_lanes_all(a->a[i]);
  for (size_t i = 0; i < PLACED; i += ESS_LANES) {
    const ess_lanes u = ess_lanes_load(d->cluster.places.u + i);
    const ess_lanes value = ess_course_values(&smooth, u - a->from);
    ess_lanes_store(a->g + i, a->side * (value + shift_at_places(d, k, i)));
  }
}

/* --- what it does -------------------------------------------------------------------------------
 */

/* by how much the smooth part may be off: the ends are known */
static double doubt_at(const along *a, double theta) {
  const double rest = 1.0 - theta;
  return a->doubt * 16.0 * theta * theta * rest * rest;
}

/* the same at four places */
static inline ess_lanes doubts_at(const along *a, ess_lanes theta) {
  const ess_lanes rest = 1.0 - theta;
  return a->doubt * 16.0 * theta * theta * rest * rest;
}

/* highest points of parabolas through each of four places, of which the i-th is the first, and its
 * neighbours, where they lie between these */
static inline ess_lanes tops(const along *a, size_t i, ess_mask between) {
  const ess_lanes before = ess_lanes_load(a->g + i - 1), after = ess_lanes_load(a->g + i + 1);
  const ess_lanes g = ess_lanes_load(a->g + i), slope = after - before;
  const ess_lanes bend = before - 2.0 * g + after;
  const ess_mask humps = (bend < 0.0) & (ess_lanes_abs(slope) < 2.0 * ess_lanes_abs(bend));
  return ess_lanes_select(humps & between, g - slope * slope / (8.0 * bend), g);
}

/* whether it is negative for sure between two places; that at the beginning is what it is */
static bool is_below(const along *a, int from, int to) {
  ess_lanes place = {1.0, 2.0, 3.0, 4.0};
  ess_mask below = ~(ess_mask){0};
  for (size_t i = 1; i <= PLACES; i += ESS_LANES, place += ESS_LANES) {
    const ess_lanes high = tops(a, i, place < PLACES) + doubts_at(a, place / PLACES);
    below &= (high < 0.0) | (place < from) | (place > to);
  }
  return !ess_mask_any(~below);
}

/* whether it is positive for sure there */
static bool is_above(const along *a, int from, int to) {
  for (int i = from; i <= to; i++)
    if (!(a->g[i] - doubt_at(a, (double)i / PLACES) > 0.0)) return false;
  return true;
}

/* by how much the rate of event function k may turn at the crossings from four places to the next
 * ones */
static inline ess_lanes turn_between(const ess_driver *d, size_t k, size_t i) {
  const ess_cluster *const c = &d->cluster;
  ess_lanes turn = {0.0};
  for (size_t g = 0; g < c->group_count; g++) {
    const double *const count = c->places.until[g].count + i;
    const double *const spread = c->places.until[g].spread + i;
    turn += fabs(c->group[g].rate[k]) * (ess_lanes_load(count + 1) - ess_lanes_load(count));
    if (c->group[g].is_even) continue;
    turn += fabs(c->group[g].trend_rate[k]) * (ess_lanes_load(spread + 1) - ess_lanes_load(spread));
  }
  return turn;
}

/* whether it is below zero where the path turns, too: between places it may turn at once */
static bool is_below_at_turns(const ess_driver *d, const along *a, size_t k) {
  const ess_cluster *const c = &d->cluster;
  ess_made made[ESS_GROUPS];
  ess_none_made(c, made);
  for (size_t n = 0; n < c->made_count; n++) {
    const size_t i = c->order[n];
    if (c->is_silent[i]) continue;
    const double u = ess_clamp(c->time[i], a->from, c->length);
    const double theta = a->span > 0.0 ? (u - a->from) / a->span : 1.0;
    const double g = value_at(d, a, k, made, u);
    if (!(g + doubt_at(a, theta) < 0.0) && u > a->from) return false;
    ess_add_made(&made[c->of_group[i]], c, i);
  }
  return true;
}

/* the same; most often because places are too far below zero for a turn between them to matter */
static bool turns_below(const ess_driver *d, const along *a, size_t k) {
  const ess_lanes half = {0.5, 1.5, 2.5, 3.5};
  ess_mask below = ~(ess_mask){0};
  for (size_t i = 0; i < PLACES; i += ESS_LANES) {
    const ess_lanes doubt = doubts_at(a, ((double)i + half) / PLACES);
    const ess_lanes higher = ess_lanes_max(ess_lanes_load(a->g + i), ess_lanes_load(a->g + i + 1));
    below &= higher + doubt + 0.25 * a->span / PLACES * turn_between(d, k, i) < 0.0;
  }
  return !ess_mask_any(~below) || is_below_at_turns(d, a, k);
}

/* whether it is crossed at that time, and then not again where that counts, but for a place beside
 * it where nobody can tell */
static bool is_crossed_once(const along *a, double time, bool then) {
  const double place = a->span > 0.0 ? (time - a->from) / a->span * PLACES : 0.0;
  const int before = (int)ess_clamp(floor(place) - 1.0, -1.0, PLACES);
  const int after = (int)ess_clamp(ceil(place) + 1.0, 0.0, PLACES + 1.0);
  return is_below(a, 0, before) && (!then || is_above(a, after, PLACES));
}

/* whether it rises through zero once and stays above: a crossing that is not listed */
static bool rises_once(const along *a) {
  int i = 1;
  while (i < PLACES && a->g[i] < 0.0) i++;
  return is_below(a, 0, i - 2) && is_above(a, i + 1, PLACES);
}

/* whether it falls through zero once: one that is armed on the way, when it has fallen already, or
 * lay a little above at the node, and recedes */
static bool falls_once(const along *a) {
  int i = 0;
  while (i < PLACES && a->g[i] >= 0.0) i++;
  return is_above(a, 1, i - 2) && is_below(a, i + 1, PLACES);
}

/* --- those that are not curved ------------------------------------------------------------------
 */

bool ess_stays_below(ess_driver *d, size_t k, double off) {
  const ess_cluster *const c = &d->cluster;
  const double o = c->from;
  double a[QUARTIC];
  along course = {.side = d->side[k], .from = o, .span = c->length - o, .doubt = fabs(off)};
  ess_course_one(d, k, a);
  a[2] += off / (c->length * c->length);
  course.a[0] = ess_powers_value(a, o);
  course.a[1] = ess_powers_slope(a, o);
  course.a[2] = a[2] + 3.0 * o * (a[3] + 2.0 * o * a[4]);
  course.a[3] = a[3] + 4.0 * o * a[4];
  course.a[4] = a[4];
  lay_places(d);
  fill_places(d, k, &course);
  return is_below(&course, 0, PLACES) && turns_below(d, &course, k);
}

/* --- those that are -----------------------------------------------------------------------------
 */

/* curved event functions at the first crossing, if it is not the node, at the quarters, and at the
 * end; with their rates at both ends */
typedef struct looks {
  const double *first, *first_rate, *last, *last_rate;
} looks;

static int look(ess_driver *d, looks *l) {
  ess_cluster *const c = &d->cluster;
  double *const x = d->x_try, *const rate = d->v_try;
  int status = ESS_SUCCESS;
  *l = (looks){d->h, d->rate, d->h_try, d->rate_try};
  if (c->from > 0.0) {
    status = ess_guard_rates(d, d->t + c->from, c->at, c->before, c->seen[3], c->seen[4]);
    l->first = c->seen[3];
    l->first_rate = c->seen[4];
  }
  for (int i = 0; !status && i < LOOKS; i++) {
    const double u = place_at(c, i + 1, LOOKS + 1);
    ess_path(d, u, x, rate);
    status = ess_guards(d, d->t + u, x, c->seen[i]);
  }
  ess_path(d, c->length, x, rate);
  return status ? status : ess_guard_rates(d, d->t + c->length, x, rate, d->h_try, d->rate_try);
}

/* event function k along the sub-step, seen from this side */
static along model(const ess_driver *d, const looks *l, size_t k, double side) {
  const ess_cluster *const c = &d->cluster;
  along a = {.side = side, .from = c->from, .span = c->length - c->from};
  const double h[LOOKS + 2] = {l->first[k], c->seen[0][k], c->seen[1][k], c->seen[2][k],
                               l->last[k]};
  double y[LOOKS + 2], b[QUARTIC], size = 0.0, slope = 0.0;
  for (int i = 0; i < LOOKS + 2; i++) {
    ess_made made[ESS_GROUPS];
    made_until(c, (size_t)i * PLACES / (LOOKS + 1), made);
    y[i] = h[i] - ess_shift(d, k, made, place_at(c, i, LOOKS + 1), &slope);
    size = ess_larger(size, fabs(h[i]) + fabs(y[i]));
  }
  b[0] = y[0];
  b[1] = y[0] + 0.25 * a.span * l->first_rate[k];
  b[4] = y[LOOKS + 1];
  b[3] = b[4] - 0.25 * a.span * (l->last_rate[k] - slope);
  b[2] = (16.0 * y[2] - b[0] - b[4] - 4.0 * (b[1] + b[3])) / 6.0;

  const double early = fabs(ess_quartic(b, 0.25, &slope) - y[1]);
  const double late = fabs(ess_quartic(b, 0.75, &slope) - y[3]);
  a.doubt = DOUBT * ess_larger(0.0, ess_larger(early, late) - 64.0 * DBL_EPSILON * size);
  ess_powers(b, a.a);
  double power = 1.0;
  for (int i = 0; i < QUARTIC; i++, power /= a.span) a.a[i] *= power;
  fill_places(d, k, &a);
  return a;
}

/* time of event function k's crossing in this sub-step */
static double time_of(const ess_cluster *c, size_t k) {
  size_t i = 0;
  while (i + 1 < c->count && !(c->crossing[i] == k && c->is_made[i])) i++;
  return c->time[i];
}

/* whether event function k is far below zero wherever it was looked at: further than it goes from
 * one look to the next */
static bool is_far_below(const ess_driver *d, const looks *l, size_t k) {
  const ess_cluster *const c = &d->cluster;
  const double side = d->side[k];
  const double g[LOOKS + 2] = {side * l->first[k], side * c->seen[0][k], side * c->seen[1][k],
                               side * c->seen[2][k], side * l->last[k]};
  double high = g[0], way = 0.0;
  for (int i = 1; i < LOOKS + 2; i++) {
    high = ess_larger(high, g[i]);
    way = ess_larger(way, fabs(g[i] - g[i - 1]));
  }
  return high < -way;
}

/* whether what rows do to it is right */
static bool is_right_by_rows(ess_driver *d, const looks *l, size_t k) {
  const along a = model(d, l, k, 1.0);
  ess_bare bare = {.from = a.from, .doubt = a.doubt};
  for (int i = 0; i < QUARTIC; i++) bare.a[i] = a.a[i];
  return ess_agrees_with_resets(d, k, &bare);
}

/* whether nothing happens to event function k but what is listed; *missing when it has been passed
 * for good, which is not listed */
static bool is_safe(ess_driver *d, const looks *l, size_t k, bool *missing) {
  const ess_cluster *const c = &d->cluster;
  const bool touched = c->touched[k] == c->trial;
  if (touched && !is_right_by_rows(d, l, k)) return false;
  if (c->crossed[k] == c->trial) {
    if (!touched) { // silent, and passed for good, which is made at the end
      const along a = model(d, l, k, d->side[k]);
      return a.g[PLACES] >= 0.0 && rises_once(&a);
    }
    const along a = model(d, l, k, d->sign[k]);
    // where nothing is armed behind it, it does not matter what it does after that
    return is_crossed_once(&a, time_of(c, k), d->side[k] != 0.0);
  }
  if (ess_is_settled(d, k) || is_far_below(d, l, k)) return true;
  const along a = model(d, l, k, d->side[k]);
  if (is_below(&a, 0, PLACES) && turns_below(d, &a, k)) return true;
  if ((touched || a.g[0] >= 0.0) && falls_once(&a)) return true;
  if (!(a.g[PLACES] >= 0.0) || !rises_once(&a)) return false;
  *missing = true;
  return true;
}

int ess_watch_curved(ess_driver *d, bool *safe, bool *missing) {
  ess_cluster *const c = &d->cluster;
  // along the base it has been watched already
  if (!c->deviates && !c->group_count) return ESS_SUCCESS;
  looks l;
  lay_places(d);
  const int status = look(d, &l);
  for (size_t i = 0; !status && *safe && i < c->curved_count; i++) {
    const size_t k = c->curved[i];
    *safe = is_safe(d, &l, k, missing);
    c->ahead[k] = l.last[k];
  }
  return status;
}

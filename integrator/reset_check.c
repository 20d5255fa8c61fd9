/*
 * What the crossings of a sub-step do to guards, held against the path. While a guard is armed and
 * not crossed, from one crossing that concerns its event function to the next, it has to be below
 * zero; behind its own crossing, too, where its jump may throw the state back; and one that a row
 * arms ahead has to lie ahead there. Crossings were made by times foreseen without jumps, and the
 * list knows guards as they were armed at the node: rows that meet within a sub-step may have made
 * it wrong (docs/theory/sub-steps.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "armed.h"
#include "course.h"
#include "driver_state.h"
#include "jumps.h"
#include "quartic.h"
#include "reset_check.h"
#include "resets.h"

enum { QUARTIC = ESS_QUARTIC };

/* an event function between two namings, as it was armed there */
typedef struct spell {
  double begin, end; /* since the node */
  double sign, side;
  const ess_noted *by; /* what it begins with; NULL: the sub-step */
  bool is_last;        /* it lasts until the sub-step ends */
  bool is_ended;       /* by another's row */
} spell;

/* what roundings come to in event function k */
static double slight_of(const ess_driver *d, size_t k) {
  const double way = d->cluster.length * fabs(d->rate[k]);
  return 64.0 * DBL_EPSILON * (fabs(d->h[k]) + way);
}

/* Bernstein coefficients of event function k, as high as it may be, from one time to another,
 * between which no jump is made; without those made before where `made` is NULL */
static void piece_of(const ess_driver *d, size_t k, const ess_bare *p, const ess_made made[],
                     double side, double begin, double end, double b[QUARTIC]) {
  const double o = begin - p->from, length = end - begin;
  const double *const a = p->a;
  double rate = 0.0;
  const double shift = made ? ess_shift(d, k, made, begin, &rate) : 0.0;
  const double slope = ess_powers_slope(a, o) + rate;
  const double square = a[2] + o * (3.0 * a[3] + 6.0 * o * a[4]), cubic = a[3] + 4.0 * o * a[4];
  const double power[QUARTIC] = {
      side * (ess_powers_value(a, o) + shift) + p->doubt - slight_of(d, k), side * slope * length,
      side * square * length * length, side * cubic * length * length * length,
      side * a[4] * length * length * length * length};
  b[0] = power[0];
  b[1] = b[0] + 0.25 * power[1];
  b[2] = b[0] + 0.5 * power[1] + power[2] / 6.0;
  b[3] = b[0] + 0.75 * power[1] + 0.5 * power[2] + 0.25 * power[3];
  b[4] = power[0] + power[1] + power[2] + power[3] + power[4];
}

/* whether event function k is below zero between two times, or falls below and stays there */
static bool is_below(const ess_driver *d, size_t k, const ess_bare *p, const ess_made made[],
                     double side, double begin, double end, double b[QUARTIC]) {
  piece_of(d, k, p, made, side, begin, end, b);
  if (b[0] < 0.0) return ess_quartic_upcrossing(b) > 1.0;
  for (int i = 1; i < QUARTIC; i++)
    if (!(b[i] <= b[i - 1])) return false;
  return true;
}

/* event function k at a time, with the jumps made until then, and its rate after them */
static double value_at(const ess_driver *d, size_t k, const ess_bare *p, double u, double *rate) {
  ess_made made[ESS_GROUPS];
  ess_sum_made(d, u, made);
  const double shift = ess_shift(d, k, made, u, rate);
  *rate += ess_powers_slope(p->a, u - p->from);
  return ess_powers_value(p->a, u - p->from) + shift;
}

/* the same over a spell, from crossing to crossing; at its end it is below */
static bool stays_below(const ess_driver *d, size_t k, const ess_bare *p, const spell *s) {
  const ess_cluster *const c = &d->cluster;
  ess_made made[ESS_GROUPS];
  ess_none_made(c, made);
  double begin = s->begin, b[QUARTIC];
  for (size_t n = 0; n < c->made_count; n++) {
    const size_t i = c->order[n];
    if (c->is_silent[i]) continue;
    if (!(c->time[i] < s->end)) break;
    if (c->time[i] > begin) {
      if (!is_below(d, k, p, made, s->side, begin, c->time[i], b)) return false;
      begin = c->time[i];
    }
    ess_add_made(&made[c->of_group[i]], c, i);
  }
  return is_below(d, k, p, made, s->side, begin, s->end, b) && b[QUARTIC - 1] < 0.0;
}

/* the same behind its own crossing, where it has been zero: what it was timed to */
static bool stays_behind(const ess_driver *d, size_t k, const ess_bare *p, const spell *s) {
  ess_bare from_zero = *p;
  double rate;
  from_zero.a[0] -= value_at(d, k, p, s->begin, &rate);
  from_zero.doubt = 0.0;
  return stays_below(d, k, &from_zero, s);
}

/* whether a row that arms what lies ahead has found the side that the path is on */
static bool lies_ahead(const ess_driver *d, size_t k, const ess_bare *p, const spell *s) {
  if (!s->by || s->by->effect != ESS_ARM_AHEAD) return true;
  double rate;
  return s->sign * value_at(d, k, p, s->begin, &rate) >= p->doubt - slight_of(d, k);
}

/* whether silent guard k, which is armed within the sub-step, and crossed after its end when it has
 * been passed in it, can be: no crossing later than that concerns what its row does */
static bool can_wait(const ess_driver *d, size_t k, const spell *s) {
  const ess_cluster *const c = &d->cluster;
  const size_t guard = ess_guard_ahead(d, k);
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t other = d->row_guard[e] / 2;
    if (other == k) continue;
    if (c->touched[other] != c->trial && c->crossed[other] == c->trial) return false;
    if (c->touched[other] != c->trial || c->last_noted[other] == ESS_NONE) continue;
    if (c->time[c->noted[c->last_noted[other]].by] > s->begin) return false;
  }
  return true;
}

static bool is_right(const ess_driver *d, size_t k, const ess_bare *p, const spell *s) {
  const bool is_named = s->by && s->by->effect != 0;
  if (!lies_ahead(d, k, p, s)) return false;
  // crossings that end a spell are timed
  if (s->side == 0.0 || !(s->is_last ? s->by != NULL : s->is_ended)) return true;
  const bool waits = s->is_last && ess_is_silent(d, k) && ess_row_arms_none(d, k);
  if (waits && is_named) return can_wait(d, k, s);
  return waits || (s->by && !is_named ? stays_behind(d, k, p, s) : stays_below(d, k, p, s));
}

/* the spell that ends where something was noted of event function k; with ESS_NONE, the last */
static spell spell_until(const ess_driver *d, size_t k, const ess_bare *p, size_t n) {
  const ess_cluster *const c = &d->cluster;
  const ess_noted *const then = n == ESS_NONE ? NULL : &c->noted[n];
  const size_t before = then ? then->before : c->last_noted[k];
  const ess_noted *const by = before == ESS_NONE ? NULL : &c->noted[before];
  return (spell){.begin = by ? ess_clamp(c->time[by->by], p->from, c->length) : p->from,
                 .end = then ? ess_clamp(c->time[then->by], p->from, c->length) : c->length,
                 .sign = then ? then->sign : d->sign[k],
                 .side = then ? then->side : d->side[k],
                 .by = by,
                 .is_last = !then,
                 .is_ended = then && then->effect != 0};
}

static bool agrees_until(ess_driver *d, size_t k, const ess_bare *p, size_t n) {
  ess_cluster *const c = &d->cluster;
  const spell s = spell_until(d, k, p, n);
  if (is_right(d, k, p, &s)) return true;
  // a shorter sub-step does not help: what arms the guard also has it crossed, or its own jump
  // throws the state back
  double rate;
  if (s.by && s.by->effect == 0) value_at(d, k, p, s.begin, &rate);
  c->is_hopeless = c->is_hopeless || (s.by && (s.by->effect != 0 || !(s.side * rate < 0.0)));
  return false;
}

bool ess_agrees_with_resets(ess_driver *d, size_t k, const ess_bare *p) {
  const ess_cluster *const c = &d->cluster;
  bool agrees = agrees_until(d, k, p, ESS_NONE);
  for (size_t n = c->last_noted[k]; agrees && n != ESS_NONE; n = c->noted[n].before)
    agrees = agrees_until(d, k, p, n);
  return agrees;
}

/* whether the silent guards that are crossed at the end are concerned by no other crossing, nor
 * concern what another does */
static bool can_pass(const ess_driver *d, size_t k) {
  const ess_cluster *const c = &d->cluster;
  const size_t guard = ess_guard_ahead(d, k);
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t other = d->row_guard[e] / 2;
    if (other != k && (c->touched[other] == c->trial || c->crossed[other] == c->trial))
      return false;
  }
  return true;
}

/* whether a guard of event function k, seen from this side, is clear of its zero between two times,
 * however the jumps move it: by its course at both, and by how much that may bulge in between */
static inline bool is_clear(const ess_driver *d, size_t k, double side, double begin, double end) {
  const ess_cluster *const c = &d->cluster;
  const double span = end - begin;
  const double high = 3.0 * fabs(c->cubic[k]) + 6.0 * end * fabs(c->quartic[k]);
  const double bulge = 0.25 * span * span * (fabs(c->square[k]) + end * high);
  double a[QUARTIC];
  ess_course_one(d, k, a);
  const double first = side * ess_powers_value(a, begin), last = side * ess_powers_value(a, end);
  return ess_larger(first, last) + bulge + c->shift < 0.0;
}

/* whether it recedes all the time, however the jumps turn it */
static inline bool recedes(const ess_driver *d, size_t k, double side, double begin, double end) {
  const ess_cluster *const c = &d->cluster;
  const double high = 6.0 * fabs(c->cubic[k]) + 12.0 * end * fabs(c->quartic[k]);
  const double turn = (end - begin) * (2.0 * fabs(c->square[k]) + end * high);
  double a[QUARTIC];
  ess_course_one(d, k, a);
  return side * ess_powers_slope(a, begin) + turn + c->turn < 0.0;
}

/* when the n-th of what has been noted was */
static inline double time_of(const ess_cluster *c, size_t n) {
  return ess_clamp(c->time[c->noted[n].by], 0.0, c->length);
}

/* whether that is all there is to say of what has been noted of it, and of what it has become; most
 * often it is */
static inline bool is_plain(const ess_driver *d, size_t n) {
  const ess_cluster *const c = &d->cluster;
  const ess_noted *const now = &c->noted[n];
  const size_t k = now->guard;
  const bool is_last = c->last_noted[k] == n;
  const double side = is_last ? d->side[k] : 0.0; // from then on
  if (now->effect == 0) return side == 0.0 || recedes(d, k, side, time_of(c, n), c->length);
  if (now->effect == ESS_ARM_AHEAD) return false;
  if (now->side != 0.0) {
    const double end = time_of(c, n);
    const double begin = now->before == ESS_NONE ? 0.0 : ess_smaller(time_of(c, now->before), end);
    if (!is_clear(d, k, now->side, begin, end)) return false;
  }
  return side == 0.0 || is_clear(d, k, side, time_of(c, n), c->length);
}

bool ess_resets_agree(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  for (size_t i = 0; i < c->passed_count; i++)
    if (!can_pass(d, c->passed[i])) return false;
  for (size_t n = 0; n < c->noted_count; n++) {
    const ess_noted *const now = &c->noted[n];
    const size_t k = now->guard;
    // what a look at the state has begun; those that are curved are watched by themselves
    const bool was_found = now->before != ESS_NONE && c->noted[now->before].effect == ESS_ARM_AHEAD;
    if (c->is_curved[k] || (!was_found && is_plain(d, n))) continue;
    ess_bare course = {0};
    ess_course_one(d, k, course.a);
    if (!agrees_until(d, k, &course, n)) return false;
    if (c->last_noted[k] == n && !agrees_until(d, k, &course, ESS_NONE)) return false;
  }
  return true;
}

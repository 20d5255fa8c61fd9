/*
 * Rows of a sub-step's crossings that name event functions other than their own, held against the
 * path: while a guard is armed and not crossed, between two namings, before the first, or after the
 * last, it has to be below zero; and a guard that was armed ahead has to lie ahead there. Crossings
 * were made by times foreseen without jumps, and the list knows guards as they were armed at the
 * node: rows that meet within a sub-step may have made it wrong (docs/METHOD.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "quartic.h"
#include "substep.h"

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
 * between which no jump is made */
static void piece_of(const ess_driver *d, size_t k, const ess_smooth *p, const ess_made made[],
                     double side, double begin, double end, double b[QUARTIC]) {
  const double o = begin - p->from, length = end - begin;
  double slope, rate;
  const double *const a = p->a;
  const double shift = ess_shift(d, k, made, begin, &rate);
  slope = ess_powers_slope(a, o) + rate;
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
static bool is_below(const ess_driver *d, size_t k, const ess_smooth *p, const ess_made made[],
                     double side, double begin, double end, double b[QUARTIC]) {
  piece_of(d, k, p, made, side, begin, end, b);
  if (b[0] < 0.0) return ess_quartic_upcrossing(b) > 1.0;
  for (int i = 1; i < QUARTIC; i++)
    if (!(b[i] <= b[i - 1])) return false;
  return true;
}

/* the same over a spell, from crossing to crossing; at its end it is below */
static bool stays_below(const ess_driver *d, size_t k, const ess_smooth *p, const spell *s) {
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

/* event function k at a time, with the jumps made until then */
static double value_at(const ess_driver *d, size_t k, const ess_smooth *p, double u) {
  ess_made made[ESS_GROUPS];
  double rate;
  ess_sum_made(d, u, made);
  return ess_powers_value(p->a, u - p->from) + ess_shift(d, k, made, u, &rate);
}

/* whether a row that arms what lies ahead has found the side that the path is on */
static bool lies_ahead(const ess_driver *d, size_t k, const ess_smooth *p, const spell *s) {
  if (!s->by || s->by->effect != ESS_ARM_AHEAD) return true;
  return s->sign * value_at(d, k, p, s->begin) >= p->doubt - slight_of(d, k);
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

static bool is_right(const ess_driver *d, size_t k, const ess_smooth *p, const spell *s) {
  const bool is_begun = s->by && s->by->effect != 0;
  if (!lies_ahead(d, k, p, s)) return false;
  // own crossings are timed
  if (s->side == 0.0 || (s->is_last ? !is_begun : !s->is_ended)) return true;
  if (s->is_last && ess_is_silent(d, k) && ess_row_arms_none(d, k)) return can_wait(d, k, s);
  return stays_below(d, k, p, s);
}

bool ess_agrees_with_rows(ess_driver *d, size_t k, const ess_smooth *p) {
  ess_cluster *const c = &d->cluster;
  spell s = {.end = c->length, .sign = d->sign[k], .side = d->side[k], .is_last = true};
  for (size_t n = c->last_noted[k];; n = s.by->before) {
    s.by = n == ESS_NONE ? NULL : &c->noted[n];
    s.begin = s.by ? ess_clamp(c->time[s.by->by], p->from, c->length) : p->from;
    if (!is_right(d, k, p, &s)) {
      // however short, the guard is armed in it and crossed in it
      c->is_hopeless = c->is_hopeless || (s.by && s.by->effect != 0);
      return false;
    }
    if (!s.by) return true;
    s = (spell){.end = s.begin,
                .sign = s.by->sign,
                .side = s.by->side,
                .by = s.by,
                .is_ended = s.by->effect != 0};
  }
}

/* whether event function k is so far from zero that whatever is armed on its side stays below */
static bool is_far(const ess_driver *d, size_t k) {
  const ess_cluster *const c = &d->cluster;
  if (!c->has_ways[k / ESS_BLOCK] || !(fabs(d->h[k]) > c->way[k] + c->shift)) return false;
  bool below = !(d->side[k] * d->h[k] > 0.0);
  for (size_t n = c->last_noted[k]; below && n != ESS_NONE; n = c->noted[n].before)
    below = !(c->noted[n].side * d->h[k] > 0.0) && c->noted[n].effect != ESS_ARM_AHEAD;
  return below;
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

bool ess_rows_agree(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  for (size_t i = 0; i < c->passed_count; i++)
    if (!can_pass(d, c->passed[i])) return false;
  for (size_t n = 0; n < c->noted_count; n++) {
    const size_t k = c->noted[n].guard;
    // each once, by the last that names it; those that are curved are watched by themselves
    if (c->noted[n].effect == 0 || c->is_curved[k] || is_far(d, k)) continue;
    ess_smooth course = {0};
    course.a[0] = d->h[k];
    course.a[1] = d->rate[k];
    course.a[2] = c->square[k];
    course.a[3] = c->cubic[k];
    course.a[4] = c->quartic[k];
    if (!ess_agrees_with_rows(d, k, &course)) return false;
  }
  return true;
}

/*
 * Rates of event functions by differences: central ones over two lengths, extrapolated. Nobody
 * knows how curved event functions are, or how large the numbers that they are made of: lengths
 * are tried until two agree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"

int ess_caller_guards(const ess_driver *d, double t, const double x[], double h[]) {
  const ess_system *const s = &d->caller.system;
  const ess_watched *const w = &d->watched;
  const int code = w->first ? s->guards(t, x, h, s->params) : 0;
  return code || !w->count ? code : s->watch.values(t, x, h + w->first, s->params);
}

/* the first length moves no state by more than this part of what it is large beside, nor time by
 * more than this part of a step */
static const double FIRST = 0x1p-13, FIRST_OF_STEP = 0x1p-6, PART_LEFT = 1e-3;

/* two differences agree to this part, most of which is a bend that extrapolation takes away, and
 * noise is this part of them at most; what changes by less than so many roundings has not changed
 */
static const double AGREES = 1e-6, EVEN = 1e-9, ROUNDING = 4.0, FAR = 1e3;

/* the second is over this part of the first's length: the golden ratio, since changes by a few
 * roundings are whole numbers, which agree over half the length, wrong as they are; and by how much
 * of what they differ by the second is still off */
static const double SHORTER = 0.6180339887498949, REST = 0.6180339887498949;

/* others, sixteen times shorter or longer each, in the order in which they are tried: where
 * differences are off by rounding alone shorter ones say less, and one longer says enough */
static const int POWERS[] = {0, -4, 4, -8, 8, -12, 12, -16, 16, -20, 20, 24, 28, 32};
enum { TRIES = sizeof POWERS / sizeof *POWERS };

/* one rate that is sought */
typedef struct along {
  ess_driver *d;
  double t, vt;
  const double *x, *v, *h;
} along;

/* the length that moves the first, or the last, of what moves by one of its own size */
static void find_lengths(const along *a, double *least, double *most) {
  const ess_driver *const d = a->d;
  *least = INFINITY;
  *most = 0.0;
  for (size_t i = 0; i < d->caller.system.dimension; i++) {
    const double speed = fabs(a->v[i]);
    if (speed == 0.0) continue;
    const double near = ess_absolute_below(d, i);
    const double size = ess_larger(fabs(a->x[i]), near > 0.0 ? near : DBL_MIN);
    *least = ess_smaller(*least, FIRST * size / speed);
    *most = ess_larger(*most, FIRST * size / speed);
  }
  if (a->vt == 0.0) return;
  // a step may be short for what has just been crossed: time is not
  const double left = d->t_end - d->t, whole = left > 0.0 ? PART_LEFT * left : 1e-2;
  const double step = d->dt > 0.0 ? d->dt : 10.0 * whole;
  *least = ess_smaller(*least, FIRST_OF_STEP * step / fabs(a->vt));
  *most = ess_larger(*most, FIRST_OF_STEP * ess_larger(step, whole) / fabs(a->vt));
}

/* event functions either side, and how far apart these are; 0 where they cannot be told, which far
 * from the state is no failure */
static double look(const along *a, double length) {
  ess_driver *const d = a->d;
  ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension;
  const double after = a->t + length * a->vt, before = a->t - length * a->vt;
  for (size_t i = 0; i < n; i++) c->beside[i] = a->x[i] + length * a->v[i];
  d->counters.guard_evaluations += 2;
  if (ess_caller_guards(d, after, c->beside, c->above)) return 0.0;
  for (size_t i = 0; i < n; i++) c->beside[i] = a->x[i] - length * a->v[i];
  if (ess_caller_guards(d, before, c->beside, c->below)) return 0.0;
  return 2.0 * length;
}

/* One more estimate of event function k's rate, which may be off by so much, and agrees with
 * another or not: the one that may be off by the least counts, unless it is off by more than the
 * one before says, as differences over too long a way are, which may be small however large rates
 * are. Two that agree may be so, too, far beyond a bend; and the one before may be off by more than
 * it says, as few roundings are, which are whole numbers. */
static void note_rate(ess_caller *c, size_t k, double rate, double off, bool agrees) {
  const double said = c->off[k] == INFINITY ? INFINITY : 2.0 * (off + c->off[k]);
  const double apart = fabs(rate - c->best[k]);
  if (agrees ? apart <= FAR * said : off < c->off[k] && apart <= said) {
    c->best[k] = rate;
    c->off[k] = agrees ? 0.0 : off;
  }
}

int ess_slope_find_roundings(ess_driver *d) {
  return d->caller.differs ? ess_rounding_errors(d, d->caller.rounding) : ESS_SUCCESS;
}

/* One more pair of differences, over a length that has been looked at and one beside it; whether
 * each event function's agree, of this pair or another. *rounded where those that do not are off by
 * rounding alone, how large that is being known only where the state slides. */
static bool compare(const along *a, double length, double apart, bool *rounded) {
  ess_caller *const c = &a->d->caller;
  const size_t m = c->system.guard_count;
  bool agree = true;
  *rounded = ess_is_sliding(a->d);
  for (size_t k = 0; k < m; k++) {
    c->rate[k] = apart > 0.0 ? (c->above[k] - c->below[k]) / apart : NAN;
    c->bent[k] = (c->above[k] - a->h[k]) + (c->below[k] - a->h[k]);
  }
  apart = look(a, SHORTER * length);
  for (size_t k = 0; k < m; k++) {
    const double near = apart > 0.0 ? (c->above[k] - c->below[k]) / apart : NAN;
    const double all = fabs(c->above[k]) + fabs(c->below[k]) + fabs(a->h[k]);
    const double noise = ROUNDING * DBL_EPSILON * all / apart;
    const double size = ess_larger(fabs(near), fabs(c->rate[k])), differ = fabs(near - c->rate[k]);
    // it changes over some length: a change that is nothing may have been lost in rounding
    const bool is_still = c->above[k] == a->h[k] && c->below[k] == a->h[k] && c->rate[k] == 0.0;
    // by what event functions are bent they change as the square of the length: all else is noise
    const double bent = (c->above[k] - a->h[k]) + (c->below[k] - a->h[k]);
    const double uneven = fabs(bent - SHORTER * SHORTER * c->bent[k]) / apart;
    const bool agrees =
        size > noise && differ + 1e-3 * noise <= AGREES * size && uneven <= EVEN * size;
    if (c->off[k] > 0.0 && isfinite(differ) && !is_still)
      note_rate(c, k, near + REST * (near - c->rate[k]), differ + noise + uneven, agrees);
    const bool is_rounded = (differ + uneven) * apart < ROUNDING * c->rounding[k];
    agree = agree && c->off[k] == 0.0;
    *rounded = *rounded && (c->off[k] == 0.0 || is_rounded);
  }
  return agree;
}

/* looks over a length; how many event functions change there, or may, in addition to those known */
static size_t find_changes(const along *a, double length, double *apart) {
  ess_caller *const c = &a->d->caller;
  size_t count = 0;
  *apart = look(a, length);
  for (size_t k = 0; k < c->system.guard_count; k++) {
    if (c->off[k] > 0.0 || (*apart > 0.0 && c->above[k] == a->h[k] && c->below[k] == a->h[k]))
      continue;
    c->off[k] = INFINITY;
    count++;
  }
  return count;
}

/* event functions that do not change at all, over the least of lengths, or the most, or one between
 * these, have no rate; whether there are others. The least has then been looked at. */
static bool find_moving(const along *a, double least, double most, double *apart) {
  ess_caller *const c = &a->d->caller;
  const size_t m = c->system.guard_count;
  for (size_t k = 0; k < m; k++) {
    c->best[k] = isfinite(a->h[k]) ? 0.0 : NAN;
    c->off[k] = 0.0;
  }
  size_t moving = find_changes(a, least, apart);
  if (moving == m || least == most) return moving > 0;
  moving += find_changes(a, sqrt(least) * sqrt(most), apart);
  moving += find_changes(a, most, apart);
  *apart = look(a, least);
  return moving > 0;
}

int ess_slope(ess_driver *d, double t, const double x[], double vt, const double v[],
              const double h[], double rate[]) {
  const ess_caller *const c = &d->caller;
  const size_t m = c->system.guard_count;
  const along a = {.d = d, .t = t, .vt = vt, .x = x, .v = v, .h = h};
  double least, most, apart;
  find_lengths(&a, &least, &most);
  memset(rate, 0, m * sizeof *rate);
  if (!(most > 0.0) || !find_moving(&a, least, most, &apart)) return 0;
  bool rounded, agree = compare(&a, least, apart, &rounded), shorter = !rounded;
  for (int i = 1; i < TRIES && !agree; i++) {
    const double length = ldexp(least, POWERS[i]);
    if (POWERS[i] < 0 ? !shorter : length > 16.0 * most) continue;
    agree = compare(&a, length, look(&a, length), &rounded);
    if (!shorter && POWERS[i] > 0) break;
    shorter = shorter && !rounded;
  }
  memcpy(rate, c->best, m * sizeof *rate);
  return 0;
}

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
#include "slides.h"

int ess_watch_values(ess_driver *d, double t, const double x[], double h[]) {
  const ess_system *const s = &d->caller.system;
  d->counters.watch_evaluations++;
  return s->watch.values(t, x, h + d->watched.first, s->params);
}

int ess_caller_events(ess_driver *d, double t, const double x[], double h[]) {
  const ess_system *const s = &d->caller.system;
  const int code = d->watched.first ? s->event_functions(t, x, h, s->params) : 0;
  return code || !d->watched.count ? code : ess_watch_values(d, t, x, h);
}

int ess_sought_guards(ess_driver *d, double t, const double x[], const ess_sought *sought,
                      double h[]) {
  const ess_system *const s = &d->caller.system;
  if (!sought) return ess_caller_events(d, t, x, h);
  if (sought->which[0] >= d->watched.first) return ess_watch_values(d, t, x, h);
  return s->event_functions(t, x, h, s->params);
}

/* the first length moves no state by more than this part of what it is large beside, nor time by
 * more than this part of a step */
static const double FIRST_OF_STATE = 0x1p-13, FIRST_OF_STEP = 0x1p-6, PART_LEFT = 1e-3;

/* Two differences agree to ESS_SAME, most of which is a bend that extrapolation takes away; their
 * noise is ESS_NEGLIGIBLE. The second is over the golden ratio of the first's length, since changes
 * by a few roundings are whole numbers, which agree over half the length, wrong as they are; it is
 * also the part of their difference by which the second is still off. FAR_OFF: errors beyond which
 * two that agree are far beyond a bend. */
static const double FAR_OFF = 1e3;

/* others, sixteen times shorter or longer each, in the order in which they are tried. While the
 * state slides the rate of what is held is nothing, made of terms that cancel, and its differences
 * are off by rounding: shorter ones say less, and one longer says enough. Along the field that one
 * comes first. */
static const int POWERS[] = {0, -4, 4, -8, 8, -12, 12, -16, 16, -20, 20, 24, 28, 32};
static const int POWERS_HELD[] = {4, 0, -4, 8, -8, 12, -12, 16, -16, 20, -20, 24, 28, 32};
static const int POWERS_SLIDING[] = {0, 4, -4, 8, -8, 12, -12, 16, -16, 20, -20, 24, 28, 32};
enum { LENGTHS = sizeof POWERS / sizeof *POWERS };

/* rates that are sought */
typedef struct along {
  ess_driver *d;
  double t, vt;
  const double *x, *v, *h;
  const ess_sought *sought; /* NULL: all */
  size_t count;
  bool is_own; /* the caller's event functions are evaluated */
} along;

static size_t event_of(const along *a, size_t i) {
  return a->sought ? a->sought->which[i] : i;
}

/* Lengths that move the first, or the last, of what moves by one of its own size. Where nobody says
 * that event functions depend on time, states alone say that: *later is what time says, or 0. */
static void find_lengths(const along *a, double *least, double *most, double *later) {
  const ess_driver *const d = a->d;
  *least = INFINITY;
  *most = *later = 0.0;
  for (size_t i = 0; i < d->caller.system.dimension; i++) {
    const double speed = fabs(a->v[i]);
    if (speed == 0.0) continue;
    const double near = ess_absolute_below(d, i);
    const double size = ess_larger(fabs(a->x[i]), near > 0.0 ? near : DBL_MIN);
    *least = ess_smaller(*least, FIRST_OF_STATE * size / speed);
    *most = ess_larger(*most, FIRST_OF_STATE * size / speed);
  }
  if (a->vt == 0.0) return;
  // a step may be short for what has just been crossed: time is not
  const double left = d->apply.t_end - d->t, whole = left > 0.0 ? PART_LEFT * left : 1e-2;
  const double step = d->dt > 0.0 ? d->dt : 10.0 * whole;
  const double longest = FIRST_OF_STEP * ess_larger(step, whole) / fabs(a->vt);
  const bool is_told = d->caller.system.time_dependence != ESS_TIME_NONE || d->watched.count;
  if (!is_told && *most > 0.0) {
    *later = longest;
    return;
  }
  *least = ess_smaller(*least, FIRST_OF_STEP * step / fabs(a->vt));
  *most = ess_larger(*most, longest);
}

/* event functions either side, and how far apart these are; 0 where they cannot be told, which far
 * from the state is no failure */
static double look(const along *a, double length) {
  ess_driver *const d = a->d;
  ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension;
  const double after = a->t + length * a->vt, before = a->t - length * a->vt;
  for (size_t i = 0; i < n; i++) c->beside[i] = a->x[i] + length * a->v[i];
  d->counters.event_evaluations += a->is_own;
  if (ess_sought_guards(d, after, c->beside, a->sought, c->above)) return 0.0;
  for (size_t i = 0; i < n; i++) c->beside[i] = a->x[i] - length * a->v[i];
  d->counters.event_evaluations += a->is_own;
  if (ess_sought_guards(d, before, c->beside, a->sought, c->below)) return 0.0;
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
  if (agrees ? apart <= FAR_OFF * said : off < c->off[k] && apart <= said) {
    c->best[k] = rate;
    c->off[k] = agrees ? 0.0 : off;
  }
}

/* whether these are rates of what a slide holds, along the field */
static bool is_held(const ess_driver *d, const ess_sought *sought) {
  return d->caller.rates == ESS_RATES_BY_DIFFERENCES && ess_is_sliding(d) && sought &&
         sought->by_field;
}

void ess_slope_forget(ess_driver *d) {
  const size_t bytes = d->caller.system.event_count * sizeof *d->caller.terms;
  if (!d->caller.terms) return;
  memset(d->caller.rounding, 0, bytes);
  memset(d->caller.terms, 0, bytes);
}

int ess_slope_weigh(ess_driver *d) {
  const int status = ess_rounding_errors(d, d->caller.rounding);
  return status ? status : ess_weigh_terms(d, d->f, d->caller.terms);
}

/* Whether while the state slides two differences of event function k differ by rounding alone; or,
 * of what is held, by a bend of its terms, which extrapolation takes away. */
static bool is_enough(const along *a, size_t k, double differ, double uneven, double apart) {
  const ess_caller *const c = &a->d->caller;
  if (c->rates != ESS_RATES_BY_DIFFERENCES || !ess_is_sliding(a->d)) return false;
  const bool is_bend = is_held(a->d, a->sought) && differ <= ESS_SAME * c->terms[k];
  return uneven + (is_bend ? 0.0 : differ) < ESS_MARGIN * c->rounding[k] / apart;
}

/* One more pair of differences, over a length that has been looked at and one beside it; whether
 * each event function's agree, of this pair or another, or are good enough. */
static bool compare(const along *a, double length, double apart, bool is_long) {
  ess_caller *const c = &a->d->caller;
  const bool is_weighed = ess_is_sliding_by_differences(a->d);
  bool enough = true;
  for (size_t i = 0; i < a->count; i++) {
    const size_t k = event_of(a, i);
    c->rate[k] = apart > 0.0 ? (c->above[k] - c->below[k]) / apart : NAN;
    c->bent[k] = (c->above[k] - a->h[k]) + (c->below[k] - a->h[k]);
  }
  apart = look(a, ESS_GOLDEN * length);
  for (size_t i = 0; i < a->count; i++) {
    const size_t k = event_of(a, i);
    const double near = apart > 0.0 ? (c->above[k] - c->below[k]) / apart : NAN;
    const double all = fabs(c->above[k]) + fabs(c->below[k]) + fabs(a->h[k]);
    const double rounding = is_weighed ? c->rounding[k] : 0.0;
    const double terms = is_weighed ? c->terms[k] : 0.0;
    const double noise = ess_larger(ESS_MARGIN * DBL_EPSILON * all, rounding) / apart;
    const double size = ess_larger(fabs(near), fabs(c->rate[k])), differ = fabs(near - c->rate[k]);
    // it changes over some length: a change that is nothing may have been lost in rounding
    const bool is_still = c->above[k] == a->h[k] && c->below[k] == a->h[k] && c->rate[k] == 0.0;
    // by what event functions are bent they change as the square of the length: all else is noise
    const double bent = (c->above[k] - a->h[k]) + (c->below[k] - a->h[k]);
    const double uneven = fabs(bent - ESS_GOLDEN * ESS_GOLDEN * c->bent[k]) / apart;
    const bool agrees = size > noise && differ + 1e-3 * noise <= ESS_SAME * size &&
                        uneven <= ESS_NEGLIGIBLE * size &&
                        rounding <= ESS_NEGLIGIBLE * ess_larger(size, terms) * apart;
    if (c->off[k] > 0.0 && isfinite(differ) && !is_still)
      note_rate(c, k, near + ESS_GOLDEN * (near - c->rate[k]), differ + noise + uneven, agrees);
    enough = enough && (c->off[k] == 0.0 || (is_long && is_enough(a, k, differ, uneven, apart)));
  }
  return enough;
}

/* looks over a length; how many event functions change there, or may, in addition to those known */
static size_t find_changes(const along *a, double length, double *apart) {
  ess_caller *const c = &a->d->caller;
  size_t count = 0;
  *apart = look(a, length);
  for (size_t i = 0; i < a->count; i++) {
    const size_t k = event_of(a, i);
    if (c->off[k] > 0.0 || (*apart > 0.0 && c->above[k] == a->h[k] && c->below[k] == a->h[k]))
      continue;
    c->off[k] = INFINITY;
    count++;
  }
  return count;
}

/* event functions that do not change at all, over the first of lengths, or the most, or one between
 * these, or the later one, which is then the most, have no rate; whether there are others. The
 * first has then been looked at. */
static bool find_moving(const along *a, double first, double *most, double later, double *apart) {
  ess_caller *const c = &a->d->caller;
  for (size_t i = 0; i < a->count; i++) {
    const size_t k = event_of(a, i);
    c->best[k] = isfinite(a->h[k]) ? 0.0 : NAN;
    c->off[k] = 0.0;
  }
  size_t moving = find_changes(a, first, apart);
  if (moving == a->count || (first == *most && later <= *most)) return moving > 0;
  if (first != *most) {
    moving += find_changes(a, sqrt(first) * sqrt(*most), apart);
    moving += find_changes(a, *most, apart);
  }
  if (moving < a->count && later > *most) {
    along by_time = *a; // states stay, whose bends would be taken for changes
    memset(c->after, 0, c->system.dimension * sizeof *c->after);
    by_time.v = c->after;
    const size_t more = find_changes(&by_time, later, apart);
    if (more) *most = later;
    moving += more;
  }
  if (moving) *apart = look(a, first);
  return moving > 0;
}

int ess_slope(ess_driver *d, double t, const double x[], double vt, const double v[],
              const double h[], const ess_sought *sought, double rate[]) {
  const ess_caller *const c = &d->caller;
  const size_t m = c->system.event_count;
  const int *const powers = is_held(d, sought) ? POWERS_HELD
                            : d->caller.rates == ESS_RATES_BY_DIFFERENCES && ess_is_sliding(d)
                                ? POWERS_SLIDING
                                : POWERS;
  const along a = {.d = d,
                   .t = t,
                   .vt = vt,
                   .x = x,
                   .v = v,
                   .h = h,
                   .sought = sought,
                   .count = sought ? sought->count : m,
                   .is_own = !sought || sought->which[0] < d->watched.first};
  double least, most, later, apart;
  find_lengths(&a, &least, &most, &later);
  memset(rate, 0, m * sizeof *rate);
  const double first = ldexp(least, powers[0]);
  if (!(most > 0.0) || !find_moving(&a, first, &most, later, &apart)) return 0;
  bool enough = compare(&a, first, apart, powers[0] > 0);
  for (int i = 1; i < LENGTHS && !enough; i++) {
    const double length = ldexp(least, powers[i]);
    if (length <= 16.0 * most) enough = compare(&a, length, look(&a, length), true);
  }
  for (size_t i = 0; i < a.count; i++) rate[event_of(&a, i)] = c->best[event_of(&a, i)];
  return 0;
}

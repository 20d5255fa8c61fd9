/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event location: dopri5 with every crossing located on the dense output to round-off by a
 * bracketing root finder, and the integration resumed there in the next mode. No projection.
 *
 * No crossing is missed because signs agree at both ends of a step: a guard's cubic Hermite
 * interpolant, through its values and rates at both ends, is bounded by its Bernstein coefficients.
 * A guard that rises and falls again, and may reach its zero by that bound (or by less than a
 * sixteenth of its range beyond), is looked at at its peak, the root of its rate on the dense
 * output. Any other shape that may hide a crossing halves the step. One pass that vectorises over
 * the guards dismisses those that are below zero all along. */
#include <float.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "bracket.h"
#include "dense_dopri5.h"
#include "mode.h"

static const char *const variants[] = {"chandrupatla", "brent", NULL};

/* share of its range by which a guard's interpolant may fall short of its peak */
static const double margin = 1.0 / 16;

/* after so many halvings in a row what is left to see is below the resolution of anything */
enum { MOST_HALVINGS = 30 };

static const uint64_t most_steps = 50000000;

typedef struct location {
  latched_mode mode;
  dense_dopri5 stepper;
  gsl_root_fsolver *brent; /* NULL: Chandrupatla's */
  double *h_try, *rate_try;
  double end; /* share of the latest step that is looked at: h_end and rate_end are those there */
  bool ends_on_guard; /* the latest step ends at a guard's zero, on its way across */
  int halvings;
  size_t written; /* outputs */
} location;

/* ---- one guard along the latest step --------------------------------------------------------- */

/* of numbers, without the care for NaN that makes fmin and fmax calls */
static inline double least(double a, double b) {
  return a < b ? a : b;
}

static inline double greatest(double a, double b) {
  return a > b ? a : b;
}

/* g and its slope, by the share of what is looked at, at both ends; g is 0 at the start for a guard
 * that leaves there, and `noise` what rounding has left it across by */
typedef struct course {
  double g0, g1, slope0, slope1, noise;
} course;

static inline course course_of(const location *l, size_t k) {
  const latched_mode *const mode = &l->mode;
  const double side = -mode->sign[k], h = l->end * l->stepper.h, g = side * mode->h[k];
  return (course){least(g, 0.0), side * mode->h_end[k], h * side * mode->rate[k],
                  h * side * mode->rate_end[k], greatest(g, 0.0)};
}

/* what a course says of its guard */
typedef enum verdict { CLEAR, CROSSED, PEAK, UNSURE } verdict;

static inline verdict judge(course c) {
  const double b1 = c.g0 + c.slope0 / 3.0, b2 = c.g1 - c.slope1 / 3.0;
  const double high = greatest(b1, b2);
  if (c.g1 > 0.0) {
    // noise where it leaves, or there and back again, or across, back and across
    if (c.g0 == 0.0 && c.slope0 <= 0.0) return c.slope1 <= 0.0 && c.g1 <= c.noise ? CLEAR : UNSURE;
    return b1 > 0.0 && b2 < 0.0 ? UNSURE : CROSSED;
  }
  if (c.slope0 > 0.0 && c.slope1 < 0.0)
    return high + margin * (high - least(c.g0, c.g1)) > 0.0 ? PEAK : CLEAR;
  return high > 0.0 ? UNSURE : CLEAR;
}

/* whether any guard needs to be judged; no branch per guard, so that it vectorises */
static bool any_suspect(const location *l) {
  const latched_mode *const mode = &l->mode;
  const double *restrict const sign = mode->sign;
  const double *restrict const h0 = mode->h, *restrict const r0 = mode->rate;
  const double *restrict const h1 = mode->h_end, *restrict const r1 = mode->rate_end;
  const double third = l->end * l->stepper.h / 3.0;
  int64_t suspect = 0;
  for (size_t k = 0; k < mode->m->system.event_count; k++) {
    const double g0 = -sign[k] * h0[k], g1 = -sign[k] * h1[k];
    const double start = g0 < 0.0 ? g0 : 0.0, low = start < g1 ? start : g1;
    const double b1 = start - third * sign[k] * r0[k], b2 = g1 + third * sign[k] * r1[k];
    const double high = b1 > b2 ? b1 : b2;
    const double bound = (b1 > start && b2 > g1) ? high + margin * (high - low) : high;
    suspect |= !((g1 > bound ? g1 : bound) < 0.0);
  }
  return suspect;
}

/* where the guard is likely to be crossed, by one end's tangent or the chord */
static inline double likely(course c) {
  const double tangent = c.slope0 > 0.0 ? -c.g0 / c.slope0 : 1.0;
  return least(tangent, c.g0 / (c.g0 - c.g1));
}

/* root of the cubic interpolant of a guard that is across at the end, by Newton's method */
static double interpolated_root(course c) {
  double lo = 0.0, hi = 1.0, at = likely(c);
  const double bend = -3.0 * c.g0 + 3.0 * c.g1 - 2.0 * c.slope0 - c.slope1;
  const double twist = 2.0 * c.g0 - 2.0 * c.g1 + c.slope0 + c.slope1;
  for (int i = 0; i < 8; i++) {
    const double g = c.g0 + at * (c.slope0 + at * (bend + at * twist));
    const double slope = c.slope0 + at * (2.0 * bend + 3.0 * at * twist);
    if (g < 0.0)
      lo = at;
    else
      hi = at;
    const double newton = at - g / slope;
    const double next = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
    if (fabs(next - at) < 1e-9) return next;
    at = next;
  }
  return at;
}

/* ---- location -------------------------------------------------------------------------------- */

/* a guard, or its rate, along the latest step, as a root finder sees it */
typedef struct along {
  location *l;
  size_t k;
  double side; /* -1 or +1: what it is multiplied by */
} along;

static double time_at(const dense_dopri5 *s, double theta) {
  return s->t + theta * s->h;
}

static double guard_along(double theta, void *params) {
  const along *const a = params;
  double x[DENSE_DOPRI5_ROOM];
  dense_dopri5_at(&a->l->stepper, theta, x);
  return mode_guards(&a->l->mode, time_at(&a->l->stepper, theta), x, a->l->h_try)
             ? NAN
             : a->side * a->l->h_try[a->k];
}

static double rate_along(double theta, void *params) {
  const along *const a = params;
  double x[DENSE_DOPRI5_ROOM], v[DENSE_DOPRI5_ROOM];
  dense_dopri5_at(&a->l->stepper, theta, x);
  dense_dopri5_rate_at(&a->l->stepper, theta, v);
  const double t = time_at(&a->l->stepper, theta);
  if (mode_rates(&a->l->mode, t, x, v, a->l->h_try, a->l->rate_try)) return NAN;
  return a->side * a->l->rate_try[a->k];
}

/* resolution of time, as a share of the step */
static double resolution(const location *l) {
  const dense_dopri5 *const s = &l->stepper;
  return fmax(DBL_EPSILON * fmax(fabs(s->t), s->h) / s->h, DBL_EPSILON);
}

static int narrow(location *l, bracket *b, bracket_function f, along *a) {
  const double width = resolution(l);
  return l->brent ? bracket_brent(b, f, a, width, l->brent) : bracket_chandrupatla(b, f, a, width);
}

/* draws in one end of the bracket to `at`, if that is inside */
static int probe(bracket *b, double at, bracket_function f, along *a) {
  if (!(at > b->lo && at < b->hi)) return 0;
  const double value = f(at, a);
  if (isnan(value)) return -1;
  bracket_take(b, at, value);
  return 0;
}

/* ---- the earliest crossing of a step --------------------------------------------------------- */

/* how many guards are across, or leave, by the values of event functions somewhere; vectorises */
static int64_t count_across(const location *l, const double across[]) {
  const double *restrict const sign = l->mode.sign, *restrict const h = across;
  int64_t count = 0;
  for (size_t k = 0; k < l->mode.m->system.event_count; k++) count += sign[k] * h[k] < 0.0;
  return count;
}

/* of the guards that are across at some point, by the values there, but were not at the start, the
 * one likely to be first; event_count when there is none besides the one named */
static size_t likely_first(const location *l, const double across[], size_t besides) {
  const latched_mode *const mode = &l->mode;
  const size_t m = mode->m->system.event_count;
  const bool itself = besides < m && mode_gap(mode, besides, across[besides]) > 0.0;
  size_t first = m;
  double earliest = INFINITY;
  if (count_across(l, across) == itself) return m;
  for (size_t k = 0; k < m; k++) {
    const double g1 = -mode->sign[k] * across[k], g0 = -mode->sign[k] * mode->h[k];
    if (!(g1 > 0.0) || k == besides || !mode_armed(mode, k) || !(g0 < 0.0)) continue;
    const double when = likely(course_of(l, k));
    if (when < earliest || first == m) first = k;
    earliest = least(earliest, when);
  }
  return first;
}

/* the bracket of guard k from the step's start to `end`, where its event function is h_end */
static bracket bracket_of(const location *l, size_t k, double end, double h_end) {
  const double side = -l->mode.sign[k];
  return (bracket){0.0, end, side * l->mode.h[k], side * h_end};
}

/*
 * Narrows b around the crossing of *k, or of a guard found to be earlier, to round-off. The first
 * look is at the interpolant's root: guards that are across there come first. The second is twice
 * Newton's step away, which is most often on the other side of the root.
 */
static int locate_first(location *l, size_t *k, bracket *b) {
  const size_t m = l->mode.m->system.event_count;
  for (;;) {
    const course c = course_of(l, *k);
    along a = {l, *k, -l->mode.sign[*k]};
    double share = c.g1 > 0.0 ? interpolated_root(c) : 0.5 * b->hi / l->end;
    const double guess = share * l->end;
    if (guess > b->lo && guess < b->hi) {
      if (probe(b, guess, guard_along, &a)) return -1;
      const size_t earlier = likely_first(l, l->h_try, *k);
      if (earlier < m) {
        *k = earlier;
        *b = bracket_of(l, earlier, guess, l->h_try[earlier]);
        continue;
      }
      const double slope = (c.slope0 + share * (c.slope1 - c.slope0)) / l->end;
      const double value = b->lo == guess ? b->f_lo : b->f_hi;
      const double step = fmax(fabs(2.0 * value / slope), resolution(l));
      if (probe(b, guess + (value < 0.0 ? step : -step), guard_along, &a)) return -1;
    }
    if (narrow(l, b, guard_along, &a)) return -1;

    // a guard that is across where this one is not yet, is earlier
    if (!(b->lo > 0.0) || isnan(guard_along(b->lo, &a))) return 0;
    const size_t earlier = likely_first(l, l->h_try, *k);
    if (earlier == m) return 0;
    *k = earlier;
    *b = bracket_of(l, earlier, b->lo, l->h_try[earlier]);
  }
}

/* what the latest step turned out to be */
typedef enum outcome { STEP_CLEAR, STEP_CROSSES, STEP_UNSURE, STEP_FAILED } outcome;

/* guards that touch and leave before l->end, given that one crosses there or (STEP_CLEAR) none */
static outcome look_at_peaks(location *l, outcome found, size_t *guard, bracket *b) {
  const latched_mode *const mode = &l->mode;
  for (size_t k = 0; k < mode->m->system.event_count; k++) {
    const course c = course_of(l, k);
    if (!mode_armed(mode, k) || judge(c) != PEAK) continue;

    // the peak is where the rate, which falls, is 0
    along a = {l, k, mode->sign[k]};
    const double h = l->end * l->stepper.h;
    bracket top = {0.0, l->end, -c.slope0 / h, -c.slope1 / h};
    if (narrow(l, &top, rate_along, &a)) return STEP_FAILED;
    a.side = -mode->sign[k];
    const double value = guard_along(top.hi, &a);
    if (isnan(value)) return STEP_FAILED;
    if (!(value > 0.0) || (found == STEP_CROSSES && top.hi >= b->hi)) continue;
    *guard = k;
    *b = bracket_of(l, k, top.hi, l->h_try[k]);
    if (locate_first(l, guard, b)) return STEP_FAILED;
    found = STEP_CROSSES;
  }
  return found;
}

/* looks no further than the crossing at theta */
static int shorten(location *l, double theta) {
  latched_mode *const mode = &l->mode;
  double x[DENSE_DOPRI5_ROOM], v[DENSE_DOPRI5_ROOM];
  dense_dopri5_at(&l->stepper, theta, x);
  dense_dopri5_rate_at(&l->stepper, theta, v);
  l->end = theta;
  return mode_rates(mode, time_at(&l->stepper, theta), x, v, mode->h_end, mode->rate_end);
}

/* the first crossing of the latest step, if it has any: guard, and the bracket of its time */
static outcome look(location *l, size_t *guard, bracket *b) {
  const latched_mode *const mode = &l->mode;
  const size_t m = mode->m->system.event_count;
  l->end = 1.0;
  l->ends_on_guard = false;
  if (!any_suspect(l)) return STEP_CLEAR;
  outcome found = STEP_CLEAR;
  bool peaks = false;
  for (size_t k = 0; k < m; k++) {
    const course c = course_of(l, k);
    const verdict v = mode_armed(mode, k) ? judge(c) : CLEAR;
    l->ends_on_guard = l->ends_on_guard || (c.g1 == 0.0 && c.slope1 > 0.0);
    if (v == UNSURE && l->halvings < MOST_HALVINGS) return STEP_UNSURE;
    peaks = peaks || v == PEAK;
  }
  *guard = likely_first(l, mode->h_end, m);
  if (*guard < m) {
    *b = bracket_of(l, *guard, 1.0, mode->h_end[*guard]);
    if (locate_first(l, guard, b)) return STEP_FAILED;
    found = STEP_CROSSES;
    if (peaks && shorten(l, b->hi)) return STEP_FAILED;
  }
  return peaks ? look_at_peaks(l, found, guard, b) : found;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int field(double t, const double x[], double dxdt[], void *params) {
  return mode_field(params, t, x, dxdt);
}

/* a guard that is at its zero or across, and goes on; event_count when there is none */
static size_t crossing_at_start(const location *l) {
  const latched_mode *const mode = &l->mode;
  const size_t m = mode->m->system.event_count;
  for (size_t k = 0; k < m; k++) {
    const double g = -mode->sign[k] * mode->h[k], slope = -mode->sign[k] * mode->rate[k];
    if (g >= 0.0 && slope > 0.0 && mode_armed(mode, k)) return k;
  }
  return m;
}

/* event functions and rates where the next step starts, once all crossings there are made */
static int begin_step(location *l, solver_report *report) {
  latched_mode *const mode = &l->mode;
  dense_dopri5 *const s = &l->stepper;
  const size_t m = mode->m->system.event_count;
  while (m > 0) {
    if (mode_rates(mode, s->t, s->x, s->k[0], mode->h, mode->rate))
      return mode_fail(mode, "a callback failed", s->t, report);
    const size_t k = crossing_at_start(l);
    if (k == m) return 0;
    if (mode_cross(mode, k, s->t, report)) return SOLVER_FAILED;
    if (dense_dopri5_refresh(s)) return mode_fail(mode, "the field failed", s->t, report);
  }
  return 0;
}

/* ends the latest step at its first crossing */
static int cut(location *l, size_t guard, double theta, const solver_output *output,
               solver_report *report) {
  dense_dopri5 *const s = &l->stepper;
  const double t = fmin(s->t + theta * s->h, s->t_end);
  dense_dopri5_write(s, output, &l->written, theta, t);
  report->entries++;
  if (mode_cross(&l->mode, guard, t, report)) return SOLVER_FAILED;
  if (dense_dopri5_cut(s, theta)) return mode_fail(&l->mode, "the field failed", t, report);
  return begin_step(l, report);
}

static void swap(double **a, double **b) {
  double *const c = *a;
  *a = *b;
  *b = c;
}

/* takes the latest step whole */
static void keep(location *l, const solver_output *output) {
  dense_dopri5_write(&l->stepper, output, &l->written, 1.0, l->stepper.t_end);
  dense_dopri5_accept(&l->stepper);
  swap(&l->mode.h, &l->mode.h_end);
  swap(&l->mode.rate, &l->mode.rate_end);
}

static int advance(location *l, const solver_output *output, solver_report *report) {
  latched_mode *const mode = &l->mode;
  dense_dopri5 *const s = &l->stepper;
  const int status = dense_dopri5_step(s, output->times[output->count - 1]);
  if (status == DENSE_DOPRI5_EFIELD) return mode_fail(mode, "the field failed", s->t, report);
  if (status) return mode_fail(mode, "the step fell below the resolution of time", s->t, report);
  if (mode->m->system.event_count &&
      mode_rates(mode, s->t_end, s->x_end, s->k[6], mode->h_end, mode->rate_end))
    return mode_fail(mode, "a callback failed", s->t, report);
  size_t guard = 0;
  bracket b;
  const outcome found = look(l, &guard, &b);
  if (found == STEP_FAILED) return mode_fail(mode, "a guard is not finite", s->t, report);
  l->halvings = found == STEP_UNSURE ? l->halvings + 1 : 0;
  if (found == STEP_UNSURE) {
    dense_dopri5_halve(s);
    return 0;
  }
  if (++report->steps > most_steps) return mode_fail(mode, "too many steps", s->t, report);
  if (found == STEP_CROSSES) return cut(l, guard, b.hi, output, report);
  keep(l, output);
  return l->ends_on_guard ? begin_step(l, report) : 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  location *const l = instance;
  dense_dopri5 *const s = &l->stepper;
  const double t0 = output->times[0], t1 = output->times[output->count - 1];
  *report = (solver_report){0};
  memcpy(output->states, x0, s->n * sizeof *x0);
  l->written = 1;
  l->halvings = 0;
  int status = mode_start(&l->mode, t0, x0, report);
  if (!status && dense_dopri5_start(s, t0, x0, t1))
    status = mode_fail(&l->mode, "the field failed", t0, report);
  if (!status) status = begin_step(l, report);
  while (!status && s->t < t1) status = advance(l, output, report);
  report->rejected = s->rejected;
  mode_report(&l->mode, report);
  return status;
}

static void release(void *instance) {
  location *const l = instance;
  if (!l) return;
  if (l->brent) gsl_root_fsolver_free(l->brent);
  mode_free(&l->mode);
  free(l->h_try);
  free(l);
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  const int variant = mode_check("location", m, settings, DENSE_DOPRI5_ROOM, variants, message);
  if (variant < 0) return variant;

  const size_t room = m->system.event_count + 1;
  location *const l = calloc(1, sizeof *l);
  if (l && mode_alloc(&l->mode, m, "location", message) == 0) {
    l->h_try = calloc(2 * room, sizeof *l->h_try);
    if (variant == 1) l->brent = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  }
  if (!l || !l->h_try || (variant == 1 && !l->brent)) {
    release(l);
    return SOLVER_FAIL(message, "location: out of memory");
  }
  l->rate_try = l->h_try + room;
  l->stepper = dense_dopri5_make(m->system.dimension, field, &l->mode, settings->rtol,
                                 settings->atol, settings->h_max);
  *instance = l;
  return 0;
}

const solver_type location_solver = {
    .name = "location",
    .summary = "dopri5, every crossing located to round-off",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .release = release,
};

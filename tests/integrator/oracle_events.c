/*
 * The independent integration: see oracle_events.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "oracle_events.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

enum { N = ORACLE_STATES, M = ORACLE_GUARDS };

static const double step_error_max = 1e-12;

/* an event function this far on its other side has crossed; less may be rounding, and will have
 * grown by the end of the next step if it is not */
static const double noise = 1e-14;

static int equations(double t, const double x[], double dxdt[], void *params) {
  const oracle_events *const o = params;
  return o->system->field(t, x, o->sign, dxdt, o->system->params);
}

int oracle_events_begin(oracle_events *o, const ess_system *system, double t, const double x[],
                        double longest) {
  memset(o, 0, sizeof *o);
  if (system->dimension > N || system->guard_count > M || !system->guard_rates) return -1;
  o->system = system;
  o->longest = longest;
  o->t = t;
  o->slowest = INFINITY;
  o->crossings_max = SIZE_MAX;
  memcpy(o->x, x, system->dimension * sizeof *x);
  o->equations = (gsl_odeiv2_system){equations, NULL, system->dimension, o};
  o->step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, system->dimension);
  o->roots = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  return o->step && o->roots ? 0 : -1;
}

void oracle_events_end(oracle_events *o) {
  if (o->step) gsl_odeiv2_step_free(o->step);
  if (o->roots) gsl_root_fsolver_free(o->roots);
}

/* ---- the mode -------------------------------------------------------------------------------- */

static size_t ahead(const oracle_events *o, size_t k) {
  return o->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
}

void oracle_events_latch(oracle_events *o) {
  const ess_system *const s = o->system;
  double h[M];
  if (s->guard_count && s->guards(o->t, o->x, h, s->params)) o->failed = true;
  for (size_t k = 0; k < s->guard_count; k++) {
    o->sign[k] = o->hidden[k] || h[k] < 0.0 ? -1.0 : 1.0;
    o->armed[ESS_GUARD_UP(k)] = o->sign[k] < 0.0;
    o->armed[ESS_GUARD_DOWN(k)] = o->sign[k] > 0.0 && !s->one_way;
  }
  if (s->resets && s->resets->start) s->resets->start(o->sign, o->armed, s->params);
}

/* arming latches the sign of the near side, and leaves the guard's mirror image unarmed */
static void arm(oracle_events *o, size_t guard) {
  o->armed[guard] = true;
  o->armed[guard ^ 1] = false;
  o->sign[guard / 2] = guard % 2 ? 1.0 : -1.0;
}

void oracle_events_cross(oracle_events *o, size_t k) {
  const size_t guard = ahead(o, k);
  if (!o->armed[guard]) return;
  o->armed[guard] = false;
  o->sign[k] = -o->sign[k];
  o->crossings[k]++;
  const ess_reset_matrix *const r = o->system->resets;
  if (!r) o->armed[guard ^ 1] = !o->system->one_way;
  for (size_t i = r ? r->row_start[guard] : 0; r && i < r->row_start[guard + 1]; i++) {
    if (r->effect[i] > 0)
      arm(o, r->guard[i]);
    else
      o->armed[r->guard[i]] = false;
  }
}

/* -1: watched from below; +1: from above; 0: not at all */
static double watched(const oracle_events *o, size_t k) {
  return !o->hidden[k] && o->armed[ahead(o, k)] ? o->sign[k] : 0.0;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* one step of length h from where the run stands */
static void advance(oracle_events *o, double h, double x[N]) {
  double error[N];
  const size_t n = o->system->dimension;
  memcpy(x, o->x, n * sizeof *x);
  if (!(h > 0.0)) return;
  if (gsl_odeiv2_step_apply(o->step, o->t, h, x, error, NULL, NULL, &o->equations))
    o->failed = true;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(error[i]) < step_error_max * fmax(1.0, fabs(x[i])))) o->failed = true;
}

/* all event functions and their rates at a state reached after h */
static void look(oracle_events *o, double h, const double x[], double value[], double rate[]) {
  double dxdt[N];
  equations(o->t + h, x, dxdt, o);
  if (o->system->guard_count &&
      o->system->guard_rates(o->t + h, x, dxdt, value, rate, o->system->params))
    o->failed = true;
}

/* what Brent's method looks at: an event function, or its rate, h after where the run stands */
typedef struct along {
  oracle_events *o;
  size_t k;
  bool of_rate;
} along;

static double value_along(double h, void *params) {
  const along *const a = params;
  const ess_system *const s = a->o->system;
  double x[N], dxdt[N] = {0.0}, value[M], rate[M];
  size_t place = a->k;
  advance(a->o, h, x);
  if (a->of_rate) equations(a->o->t + h, x, dxdt, a->o);
  if (s->some_guard_rates) {
    place = 0;
    s->some_guard_rates(a->o->t + h, x, dxdt, &a->k, 1, value, rate, s->params);
  } else {
    s->guard_rates(a->o->t + h, x, dxdt, value, rate, s->params);
  }
  return a->of_rate ? rate[place] : value[place];
}

/* root in [0, h], to round-off; 0 when there is no sign change, as at a root that 0 just left */
static double brent(oracle_events *o, size_t k, bool of_rate, double h) {
  along a = {o, k, of_rate};
  gsl_function function = {.function = value_along, .params = &a};
  const double at_0 = value_along(0.0, &a), at_h = value_along(h, &a);
  if ((at_0 < 0.0) == (at_h < 0.0)) return 0.0;
  gsl_root_fsolver_set(o->roots, &function, 0.0, h);
  double width = h;
  for (int i = 0; i < 100 && width > 1e-16; i++) {
    gsl_root_fsolver_iterate(o->roots);
    width = gsl_root_fsolver_x_upper(o->roots) - gsl_root_fsolver_x_lower(o->roots);
  }
  return gsl_root_fsolver_root(o->roots);
}

/* what is known of the event functions at a step's start and end */
typedef struct ends {
  double value[M], rate[M], value_end[M], rate_end[M];
} ends;

/* a duration in (0, h] after which event function k is on its other side, or 0. Touch-and-leave is
 * seen at the extremum between ends whose rates first approach and then recede. */
static double time_across(oracle_events *o, size_t k, double h, const ends *e) {
  const double side = -watched(o, k);
  if (side == 0.0) return 0.0;
  if (side * e->value_end[k] > noise) return h;
  const bool turns =
      side * e->value[k] < 0.0 && side * e->rate[k] > 0.0 && side * e->rate_end[k] < 0.0;
  if (!turns) return 0.0;
  const double top = brent(o, k, true, h);
  return side * value_along(top, &(along){o, k, false}) > noise ? top : 0.0;
}

/* of the event functions crossed within h, but for `known`, the one that a straight line through
 * both ends crosses first, and when it has; guard_count when there is none */
static size_t earliest(oracle_events *o, size_t known, double h, const ends *e, double *across) {
  size_t first = o->system->guard_count;
  double soonest = INFINITY;
  for (size_t k = 0; k < o->system->guard_count; k++) {
    const double time = k == known ? 0.0 : time_across(o, k, h, e);
    if (!(time > 0.0)) continue;
    const double guess = time < h ? 0.0 : h * e->value[k] / (e->value[k] - e->value_end[k]);
    if (guess >= soonest) continue;
    soonest = guess;
    first = k;
    *across = time;
  }
  return first;
}

/* the first crossing within *h, or guard_count: shortens *h to the root of one crossed event
 * function until no other is crossed before it */
static size_t first_crossing(oracle_events *o, double *h) {
  static _Thread_local ends e;
  double x[N], across = 0.0;
  size_t first = o->system->guard_count;
  look(o, 0.0, o->x, e.value, e.rate);
  while (!o->failed) {
    advance(o, *h, x);
    look(o, *h, x, e.value_end, e.rate_end);
    const size_t k = earliest(o, first, *h, &e, &across);
    if (k == o->system->guard_count) return first;
    first = k;
    *h = brent(o, k, false, across);
    if (!(*h > 0.0)) return first;
  }
  return first;
}

/* crosses k, and notes how fast it is approached and left */
static void make(oracle_events *o, size_t k) {
  double value[M], rate[M];
  const double side = -o->sign[k];
  look(o, 0.0, o->x, value, rate);
  o->slowest = fmin(o->slowest, side * rate[k]);
  oracle_events_cross(o, k);
  look(o, 0.0, o->x, value, rate);
  o->slowest = fmin(o->slowest, side * rate[k]);
  if (o->crossings[k] > o->crossings_max) o->failed = true;
}

void oracle_events_advance(oracle_events *o, double t1) {
  while (o->t < t1 && !o->failed) {
    const bool last = t1 - o->t <= o->longest;
    const double whole = last ? t1 - o->t : o->longest;
    double h = whole, x[N];
    const size_t k = first_crossing(o, &h);
    advance(o, h, x);
    memcpy(o->x, x, o->system->dimension * sizeof *x);
    o->t = last && h == whole ? t1 : o->t + h;
    if (k < o->system->guard_count) make(o, k);
  }
}

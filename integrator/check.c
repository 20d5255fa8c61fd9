/*
 * Whether a system's Jacobian and rates are those of its event functions: compared with central
 * differences, extrapolated to no step at all (Ridders 1982), by steps of all sizes, since nobody
 * knows the scale of a state.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "ess_tangents.h"
#include "events.h"

/* Increments of differences, over max(|x_i|, 1): from FIRST_INCREMENT, beyond any scale of the
 * state, by the factor SHRINK, to where rounding dominates. DIRECTIONS: random ones for rates. */
enum { INCREMENTS = 30, DIRECTIONS = 3 };
static const double FIRST_INCREMENT = 0x1p15, SHRINK = 0.125;

/* first increment for an impact's map, which may be piecewise: another piece may lie beyond */
static const double FIRST_OF_MAP = 0x1p-9;

/* ACCEPTED_ERRORS: accepted error over the estimated error of a difference. ACCEPTED: relative
 * error accepted in any case. SHARP, USABLE: relative estimate below which a difference is as good
 * as any, or is used at all. */
static const double ACCEPTED_ERRORS = 20.0, ACCEPTED = 1e-5, SHARP = 1e-4, USABLE = 0.1;

typedef struct checker {
  const ess_system *system;
  double t;
  const double *x;
  double *Dh;        /* m (n + 1), the last column by time; 0 where nothing gives it */
  double *column;    /* m: rates along a direction */
  double *h, *noise; /* at x, and what is rounding there */
  bool is_map; /* they are what an impact makes of states: what rounds one may be in another */
  double *v, *moved;     /* n + 1: a direction, with that of time; a state beside x */
  double *above, *below; /* m: event functions on either side */
  double *last, *older;  /* m: this difference, and the extrapolation before */
  double *best, *found,
      *excess;  /* m: the best estimate's error and value; how far off the nearest */
  double *rank; /* m: how good the best is */
  double *some_h, *some_rate;
  size_t *which;
  ess_jacobian_check worst;
  double ratio; /* of the worst's disagreement to what is allowed */
} checker;

/* keeps what disagrees the most */
static void note(checker *c, size_t k, size_t state, double given, double found, double ratio) {
  if (!(ratio > c->ratio) && !isnan(ratio)) return;
  if (isnan(c->ratio)) return;
  c->ratio = ratio;
  c->worst = (ess_jacobian_check){
      .row = k, .column = state, .given = given, .found = found, .event = SIZE_MAX};
}

/* ---- columns against differences ------------------------------------------------------------- */

/* state i, or time as the one after the last */
static double at(const checker *c, size_t i) {
  return i < c->system->dimension ? c->x[i] : c->t;
}

/* event functions where that is `place`; whether there are any */
static bool look_at(checker *c, size_t i, double place, double h[]) {
  const ess_system *const s = c->system;
  if (!isfinite(place)) return false;
  if (i == s->dimension) return !s->event_functions(place, c->x, h, s->params);
  memcpy(c->moved, c->x, s->dimension * sizeof *c->x);
  c->moved[i] = place;
  return !s->event_functions(c->t, c->moved, h, s->params);
}

/* one more difference of event function k: extrapolated, with its error, against the given */
static void compare_one(checker *c, size_t k, double given, double apart, int step) {
  const double difference = (c->above[k] - c->below[k]) / apart;
  // the error of a central difference goes with the step's square
  const double ratio = 1.0 / (SHRINK * SHRINK);
  const double value = (ratio * difference - c->last[k]) / (ratio - 1.0);
  const double rounding = (c->noise[k] + DBL_EPSILON * fabs(c->above[k])) / apart;
  const double error = fabs(value - c->older[k]) + ACCEPTED_ERRORS * rounding;
  c->last[k] = difference;
  c->older[k] = step > 0 ? value : NAN;
  if (step < 2 || !isfinite(error)) return;

  const double size = ess_larger(fabs(given), fabs(value));
  const double off = fabs(given - value) / (ACCEPTED_ERRORS * error + ACCEPTED * size + DBL_MIN);
  if (error <= SHARP * size && off < c->excess[k]) c->excess[k] = off;
  // far away many a function is flat: small errors count beside what they are errors of, or where
  // nothing but rounding is seen
  const double part = error / fabs(value);
  if (part > USABLE && fabs(value) > ACCEPTED_ERRORS * rounding) return;
  const double rank = part <= USABLE ? part : USABLE + error;
  if (rank >= c->rank[k]) return;
  c->rank[k] = rank;
  c->best[k] = error;
  c->found[k] = value;
}

/* state i's column, as it is given, against differences by all steps; false when none can be made
 */
static bool compare_column(checker *c, size_t i, const double given[], size_t stride) {
  const size_t m = c->system->event_count;
  const double size_here = fabs(at(c, i));
  double step = (c->is_map ? FIRST_OF_MAP : FIRST_INCREMENT) * ess_larger(1.0, size_here);
  int made = 0;
  for (size_t k = 0; k < m; k++) {
    c->last[k] = c->older[k] = NAN;
    c->best[k] = c->rank[k] = c->excess[k] = INFINITY;
  }
  for (int j = 0; j < INCREMENTS && step > ESS_ROUNDING * size_here; j++, step *= SHRINK) {
    const double above = at(c, i) + step, below = at(c, i) - step;
    const bool looked = look_at(c, i, above, c->above) && look_at(c, i, below, c->below);
    if (!looked || above == below) continue;
    for (size_t k = 0; k < m; k++) compare_one(c, k, given[k * stride], above - below, made);
    made++;
  }
  for (size_t k = 0; k < m; k++) {
    if (c->best[k] == INFINITY) continue;
    const double value = given[k * stride], size = ess_larger(fabs(value), fabs(c->found[k]));
    const double allowed = ACCEPTED_ERRORS * c->best[k] + ACCEPTED * size + DBL_MIN;
    // the best by its own estimate, or any that is as good as that
    note(c, k, i, value, c->found[k],
         ess_smaller(c->excess[k], fabs(value - c->found[k]) / allowed));
  }
  return made > 0;
}

/* ---- rates along a direction ----------------------------------------------------------------- */

/* what state i, or time, is large beside: itself, or 1 where it is nothing */
static double size_of(const checker *c, size_t i) {
  return at(c, i) != 0.0 ? fabs(at(c, i)) : 1.0;
}

/* an event function and its rate as one callback has them, against guards and Dh */
static void compare_rate(checker *c, size_t k, double h, double rate) {
  const size_t n = c->system->dimension;
  double expected = 0.0, size = 0.0, reach = 0.0;
  for (size_t i = 0; i <= n; i++) {
    const double term = c->Dh[k * (n + 1) + i] * c->v[i];
    expected += term;
    size += fabs(term);
    reach = ess_larger(reach, fabs(c->v[i]) / size_of(c, i));
  }
  // two callbacks agree for the same values to rounding of the largest term
  const double rounding = ESS_ROUNDING / DBL_EPSILON * c->noise[k];
  const double allowed = ESS_SAME * size + reach * rounding + DBL_MIN;
  note(c, k, SIZE_MAX, rate, expected, fabs(rate - expected) / allowed);
  const double same = ESS_SAME * fabs(c->h[k]) + rounding + DBL_MIN;
  note(c, k, SIZE_MAX, h, c->h[k], fabs(h - c->h[k]) / same);
}

/* rates along the direction, of which[count] or all */
static int rates(checker *c, const size_t which[], size_t count, double h[], double rate[]) {
  const ess_system *const s = c->system;
  const double vt = c->v[s->dimension];
  return s->event_rates(c->t, c->x, vt, c->v, which, count, h, rate, s->params) ? ESS_ECALLBACK : 0;
}

/* rates of every `stride`-th event function, forwards or backwards */
static int compare_some(checker *c, size_t first, size_t stride, bool backwards) {
  const size_t m = c->system->event_count, count = (m - first + stride - 1) / stride;
  for (size_t i = 0; i < count; i++) c->which[i] = first + stride * (backwards ? count - 1 - i : i);
  const int status = rates(c, c->which, count, c->some_h, c->some_rate);
  if (status) return status;
  for (size_t i = 0; i < count; i++) compare_rate(c, c->which[i], c->some_h[i], c->some_rate[i]);
  return ESS_SUCCESS;
}

/* rates along the direction; subsets are all, either half, and one alone */
static int compare_direction(checker *c, size_t alone) {
  const size_t m = c->system->event_count;
  int status = rates(c, NULL, m, c->above, c->below);
  for (size_t k = 0; !status && k < m; k++) compare_rate(c, k, c->above[k], c->below[k]);
  if (!status) status = compare_some(c, 0, 1, true);
  for (size_t half = 0; !status && half < 2 && half < m; half++)
    status = compare_some(c, half, 2, half);
  return status ? status : compare_some(c, alone % m, m, false);
}

/* the number of columns of Dh that the system gives: with that by time, or without */
static size_t given_columns(const ess_system *s) {
  const bool by_rates = s->event_rates && s->time_dependence != ESS_TIME_NONE;
  if (!s->event_jacobian && !s->event_rates) return 0;
  return s->dimension + (by_rates || s->time_dependence == ESS_TIME_COLUMN);
}

static int compare_directions(checker *c) {
  const size_t n = c->system->dimension, columns = given_columns(c->system);
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < columns; i++) {
    memset(c->v, 0, (n + 1) * sizeof *c->v);
    c->v[i] = 1.0;
    status = compare_direction(c, i);
  }
  // a rate is linear in the direction: some in which all states move, unlike one another
  for (int j = 0; !status && j < DIRECTIONS; j++) {
    for (size_t i = 0; i < columns; i++)
      c->v[i] = size_of(c, i) * cos((double)(7 * i + 1) * (j + 1.3));
    status = compare_direction(c, (size_t)j + n);
  }
  return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Event functions and Dh at x, from the Jacobian or, where there is none or no column by time,
 * rates along each; what is rounding in a sum of the terms that they may be made of. */
static int evaluate(checker *c) {
  const ess_system *const s = c->system;
  const size_t n = s->dimension, m = s->event_count, columns = given_columns(s);
  const size_t given = !s->event_jacobian ? 0 : n + (s->time_dependence == ESS_TIME_COLUMN);
  if (s->event_functions(c->t, c->x, c->h, s->params)) return ESS_ECALLBACK;
  if (given && s->event_jacobian(c->t, c->x, c->Dh, s->params)) return ESS_ECALLBACK;
  for (size_t k = given == n ? m : 0; k-- > 0;) {
    memmove(c->Dh + k * (n + 1), c->Dh + k * n, n * sizeof *c->Dh);
    c->Dh[k * (n + 1) + n] = 0.0;
  }
  for (size_t i = given; i < columns; i++) {
    memset(c->v, 0, (n + 1) * sizeof *c->v);
    c->v[i] = 1.0;
    if (rates(c, NULL, m, c->above, c->column)) return ESS_ECALLBACK;
    for (size_t k = 0; k < m; k++) c->Dh[k * (n + 1) + i] = c->column[k];
  }
  if (!ess_are_finite(c->h, m) || !ess_are_finite(c->Dh, m * (n + 1))) return ESS_EEVENT;
  double largest = 0.0;
  for (size_t k = 0; k < m; k++) {
    double size = fabs(c->h[k]);
    for (size_t i = 0; i <= n; i++) size += fabs(c->Dh[k * (n + 1) + i] * at(c, i));
    c->noise[k] = DBL_EPSILON * size;
    largest = ess_larger(largest, c->noise[k]);
  }
  for (size_t k = 0; c->is_map && k < m; k++) c->noise[k] = largest;
  return ESS_SUCCESS;
}

/* what the system gives; the rest is differences in any case */
static int check(checker *c) {
  const ess_system *const s = c->system;
  const size_t columns = given_columns(s);
  int status = evaluate(c);
  for (size_t i = 0; !status && i < columns; i++)
    if (!compare_column(c, i, c->Dh + i, s->dimension + 1)) status = ESS_EEVENT;
  if (!status && s->event_rates) status = compare_directions(c);
  if (status) return status;
  return c->ratio <= 1.0 ? ESS_SUCCESS : ESS_EJACOBIAN;
}

/* ess_check_jacobian of the event functions alone, or of what an impact makes of states */
static int check_events(const ess_system *system, double t, const double x[], bool is_map,
                        ess_jacobian_check *worst) {
  const ess_options options = ess_options_default();
  if (ess_check(system, &options) || !isfinite(t) || !x || !ess_are_finite(x, system->dimension))
    return ESS_EINVAL;
  const size_t n = system->dimension, m = system->event_count;
  if (!m) return ESS_SUCCESS;
  if (n > SIZE_MAX / sizeof(double) / 32 / (m + 1)) return ESS_ENOMEM;
  checker c = {.system = system,
               .t = t,
               .x = x,
               .is_map = is_map,
               .worst = {.row = SIZE_MAX, .column = SIZE_MAX, .event = SIZE_MAX}};
  double **const arrays[] = {&c.h,         &c.noise,  &c.above, &c.below,  &c.last,
                             &c.older,     &c.best,   &c.found, &c.excess, &c.some_h,
                             &c.some_rate, &c.column, &c.rank};
  enum { ARRAYS = sizeof arrays / sizeof *arrays };
  double *const memory = calloc((m + 2) * (n + 1) + ARRAYS * m, sizeof *memory);
  c.which = calloc(m, sizeof *c.which);
  int status = ESS_ENOMEM;
  if (memory && c.which) {
    c.Dh = memory;
    c.v = c.Dh + m * (n + 1);
    c.moved = c.v + n + 1;
    for (size_t i = 0; i < ARRAYS; i++) *arrays[i] = c.moved + n + 1 + i * m;
    status = check(&c);
    if (worst) *worst = c.worst;
  }
  free(memory);
  free(c.which);
  return status;
}

/* ---- check_parts ----------------------------------------------------------------------------- */

/* ess_check_jacobian of the field and of impacts: both are checked as event functions are, as
 * systems whose event functions are their components. */

/* what such a system's callbacks need */
typedef struct part {
  const ess_system *system;
  double t;
  size_t event; /* of the impact; SIZE_MAX: the field */
  double *sign, *mode, *after;
  bool *armed;
} part;

/* an impact at x of one event alone, in the mode before it */
static ess_impact impact_at(part *p, const double x[], double after[]) {
  const size_t n = p->system->dimension, m = p->system->event_count, k = p->event;
  memcpy(after, x, n * sizeof *after);
  memcpy(p->mode, p->sign, m * sizeof *p->mode);
  memset(p->armed, 0, 2 * m * sizeof *p->armed);
  p->mode[k] = -p->sign[k];
  return (ess_impact){.t = p->t,
                      .count = 1,
                      .events = &p->event,
                      .x = x,
                      .sign = p->sign,
                      .after = after,
                      .mode = p->mode,
                      .armed = p->armed};
}

static int part_values(double t, const double x[], double h[], void *params) {
  part *const p = params;
  const ess_system *const s = p->system;
  if (p->event == SIZE_MAX) return s->field(t, x, p->sign, h, s->params);
  ess_impact impact = impact_at(p, x, h);
  return s->impacts->map(&impact, s->params);
}

static int part_jacobian(double t, const double x[], double Dh[], void *params) {
  part *const p = params;
  const ess_system *const s = p->system;
  if (p->event == SIZE_MAX) return s->field_jacobian(t, x, p->sign, Dh, s->params);
  ess_impact impact = impact_at(p, x, p->after);
  const int code = s->impacts->map(&impact, s->params);
  return code ? code : s->impacts->jacobian(&impact, Dh, s->params);
}

static int part_field(double t, const double x[], const double sign[], double dxdt[],
                      void *params) {
  const part *const p = params;
  (void)sign;
  return p->system->field(t, x, p->sign, dxdt, p->system->params);
}

static int check_part(part *p, const double x[], ess_jacobian_of of, ess_jacobian_check *worst) {
  const ess_system *const s = p->system;
  const ess_system as_events = {.dimension = s->dimension,
                                .event_count = s->dimension,
                                .field = part_field,
                                .event_functions = part_values,
                                .event_jacobian = part_jacobian,
                                .params = p};
  ess_jacobian_check found;
  if (s->mode_changed && s->mode_changed(p->sign, s->event_count, s->params)) return ESS_ECALLBACK;
  const int status = check_events(&as_events, p->t, x, p->event != SIZE_MAX, &found);
  if (status != ESS_EJACOBIAN || !worst) return status;
  *worst = found;
  worst->of = of;
  worst->event = p->event;
  return status;
}

/* the field, then each impact */
static int check_parts(part *p, const double x[], ess_jacobian_check *worst) {
  const ess_system *const s = p->system;
  const size_t m = s->event_count;
  if (m && s->event_functions(p->t, x, p->sign, s->params)) return ESS_ECALLBACK;
  for (size_t k = 0; k < m; k++) p->sign[k] = p->sign[k] >= 0.0 ? 1.0 : -1.0;
  int status = ESS_SUCCESS;
  if (s->field_jacobian) status = check_part(p, x, ESS_JACOBIAN_OF_FIELD, worst);
  if (!s->impacts || !s->impacts->jacobian) return status;
  for (size_t j = 0; !status && j < 2 * m; j++) {
    if (ess_kind_of(s, j) != ESS_GUARD_IMPACT) continue;
    p->event = j / 2;
    const double held = p->sign[p->event];
    p->sign[p->event] = j % 2 ? 1.0 : -1.0;
    status = check_part(p, x, ESS_JACOBIAN_OF_IMPACT, worst);
    p->sign[p->event] = held;
  }
  const int told = s->mode_changed ? s->mode_changed(p->sign, m, s->params) : 0;
  return told && !status ? ESS_ECALLBACK : status;
}

int ess_check_jacobian(const ess_system *system, double t, const double x[],
                       ess_jacobian_check *worst) {
  const int status = check_events(system, t, x, false, worst);
  if (status || !(system->field_jacobian || system->impacts)) return status;
  const size_t n = system->dimension, m = system->event_count;
  if (n > SIZE_MAX / sizeof(double) / 16 || m > SIZE_MAX / sizeof(double) / 16) return ESS_ENOMEM;
  double *const memory = calloc(1, (n + 2 * m) * sizeof(double) + 2 * m * sizeof(bool));
  if (!memory) return ESS_ENOMEM;
  part p = {.system = system,
            .t = t,
            .event = SIZE_MAX,
            .sign = memory,
            .mode = memory + m,
            .after = memory + 2 * m,
            .armed = (bool *)(memory + 2 * m + n)};
  const int found = check_parts(&p, x, worst);
  free(memory);
  return found;
}

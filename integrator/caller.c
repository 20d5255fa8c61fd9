/*
 * The system that is integrated, made of the caller's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "caller.h"
#include "driver_state.h"
#include "impacts.h"
#include "parameters.h"

/* ---- slope -------------------------------------------------------------------------------- */

/* Rates of event functions by differences: central ones over two lengths, extrapolated. Nobody
 * knows how curved event functions are, or how large the numbers that they are made of: lengths
 * are tried until two agree. */

/* the first length moves no state by more than this part of what it is large beside, nor time by
 * more than this part of a step */
static const double FIRST = 0x1p-13, FIRST_OF_STEP = 0x1p-6;

/* two differences agree to this part; what changes by less than so many roundings has not changed
 */
static const double AGREES = 1e-6, ROUNDING = 4.0;

/* the second is over this part of the first's length: the golden ratio, since changes by a few
 * roundings are whole numbers, which agree over half the length, wrong as they are; and by how much
 * of what they differ by the second is still off */
static const double SHORTER = 0.6180339887498949, REST = 0.6180339887498949;

/* others, sixteen times shorter or longer each, in the order in which they are tried */
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
    const double near = d->rtol[i] > 0.0 ? d->atol[i] / d->rtol[i] : 1.0;
    const double size = ess_larger(fabs(a->x[i]), near > 0.0 ? near : DBL_MIN);
    *least = ess_smaller(*least, FIRST * size / speed);
    *most = ess_larger(*most, FIRST * size / speed);
  }
  if (a->vt == 0.0) return;
  const double left = d->t_end - d->t;
  const double step = d->dt > 0.0 ? d->dt : left > 0.0 ? 1e-2 * left : 1e-2;
  const double length = FIRST_OF_STEP * step / fabs(a->vt);
  *least = ess_smaller(*least, length);
  *most = ess_larger(*most, length);
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
  if (c->system.guards(after, c->beside, c->above, c->system.params)) return 0.0;
  for (size_t i = 0; i < n; i++) c->beside[i] = a->x[i] - length * a->v[i];
  if (c->system.guards(before, c->beside, c->below, c->system.params)) return 0.0;
  return 2.0 * length;
}

/* one more estimate of event function k's rate, which may be off by so much, and agrees with
 * another or not: the one that may be off by the least counts, unless it is off by more than the
 * one before says, as differences over too long a way are, which may be small however large rates
 * are */
static void note_rate(ess_caller *c, size_t k, double rate, double off, bool agrees) {
  const bool is_first = c->off[k] == INFINITY;
  const bool is_near = is_first || fabs(rate - c->best[k]) <= 2.0 * (off + c->off[k]);
  if (agrees || (off < c->off[k] && is_near)) {
    c->best[k] = rate;
    c->off[k] = agrees ? 0.0 : off;
  }
}

/* one more pair of differences, over a length that has been looked at and one beside it; whether
 * each event function's agree, of this pair or another */
static bool compare(const along *a, double length, double apart) {
  ess_caller *const c = &a->d->caller;
  const size_t m = c->system.guard_count;
  bool agree = true;
  for (size_t k = 0; k < m; k++)
    c->rate[k] = apart > 0.0 ? (c->above[k] - c->below[k]) / apart : NAN;
  apart = look(a, SHORTER * length);
  for (size_t k = 0; k < m; k++) {
    const double near = apart > 0.0 ? (c->above[k] - c->below[k]) / apart : NAN;
    const double all = fabs(c->above[k]) + fabs(c->below[k]) + fabs(a->h[k]);
    const double noise = ROUNDING * DBL_EPSILON * all / apart;
    const double size = ess_larger(fabs(near), fabs(c->rate[k])), differ = fabs(near - c->rate[k]);
    // a change that is nothing may have been lost in rounding
    const bool agrees = size > noise && differ + 1e-3 * noise <= AGREES * size;
    if (c->off[k] > 0.0 && isfinite(differ))
      note_rate(c, k, near + REST * (near - c->rate[k]), differ + noise, agrees);
    agree = agree && c->off[k] == 0.0;
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
  bool agree = compare(&a, least, apart);
  for (int i = 1; i < TRIES && !agree; i++) {
    const double length = ldexp(least, POWERS[i]);
    if (POWERS[i] <= 0 || length <= 16.0 * most) agree = compare(&a, length, look(&a, length));
  }
  memcpy(rate, c->best, m * sizeof *rate);
  return 0;
}

/* ---- its callbacks: `params` is the driver ----------------------------------------------------
 */

/* the caller's time of a state that is integrated: where event functions move, the state has it */
static double time_of(const ess_driver *d, double t, const double x[]) {
  const ess_caller *const c = &d->caller;
  return ess_caller_time(d, c->moves ? c->origin + x[c->system.dimension] : t);
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const ess_driver *const d = params;
  const ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const int code = s->field(ess_caller_time(d, t), x, sign, dxdt, s->params);
  if (c->way < 0.0)
    for (size_t i = 0; i < s->dimension; i++) dxdt[i] = -dxdt[i];
  if (c->moves) dxdt[s->dimension] = 1.0;
  return code;
}

/* rows of n become rows of n + 1, whose last is nothing */
static void spread(double matrix[], size_t rows, size_t n) {
  for (size_t k = rows; k-- > 0;) {
    memmove(matrix + k * (n + 1), matrix + k * n, n * sizeof *matrix);
    matrix[k * (n + 1) + n] = 0.0;
  }
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  const ess_driver *const d = params;
  const ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension;
  const int code = c->system.field_jacobian(ess_caller_time(d, t), x, sign, J, c->system.params);
  if (c->way < 0.0)
    for (size_t i = 0; i < n * n; i++) J[i] = -J[i];
  if (!c->moves) return code;
  spread(J, n, n);
  memset(J + n * (n + 1), 0, (n + 1) * sizeof *J);
  return code;
}

/* the field backwards is its negative; time, as a state, is not stiff */
static int field_solve(double t, const double x[], const double sign[], double c, double v[],
                       void *params) {
  const ess_driver *const d = params;
  const ess_caller *const k = &d->caller;
  return k->system.field_solve(time_of(d, t, x), x, sign, k->way * c, v, k->system.params);
}

static int field_parameter_jacobian(double t, const double x[], const double sign[], double Fp[],
                                    void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  const size_t all = s->dimension * s->parameters;
  const int code = s->field_parameter_jacobian(ess_caller_time(d, t), x, sign, Fp, s->params);
  if (d->caller.way < 0.0)
    for (size_t i = 0; i < all; i++) Fp[i] = -Fp[i];
  if (d->caller.moves) memset(Fp + all, 0, s->parameters * sizeof *Fp);
  return code;
}

static int guard_parameter_jacobian(double t, const double x[], double hp[], void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  return s->guard_parameter_jacobian(time_of(d, t, x), x, hp, s->params);
}

static int guards(double t, const double x[], double h[], void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  return s->guards(time_of(d, t, x), x, h, s->params);
}

/* partial derivatives by the driver's time */
static int time_rates(ess_driver *d, double t, const double x[], const double h[], double rate[]) {
  ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  int code;
  if (s->guard_time_rates) {
    code = s->guard_time_rates(t, x, rate, s->params);
  } else {
    memset(c->after, 0, s->dimension * sizeof *c->after); // no state moves
    code = ess_slope(d, t, x, 1.0, c->after, h, rate);
  }
  if (c->way < 0.0)
    for (size_t k = 0; k < s->guard_count; k++) rate[k] = -rate[k];
  return code;
}

static int guard_jacobian(double t, const double x[], double Dh[], void *params) {
  ess_driver *const d = params;
  ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const size_t n = s->dimension, m = s->guard_count;
  t = time_of(d, t, x);
  int code = s->guard_jacobian(t, x, Dh, s->params);
  if (code || !c->moves) return code;
  spread(Dh, m, n);
  code = s->guards(t, x, c->h, s->params);
  if (!code) code = time_rates(d, t, x, c->h, c->partial);
  for (size_t k = 0; k < m; k++) Dh[k * (n + 1) + n] = c->partial[k];
  return code;
}

static int guard_rates(double t, const double x[], const double v[], double h[], double rate[],
                       void *params) {
  ess_driver *const d = params;
  ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const double vt = c->moves ? v[s->dimension] : 0.0;
  t = time_of(d, t, x);
  if (c->differs) {
    const int code = s->guards(t, x, h, s->params);
    return code ? code : ess_slope(d, t, x, c->way * vt, v, h, rate);
  }
  int code = s->guard_rates(t, x, v, h, rate, s->params);
  if (code || vt == 0.0) return code;
  code = time_rates(d, t, x, h, c->partial);
  for (size_t k = 0; k < s->guard_count; k++) rate[k] += vt * c->partial[k];
  return code;
}

static int some_guard_rates(double t, const double x[], const double v[], const size_t which[],
                            size_t count, double h[], double rate[], void *params) {
  ess_driver *const d = params;
  ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const double vt = c->moves ? v[s->dimension] : 0.0;
  t = time_of(d, t, x);
  int code = s->some_guard_rates(t, x, v, which, count, h, rate, s->params);
  if (code || vt == 0.0) return code;
  code = s->guard_time_rates ? 0 : s->guards(t, x, c->h, s->params);
  if (!code) code = time_rates(d, t, x, c->h, c->partial);
  for (size_t i = 0; i < count; i++) rate[i] += vt * c->partial[which[i]];
  return code;
}

static int mode_changed(const double sign[], size_t guard, void *params) {
  const ess_system *const s = &((const ess_driver *)params)->caller.system;
  return s->mode_changed(sign, guard, s->params);
}

static int start_rows(const double sign[], bool armed[], void *params) {
  const ess_caller *const c = &((const ess_driver *)params)->caller;
  return c->start(sign, armed, c->system.params);
}

/* ---- impacts ----------------------------------------------------------------------------------
 */

static ess_impact seen_by_caller(const ess_driver *d, const ess_impact *impact) {
  ess_impact seen = *impact;
  seen.t = time_of(d, impact->t, impact->x);
  return seen;
}

static int map(ess_impact *impact, void *params) {
  const ess_driver *const d = params;
  ess_impact seen = seen_by_caller(d, impact);
  return d->caller.impacts.map(&seen, d->caller.system.params);
}

/* the map once more, at another time */
static int map_at(ess_driver *d, const ess_impact *impact, double t, double to[]) {
  ess_caller *const c = &d->caller;
  const size_t m = c->system.guard_count;
  memcpy(c->mode, impact->mode, m * sizeof *c->mode);
  memcpy(c->armed, impact->armed, 2 * m * sizeof *c->armed);
  memcpy(to, impact->x, c->system.dimension * sizeof *to);
  ess_impact beside = *impact;
  beside.t = t;
  beside.after = to;
  beside.mode = c->mode;
  beside.armed = c->armed;
  return c->impacts.map(&beside, c->system.params);
}

static int impact_jacobian(const ess_impact *impact, double DR[], void *params) {
  ess_driver *const d = params;
  ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension;
  const ess_impact seen = seen_by_caller(d, impact);
  int code = c->impacts.jacobian(&seen, DR, c->system.params);
  if (code || !c->moves) return code;
  spread(DR, n, n);
  memset(DR + n * (n + 1), 0, n * sizeof *DR);
  DR[n * (n + 1) + n] = 1.0;
  // what it returns may depend on the time, too
  const double near = ess_time_apart(d), after = seen.t + near;
  const double before = seen.t - near;
  code = map_at(d, &seen, after, c->after);
  if (!code) code = map_at(d, &seen, before, c->beside);
  for (size_t i = 0; i < n; i++)
    DR[i * (n + 1) + n] = c->way * (c->after[i] - c->beside[i]) / (after - before);
  return code;
}

static int impact_parameter_jacobian(const ess_impact *impact, double Rp[], void *params) {
  const ess_driver *const d = params;
  const ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const ess_impact seen = seen_by_caller(d, impact);
  if (c->moves) memset(Rp + s->dimension * s->parameters, 0, s->parameters * sizeof *Rp);
  return c->impacts.parameter_jacobian(&seen, Rp, s->params);
}

static int start_impacts(double t, const double x[], double sign[], bool armed[], void *params) {
  const ess_driver *const d = params;
  return d->caller.impacts.start(time_of(d, t, x), x, sign, armed, d->caller.system.params);
}

/* ---- the driver's -----------------------------------------------------------------------------
 */

/* scratch of systems whose rates are not all the caller's */
static bool allocate(ess_caller *c) {
  const size_t n = c->system.dimension + 1, m = c->system.guard_count;
  const size_t most = SIZE_MAX / sizeof(double) / 32;
  if (n > most || m > most) return false;
  c->memory = calloc(1, (3 * n + 8 * m) * sizeof(double) + 2 * m * sizeof(bool));
  if (!c->memory) return false;
  double *cursor = c->memory;
  double **const by_state[] = {&c->x, &c->beside, &c->after};
  double **const by_guard[] = {&c->above, &c->below, &c->best,    &c->off,
                               &c->rate,  &c->h,     &c->partial, &c->mode};
  for (size_t i = 0; i < sizeof by_state / sizeof *by_state; i++, cursor += n)
    *by_state[i] = cursor;
  for (size_t i = 0; i < sizeof by_guard / sizeof *by_guard; i++, cursor += m)
    *by_guard[i] = cursor;
  c->armed = (bool *)cursor;
  return true;
}

bool ess_caller_take(ess_driver *d, const ess_system *system) {
  ess_caller *const c = &d->caller;
  c->system = *system;
  c->way = 1.0;
  c->is_latched_by_state = !system->resets && !system->impacts;
  c->moves = system->guard_count && (system->guards_move || system->guard_time_rates);
  c->differs = system->guard_count && !system->guard_jacobian && !system->guard_rates;
  if (system->impacts) c->impacts = *system->impacts;
  if (system->resets) c->start = system->resets->start;
  c->system.resets = NULL;
  c->system.impacts = NULL;
  d->system = *system;
  if (c->moves) d->system.dimension++;
  if (c->differs) {
    d->system.guard_rates = guard_rates;
    d->system.some_guard_rates = NULL;
    c->system.some_guard_rates = NULL;
  }
  return c->moves || c->differs ? allocate(c) : true;
}

void ess_caller_free(ess_driver *d) {
  free(d->caller.memory);
}

static void dress_system(ess_driver *d) {
  const ess_system *const s = &d->caller.system;
  d->system.field = field;
  d->system.guards = s->guards ? guards : NULL;
  d->system.guard_jacobian = s->guard_jacobian ? guard_jacobian : NULL;
  d->system.guard_rates = s->guard_rates || d->caller.differs ? guard_rates : NULL;
  d->system.some_guard_rates = s->some_guard_rates ? some_guard_rates : NULL;
  d->system.mode_changed = s->mode_changed ? mode_changed : NULL;
  d->system.field_jacobian = s->field_jacobian ? field_jacobian : NULL;
  d->system.field_solve = s->field_solve ? field_solve : NULL;
  d->system.field_parameter_jacobian =
      s->field_parameter_jacobian ? field_parameter_jacobian : NULL;
  d->system.guard_parameter_jacobian =
      s->guard_parameter_jacobian ? guard_parameter_jacobian : NULL;
  d->system.params = d;
  d->start = d->caller.start ? start_rows : NULL;
  if (!d->impacts) return;
  ess_impacts *const calls = &d->impacts->calls;
  calls->map = map;
  calls->jacobian = calls->jacobian ? impact_jacobian : NULL;
  calls->start = calls->start ? start_impacts : NULL;
  calls->parameter_jacobian = calls->parameter_jacobian ? impact_parameter_jacobian : NULL;
}

/* the caller's callbacks themselves: a run forward of a system that has all pays nothing */
static void undress_system(ess_driver *d) {
  d->system = d->caller.system;
  d->start = d->caller.start;
  if (d->impacts) d->impacts->calls = d->caller.impacts;
}

void ess_caller_dress(ess_driver *d) {
  const ess_caller *const c = &d->caller;
  if (c->moves || c->differs || c->way < 0.0)
    dress_system(d);
  else
    undress_system(d);
}

void ess_caller_turn(ess_driver *d, double way) {
  d->caller.way = way;
  if (d->caller.is_latched_by_state) d->latched = false;
  ess_caller_dress(d);
}

void ess_caller_begin(ess_driver *d, double t) {
  d->caller.origin = t;
}

const double *ess_caller_state(ess_driver *d, double t, const double x[]) {
  ess_caller *const c = &d->caller;
  if (!c->moves) return x;
  memcpy(c->x, x, c->system.dimension * sizeof *x);
  c->x[c->system.dimension] = t - c->origin;
  return c->x;
}

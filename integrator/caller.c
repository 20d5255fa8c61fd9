/*
 * The system that is integrated, made of the caller's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "impacts.h"
#include "tangents.h"

/* ---- its callbacks: `params` is the driver --------------------------------------------------- */

/* The caller's time of a state that is integrated. Where event functions move, the state has it,
 * and may be beside the run in time, too. But for rounding it is the run's time, which then counts
 * to the last bit: on one side of it a timed jump has been made, on the other it has not. */
static double time_of(const ess_driver *d, double t, const double x[]) {
  const ess_caller *const c = &d->caller;
  if (!c->moves) return ess_caller_time(d, t);
  const double passed = x[c->system.dimension], at = c->origin + passed;
  const double rounding = 8.0 * DBL_EPSILON * (fabs(c->origin) + fabs(passed));
  return ess_caller_time(d, fabs(at - t) <= rounding ? t : at);
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

static int plain_field(double t, const double x[], double dxdt[], void *params) {
  const ess_driver *const d = params;
  const ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const int code = s->plain_field(ess_caller_time(d, t), x, dxdt, s->params);
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

static int idle(bool idle[], void *params) {
  const ess_system *const s = &((const ess_driver *)params)->caller.system;
  return s->idle(idle, s->params);
}

static int field_parameter_jacobian(double t, const double x[], const double sign[], double Fp[],
                                    void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  const size_t all = s->dimension * s->parameters.count;
  const int code = s->parameters.field_jacobian(ess_caller_time(d, t), x, sign, Fp, s->params);
  if (d->caller.way < 0.0)
    for (size_t i = 0; i < all; i++) Fp[i] = -Fp[i];
  if (d->caller.moves) memset(Fp + all, 0, s->parameters.count * sizeof *Fp);
  return code;
}

static int guard_parameter_jacobian(double t, const double x[], double hp[], void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  return s->parameters.event_jacobian(time_of(d, t, x), x, hp, s->params);
}

static int event_functions(double t, const double x[], double h[], void *params) {
  ess_driver *const d = params;
  return ess_caller_events(d, time_of(d, t, x), x, h);
}

/* ---- rates of event functions ---------------------------------------------------------------- */

/* Rates of the caller's own event functions along (vt, v) of its time and states: of those listed,
 * if the caller gives rates, or of all, by its Jacobian; without a column for time, that part is a
 * difference. */
static int own_rates(ess_driver *d, double t, const double x[], double vt, const double v[],
                     const size_t which[], size_t count, double h[], double rate[]) {
  ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const size_t n = s->dimension;
  if (s->event_rates) return s->event_rates(t, x, vt, v, which, count, h, rate, s->params);
  const ess_sought own = {.which = c->each, .count = d->watched.first};
  const bool has_column = s->time_dependence == ESS_TIME_COLUMN;
  int code = ess_rates_by_jacobian(d, t, x, v, h, rate);
  if (code || vt == 0.0 || s->time_dependence == ESS_TIME_NONE) return code;
  memset(c->after, 0, n * sizeof *c->after); // no state moves
  if (!has_column) code = ess_slope(d, t, x, 1.0, c->after, h, &own, c->partial);
  for (size_t k = 0; k < own.count; k++)
    rate[k] += vt * (has_column ? d->caller.Dh[k * (n + 1) + n] : c->partial[k]);
  return code;
}

/* Differences of all event functions, of those sought, or of those that are watched. */
static int rates_by_differences(ess_driver *d, double t, const double x[], double vt,
                                const double v[], const ess_sought *sought, double h[],
                                double rate[]) {
  const int code = ess_sought_guards(d, t, x, sought, h);
  return code ? code : ess_slope(d, t, x, vt, v, h, sought, rate);
}

/* A list is of the caller's own event functions, and there is one only if the caller gives rates.
 */
static int event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[],
                       void *params) {
  ess_driver *const d = params;
  const ess_caller *const c = &d->caller;
  const ess_watched *const w = &d->watched;
  const ess_sought watched = {.which = c->each + w->first, .count = w->count};
  t = time_of(d, t, x);
  vt = c->moves ? c->way * v[c->system.dimension] : 0.0;
  if (c->rates == ESS_RATES_BY_DIFFERENCES)
    return rates_by_differences(d, t, x, vt, v, NULL, h, rate);
  int code = 0;
  if (w->count && !which) code = rates_by_differences(d, t, x, vt, v, &watched, h, rate);
  if (code || !w->first) return code;
  return own_rates(d, t, x, vt, v, which, which ? count : w->first, h, rate);
}

int ess_sought_guard_rates(ess_driver *d, double t, const double x[], const double v[],
                           const ess_sought *sought, double h[], double rate[]) {
  const ess_caller *const c = &d->caller;
  const bool differs = c->rates == ESS_RATES_BY_DIFFERENCES;
  if (!differs && !d->watched.count) return ess_guard_rates(d, t, x, v, h, rate);
  d->counters.event_evaluations++;
  d->apply.t_seen = t;
  const double at = time_of(d, t, x), vt = c->moves ? c->way * v[c->system.dimension] : 0.0;
  return ess_called(d, differs ? rates_by_differences(d, at, x, vt, v, sought, h, rate)
                               : own_rates(d, at, x, vt, v, NULL, d->watched.first, h, rate));
}

/* of what is watched nobody hears */
static int mode_changed(const double sign[], size_t guard, void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  const size_t own = d->watched.first;
  if (guard >= own && guard < s->event_count) return 0;
  return s->mode_changed(sign, guard < own ? guard : own, s->params);
}

static int start(double t, const double x[], double sign[], bool armed[], void *params) {
  const ess_driver *const d = params;
  const ess_system *const s = &d->caller.system;
  return s->start(time_of(d, t, x), x, sign, armed, s->params);
}

/* ---- impacts --------------------------------------------------------------------------------- */

static ess_impact seen_by_caller(const ess_driver *d, const ess_impact *impact) {
  ess_impact seen = ess_watched_impact(d, impact);
  seen.t = time_of(d, impact->t, impact->x);
  return seen;
}

static int map(ess_impact *impact, void *params) {
  ess_driver *const d = params;
  ess_impact seen = seen_by_caller(d, impact), all = *impact;
  const int code = seen.count ? d->caller.impacts.map(&seen, d->caller.system.params) : 0;
  all.t = seen.t;
  return code ? code : ess_watched_map(d, &all);
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
  ess_impact beside = ess_impact_beside(d, &seen, after, seen.x, c->after);
  code = c->impacts.map(&beside, c->system.params);
  beside = ess_impact_beside(d, &seen, before, seen.x, c->beside);
  if (!code) code = c->impacts.map(&beside, c->system.params);
  for (size_t i = 0; i < n; i++)
    DR[i * (n + 1) + n] = c->way * (c->after[i] - c->beside[i]) / (after - before);
  return code;
}

static int impact_parameter_jacobian(const ess_impact *impact, double Rp[], void *params) {
  const ess_driver *const d = params;
  const ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  const ess_impact seen = seen_by_caller(d, impact);
  if (c->moves)
    memset(Rp + s->dimension * s->parameters.count, 0, s->parameters.count * sizeof *Rp);
  return c->impacts.parameter_jacobian(&seen, Rp, s->params);
}

/* ---- the driver's ---------------------------------------------------------------------------- */

void ess_caller_lay(ess_driver *d, ess_layout *l) {
  ess_caller *const c = &d->caller;
  const size_t n = c->system.dimension + 1, m = c->system.event_count;
  ESS_LAY(l, double, n, &c->x, &c->beside, &c->after);
  ESS_LAY(l, double, m, &c->above, &c->below, &c->best, &c->off, &c->bent, &c->rate, &c->rounding,
          &c->terms, &c->partial);
  ESS_LAY(l, size_t, m, &c->each);
}

bool ess_caller_take(ess_driver *d, const ess_system *system) {
  ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system; // with what it watches
  const size_t most = SIZE_MAX / sizeof(double) / 64;
  if (system->dimension > most || system->event_count > most || system->watch.count > most)
    return false;
  c->system = *system;
  ess_watched_join(d, &c->system);
  d->system = c->system;
  c->way = 1.0;
  c->has_rows = system->resets != NULL;
  const bool differs = s->event_count && !s->event_jacobian && !s->event_rates;
  const bool by_time = s->time_dependence == ESS_TIME_DIFFERENCED && !s->event_rates;
  c->rates = differs   ? ESS_RATES_BY_DIFFERENCES
             : by_time ? ESS_RATES_GIVEN_BUT_FOR_TIME
                       : ESS_RATES_GIVEN;
  // differences know what depends on time, and need not be told
  c->moves = s->event_count && (s->time_dependence != ESS_TIME_NONE || s->watch.count || differs);
  if (system->impacts) c->impacts = *system->impacts;
  c->system.resets = NULL;
  c->system.impacts = NULL;
  c->system.kinds = NULL;
  c->system.distances = NULL;
  if (c->moves) d->system.dimension++;
  return true;
}

void ess_caller_dress(ess_driver *d) {
  const ess_caller *const c = &d->caller;
  const ess_system *const s = &c->system;
  // the caller's callbacks themselves: a run forward of a system that has all pays nothing
  if (!c->moves && c->way > 0.0) {
    d->system = *s;
    if (d->impacts) d->impacts->calls = c->impacts;
    return;
  }
  d->system.field = field;
  d->system.event_functions = event_functions;
  d->system.event_rates = event_rates;
  d->system.mode_changed = s->mode_changed ? mode_changed : NULL;
  d->system.field_jacobian = s->field_jacobian ? field_jacobian : NULL;
  d->system.field_solve = s->field_solve ? field_solve : NULL;
  d->system.plain_field = s->plain_field ? plain_field : NULL;
  d->system.idle = s->idle ? idle : NULL;
  d->system.parameters.field_jacobian =
      s->parameters.field_jacobian ? field_parameter_jacobian : NULL;
  d->system.parameters.event_jacobian =
      s->parameters.event_jacobian ? guard_parameter_jacobian : NULL;
  d->system.params = d;
  d->system.start = s->start ? start : NULL;
  if (!d->impacts) return;
  ess_impacts *const calls = &d->impacts->calls;
  calls->map = map;
  calls->jacobian = calls->jacobian ? impact_jacobian : NULL;
  calls->parameter_jacobian = calls->parameter_jacobian ? impact_parameter_jacobian : NULL;
}

void ess_caller_turn(ess_driver *d, double way) {
  d->caller.way = way;
  // without these the mode is no more than on which side of the guards the state is
  if (!d->caller.has_rows && !d->impacts && !d->caller.system.start) d->apply.phase = ESS_PHASE_NEW;
  ess_caller_dress(d);
}

const double *ess_caller_state(ess_driver *d, double t, const double x[]) {
  ess_caller *const c = &d->caller;
  if (!c->moves) return x;
  memcpy(c->x, x, c->system.dimension * sizeof *x);
  c->x[c->system.dimension] = t - c->origin;
  return c->x;
}

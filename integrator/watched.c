/*
 * Functions that are only watched, as event functions after the caller's: its callbacks see none of
 * them.
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
#include "suspect.h"
#include "watched.h"

const char *ess_watched_check(const ess_system *s, const ess_options *o) {
  const ess_watch *const w = &s->watch;
  if (!w->count) return NULL;
  if (!w->values) return "watch.values must not be NULL when watch.count > 0";
  if (o->method == ESS_METHOD_PAPER)
    return "watch.count must be 0 by ESS_METHOD_PAPER, whose projections would move the state";
  for (size_t i = 0; w->direction && i < w->count; i++)
    if (w->direction[i] < -1 || w->direction[i] > 1)
      return "each of watch.direction must be -1, 0 or +1";
  return NULL;
}

/* ---- the joined system's callbacks: `params` is the driver ------------------------------------
 */

static const ess_system *callers(const void *params) {
  return &((const ess_driver *)params)->watched.system;
}

static int field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const ess_system *const s = callers(params);
  return s->field(t, x, sign, dxdt, s->params);
}

static int field_jacobian(double t, const double x[], const double sign[], double J[],
                          void *params) {
  const ess_system *const s = callers(params);
  return s->field_jacobian(t, x, sign, J, s->params);
}

static int field_solve(double t, const double x[], const double sign[], double c, double v[],
                       void *params) {
  const ess_system *const s = callers(params);
  return s->field_solve(t, x, sign, c, v, s->params);
}

static int field_parameter_jacobian(double t, const double x[], const double sign[], double Fp[],
                                    void *params) {
  const ess_system *const s = callers(params);
  return s->field_parameter_jacobian(t, x, sign, Fp, s->params);
}

static int guards(double t, const double x[], double h[], void *params) {
  const ess_system *const s = callers(params);
  const int code = s->guard_count ? s->guards(t, x, h, s->params) : 0;
  return code ? code : s->watch.values(t, x, h + s->guard_count, s->params);
}

static int mode_changed(const double sign[], size_t guard, void *params) {
  const ess_system *const s = callers(params);
  const size_t m = s->guard_count, all = m + s->watch.count;
  if (guard >= m && guard < all) return 0;
  return s->mode_changed(sign, guard < m ? guard : m, s->params);
}

static int start_rows(const double sign[], bool armed[], void *params) {
  const ess_watched *const w = &((const ess_driver *)params)->watched;
  return w->start(sign, armed, w->system.params);
}

static int start_impacts(double t, const double x[], double sign[], bool armed[], void *params) {
  const ess_watched *const w = &((const ess_driver *)params)->watched;
  return w->callers.start(t, x, sign, armed, w->system.params);
}

/* ---- impacts ----------------------------------------------------------------------------------
 */

/* an impact with those of its events that the caller knows of */
static ess_impact seen_by_caller(const ess_watched *w, const ess_impact *impact) {
  ess_impact seen = *impact;
  seen.count = 0;
  seen.events = w->events;
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] < w->first) w->events[seen.count++] = impact->events[i];
  return seen;
}

/* A watched function is on the side afterwards on which its value is. Where that is zero but for
 * rounding it stays where it was or, if it was zero at the impact, is where the field takes it. */
static void read_side(ess_driver *d, const ess_impact *impact, size_t k) {
  const ess_watched *const w = &d->watched;
  const bool is_met = ess_is_listed(impact->events, impact->count, k);
  const double near = ess_larger(w->rounding[k], is_met ? 2.0 * fabs(w->h_before[k]) : 0.0);
  double side = w->h[k];
  if (!(fabs(side) > near)) side = is_met ? d->caller.way * w->rate[k] : 0.0;
  if (side < 0.0 || side > 0.0) impact->mode[k] = side < 0.0 ? -1.0 : 1.0;
}

/* whether one may have jumped past zero, or is there: what is rounding has to be known */
static bool any_near(const ess_watched *w, const ess_impact *impact) {
  bool any = impact->count && impact->events[impact->count - 1] >= w->first;
  for (size_t k = w->first; k < w->first + w->count; k++)
    any = any || !(impact->mode[k] * w->h[k] > 0.0);
  return any;
}

/* what is rounding in the state after the impact, which may come without the time that has passed
 */
static int find_roundings(ess_driver *d, const ess_impact *impact) {
  const ess_watched *const w = &d->watched;
  double *const before = d->x;
  memcpy(w->x, d->x, d->system.dimension * sizeof *w->x);
  memcpy(w->x, impact->after, w->system.dimension * sizeof *w->x);
  d->x = w->x;
  const int status = ess_rounding_errors(d, w->rounding);
  d->x = before;
  return status;
}

static int read_sides(ess_driver *d, const ess_impact *impact) {
  const ess_watched *const w = &d->watched;
  const ess_system *const s = &w->system;
  int code = s->field(impact->t, impact->after, impact->mode, w->v, s->params);
  if (!code) code = guards(impact->t, impact->x, w->h_before, d);
  if (!code) code = guards(impact->t, impact->after, w->h, d);
  if (!code && any_near(w, impact)) code = find_roundings(d, impact);
  if (!code) code = ess_slope(d, impact->t, impact->after, 1.0, w->v, w->h, w->rate);
  for (size_t k = w->first; !code && k < w->first + w->count; k++) read_side(d, impact, k);
  return code;
}

static int map(ess_impact *impact, void *params) {
  ess_driver *const d = params;
  const ess_watched *const w = &d->watched;
  ess_impact seen = seen_by_caller(w, impact);
  int code = seen.count ? w->callers.map(&seen, w->system.params) : 0;
  if (!code) code = read_sides(d, impact);
  for (size_t k = w->first; k < w->first + w->count; k++) {
    impact->armed[ESS_GUARD_UP(k)] = impact->mode[k] < 0.0;
    impact->armed[ESS_GUARD_DOWN(k)] = impact->mode[k] > 0.0;
  }
  return code;
}

static int impact_jacobian(const ess_impact *impact, double DR[], void *params) {
  const ess_watched *const w = &((const ess_driver *)params)->watched;
  const ess_impact seen = seen_by_caller(w, impact);
  return w->callers.jacobian(&seen, DR, w->system.params);
}

static int impact_parameter_jacobian(const ess_impact *impact, double Rp[], void *params) {
  const ess_watched *const w = &((const ess_driver *)params)->watched;
  const ess_impact seen = seen_by_caller(w, impact);
  return w->callers.parameter_jacobian(&seen, Rp, w->system.params);
}

/* ---- observers: the context is the driver -----------------------------------------------------
 */

static int tell_step(const ess_step_info *info, void *context) {
  const ess_observer *const o = &((const ess_driver *)context)->watched.observer;
  return o->step(info, o->context);
}

/* whether it is the last of the events that the run was to have */
static bool is_last(ess_watched *w, size_t i) {
  if (w->left[i] == 0 || --w->left[i] > 0) return false;
  w->left[i] = w->stop[i];
  return true;
}

static int tell_crossing(const ess_crossing_info *info, void *context) {
  ess_watched *const w = &((ess_driver *)context)->watched;
  const ess_observer *const o = &w->observer;
  if (info->guard < w->first) return o->crossing ? o->crossing(info, o->context) : 0;
  ess_crossing_info seen = *info;
  seen.guard -= w->first;
  if (w->direction[seen.guard] * info->direction < 0) return 0;
  const bool last = is_last(w, seen.guard);
  return (o->event && o->event(&seen, o->context) != 0) || last;
}

/* Which way an impact has taken event function k past zero; 0 where it has not, or where k is zero
 * there, and told of anyway. By the impact that is made: tangents call the map for others beside.
 */
static int way_of_jump(const ess_impact *impact, size_t k) {
  if (ess_is_listed(impact->events, impact->count, k) || impact->sign[k] == impact->mode[k])
    return 0;
  return impact->mode[k] < 0.0 ? -1 : 1;
}

/* the impact, and then what its jump has taken past zero */
static int tell_impact(const ess_impact *impact, void *context) {
  ess_driver *const d = context;
  ess_watched *const w = &d->watched;
  const ess_impact seen = seen_by_caller(w, impact);
  const ess_observer *const o = &w->observer;
  bool stop = seen.count && o->impact && o->impact(&seen, o->context) != 0;
  w->jump_t = d->t;
  for (size_t i = 0; i < w->count; i++) {
    w->jumped[i] = way_of_jump(impact, w->first + i);
    if (!w->jumped[i]) continue;
    const ess_crossing_info info = {.guard = w->first + i,
                                    .direction = w->jumped[i],
                                    .t = impact->t,
                                    .x = impact->after,
                                    .sign = impact->mode};
    stop = tell_crossing(&info, context) != 0 || stop;
  }
  return stop;
}

static int tell_slide(const ess_slide_info *info, void *context) {
  const ess_observer *const o = &((const ess_driver *)context)->watched.observer;
  return o->slide(info, o->context);
}

ess_observer ess_watched_observer(ess_driver *d, const ess_observer *observer) {
  ess_watched *const w = &d->watched;
  if (!w->count) return *observer;
  w->observer = *observer;
  return (ess_observer){.step = observer->step ? tell_step : NULL,
                        .crossing = tell_crossing,
                        .impact = tell_impact,
                        .slide = observer->slide ? tell_slide : NULL,
                        .context = d};
}

/* ---- the driver's -----------------------------------------------------------------------------
 */

static bool allocate(ess_watched *w) {
  const size_t n = w->system.dimension + 1, m = w->first, most = SIZE_MAX / sizeof(double) / 32;
  if (n > most || m > most || w->count > most) return false;
  const size_t all = m + w->count;
  w->bytes = (2 * n + 4 * all) * sizeof(double) + 2 * w->count * sizeof(uint64_t) +
             (m + 1) * sizeof(size_t) + 2 * w->count * sizeof(int);
  w->memory = calloc(1, w->bytes);
  if (!w->memory) return false;
  w->v = w->memory;
  w->x = w->v + n;
  w->h = w->x + n;
  w->h_before = w->h + all;
  w->rate = w->h_before + all;
  w->rounding = w->rate + all;
  w->stop = (uint64_t *)(w->rounding + all);
  w->left = w->stop + w->count;
  w->events = (size_t *)(w->left + w->count);
  w->direction = (int *)(w->events + m + 1);
  w->jumped = w->direction + w->count;
  const ess_watch *const watch = &w->system.watch;
  if (watch->stop) memcpy(w->stop, watch->stop, w->count * sizeof *w->stop);
  if (watch->direction) memcpy(w->direction, watch->direction, w->count * sizeof *w->direction);
  return true;
}

static void join_resets(ess_watched *w, ess_system *joined) {
  w->start = joined->resets->start;
  w->resets = *joined->resets;
  w->resets.start = w->start ? start_rows : NULL;
  joined->resets = &w->resets;
}

static void join_impacts(ess_watched *w, ess_system *joined) {
  const ess_impacts *const own = joined->impacts;
  w->callers = *own;
  w->impacts = (ess_impacts){.at = own->at,
                             .map = map,
                             .jacobian = own->jacobian ? impact_jacobian : NULL,
                             .start = own->start ? start_impacts : NULL,
                             .parameter_jacobian =
                                 own->parameter_jacobian ? impact_parameter_jacobian : NULL};
  joined->impacts = &w->impacts;
}

bool ess_watched_join(ess_driver *d, const ess_system *s, ess_system *joined) {
  ess_watched *const w = &d->watched;
  w->first = s->guard_count;
  w->count = s->watch.count;
  *joined = *s;
  if (!w->count) return true;
  w->system = *s;
  w->system.resets = NULL;
  w->system.impacts = NULL;
  if (!allocate(w)) return false;
  // its own arrays are the driver's from here on: what the caller's become of is no matter
  w->system.watch.direction = joined->watch.direction = NULL;
  w->system.watch.stop = joined->watch.stop = NULL;
  joined->guard_count = w->first + w->count;
  joined->guards_move = true;
  joined->field = field;
  joined->field_jacobian = s->field_jacobian ? field_jacobian : NULL;
  joined->field_solve = s->field_solve ? field_solve : NULL;
  joined->guards = guards;
  joined->guard_jacobian = NULL;
  joined->guard_rates = NULL;
  joined->some_guard_rates = NULL;
  joined->guard_time_rates = NULL;
  joined->guard_parameter_jacobian = NULL;
  joined->field_parameter_jacobian = s->field_parameter_jacobian ? field_parameter_jacobian : NULL;
  joined->mode_changed = s->mode_changed ? mode_changed : NULL;
  joined->params = d;
  if (s->resets) join_resets(w, joined);
  if (s->impacts) join_impacts(w, joined);
  return true;
}

void ess_watched_free(ess_driver *d) {
  free(d->watched.memory);
}

void ess_watched_reset(ess_driver *d) {
  ess_watched *const w = &d->watched;
  for (size_t i = 0; i < w->count; i++) w->left[i] = w->stop[i];
}

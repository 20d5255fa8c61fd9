/*
 * Functions that are only watched, as event functions after the caller's: its callbacks and its
 * observer see none of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"

const char *ess_watched_check(const ess_system *s) {
  const ess_watch *const w = &s->watch;
  if (!w->count) return NULL;
  if (!w->values) return "watch.values must not be NULL when watch.count > 0";
  for (size_t i = 0; w->direction && i < w->count; i++)
    if (w->direction[i] < -1 || w->direction[i] > 1)
      return "each of watch.direction must be -1, 0 or +1";
  return NULL;
}

/* ---- impacts --------------------------------------------------------------------------------- */

ess_impact ess_watched_impact(const ess_driver *d, const ess_impact *impact) {
  const ess_watched *const w = &d->watched;
  ess_impact seen = *impact;
  if (!w->count) return seen;
  seen.count = 0;
  seen.events = w->events;
  for (size_t i = 0; i < impact->count; i++)
    if (impact->events[i] < w->first) w->events[seen.count++] = impact->events[i];
  return seen;
}

/* A watched function is on the side afterwards on which its value is. Where that is zero but for
 * rounding it stays where it was or, if it was zero at the impact, is where the field takes it. */
int ess_watched_map(ess_driver *d, ess_impact *impact) {
  const ess_watched *const w = &d->watched;
  const ess_system *const s = &d->caller.system;
  const ess_sought watched = {.which = d->caller.each + w->first, .count = w->count};
  if (!w->count) return 0;
  // a model that keeps the mode has to know the one after the impact, which may yet be refused
  int code = s->mode_changed ? s->mode_changed(impact->mode, w->first, s->params) : 0;
  if (!code) d->counters.field_evaluations++;
  if (!code) code = s->field(impact->t, impact->after, impact->mode, w->v, s->params);
  if (!code && s->mode_changed) code = s->mode_changed(d->sign, w->first, s->params);
  if (!code) code = ess_watch_values(d, impact->t, impact->x, w->h_before);
  if (!code) code = ess_watch_values(d, impact->t, impact->after, w->h);
  // where one may have jumped past zero, or is there, the rounding of the state after the impact
  // has to be known, which may come without the time that has passed
  bool any_near = impact->count && impact->events[impact->count - 1] >= w->first;
  for (size_t k = w->first; k < w->first + w->count; k++)
    any_near = any_near || !(impact->mode[k] * w->h[k] > 0.0);
  if (!code && any_near) {
    double *const before = d->x;
    memcpy(w->x, d->x, d->system.dimension * sizeof *w->x);
    memcpy(w->x, impact->after, ess_caller_states(d) * sizeof *w->x);
    d->x = w->x;
    code = ess_map_errors(d, impact->x, impact->after, w->rounding);
    d->x = before;
  }
  if (!code) code = ess_slope(d, impact->t, impact->after, 1.0, w->v, w->h, &watched, w->rate);
  for (size_t k = w->first; k < w->first + w->count; k++) {
    const bool is_met = ess_is_listed(impact->events, impact->count, k);
    const double near = ess_larger(w->rounding[k], is_met ? 2.0 * fabs(w->h_before[k]) : 0.0);
    double side = w->h[k];
    if (!(fabs(side) > near)) side = is_met ? d->caller.way * w->rate[k] : 0.0;
    if (!code && (side < 0.0 || side > 0.0)) impact->mode[k] = side < 0.0 ? -1.0 : 1.0;
    impact->armed[ESS_GUARD_UP(k)] = impact->mode[k] < 0.0;
    impact->armed[ESS_GUARD_DOWN(k)] = impact->mode[k] > 0.0;
  }
  return code;
}

/* ---- an initial condition at an event ---------------------------------------------------------
 */

/* A crossing is located to ESS_LOCATED, and to what the state does not feel. This part of a first
 * step later it has been made. */
static const double SHORTLY = 1e-3;

int ess_watched_pass(ess_driver *d) {
  const ess_watched *const w = &d->watched;
  bool looked = false;
  double step;
  for (size_t k = w->first; k < w->first + w->count; k++) {
    if (!(d->h[k] * d->rate[k] < 0.0)) continue;
    // one that reaches zero so soon counts as zero
    const double soon = -d->h[k] / d->rate[k];
    double size = 0.0, moved = 0.0; // in tolerances
    for (size_t i = 0; i < ess_caller_states(d); i++) {
      const double tolerance = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
      if (d->x[i] != 0.0) size = ess_larger(size, fabs(d->x[i]) / tolerance);
      if (d->f[i] != 0.0) moved = ess_larger(moved, soon * fabs(d->f[i]) / tolerance);
    }
    const bool is_zero = moved <= ess_smaller(ESS_LOCATED * size, ESS_UNFELT);
    if (!is_zero && !(soon <= ess_time_rounding(d))) continue;
    int status = looked ? ESS_SUCCESS : ess_control_first(d, d->t + 1.0, &step);
    if (!status && !looked) status = ess_look_later(d, SHORTLY * step);
    if (status) return status;
    looked = true;
    // one that turns back before its zero has not passed it
    const bool passes = d->h[k] * d->h_try[k] < 0.0 && d->rate[k] * d->rate_end[k] > 0.0;
    if (passes) d->sign[k] = -d->sign[k];
  }
  return ESS_SUCCESS;
}

/* ---- observers: the context is the driver ---------------------------------------------------- */

static int tell_step(const ess_step_info *info, void *context) {
  const ess_observer *const o = &((const ess_driver *)context)->watched.observer;
  return o->step(info, o->context);
}

static int tell_crossing(const ess_crossing_info *info, void *context) {
  ess_watched *const w = &((ess_driver *)context)->watched;
  const ess_observer *const o = &w->observer;
  if (info->event < w->first) return o->crossing ? o->crossing(info, o->context) : 0;
  ess_crossing_info seen = *info;
  seen.event -= w->first;
  if (w->direction[seen.event] * info->direction < 0) return 0;
  // the last of the events that the run was to have
  uint64_t *const left = &w->left[seen.event];
  const bool last = *left > 0 && --*left == 0;
  if (last) *left = w->stop[seen.event];
  return (o->event && o->event(&seen, o->context) != 0) || last;
}

/* The impact, and then the crossings that its jump makes: not of event functions that are zero
 * there, whose crossings are reported anyway. By the impact that is made: tangents call the map for
 * others beside. */
static int tell_impact(const ess_impact *impact, void *context) {
  ess_driver *const d = context;
  ess_watched *const w = &d->watched;
  const ess_impact seen = ess_watched_impact(d, impact);
  const ess_observer *const o = &w->observer;
  bool stop = seen.count && o->impact && o->impact(&seen, o->context) != 0;
  w->jump_t = d->t;
  for (size_t i = 0; i < w->count; i++) {
    const size_t k = w->first + i;
    const bool stays = impact->sign[k] == impact->mode[k];
    const bool is_zero = ess_is_listed(impact->events, impact->count, k);
    w->jumped[i] = stays || is_zero ? 0 : impact->mode[k] < 0.0 ? -1 : 1;
    if (!w->jumped[i]) continue;
    const ess_crossing_info info = {.event = k,
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

/* ---- the driver's ---------------------------------------------------------------------------- */

void ess_watched_join(ess_driver *d, ess_system *system) {
  ess_watched *const w = &d->watched;
  w->first = system->event_count;
  w->count = system->watch.count;
  if (!w->count) return;
  // its own arrays are the driver's from here on: what the caller's become of is no matter
  system->watch.direction = NULL;
  system->watch.stop = NULL;
  system->event_count = w->first + w->count;
  system->parameters.event_jacobian = NULL;
}

void ess_watched_lay(ess_driver *d, ess_layout *l) {
  ess_watched *const w = &d->watched;
  const size_t n = ess_caller_states(d) + 1, all = w->first + w->count;
  ESS_LAY(l, double, n, &w->v, &w->x);
  ESS_LAY(l, double, all, &w->h, &w->h_before, &w->rate, &w->rounding);
  ESS_LAY(l, uint64_t, w->count, &w->stop, &w->left);
  ESS_LAY(l, size_t, w->first, &w->events);
  ESS_LAY(l, int, w->count, &w->direction, &w->jumped);
}

void ess_watched_take(ess_driver *d, const ess_watch *watch) {
  const ess_watched *const w = &d->watched;
  if (watch->stop) memcpy(w->stop, watch->stop, w->count * sizeof *w->stop);
  if (watch->direction) memcpy(w->direction, watch->direction, w->count * sizeof *w->direction);
}

void ess_watched_reset(ess_driver *d) {
  ess_watched *const w = &d->watched;
  for (size_t i = 0; i < w->count; i++) w->left[i] = w->stop[i];
}

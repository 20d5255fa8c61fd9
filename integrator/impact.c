/*
 * Impacts: all events of an instant are handed to the caller's map, which returns state, mode and
 * armed guards.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

const char *ess_impacts_check(const ess_system *s) {
  const ess_impacts *const impacts = s->impacts;
  if (!impacts) return NULL;
  if (!impacts->map) return "impacts->map must not be NULL";
  if (!s->event_count) return "event_count must be at least 1 where there are impacts";
  return NULL;
}

void ess_impacts_lay(ess_driver *d, ess_layout *l) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.event_count;
  ESS_LAY(l, double, d->lanes, &w->x, &w->after);
  ESS_LAY(l, double, d->blocks *ESS_BLOCK, &w->sign, &w->side, &w->h, &w->doubt, &w->mode, &w->met,
          &w->stopped, &w->left, &w->beyond, &w->mode_beside);
  ESS_LAY(l, size_t, m, &w->events);
  ESS_LAY(l, bool, 2 * m, &w->armed_beside);
  ESS_LAY(l, bool, m, &w->pending, &w->is_checked);
}

void ess_impacts_take(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  w->calls = *d->system.impacts;
}

void ess_impacts_forget(ess_driver *d) {
  if (!d->impacts) return;
  memset(d->impacts->is_checked, 0, d->system.event_count * sizeof *d->impacts->is_checked);
  d->impacts->t_stopped = d->impacts->t_open = NAN;
}

/* why an impact's map is refused, in one line */
static int refuse_map(ess_driver *d, size_t k, const char *reason) {
  const int status = ess_fail(d, ESS_EIMPACT, k);
  d->failure.reason = reason;
  return status;
}

/* ---- an impact ------------------------------------------------------------------------------- */

/* Whether the map has left mode and armed guards as they are after the rows of the guards crossed,
 * which it has been called with armed. */
static bool is_untouched(const ess_driver *d, const ess_impact *impact) {
  bool same = true;
  for (size_t guard = 0; same && guard < 2 * d->system.event_count; guard++) {
    const size_t k = guard / 2;
    const bool is_crossed = ess_sign_before(guard) == impact->sign[k] &&
                            ess_is_listed(impact->events, impact->count, k);
    const bool is_mirrored = ess_is_armed(d, k) && ess_guard_ahead(d, k) == ess_mirror(guard);
    const bool was = (ess_is_armed(d, k) && ess_guard_ahead(d, k) == guard) ||
                     (is_crossed && (!d->caller.has_rows || is_mirrored));
    same = impact->mode[k] == d->sign[k] && impact->armed[guard] == was;
  }
  return same;
}

/* The first impact of each event function shows a map that would be called again and again. Where
 * it turns the state back and leaves the mode, untouched, on the far side of the guard, the way
 * back is an impact, too, and so on. A timed jump that is put before its time is made again. */
static int check_map(ess_driver *d, const ess_impact *impact) {
  ess_impact_work *const w = d->impacts;
  double *const f = d->stage[1];
  const bool untouched = is_untouched(d, impact);
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < impact->count; i++) {
    const size_t k = impact->events[i];
    const size_t guard = impact->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
    bool timed = false;
    if (w->is_checked[k]) continue;
    if (untouched && ess_is_impact(d, k)) {
      status = ess_field(d, d->t, w->after, f);
      if (!status) status = ess_guard_rates(d, d->t, w->after, f, d->h_try, d->rate_try);
      const double rate = d->side[k] * d->rate_try[k], g = d->side[k] * d->h_try[k];
      const bool turns = rate > ESS_SAME * fabs(w->met[k]) && g + ess_tie(d) * rate >= 0.0;
      if (!status && turns && impact->sign[k] != w->mode[k])
        return refuse_map(d, k, "the map turns the state back and sets neither mode nor armed");
    }
    if (!status && w->mode[k] == impact->sign[k] && d->rows.armed[guard])
      status = ess_is_timed(d, k, &timed);
    if (timed)
      return refuse_map(d, k, "a jump at the same time twice: the map puts mode back before it");
    w->is_checked[k] = !status;
  }
  return status;
}

/* Crosses the events listed, but for those that the row of another has disarmed, and calls their
 * map. The mode is as before when that fails. */
static int map_events(ess_driver *d, size_t count, bool carried, ess_impact *impact) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.event_count;
  int status = ESS_SUCCESS;
  w->count = 0;
  for (size_t i = 0; !status && i < count; i++) {
    const size_t k = w->events[i];
    if (d->side[k] != w->side[k]) continue;
    status = ess_count_crossing(d, k);
    if (!status) status = ess_cross(d, k);
    w->events[w->count++] = k;
  }
  *impact = ess_impact_of(d, d->t, w->count, carried);
  if (status) return status;
  memcpy(w->after, w->x, d->lanes * sizeof *w->x);
  memcpy(w->mode, d->sign, m * sizeof *w->mode);
  ess_list_armed(d, d->rows.armed);
  d->apply.t_seen = d->t;
  const int code = ess_call_map(d, impact);
  if (code) return ess_callback_failed(d, code);
  status = ess_check_mode(d, w->mode, w->events[0], "each of mode must be exactly -1.0 or +1.0");
  if (!status && !ess_are_finite(w->after, d->system.dimension))
    status = refuse_map(d, w->events[0], "each of after must be finite");
  if (!status) status = check_map(d, impact);
  if (status) return status;
  return carried ? ess_tangent_carried(d, impact) : ess_tangent_impact(d, impact);
}

/* the events listed, by one call of the map */
static int make_events(ess_driver *d, size_t count, bool carried) {
  ess_impact_work *const w = d->impacts;
  const ess_observer *const o = &d->options.observer;
  const size_t m = d->system.event_count, first = w->events[0];
  ess_impact impact;
  memcpy(w->x, d->x, d->lanes * sizeof *w->x);
  memcpy(w->sign, d->sign, m * sizeof *w->sign);
  memcpy(w->side, d->side, m * sizeof *w->side);
  memcpy(w->h, d->h, m * sizeof *w->h);
  memcpy(w->met, d->rate, m * sizeof *w->met);
  int status = map_events(d, count, carried, &impact);
  if (status) {
    ess_take_sides(d, w->sign, w->side); // as before the impact
    return status;
  }
  d->counters.impacts++;
  d->counters.crossings += impact.count;
  w->t_open = d->t;
  ess_set_mode(d, w->mode, d->rows.armed);
  memcpy(d->x, w->after, d->lanes * sizeof *d->x);
  ess_sample_node(d);
  status = ess_announce(d, m);
  ess_impact seen = impact;
  seen.t = ess_caller_time(d, impact.t);
  w->observed = &impact;
  bool stop = o->impact && o->impact(&seen, o->context) != 0;
  w->observed = NULL;
  for (size_t i = 0; i < impact.count; i++) {
    const size_t k = impact.events[i];
    stop = ess_observe_crossing(d, k, impact.sign[k] < 0.0 ? 1 : -1, impact.t, d->x) || stop;
  }
  return stop && !status ? ess_fail(d, ESS_ESTOP, first) : status;
}

/* Evaluates the node after an impact. A state that the map has stopped on its guard, which is ahead
 * as before, has a rate that is rounding beside the one before the impact: ess_evaluate_node makes
 * it zero, and the acceleration decides. */
static int evaluate_after(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  if (d->t != w->t_stopped) memset(w->stopped, 0, d->system.event_count * sizeof *w->stopped);
  w->t_stopped = d->t;
  for (size_t i = 0; i < w->count; i++) {
    const size_t k = w->events[i];
    const bool is_ahead = ess_is_armed(d, k) && d->side[k] == w->side[k];
    w->stopped[k] = is_ahead ? ess_larger(w->stopped[k], fabs(w->met[k])) : 0.0;
  }
  const int status = ess_evaluate_node(d);
  for (size_t i = 0; !status && i < w->count; i++) {
    const size_t k = w->events[i];
    if (w->stopped[k] > 0.0 && d->rate[k] == 0.0)
      d->returns.of[ess_guard_ahead(d, k)].has_stopped = true;
  }
  return status;
}

/* Crosses guards that the last map, or one before it at this instant, has carried the state past,
 * by more than rounding, at once: the field does not point to them any more. The same of guards
 * that it has armed while the state is beyond them, by more than the tolerance. Impacts are made
 * together, before another crossing. */
static int make_carried(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  for (;;) {
    size_t count = 0, crossing = SIZE_MAX;
    bool asked = false;
    int status = ESS_SUCCESS;
    for (size_t k = 0; !status && k < d->system.event_count; k++) {
      const double now = d->side[k] * d->h[k], before = d->side[k] * w->h[k];
      const bool anew = w->side[k] != d->side[k] && !ess_is_listed(w->events, w->count, k);
      const double by = anew || w->pending[k] ? now : now - ess_larger(before, 0.0);
      w->pending[k] = false;
      if (!(now > 0.0) || !(by > 0.0)) continue;
      if (!asked) status = ess_map_errors(d, w->x, w->after, w->doubt);
      asked = true;
      if (!status && anew) status = ess_allowed_error(d, k, &w->doubt[k]);
      w->pending[k] = !status && by > w->doubt[k];
    }
    for (size_t k = 0; !status && k < d->system.event_count; k++) {
      if (!w->pending[k]) continue;
      if (ess_is_impact(d, k))
        w->events[count++] = k;
      else
        crossing = k;
    }
    if (status || (!count && crossing == SIZE_MAX)) return status;
    status = count ? make_events(d, count, true) : ess_make_crossing(d, crossing, true);
    if (!status) status = evaluate_after(d);
    if (status) return status;
  }
}

int ess_finish_impact(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  if (!w || w->t_open != d->t) return ESS_SUCCESS;
  const bool may_rest = ess_may_rest(d);
  int status = may_rest ? ESS_SUCCESS : ess_end_zeno(d, w->zeno);
  if (!status) status = evaluate_after(d);
  if (!status && may_rest) status = ess_rest_instead(d, ess_end_zeno(d, w->zeno));
  if (!status) status = make_carried(d);
  if (!status) status = ess_let_rest(d);
  if (!status) status = ess_end_stopped(d);
  const bool ends = status == ESS_EZENO || status == ESS_EGRAZING || status == ESS_ECHATTER;
  if (!status || ends || status == ESS_ENDS) w->t_open = NAN;
  return status;
}

int ess_make_impact(ess_driver *d, size_t k) {
  ess_impact_work *const w = d->impacts;
  // a state off its surfaces by the error of a step would seem to be taken off by the impact
  int status = ess_is_sliding(d) ? ess_slide_put_back(d, ESS_DRIFT) : ESS_SUCCESS;
  if (status) return status;
  size_t count = ess_gather_events(d, k, d->h, d->rate, w->events);
  w->t_open = NAN;
  memset(w->pending, 0, d->system.event_count * sizeof *w->pending);
  status = ess_keep_unordered(d, k, w->events, &count);
  if (!status) status = ess_note_impacts(d, count, w->events, &w->zeno);
  if (!status && isnan(w->zeno)) status = ess_refuse_grazing(d, k, &w->zeno);
  if (!status) status = make_events(d, count, false);
  // of several impacts nobody knows each one's part
  if (ess_may_rest(d) && w->t_open == d->t && w->count == 1 && ess_is_impact(d, w->events[0]))
    ess_rest_note(d, w->events[0], w->x, w->after);
  return status ? status : ess_finish_impact(d);
}

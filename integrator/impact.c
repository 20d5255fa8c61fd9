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
  if (!s->guard_count) return "guard_count must be at least 1 where there are impacts";
  for (size_t j = 0; s->resets && s->resets->silent && j < 2 * s->guard_count; j++)
    if (s->resets->silent[j] && (!impacts->at || impacts->at[j]))
      return "a guard whose crossing is an impact must not be silent";
  return NULL;
}

void ess_impacts_lay(ess_driver *d, ess_layout *l) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.guard_count;
  ESS_LAY(l, double, d->lanes, &w->x, &w->after);
  ESS_LAY(l, double, d->blocks *ESS_BLOCK, &w->sign, &w->side, &w->h, &w->doubt, &w->mode, &w->met,
          &w->stopped, &w->left, &w->beyond, &w->mode_before);
  ESS_LAY(l, size_t, m, &w->events);
  ESS_LAY(l, bool, 2 * m, &w->at, &w->armed, &w->armed_before);
  ESS_LAY(l, bool, m, &w->carried, &w->rests, &w->pending, &w->is_checked);
}

void ess_impacts_take(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  w->calls = *d->system.impacts;
  for (size_t j = 0; j < 2 * d->watched.first; j++) w->at[j] = !w->calls.at || w->calls.at[j];
  w->calls.at = NULL;
  w->has_rows = d->system.resets != NULL;
}

void ess_impacts_forget(ess_driver *d) {
  if (!d->impacts) return;
  memset(d->impacts->is_checked, 0, d->system.guard_count * sizeof *d->impacts->is_checked);
  d->impacts->t_stopped = d->impacts->t_open = NAN;
}

static bool is_mode(const ess_driver *d, const double mode[]) {
  size_t k = 0;
  while (k < d->system.guard_count && fabs(mode[k]) == 1.0) k++;
  return k == d->system.guard_count;
}

static const char BAD_MODE[] = "each of mode must be exactly -1.0 or +1.0";

/* why an impact's map is refused, in one line */
static int refuse_map(ess_driver *d, size_t k, const char *reason) {
  const int status = ess_fail(d, ESS_EIMPACT, k);
  d->failure.reason = reason;
  return status;
}

int ess_impacts_start(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  if (!w || !w->calls.start) return ESS_SUCCESS;
  memcpy(w->mode, d->sign, d->system.guard_count * sizeof *w->mode);
  ess_list_armed(d, w->armed);
  d->t_seen = d->t;
  const int code = w->calls.start(d->t, d->x, w->mode, w->armed, d->system.params);
  if (code) return ess_callback_failed(d, code);
  if (!is_mode(d, w->mode)) return refuse_map(d, SIZE_MAX, BAD_MODE);
  ess_set_mode(d, w->mode, w->armed);
  const int status = ess_announce(d, d->system.guard_count);
  return status ? status : ess_evaluate_node(d);
}

/* crosses the events that no row of another has disarmed; leaves only those on the list */
static int cross_events(ess_driver *d, size_t *count) {
  ess_impact_work *const w = d->impacts;
  size_t made = 0;
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < *count; i++) {
    const size_t k = w->events[i];
    if (d->side[k] != w->side[k]) continue;
    status = ess_count_crossing(d, k);
    if (!status) status = ess_cross(d, k);
    w->events[made++] = k;
  }
  *count = made;
  return status;
}

/* Where the state turns back, and the map has left the mode on the far side of the guard, the way
 * back is an impact, too, and so on: in that mode, which the map has not touched. */
static int refuse_turned_back(ess_driver *d, const ess_impact *impact, size_t k) {
  static const double ROUNDING = 1e-6; // of a rate that impacts have stopped
  const ess_impact_work *const w = d->impacts;
  double *const f = d->stage[1];
  const bool may = w->is_untouched && ess_is_armed(d, k) && w->at[ess_guard_ahead(d, k)];
  int status = may ? ess_field(d, d->t, w->after, f) : ESS_SUCCESS;
  if (!may || status) return status;
  status = ess_guard_rates(d, d->t, w->after, f, d->h_try, d->rate_try);
  const double rate = d->side[k] * d->rate_try[k], g = d->side[k] * d->h_try[k];
  const bool turns = rate > ROUNDING * fabs(w->met[k]) && g + ess_tie(d) * rate >= 0.0;
  if (status || !turns || impact->sign[k] == w->mode[k]) return status;
  return refuse_map(d, k, "the map turns the state back and sets neither mode nor armed");
}

/* what is put back before a time goes through it again, as nothing else than time decides */
static int refuse_again(ess_driver *d, const ess_impact *impact, size_t k) {
  const ess_impact_work *const w = d->impacts;
  const size_t guard = impact->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
  const bool may = w->mode[k] == impact->sign[k] && w->armed[guard];
  bool timed = false;
  const int status = may ? ess_is_timed(d, k, &timed) : ESS_SUCCESS;
  if (status || !timed) return status;
  return refuse_map(d, k, "a jump at the same time twice: the map puts mode back before it");
}

/* the first impact of each event function shows a map that would be called again and again */
static int check_map(ess_driver *d, const ess_impact *impact) {
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < impact->count; i++) {
    const size_t k = impact->events[i];
    if (d->impacts->is_checked[k]) continue;
    status = refuse_turned_back(d, impact, k);
    if (!status) status = refuse_again(d, impact, k);
    d->impacts->is_checked[k] = !status;
  }
  return status;
}

/* what the map makes of it; the mode is as before when it fails */
static int map_state(ess_driver *d, ess_impact *impact) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.guard_count;
  memcpy(w->after, w->x, d->lanes * sizeof *w->x);
  memcpy(w->mode, d->sign, m * sizeof *w->mode);
  ess_list_armed(d, w->armed);
  d->t_seen = d->t;
  const int code = ess_call_map(d, impact);
  if (code) return ess_callback_failed(d, code);
  if (!is_mode(d, w->mode)) return refuse_map(d, impact->events[0], BAD_MODE);
  if (!ess_are_finite(w->after, d->system.dimension))
    return refuse_map(d, impact->events[0], "each of after must be finite");
  return check_map(d, impact);
}

/* tells observers; whether one asks to stop */
static bool tell(ess_driver *d, const ess_impact *impact) {
  const ess_observer *const o = &d->options.observer;
  ess_impact seen = *impact;
  seen.t = ess_caller_time(d, impact->t);
  bool stop = o->impact && o->impact(&seen, o->context) != 0;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const int direction = impact->sign[k] < 0.0 ? 1 : -1;
    stop = ess_observe_crossing(d, k, direction, impact->t, d->x) || stop;
  }
  return stop;
}

/* state and mode are the map's from here on */
static int install(ess_driver *d) {
  const ess_impact_work *const w = d->impacts;
  ess_set_mode(d, w->mode, w->armed);
  memcpy(d->x, w->after, d->lanes * sizeof *d->x);
  ess_sample_node(d);
  return ess_announce(d, d->system.guard_count);
}

/* the events listed, by one call of the map */
static int make_events(ess_driver *d, size_t count, bool carried) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.guard_count, first = w->events[0];
  memcpy(w->x, d->x, d->lanes * sizeof *w->x);
  memcpy(w->sign, d->sign, m * sizeof *w->sign);
  memcpy(w->side, d->side, m * sizeof *w->side);
  memcpy(w->h, d->h, m * sizeof *w->h);
  memcpy(w->met, d->rate, m * sizeof *w->met);
  int status = cross_events(d, &count);
  w->count = count;
  ess_impact impact = ess_impact_of(w, d->t, count, carried);
  if (!status) status = map_state(d, &impact);
  if (!status) status = carried ? ess_tangent_carried(d, &impact) : ess_tangent_impact(d, &impact);
  if (status) {
    ess_take_sides(d, w->sign, w->side); // as before the impact
    return status;
  }
  d->counters.impacts++;
  d->counters.crossings += count;
  w->t_open = d->t;
  status = install(d);
  const bool stop = tell(d, &impact);
  return stop && !status ? ess_fail(d, ESS_ESTOP, first) : status;
}

/* whether the last map has armed event function k's guard anew */
static bool is_armed_anew(const ess_driver *d, size_t k) {
  const ess_impact_work *const w = d->impacts;
  return w->side[k] != d->side[k] && !ess_is_listed(w->events, w->count, k);
}

/* by how much the state is beyond event function k's armed guard because of the last map, or of one
 * before it at this instant */
static double carried_by(const ess_driver *d, size_t k) {
  const double now = d->side[k] * d->h[k], before = d->side[k] * d->impacts->h[k];
  if (!ess_is_armed(d, k)) return 0.0;
  return is_armed_anew(d, k) || d->impacts->pending[k] ? now : now - ess_larger(before, 0.0);
}

/* Marks guards that the last map has carried the state strictly past, by more than rounding, and
 * those that it has armed while the state is beyond them, by more than the tolerance. */
static int mark_carried(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  bool any = false;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    w->carried[k] = d->side[k] * d->h[k] > 0.0 && carried_by(d, k) > 0.0;
    any = any || w->carried[k];
  }
  int status = any ? ess_map_errors(d, w->x, w->after, w->doubt) : ESS_SUCCESS;
  for (size_t k = 0; any && !status && k < d->system.guard_count; k++) {
    if (!w->carried[k]) continue;
    if (is_armed_anew(d, k)) status = ess_allowed_error(d, k, &w->doubt[k]);
    w->carried[k] = carried_by(d, k) > w->doubt[k];
  }
  memcpy(w->pending, w->carried, d->system.guard_count * sizeof *w->pending);
  return status;
}

/* those that are impacts, on the list, or one other crossing */
static size_t gather_carried(ess_driver *d, size_t *crossing) {
  ess_impact_work *const w = d->impacts;
  size_t count = 0;
  *crossing = SIZE_MAX;
  for (size_t k = 0; k < d->system.guard_count; k++) {
    if (!w->carried[k]) continue;
    if (ess_is_impact(d, k))
      w->events[count++] = k;
    else
      *crossing = k;
  }
  return count;
}

/* Evaluates the node after an impact. What the map has stopped on its guard, which is ahead of it
 * as before, has a rate that is rounding beside the one that it came with. Its sign says nothing:
 * it is zero, and what moves the state next is its acceleration. */
static int evaluate_after(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  if (d->t != w->t_stopped) memset(w->stopped, 0, d->system.guard_count * sizeof *w->stopped);
  w->t_stopped = d->t;
  for (size_t i = 0; i < w->count; i++) {
    const size_t k = w->events[i];
    const bool is_ahead = ess_is_armed(d, k) && d->side[k] == w->side[k];
    w->stopped[k] = is_ahead ? ess_larger(w->stopped[k], fabs(w->met[k])) : 0.0;
  }
  const int status = ess_evaluate_node(d);
  for (size_t i = 0; !status && i < w->count; i++) {
    const size_t k = w->events[i];
    const bool has_stopped = w->stopped[k] > 0.0 && d->rate[k] == 0.0;
    if (has_stopped) d->returns.of[ess_guard_ahead(d, k)].has_stopped = true;
  }
  return status;
}

/* guards that the map has carried the state past are crossed at once, whatever the field says: it
 * does not point to them any more */
static int make_carried(ess_driver *d) {
  for (;;) {
    size_t crossing;
    int status = mark_carried(d);
    const size_t count = status ? 0 : gather_carried(d, &crossing);
    if (status || (!count && crossing == SIZE_MAX)) return status;
    status = count ? make_events(d, count, true) : ess_make_crossing(d, crossing, true);
    if (!status) status = evaluate_after(d);
    if (status) return status;
  }
}

/* what the impact of one guard has done to the state: of several nobody knows each one's part */
static void note_push(ess_driver *d) {
  const ess_impact_work *const w = d->impacts;
  if (w->count == 1 && ess_is_impact(d, w->events[0]))
    ess_rest_note(d, w->events[0], w->x, w->after);
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
  memset(w->pending, 0, d->system.guard_count * sizeof *w->pending);
  status = ess_keep_unordered(d, k, w->events, &count);
  if (!status) status = ess_note_impacts(d, count, w->events, &w->zeno);
  if (!status && isnan(w->zeno)) status = ess_refuse_grazing(d, k, &w->zeno);
  if (!status) status = make_events(d, count, false);
  if (ess_may_rest(d) && w->t_open == d->t) note_push(d);
  return status ? status : ess_finish_impact(d);
}

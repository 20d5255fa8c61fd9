/*
 * Where impacts are no plain events: the state starts on the guard of one, or rests there; they
 * accumulate; or a guard is grazed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"

/* ---- states that rest ------------------------------------------------------------------------ */

/* States that start on the guard of an impact, or rest there within rounding: balls that touch. No
 * field says on which side of it they are, and rounding must not. */

/* whether a crossing of event function k from this side, -1 below it, is an impact; or from either
 */
static bool is_impact_from(const ess_driver *d, size_t k, double side) {
  return d->rows.kind[side < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k)] == ESS_GUARD_IMPACT;
}

static bool has_impact(const ess_driver *d, size_t k) {
  return is_impact_from(d, k, -1.0) || is_impact_from(d, k, 1.0);
}

/* an event function that does not change, and is zero but for rounding, gets that for a grain */
static int find_grain(ess_driver *d, size_t k) {
  double rounding;
  if (d->rate[k] != 0.0 || d->h[k] == 0.0) return ESS_SUCCESS;
  const int status = ess_rounding_error(d, k, &rounding);
  if (status || !(fabs(d->h[k]) <= rounding)) return status;
  d->grains.of[k] = rounding;
  d->grains.any = true;
  return ESS_SUCCESS;
}

int ess_find_resting(ess_driver *d) {
  int status = ESS_SUCCESS;
  for (size_t k = 0; d->impacts && !status && k < d->system.event_count; k++) {
    d->grains.of[k] = d->impacts->beyond[k] = 0.0;
    if (has_impact(d, k)) status = find_grain(d, k);
  }
  return status;
}

bool ess_rests_on_impact(const ess_driver *d, size_t k) {
  return d->impacts && d->rate[k] == 0.0 && fabs(d->h[k]) <= d->grains.of[k] && has_impact(d, k);
}

int ess_call_map(ess_driver *d, ess_impact *impact) {
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const size_t crossed = impact->sign[k] < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
    if (!d->caller.has_rows || impact->armed[ess_mirror(crossed)]) impact->armed[crossed] = true;
  }
  return d->impacts->calls.map(impact, d->system.params);
}

ess_impact ess_impact_beside(const ess_driver *d, const ess_impact *impact, double t,
                             const double x[], double to[]) {
  const ess_impact_work *const w = d->impacts;
  const size_t m = d->system.event_count;
  ess_impact beside = *impact;
  memcpy(to, x, d->system.dimension * sizeof *to);
  memcpy(w->mode_beside, impact->mode, m * sizeof *w->mode_beside);
  memcpy(w->armed_beside, impact->armed, 2 * m * sizeof *w->armed_beside);
  beside.t = t;
  beside.x = x;
  beside.after = to;
  beside.mode = w->mode_beside;
  beside.armed = w->armed_beside;
  return beside;
}

const double *ess_impact_returns(ess_driver *d, double t, size_t k, const double x[], double side,
                                 int *code) {
  ess_impact_work *const w = d->impacts;
  const size_t m = d->system.event_count;
  const size_t guard = side < 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
  *code = 0;
  if (!is_impact_from(d, k, side)) return NULL;
  memcpy(w->x, x, d->lanes * sizeof *w->x);
  memcpy(w->after, w->x, d->lanes * sizeof *w->after);
  memcpy(w->sign, d->sign, m * sizeof *w->sign);
  w->sign[k] = side;
  memcpy(w->mode, w->sign, m * sizeof *w->mode);
  // mode and armed guards after the guard's row alone: before it all that lies ahead is armed
  for (size_t i = 0; i < m; i++) {
    d->rows.armed[ESS_GUARD_UP(i)] = w->mode[i] < 0.0 && ess_has_guard(d, i, -1.0);
    d->rows.armed[ESS_GUARD_DOWN(i)] = w->mode[i] > 0.0 && ess_has_guard(d, i, 1.0);
  }
  w->mode[k] = -side;
  d->rows.armed[guard] = false;
  for (size_t e = d->rows.start[guard]; e < d->rows.start[guard + 1]; e++) {
    const size_t other = d->rows.guard[e], i = other / 2;
    if (d->rows.effect[e] == ESS_ARM_AHEAD) continue; // of another, where the state is: as it was
    if (d->rows.effect[e] > 0) w->mode[i] = ess_sign_before(other);
    if (d->rows.effect[e] > 0)
      d->rows.armed[ESS_GUARD_UP(i)] = d->rows.armed[ESS_GUARD_DOWN(i)] = false;
    d->rows.armed[other] = d->rows.effect[e] > 0;
  }
  const size_t first = w->events[0]; // the field of a state that rests asks amid an impact, too
  w->events[0] = k;
  ess_impact impact = ess_impact_of(d, t, 1, false);
  d->apply.t_seen = t;
  *code = ess_call_map(d, &impact);
  w->events[0] = first;
  return !*code && w->mode[k] == side && d->rows.armed[guard] ? w->after : NULL;
}

/* the same now; the state after it is w->after */
static bool returns_to(ess_driver *d, size_t k, const double x[], double side) {
  int ignored;
  return ess_impact_returns(d, d->t, k, x, side, &ignored) != NULL;
}

/* latches event function k to this side, before an impact; its side without one is remembered */
static void put_before(ess_driver *d, size_t k, double side) {
  if (d->sign[k] != side) d->impacts->beyond[k] = d->sign[k];
  d->sign[k] = side;
}

/* The state rests on an impact's guard, and neither side is the one that it is on: only `start` can
 * decide. */
static int refuse_side(ess_driver *d, size_t k) {
  return d->system.start ? ESS_SUCCESS : ess_fail(d, ESS_EGRAZING, k);
}

int ess_impact_side(ess_driver *d, size_t k) {
  bool below = is_impact_from(d, k, -1.0), above = is_impact_from(d, k, 1.0);
  if (below && above) {
    below = returns_to(d, k, d->x, -1.0);
    above = returns_to(d, k, d->x, 1.0);
  }
  if (below == above) return refuse_side(d, k);
  put_before(d, k, below ? -1.0 : 1.0);
  return ESS_SUCCESS;
}

/* Whether the impact of event function k, met from this side, changes neither the event function,
 * nor its rate, nor another's side: the state after it is not told from the one before it. */
static int leaves_no_trace(ess_driver *d, size_t k, double side, bool *is) {
  const ess_impact_work *const w = d->impacts;
  double *const f = d->stage[1], h, rate, rate_after = NAN;
  int code;
  *is = false;
  if (ess_impact_returns(d, d->t, k, d->x, side, &code) || code) return ESS_SUCCESS;
  bool same = w->mode[k] == -side;
  for (size_t i = 0; i < d->system.event_count; i++)
    same = same && (i == k || w->mode[i] == d->sign[i]);
  if (!same) return ESS_SUCCESS;
  int status = ess_announce(d, d->system.event_count); // of sides that the start has chosen so far
  if (!status) status = ess_field(d, d->t, d->x, f);
  if (!status) status = ess_some_guard_rates(d, d->t, d->x, f, &k, 1, d->some_h, &rate);
  h = d->some_h[0];
  if (!status) status = ess_field(d, d->t, w->after, f);
  if (!status) status = ess_some_guard_rates(d, d->t, w->after, f, &k, 1, d->some_h, &rate_after);
  *is = d->some_h[0] == h && fabs(rate_after - rate) <= ESS_SAME * fabs(rate);
  return status;
}

/* Whether the state, on event function k's zero, is led through an impact from the side that it is
 * not latched to. A timed jump, or an impact that leaves no trace, has been made. From a wall with
 * two sides the state may just have come back, unless it is at rest: a state that has been sent
 * back comes to the wall as from its other side; the state itself goes away from there. */
static int look_before(ess_driver *d, size_t k, bool *led) {
  const double side = -d->sign[k];
  const bool moves = d->rate[k] != 0.0;
  bool made = false;
  double allowed;
  *led = is_impact_from(d, k, side);
  if (!*led) return ESS_SUCCESS;
  int status = moves ? ess_is_timed(d, k, &made) : ESS_SUCCESS;
  if (!status && !made && is_impact_from(d, k, -side)) {
    *led = returns_to(d, k, d->x, side);
    if (*led && moves) {
      status = ess_allowed_error(d, k, &allowed);
      if (!status) status = ess_event_values(d, d->t, d->impacts->after, d->h_try);
      const bool stays = fabs(d->h_try[k]) <= allowed;
      *led = !stays || !returns_to(d, k, d->impacts->after, -side);
    }
  }
  if (!status && *led && !made && moves) status = leaves_no_trace(d, k, side, &made);
  *led = *led && !made;
  return status;
}

int ess_put_before_impact(ess_driver *d, size_t k) {
  const ess_impact_work *const w = d->impacts;
  if (!w) return ESS_SUCCESS;
  bool led;
  const int status = look_before(d, k, &led);
  if (status || !led) return status;
  if (d->rate[k] == 0.0 && !ess_may_rest(d)) return refuse_side(d, k);
  put_before(d, k, -d->sign[k]);
  return ESS_SUCCESS;
}

/* the signs are others, and the model is told */
static int take_mode(ess_driver *d) {
  const int status = ess_announce(d, d->system.event_count);
  return status ? status : ess_evaluate_node(d);
}

/* A run may have ended on an event: the last digits of the state have passed it, by no more than
 * errors that are allowed. */
int ess_put_before_passed(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  bool any = false, asked = false;
  if (!w) return ESS_SUCCESS;
  for (size_t k = 0; k < d->system.event_count; k++) {
    bool led = false;
    int status = ESS_SUCCESS;
    if (!has_impact(d, k) || !(d->h[k] * d->rate[k] > 0.0)) continue;
    if (!asked) status = ess_allowed_errors(d, w->doubt);
    asked = true;
    if (!status && fabs(d->h[k]) <= w->doubt[k]) status = look_before(d, k, &led);
    if (status) return status;
    // a state that the map does not send back has made it, and is where it belongs
    if (!led || !returns_to(d, k, d->x, -d->sign[k])) continue;
    put_before(d, k, -d->sign[k]);
    any = true;
  }
  return any ? take_mode(d) : ESS_SUCCESS;
}

int ess_put_past_jumps(ess_driver *d) {
  bool any = false;
  if (!d->impacts) return ESS_SUCCESS;
  for (size_t k = 0; k < d->system.event_count; k++) {
    const double side = d->sign[k], early = ess_time_rounding(d) * fabs(d->rate[k]);
    const bool is_near = fabs(d->h[k]) <= early && d->h[k] * d->rate[k] < 0.0;
    bool made = false;
    if (!is_near || !is_impact_from(d, k, side)) continue;
    int status = ess_is_timed(d, k, &made);
    if (!status && !made) status = leaves_no_trace(d, k, side, &made);
    if (status) return status;
    if (made) d->sign[k] = -side;
    any = any || made;
  }
  return any ? take_mode(d) : ESS_SUCCESS;
}

int ess_start_armed(ess_driver *d) {
  ess_impact_work *const w = d->impacts;
  for (;;) {
    int status = ess_resets_start(d);
    bool any = false;
    for (size_t k = 0; w && !status && k < d->system.event_count; k++) {
      if (w->beyond[k] == 0.0 || ess_is_armed(d, k)) continue;
      d->sign[k] = w->beyond[k];
      w->beyond[k] = 0.0;
      any = true;
    }
    if (any) status = take_mode(d);
    if (status || !any) return status;
  }
}

int ess_let_rest(ess_driver *d) {
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.event_count; k++) {
    if (ess_is_impact(d, k) && d->side[k] * d->h[k] > 0.0) status = find_grain(d, k);
  }
  return status;
}

/* Rounding of a rate after an impact over the rate that remains; over the rate before the impact it
 * is ESS_COMPUTED by derivatives, or the root of rounding by differences. */
static const double REMAINING = 16.0;

/* whether the state has been stopped here on event function k's guard, which is an impact's */
static bool is_stopped(const ess_driver *d, size_t k) {
  const ess_impact_work *const w = d->impacts;
  return d->t == w->t_stopped && w->stopped[k] > 0.0 && d->rate[k] == 0.0 && ess_is_impact(d, k);
}

int ess_end_stopped(ess_driver *d) {
  static const double SHORTLY[] = {1e-3, 1e-1}; // parts of a step
  const ess_impact_work *const w = d->impacts;
  const bool is_exact = d->caller.rates != ESS_RATES_BY_DIFFERENCES;
  bool any = false, sure = false;
  double step;
  for (size_t k = 0; k < d->system.event_count; k++) any = any || is_stopped(d, k);
  int status = any ? ess_control_first(d, d->t + 1.0, &step) : ESS_SUCCESS;
  for (size_t i = 0; any && !status && !sure && i < 2; i++) {
    status = ess_look_later(d, SHORTLY[i] * step);
    sure = true;
    for (size_t k = 0; !status && k < d->system.event_count; k++) {
      if (!is_stopped(d, k)) continue;
      const double rate = d->side[k] * d->rate_end[k];
      const double doubt =
          (is_exact ? ESS_COMPUTED : sqrt(DBL_EPSILON)) * w->stopped[k] + REMAINING * w->left[k];
      if (rate > doubt) return ess_end_zeno(d, d->t);
      sure = sure && rate < -doubt;
    }
  }
  return status;
}

/* ---- grazes ---------------------------------------------------------------------------------- */

/* Impacts that are grazed: a guard is reached along it, or all but reached, and the state after it
 * is in doubt. */

int ess_weigh_graze(ess_driver *d, size_t k, double *doubt) {
  double *const v = d->v_try, h, rate;
  int status = ESS_SUCCESS;
  *doubt = 0.0;
  memset(v, 0, d->lanes * sizeof *v);
  // the time that has passed, where it is a state more, is not off
  for (size_t i = 0; !status && i < ess_caller_states(d); i++) {
    v[i] = d->atol[i] + d->rtol[i] * fabs(d->x[i]);
    status = ess_some_guard_rates(d, d->t, d->x, v, &k, 1, &h, &rate);
    *doubt += fabs(rate);
    v[i] = 0.0;
  }
  if (!d->tangents) *doubt *= ESS_LOST;
  return status;
}

int ess_refuse_grazing(ess_driver *d, size_t k, double *zeno) {
  // above this part of the distance made in the step nothing is a graze within the tolerance
  static const double FAR_BEYOND = 1e-2;
  const double rate = d->side[k] * d->rate[k], rest = d->dt - (d->t - d->piece.t0);
  const double turn = d->side[k] * d->rate_end[k] - rate;
  if (!(rate > 0.0)) return ess_end_grazing(d, k, d->t, NULL);
  // an impact before at this instant has left rates that are not those of the step
  const bool is_first = d->impacts->t_stopped != d->t && d->piece.kind == ESS_PIECE_STEP;
  if (!is_first || !(rest > 0.0) || !(turn < 0.0)) return ESS_SUCCESS;
  const double beyond = 0.5 * rate * rate * rest / -turn;
  if (!d->tangents && beyond > FAR_BEYOND * fabs(d->h_end[k])) return ESS_SUCCESS;
  double doubt;
  const int status = ess_weigh_graze(d, k, &doubt);
  return status || beyond > doubt ? status : ess_end_grazing(d, k, d->t, zeno);
}

bool ess_turns_near(const ess_driver *d, size_t k, double *value, double *place) {
  static const double near = 1e-4;
  double b[ESS_QUARTIC], slope;
  ess_model_event(d, k, -d->side[k], true, b);
  *place = ess_smaller(ess_quartic_turn(b, 0.0), 1.0);
  *value = -ess_quartic(b, *place, &slope) - d->levels.at[k];
  return fabs(*value) <= near * (fabs(d->h[k]) + fabs(d->h_end[k]));
}

int ess_refuse_touch(ess_driver *d) {
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && k < d->system.event_count; k++) {
    const bool turns = d->side[k] * d->rate[k] > 0.0 && d->side[k] * d->rate_end[k] < 0.0;
    double peak, place, doubt;
    if (!turns || !ess_is_impact(d, k) || !ess_turns_near(d, k, &peak, &place)) continue;
    if (!(peak < 0.0)) continue;
    status = ess_weigh_graze(d, k, &doubt);
    if (!status && -peak <= doubt) status = ess_end_grazing(d, k, d->t + place * d->dt, NULL);
  }
  return status;
}

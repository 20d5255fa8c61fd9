/*
 * Tangents across crossings and impacts, and the end of a run on an event: (T3) and (T5) of
 * docs/theory/tangents.md. With x+ = R(x-),
 *
 *   v+ = DR v + (f+ - DR f-) (grad h . v + (dh/dp) q) / (grad h . f-)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "tangents.h"

/* ---- operations ------------------------------------------------------------------------------ */

/* the share of the crossing of event function k at `at`, with grad h . f- = rate */
static int add_share(ess_driver *d, size_t k, double rate, double t) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, p = d->system.parameters.count;
  if (!(fabs(rate) > 0.0)) return ess_fail(d, ESS_EGRAZING, k);
  const ess_tape_place from = ess_tape_place_of(d);
  int status = ess_tangent_guard_rates(d, t, v->at, k, v->v, v->moves, v->count, v->share);
  for (size_t j = 0; j < v->count; j++) v->share[j] /= rate;
  double *const entry = status ? NULL : ess_tape_add(d, ESS_TAPE_SHARE, n + p);
  if (entry) status = ess_guard_gradient(d, t, v->at, k, entry);
  if (entry && !status) status = ess_parameter_guard(d, t, v->at, k, entry + n);
  for (size_t i = 0; entry && i < n + p; i++) entry[i] /= rate;
  if (status) ess_tape_take_back(d, from);
  v->source = status ? ESS_BEFORE_UNKNOWN : ESS_BEFORE_PENDING;
  v->last_event = k;
  v->last_t = t;
  return status;
}

/* the map of an impact of one event; `before` is f- */
static int add_map(ess_driver *d, const ess_impact *impact) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double *const entry = ess_tape_add(d, ESS_TAPE_MAP, n * v->wide);
  if (entry) ess_tape_units(d, n);
  int status = ess_tangent_map(d, impact, v->before, 1, v->mapped);
  if (entry && !status) status = ess_tangent_map(d, impact, v->v, n, entry);
  if (entry && !status) status = ess_parameter_impact(d, impact, entry + n * n);
  if (!status) status = ess_tangent_map(d, impact, v->v, v->count, v->w);
  if (!status) status = ess_parameter_map(d, impact, v->moves, v->count, v->w);
  if (!status) memcpy(v->v, v->w, v->count * n * sizeof *v->v);
  return status;
}

/* The same after the share of the event's crossing, unless that is there. If either fails, neither
 * has been made: the run may go on, and repeats both. */
static int add_impact(ess_driver *d, const ess_impact *impact, bool is_shared) {
  ess_tangents *const v = d->tangents;
  const ess_before source = v->source;
  const ess_tape_place from = ess_tape_place_of(d);
  const size_t k = impact->events[0];
  int status = is_shared ? ESS_SUCCESS : add_share(d, k, d->rate[k], impact->t);
  v->source = ESS_BEFORE_PENDING;
  if (!status) status = add_map(d, impact);
  if (!status) return ESS_SUCCESS;
  v->source = source;
  ess_tape_take_back(d, from);
  return status;
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* whether event function k's effect has been applied with those of the others of this instant,
 * which counts once */
static bool take_settled(ess_tangents *v, size_t k, double t) {
  const size_t i =
      ess_is_last_instant(v, t) ? ess_place_in(v->settled, v->settled_count, k) : v->settled_count;
  if (i == v->settled_count) return false;
  v->settled[i] = v->settled[--v->settled_count];
  return true;
}

/* ---- jumps of the field by time -------------------------------------------------------------- */

/* A jump of the field at a time T that is a parameter is a crossing at which the state stays: v
 * gains (f- - f+) dT. An event at the same time would make the order matter. */

/* fails if event function k and such a jump are simultaneous, this time apart */
static int refuse_tie(ess_driver *d, size_t k, double apart) {
  if (k >= d->watched.first || !(apart <= ess_tie(d))) return ESS_SUCCESS;
  ess_fail(d, ESS_EDISCONTINUOUS, k);
  d->failure.reason =
      "an event and a jump of the field, whose time is a parameter, are simultaneous";
  return ESS_EDISCONTINUOUS;
}

/* fails in this way at an event here, and notes it for jumps to come */
static int note_event(ess_driver *d, size_t k) {
  ess_tangents *const v = d->tangents;
  if (k < d->watched.first) {
    v->event = k;
    v->event_t = d->t;
  }
  return refuse_tie(d, k, d->t - v->jump_t);
}

bool ess_tangent_follows(const ess_driver *d, size_t parameter) {
  const ess_tangents *const v = d->tangents;
  if (parameter == SIZE_MAX) return false;
  size_t j = 0;
  while (v->moves && j < v->count && v->moves[j * d->system.parameters.count + parameter] == 0.0)
    j++;
  return v->tape || (v->moves && j < v->count);
}

int ess_tangent_before_jump(ess_driver *d) {
  const ess_tangents *const v = d->tangents;
  const int status = refuse_tie(d, v->event, d->t - v->event_t);
  return status ? status : ess_field(d, d->t, d->x, v->mapped);
}

void ess_tangent_jump(ess_driver *d, size_t parameter) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, p = d->system.parameters.count;
  const double share = -d->caller.way;
  double *const entry = ess_tape_add(d, ESS_TAPE_SHARE, n + p);
  if (entry) memset(entry, 0, (n + p) * sizeof *entry);
  if (entry) entry[n + parameter] = share;
  for (size_t j = 0; j < v->count; j++) v->share[j] = share * v->moves[j * p + parameter];
  v->last_event = SIZE_MAX;
  v->source = ESS_BEFORE_PENDING;
  v->jump_t = d->t;
  ess_tangent_finish(d, d->f);
}

/* ---- crossings and impacts ------------------------------------------------------------------- */

/* Other events that are on their guards at the same instant, and have not met another yet, are
 * crossed with this one. */
int ess_tangent_cross(ess_driver *d, size_t k) {
  ess_tangents *const v = d->tangents;
  const size_t bytes = d->system.dimension * sizeof *v->at;
  const double t = d->t;
  memcpy(v->at, d->x, bytes);
  int status = note_event(d, k);
  // the field before, in the mode after others that have been crossed here
  if (v->source == ESS_BEFORE_AT_NODE) memcpy(v->before, d->f, bytes);
  const bool is_pending = v->source == ESS_BEFORE_PENDING;
  if (!status && (is_pending || v->source == ESS_BEFORE_UNKNOWN))
    status = ess_field(d, t, v->at, v->before);
  if (!status && is_pending) ess_tangent_finish(d, v->before);
  v->has_first = false;
  const bool is_settled = !status && take_settled(v, k, t);
  if (!status && !is_settled) status = ess_guard_rates(d, t, v->at, v->before, v->h, v->rate);
  if (!status && !is_settled) status = ess_check_armed(d, v->h, v->rate);
  if (!status && !is_settled) {
    const size_t left = ess_is_last_instant(v, t) ? v->settled_count : 0;
    const size_t all = ess_gather_events(d, k, v->h, v->rate, v->events);
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
      const size_t event = v->events[i];
      if (event == k || ess_place_in(v->settled, left, event) == left) v->events[count++] = event;
    }
    if (count == 1) {
      memcpy(v->mapped, v->before, bytes);
      status = add_share(d, k, v->rate[k], t);
    } else {
      v->smoothness.time = t;
      status = ess_tangent_meeting(d, count, v->at);
      memcpy(v->settled + left, v->events, count * sizeof *v->settled);
      v->settled_count = left + count;
      take_settled(v, k, t);
    }
  }
  // an effect that had been applied before: the next crossing here starts from another field
  if (v->source != ESS_BEFORE_PENDING) v->source = ESS_BEFORE_UNKNOWN;
  return status;
}

int ess_tangent_carried(ess_driver *d, const ess_impact *impact) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  if (!v) return ESS_SUCCESS;
  memcpy(v->v_impact, v->v, v->count * n * sizeof *v->v);
  // after several events each direction has had a share of its own
  if (v->last_event == SIZE_MAX || v->last_t != d->t)
    return ess_fail(d, ESS_EDISCONTINUOUS, impact ? impact->events[0] : SIZE_MAX);
  memcpy(v->at, d->x, n * sizeof *v->at);
  memcpy(v->before, d->f, n * sizeof *v->before);
  memcpy(v->mapped, d->f, n * sizeof *v->mapped);
  if (impact) return add_impact(d, impact, true);
  v->source = ESS_BEFORE_PENDING;
  return ESS_SUCCESS;
}

int ess_tangent_impact(ess_driver *d, const ess_impact *impact) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  if (!v) return ESS_SUCCESS;
  memcpy(v->v_impact, v->v, v->count * n * sizeof *v->v);
  memcpy(v->at, impact->x, n * sizeof *v->at);
  memcpy(v->before, d->f, n * sizeof *v->before);
  // events that are only watched have no effect on directions; they come last
  size_t count = impact->count;
  while (count > 1 && impact->events[count - 1] >= d->watched.first) count--;
  memcpy(v->events, impact->events, count * sizeof *v->events);
  const int near = note_event(d, impact->events[0]);
  if (near) return near;
  if (count > 1) {
    v->smoothness.time = impact->t;
    return ess_tangent_meeting(d, count, impact->after);
  }
  return add_impact(d, impact, false);
}

/* ---- a run that ends on an event ------------------------------------------------------------- */

/* Dt = -(grad h . V + (dh/dp) q) / (grad h . f), and Dx = V + f Dt */

/* of a single event */
static int end_alone(ess_driver *d, size_t k, double Dt[], double Dx[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const bool is_last = v->last_event == k && v->last_t == d->t;
  double h, rate = 1.0, *const share = is_last ? v->share : v->w;
  int status = ESS_SUCCESS;
  if (!is_last || k >= d->watched.first)
    status = ess_some_guard_rates(d, d->t, d->x, v->f_here, &k, 1, &h, &rate);
  if (!status && !isfinite(rate)) status = ess_fail(d, ESS_EEVENT, k);
  if (!status) status = ess_tangent_refuse_end(d, k, rate);
  if (is_last) rate = 1.0; // the share has been divided by it
  if (!status && !is_last)
    status = ess_tangent_guard_rates(d, d->t, d->x, k, v->v, v->moves, v->count, share);
  for (size_t j = 0; !status && j < v->count; j++) {
    const double *const column = v->v + j * n, time = -share[j] / rate;
    if (Dt) Dt[j] = ess_caller_time(d, time);
    for (size_t i = 0; Dx && i < ess_caller_states(d); i++)
      Dx[i * v->count + j] = column[i] + time * v->f_here[i];
  }
  return status;
}

int ess_driver_section(ess_driver *d, size_t k, double Dt[], double Dx[]) {
  if (!d) return ESS_EINVAL;
  ess_tangents *const v = d->tangents;
  if (!v || v->is_lost || v->tape) return ess_refuse(d, "no directions are followed");
  if (k >= d->system.event_count) return ess_refuse(d, "k must be below event_count");
  if (ess_is_applying(d)) return ess_refuse(d, "a section is asked for between applies");
  const int status = ess_field(d, d->t, d->x, v->f_here);
  if (status) return status;
  const size_t i = ess_place_met(d, k);
  if (i == v->met_count && !ess_has_jumped(d, k)) return end_alone(d, k, Dt, Dx);
  if (i < v->met_count) {
    // each direction meets it in its turn: the state is the one on the passage or, if it has
    // jumped, the one after all events, continued to that time
    const size_t n = d->system.dimension, p = v->count;
    if (Dx && !v->met_impact && v->met_count > ESS_MEETING)
      return ess_refuse(d, "Dx is not known among more than 8 events of an instant");
    for (size_t j = 0; j < p; j++) {
      const double time = v->met[j * d->system.event_count + i];
      const double *const y = v->met_y + (j * ESS_MEETING + i) * n, *const column = v->v + j * n;
      if (Dt) Dt[j] = ess_caller_time(d, time);
      for (size_t l = 0; Dx && l < ess_caller_states(d); l++)
        Dx[l * p + j] = v->met_impact ? column[l] + time * v->f_here[l] : y[l];
    }
    return ESS_SUCCESS;
  }
  // an event that an impact takes past zero is passed with the impact
  if (v->last_event == SIZE_MAX || v->last_t != d->t)
    return ess_refuse(d,
                      "k was passed by the jump of several events, each of which has its own time");
  return end_alone(d, v->last_event, Dt, Dx);
}

/* ---- both sides of an impact ----------------------------------------------------------------- */

int ess_driver_impact_tangents(ess_driver *d, double before[], double after[], double Dt[]) {
  if (!d) return ESS_EINVAL;
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  const ess_impact *const impact = d->impacts ? d->impacts->observed : NULL;
  if (!impact) return ess_refuse(d, "both sides of an impact are for its observer to ask for");
  if (!v || v->is_lost || v->tape) return ess_refuse(d, "no directions are followed");
  const size_t met = ess_place_met(d, impact->events[0]), m = d->system.event_count;
  const bool is_alone = v->last_event != SIZE_MAX && v->last_t == d->t;
  if (Dt && !is_alone && met == v->met_count)
    return ess_refuse(d, "Dt is not known of an impact that follows several events of its instant");
  for (size_t j = 0; Dt && j < v->count; j++)
    Dt[j] = ess_caller_time(d, is_alone ? -v->share[j] : v->met[j * m + met]);
  int status = ESS_SUCCESS;
  const bool is_pending = after && v->source == ESS_BEFORE_PENDING;
  if (is_pending) status = ess_field(d, d->t, d->x, v->f_here);
  for (size_t j = 0; !status && j < v->count; j++)
    for (size_t i = 0; i < ess_caller_states(d); i++) {
      const double gain = is_pending ? v->share[j] * (v->f_here[i] - v->mapped[i]) : 0.0;
      if (before) before[i * v->count + j] = v->v_impact[j * n + i];
      if (after) after[i * v->count + j] = v->v[j * n + i] + gain;
    }
  return status;
}

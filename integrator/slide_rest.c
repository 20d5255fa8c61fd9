/*
 * Rest on the guards of impacts. In the limit, impacts that are ever smaller and come ever faster
 * are a force, which pushes the state as they do. The caller's map says so, at each state anew, by
 * the impact of a state that approaches a little.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "slides.h"
#include "tangents.h"

/* perturbation of the state for which the map is evaluated, relative to its size */
static const double MAP_BESIDE = 1e-3;

/* Scale of the push of impacts, over the push that holds the state at first, so that lambda is far
 * below 1; and its growth when lambda reaches 1. */
static const double ROOM = 16.0;

/* An impact of rounding says nothing of the push: that of the one before it counts. */
void ess_rest_note(ess_driver *d, size_t k, const double before[], const double after[]) {
  double *const push = d->slides->push + k * d->lanes;
  double most = 0.0, largest = 0.0;
  for (size_t l = 0; l < ess_caller_states(d); l++) {
    most = ess_larger(fabs(after[l] - before[l]), most);
    largest = ess_larger(fabs(before[l]), largest);
  }
  if (most <= ESS_ROUNDING * largest) return;
  memset(push, 0, d->lanes * sizeof *push);
  for (size_t l = 0; l < ess_caller_states(d); l++) push[l] = after[l] - before[l];
  const double part = ess_tangent_part(d, after, push, MAP_BESIDE);
  for (size_t l = 0; l < d->lanes; l++) push[l] *= part;
}

int ess_rest_from_start(ess_driver *d) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  for (size_t k = 0; !status && ess_may_rest(d) && k < d->system.event_count; k++) {
    double rounding;
    if (!ess_is_impact(d, k)) continue;
    status = ess_rounding_error(d, k, &rounding);
    if (status || !(fabs(d->h[k]) <= rounding)) continue;
    s->stopped[k] = true; // the push that opposes it bounds its speed
    if (d->rate[k] == 0.0 && d->side[k] * d->rate_end[k] > 0.0)
      s->otherwise = (ess_ending){ESS_EGRAZING, k, d->t};
  }
  return status;
}

/* Asks the map of event function k what an impact does to a state that comes to the guard along the
 * direction in which its rate changes the most, states measured by their sizes. */
static int ask_push(ess_driver *d, size_t k) {
  ess_slides *const s = d->slides;
  double *const v = d->v_try;
  memset(v, 0, d->lanes * sizeof *v);
  for (size_t i = 0; i < ess_caller_states(d); i++) {
    const double size = ess_larger(fabs(d->x[i]), ess_tangent_unit(d, i));
    const double step = cbrt(DBL_EPSILON) * size;
    for (int to = -1; to <= 1; to += 2) {
      memcpy(s->beside, d->x, d->lanes * sizeof *s->beside);
      s->beside[i] += to * step;
      int status = ess_field_at(d, d->sign, d->t, s->beside, s->f_beside);
      if (!status) status = ess_guard_rates(d, d->t, s->beside, s->f_beside, s->h, s->rate);
      if (status) return status;
      v[i] += to * s->rate[k] / (2.0 * step) * size * size;
    }
  }
  const double part = -d->sign[k] * ess_tangent_part(d, d->x, v, MAP_BESIDE);
  for (size_t l = 0; l < d->lanes; l++) s->beside[l] = d->x[l] + part * v[l];
  int code;
  const double *const after = ess_impact_returns(d, d->t, k, s->beside, d->sign[k], &code);
  if (after) ess_rest_note(d, k, s->beside, after);
  return ess_called(d, code);
}

/* The push of the impacts of event function k, if there is one. The state comes to the guard by its
 * speed alone: a map that puts it onto the guard, too, was called with a state beside it by
 * rounding, and that part is taken out. The gradient of the event function is weighed by the
 * states' sizes. */
static int find_push(ess_driver *d, size_t k, bool *pushes) {
  ess_slides *const s = d->slides;
  const size_t n = ess_caller_states(d);
  double *const push = s->push + k * d->lanes, *const unit = s->f_beside, *const v = d->v_try;
  int status = ESS_SUCCESS;
  *pushes = false;
  for (int asked = 0; !status && asked < 2; asked++) {
    for (size_t l = 0; l < d->lanes; l++) *pushes = *pushes || push[l] != 0.0;
    if (!asked && !*pushes) status = ask_push(d, k);
  }
  if (status || !*pushes) return status;
  status = ess_guard_rates(d, d->t, d->x, push, s->h, s->rate);
  const double off = s->rate[k], all = ess_scaled_norm(d, push, d->x, d->x);
  double sum = 0.0;
  if (status || off == 0.0 || !isfinite(off)) return status;
  memset(unit, 0, d->lanes * sizeof *unit);
  for (size_t i = 0; !status && i < n; i++) {
    const double size = ess_larger(fabs(d->x[i]), ess_tangent_unit(d, i));
    unit[i] = size;
    status = ess_guard_rates(d, d->t, d->x, unit, s->h, s->rate);
    v[i] = size * s->rate[k];
    sum += s->rate[k] * s->rate[k];
    unit[i] = 0.0;
  }
  for (size_t i = 0; !status && sum > 0.0 && i < n; i++) push[i] -= off / sum * v[i];
  *pushes = ess_scaled_norm(d, push, d->x, d->x) > ESS_ROUNDING * all;
  if (!*pushes) memset(push, 0, d->lanes * sizeof *push);
  return status;
}

/* ---- the surfaces that hold the state -------------------------------------------------------- */

static bool is_new(const ess_driver *d, size_t k) {
  return !ess_is_listed(d->slides->set, d->slides->count, k);
}

/* takes the i-th off the list */
static void drop(ess_slides *s, size_t i, size_t *count) {
  s->order[s->events[i]] = ESS_FIRST_ORDER;
  memmove(s->events + i, s->events + i + 1, (--*count - i) * sizeof *s->events);
}

/* Looks at the field on the guards listed, and sets their scales. A push whose impact was met from
 * the wrong side, by rounding, is turned, once; one that does not push is dropped. *again where
 * that changes the list. */
static int scale_touched(ess_driver *d, size_t *count, bool *again) {
  static const double TURNED = 2.0; // no scale yet, of a push that has been turned
  ess_slides *const s = d->slides;
  const size_t all = *count;
  size_t i = 0;
  *again = false;
  const int status = ess_slide_look_here(d, s->events, all);
  if (status == ESS_ESLIDING) { // its map begins a mode of its own
    while (i < all && s->events[i] != d->failure.event) i++;
    if (i == all || !is_new(d, s->events[i])) return status;
    ess_no_failure(d);
    drop(s, i, count);
    *again = true;
    return ESS_SUCCESS;
  }
  for (i = all; !status && i-- > 0;) {
    const size_t k = s->events[i];
    const double g = s->g[i * all + i];
    if (!is_new(d, k) || g < 0.0) continue;
    double *const push = s->push + k * d->lanes;
    for (size_t l = 0; l < d->lanes; l++) push[l] = -push[l];
    if (!(g > 0.0) || s->scale[k] == TURNED) drop(s, i, count);
    s->scale[k] = TURNED;
    *again = true;
  }
  // at lambda = 1 each pushes no less than the field does: lambda is found by differences of that,
  // whose noise would be no small part of it otherwise
  for (i = 0; !status && !*again && i < all; i++) {
    const size_t k = s->events[i];
    if (!is_new(d, k)) continue;
    const double size = ess_scaled_norm(d, s->jump + i * d->lanes, d->x, d->x);
    const double least = ess_scaled_norm(d, s->f0, d->x, d->x) / size;
    s->scale[k] = ess_larger(ROOM * fabs(s->a[i] / s->g[i * all + i]), least);
  }
  return status;
}

/* Solves for the guards listed that hold the state, and drops those that it comes to too fast: the
 * bounce, rate^2 = 2 height acceleration, is higher than the tolerance allows. *again where there
 * are any. */
static int solve_touched(ess_driver *d, size_t *count, bool *again) {
  ess_slides *const s = d->slides;
  const size_t all = *count;
  size_t worst[2];
  ess_solutions found;
  int status = ESS_SUCCESS;
  do {
    status = ess_slide_look_here(d, s->events, all);
    if (status) return status;
    found = ess_slide_solve(d, all, worst);
  } while (found != ESS_MANY_SOLUTIONS && ess_rest_widen(d, all));
  if (found == ESS_MANY_SOLUTIONS) return ESS_SUCCESS; // refused where all is settled
  for (size_t i = all; !status && i-- > 0;) {
    const size_t k = s->events[i];
    double allowed;
    if (!is_new(d, k) || s->part[i] != ESS_BETWEEN) continue;
    status = ess_allowed_error(d, k, &allowed);
    const double back = s->lambda[i] * fabs(s->g[i * all + i]);
    if (back > 0.0 && d->rate[k] * d->rate[k] <= 2.0 * back * allowed) continue;
    drop(s, i, count);
    *again = true;
  }
  return status;
}

int ess_rest_begin(ess_driver *d) {
  ess_slides *const s = d->slides;
  const bool adds = s->adds;
  size_t count = 0;
  int status = ESS_SUCCESS;
  s->adds = true;
  // what is slid on, and the guards of impacts that the state is on: those whose impacts have
  // ended, and others that may hold it with them
  for (size_t k = 0; !status && k < d->system.event_count; k++) {
    const bool is_slid = !is_new(d, k);
    bool pushes = is_slid;
    double allowed = 0.0;
    if (!is_slid && !ess_is_impact(d, k)) continue;
    if (!is_slid) status = ess_allowed_error(d, k, &allowed);
    if (!is_slid && !status && fabs(d->h[k]) <= allowed) status = find_push(d, k, &pushes);
    if (status || !pushes) continue;
    s->events[count++] = k;
    if (is_slid) continue;
    s->order[k] = ESS_REST;
    s->stopped[k] = true;
    s->scale[k] = 1.0;
  }
  for (bool again = true; !status && again && count;) {
    status = scale_touched(d, &count, &again);
    if (!status && !again) status = solve_touched(d, &count, &again);
  }
  s->adds = adds;
  return status;
}

/* Whether the state leaves the guards whose series of impacts have ended: these may begin again. */
static int look_whether_left(ess_driver *d, bool *left) {
  static const double SOON = 0.1; // of a step
  size_t ended = 0, kept = 0;
  double step;
  int status = ess_control_first(d, d->t + 1.0, &step);
  if (!status) status = ess_look_later(d, SOON * step);
  for (size_t k = 0; k < d->system.event_count; k++) {
    if (!ess_is_impact(d, k) || !d->returns.of[ess_guard_ahead(d, k)].ends) continue;
    ended++;
    if (!(d->side[k] * d->rate_end[k] < 0.0)) kept++;
  }
  *left = !status && ended && !kept;
  return status;
}

int ess_rest_end(ess_driver *d) {
  ess_slides *const s = d->slides;
  const ess_ending otherwise = s->otherwise;
  bool rests = false, goes_on = false;
  int status = otherwise.status == ESS_EZENO ? look_whether_left(d, &goes_on) : ESS_SUCCESS;
  if (status) return status;
  // the instant goes on by an impact; that of a guard that is grazed is not made
  for (size_t k = 0; !goes_on && k < d->system.event_count; k++) {
    double allowed;
    const bool is_due = ess_is_impact(d, k) && d->side[k] * d->rate[k] > 0.0;
    const bool is_grazed = otherwise.status == ESS_EGRAZING && k == otherwise.guard;
    if (is_grazed || !is_due || ess_allowed_error(d, k, &allowed)) continue;
    goes_on = fabs(d->h[k]) <= allowed;
  }
  for (size_t k = 0; k < d->system.event_count; k++) {
    ess_return *const r = &d->returns.of[ess_guard_ahead(d, k)];
    const bool is_slid = ess_is_listed(s->set, s->count, k);
    if (s->stopped[k] && (is_slid || (goes_on && r->ends))) *r = ess_no_returns();
    if (s->stopped[k]) r->ends = false;
    rests = rests || (s->stopped[k] && is_slid);
    if (is_slid) d->impacts->stopped[k] = 0.0; // its rate counts, though it is next to none
    s->stopped[k] = false;
    if (!is_slid) s->order[k] = ESS_FIRST_ORDER;
  }
  s->otherwise = (ess_ending){0};
  // the bounces that are left take no time
  status = rests ? ess_evaluate_node(d) : ESS_SUCCESS;
  if (status || rests) return status ? status : ess_slide_put_back(d, INFINITY);
  if (goes_on || !otherwise.status) return ESS_SUCCESS;
  d->returns.ending = otherwise;
  return ess_end(d);
}

int ess_rest_let_go(ess_driver *d, size_t i, size_t count) {
  ess_slides *const s = d->slides;
  const size_t k = s->events[i];
  const bool grazes = s->otherwise.status == ESS_EGRAZING && s->otherwise.guard == k;
  if (!grazes || s->part[i] != ESS_AT_ZERO) return ESS_SUCCESS;
  // a step's rate there may be that of its dense output
  const int status = ess_guard_rates(d, d->t, d->x, d->f, d->h, d->rate);
  const double turn = d->side[k] * d->rate[k] / fabs(s->g[i * count + i]);
  if (status || !(turn * ess_scaled_norm(d, s->jump + i * d->lanes, d->x, d->x) <= 1.0))
    return status;
  s->otherwise = (ess_ending){0};
  return ess_slide_step_beside(d, i, count, -1.0, 1.0);
}

bool ess_rest_widen(ess_driver *d, size_t count) {
  ess_slides *const s = d->slides;
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const size_t k = s->events[i];
    if (s->order[k] != ESS_REST || s->part[i] != ESS_AT_ONE || !(s->scale[k] < 1e100)) continue;
    s->scale[k] *= ROOM;
    any = true;
  }
  return any;
}

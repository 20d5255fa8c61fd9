/*
 * Slides. If the field points back to the zero of an event function from either side, the state
 * moves along that surface, by the mean of both fields that keeps it there (Filippov). The surfaces
 * change at crossings, at impacts, and where a weight of the mean reaches its bound: one linear
 * complementarity problem has the new ones as its solution (docs/theory/sliding.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "slides.h"
#include "tangents.h"

/* ---- surfaces of second order ---------------------------------------------------------------- */

/* At a surface of second order the field's jump changes no rate of the event function, but the
 * derivative of that rate, as forces of contacts do. If that points back from either side, the
 * state does not slide at once: it bounces, ever less and ever faster. */

/* Whether the event function just crossed is to be slid on by its second order: it is returned to
 * without end, or its bounces move the state by less than the tolerance, as is looked at after
 * ESS_ALIKE returns in a row, twice as many, and so on. Then d->slides->chatters is that; SIZE_MAX
 * otherwise. Fails if it is returned to without end and cannot be slid on. */
static int find_chatter(ess_driver *d, bool *is_endless) {
  ess_slides *const s = d->slides;
  const uint64_t returns = d->returns.count;
  const bool is_time = returns >= ESS_ALIKE && !(returns & (returns - 1)) && !d->tangents;
  size_t k = s->chatters;
  *is_endless = k != SIZE_MAX;
  s->chatters = SIZE_MAX;
  if (!*is_endless && s->noted_count && is_time) k = d->returns.guard;
  if (k == SIZE_MAX || s->may[k] != ESS_MAY_SLIDE || !ess_is_armed(d, k)) return ESS_SUCCESS;
  const bool added = s->adds;
  s->adds = true; // one jump
  s->order[k] = ESS_FIRST_ORDER;
  int status = ess_slide_look_here(d, &k, 1);
  const bool jumps = fabs(s->g[0]) > ESS_SAME * fabs(d->rate[k]);
  s->order[k] = ESS_SECOND_ORDER;
  if (!status && !jumps) status = ess_slide_look_here(d, &k, 1);
  s->adds = added;
  // by what the state moves if its rate is taken away, in tolerances
  const double by = fabs(d->rate[k] / s->g[0]) * ess_scaled_norm(d, s->jump, d->x, d->x);
  const bool points_back = s->a[0] > 0.0 && s->a[0] + s->g[0] < 0.0;
  if (!status && !jumps && points_back && (*is_endless || by <= 1.0)) {
    s->chatters = k;
    return ESS_SUCCESS;
  }
  s->order[k] = ESS_FIRST_ORDER;
  return status || !*is_endless ? status : ess_fail(d, ESS_ESLIDING, k);
}

/* ---- event functions that may slide ---------------------------------------------------------- */

/* why neither of an event function's guards, or one of them, can be slid on; NULL if both can */
static const char *refuse(const ess_system *s, size_t k) {
  const ess_reset_matrix *const r = s->resets;
  for (size_t guard = ESS_GUARD_UP(k); guard <= ESS_GUARD_DOWN(k); guard++) {
    if (ess_kind_of(s, guard) == ESS_GUARD_ARMS_ONLY)
      return "a guard of kind ESS_GUARD_ARMS_ONLY must not be among those of slides";
    if (ess_kind_of(s, guard) == ESS_GUARD_IMPACT)
      return "a guard of kind ESS_GUARD_IMPACT must not be among those of slides";
    if (ess_kind_of(s, guard) == ESS_GUARD_NONE)
      return "a guard of kind ESS_GUARD_NONE must not be among those of slides";
    for (size_t i = r ? r->row_start[guard] : 0; r && i < r->row_start[guard + 1]; i++)
      if (r->guard[i] / 2 != k)
        return "a guard whose row arms or disarms another's must not be among those of slides";
  }
  return NULL;
}

const char *ess_slide_check(const ess_system *s, const ess_options *o) {
  if (o->sliding != ESS_SLIDING_STOP && o->sliding != ESS_SLIDING_SLIDE &&
      o->sliding != ESS_SLIDING_SLIDE_AND_REST)
    return "sliding must be ESS_SLIDING_STOP, ESS_SLIDING_SLIDE or ESS_SLIDING_SLIDE_AND_REST";
  if (o->sliding == ESS_SLIDING_STOP) return NULL;
  for (size_t k = 0; o->slides && k < s->event_count; k++) {
    const char *const wrong = o->slides[k] ? refuse(s, k) : NULL;
    if (wrong) return wrong;
  }
  return NULL;
}

/* ---- a tolerance for states held at zero ----------------------------------------------------- */

/* With a relative tolerance alone, a state that a slide holds at zero has none. It gets this part
 * of its largest value so far, or of the largest that the jumps would give it in a step, at once or
 * through its rate. Less is rounding. */
static const double HELD_RESOLVED = 0x1p-44;

int ess_slide_scale(ess_driver *d) {
  ess_slides *const s = d->slides;
  const double dt = d->control.next;
  for (size_t l = 0; l < d->caller.system.dimension; l++) {
    if (d->atol[l] > s->floor[l]) continue; // the caller's
    if (s->count && s->scaled_slides != d->counters.slides) {
      memset(s->push_by, 0, d->lanes * sizeof *s->push_by);
      memset(s->aside_by, 0, d->lanes * sizeof *s->aside_by);
      for (size_t j = 0; j < s->count; j++) {
        const double *const jump = s->jump + j * d->lanes;
        const int status = ess_slide_look_aside(d, jump, s->aside);
        if (status) return status;
        for (size_t i = 0; i < d->lanes; i++) {
          s->push_by[i] += fabs(jump[i]);
          s->aside_by[i] += fabs(s->aside[i]);
        }
      }
      s->scaled_slides = d->counters.slides;
    }
    const double by_slide = s->count ? dt * (s->push_by[l] + dt * s->aside_by[l]) : 0.0;
    s->largest[l] = ess_larger(ess_larger(fabs(d->x[l]), by_slide), s->largest[l]);
    if (by_slide > 0.0 || s->floor[l] > 0.0)
      d->atol[l] = s->floor[l] = HELD_RESOLVED * s->largest[l];
  }
  return ESS_SUCCESS;
}

void ess_slides_keep_tolerances(ess_driver *d) {
  double *const floor = d->slides->floor;
  for (size_t l = 0; l < d->lanes; l++)
    if (d->atol[l] > 0.0)
      floor[l] = 0.0;
    else
      d->atol[l] = floor[l];
}

/* ---- memory ---------------------------------------------------------------------------------- */

void ess_slides_lay(ess_driver *d, ess_layout *l) {
  ess_slides *const s = d->slides;
  const size_t m = d->system.event_count, n = d->lanes;
  ESS_LAY(l, double, m, &s->a, &s->lambda, &s->node, &s->h, &s->rate, &s->sum, &s->back, &s->half,
          &s->nothing, &s->box.b, &s->box.near, &s->box.other, &s->mode, &s->scale);
  ESS_LAY(l, double, (m * m), &s->g, &s->g_aside, &s->box.inner, &s->box.matrix);
  ESS_LAY(l, double, n, &s->f0, &s->beside, &s->f_beside, &s->largest, &s->floor, &s->push_by,
          &s->aside_by);
  ESS_LAY(l, double, (m * n), &s->jump, &s->aside, &s->push);
  ESS_LAY(l, double, ESS_CORNERS *n, &s->corner);
  ESS_LAY(l, double, ESS_CORNERS *m, &s->q);
  ESS_LAY(l, double, ESS_SLIDE_CHECKS *m, &s->checked);
  ESS_LAY(l, double, ESS_QUARTIC *m, &s->seen);
  ESS_LAY(l, size_t, m, &s->set, &s->noted, &s->events, &s->old, &s->box.members, &s->box.queue,
          &s->told);
  ESS_LAY(l, bool, m, &s->stopped);
  ESS_LAY(l, ess_may, m, &s->may);
  ESS_LAY(l, signed char, m, &s->part, &s->box.choice);
  ESS_LAY(l, ess_order, m, &s->order);
}

bool ess_slides_alloc(ess_driver *d, const ess_options *options) {
  const size_t m = d->system.event_count, most = SIZE_MAX / sizeof(double) / 64;
  if (options->sliding == ESS_SLIDING_STOP || !m) return true;
  if (m <= most / (m + d->lanes)) d->slides = calloc(1, sizeof *d->slides);
  return d->slides;
}

void ess_slides_take(ess_driver *d, const ess_system *system, const ess_options *options) {
  ess_slides *const s = d->slides;
  s->field = ess_slide_field;
  for (size_t k = 0; k < d->system.event_count; k++) {
    const bool is_refused = k >= system->event_count || refuse(system, k);
    s->may[k] = is_refused                               ? ESS_MAY_NOT
                : !options->slides || options->slides[k] ? ESS_MAY_SLIDE
                                                         : ESS_NOT_ASKED;
    s->half[k] = 0.5;
  }
}

bool ess_slides_stay(const ess_driver *d, const ess_options *options) {
  const ess_slides *const s = d->slides;
  for (size_t k = 0; s && k < d->watched.first; k++) {
    const bool asked = !options->slides || options->slides[k];
    if (s->may[k] != ESS_MAY_NOT && asked != (s->may[k] == ESS_MAY_SLIDE)) return false;
  }
  return true;
}

const size_t *ess_driver_sliding(const ess_driver *d, size_t *count) {
  if (count) *count = d && d->slides ? d->slides->count : 0;
  return d && d->slides ? d->slides->set : NULL;
}

/* ---- notes ----------------------------------------------------------------------------------- */

void ess_slides_forget(ess_driver *d) {
  ess_slides *const s = d->slides;
  if (!s) return;
  s->count = s->told_count = s->noted_count = 0;
  s->question = ESS_NO_QUESTION;
  s->is_whole = false;
  s->adds = true;
  s->chatters = s->unknown = SIZE_MAX;
  s->chattered = s->left_at = NAN;
  s->otherwise = (ess_ending){0};
  for (size_t l = 0; l < d->lanes; l++) {
    if (s->floor[l] > 0.0) d->atol[l] = 0.0;
    s->largest[l] = s->floor[l] = 0.0;
  }
  s->scaled_slides = 0;
  memset(s->push, 0, d->system.event_count * d->lanes * sizeof *s->push);
  for (size_t k = 0; k < d->system.event_count; k++) {
    s->order[k] = ESS_FIRST_ORDER;
    s->stopped[k] = false;
  }
}

/* Ends the slides on surfaces that the state is off by more than the tolerance, at second order
 * with its rate, and on those that an impact's map has armed, but for those that it rests on. */
static int release_left(ess_driver *d) {
  ess_slides *const s = d->slides;
  for (size_t i = 0; i < s->count; i++) {
    const size_t k = s->set[i];
    double allowed;
    const int status = ess_allowed_error(d, k, &allowed);
    if (status) return status;
    bool on = fabs(d->h[k]) <= allowed;
    if (on && s->order[k] != ESS_FIRST_ORDER) {
      const double part = fabs(d->rate[k] / s->g[i * s->count + i]);
      on = part * ess_scaled_norm(d, s->jump + i * d->lanes, d->x, d->x) <= 1.0;
    }
    s->part[i] = on && (!ess_is_armed(d, k) || s->order[k] == ESS_REST);
  }
  int status = ESS_SUCCESS;
  for (size_t i = s->count; !status && i-- > 0;) {
    const size_t k = s->set[i];
    const bool rests = s->order[k] == ESS_REST, is_armed = ess_is_armed(d, k);
    if (s->part[i]) {
      ess_disarm(d, k);
      continue;
    }
    ess_slide_release(d, k);
    if (is_armed) continue;
    if (!rests) d->sign[k] = d->h[k] < 0.0 ? -1.0 : 1.0;
    status = ess_announce(d, k);
    ess_arm(d, ess_guard_ahead(d, k));
  }
  return status;
}

int ess_slide_refuse_turn(ess_driver *d) {
  return ess_slide_fail(d, d->slides->set[0], d->slides->count > 1 ? d->slides->set[1] : SIZE_MAX,
                        "where a sliding state has come from is not unique");
}

/* ---- the surfaces in question ---------------------------------------------------------------- */

/* whether event function k has been crossed at this time or later */
static bool is_crossed_since(const ess_driver *d, size_t k, double t) {
  return d->returns.of[ESS_GUARD_UP(k)].t >= t || d->returns.of[ESS_GUARD_DOWN(k)].t >= t;
}

/* Lists the surfaces in question: those slid on; those just crossed that are approached again, or
 * were crossed in a slide; and if one of these has returned at once, as a state does that spirals
 * into an intersection, all that were crossed of late, within the margin of a tie. With `ties` also
 * others on which the state lies within the tolerance, if there are any of the first. */
static size_t gather(ess_driver *d, bool ties) {
  ess_slides *const s = d->slides;
  const double tie = ess_tie(d), lately = d->t - ESS_MARGIN * tie;
  size_t count = 0, sure = 0;
  bool returned = false;
  for (size_t i = 0; i < s->noted_count; i++) {
    const ess_return *const r = d->returns.of + ESS_GUARD_UP(s->noted[i]);
    returned = returned || (r[0].t >= lately && r[1].t >= lately);
  }
  for (size_t k = 0; k < d->system.event_count; k++) {
    const bool slides = ess_is_listed(s->set, s->count, k);
    bool is_sure = slides || k == s->chatters || s->order[k] == ESS_REST;
    if (!is_sure && (s->may[k] != ESS_MAY_SLIDE || !ess_is_armed(d, k))) continue;
    if (!is_sure && ess_is_listed(s->noted, s->noted_count, k))
      is_sure = s->count || d->side[k] * d->rate[k] > 0.0;
    is_sure = is_sure || (returned && is_crossed_since(d, k, lately));
    const bool is_tied = fabs(d->h[k]) <= tie * fabs(d->rate[k]) || is_crossed_since(d, k, d->t);
    sure += is_sure;
    if (is_sure || (ties && is_tied)) s->events[count++] = k;
  }
  return sure ? count : 0;
}

/* Solves for the hold of the surfaces in question. Those whose rates do not jump are no surfaces;
 * `count` are left. */
static int solve(ess_driver *d, size_t *count) {
  ess_slides *const s = d->slides;
  size_t worst[2] = {0, SIZE_MAX}, kept = 0;
  int status = ess_slide_look_here(d, s->events, *count);
  if (status) return status;
  for (size_t i = 0; i < *count; i++) {
    const bool jumps = fabs(s->g[i * *count + i]) > ESS_NEGLIGIBLE * fabs(s->a[i]);
    if (jumps || ess_is_listed(s->set, s->count, s->events[i])) s->events[kept++] = s->events[i];
  }
  if (kept < *count) status = ess_slide_look_here(d, s->events, kept);
  *count = kept;
  if (!status) status = ess_slide_look_adds(d, d->t, d->x, s->events, kept);
  if (status || !kept) return status;
  if (!s->adds && kept > 3) return ess_slide_fail(d, s->events[0], s->events[1], ESS_NOT_ADDITIVE);
  bool is_seen = s->adds;
  ess_solutions found;
  do {
    if (!is_seen) status = ess_slide_look_here(d, s->events, kept);
    if (status) return status;
    found = ess_slide_solve(d, kept, worst);
    is_seen = false;
  } while (found != ESS_MANY_SOLUTIONS && ess_rest_widen(d, kept));
  bool is_one = found != ESS_MANY_SOLUTIONS;
  if (found == ESS_ONE_SOLUTION)
    is_one = ess_principal_minors(kept, s->g, s->part, worst, &s->box) != ESS_MINORS_NEGATIVE;
  return is_one ? ESS_SUCCESS : ess_slide_fail_pair(d, s->events, worst);
}

/* Many lambda hold a state on redundant surfaces: whether another of them moves it alike. */
static bool moves_alike(const ess_driver *d) {
  ess_slides *const s = d->slides;
  double *const other = s->back, *const near = s->sum;
  if (!s->adds) return true;
  for (size_t i = 0; i < s->count; i++) near[i] = 0.3 + 0.4 * fabs(sin(7.0 * (double)(i + 1)));
  if (!ess_box_unbounded(s->count, s->a, s->g, near, other, &s->box)) return false;
  for (size_t l = 0; l < d->system.dimension; l++) {
    double sum = 0.0, size = 0.0;
    for (size_t j = 0; j < s->count; j++) {
      sum += (other[j] - s->lambda[j]) * s->jump[j * d->lanes + l];
      size += fabs(s->jump[j * d->lanes + l]);
    }
    if (!(fabs(sum) <= 1e-7 * size)) return false;
  }
  return true;
}

/* part of a step in which an excursion to a surface's other side was not resolved */
static const double UNRESOLVED = 0.01;

/* A slide on event function k begins, or goes on, with this lambda. */
static int begin(ess_driver *d, size_t k, double lambda) {
  ess_slides *const s = d->slides;
  const bool rests = s->order[k] == ESS_REST, slid = ess_is_listed(s->old, s->old_count, k);
  s->lambda[s->count] = lambda;
  s->set[s->count++] = k;
  ess_disarm(d, k);
  const int status = rests ? ESS_SUCCESS : ess_take_sign(d, k, -1.0);
  return status || slid || rests ? status : ess_watch_progress(d, k); // impacts are counted
}

/* The slide on the i-th surface in question ends: the state leaves it to this side. */
static int end(ess_driver *d, size_t i, size_t count, double side) {
  ess_slides *const s = d->slides;
  const size_t k = s->events[i];
  const ess_order order = s->order[k];
  int status = order == ESS_REST ? ESS_SUCCESS : ess_take_sign(d, k, side);
  if (!status && order != ESS_FIRST_ORDER)
    status = ess_slide_step_beside(d, i, count, side, ESS_LOST);
  ess_arm(d, ess_guard_ahead(d, k));
  s->left_at = d->t;
  s->order[k] = ESS_FIRST_ORDER;
  return status || order == ESS_REST ? status : ess_watch_progress(d, k);
}

/* The state does not slide on the i-th surface in question. If the field points away at the side
 * that a crossing came from, a state that has just left has returned within a step that was too
 * long for that. */
static int pass(ess_driver *d, size_t i, size_t count, double side) {
  ess_slides *const s = d->slides;
  const size_t k = s->events[i];
  const bool contradicts = s->order[k] == ESS_FIRST_ORDER && side != d->sign[k];
  const int status = s->order[k] == ESS_REST ? ess_rest_let_go(d, i, count) : ESS_SUCCESS;
  s->order[k] = ESS_FIRST_ORDER;
  if (contradicts && d->dt > 0.0 && ess_is_listed(s->noted, s->noted_count, k))
    ess_control_bound(d, ESS_BY_EXIT, UNRESOLVED * d->dt);
  return status;
}

/* The surfaces in question are solved for: slides begin and end. */
static int install(ess_driver *d, size_t count) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  s->old_count = s->count;
  memcpy(s->old, s->set, s->count * sizeof *s->old);
  s->count = 0;
  memcpy(d->x_try, d->x, d->lanes * sizeof *d->x_try);
  for (size_t i = 0; i < count; i++) {
    const size_t k = s->events[i];
    const double side = s->part[i] == ESS_AT_ZERO ? -1.0 : 1.0;
    const int changed = s->part[i] == ESS_BETWEEN                ? begin(d, k, s->lambda[i])
                        : ess_is_listed(s->old, s->old_count, k) ? end(d, i, count, side)
                                                                 : pass(d, i, count, side);
    if (!status) status = changed;
  }
  if (!status) status = ess_check_state(d, d->x_try);
  if (!status) memcpy(d->x, d->x_try, d->lanes * sizeof *d->x);
  return status;
}

/* Directions gain (f - before) times their shares of the crossing: before the surfaces were known
 * they got that with `before` as the field after it. */
static int carry_directions(ess_driver *d, const double before[], bool single) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double most = 0.0;
  for (size_t i = 0; i < n; i++) most = ess_larger(fabs(d->f[i] - before[i]), most);
  if (!(most > 0.0)) return ESS_SUCCESS;
  if (!single || v->last_t != d->t || v->source == ESS_BEFORE_PENDING || v->settled_count)
    return ess_fail(d, ESS_EDISCONTINUOUS, d->slides->noted_count ? d->slides->noted[0] : SIZE_MAX);
  ess_linear_gain(d, d->f, before);
  return ESS_SUCCESS;
}

static bool tell(ess_driver *d, size_t k, int begins) {
  const ess_observer *const o = &d->options.observer;
  if (!o->slide) return false;
  const double t = ess_caller_time(d, d->t);
  const ess_slide_info info = {.event = k, .begins = begins, .t = t, .x = d->x, .sign = d->sign};
  return o->slide(&info, o->context) != 0;
}

/* slides that have ended since the observer was called last, then those that have begun */
static int tell_changes(ess_driver *d) {
  ess_slides *const s = d->slides;
  size_t stopped = SIZE_MAX;
  for (size_t i = 0; i < s->told_count; i++)
    if (!ess_is_listed(s->set, s->count, s->told[i]) && tell(d, s->told[i], -1))
      stopped = s->told[i];
  for (size_t i = 0; i < s->count; i++) {
    if (ess_is_listed(s->told, s->told_count, s->set[i])) continue;
    d->counters.slides++;
    if (tell(d, s->set[i], 1)) stopped = s->set[i];
  }
  s->told_count = s->count;
  memcpy(s->told, s->set, s->count * sizeof *s->told);
  return stopped == SIZE_MAX ? ESS_SUCCESS : ess_fail(d, ESS_ESTOP, stopped);
}

/* one complementarity problem for all surfaces in question */
static int resolve(ess_driver *d, size_t count) {
  ess_slides *const s = d->slides;
  double *const before = d->stage[1];
  memcpy(before, d->f, d->lanes * sizeof *before);
  s->adds = true;
  int status = solve(d, &count);
  if (status == ESS_ESLIDING && count > ESS_LCP_FEW) { // too many for all choices
    s->adds = true;
    count = gather(d, false);
    ess_no_failure(d);
    status = solve(d, &count);
  }
  if (status) return status;
  status = install(d, count);
  if (!status) status = ess_evaluate_node(d);
  size_t begun = 0;
  for (size_t i = 0; i < s->count; i++) begun += !ess_is_listed(s->old, s->old_count, s->set[i]);
  if (!status) {
    ess_slide_begin_node(d, s->lambda);
    if (begun) ess_forget_turning(d); // nothing is known of how their lambdas turn
    if (s->count > 1 && !moves_alike(d))
      status = ess_slide_fail(d, s->set[0], s->set[1], ESS_NOT_UNIQUE);
  }
  if (!status && d->tangents && s->noted_count) {
    const bool single = s->noted_count == 1 && begun <= 1 && d->tangents->last_event == s->noted[0];
    status = carry_directions(d, before, single);
  }
  if (d->tangents) {
    d->tangents->has_first = false;
    if (status && s->noted_count) d->tangents->is_lost = true; // the state has gone already
  }
  return status ? status : tell_changes(d);
}

/* ---- settling -------------------------------------------------------------------------------- */

int ess_slide_settle(ess_driver *d) {
  ess_slides *const s = d->slides;
  int status = ESS_SUCCESS;
  if (d->counters.impacts != s->impacts && s->count) {
    status = release_left(d);
    // a jump of the state may change the force that holds it, too
    if (!s->question && ess_slide_is_beyond(d)) s->question = ESS_AT_BOUND;
  }
  s->impacts = d->counters.impacts;
  bool is_endless = false;
  if (!status && (s->noted_count || s->chatters != SIZE_MAX)) status = find_chatter(d, &is_endless);
  if (!status && memchr(s->stopped, true, d->system.event_count)) status = ess_rest_begin(d);
  if (status) return status;
  if (!s->noted_count && !s->question && s->chatters == SIZE_MAX &&
      !memchr(s->stopped, true, d->system.event_count)) {
    if (!s->count) return ESS_SUCCESS;
    const double *const at_end = s->seen + (ESS_QUARTIC - 1) * d->system.event_count;
    ess_slide_begin_node(d, s->is_whole ? at_end : s->lambda);
    status = ess_slide_scale(d); // a fault may have prevented that at the first step
    const uint64_t evaluations = d->counters.field_evaluations;
    if (!status) status = ess_slide_put_back(d, ESS_DRIFT);
    // where that has moved a weight beyond its bound, no step from there on would find it
    const bool is_same = d->counters.field_evaluations == evaluations;
    if (status || is_same || !ess_slide_is_beyond(d)) return status;
    s->question = ESS_AT_BOUND;
  }
  if (s->question == ESS_RELEASED) {
    double *const before = d->stage[1];
    memcpy(before, d->f, d->lanes * sizeof *before);
    status = ess_evaluate_node(d);
    if (!status && d->tangents) status = carry_directions(d, before, true);
    if (d->tangents) {
      d->tangents->has_first = false;
      if (status) d->tangents->is_lost = true; // the field before is not known any more
    }
  }
  const size_t count = status ? 0 : gather(d, true);
  if (!status) status = count ? resolve(d, count) : tell_changes(d);
  if (status && status != ESS_ESTOP) return status; // a continued run settles this again
  const size_t chatters = s->chatters;
  const bool is_held = ess_is_listed(s->set, s->count, chatters);
  s->noted_count = 0;
  s->question = ESS_NO_QUESTION;
  s->chatters = SIZE_MAX;
  int chattered = ESS_SUCCESS;
  if (chatters != SIZE_MAX && is_held) { // its rate is zero from now on
    ess_watch_returns_of(d, chatters);
    d->returns.at_once = 0;
    chattered = ess_slide_put_back(d, INFINITY);
  } else if (chatters != SIZE_MAX) {
    s->order[chatters] = ESS_FIRST_ORDER;
    if (is_endless) chattered = ess_fail(d, ESS_ESLIDING, chatters);
  }
  if (chattered) return chattered;
  return status || !memchr(s->stopped, true, d->system.event_count) ? status : ess_rest_end(d);
}

int ess_slides_begin(ess_driver *d, bool is_new, bool moved) {
  ess_slides *const s = d->slides;
  const bool is_resumed = d->apply.phase == ESS_PHASE_RESUMED;
  int status = is_new ? ess_rest_from_start(d) : ESS_SUCCESS;
  // an instant in which the last apply was stopped is settled at its end
  if (!is_resumed) {
    s->noted_count = 0;
    s->chatters = SIZE_MAX;
  }
  if (!status && memchr(s->stopped, true, d->system.event_count) && !is_resumed)
    return ess_slide_settle(d);
  if (status || !s->count) return status;
  if (moved) status = release_left(d);
  // the caller may have changed the system since the last apply; a question that was open where the
  // run was stopped is settled as it would have been
  const bool is_open = s->question == ESS_RELEASED || (is_resumed && !moved && s->question);
  if (!is_open) s->question = !status && ess_slide_is_beyond(d) ? ESS_AT_BOUND : ESS_NO_QUESTION;
  if (!status && s->question && !is_resumed) return ess_slide_settle(d);
  if (!status) ess_slide_begin_node(d, s->lambda);
  return status;
}

/*
 * The ledger of crossings. Each crossing is noted before it is made, and the record says why
 * crossings come ever faster:
 *
 *   meaning    record                                            consequence
 *   SLIDE      returns in a row to one event function, at once    a slide, or ESS_ESLIDING
 *              and from the other side
 *   CHATTER    more crossings at one instant than guards cause    rest, or ESS_ECHATTER
 *   ROUNDING   crossings in a row, event functions rest on zero   event functions get grains
 *   ENDLESS    thousands of returns to one event function, by     a slide of order 2, rest,
 *              whose pace the run does not reach its end          ESS_ESLIDING or ESS_ECHATTER
 *   a series   impacts whose intervals, or speeds, shrink by a    rest, or ESS_EZENO
 *              factor, the same each time (Zeno)
 *
 * A status that ends the run is left to the loop where the state may rest instead.
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

/* ---- the end of a run ------------------------------------------------------------------------ */

int ess_end(ess_driver *d) {
  const ess_ending *const e = &d->returns.ending;
  const int status = ess_fail(d, e->status, e->guard);
  d->failure.time = ess_caller_time(d, e->time);
  return status;
}

int ess_end_or_rest(ess_driver *d, ess_status status, size_t guard, double time) {
  d->returns.ending = (ess_ending){status, guard, time};
  return ess_may_rest(d) ? ESS_ENDS : ess_end(d);
}

/* The crossings of an instant go on for good where impacts pass on the rest of their speed, in
 * units of the error that the tolerance allows: it has to fall by this factor before there are too
 * many impacts again. */
static const double SLOWER = 0.9;

int ess_rest_instead(ess_driver *d, int status) {
  ess_slides *const s = d->slides;
  const ess_ending *const e = &d->returns.ending;
  const bool chatters = status == ESS_ENDS && e->status == ESS_ECHATTER;
  if (status && status != ESS_ENDS) return status;
  if (chatters) {
    double fastest = 0.0, allowed;
    for (size_t k = 0; k < d->system.event_count; k++)
      if (ess_is_impact(d, k) && !ess_allowed_error(d, k, &allowed) && allowed > 0.0)
        fastest = ess_larger(fabs(d->rate[k]) / allowed, fastest);
    const bool slower = s->chattered != d->t || fastest <= SLOWER * s->chattered_at;
    s->chattered = d->t;
    s->chattered_at = fastest;
    if (!slower) return ess_end(d);
  }
  for (size_t k = 0; k < d->system.event_count; k++) {
    if (!ess_is_impact(d, k)) continue;
    const ess_return *const r = &d->returns.of[ess_guard_ahead(d, k)];
    // bounces that are not told from zero are no way to go on
    s->stopped[k] = (status && k == e->guard) || r->ends || r->has_stopped || d->grains.of[k] > 0.0;
  }
  if (!memchr(s->stopped, true, d->system.event_count)) return status ? ess_end(d) : ESS_SUCCESS;
  if (chatters)
    d->returns.stalled = 0;
  else if (status)
    s->otherwise = *e;
  return ESS_SUCCESS;
}

/* ---- crossings ------------------------------------------------------------------------------- */

/* A return is at once if no step is made on the way, or if its time is this part of the first
 * approach's and of the step's after that: of both, because for polynomial fields steps are long.
 * Later steps say nothing: crossings have shortened them. */
static const double NEXT_TO_NOTHING = 1e-8;

/* Returns of a page of the ledger. The steps and crossings to the end that it predicts may be too
 * few, because bounces get shorter and other guards join. */
enum { PAGE = 1000 };

typedef enum meaning { NOTHING, SLIDE, CHATTER, ROUNDING, ENDLESS } meaning;

/* Whether steps and crossings suffice until the end at the pace of this page; or at intervals that
 * grow by the same factor from page to page, since bounces may grow. */
static bool will_end(const ess_driver *d) {
  const ess_returns *const r = &d->returns;
  const double span = d->t - r->since, left = d->apply.t_end - d->t;
  const double wider = r->span > 0.0 ? span / r->span : 2.0;
  const double pages =
      ESS_MARGIN * (wider > 1.0 ? log1p(left / span * (wider - 1.0)) / log(wider) : left / span);
  const uint64_t steps = d->options.max_steps - d->apply.steps;
  const uint64_t crossings = d->options.max_crossings - d->apply.crossings;
  return pages * (double)(d->apply.steps - r->steps) <= (double)steps &&
         pages * (double)(d->apply.crossings - r->crossings) <= (double)crossings;
}

/* The meaning of the record when a crossing is noted, or at the node after it. */
static meaning read(const ess_driver *d, bool noted) {
  const ess_returns *const r = &d->returns;
  const size_t m = d->system.event_count;
  const uint64_t since = d->apply.crossings - r->looked;
  // impacts pass on the speed from one to the next: a chain of balls makes one for each pair
  if (noted && r->stalled > 2 * m + ESS_MANY + (d->impacts ? m * (m + 1) / 2 : 0)) return CHATTER;
  if (noted) return r->at_once > ESS_ALIKE ? SLIDE : NOTHING;
  if (r->count >= PAGE && r->endless + 1 >= ESS_AGREEING && !will_end(d)) return ENDLESS;
  const bool many = since >= ESS_MANY + m || (since >= ESS_MANY / 4 && r->at_once >= ESS_MANY / 4);
  return many && ess_locates(d) ? ROUNDING : NOTHING;
}

/* The crossings of event function k are a slide: of the second order, which the slides' LCP finds
 * out once the node is settled, where the state may slide; directions are not carried into such. */
static int slide_or_fail(ess_driver *d, size_t k) {
  const bool may = d->slides && d->slides->may[k] == ESS_MAY_SLIDE;
  if (may && !d->tangents) {
    d->slides->chatters = k;
    return ESS_SUCCESS;
  }
  const int status = ess_fail(d, ESS_ESLIDING, k);
  if (may) d->failure.reason = "directions are not carried into slides of second order";
  return status;
}

void ess_watch_returns_of(ess_driver *d, size_t k) {
  ess_returns *const r = &d->returns;
  r->guard = k;
  r->count = r->others = r->endless = 0;
  r->since = d->t;
  r->span = 0.0;
  r->steps = d->apply.steps;
  r->crossings = d->apply.crossings;
}

int ess_watch_progress(ess_driver *d, size_t k) {
  ess_returns *const r = &d->returns;
  const double resolution = ESS_ROUNDING * ess_larger(fabs(d->t), DBL_MIN / DBL_EPSILON);
  if (d->t - r->instant > resolution) {
    r->instant = d->t;
    r->stalled = 0;
  }
  r->stalled++;
  if (read(d, true) == CHATTER) return ess_end_or_rest(d, ESS_ECHATTER, k, d->t);
  r->other = k;
  return ESS_SUCCESS;
}

int ess_count_crossing(ess_driver *d, size_t k) {
  if (d->apply.crossings++ >= d->options.max_crossings) return ess_fail(d, ESS_EMAXCROSSINGS, k);
  if (!ess_is_silent(d, k)) ess_count_return(d, k);
  return ess_watch_progress(d, k);
}

int ess_note_crossing(ess_driver *d, size_t k) {
  ess_returns *const r = &d->returns;
  // one that the limit refuses comes again in the next apply
  const int status = ess_count_crossing(d, k);
  if (status) return status;
  if (!ess_is_silent(d, k)) {
    const double way = d->t - r->t;
    const bool is_other_side = k == r->crossed && d->sign[k] != r->side;
    const bool at_once = r->after == d->counters.steps || way <= NEXT_TO_NOTHING * r->natural;
    r->at_once = is_other_side && at_once ? r->at_once + 1 : 0;
    if (!r->at_once) r->natural = ess_smaller(d->control.next, way);
    r->crossed = k;
    r->side = d->sign[k];
    r->t = d->t;
    r->after = d->counters.steps;
  }
  return read(d, true) == SLIDE && !ess_is_silent(d, k) ? slide_or_fail(d, k) : ESS_SUCCESS;
}

int ess_obey_returns(ess_driver *d) {
  ess_returns *const r = &d->returns;
  const meaning says = read(d, false);
  const size_t k = r->guard;
  double allowed;
  if (says == ROUNDING) {
    r->looked = d->apply.crossings;
    const int status = ess_give_grains(d);
    // rounding says nothing of sliding
    if (!status && r->crossed < d->system.event_count && d->grains.of[r->crossed] > 0.0)
      r->at_once = 0;
    if (status) return status;
  }
  if (r->count < PAGE) return ESS_SUCCESS;
  const double span = d->t - r->since, way = span / (double)r->count;
  const size_t endless = says == ENDLESS || !will_end(d) ? r->endless + 1 : 0;
  ess_watch_returns_of(d, k);
  r->span = span;
  r->endless = endless;
  if (says != ENDLESS) return ESS_SUCCESS;
  const int status = ess_allowed_error(d, k, &allowed);
  if (status || !(fabs(d->h[k]) + way * fabs(d->rate[k]) <= allowed)) return status;
  return ess_is_impact(d, k) ? ess_end_or_rest(d, ESS_ECHATTER, k, d->t) : slide_or_fail(d, k);
}

void ess_returns_begin(ess_driver *d, double t) {
  ess_returns *const r = &d->returns;
  r->instant = r->t = t;
  r->stalled = r->at_once = 0;
  r->natural = 0.0;
  r->other = r->crossed = SIZE_MAX;
}

void ess_returns_open(ess_driver *d) {
  d->returns.looked = 0;
  ess_watch_returns_of(d, 0);
}

void ess_returns_forget(ess_driver *d) {
  for (size_t guard = 0; d->returns.of && guard < 2 * d->system.event_count; guard++)
    d->returns.of[guard] = ess_no_returns();
}

/* ---- impacts that accumulate (Zeno) ---------------------------------------------------------- */

/* Impacts of one guard come at intervals that shrink by a factor, the same each time, and so do
 * their speeds: a state that does not jump returns to a guard as fast as before, and a short
 * interval says nothing, unless many of them have shrunk to nothing. */

/* Longest step, in intervals, because crossings are located to a fraction of a step. Longer steps
 * come nearer to the end once the series is lost in errors; that must be within a tie, which is a
 * thousandth of a step at most. */
static const double STEP = 8.0, STEP_LOST = 1e5;

static void note_ratio(ess_shrinking *s, double value) {
  const double ratio = value / s->last; // no number the first time
  const bool agrees = fabs(ratio - s->ratio) <= ESS_AGREED * (1.0 - ratio);
  s->agreeing = !(ratio < 1.0) ? 0 : agrees ? s->agreeing + 1 : 1;
  s->ratio = ratio < 1.0 ? ratio : NAN;
  s->last = value;
}

static bool is_series(const ess_shrinking *s, uint64_t most) {
  const uint64_t agreeing = most < s->agreeing ? most : s->agreeing;
  return agreeing >= ESS_ALIKE || (agreeing >= ESS_AGREEING &&
                                   pow(s->ratio, (double)agreeing) <= ldexp(1.0, -2 * ESS_ALIKE));
}

/* whether the state has gone from the guard by no more than errors that the tolerance allows */
static int is_lost(ess_driver *d, size_t k, double height, bool *lost) {
  double allowed;
  const int status = ess_allowed_error(d, k, &allowed);
  *lost = height <= ESS_LOST * allowed;
  return status;
}

/* Whether the series of impacts of event function k's guard ends with the last one:
 *
 *   ESS_AGREEING in a row stop the state, which does not leave the guard    now
 *   intervals and speeds shrink, and the rest is shorter than a tie    by the intervals
 *   speeds shrink, and the height is lost in errors    as last known without errors
 *   intervals shrink, whatever the speeds, to nothing    by the intervals
 *
 * Intervals shrink to nothing if the rest of them is rounding of the time, or the state leaves the
 * guard by no more than the grains within which it has not left it. */
static int read_series(ess_driver *d, size_t k, ess_return *r) {
  const double interval = r->interval.last, height = r->speed.last * interval;
  const double left = interval * r->interval.ratio / (1.0 - r->interval.ratio);
  const bool by_speeds = is_series(&r->speed, r->speed.agreeing);
  const bool by_intervals = is_series(&r->interval, r->interval.agreeing);
  const bool by_both = is_series(&r->interval, r->slower);
  bool lost = false;
  int status = r->has_stopped ? is_lost(d, k, height, &lost) : ESS_SUCCESS;
  r->stops = lost ? r->stops + 1 : 0;
  r->has_stopped = false;
  r->ends = !status && r->stops >= ESS_AGREEING;
  if (r->ends) r->end = d->t;
  if (status || r->ends) return status;

  const double intervals = by_both && r->is_lost ? STEP_LOST : STEP;
  if (r->slower) ess_control_bound(d, ESS_BY_SERIES, intervals * interval);
  if (by_both || by_speeds) r->height = height;
  if ((by_both || by_speeds) && !r->is_lost) r->end = d->t + (by_both ? left : 0.0);
  if (r->end <= d->apply.t_end) {
    status = is_lost(d, k, r->height, &r->is_lost);
    const bool is_near = by_both && (left <= ess_tie(d) || r->slower >= d->options.zeno_impacts);
    r->ends = !status && (by_both ? is_near : r->is_lost);
    if (is_near) r->end = d->t + left;
    if (!by_both && !r->is_lost) r->end = NAN;
  }
  if (status || r->ends || r->slower || !by_intervals) return status;

  const double height_of_grains = ESS_GRAINS_AWAY * ESS_GRAIN_AT_REST;
  double allowed;
  ess_control_bound(d, ESS_BY_SERIES, STEP * interval);
  if (d->t + left > d->apply.t_end) return ESS_SUCCESS;
  status = ess_allowed_error(d, k, &allowed);
  r->ends = !status && (height <= height_of_grains * allowed || left <= ESS_COMPUTED * fabs(d->t));
  if (r->ends) r->end = d->t + left;
  return status;
}

int ess_note_impacts(ess_driver *d, size_t count, const size_t events[], double *when) {
  int status = ESS_SUCCESS;
  *when = NAN;
  for (size_t i = 0; !status && i < count; i++) {
    const size_t k = events[i];
    ess_return *const r = &d->returns.of[ess_guard_ahead(d, k)];
    const double interval = d->t - r->t, speed = fabs(d->rate[k]);
    const double slower = speed / r->speed.last, sooner = interval / r->interval.last;
    bool lost;
    if (!ess_is_impact(d, k)) {
      r->t = d->t; // an event that coincides with an impact makes no series
      continue;
    }
    r->ends = false;
    if (interval == 0.0 && k == d->returns.other) {
      // again at once: the map has left no more than the rounding of a rate
      status = is_lost(d, k, speed * d->control.next, &lost);
      r->stops = lost ? r->stops + 1 : 0;
      r->ends = !status && r->stops >= ESS_AGREEING;
      if (r->ends) *when = r->end = d->t;
    }
    if (interval == 0.0) continue;
    note_ratio(&r->interval, interval);
    note_ratio(&r->speed, speed);
    // speeds fall at least half as much as intervals do
    r->slower = sooner < 1.0 && slower < 0.5 * (1.0 + sooner) ? r->slower + 1 : 0;
    r->t = d->t;
    status = read_series(d, k, r);
    if (r->ends) *when = ess_larger(r->end, d->t);
  }
  return status;
}

int ess_end_zeno(ess_driver *d, double when) {
  return isnan(when) ? ESS_SUCCESS : ess_end_or_rest(d, ESS_EZENO, SIZE_MAX, when);
}

int ess_end_grazing(ess_driver *d, size_t k, double time, double *zeno) {
  ess_return *const r = &d->returns.of[ess_guard_ahead(d, k)];
  bool lost = false;
  const int status = r->end <= d->apply.t_end ? is_lost(d, k, r->height, &lost) : ESS_SUCCESS;
  const double when = lost ? ess_larger(r->end, d->t) : NAN;
  r->ends = lost;
  if (zeno) *zeno = when;
  if (status || (lost && zeno)) return status;
  return lost ? ess_end_zeno(d, when) : ess_end_or_rest(d, ESS_EGRAZING, k, time);
}

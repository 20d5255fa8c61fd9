/*
 * Impacts that accumulate (Zeno). Those of one guard come at times that shrink by a factor, the
 * same each time, and so do the speeds at which they come: a state that does not jump returns to a
 * guard as fast as before, and a short time between two impacts says nothing, unless the times of
 * many have shrunk to nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "events.h"
#include "impacts.h"
#include "suspect.h"

/* so many ratios in a row agree, or fewer that make as little of a time as so many quarters do */
enum { RATIOS = 8, RATIOS_LEAST = 3 };
static const double QUARTERS = 1.0 / (1 << (2 * RATIOS));

/* ratios agree when they differ by this part of what they are below one */
static const double AGREE = 0.1;

/* a series is lost in errors where the state goes away from the guard by this part of what the
 * tolerance lets it be off by */
static const double PART = 1e-3;

/* steps of so many ways back to a guard at most: crossings are located to a part of a step. Where
 * the series is lost in errors little is gained by that: longer steps come nearer to its end, to
 * which a tie, a thousandth of a step at most, has to reach. */
static const double STEP = 8.0, STEP_LOST = 1e5;

/* Whatever the speeds do, impacts accumulate where a series of them is over in this part of the
 * time: what would come after it has no answer. Or where the state goes away by this part of what
 * the tolerance lets it be off by: a little less is taken for rounding (suspect.c). */
static const double TIMELESS = 1e-12, SLIGHT = 1e-4;

/* notes the next of them, which does not count unless it is smaller, as others say it is */
static void note_ratio(ess_shrinking *s, double value, bool is_smaller) {
  const double ratio = value / s->last; // not a number the first time
  const bool shrinks = is_smaller && ratio < 1.0;
  const bool agrees = shrinks && fabs(ratio - s->ratio) <= AGREE * (1.0 - ratio);
  s->agreeing = agrees ? s->agreeing + 1 : shrinks;
  s->fall = agrees ? s->fall * ratio : ratio;
  s->ratio = shrinks ? ratio : NAN;
  s->last = value;
}

static bool is_series(const ess_shrinking *s) {
  return s->agreeing >= RATIOS || (s->agreeing >= RATIOS_LEAST && s->fall <= QUARTERS);
}

/* notes how long, and at which speed, it took to come back to a guard; false where no time has
 * passed. Speeds fall at least half as much as times do. */
static bool note(ess_returning *r, double t, double speed) {
  const double way = t - r->t, slower = speed / r->speed.last, ratio = way / r->way.last;
  if (way == 0.0) return false;
  note_ratio(&r->way, way, slower < 0.5 * (1.0 + ratio));
  note_ratio(&r->speed, speed, true);
  note_ratio(&r->pace, way, true);
  r->in_a_row = r->way.agreeing ? r->in_a_row + 1 : 0;
  r->t = t;
  return true;
}

/* whether the state has gone from the guard by no more than errors that the tolerance allows */
static int is_lost(ess_driver *d, size_t k, double height, bool *lost) {
  double allowed;
  const int status = ess_allowed_error(d, k, &allowed);
  *lost = height <= PART * allowed;
  return status;
}

/* Impacts of event function k's guard, of which one has been noted: whether their series ends here,
 * or can be told no better later on. Its speeds say that there is one, and times when it ends; or
 * speeds alone where the state does not leave the guard, as far as the tolerance tells: there the
 * series is over in no time. What breaks off where it is lost in errors ends when it was last told
 * to without them. */
static int find_end(ess_driver *d, size_t k, ess_returning *r, bool *ends) {
  const bool by_times = is_series(&r->way), by_speeds = is_series(&r->speed);
  const double left = by_times ? r->way.last * r->way.ratio / (1.0 - r->way.ratio) : 0.0;
  *ends = false;
  const double ways = by_times && r->is_lost ? STEP_LOST : STEP;
  if (r->way.agreeing) d->dt_next = ess_smaller(d->dt_next, ways * r->way.last);
  if (by_times || by_speeds) r->height = r->speed.last * r->way.last;
  if ((by_times || by_speeds) && !r->is_lost) r->end = r->t + left;
  if (!(r->end <= d->t_end)) return ESS_SUCCESS;
  const int status = is_lost(d, k, r->height, &r->is_lost);
  const bool is_near = left <= ess_tie(d) || r->in_a_row >= d->options.zeno_impacts;
  *ends = by_times ? is_near : r->is_lost;
  if (by_times && is_near) r->end = r->t + left;
  if (!by_times && !r->is_lost) r->end = NAN;
  return status;
}

/* whether times alone make a series that is over as good as now, or is about to be lost in errors
 */
static int find_timeless_end(ess_driver *d, size_t k, ess_returning *r, bool *ends) {
  if (r->way.agreeing || !is_series(&r->pace)) return ESS_SUCCESS;
  d->dt_next = ess_smaller(d->dt_next, STEP * r->pace.last);
  const double left = r->pace.last * r->pace.ratio / (1.0 - r->pace.ratio);
  if (d->t + left > d->t_end) return ESS_SUCCESS;
  double allowed;
  const int status = ess_allowed_error(d, k, &allowed);
  const bool is_lost = r->speed.last * r->pace.last <= SLIGHT * allowed;
  *ends = !status && (is_lost || left <= TIMELESS * fabs(d->t));
  if (*ends) r->end = d->t + left;
  return status;
}

/* Impacts that stop the state on event function k's guard, to which something pushes it: each takes
 * all of the speed, so that they accumulate at once. */
static int find_stop(ess_driver *d, size_t k, ess_returning *r, bool *ends) {
  bool lost = false;
  const double height = r->speed.last * r->way.last;
  const int status = r->has_stopped ? is_lost(d, k, height, &lost) : ESS_SUCCESS;
  r->stops = lost ? r->stops + 1 : 0;
  r->has_stopped = false;
  *ends = r->stops >= RATIOS_LEAST;
  if (*ends) r->end = d->t;
  return status;
}

int ess_watch_zeno(ess_driver *d, size_t count, const size_t events[], double *when) {
  int status = ESS_SUCCESS;
  *when = NAN;
  for (size_t i = 0; !status && i < count; i++) {
    const size_t k = events[i];
    ess_returning *const r = &d->impacts->returning[ess_guard_ahead(d, k)];
    bool ends;
    r->ends = false;
    if (!note(r, d->t, fabs(d->rate[k]))) continue;
    status = find_stop(d, k, r, &ends);
    if (!status && !ends) status = find_end(d, k, r, &ends);
    if (!status && !ends) status = find_timeless_end(d, k, r, &ends);
    r->ends = !status && ends;
    if (r->ends) *when = ess_larger(r->end, d->t);
  }
  return status;
}

int ess_end_zeno(ess_driver *d, double when) {
  if (isnan(when)) return ESS_SUCCESS;
  const int status = ess_fail(d, ESS_EZENO, SIZE_MAX);
  d->failure.time = ess_caller_time(d, when);
  return status;
}

int ess_fail_grazing(ess_driver *d, size_t k) {
  double when;
  const int status = ess_zeno_of_graze(d, k, &when);
  return status || isnan(when) ? status : ess_end_zeno(d, when);
}

int ess_zeno_of_graze(ess_driver *d, size_t k, double *when) {
  ess_returning *const r = &d->impacts->returning[ess_guard_ahead(d, k)];
  bool lost = false;
  const int status = r->end <= d->t_end ? is_lost(d, k, r->height, &lost) : ESS_SUCCESS;
  *when = lost ? ess_larger(r->end, d->t) : NAN;
  r->ends = lost;
  return status || lost ? status : ess_fail(d, ESS_EGRAZING, k);
}

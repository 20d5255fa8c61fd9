/*
 * The method by one tolerance: integration steps in a frozen mode, cut where a crossing is located,
 * or through many crossings at a time where the field is affine in their signs (kinks.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "kinks.h"
#include "slides.h"
#include "tangents.h"

/* crosses guard k, which the state is on */
static int cross_here(ess_driver *d, size_t k) {
  size_t impact;
  int status = ess_due_impact(d, k, &impact);
  if (status || impact != SIZE_MAX) return status ? status : ess_make_impact(d, impact);
  status = ess_make_crossing(d, k);
  return status ? status : ess_evaluate_node(d);
}

/* a tolerance below the rounding of the state cannot be kept */
static int check_resolution(ess_driver *d) {
  for (size_t i = 0; i < ess_caller_states(d); i++) {
    const double size = fabs(d->x[i]);
    if (d->atol[i] + d->rtol[i] * size < DBL_EPSILON * size)
      return ess_fail(d, ESS_ETOLERANCE, SIZE_MAX);
  }
  return ESS_SUCCESS;
}

/* ---- steps that begin at a crossing ---------------------------------------------------------- */

/* What a step has come to says little of the next one where a crossing is between: a body that
 * falls makes steps of any length, and one that has touched down does not. But it says what those
 * will come to that begin at the same guard. So they are no longer than the last such step, if that
 * has been refused before; and where it has been cut at the way back through the guard, than a few
 * times that way: where a dense output is that much longer, an event function near its zero goes
 * back and forth there though the state does not. */

/* LONGER: growth of the limit for the next such step. SHORTEST: smallest limit, over the step that
 * the error would allow; a limit above WORTH times that step does not apply. */
static const double LONGER = 4.0, SHORTEST = 1e-3, WORTH = 0.5;

void ess_forget_after(ess_driver *d) {
  d->after.crossed = d->after.from = SIZE_MAX;
  for (size_t i = 0; i < 2 * d->system.guard_count; i++) d->after.longest[i] = INFINITY;
}

/* the step about to be tried is not one through crossings */
static void shorten_after(ess_driver *d) {
  ess_after *const a = &d->after;
  if (a->from == SIZE_MAX) return;
  const double longest = ess_larger(a->longest[a->from], SHORTEST * d->dt_next);
  a->is_shortened = longest < WORTH * d->dt_next;
  if (a->is_shortened) d->dt_next = longest;
}

/* what the step just made has come to, of which so many tries were refused */
static void note_after(ess_driver *d, double length, uint64_t refused) {
  ess_after *const a = &d->after;
  if (a->from == SIZE_MAX || d->kinks.is_on) return;
  double *const longest = a->longest + a->from;
  if (a->crossed / 2 == a->from / 2)
    *longest = LONGER * length;
  else if (refused)
    *longest = d->dt;
  else
    *longest = a->is_shortened ? LONGER * d->dt : INFINITY;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* one integration step with all that is crossed in it */
static int make_step(ess_driver *d, double t1) {
  const bool watching = d->armed_count > 0;
  int status = check_resolution(d);
  if (!status && d->is_coarse) status = ess_refine(d);
  if (!status && d->dt_next == 0.0) status = ess_dopri5_first_step(d, t1, &d->dt_next);
  if (status) return status;
  if (d->slides) status = ess_slide_scale(d);
  if (status) return status;
  if (watching) ess_watch_paces(d);
  if (ess_is_sliding(d)) {
    status = ess_slope_weigh(d);
    return status ? status : ess_integration_step(d, t1);
  }
  if (!watching) ess_watch_no_turns(d);
  ess_kinks_choose(d);
  if (!d->kinks.is_on) {
    shorten_after(d);
    ess_brief_choose(d, d->after.from);
  }
  return ess_integration_step(d, t1);
}

/* one that may begin at a crossing */
static int step(ess_driver *d, double t1) {
  const uint64_t rejected = d->counters.rejected;
  const double t = d->t;
  ess_brief_note(d, d->after.crossed);
  d->after.from = ess_is_sliding(d) ? SIZE_MAX : d->after.crossed;
  d->after.crossed = SIZE_MAX;
  d->after.is_shortened = false;
  const int status = make_step(d, t1);
  note_after(d, d->t - t, d->counters.rejected - rejected);
  return status;
}

/* after crossings, or a step, that ended with this status */
static int settle(ess_driver *d, int status) {
  const bool ends = status == ESS_EZENO || status == ESS_EGRAZING || status == ESS_ECHATTER;
  if (ends && ess_may_rest(d) && ess_rest_instead(d)) status = ESS_SUCCESS;
  if (!status && d->slides) status = ess_slide_settle(d);
  if (!status) status = ess_settle(d);
  if (!status) status = ess_watch_returns(d);
  // bounces below the tolerance without end are rest, too
  if (status != ESS_ECHATTER || ends || !ess_may_rest(d) || !ess_rest_instead(d)) return status;
  return ess_slide_settle(d);
}

int ess_finish_instant(ess_driver *d) {
  const bool has_gone = d->counters.steps || d->counters.crossings;
  int status = ess_finish_impact(d);
  if (!status && has_gone) status = ess_refill(d); // at the start no pool is filled
  return settle(d, status);
}

int ess_advance_by_tolerance(ess_driver *d, double t1) {
  for (;;) {
    size_t due;
    if (d->tangents && ess_page_turn(d)) return ESS_SUCCESS;
    int status = ess_find_due(d, &due);
    if (status) return status;
    const bool is_due = due != SIZE_MAX;
    const double end = ess_step_end(d, t1);
    if (d->t >= end && !is_due) {
      if (end >= t1) return ESS_SUCCESS;
      status = ess_pass_field_jump(d);
      if (status) return status;
      continue;
    }
    status = is_due ? cross_here(d, due) : step(d, end);
    if (!status && is_due) status = ess_refill(d);
    status = settle(d, status);
    if (status) return status;
  }
}

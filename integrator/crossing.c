/*
 * A crossing where the state is, what observers are told of it and of steps, and returns to one
 * event function that are sliding.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "driver_state.h"
#include "events.h"
#include "slides.h"
#include "suspect.h"
#include "tangents.h"

/* this many returns in a row are sliding; each takes next to nothing beside a step, and beside the
 * way there: where the field is a polynomial steps are as long as they are let */
enum { RETURNS = 8 };
static const double NEXT_TO_NOTHING = 1e-8;

/* whether the field points back to one event function from either side of it: it returns at once,
 * or without a step, time and again */
static bool is_sliding(ess_driver *d, size_t guard) {
  const double way = d->t - d->slide_time, natural = ess_smaller(d->dt_next, d->slide_way);
  const bool at_once = d->slide_steps == d->counters.steps || way <= NEXT_TO_NOTHING * natural;
  const bool is_other_side = guard == d->slide_guard && d->sign[guard] != d->slide_side;
  const bool returns = is_other_side && at_once;
  d->slide_returns = returns ? d->slide_returns + 1 : 0;
  if (!returns) d->slide_way = way;
  d->slide_guard = guard;
  d->slide_side = d->sign[guard];
  d->slide_time = d->t;
  d->slide_steps = d->counters.steps;
  return d->slide_returns > RETURNS;
}

/* whether an apply has gone on where an observer stopped the one before, and come upon what is
 * crossed there by a step of rounding alone: that does not stop it again, or no apply would go on
 */
static bool goes_on(const ess_driver *d) {
  return d->t - d->stopped <= 4.0 * DBL_EPSILON * fabs(d->t);
}

int ess_observe_step(ess_driver *d, double t0, bool projection) {
  const ess_observer *const o = &d->options.observer;
  if (!o->step) return ESS_SUCCESS;
  const ess_step_info info = {.projection = projection, .t0 = t0, .t1 = d->t, .x = d->x};
  if (!o->step(&info, o->context) || goes_on(d)) return ESS_SUCCESS;
  d->stopped = d->t;
  return ess_fail(d, ESS_ESTOP, SIZE_MAX);
}

bool ess_observe_crossing(ess_driver *d, size_t guard, double t, const double x[]) {
  const ess_observer *const o = &d->options.observer;
  if (!o->crossing) return false;
  const ess_crossing_info info = {
      .guard = guard, .direction = d->sign[guard] > 0.0 ? 1 : -1, .t = t, .x = x, .sign = d->sign};
  return o->crossing(&info, o->context) != 0;
}

/* crosses a guard where the state is; `carried`: an impact has just carried it past that */
static int make_crossing(ess_driver *d, size_t guard, bool carried) {
  const bool silent = ess_is_silent(d, guard);
  if (d->apply_crossings++ >= d->options.max_crossings)
    return ess_fail(d, ESS_EMAXCROSSINGS, guard);
  if (!silent && is_sliding(d, guard) && !ess_is_left_to_slides(d, guard))
    return ess_fail_sliding(d, guard);
  int status = ess_watch_progress(d, guard);
  if (status) return status;
  if (silent)
    d->counters.silent++;
  else
    d->counters.crossings++;
  if (!silent) ess_note_return(d, guard);
  if (d->tangents && !silent)
    status = carried ? ess_tangent_carried(d, NULL) : ess_tangent_cross(d, guard);
  if (status) return status;
  // the crossing is made, and observed, even when the model fails to follow the mode
  if (d->slides && !silent && !carried) ess_slide_note(d, guard);
  status = ess_cross(d, guard);
  const bool stop = !silent && ess_observe_crossing(d, guard, d->t, d->x);
  return stop && !status ? ess_fail(d, ESS_ESTOP, guard) : status;
}

int ess_make_crossing(ess_driver *d, size_t guard) {
  return make_crossing(d, guard, false);
}

int ess_make_carried_crossing(ess_driver *d, size_t guard) {
  return make_crossing(d, guard, true);
}

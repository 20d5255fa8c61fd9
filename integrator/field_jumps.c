/*
 * Jumps of the field by time alone, at times that the system lists: a step ends there, by the field
 * before the jump, and the next begins, by the field after it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "core.h"
#include "events.h"
#include "slides.h"
#include "tangents.h"

const char *ess_field_jumps_check(const ess_system *s) {
  if (s->field_jumps.count && !s->field_jumps.times)
    return "field_jumps.times must not be NULL when field_jumps.count > 0";
  for (size_t i = 0; i < s->field_jumps.count; i++) {
    if (!isfinite(s->field_jumps.times[i])) return "each of field_jumps.times must be finite";
    if (i && !(s->field_jumps.times[i] > s->field_jumps.times[i - 1]))
      return "field_jumps.times must ascend";
  }
  return NULL;
}

/* how many are below this time, or at it */
static size_t count_below(const ess_system *s, double t, bool or_at) {
  size_t below = 0, end = s->field_jumps.count;
  while (below < end) {
    const size_t i = below + (end - below) / 2;
    if (s->field_jumps.times[i] < t || (or_at && s->field_jumps.times[i] == t))
      below = i + 1;
    else
      end = i;
  }
  return below;
}

void ess_go_between(ess_driver *d, double t) {
  const ess_system *const s = &d->caller.system;
  const double *const jumps = s->field_jumps.times, way = d->caller.way;
  const bool forward = way > 0.0;
  // between jumps i - 1 and i; where time goes backward the one that it begins at has been passed
  const size_t i = count_below(s, ess_caller_time(d, t), forward);
  const double lower = i > 0 ? jumps[i - 1] : -INFINITY;
  const double upper = i < s->field_jumps.count ? jumps[i] : INFINITY;
  const double below = nextafter(upper, -INFINITY);
  d->between = forward ? (ess_between){lower, upper, lower, below}
                       : (ess_between){-upper, -lower, -below, -lower};
}

void ess_begin_between(ess_driver *d, double t) {
  ess_go_between(d, t);
  if (t != d->between.passed) return;
  // steps before the jump say nothing of those after it
  ess_control_restart(d);
  ess_base_forget(d);
}

int ess_pass_field_jump(ess_driver *d) {
  const ess_system *const s = &d->system;
  const size_t i = count_below(s, ess_caller_time(d, d->between.next), false);
  // the parameter whose value the jump's time is
  const size_t parameter = s->field_jumps.parameters ? s->field_jumps.parameters[i] : SIZE_MAX;
  const bool follows = d->tangents && ess_tangent_follows(d, parameter);
  int status = follows ? ess_tangent_before_jump(d) : ESS_SUCCESS;
  if (!status && d->tangents) status = ess_tangent_note_corners(d);
  if (status) return status;
  ess_begin_between(d, ess_larger(d->between.next, d->t));
  if (!status) status = ess_evaluate_node(d);
  if (!status) status = ess_check_events(d);
  if (!status && d->tangents) status = ess_tangent_refuse_corner(d);
  if (!status && d->tangents) ess_tangents_begin(d);
  if (!status && d->slides) status = ess_slides_begin(d, false, false);
  // a slide that the jump has ended is over, also if an observer stops there: this is the field
  // after both
  if ((!status || status == ESS_ESTOP) && follows) ess_tangent_jump(d, parameter);
  return status;
}

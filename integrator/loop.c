/*
 * The run by one tolerance: crossings that are due at the node, and integration steps in a frozen
 * mode. A step is cut at its first crossing, or taken through many if the field is affine in their
 * signs (through.c). A try of a step stands, or is refused for a cause.
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
#include "through.h"

/* ---- where a step has been cut --------------------------------------------------------------- */

/* Crossings where a step has been cut, or at its end: of silent guards that it has passed, and of
 * the guards that it was cut at, an impact among them first. */

/* the first impact that is approached at the node, where the step was cut, or else another one;
 * SIZE_MAX when there is none. The node is evaluated if there may be one. */
static int find_impact(ess_driver *d, size_t *impact) {
  *impact = SIZE_MAX;
  for (size_t i = 0; i < d->flagged.count; i++)
    if (ess_is_impact(d, d->flagged.list[i])) *impact = d->flagged.list[i];
  if (*impact == SIZE_MAX) return ESS_SUCCESS;
  *impact = SIZE_MAX;
  int status = ess_evaluate_node(d);
  // guards that the state rests on, and goes on to, are not reached where the step is cut for
  // others
  for (size_t i = 0; !status && i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    const bool rests = d->rate[k] == 0.0 && d->rate_end[k] == 0.0;
    if (rests && ess_is_impact(d, k)) d->flagged.fate[k] = ESS_FATE_NONE;
  }
  for (size_t i = 0; !status && i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    if (d->flagged.fate[k] != ESS_FATE_ENTERED || !ess_is_armed(d, k)) continue;
    size_t due;
    status = ess_due_impact(d, k, &due);
    if (status || due == SIZE_MAX) continue;
    const bool is_approached = d->side[due] * d->rate[due] > 0.0;
    if (*impact == SIZE_MAX || is_approached) *impact = due;
    if (is_approached) break;
  }
  return status;
}

/* ---- a try ----------------------------------------------------------------------------------- */

/* One try of a step by d->base, and whether its error lets it stand. The field is called last at
 * the step's end. Time, where it is a state, is set there: stabilised steps would add up its
 * rounding. */
ess_verdict ess_try_step(ess_driver *d, double t1) {
  const size_t size = d->system.event_count * sizeof *d->idle.now;
  double error = INFINITY, severity;
  int status = ESS_SUCCESS;
  if (d->apply.steps++ >= d->options.max_steps) status = ess_fail(d, ESS_EMAXSTEPS, SIZE_MAX);
  if (!status && d->unlocated.on) status = ess_return_to_node(d);
  if (!status && d->base->begin) status = d->base->begin(d);
  if (!status && d->tangents && d->base->kind == ESS_STABILISED) status = ess_tangent_leave(d);
  if (status) return (ess_verdict){.status = status};
  // the least of all bounds, no further than t1
  const double bound = ess_smaller(d->options.h_max, d->control.turning.longest);
  const double length = ess_smaller(d->control.next, ess_smaller(d->control.longest, bound));
  d->dt = length * (1.0 + 1e-9) >= t1 - d->t ? t1 - d->t : length;
  if (d->system.idle) memcpy(d->idle.in_step, d->idle.at_node, size);
  status = d->base->try(d, &error);
  if (!d->scheme->place_level) error *= d->base->severity; // crossings are located on the step
  if (d->system.idle) memcpy(d->idle.at_end, d->idle.now, size);
  if (d->caller.moves) d->x_end[ess_caller_states(d)] = d->x[ess_caller_states(d)] + d->dt;
  if (!status && d->tangents) {
    status = ess_tangent_severity(d, error, &severity);
    error *= severity;
  }
  if (status) return (ess_verdict){.status = status};
  const ess_verdict v = d->base->judge(d, error);
  if (d->choice.other && ess_stands(&v)) ess_base_choose(d, t1);
  return v;
}

/* A step whose guards are in doubt is halved, down to the resolution of time, or near t = 0 to a
 * part of its first length. Below that only a guard that is not finite is an error. If the doubt
 * turns out to be rounding, the step is tried with its first length. */
ess_verdict ess_halve(ess_driver *d, ess_location *found) {
  const size_t k = found->doubt_guard;
  bool coarser;
  ess_verdict v = {.status = ess_suspect_step(d, k)};
  if (!v.status) v.status = ess_coarsen(d, k, &coarser);
  if (v.status) return v;
  if (coarser || !ess_is_shortest(d))
    return ess_refused(ESS_BY_DOUBT, coarser ? d->doubt.longest : 0.5 * d->dt);
  if (!isfinite(d->h_end[k] + d->rate_end[k] + d->inside.middle[k] + d->inside.beside[0][k] +
                d->inside.beside[1][k]))
    v.status = ess_fail(d, ESS_EEVENT, k);
  ess_control_count(d, ESS_BY_DOUBT);
  found->doubt_guard = SIZE_MAX;
  return v;
}

/* The verdict on the step just tried, whose error lets it stand, by its event functions and slides;
 * and the place of its cut. */
static ess_verdict look_along(ess_driver *d, ess_location *found) {
  const bool watching = d->armed_count > 0, sliding = d->slides && ess_is_sliding(d);
  const bool stabilised = d->base->kind == ESS_STABILISED;
  ess_verdict v = {0};
  if (d->base->dense) d->base->dense(d);
  if (d->unlocated.on) return ess_unlocated_judge(d);
  if (watching) {
    if (d->base->kind != ESS_THROUGH) v.status = ess_look_at_guards(d);
    if (v.status) return v;
    ess_set_levels(d);
    found->doubt_guard = ess_flag_events(d);
  }
  const bool is_sure = found->doubt_guard == SIZE_MAX;
  if (d->base->kind == ESS_THROUGH && (d->through.count || d->flagged.count || !is_sure)) {
    if (is_sure) v = ess_judge_turning(d);
    if (v.status) return v;
    if (!is_sure || !ess_stands(&v) || !ess_through_fits(d)) return ess_through_leave(d);
    found->use = ESS_USE_THROUGH;
    return v;
  }
  if (watching && !sliding && is_sure) {
    v = ess_judge_turning(d);
    if (!v.status && d->control.turning.tries) v.status = ess_suspect_turns(d);
    if (v.status || v.cause) return v;
  }
  if (watching && is_sure && d->flagged.count) v.status = ess_locate_flagged(d, found);
  if (!v.status && found->use == ESS_USE_CUT && stabilised && d->tangents) {
    // directions may need more of the crossing than a stabilised step has
    v = ess_tangent_approach(d, found->theta * d->dt);
    if (!ess_stands(&v)) return v;
    (void)ess_flag_events(d); // some are off the list, and other states have been looked at
    v.status = ess_locate_flagged(d, found);
  }
  if (!v.status && found->doubt_guard != SIZE_MAX) v = ess_halve(d, found);
  if (found->use == ESS_USE_CUT && !sliding && d->base->approach && ess_stands(&v))
    v = d->base->approach(d, found);
  if (found->use == ESS_USE_CUT && d->system.affine_in_signs && ess_stands(&v))
    ess_through_located(d);
  return sliding && ess_stands(&v) ? ess_slide_watch(d, found) : v;
}

/* ---- a step becomes part of the run ---------------------------------------------------------- */

/* Crosses the guards that the step was cut at, where the state is. Those that are silent come
 * before an observer may stop the run: no later step would find that they have been passed. */
static int cross_located(ess_driver *d, double t0) {
  d->counters.entries++;
  // the node is not evaluated yet: event functions are those that the search found there
  int status = ess_cross_silent(d, d->h_try);
  if (!status) status = ess_observe_step(d, t0);
  size_t impact = SIZE_MAX;
  if (!status && d->impacts) status = find_impact(d, &impact);
  const bool jumps = impact != SIZE_MAX;
  if (!status && jumps) status = ess_make_impact(d, impact);
  bool changed = false; // the field
  for (size_t i = 0; !status && !jumps && i < d->flagged.count; i++) {
    const size_t k = d->flagged.list[i];
    double h, rate = 0.0;
    if (d->flagged.fate[k] != ESS_FATE_ENTERED || d->side[k] == 0.0) continue;
    // another that is crossed here may have turned the state back
    if (changed) status = ess_field(d, d->t, d->x, d->stage[1]);
    if (changed && !status)
      status = ess_some_guard_rates(d, d->t, d->x, d->stage[1], &k, 1, &h, &rate);
    if (!status && d->side[k] * rate < 0.0) continue;
    changed = changed || !ess_is_silent(d, k);
    if (!status) status = ess_make_crossing(d, k, false);
  }
  if (!status && !jumps) status = ess_evaluate_node(d);
  if (status || d->armed_count > d->watched.count) return status;
  return ess_refill(d);
}

int ess_take_step(ess_driver *d, const ess_location *found, double t1,
                  int (*cut)(ess_driver *d, double t0)) {
  const double t0 = d->t, duration = found->theta * d->dt;
  const bool watching = d->armed_count > 0, is_cut = found->use == ESS_USE_CUT;
  int status = ESS_SUCCESS;
  if (is_cut) {
    ess_dopri5_dense(d, found->theta, d->x_end);
    d->apply.t_seen = t0 + duration;
    status = ess_check_state(d, d->x_end);
  }
  if (status) return status;
  if (d->doubt.count) ess_suspect_none(d);
  if (d->impacts && watching && !is_cut) status = ess_refuse_touch(d);
  if (!status && d->tangents && watching)
    status = ess_tangent_refuse_touch(d, found, d->dt == t1 - d->t);
  if (!status && d->tangents) status = ess_tangent_step(d, found->theta, is_cut);
  if (status) return status;
  ess_piece_step(d, duration);
  if (d->impacts && is_cut) status = ess_sharpen_jump(d);
  if (d->tangents && !status) status = ess_tangent_piece(d);
  if (status) return status;
  d->counters.steps++;
  d->counters.stabilised += d->base->kind == ESS_STABILISED;
  d->counters.implicit += d->base->kind == ESS_IMPLICIT;
  d->counters.unlocated += d->unlocated.on;
  if (d->system.idle) status = ess_cross_idle(d, is_cut ? d->h_try : d->h_end);
  if (d->grid.done < d->grid.count) ess_sample_piece(d, status || is_cut ? d->t : t0 + duration);
  if (status) return status;
  d->apply.t_seen = d->t;
  if (is_cut) return cut(d, t0);
  ess_take_whole_step(d, t1);
  d->apply.t_seen = d->t;
  // candidates may have to be added from event functions that nobody watched
  if (!watching && d->system.event_count && !d->unlocated.on)
    status = ess_guard_rates(d, d->t, d->x, d->f, d->h, d->rate);
  if (!status && watching && d->flagged.count) status = ess_cross_silent(d, d->h);
  if (!status && !d->unlocated.on && d->armed_count <= d->watched.count) status = ess_refill(d);
  return status ? status : ess_observe_step(d, t0);
}

/* ---- steps ----------------------------------------------------------------------------------- */

int ess_refuse_step(ess_driver *d, const ess_verdict *v) {
  ess_control_refuse(d, v);
  if (v->cause == ESS_BY_CROSSING && d->base->fallback) d->base = d->base->fallback;
  const bool by_error = v->cause == ESS_BY_ERROR || v->cause == ESS_BY_NO_NUMBER;
  if (!by_error || ess_is_resolved(d, v->next) || ess_base_turn_stiff(d)) return ESS_SUCCESS;
  return v->cause == ESS_BY_NO_NUMBER ? ess_fail_field(d) : ess_fail(d, ESS_EUNDERFLOW, SIZE_MAX);
}

/* One step, which may begin at a crossing, with all that is crossed in it: it is tried until a try
 * stands. */
static int step(ess_driver *d, double t1) {
  const uint64_t rejected = d->counters.rejected;
  const bool sliding = d->slides && ess_is_sliding(d);
  const double t = d->t;
  int status = d->grains.any ? ess_refine(d) : ESS_SUCCESS;
  if (!status) status = ess_control_begin(d, t1, sliding);
  if (d->options.base == ESS_BASE_DOPRI5)
    d->base = &ess_base_dopri5;
  else if (!status)
    status = ess_base_start(d);
  if (!status && d->slides) status = ess_slide_scale(d);
  if (!status && sliding && d->caller.rates != ESS_RATES_GIVEN) status = ess_slope_weigh(d);
  if (!status && d->system.affine_in_signs) ess_through_choose(d);
  const bool is_after = d->control.after.from != SIZE_MAX;
  if (!status && is_after && d->base->kind != ESS_THROUGH && ess_control_after(d))
    d->base = d->base->brief;
  for (bool stands = false; !status && !stands;) {
    ess_location found = {.theta = 1.0, .doubt_guard = SIZE_MAX};
    ess_verdict v = ess_try_step(d, t1);
    if (!v.status && !v.cause) v = look_along(d, &found);
    stands = !v.status && !v.cause;
    status = v.status                       ? v.status
             : !stands                      ? ess_refuse_step(d, &v)
             : found.use == ESS_USE_THROUGH ? ess_through_take(d, t1)
                                            : ess_take_step(d, &found, t1, cross_located);
  }
  if (is_after && d->base->kind != ESS_THROUGH)
    ess_control_made(d, d->t - t, d->counters.rejected - rejected);
  return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* A guard that the node is on, or beyond, and that the field points through: one beyond it, or else
 * one on it; SIZE_MAX when there is none, as most often. At the end of the run that of an impact
 * counts as reached where rounding alone is between: a run that starts there does not make it. */
static int find_due(ess_driver *d, size_t *due) {
  size_t on = SIZE_MAX;
  *due = SIZE_MAX;
  const double rounding = d->impacts && d->t >= d->apply.t_end ? ess_time_rounding(d) : 0.0;
  bool any = rounding != 0.0 && d->armed_count;
  // mostly no armed guard is passed, and all that is known of them are numbers
  for (size_t b = 0; !any && b < d->blocks; b++) {
    if (!d->block_armed[b]) continue;
    ess_mask passed = {0};
    for (size_t lane = 0; lane < ESS_BLOCK; lane += ESS_LANES) {
      const size_t k = b * ESS_BLOCK + lane;
      const ess_lanes h = ess_lanes_load(d->h + k), rate = ess_lanes_load(d->rate + k);
      const ess_lanes g = ess_lanes_load(d->side + k) * (h + 0.0 * rate);
      // from 0, or less, or INFINITY when none is armed
      passed |= ~(g < ess_lanes_load(d->due_from + k));
    }
    any = ess_mask_any(passed);
  }
  if (!any) return ESS_SUCCESS;
  for (size_t k = 0; *due == SIZE_MAX && k < d->system.event_count; k++) {
    const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k];
    if (!ess_is_armed(d, k)) continue;
    if (!(fabs(g) + fabs(rate) <= DBL_MAX)) return ess_check_events(d);
    const double early = ess_is_impact(d, k) ? rounding * rate : 0.0;
    if (!(rate > 0.0) || g + early < d->grains.of[k]) continue;
    if (g > 0.0) *due = k;
    if (on == SIZE_MAX) on = k;
  }
  if (*due == SIZE_MAX) *due = on;
  return ESS_SUCCESS;
}

/* After crossings, or a step, that ended with this status: what slides or rests from here on, and
 * the consequences of the ledger. */
static int settle(ess_driver *d, int status) {
  if (status == ESS_ENDS) status = ess_rest_instead(d, status);
  if (!status && d->slides) status = ess_slide_settle(d);
  if (!status) status = ess_obey_returns(d);
  if (status != ESS_ENDS) return status;
  // bounces below the tolerance without end are rest, too
  status = ess_rest_instead(d, status);
  return status ? status : ess_slide_settle(d);
}

int ess_finish_instant(ess_driver *d) {
  const bool has_gone = d->counters.steps || d->counters.crossings;
  int status = ess_finish_impact(d);
  if (!status && has_gone) status = ess_refill(d); // at the start no pool is filled
  return settle(d, status);
}

static int run(ess_driver *d, double t1) {
  for (;;) {
    size_t due;
    if (d->tangents && ess_page_turn(d)) return ESS_SUCCESS;
    int status = d->options.locate == ESS_LOCATE_CHOSEN ? ess_unlocated_choose(d) : ESS_SUCCESS;
    if (!status) status = find_due(d, &due);
    if (status) return status;
    const double end = ess_smaller(d->between.next, t1);
    const uint64_t crossings = d->apply.crossings;
    if (due != SIZE_MAX) {
      size_t impact;
      status = ess_due_impact(d, due, &impact);
      if (!status && impact != SIZE_MAX) {
        status = ess_make_impact(d, impact);
      } else if (!status) {
        status = ess_make_crossing(d, due, false);
        if (!status) status = ess_evaluate_node(d);
      }
      if (!status) status = ess_refill(d);
    } else if (d->t < end) {
      status = step(d, end);
    } else {
      if (end >= t1) return ESS_SUCCESS;
      status = ess_pass_field_jump(d);
      if (status) return status;
      continue;
    }
    if (status || d->slides || d->apply.crossings != crossings) status = settle(d, status);
    const bool cannot = status == ESS_ESLIDING || status == ESS_ECHATTER;
    if (cannot && d->options.locate == ESS_LOCATE_CHOSEN) status = ess_unlocated_instead(d);
    if (status) return status;
  }
}

const ess_scheme ess_scheme_tolerance = {.run = run};

/*
 * The integration step: dopri5, a stabilised step (base.c) or a linearly implicit one, with PI
 * step-size control (Hairer I, II.4), mode frozen, cut where the first candidate enters its
 * neighbourhood (section 3.1 of the paper), or is crossed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core.h"
#include "events.h"
#include "impacts.h"
#include "kinks.h"
#include "slides.h"
#include "tangents.h"

/* ---- where a step has been cut --------------------------------------------------------------- */

/* What is crossed where a step has been cut, or at its end: silent guards that it has passed, and
 * the guards that it was cut at, an impact among them first. */

/* they are inside their neighbourhoods from the new node on */
static void enter_neighbourhoods(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++)
    if (d->fate[d->flagged[i]] == ESS_FATE_ENTERED) ess_hold_inside(d, d->flagged[i]);
}

/* the guards of impacts that the state rests on, and goes on to, are not reached where the step is
 * cut for another */
static void leave_resting(ess_driver *d) {
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    const bool rests = d->rate[k] == 0.0 && d->rate_end[k] == 0.0;
    if (rests && ess_is_impact(d, k)) d->fate[k] = ESS_FATE_NONE;
  }
}

/* whether event function k's guard is approached */
static bool is_approached(const ess_driver *d, size_t k) {
  return d->side[k] * d->rate[k] > 0.0;
}

/* an impact at the node, where the step was cut, of those that are approached there the first;
 * SIZE_MAX when there is none. The node is evaluated where there may be. */
static int find_impact(ess_driver *d, size_t *impact) {
  *impact = SIZE_MAX;
  for (size_t i = 0; d->impacts && i < d->flagged_count; i++)
    if (ess_is_impact(d, d->flagged[i])) *impact = d->flagged[i];
  if (*impact == SIZE_MAX) return ESS_SUCCESS;
  int status = ess_evaluate_node(d);
  if (!status) leave_resting(d);
  *impact = SIZE_MAX;
  for (size_t i = 0; !status && i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->fate[k] != ESS_FATE_ENTERED || !ess_is_armed(d, k)) continue;
    size_t due;
    status = ess_due_impact(d, k, &due);
    if (status || due == SIZE_MAX || (*impact != SIZE_MAX && !is_approached(d, due))) continue;
    *impact = due;
    if (is_approached(d, due)) break;
  }
  return status;
}

/* whether guard k, where the state is, is still approached after what has been crossed there */
static int is_still_due(ess_driver *d, size_t k, bool *due) {
  double h, rate = 0.0;
  int status = ess_field(d, d->t, d->x, d->stage[1]);
  if (!status) status = ess_some_guard_rates(d, d->t, d->x, d->stage[1], &k, 1, &h, &rate);
  *due = !(d->side[k] * rate < 0.0);
  return status;
}

/* the guards that the step was cut at, none of which is an impact */
static int cross_all(ess_driver *d) {
  bool jumped = false; // another that is crossed here may have turned the state back
  for (size_t i = 0; i < d->flagged_count; i++) {
    const size_t k = d->flagged[i];
    if (d->fate[k] != ESS_FATE_ENTERED || d->side[k] == 0.0) continue;
    bool due = true;
    int status = jumped ? is_still_due(d, k, &due) : ESS_SUCCESS;
    if (!status && !due) continue;
    jumped = jumped || !ess_is_silent(d, k);
    if (!status) status = ess_make_crossing(d, k);
    if (status) return status;
  }
  return ESS_SUCCESS;
}

/* crosses those that are not silent, where the state is, and evaluates the node */
static int cross_entered(ess_driver *d) {
  size_t impact;
  int status = find_impact(d, &impact);
  if (status || impact != SIZE_MAX) return status ? status : ess_make_impact(d, impact);
  status = cross_all(d);
  return status ? status : ess_evaluate_node(d);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* PI controller: safety factor, exponents, limits of the change in one step */
static const double SAFETY = 0.9, BETA = 0.04, ALPHA = 0.2 - 0.75 * 0.04;
static const double ALPHA_STABILISED = 0.4; // between those of errors that grow with h^3 and h
static const double ALPHA_RODAS = 0.25 - 0.75 * 0.04;
static const double SAFER = 0.8; // safety factor after a crossing or a rejection
static const double SHRINK_MOST = 0.1, GROW_MOST = 10.0;

/* length of the next try, never past t1; *last when it ends exactly there */
static double choose_length(const ess_driver *d, double t1, bool *last) {
  const double remaining = t1 - d->t;
  double longest = ess_smaller(d->options.h_max, d->turning.longest);
  if (d->brief.is_on) longest = ess_smaller(d->brief.longest, longest);
  const double dt = ess_smaller(d->dt_next, longest);
  *last = dt * (1.0 + 1e-9) >= remaining;
  return *last ? remaining : dt;
}

/* as the error depends on the length */
static double alpha(const ess_driver *d) {
  if (ess_by_rodas(d)) return ALPHA_RODAS;
  return d->stabilised.is_on || ess_by_ros2(d) ? ALPHA_STABILISED : ALPHA;
}

/* Where the field has just changed, or a step has been refused, errors of ROS2 grow from step to
 * step: with less of a margin every sixth is refused where contacts begin often. */
static double safety(const ess_driver *d, bool rejected) {
  const bool changes = rejected || d->after.from != SIZE_MAX;
  return ess_by_ros2(d) && changes ? SAFER : SAFETY;
}

/* after a rejection: a shorter step, or why there is none */
static int shrink(ess_driver *d, double error) {
  d->counters.rejected++;
  const double part = safety(d, true) * exp2(-alpha(d) * log2(error));
  d->dt_next = d->dt * (isfinite(error) ? ess_larger(SHRINK_MOST, part) : 0.1);
  if (d->dt_next > 4.0 * DBL_EPSILON * ess_larger(fabs(d->t), DBL_MIN / DBL_EPSILON))
    return ESS_SUCCESS;
  // so stiff a field may have become
  if (ess_base_turn_stiff(d)) return ESS_SUCCESS;
  return isfinite(error) ? ess_fail(d, ESS_EUNDERFLOW, SIZE_MAX) : ess_fail_field(d);
}

/* after an acceptance: the next step's length, from this error and the one before */
static void propose(ess_driver *d, double error, bool rejected_before) {
  if (d->kinks.is_on && d->kinks.count) {
    const double next = ess_kinks_next_length(d, error);
    d->dt_next = rejected_before ? ess_smaller(next, d->dt) : next;
    d->log_error_old = ESS_LOG_ERROR_FLOOR;
    return;
  }
  // where the pair is exact, as in free fall, there is nothing to compute
  const double log_error = error > 0.0 ? log2(error) : -INFINITY;
  double factor = GROW_MOST;
  if (error > 0.0)
    factor = safety(d, rejected_before) * exp2(BETA * d->log_error_old - alpha(d) * log_error);
  factor = ess_smaller(GROW_MOST, ess_larger(SHRINK_MOST, factor));
  if (rejected_before) factor = ess_smaller(factor, 1.0);
  // a step shortened to end at t1 says nothing against the longer one proposed before it
  if (factor < 1.0 || d->dt * factor > d->dt_next) d->dt_next = d->dt * factor;
  d->log_error_old = ess_larger(log_error, ESS_LOG_ERROR_FLOOR);
}

/* one try of the step's length, by what makes the steps; its error in parts of what is allowed */
static int try_by_base(ess_driver *d, double *error) {
  if (d->kinks.is_on) return ess_kinks_try(d, error);
  // its error is that of its dense output
  if (ess_by_rodas(d)) return ess_rodas_try(d, error);
  const int status = d->brief.is_on        ? ess_brief_try(d, error)
                     : ess_by_ros2(d)      ? ess_ros2_try(d, error)
                     : d->stabilised.is_on ? ess_stabilised_try(d, error)
                                           : ess_dopri5_try(d, error);
  *error *= d->severity;
  return status;
}

/* the same, with whose signs act on nothing in it; its last call of the field is that of its end.
 * Time is a state without an error: stabilised steps add up their rounding. */
static int try_step(ess_driver *d, double *error) {
  const size_t size = d->system.guard_count * sizeof *d->idle, clock = ess_caller_states(d);
  if (d->system.idle) memcpy(d->idle_in_step, d->idle_at_node, size);
  const int status = try_by_base(d, error);
  if (d->system.idle) memcpy(d->idle_at_end, d->idle, size);
  if (d->caller.moves) d->x_end[clock] = d->x[clock] + d->dt;
  return status;
}

/* tries steps until the error control accepts one; *last when it ends at t1 */
static int accepted_step(ess_driver *d, double t1, bool *last) {
  bool rejected = false;
  for (;;) {
    if (d->apply_steps++ >= d->options.max_steps) return ess_fail(d, ESS_EMAXSTEPS, SIZE_MAX);
    int status = ess_base_begin(d);
    if (!status && d->stabilised.is_on && d->tangents) status = ess_tangent_leave(d);
    if (status) return status;
    d->dt = choose_length(d, t1, last);
    double error;
    status = try_step(d, &error);
    if (status) return status;
    if (d->tangents) {
      double severity;
      status = ess_tangent_severity(d, error, &severity);
      if (status) return status;
      error *= severity;
    }
    if (d->brief.is_on) {
      if (ess_brief_accepts(d, error)) return ESS_SUCCESS;
      d->counters.rejected++;
      continue;
    }
    if (error <= 1.0) {
      propose(d, error, rejected);
      // a step that t1 has cut short says nothing of what others cost
      if (ess_is_base_chosen(d) && !*last && !ess_is_sliding(d)) ess_base_choose(d);
      return ESS_SUCCESS;
    }
    status = d->kinks.is_on && d->kinks.is_involved ? ESS_SUCCESS : shrink(d, error);
    if (!status && d->kinks.is_on) status = ess_kinks_reject(d, error);
    if (status) return status;
    rejected = true;
  }
}

/* rates of event functions along the dense output, at one end of the step, in place of those by the
 * field; but nothing is nothing, as of a state at rest */
static int take_dense_rates(ess_driver *d, double t, const double x[], const double slope[],
                            double rate[]) {
  const int status = ess_guard_rates(d, t, x, slope, d->h_try, d->rate_try);
  for (size_t k = 0; !status && k < d->system.guard_count; k++)
    if (rate[k] != 0.0) rate[k] = d->rate_try[k];
  return status;
}

/* The field is that of a state which is right to the tolerance: where it is stiff it may be far off
 * the way that the state goes. */
static int rates_at_ends_of_rodas(ess_driver *d) {
  double *const first = d->stage[ESS_RODAS_FIRST], *const last = d->stage[ESS_RODAS_LAST];
  ess_dopri5_slope(d, 0.0, first);
  ess_dopri5_slope(d, 1.0, last);
  int status = take_dense_rates(d, d->t, d->x, first, d->rate);
  const double t = d->t + d->dt;
  if (!status) status = ess_guard_rates(d, t, d->x_end, d->stage[6], d->h_end, d->rate_end);
  return status ? status : take_dense_rates(d, t, d->x_end, last, d->rate_end);
}

/* At the step's end and within it. The end comes first: a caller that keeps what it has found out
 * of a state has just been asked for the field there. */
static int watch_guards(ess_driver *d) {
  double *const h[] = {d->h_check[0], d->h_mid, d->h_check[1]};
  int status = ESS_SUCCESS;
  // where steps go through crossings it has been looked at
  if (!d->kinks.is_on)
    status = ess_by_rodas(d)
                 ? rates_at_ends_of_rodas(d)
                 : ess_guard_rates(d, d->t + d->dt, d->x_end, d->stage[6], d->h_end, d->rate_end);
  ess_choose_looks(d);
  const double at[] = {d->looked.at[0], 0.5, d->looked.at[1]};
  for (int i = 0; !status && i < 3; i++) {
    ess_dopri5_dense(d, at[i], d->x_try);
    status = ess_guards(d, d->t + at[i] * d->dt, d->x_try, h[i]);
  }
  return status;
}

/* a step whose guards are in doubt is halved, down to what time resolves, which near t = 0 is by
 * how long it was; there only a guard that is not finite is still at fault. It is tried as it was
 * where its doubt turns out to be rounding. */
static int halve(ess_driver *d, ess_location *found) {
  const size_t k = found->doubt_guard;
  bool coarser;
  d->counters.rejected++;
  int status = ess_suspect_step(d, k);
  if (!status) status = ess_coarsen(d, k, &coarser);
  if (status) return status;
  if (coarser || !ess_is_shortest(d)) {
    d->dt_next = coarser ? d->longest_doubted : 0.5 * d->dt;
    return ESS_SUCCESS;
  }
  if (!isfinite(d->h_end[k] + d->rate_end[k] + d->h_mid[k] + d->h_check[0][k] + d->h_check[1][k]))
    return ess_fail(d, ESS_EGUARD, k);
  found->doubt_guard = SIZE_MAX;
  return ESS_SUCCESS;
}

/* a point within the step is the node */
static int cut_step(ess_driver *d) {
  d->counters.entries++;
  const int status = ess_evaluate_node(d);
  enter_neighbourhoods(d);
  return status;
}

/* crosses the guards that the step was cut at, where the state is; evaluates the node anew. Those
 * that are silent come before an observer may stop the run: nobody would look for what they have
 * passed. */
static int cross_located(ess_driver *d, double t0) {
  // the node is not evaluated yet: event functions are those that the search found there
  int status = ess_cross_silent(d, d->h_try);
  if (!status) status = ess_observe_step(d, t0, false);
  return status ? status : cross_entered(d);
}

/* a point within the step is the node: by the paper's method inside a neighbourhood, else where
 * guards are crossed, of which observers hear after the step */
static int take_part(ess_driver *d, double t0) {
  const bool located = d->options.method != ESS_METHOD_PAPER;
  d->counters.entries += located;
  if (located) return cross_located(d, t0);
  const int status = cut_step(d);
  return status ? status : ess_cross_silent(d, d->h);
}

/* its end, or the place where it is cut, made the node */
static int take_step(ess_driver *d, const ess_location *found, double t1, bool last) {
  const double t0 = d->t, duration = found->theta * d->dt;
  const bool watching = d->armed_count > 0;
  int status = ESS_SUCCESS;
  if (found->cut) {
    ess_dopri5_dense(d, found->theta, d->x_end);
    d->t_seen = t0 + duration;
    status = ess_check_state(d, d->x_end);
    if (status) return status;
  }
  ess_suspect_none(d);
  if (d->impacts && watching && !found->cut) {
    status = ess_refuse_touch(d);
    if (status) return status;
  }
  if (d->tangents) {
    if (watching) status = ess_tangent_refuse_touch(d, found, last);
    if (!status) status = ess_tangent_step(d, found->theta, found->cut);
    if (status) return status;
  }
  ess_piece_step(d, duration);
  if (d->impacts && found->cut) status = ess_sharpen_jump(d);
  if (d->tangents && !status) status = ess_tangent_piece(d);
  if (status) return status;
  d->counters.steps++;
  d->counters.stabilised += d->stabilised.is_on;
  d->counters.implicit += ess_by_rodas(d);
  status = ess_cross_idle(d, found->cut ? d->h_try : d->h_end);
  ess_sample_piece(d, status || found->cut ? d->t : t0 + duration);
  if (status) return status;
  d->t_seen = d->t;
  if (found->cut) {
    status = take_part(d, t0);
  } else {
    ess_take_whole_step(d, t1, last);
    d->t_seen = d->t;
    // candidates may have to be added from event functions that nobody watched
    if (!watching && d->system.guard_count)
      status = ess_guard_rates(d, d->t, d->x, d->f, d->h, d->rate);
    if (!status && watching) status = ess_cross_silent(d, d->h);
  }
  if (!status) status = ess_refill(d);
  const bool told = found->cut && d->options.method != ESS_METHOD_PAPER;
  return status || told ? status : ess_observe_step(d, t0, false);
}

/* where the step just tried, whose guards have been flagged, is cut; *again where directions need
 * more of the first crossing of a stabilised step than that has */
static int locate(ess_driver *d, ess_location *found, bool *again) {
  int status = ess_locate_flagged(d, found);
  if (status || !d->tangents || !d->stabilised.is_on) return status;
  if (found->cut) status = ess_tangent_approach(d, found->theta * d->dt, again);
  if (status || *again || d->options.method == ESS_METHOD_PAPER) return status;
  (void)ess_flag_guards(d); // some have been taken off the list, and other states been looked at
  return ess_locate_flagged(d, found);
}

/* the same where a step is cut at crossings, and bounded by how fast event functions turn */
static int locate_unless_turned(ess_driver *d, ess_location *found, bool *again) {
  *again = ess_turns_too_far(d);
  d->counters.rejected += *again;
  int status = ess_suspect_turns(d);
  if (!status && !*again) status = locate(d, found, again);
  return status;
}

/* whether the step just tried, of which no guard has been looked at yet, stands, and where it is
 * cut; *again where it has to be tried anew */
static int look_along(ess_driver *d, ess_location *found, bool *again) {
  const bool watching = d->armed_count > 0, sliding = ess_is_sliding(d);
  const bool is_free = !sliding && d->options.method == ESS_METHOD_TOLERANCE;
  int status = ESS_SUCCESS;
  if (watching && found->doubt_guard == SIZE_MAX)
    status = is_free ? locate_unless_turned(d, found, again) : locate(d, found, again);
  if (!status && !*again && found->doubt_guard != SIZE_MAX) {
    status = halve(d, found);
    *again = found->doubt_guard != SIZE_MAX;
  }
  if (!status && !*again && found->cut && is_free && ess_by_rodas(d))
    status = ess_rodas_approach(d, found->theta, again);
  if (!status && !*again && found->cut && is_free) ess_kinks_located(d);
  if (!status && !*again && sliding) status = ess_slide_watch(d, found, again);
  return status;
}

/* one try of a step, which is made, with all that is crossed in it, unless *again */
static int try_whole(ess_driver *d, double t1, bool *again) {
  ess_location found = {.theta = 1.0, .doubt_guard = SIZE_MAX};
  const bool watching = d->armed_count > 0;
  bool last = false;
  *again = false;
  int status = accepted_step(d, t1, &last);
  if (status) return status;
  if (!ess_by_rodas(d)) ess_dopri5_prepare_dense(d, ess_is_of_pair(d));
  if (d->kinks.is_on && d->kinks.count)
    memcpy(d->dense[3], d->kinks.quartic, d->lanes * sizeof *d->x);
  if (!watching && !ess_is_sliding(d)) return take_step(d, &found, t1, last);
  if (watching) {
    status = watch_guards(d);
    if (status) return status;
    ess_set_levels(d);
    found.doubt_guard = ess_flag_guards(d);
  }
  const bool in_doubt = found.doubt_guard != SIZE_MAX;
  if (d->kinks.is_on && (d->kinks.count || d->flagged_count || in_doubt)) {
    if (!in_doubt && !ess_turns_too_far(d) && ess_kinks_fits(d)) return ess_kinks_take(d, t1, last);
    *again = true;
    return ess_kinks_leave(d);
  }
  status = look_along(d, &found, again);
  return status || *again ? status : take_step(d, &found, t1, last);
}

int ess_integration_step(ess_driver *d, double t1) {
  int status = ESS_SUCCESS;
  if (d->dt_next == 0.0) status = ess_dopri5_first_step(d, t1, &d->dt_next);
  for (bool again = true; !status && again;) status = try_whole(d, t1, &again);
  return status;
}

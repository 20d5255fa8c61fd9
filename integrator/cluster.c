/*
 * Crossings in quick succession: sub-steps along one integration step, the base, until it ends or
 * no crossing is near (docs/theory/sub-steps.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "armed.h"
#include "callbacks.h"
#include "candidates.h"
#include "chatter.h"
#include "cluster.h"
#include "crossing.h"
#include "driver_state.h"
#include "groups.h"
#include "knots.h"
#include "lanes.h"
#include "listing.h"
#include "path.h"
#include "piece.h"
#include "resets.h"
#include "saltation.h"
#include "sample.h"
#include "sort.h"
#include "status.h"
#include "substep.h"
#include "tape.h"
#include "undo.h"
#include "variation.h"

/* calls of the field: of a located crossing with the step that begins there; of a sub-step, on the
 * average; of the step after a cluster */
static const double LOCATED = 7.0, SUBSTEP = 3.0, AFTERWARDS = 6.0;

/* no crossing within so many sub-steps, and an integration step is cheaper */
static const double ALONE = 6.0;

/* of a sub-step's length: safety factor; exponent, between those of an error that grows with its
 * square, by crossings, and with its cube, without; and how much longer the next may be */
static const double SAFETY = 0.85, EXPONENT = -0.4, GROW = 2.0;

/* the first sub-step of all, in integration steps: nothing is known yet of what a jump does */
static const double FIRST = 0.125;

/* the step after a cluster, in sub-steps, at most: the field is not what the last step saw */
static const double AFTER = 12.0;

/* part of a sub-step by which a crossing may have come before its end unseen, since what corrects
 * the state there moves crossings too */
static const double UNSEEN = 0.25;

/* powers of a base shorter than this are beyond the numbers */
static const double BRIEFEST = 1e-70;

/* shorter than this, in integration steps, a sub-step is lost in rounding: crossings are located */
static const double SHORTEST = 1e-12;

/* whether so many crossings are cheaper made in sub-steps of that length than located */
static bool pays(size_t count, double span, double length) {
  return AFTERWARDS + SUBSTEP * (1.0 + span / length) < LOCATED * (double)count;
}

/* the same of those listed, from the first until so long comes none that sub-steps would end */
static bool still_pays(const ess_driver *d, double length) {
  const ess_cluster *const c = &d->cluster;
  size_t count = 0;
  double first = 0.0, latest = 0.0;
  for (size_t i = 0; i < c->count; i++) {
    if (c->is_silent[i]) continue;
    const double time = c->time[i];
    if (!count)
      first = time;
    else if (time > latest + ALONE * length)
      break;
    latest = time;
    count++;
  }
  return pays(count, latest - first, length);
}

/* the base's path becomes the path of sub-steps */
static void begin_cluster(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  c->deviates = false;
  c->latest = 0.0;
  c->substeps = 0;
  memcpy(c->base_x, d->x, d->lanes * sizeof *d->x);
  memcpy(c->base_end, d->x_end, d->lanes * sizeof *d->x);
  memcpy(c->base_end_f, d->stage[6], d->lanes * sizeof *d->x);
}

/* one crossing of the sub-step, made once more in its turn, at its own time and state */
static int make_in_turn(ess_driver *d, size_t k, double time) {
  if (d->apply_crossings++ >= d->options.max_crossings) return ess_fail(d, ESS_EMAXCROSSINGS, k);
  const bool silent = ess_is_silent(d, k);
  if (silent)
    d->counters.silent++;
  else
    d->counters.crossings++;
  int status = ESS_SUCCESS;
  if (d->tangents && !silent) status = ess_tangent_cross_path(d, k, time - d->piece.t0);
  if (status) return status;
  d->rows_again = true;
  status = ess_cross(d, k);
  d->rows_again = false;
  if (d->tangents && !silent && !status) status = ess_tangent_cross_end(d, time);
  if (silent || !d->options.observer.crossing) return status;
  ess_piece_state(d, time, d->stage[1]);
  const bool stop = ess_observe_crossing(d, k, time, d->stage[1]);
  return stop && !status ? ess_fail(d, ESS_ESTOP, k) : status;
}

/* the run ends within the sub-step, at this time */
static void stop_at(ess_driver *d, double time) {
  ess_piece_state(d, time, d->stage[1]);
  memcpy(d->x, d->stage[1], d->lanes * sizeof *d->x);
  d->t = d->piece.t1 = time;
  d->failure.time = ess_caller_time(d, time);
}

/* the run ends where the sub-step begins, none of its crossings made */
static void stop_at_start(ess_driver *d) {
  memcpy(d->x, d->piece.x, d->lanes * sizeof *d->x);
  d->t = d->piece.t1 = d->piece.t0;
  d->failure.time = ess_caller_time(d, d->t);
}

/* makes the crossings once more in the order of their times, so that each is told of in the mode
 * that it leads to, and the run can end at any of them */
static int replay(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  int status = ess_take_back(d, 0);
  if (!status && d->tangents) status = ess_tangent_knots(d);
  if (status) stop_at_start(d);
  d->batch_count = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (!c->is_made[i]) continue;
    d->batch[d->batch_count] = c->crossing[i];
    d->batch_time[d->batch_count++] = c->time[i];
  }
  ess_sort_by_time(d->batch_time, d->batch, d->batch_count);
  for (size_t i = 0; !status && i < d->batch_count; i++) {
    const double since = ess_clamp(d->batch_time[i], 0.0, c->length);
    const double time = ess_smaller(d->piece.t0 + since, d->piece.t1);
    status = make_in_turn(d, d->batch[i], time);
    if (status) stop_at(d, time);
  }
  if (!status && d->tangents) status = ess_tangent_path_end(d);
  return status;
}

/* crosses the silent guards that the sub-step has passed */
static int cross_passed(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < c->passed_count; i++) {
    const size_t k = c->passed[i];
    if (!(d->side[k] * d->h[k] >= 0.0) || !ess_is_silent(d, k) || d->side[k] == 0.0) continue;
    if (d->apply_crossings++ >= d->options.max_crossings) return ess_fail(d, ESS_EMAXCROSSINGS, k);
    d->counters.silent++;
    status = ess_cross(d, k);
  }
  return status;
}

/* counts the crossings made, and tells of them */
static int tell_crossings(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  uint64_t made = 0, silent = 0;
  for (size_t i = 0; i < c->count; i++) {
    made += c->is_made[i];
    silent += c->is_made[i] && c->is_silent[i];
    if (c->is_made[i] && !c->is_silent[i]) ess_note_return(d, c->crossing[i]);
  }
  if (d->options.observer.crossing || d->tangents ||
      d->apply_crossings + made > d->options.max_crossings)
    return replay(d);
  d->apply_crossings += made;
  d->counters.silent += silent;
  d->counters.crossings += made - silent;
  return ESS_SUCCESS;
}

/* the path from the new node on */
static void go_on(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  double *const x = d->x_try, *const rate = d->v_try;
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes defect = ess_lanes_load(c->defect + i), zero = {0.0};
    const ess_lanes bend = c->deviates ? ess_lanes_load(c->bend + i) : zero;
    ess_lanes_store(c->before + i, ess_lanes_load(d->f + i));
    ess_lanes_store(c->at + i, ess_lanes_load(d->x + i) - c->weight * defect);
    ess_lanes_store(c->bend + i, bend + defect / c->age);
  }
  c->offset += c->length;
  ess_go_on_courses(d);
  c->latest = UNSEEN * (c->length - c->from);
  c->from = 0.0;
  c->deviates = false;
  ess_path_without_jumps(d, 0.0, x, rate);
  c->deviates = true;
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    ess_lanes_store(c->deviation + i, ess_lanes_load(d->x + i) - ess_lanes_load(x + i));
    ess_lanes_store(c->drift + i, ess_lanes_load(d->f + i) - ess_lanes_load(rate + i));
  }
}

/* the sub-step's end becomes the node */
static int accept(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double t0 = d->t;
  d->counters.substeps++;
  d->counters.groups += c->group_count;
  c->pattern++;
  c->substeps++;
  c->accepted = c->trial;
  ess_remember_groups(d);
  ess_piece_path(d);
  memcpy(d->f, d->stage[6], d->lanes * sizeof *d->f);
  ess_swap(&d->h, &d->h_try);
  ess_swap(&d->rate, &d->rate_try);
  int status = tell_crossings(d);
  if (!status) status = cross_passed(d);
  if (!status) status = ess_refill(d);
  if (!status) status = ess_watch_returns(d);
  ess_sample_piece(d, d->t); // no further than an observer has let it go
  return status ? status : ess_observe_step(d, t0, false);
}

/* crossings of the sub-step just tried that change the field, in the list as it stands */
static size_t count_jumps(const ess_cluster *c) {
  size_t jumps = 0;
  for (size_t i = 0; i < c->count; i++) jumps += !c->is_silent[i];
  return jumps;
}

/* tries sub-steps from the node until one is accepted; *made is false when there is no point in
 * shorter ones */
static int make_substep(ess_driver *d, double rest, bool *made) {
  ess_cluster *const c = &d->cluster;
  double last_error = INFINITY;
  *made = false;
  for (;;) {
    if (d->apply_steps++ >= d->options.max_steps) return ess_fail(d, ESS_EMAXSTEPS, SIZE_MAX);
    const double length = c->next_length;
    const bool cut = c->from + length * (1.0 + 1e-9) >= rest;
    const double to = cut ? rest : c->from + length;
    const bool again = isfinite(last_error) && ess_substep_can_shorten(d, to);
    if (!again) c->length = to;
    double error;
    int status = again ? ess_substep_shorten(d, to, &error) : ess_substep_try(d, &error);
    if (!status && error <= 1.0) status = ess_check_state(d, d->x_end);
    if (status) {
      ess_forget_crossings(d);
      return status;
    }
    const double tried = c->length - c->from;
    const double factor = isfinite(error) ? SAFETY * pow(error, EXPONENT) : 0.5;
    const size_t jumps = count_jumps(c);
    if (jumps && isfinite(error)) c->load = factor * factor * (double)jumps * tried;
    if (error <= 1.0) {
      const double next = tried * ess_smaller(GROW, factor);
      c->next_length = ess_smaller(cut ? ess_larger(next, length) : next, 2.0 * c->base_dt);
      *made = true;
      return accept(d);
    }
    last_error = error;
    d->counters.substeps_rejected++;
    status = ess_take_back(d, 0);
    if (status) return status;
    c->next_length = tried * ess_clamp(factor, 0.1, 0.8);
    if (c->is_hopeless || (!c->deviates && !still_pays(d, c->next_length))) return ESS_SUCCESS;
    if (c->next_length < SHORTEST * c->base_dt) return ESS_SUCCESS;
  }
}

/* whether the next crossing, by the tangent, is so far that an integration step is cheaper, or
 * there is nothing left of the base */
static int is_over(ess_driver *d, bool *over) {
  const ess_cluster *const c = &d->cluster;
  const double rest = c->base_dt - c->offset - c->length;
  *over = rest <= 1e-9 * c->base_dt;
  if (*over || c->is_aligned) return ESS_SUCCESS;
  ess_candidate first;
  d->window = 1.01 * ALONE * c->next_length;
  const int status = ess_first_candidate(d, &first);
  *over = first.duration > ALONE * c->next_length;
  return status;
}

static int make_cluster(ess_driver *d, double t1, bool last, bool *made) {
  ess_cluster *const c = &d->cluster;
  begin_cluster(d);
  if (d->tangents) {
    const int tried = ess_tangent_try(d);
    if (tried) return tried;
  }
  ess_path_without_jumps(d, c->from, c->at, c->before);
  int status = make_substep(d, c->base_dt, made);
  bool more = *made;
  while (!status && more) {
    bool over;
    status = is_over(d, &over);
    if (status || over) break;
    go_on(d);
    status = make_substep(d, c->base_dt - c->offset, &more);
  }
  if (status || !*made) return status;
  // a last try that was not made has left its length behind
  if (last && more && c->offset + c->length >= c->base_dt) d->t = d->piece.t1 = t1;
  d->dt_next = ess_smaller(ess_smaller(d->dt_next, c->base_dt), AFTER * c->next_length);
  return status;
}

int ess_make_cluster(ess_driver *d, double t1, bool last, bool *made) {
  if (d->tangents) ess_tape_open(d);
  const int status = make_cluster(d, t1, last, made);
  if (d->tangents) ess_tape_close(d, status || *made);
  return status;
}

bool ess_is_cluster(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  if (!(c->next_length > SHORTEST * d->dt)) c->next_length = FIRST * d->dt;
  size_t count;
  double first, last;
  if (d->dt < BRIEFEST) return false;
  ess_begin_courses(d);
  const double window = ALONE * c->next_length;
  // most often there are so many that it does not matter when they are
  if (pays(d->flagged_count, window, c->next_length)) {
    ess_count_roughly(d, window, &count, &first);
    if (pays(count, window, c->next_length)) return true;
  }
  return ess_count_crossings(d, window, &count, &first, &last) &&
         pays(count, last - first, c->next_length);
}

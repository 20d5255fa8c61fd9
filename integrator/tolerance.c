/*
 * The method by one tolerance: integration steps in a frozen mode; crossings that come one by one
 * are located, those that come in quick succession are made in sub-steps (docs/METHOD.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ess_internal.h"

/* calls of the field: of a located crossing with the step that begins there; of a sub-step, on the
 * average; of the step after a cluster */
extern double TUNE[];
#define LOCATED    TUNE[7]
#define SUBSTEP    TUNE[8]
#define AFTERWARDS TUNE[9]

/* no crossing within so many sub-steps, and an integration step is cheaper */
static const double ALONE = 6.0;

/* the first sub-step of all, in integration steps */
static const double FIRST = 0.125;

/* the step after a cluster, in sub-steps, at most */
static const double AFTER = 12.0;

/* where crossings had to be located, sub-steps are tried again a little longer */
static const double AGAIN = 1.15;

static double clamp(double v, double least, double most) {
  return v < least ? least : v > most ? most : v;
}

/* --- crossings at the node ----------------------------------------------------------------------
 */

/* crosses guard k, which the state is on, or passed a little while ago: what its jump would have
 * done since then is made good */
static int cross_here(ess_driver *d, size_t k) {
  const double g = d->side[k] * d->h[k], rate = d->side[k] * d->rate[k];
  const double late = g > 0.0 && rate > 0.0 ? g / rate : 0.0;
  const bool makes_good = late > 0.0 && late <= 0.1 * d->cluster.next_length;
  memcpy(d->stage[1], d->f, d->lanes * sizeof *d->f);
  int status = ess_make_crossing(d, k);
  if (!status) status = ess_evaluate_node(d);
  if (status || !makes_good) return status;
  for (size_t i = 0; i < d->lanes; i++) d->x[i] += late * (d->f[i] - d->stage[1][i]);
  return ess_check_state(d, d->x);
}

/* --- sub-steps ----------------------------------------------------------------------------------
 */

/* the length to try sub-steps with after the first crossing */
static double proposed_length(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double first = FIRST * d->dt;
  if (!(c->next_length > 0.0)) c->next_length = first;
  return c->next_length;
}

/* whether the listed crossings are cheaper made in sub-steps of that length than located: counted
 * from the first until so long comes none that sub-steps would end */
static bool is_cluster(const ess_driver *d, double length) {
  const ess_cluster *const c = &d->cluster;
  double count = 0.0, first = 0.0, latest = 0.0;
  for (size_t i = 0; i < d->cluster.count; i++) {
    if (c->is_silent[i]) continue;
    const double time = d->cluster.time[i];
    if (count == 0.0)
      first = time;
    else if (time > latest + ALONE * length)
      break;
    latest = time;
    count += 1.0;
  }
  return AFTERWARDS + SUBSTEP * (1.0 + (latest - first) / length) < LOCATED * count;
}

/* the first listed crossing that is not silent; INFINITY when all are */
static double first_time(const ess_driver *d) {
  size_t i = 0;
  while (i < d->cluster.count && d->cluster.is_silent[i]) i++;
  return i < d->cluster.count ? d->cluster.time[i] : INFINITY;
}

/* the base's path becomes the path of sub-steps */
static void begin_cluster(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  c->base_t = d->t;
  c->base_dt = d->dt;
  c->offset = 0.0;
  c->deviates = false;
  c->substeps = 0;
  memcpy(c->base_x, d->x, d->lanes * sizeof *d->x);
}

/* one crossing of the sub-step, made once more in its turn, at its own time and state */
static int make_in_turn(ess_driver *d, size_t k, double time) {
  if (d->apply_crossings++ >= d->options.max_crossings) return ess_fail(d, ESS_EMAXCROSSINGS, k);
  const bool silent = ess_is_silent(d, k);
  if (silent)
    d->counters.silent++;
  else
    d->counters.crossings++;
  int status = ess_cross(d, k);
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
  d->failure.time = time;
}

/* makes the crossings once more in the order of their times, so that each is told of in the mode
 * that it leads to, and the run can end at any of them */
static int replay(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  int status = ess_take_back(d, 0);
  d->batch_count = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (!c->is_made[i]) continue;
    const double time = d->piece.t0 + clamp(c->time[i], 0.0, c->length);
    d->batch[d->batch_count] = c->crossing[i];
    d->batch_time[d->batch_count++] = ess_smaller(time, d->piece.t1);
  }
  ess_sort_by_time(d->batch_time, d->batch, d->batch_count);
  for (size_t i = 0; !status && i < d->batch_count; i++) {
    status = make_in_turn(d, d->batch[i], d->batch_time[i]);
    if (status) stop_at(d, d->batch_time[i]);
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
  }
  if (d->options.observer.crossing || d->apply_crossings + made > d->options.max_crossings)
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
  memcpy(c->before, d->f, d->lanes * sizeof *c->before);
  for (size_t i = 0; i < d->lanes; i++) {
    c->at[i] = d->x[i] - c->weight * c->defect[i];
    c->bend[i] = (c->deviates ? c->bend[i] : 0.0) + c->defect[i] / c->mean_age;
  }
  c->offset += c->length;
  c->from = 0.0;
  c->deviates = false;
  ess_path_without_jumps(d, 0.0, x, rate);
  c->deviates = true;
  for (size_t i = 0; i < d->lanes; i++) {
    c->deviation[i] = d->x[i] - x[i];
    c->drift[i] = d->f[i] - rate[i];
  }
}

static void swap(double **a, double **b) {
  double *const held = *a;
  *a = *b;
  *b = held;
}

/* the sub-step's end becomes the node */
static int accept(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double t0 = d->t;
  int status = ess_check_state(d, d->x_end);
  if (status) return status;
  d->counters.substeps++;
  d->counters.groups += c->group_count;
  c->pattern++;
  c->substeps++;
  ess_remember_groups(d);
  ess_piece_path(d);
  ess_sample_piece(d, d->t);
  memcpy(d->f, d->stage[6], d->lanes * sizeof *d->f);
  swap(&d->h, &d->h_try);
  swap(&d->rate, &d->rate_try);
  status = tell_crossings(d);
  return status ? status : ess_observe_step(d, t0);
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
    if (status) {
      ess_take_back(d, 0); // the failure that counts is the first
      return status;
    }
    const double tried = c->length - c->from;
    const double factor = isfinite(error) ? TUNE[5] * pow(error, -0.4) : 0.5;
    if (error <= 1.0) {
      const double next = tried * ess_smaller(c->group_count ? TUNE[12] : TUNE[13], factor);
      c->next_length = ess_smaller(cut ? ess_larger(next, length) : next, 2.0 * c->base_dt);
      *made = true;
      return accept(d);
    }
    last_error = error;
    d->counters.substeps_rejected++;
    status = ess_take_back(d, 0);
    if (status) return status;
    c->next_length = tried * clamp(factor, 0.1, 0.8);
    if (!c->deviates && (c->arms_within || !is_cluster(d, c->next_length))) return ESS_SUCCESS;
    if (c->next_length < 1e-12 * c->base_dt) return ESS_SUCCESS;
  }
}

/* whether the next crossing, by the tangent, is so far that an integration step is cheaper, or
 * there is nothing left of the base */
static int is_over(ess_driver *d, bool *over) {
  const ess_cluster *const c = &d->cluster;
  ess_candidate first;
  d->window = 1.01 * ALONE * c->next_length;
  const int status = ess_first_candidate(d, &first);
  const double rest = c->base_dt - c->offset - c->length;
  *over = rest <= 1e-9 * c->base_dt || first.duration > ALONE * c->next_length;
  return status;
}

/* sub-steps until the base ends or no crossing is near; *made is false when there was none */
static int make_cluster(ess_driver *d, double t1, bool last, bool *made) {
  ess_cluster *const c = &d->cluster;
  begin_cluster(d);
  c->from = first_time(d);
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
  if (last && c->offset + c->length >= c->base_dt) d->t = d->piece.t1 = t1;
  d->dt_next = ess_smaller(ess_smaller(d->dt_next, c->base_dt), AFTER * c->next_length);
  return status;
}

/* --- the step -----------------------------------------------------------------------------------
 */

/* whole, to its first crossing, or to a cluster's end; *again when it has to be tried anew */
static int finish_step(ess_driver *d, double t1, bool last, bool *again) {
  ess_list_crossings(d);
  bool made = false;
  if (is_cluster(d, proposed_length(d))) {
    int status = make_cluster(d, t1, last, &made);
    if (status || made) return status;
    // the guards along the base have to be looked at again
    d->dt = d->cluster.base_dt;
    status = ess_watch_guards(d);
    if (status) return status;
  }
  ess_location found;
  int status = ess_locate_first(d, &found);
  if (status) return status;
  *again = found.doubt_guard != SIZE_MAX;
  if (*again) return ess_halve(d, &found);
  if (found.cut) d->cluster.next_length *= AGAIN;
  return ess_take_step(d, &found, t1, last);
}

/* a tolerance below the rounding of the state cannot be kept */
static int check_resolution(ess_driver *d) {
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double size = fabs(d->x[i]);
    if (d->atol[i] + d->rtol[i] * size < DBL_EPSILON * size)
      return ess_fail(d, ESS_ETOLERANCE, SIZE_MAX);
  }
  return ESS_SUCCESS;
}

/* one integration step with all that is crossed in it */
static int step(ess_driver *d, double t1) {
  const ess_location whole = {.theta = 1.0, .doubt_guard = SIZE_MAX};
  const bool watching = d->armed_count > 0;
  int status = ESS_SUCCESS;
  status = check_resolution(d);
  if (status) return status;
  // what the last sub-step was made of is about to go
  if (d->piece.kind == ESS_PIECE_PATH) ess_piece_forget(d);
  if (d->dt_next == 0.0) status = ess_dopri5_first_step(d, t1, &d->dt_next);
  for (bool again = true; !status && again;) {
    bool last;
    again = false;
    status = ess_accepted_step(d, t1, &last);
    if (status) return status;
    ess_dopri5_prepare_dense(d);
    if (!watching) return ess_take_step(d, &whole, t1, last);
    status = ess_watch_guards(d);
    if (status) return status;
    ess_set_levels(d);
    ess_location doubt = {.doubt_guard = ess_flag_guards(d)};
    again = doubt.doubt_guard != SIZE_MAX;
    if (again)
      status = ess_halve(d, &doubt);
    else if (!d->flagged_count)
      return ess_take_step(d, &whole, t1, last);
    else
      status = finish_step(d, t1, last, &again);
  }
  return status;
}

int ess_advance_by_tolerance(ess_driver *d, double t1) {
  for (;;) {
    ess_candidate first;
    d->window = 0.0; // only what has been passed
    int status = ess_first_candidate(d, &first);
    if (status) return status;
    const bool due = first.found && first.duration == 0.0;
    if (d->t >= t1 && !due) return ESS_SUCCESS;
    status = due ? cross_here(d, first.guard) : step(d, t1);
    if (status) return status;
  }
}

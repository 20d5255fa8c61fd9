/*
 * When the crossings of a sub-step happen on the path that their own jumps bend
 * (docs/theory/sub-steps.md). An event function is its course (course.h) and what the jumps made
 * until then add (jumps.c): both are known in closed form. Where that is not good enough, times are
 * corrected on the path itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "course.h"
#include "driver_state.h"
#include "jumps.h"
#include "path.h"
#include "sort.h"
#include "times.h"

/* part of a correction that it is taken to be off by; and what that may move the state by, in units
 * of the tolerance, before it is corrected again */
static const double MOVED = 0.25, MATTERS = 0.05;

/* part of what a course was put right by at the end that it may be off by on the way there */
static const double BETWEEN = 0.15;

/* an event function is off from its model over the base by theta^2 (1 - theta)^2, and so many of
 * its doubts (bound.c) */
static const double INTERPOLATION = 4.0;

/* a corrected time may differ from the predicted one by this part of the sub-step */
static const double SHIFT_MOST = 0.25;

/* how far a crossing's time may move and be believed, and until when it is in the sub-step */
typedef struct limits {
  double moved, time;
} limits;

static limits limits_of(const ess_cluster *c) {
  const double span = c->length - c->from;
  return (limits){.moved = SHIFT_MOST * span, .time = c->length + ESS_OUTSIDE * span};
}

static inline bool is_near(limits most, double moved, double time) {
  return fabs(moved) <= most.moved && time <= most.time;
}

/* corrects the time of the i-th crossing, given those before it; false when it moves too far */
ESS_INLINE bool correct_time(const ess_driver *d, size_t i, const ess_made made[], size_t groups,
                             limits most, double *time, double *moved) {
  const ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i];
  double slope, rate;
  *moved = 0.0;
  if (*time <= 0.0) return true; // it came before
  const double shift = ess_shift_by(c->group, groups, k, made, *time, &rate);
  const double value = ess_course_at(d, k, *time, &slope) + shift;
  *moved = -value / (slope + rate);
  *time += *moved;
  return c->listed_side[i] * (slope + rate) > 0.0 && is_near(most, *moved, *time);
}

/* the crossings made, by time as it is known now: most often as they are listed */
static void order_by_time(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  double *const time = d->batch_time, last = -INFINITY;
  size_t count = 0;
  bool sorted = true;
  for (size_t i = 0; i < c->count; i++) {
    if (!c->is_made[i]) continue;
    c->order[count] = i;
    time[count++] = c->time[i];
    sorted = sorted && c->time[i] > last;
    last = c->time[i];
  }
  if (!sorted) ess_sort_by_time(time, c->order, count);
  c->made_count = count;
}

/* the same where times have been corrected since: most often they have kept their order */
static void order_again(ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  const size_t *const order = c->order;
  for (size_t n = 1; n < c->made_count; n++) {
    if (c->time[order[n - 1]] < c->time[order[n]]) continue;
    order_by_time(d);
    return;
  }
}

/* corrects all times once, the first first: it depends on none, and each on those before it */
ESS_INLINE bool correct_in_order(ess_driver *d, size_t groups, double moved[]) {
  const ess_cluster *const c = &d->cluster;
  const limits most = limits_of(c);
  ess_made made[ESS_GROUPS];
  ess_none_made(c, made);
  for (size_t n = 0, count = c->made_count; n < count; n++) {
    const size_t i = c->order[n], g = groups == 1 ? 0 : c->of_group[i];
    double time = c->time[i], change;
    const bool near = correct_time(d, i, made, groups, most, &time, &change);
    c->time[i] = time;
    moved[i] = change;
    if (!near) return false;
    if (!c->is_silent[i]) ess_add_made_at(&made[g], c, i, time);
  }
  return true;
}

/* most often there is one group: known so, it makes no loop */
static bool correct_all(ess_driver *d, double moved[]) {
  const size_t groups = d->cluster.group_count;
  order_by_time(d);
  return groups == 1 ? correct_in_order(d, 1, moved) : correct_in_order(d, groups, moved);
}

/* corrects one time on the path itself, by a call of the event function there */
static int refine_time(ess_driver *d, size_t i, double *moved, bool *near) {
  ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i];
  double *const x = d->x_try, *const direction = d->v_try, h, rate;
  // as the crossing finds it, before it adds its own jump
  const bool silent = c->is_silent[i];
  c->is_silent[i] = true;
  ess_path(d, c->time[i], x, direction);
  c->is_silent[i] = silent;
  const int status = ess_some_guard_rates(d, d->t + c->time[i], x, direction, &k, 1, &h, &rate);
  *moved = -h / rate;
  c->time[i] += *moved;
  // where it falls the way leads to another crossing, of the other direction
  *near = c->listed_side[i] * rate > 0.0 && is_near(limits_of(c), *moved, c->time[i]);
  return status;
}

double ess_weigh_moves(const ess_driver *d, const double moved[]) {
  const ess_cluster *const c = &d->cluster;
  double sum = 0.0;
  for (size_t g = 0; g < c->group_count; g++) {
    double times = 0.0;
    for (size_t i = c->group[g].begin; i < c->group[g].end; i++)
      if (!c->is_silent[i]) times += fabs(moved[i]);
    sum += times * c->group[g].size;
  }
  return sum;
}

/* what the time of a crossing may be off by since its course is: where that had to be put right, it
 * is known at the end, and before that a part of the correction may be wrong; and in the base's
 * first sub-step it is the base's model, with the error of its interpolation */
static double time_in_doubt(const ess_driver *d, size_t i, bool corrected) {
  const ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i];
  const double put_right =
      corrected ? BETWEEN * fabs(c->corrected[k]) * c->length * c->length : 0.0;
  const double base = c->deviates ? 0.0 : INTERPOLATION * c->inexact[k];
  const double theta = ess_clamp(c->time[i] / c->base_dt, 0.0, 1.0), rest = 1.0 - theta;
  const double off = put_right + base * theta * theta * rest * rest;
  double slope;
  if (off == 0.0) return 0.0;
  ess_course_at(d, k, c->time[i], &slope);
  return off / fabs(slope);
}

/* corrects times on the path: all of them, or those of curved event functions; the others, which
 * come where these have moved, in closed form once more */
static int refine_times(ess_driver *d, bool all, bool corrected, double moved[], bool *fit) {
  ess_cluster *const c = &d->cluster;
  const bool in_doubt = corrected || !c->deviates;
  const limits most = limits_of(c);
  ess_made made[ESS_GROUPS];
  int status = ESS_SUCCESS;
  ess_none_made(c, made);
  for (size_t n = 0; !status && *fit && n < c->made_count; n++) {
    const size_t i = c->order[n];
    if (c->time[i] > 0.0 && (all || c->is_curved[c->crossing[i]])) {
      status = refine_time(d, i, &moved[i], fit);
    } else if (!all) {
      double time = c->time[i], change;
      *fit = correct_time(d, i, made, c->group_count, most, &time, &change);
      c->time[i] = time;
      moved[i] = MOVED * fabs(change) + (in_doubt ? time_in_doubt(d, i, corrected) : 0.0);
    }
    if (!all && !c->is_silent[i]) ess_add_made(&made[c->of_group[i]], c, i);
  }
  return status;
}

static void assign_groups(ess_cluster *c) {
  for (size_t g = 0; g < c->group_count; g++)
    for (size_t i = c->group[g].begin; i < c->group[g].end; i++) c->of_group[i] = g;
}

/* by courses and jumps, until what is left does not matter to the state; false when one moves too
 * far
 */
static bool solve_times(ess_driver *d, double moved[]) {
  enum { PASSES = 3 };
  ess_cluster *const c = &d->cluster;
  for (size_t i = 0; i < c->count; i++) moved[i] = 0.0;
  c->moved = INFINITY;
  for (int pass = 0; pass < PASSES && c->moved > MATTERS; pass++) {
    if (!correct_all(d, moved)) return false;
    c->moved = MOVED * ess_weigh_moves(d, moved);
  }
  return true;
}

/* what the times that have been solved for may be off by; where courses are not in doubt, that is
 * weighed already, and nobody asks for each unless some are yet to be settled */
static void doubt_times(ess_driver *d, bool corrected, double moved[]) {
  ess_cluster *const c = &d->cluster;
  const bool in_doubt = corrected || !c->deviates;
  if (!in_doubt && !(c->moved > MATTERS) && !c->curved_count) return;
  for (size_t i = 0; i < c->count; i++) {
    const double doubt = in_doubt && c->is_made[i] ? time_in_doubt(d, i, corrected) : 0.0;
    moved[i] = MOVED * fabs(moved[i]) + doubt;
  }
  if (in_doubt) c->moved = ess_weigh_moves(d, moved);
}

/* on the path itself, all of them where what they may be off by matters, or the curved ones */
static int settle_times(ess_driver *d, bool corrected, double moved[], bool *fit) {
  enum { PASSES = 3 };
  ess_cluster *const c = &d->cluster;
  const bool all = c->moved > MATTERS;
  int status = ESS_SUCCESS;
  for (int pass = 0; pass < PASSES && (all || c->curved_count); pass++) {
    status = refine_times(d, all, corrected, moved, fit);
    if (status || !*fit) return status;
    c->moved = ess_weigh_moves(d, moved);
    if (!(c->moved > MATTERS)) break;
  }
  return status;
}

int ess_move_times(ess_driver *d, bool corrected, bool *fit) {
  ess_cluster *const c = &d->cluster;
  double *const moved = d->some_h;
  int status = ESS_SUCCESS;
  assign_groups(c);
  *fit = solve_times(d, moved);
  if (*fit) {
    doubt_times(d, corrected, moved);
    status = settle_times(d, corrected, moved, fit);
  }
  order_again(d);
  ess_forget_places(c);
  return status;
}

/* notes that crossing i concerns event function e; false when one that does, and was made before
 * it, comes later by its corrected time */
static bool follows(ess_driver *d, size_t i, size_t e) {
  ess_cluster *const c = &d->cluster;
  double *const latest = d->some_h;
  size_t *const by = d->batch;
  const bool first = c->concerned[e] != c->concern;
  const bool tie = !first && c->time[i] == latest[e] && c->crossing[i] < c->crossing[by[e]];
  if (!first && (c->time[i] < latest[e] || tie)) return false;
  c->concerned[e] = c->concern;
  latest[e] = c->time[i];
  by[e] = i;
  return true;
}

/* whether all crossings still come one after the other, as they were made: most often they do */
static bool are_in_order(const ess_cluster *c) {
  double latest = -INFINITY;
  size_t i = 0;
  for (; i < c->count && (!c->is_made[i] || c->time[i] > latest); i++)
    if (c->is_made[i]) latest = c->time[i];
  return i == c->count;
}

bool ess_keeps_order(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  bool kept = true;
  if (are_in_order(c)) return true;
  c->concern++;
  for (size_t i = 0; kept && i < c->count; i++) {
    if (!c->is_made[i]) continue;
    const size_t k = c->crossing[i];
    const size_t guard = c->listed_side[i] > 0.0 ? ESS_GUARD_UP(k) : ESS_GUARD_DOWN(k);
    kept = follows(d, i, k);
    for (size_t e = d->row_start[guard]; kept && e < d->row_start[guard + 1]; e++)
      if (d->row_guard[e] / 2 != k) kept = follows(d, i, d->row_guard[e] / 2);
  }
  return kept;
}

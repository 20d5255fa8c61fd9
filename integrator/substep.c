/*
 * One sub-step: the crossings within it (listing.c), what they add to the field (groups.c), when
 * they happen and what they lead to (induced.c), and the defect at its end that measures, and
 * corrects, what that leaves out (docs/theory/sub-steps.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "groups.h"
#include "induced.h"
#include "lanes.h"
#include "listing.h"
#include "path.h"
#include "substep.h"
#include "unforeseen.h"

/* part of |defect| times length that the corrected state is taken to be off by */
static const double DEFECT = 1.0;

/* a defect without crossings is part curvature that the path has not yet, part what it will have:
 * its weight, and for how long it has grown, in sub-steps, lie between those of the two */
static const double SMOOTH_WEIGHT = 0.45, SMOOTH_AGE = 0.8;

/* the sub-steps of a cluster share the tolerance: so many more, and each may err half as much */
static const double SHARING = 50.0;

/* so many times the load that the last error allows is too much; and so many crossings where
 * nothing is known of that */
static const double OVERLOAD = 2.0;
enum { MANY = 24 };

/* crossings within this part of a sub-step from its first come all at once */
static const double AT_ONCE = 1e-3;

/* a sub-step whose last crossing lies in its second half ends there, so that the next one begins
 * with a crossing: what its defect is made of is clear then */
static void end_before_last(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  c->is_aligned = false;
  size_t last = c->count;
  while (last > 0 && c->is_silent[last - 1]) last--;
  if (!last) return;
  const double time = c->time[--last];
  if (time - c->from < 0.5 * (c->length - c->from)) return;
  c->is_aligned = true;
  c->length = time;
  c->count = last;
}

/* ends a sub-step with so many crossings for its length that by the last one's error it would be
 * rejected: where crossings come closer together, its length alone says little */
static void bear_load(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double most = OVERLOAD * c->load;
  size_t jumps = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (c->is_silent[i]) continue;
    const double span = c->time[i] - c->from;
    const bool too_many = most > 0.0 ? (double)jumps * span > most : jumps >= MANY;
    // those that come all at once are made at once
    if (too_many && span > AT_ONCE * (c->length - c->from) && c->time[i] < c->length) {
      c->length = c->time[i];
      c->count = i;
      return;
    }
    jumps++;
  }
}

/* --- the defect ---------------------------------------------------------------------------------
 */

/* how the defect adds up in the state. It has two parts: jumps change along the path, and were
 * measured where the sub-step's crossings begin, but count from their own times on; and what they
 * have moved since those times moves the field. The weights of both are nearly the same where a
 * sub-step begins with a crossing; what they differ by is in doubt. The defect has grown since the
 * sub-step began, from when on jumps have changed. */
static void weigh(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  const double span = c->length - c->from;
  double count = 0.0, ages = 0.0, squares = 0.0, parts = 0.0;
  for (size_t i = 0; i < c->count; i++) {
    if (!c->is_made[i] || c->is_silent[i]) continue;
    const double since = ess_clamp((c->length - c->time[i]) / span, 0.0, 1.0);
    count += 1.0;
    ages += since;
    squares += since * since;
    parts += since * (2.0 - since);
  }
  c->age = SMOOTH_AGE * span;
  c->weight = SMOOTH_WEIGHT * span;
  c->doubt = 0.0;
  if (!(ages > 0.0)) return;
  const double changing = 0.5 * parts / count, moving = 0.5 * squares / ages;
  c->weight = 0.5 * span * (changing + moving);
  c->doubt = 0.5 * span * fabs(changing - moving);
  c->age = span;
}

/* whether a guard just crossed is approached again from its other side so fast that it would be
 * reached within another such sub-step: the field may point to it from both */
static bool turns_back(const ess_driver *d) {
  const ess_cluster *const c = &d->cluster;
  const double span = c->length - c->from;
  for (size_t i = 0; i < c->count; i++) {
    const size_t k = c->crossing[i];
    // armed on its other side now
    if (!(d->side[k] * c->listed_side[i] < 0.0) || !c->is_made[i]) continue;
    const double g = d->side[k] * d->h_try[k], rate = d->side[k] * d->rate_try[k];
    if (rate > 0.0 && g + span * rate >= 0.0) return true;
  }
  return false;
}

/* the field at the sub-step's end, and its error in units of the tolerance: the state there goes
 * into x_end, corrected, and the field into stage[6] */
static int measure_defect(ess_driver *d, double *error) {
  ess_cluster *const c = &d->cluster;
  double *const rate = d->v_try, *const f = d->stage[6];
  ess_path(d, c->length, d->x_end, rate);
  int status = ess_field(d, d->t + c->length, d->x_end, f);
  if (status) return status;
  weigh(d);
  const double part = DEFECT * (c->length - c->from) + c->doubt;
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes defect = ess_lanes_load(f + i) - ess_lanes_load(rate + i);
    const ess_lanes doubt = part * ess_lanes_abs(defect) + ess_lanes_load(c->unlike + i);
    ess_lanes_store(c->defect + i, defect);
    ess_lanes_store(d->x_end + i, ess_lanes_load(d->x_end + i) + c->weight * defect);
    ess_lanes_store(d->x_try + i, doubt);
  }
  *error = ess_scaled_norm(d, d->x_try, d->x, d->x_end) + c->moved;
  // the sub-steps of a cluster share the tolerance
  *error *= 1.0 + (double)c->substeps / SHARING;
  if (!(*error <= 1.0)) return ESS_SUCCESS;
  status = ess_guard_rates(d, d->t + c->length, d->x_end, f, d->h_try, d->rate_try);
  c->is_hopeless = !status && turns_back(d);
  if (status) return status;
  double unforeseen;
  status = ess_weigh_unforeseen(d, &unforeseen);
  *error += c->is_hopeless ? INFINITY : unforeseen;
  return status;
}

int ess_substep_try(ess_driver *d, double *error) {
  ess_cluster *const c = &d->cluster;
  *error = INFINITY;
  ess_restore_courses(d);
  c->trial++;
  c->group_count = 0;
  c->noted_count = 0;
  c->is_measured = c->is_extended = c->is_hopeless = false;
  c->too_unlike = INFINITY;
  ess_list_crossings(d);
  if (c->is_hopeless) return ESS_SUCCESS;
  bear_load(d);
  end_before_last(d);
  bool fit = true;
  int status = ess_make_groups(d, 0, &fit);
  c->is_measured = fit;
  if (!status && fit) status = ess_correct_times(d, &fit);
  if (!fit) *error = c->too_unlike;
  if (status || !fit) return status;
  return measure_defect(d, error);
}

bool ess_substep_can_shorten(const ess_driver *d, double length) {
  const ess_cluster *const c = &d->cluster;
  // rows that look at the path may find another side on it now
  for (size_t g = 0; g < c->group_count; g++)
    if (c->group[g].latches) return false;
  size_t i = 0;
  while (i < c->count && c->time[i] <= length) i++;
  for (; i < c->count; i++)
    if (c->time[i] <= length) return false;
  return c->is_measured && !c->is_extended && c->group_count > 0;
}

int ess_substep_shorten(ess_driver *d, double length, double *error) {
  ess_cluster *const c = &d->cluster;
  const double part = (length - c->from) / (c->length - c->from);
  for (size_t i = 0; i < d->lanes; i++) c->unlike[i] *= part * part;
  c->trial++;
  ess_restore_courses(d);
  for (size_t i = 0; i < c->passed_count; i++) c->crossed[c->passed[i]] = c->trial;
  c->length = length;
  while (c->count && c->time[c->count - 1] > length) c->count--;
  end_before_last(d);
  *error = INFINITY;
  bool fit;
  int status = ess_shorten_groups(d, &fit);
  if (!status && fit) status = ess_correct_times(d, &fit);
  if (status || !fit) return status;
  return measure_defect(d, error);
}

/*
 * What the crossings of a sub-step add to the field: they are made in groups, in the order of their
 * times, and what a group adds is measured at its mean time (docs/METHOD.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "ess_internal.h"

/* what jumps unlike within one group may do to the state, in units of the tolerance */
static const double SHARE = 0.25;

/* part of |J1 - J2| sum |u - mean| that the state is taken to be off by */
static const double UNLIKE = 0.25;

/* direction and label of the i-th crossing, told apart by this */
static int class_of(const ess_driver *d, size_t i) {
  const size_t k = d->batch[i];
  const int label = d->system.labels ? d->system.labels[k] : 0;
  return d->sign[k] < 0.0 ? 2 * label : 2 * label + 1;
}

/* whether the crossing is still there: one before it may have disarmed its guard */
static bool is_there(const ess_driver *d, size_t i) {
  return d->side[d->batch[i]] == d->cluster.listed_side[i];
}

/* whether crossing i, its row included, concerns event functions that the group concerns already */
static bool is_apart(ess_driver *d, size_t i) {
  const ess_cluster *const c = &d->cluster;
  const size_t k = d->batch[i], guard = ess_guard_ahead(d, k);
  bool apart = c->concerned[k] != c->concern;
  for (size_t e = d->row_start[guard]; apart && e < d->row_start[guard + 1]; e++)
    apart = c->concerned[d->row_guard[e] / 2] != c->concern;
  return apart;
}

static void concern(ess_driver *d, size_t i) {
  ess_cluster *const c = &d->cluster;
  const size_t k = d->batch[i], guard = ess_guard_ahead(d, k);
  c->concerned[k] = c->concern;
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++)
    c->concerned[d->row_guard[e] / 2] = c->concern;
}

/* where the group that begins at i ends: crossings of one class whose rows do not meet, and silent
 * ones between them */
static size_t extend(ess_driver *d, size_t i) {
  ess_cluster *const c = &d->cluster;
  int class = -1;
  c->concern++;
  for (; i < d->batch_count; i++) {
    if (!is_there(d, i)) continue;
    if (!is_apart(d, i)) break;
    if (!c->is_silent[i]) {
      if (class >= 0 && class_of(d, i) != class) break;
      class = class_of(d, i);
    }
    concern(d, i);
  }
  return i;
}

/* number and mean time of the crossings that are there and not silent; the others count as silent
 * from now on */
static void count_jumps(ess_driver *d, ess_group *g) {
  double sum = 0.0;
  g->jumps = 0;
  for (size_t i = g->begin; i < g->end; i++) {
    if (!is_there(d, i)) d->cluster.is_silent[i] = true;
    if (d->cluster.is_silent[i]) continue;
    sum += d->batch_time[i];
    g->jumps++;
  }
  g->mean = g->jumps ? sum / (double)g->jumps : 0.0;
}

/* which half of its group the jump at this place, in time, is measured with: by turns where there
 * are few, by chance where there are many, so that no order of unlike jumps stays hidden for long
 */
static int half_of(const ess_cluster *c, size_t place, size_t jumps) {
  enum { FEW = 8 };
  if (jumps <= FEW || place < 2) return place % 2;
  const uint64_t mixed = (place + c->pattern) * UINT64_C(0x9E3779B97F4A7C15);
  return (int)(mixed >> 63);
}

/* crosses those of the group that belong to one half: 0, 1, or with 2 all */
static int cross_half(ess_driver *d, const ess_group *g, int half) {
  int status = ESS_SUCCESS;
  size_t place = 0;
  for (size_t i = g->begin; !status && i < g->end; i++) {
    const bool silent = d->cluster.is_silent[i];
    // silent ones with the first half, others by turns or by chance
    const int mine = silent ? 0 : half_of(&d->cluster, place, g->jumps);
    if (!silent) place++;
    if (half != 2 && mine != half) continue;
    if (!is_there(d, i)) continue;
    d->cluster.is_made[i] = true;
    status = ess_cross_noted(d, d->batch[i]);
  }
  return status;
}

/* the path before the group's crossings, and its rate, at the group's mean time */
static void path_before(ess_driver *d, const ess_group *g, double x[], double rate[]) {
  ess_path(d, g->mean, x, rate);
}

static int field_there(ess_driver *d, double u, const double x[], double f[]) {
  const int status = ess_field(d, d->t + u, x, f);
  return status ? status : ess_check_state(d, f);
}

/* to = factor (a - b) */
static void difference(const ess_driver *d, double factor, const double a[], const double b[],
                       double to[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(to + i, factor * (ess_lanes_load(a + i) - ess_lanes_load(b + i)));
}

/* one jump, at its own time */
static int measure_one(ess_driver *d, ess_group *g) {
  double *const x = d->x_try, *const before = d->stage[1], *const after = d->stage[2];
  path_before(d, g, x, before);
  int status = cross_half(d, g, 2);
  if (!status) status = field_there(d, g->mean, x, after);
  if (status) return status;
  difference(d, 1.0, after, before, g->jump);
  return ESS_SUCCESS;
}

/* several, in two halves that interleave in time; *alike when they may be taken as the same */
static int measure_halves(ess_driver *d, ess_group *g, bool *alike) {
  ess_cluster *const c = &d->cluster;
  double *const x = d->x_try, *const before = d->stage[1];
  double *const first = d->stage[2], *const both = d->stage[3];
  path_before(d, g, x, before);
  int status = cross_half(d, g, 0);
  if (!status) status = field_there(d, g->mean, x, first);
  if (!status) status = cross_half(d, g, 1);
  if (!status) status = field_there(d, g->mean, x, both);
  if (status) return status;

  double in_first = 0.0, spread = 0.0;
  for (size_t i = g->begin, place = 0; i < g->end; i++) {
    if (c->is_silent[i]) continue;
    in_first += half_of(c, place++, g->jumps) == 0;
    spread += fabs(d->batch_time[i] - g->mean);
  }
  const double in_second = (double)g->jumps - in_first;
  difference(d, 1.0 / (double)g->jumps, both, before, g->jump);
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double one = (first[i] - before[i]) / in_first, other = (both[i] - first[i]) / in_second;
    d->v_try[i] = UNLIKE * spread * fabs(one - other);
  }
  *alike = ess_scaled_norm(d, d->v_try, d->x, x) <= SHARE;
  for (size_t i = 0; *alike && i < d->system.dimension; i++) c->unlike[i] += d->v_try[i];
  return ESS_SUCCESS;
}

/* where to split a group of several: before the crossing that begins its second half */
static size_t middle(const ess_driver *d, const ess_group *g) {
  size_t i = g->begin;
  for (size_t before = 0; before < g->jumps / 2 || d->cluster.is_silent[i]; i++)
    before += !d->cluster.is_silent[i];
  return i;
}

/* makes the crossings begin .. end-1 in one group, or in several where their jumps are unlike;
 * *fit is false when that takes too many */
static int measure(ess_driver *d, size_t begin, size_t end, bool *fit) {
  ess_cluster *const c = &d->cluster;
  if (c->group_count == ESS_GROUPS) *fit = false;
  if (!*fit) return ESS_SUCCESS;
  ess_group *const g = &c->group[c->group_count];
  g->begin = begin;
  g->end = end;
  count_jumps(d, g);
  if (g->jumps == 0) return cross_half(d, g, 2);
  if (g->jumps == 1) {
    const int status = measure_one(d, g);
    c->group_count++;
    return status;
  }
  const size_t noted = c->noted_count, half = middle(d, g);
  if (g->jumps > 2) {
    bool alike;
    int status = measure_halves(d, g, &alike);
    if (status || alike) {
      c->group_count++;
      return status;
    }
    status = ess_take_back(d, noted);
    for (size_t i = begin; i < end; i++) c->is_made[i] = false;
    if (status) return status;
  }
  const int status = measure(d, begin, half, fit);
  return status ? status : measure(d, half, end, fit);
}

int ess_make_groups(ess_driver *d, bool *fit) {
  ess_cluster *const c = &d->cluster;
  *fit = true;
  c->group_count = 0;
  c->noted_count = 0;
  memset(c->unlike, 0, d->lanes * sizeof *c->unlike);
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && *fit && i < d->batch_count;) {
    const size_t end = extend(d, i);
    status = measure(d, i, end, fit);
    i = end;
  }
  return status;
}

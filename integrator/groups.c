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

/* a class is known that has been crossed no longer ago than this many sub-steps */
static const double RECENT = 4.0;

/* part of its effect that a trend is taken to be off by */
static const double TREND = 0.25;

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
    g->class = class_of(d, i);
    g->jumps++;
  }
  g->is_even = true;
  g->mean = g->jumps ? sum / (double)g->jumps : 0.0;
}

/* which half of its group the jump at this place, in time, is measured with. Where a trend is known
 * the halves interleave: by turns where there are few, by chance where there are many, so that no
 * order of unlike jumps stays hidden for long; else one half comes before the other, to find it */
static int half_of(const ess_driver *d, const ess_group *g, size_t place) {
  enum { FEW = 8 };
  if (!g->is_known) return place >= g->jumps / 2;
  if (g->jumps <= FEW || place < 2) return place % 2;
  const uint64_t mixed = (place + d->cluster.pattern) * UINT64_C(0x9E3779B97F4A7C15);
  return (int)(mixed >> 63);
}

/* crosses those of the group that belong to one half: 0, 1, or with 2 all */
static int cross_half(ess_driver *d, const ess_group *g, int half) {
  int status = ESS_SUCCESS;
  size_t place = 0;
  for (size_t i = g->begin; !status && i < g->end; i++) {
    const bool silent = d->cluster.is_silent[i];
    // silent ones with the first half, others by turns or by chance
    const int mine = silent ? 0 : half_of(d, g, place);
    if (!silent) place++;
    if (half != 2 && mine != half) continue;
    if (!is_there(d, i)) continue;
    d->cluster.is_made[i] = true;
    status = ess_cross_noted(d, d->batch[i]);
  }
  return status;
}

/* the field where the sub-step's crossings begin, in the mode that the crossings made so far lead to */
static int field_there(ess_driver *d, double f[]) {
  const int status = ess_field(d, d->t + d->cluster.from, d->cluster.at, f);
  return status ? status : ess_check_state(d, f);
}

/* what is remembered of a class, NULL when nothing is */
static const ess_memory *find_memory(const ess_cluster *c, int class) {
  for (size_t i = 0; i < ESS_CLASSES; i++)
    if (c->memory[i].is_set && c->memory[i].class == class) return &c->memory[i];
  return NULL;
}

/* to = factor (a - b) */
static void difference(const ess_driver *d, double factor, const double a[], const double b[],
                       double to[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(to + i, factor * (ess_lanes_load(a + i) - ess_lanes_load(b + i)));
}

/* one jump; `before` is the field before it, and then after it */
static int measure_one(ess_driver *d, ess_group *g, double before[]) {
  double *const after = d->stage[2];
  int status = cross_half(d, g, 2);
  if (!status) status = field_there(d, after);
  if (status) return status;
  difference(d, 1.0, after, before, g->jump);
  memcpy(before, after, d->lanes * sizeof *before);
  return ESS_SUCCESS;
}

/* several, in two halves that interleave in time; *alike when they may be taken as the same */
static int measure_halves(ess_driver *d, ess_group *g, double before[], bool *alike) {
  ess_cluster *const c = &d->cluster;
  double *const first = d->stage[2], *const both = d->stage[3];
  int status = cross_half(d, g, 0);
  if (!status) status = field_there(d, first);
  if (!status) status = cross_half(d, g, 1);
  if (!status) status = field_there(d, both);
  if (status) return status;

  // numbers and mean times of both halves
  double count[2] = {0.0}, sum[2] = {0.0}, spread = 0.0, variance = 0.0;
  for (size_t i = g->begin, place = 0; i < g->end; i++) {
    if (c->is_silent[i]) continue;
    const int half = half_of(d, g, place++);
    const double late = d->batch_time[i] - g->mean;
    count[half] += 1.0;
    sum[half] += late;
    spread += fabs(late);
    variance += late * late;
  }
  const double apart = sum[1] / count[1] - sum[0] / count[0];
  const ess_memory *const last = g->is_known ? find_memory(c, g->class) : NULL;
  const double since_last = last ? d->t + g->mean - last->t : 0.0;
  difference(d, 1.0 / (double)g->jumps, both, before, g->jump);
  for (size_t i = 0; i < d->system.dimension; i++) {
    const double one = (first[i] - before[i]) / count[0], other = (both[i] - first[i]) / count[1];
    double trend, unlike;
    if (last) {
      trend = (g->jump[i] - last->jump[i]) / since_last;
      unlike = UNLIKE * spread * fabs(other - one - trend * apart) + TREND * variance * fabs(trend);
    } else {
      trend = apart > 0.0 ? (other - one) / apart : 0.0;
      unlike = 0.5 * UNLIKE * spread * fabs(other - one);
    }
    g->trend[i] = trend;
    d->v_try[i] = unlike;
  }
  g->is_even = false;
  *alike = ess_scaled_norm(d, d->v_try, d->x, d->x) <= SHARE;
  if (!*alike) return ESS_SUCCESS;
  for (size_t i = 0; i < d->system.dimension; i++) c->unlike[i] += d->v_try[i];
  memcpy(before, both, d->lanes * sizeof *before);
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
  const ess_memory *const last = find_memory(c, g->class);
  g->is_known = last && d->t + g->mean - last->t <= RECENT * c->length && last->t < d->t + g->mean;
  if (g->jumps == 0) return cross_half(d, g, 2);
  if (g->jumps == 1) {
    const int status = measure_one(d, g, d->stage[1]);
    c->group_count++;
    return status;
  }
  const size_t noted = c->noted_count, half = middle(d, g);
  if (g->jumps > 2) {
    bool alike;
    int status = measure_halves(d, g, d->stage[1], &alike);
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
  memcpy(d->stage[1], c->before, d->lanes * sizeof *c->before);
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && *fit && i < d->batch_count;) {
    const size_t end = extend(d, i);
    status = measure(d, i, end, fit);
    i = end;
  }
  return status;
}

void ess_remember_groups(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  for (size_t i = 0; i < c->group_count; i++) {
    const ess_group *const g = &c->group[i];
    ess_memory *m = NULL;
    for (size_t j = 0; j < ESS_CLASSES && !m; j++)
      if (c->memory[j].is_set && c->memory[j].class == g->class) m = &c->memory[j];
    if (!m) m = &c->memory[c->next_memory++ % ESS_CLASSES];
    m->is_set = true;
    m->class = g->class;
    m->t = d->t + g->mean;
    memcpy(m->jump, g->jump, d->lanes * sizeof *m->jump);
  }
}

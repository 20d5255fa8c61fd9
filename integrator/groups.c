/*
 * What the crossings of a sub-step add to the field: they are made in groups, in the order of their
 * times, and what each group adds is measured at one place, where the sub-step's crossings begin.
 * That it changes on the way from there is left to the defect (docs/theory/sub-steps.md).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "arithmetic.h"
#include "armed.h"
#include "callbacks.h"
#include "dopri5.h"
#include "driver_state.h"
#include "groups.h"
#include "lanes.h"
#include "undo.h"
#include "watched.h"

/* what jumps unlike within one group may do to the state, in units of the tolerance: the defect has
 * the rest */
static const double SHARE = 0.5;

/* more than this many times as much, and a shorter sub-step is better than smaller groups */
static const double SPLIT_MOST = 2.0;

/* part of |J1 - J2| sum |u - mean| that the state is taken to be off by */
static const double UNLIKE = 0.25;

/* jumps whose parts differ by less than this part of them need not be told apart every time */
static const double ALIKE = 0.02;

/* part by which the mean jumps of two groups that follow each other may differ */
static const double SAME = 0.05;

/* a class is known that has been crossed no longer ago than this many sub-steps */
static const double RECENT = 4.0;

/* part of its effect that a trend is taken to be off by */
static const double TREND = 0.25;

/* jumps that single crossings of a group may hide may move the state by so many tolerances */
static const double HIDDEN = 1.0;

/* a field that changes by no more than this many roundings has not changed */
static const double UNCHANGED = 64.0;

/* direction and label of the i-th crossing, told apart by this */
static int64_t class_of(const ess_driver *d, size_t i) {
  const size_t k = d->cluster.crossing[i];
  const int label = ess_is_watched(d, k) ? INT_MIN : d->system.labels ? d->system.labels[k] : 0;
  return 2 * (int64_t)label + (d->sign[k] > 0.0);
}

/* whether the crossing is still there: one before it may have disarmed its guard */
static bool is_there(const ess_driver *d, size_t i) {
  return d->side[d->cluster.crossing[i]] == d->cluster.listed_side[i];
}

/* whether crossing i, its row included, concerns no event function that the group concerns already;
 * it concerns them from now on */
static bool is_apart(ess_driver *d, size_t i) {
  ess_cluster *const c = &d->cluster;
  const size_t k = c->crossing[i], guard = ess_guard_ahead(d, k);
  bool apart = c->concerned[k] != c->concern;
  c->concerned[k] = c->concern;
  for (size_t e = d->row_start[guard]; e < d->row_start[guard + 1]; e++) {
    const size_t other = d->row_guard[e] / 2;
    if (other == k) continue;
    apart = apart && c->concerned[other] != c->concern;
    c->concerned[other] = c->concern;
  }
  return apart;
}

/* where the group that begins at i ends: crossings of one class whose rows do not meet, and silent
 * ones between them */
static size_t extend(ess_driver *d, size_t i) {
  ess_cluster *const c = &d->cluster;
  bool has_class = false;
  int64_t class = 0;
  bool first = true;
  c->concern++;
  for (; i < d->cluster.count; i++) {
    if (!is_there(d, i)) {
      // the group's own rows may bring it back
      if (c->concerned[c->crossing[i]] == c->concern) break;
      continue;
    }
    // the first is, even when its row names one event function twice
    if (!is_apart(d, i) && !first) break;
    first = false;
    if (c->is_silent[i]) continue;
    const int64_t its = class_of(d, i);
    if (has_class && its != class) break;
    has_class = true;
    class = its;
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
    sum += d->cluster.time[i];
    if (!g->jumps++) g->class = class_of(d, i);
  }
  g->is_even = true;
  g->latches = false;
  g->mean = g->jumps ? sum / (double)g->jumps : 0.0;
  for (size_t i = g->begin; i < g->end; i++) d->cluster.late[i] = d->cluster.time[i] - g->mean;
}

/* which part of its group the jump at this place, in time, is measured with: 0, 1 or 2. One half
 * after the other shows a trend; one jump, chosen by chance, and the rest show whether they are
 * alike, where halves of unlike ones may well add up to the same; the first half so, and the
 * second, show both */
static int part_of(const ess_group *g, size_t place) {
  if (g->way == ESS_AT_ONCE) return 0;
  if (g->way == ESS_ONE_AFTER_THE_OTHER) return place >= g->half;
  return g->way == ESS_BOTH && place >= g->half ? 2 : place != g->chosen;
}

/* whether a crossing's row has found another event function on its other side, and latched it, of
 * what has been noted from there on: no label can tell that beforehand */
static bool latches_another(const ess_driver *d, size_t noted) {
  const ess_noted *const n = d->cluster.noted;
  bool latches = false;
  for (size_t i = noted; d->rows_look && i < d->cluster.noted_count; i++)
    latches = latches || (n[i].effect == ESS_ARM_AHEAD && d->sign[n[i].guard] != n[i].sign);
  return latches;
}

/* crosses those of the group that belong to one part, or all */
enum { ALL = -1 };
static int cross_part(ess_driver *d, ess_group *g, int part) {
  ess_cluster *const c = &d->cluster;
  int status = ESS_SUCCESS;
  for (size_t i = g->begin; !status && i < g->end; i++) {
    if (part != ALL && c->part[i] != part) continue;
    if (!is_there(d, i)) continue;
    c->is_made[i] = true;
    const size_t noted = c->noted_count;
    status = ess_cross_noted(d, i);
    g->latches = g->latches || (!c->is_silent[i] && latches_another(d, noted));
  }
  return status;
}

/* the field where the sub-step's crossings begin, in the mode that the crossings made so far lead
 * to */
static int field_there(ess_driver *d, double f[]) {
  const int status = ess_field(d, d->t + d->cluster.from, d->cluster.at, f);
  return status ? status : ess_check_state(d, f);
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
  int status = cross_part(d, g, ALL);
  if (!status) status = field_there(d, after);
  if (status) return status;
  difference(d, 1.0, after, before, g->jump);
  memcpy(before, after, d->lanes * sizeof *before);
  return ESS_SUCCESS;
}

/* size of the largest rate of all event functions */
static double largest(const ess_driver *d, const double rate[]) {
  ess_lanes most = {0.0};
  for (size_t b = 0; b < d->blocks; b++) // whole ones: what fills them up is zero
    for (size_t i = 0; i < ESS_BLOCK; i += ESS_LANES)
      most = ess_lanes_max(ess_lanes_abs(ess_lanes_load(rate + b * ESS_BLOCK + i)), most);
  return ess_larger(ess_larger(most[0], most[1]), ess_larger(most[2], most[3]));
}

/* what a group's jumps, and their trend, add to the rates of the event functions */
static int measure_rates(ess_driver *d, ess_group *g) {
  const ess_cluster *const c = &d->cluster;
  g->size = ess_scaled_norm(d, g->jump, d->x, d->x);
  int status = ess_guard_rates(d, d->t + c->from, c->at, g->jump, d->h_try, g->rate);
  g->rate_most = status ? 0.0 : largest(d, g->rate);
  if (status || g->is_even) return status;
  status = ess_guard_rates(d, d->t + c->from, c->at, g->trend, d->h_try, g->trend_rate);
  g->trend_rate_most = status ? 0.0 : largest(d, g->trend_rate);
  return status;
}

/* what is remembered of a class, NULL when nothing is */
static const ess_memory *find_memory(const ess_cluster *c, int64_t class) {
  for (size_t i = 0; i < ESS_CLASSES; i++)
    if (c->memory[i].is_set && c->memory[i].class == class) return &c->memory[i];
  return NULL;
}

/* the parts of a group: how many crossings, and by how much later than the group's mean */
typedef struct parts {
  size_t count;
  double jumps[3], late[3];
  double spread, variance; /* of all: sum |late|, sum late^2 */
} parts;

/* silent crossings go with the first part */
static parts divide(const ess_driver *d, const ess_group *g) {
  parts p = {.count = g->way == ESS_BOTH ? 3 : g->way == ESS_AT_ONCE ? 1 : 2};
  for (size_t i = g->begin, place = 0; i < g->end; i++) {
    d->cluster.part[i] = 0;
    if (d->cluster.is_silent[i]) continue;
    const int part = part_of(g, place++);
    d->cluster.part[i] = (signed char)part;
    const double late = d->cluster.late[i];
    p.jumps[part] += 1.0;
    p.late[part] += late;
    p.spread += fabs(late);
    p.variance += late * late;
  }
  for (size_t i = 0; i < p.count; i++) p.late[i] /= p.jumps[i];
  return p;
}

/* by how much mean jumps of the first two parts differ without a trend */
static ess_lanes differ(const parts *p, const ess_lanes jump[], ess_lanes trend) {
  return UNLIKE * ess_lanes_abs(jump[1] - jump[0] - trend * (p->late[1] - p->late[0]));
}

/* trends of four components from their mean jumps in each part, and how unlike they are without it,
 * by sum |late|; where the parts do not show one of both, it is what it was */
static ess_lanes judge(const ess_group *g, const parts *p, const ess_lanes jump[], ess_lanes trend,
                       ess_lanes *unlike) {
  if (g->way == ESS_AT_ONCE) return trend;
  if (g->way == ESS_ONE_AND_THE_REST) {
    *unlike = differ(p, jump, trend);
    return trend;
  }
  // the first half, which may itself be in two parts, and the second
  const size_t second = p->count - 1;
  ess_lanes mean = {0.0};
  double first = 0.0, late = 0.0;
  for (size_t i = 0; i < second; i++) {
    first += p->jumps[i];
    mean += p->jumps[i] * jump[i];
    late += p->jumps[i] * p->late[i];
  }
  const double apart = p->late[second] - late / first;
  trend = apart > 0.0 ? (jump[second] - mean / first) / apart : (ess_lanes){0.0};
  if (g->way == ESS_BOTH) *unlike = differ(p, jump, trend);
  return trend;
}

static bool is_unchanged(const ess_driver *d, const double before[], const double after[]) {
  const double most = UNCHANGED * DBL_EPSILON;
  for (size_t i = 0; i < d->system.dimension; i++)
    if (!(fabs(after[i] - before[i]) <= most * fabs(before[i]))) return false;
  return true;
}

/* makes the crossings of one part once more, those noted from there on, one by one; *unchanged
 * when none of them changes the field by itself either */
static int look_at_each(ess_driver *d, const ess_group *g, int part, size_t noted,
                        const double before[], bool *unchanged) {
  const ess_cluster *const c = &d->cluster;
  double *const f = d->stage[5];
  int status = ess_take_back(d, noted);
  for (size_t i = g->begin; !status && i < g->end; i++) {
    if (c->part[i] != part || !is_there(d, i)) continue;
    status = ess_cross_noted(d, i);
    if (status || c->is_silent[i] || !*unchanged) continue;
    status = field_there(d, f);
    *unchanged = !status && is_unchanged(d, before, f);
  }
  return status;
}

/* makes the crossings of each part, and evaluates the field after it. Several that change nothing
 * together say nothing of each other: one may undo what another does. *hidden when one does. */
static int cross_parts(ess_driver *d, ess_group *g, const parts *p, const double before[],
                       double *const after[], bool *hidden) {
  int status = ESS_SUCCESS;
  for (size_t i = 0; !status && i < p->count; before = after[i++]) {
    const size_t noted = d->cluster.noted_count;
    bool unchanged = true;
    status = cross_part(d, g, (int)i);
    if (!status) status = field_there(d, after[i]);
    if (status || p->jumps[i] < 2.0 || !is_unchanged(d, before, after[i])) continue;
    status = look_at_each(d, g, (int)i, noted, before, &unchanged);
    *hidden = *hidden || !unchanged;
  }
  return status;
}

/* by how much four components of a mean jump are not as the last ones, nor as those and their trend
 * say */
static ess_lanes differs(const ess_memory *last, size_t i, ess_lanes jump, double since) {
  const ess_lanes before = ess_lanes_load(last->jump + i), zero = {0.0};
  const ess_lanes change = jump - before, trend = since * ess_lanes_load(last->trend + i);
  const ess_lanes least = ess_lanes_min(ess_lanes_abs(change), ess_lanes_abs(change - trend));
  return ess_lanes_max(zero, least - SAME * ess_lanes_abs(before));
}

/* trends of all components, how unlike the jumps are without them, and what that may do to the
 * state: into v_try. Where a group is not looked at in parts it is held against the last. */
static void judge_all(ess_driver *d, ess_group *g, const parts *p, const ess_memory *last,
                      const double before[], double *const after[]) {
  const bool turns_only = g->way == ESS_ONE_AFTER_THE_OTHER;
  const double since = last ? d->t + g->mean - last->t : 0.0;
  const ess_lanes zero = {0.0};
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    ess_lanes jump[3], f = ess_lanes_load(before + i);
    for (size_t j = 0; j < p->count; j++) {
      const ess_lanes then = ess_lanes_load(after[j] + i);
      jump[j] = (then - f) / p->jumps[j];
      f = then;
    }
    const ess_lanes known = last ? ess_lanes_load(last->trend + i) : zero;
    ess_lanes unlike = last ? ess_lanes_load(last->unlike + i) : zero;
    const ess_lanes trend = judge(g, p, jump, known, &unlike);
    const ess_lanes turned = turns_only ? 2.0 * ess_lanes_abs(trend - known) : ess_lanes_abs(trend);
    const ess_lanes other = last ? differs(last, i, ess_lanes_load(g->jump + i), since) : zero;
    ess_lanes_store(g->trend + i, trend);
    ess_lanes_store(g->unlike + i, unlike);
    ess_lanes_store(d->v_try + i,
                    p->spread * (unlike + UNLIKE * other) + TREND * p->variance * turned);
  }
}

/* whether jumps differ by so little that they need not be told apart every time; a way that does
 * not tell is chosen only for a class that is remembered */
static bool are_alike(const ess_driver *d, const ess_group *g, const ess_memory *last) {
  if (g->way != ESS_ONE_AND_THE_REST && g->way != ESS_BOTH) return last->is_alike;
  return ess_scaled_norm(d, g->unlike, d->x, d->x) <=
         ALIKE * ess_scaled_norm(d, g->jump, d->x, d->x);
}

/* makes every other crossing, or every other two, four ... of a group, or the rest, and takes them
 * back; *off is how far the field is then from what the group's jumps say, in units of the
 * tolerance, for as long as the group lasts */
static int try_some(ess_driver *d, ess_group *g, size_t bit, bool rest, size_t noted,
                    const double before[], double *off) {
  ess_cluster *const c = &d->cluster;
  double *const f = d->stage[5], count = 0.0, late = 0.0, first = INFINITY, last = -INFINITY;
  for (size_t i = g->begin, place = 0; i < g->end; i++) {
    c->part[i] = 0;
    if (c->is_silent[i]) continue;
    first = ess_smaller(first, c->late[i]);
    last = ess_larger(last, c->late[i]);
    c->part[i] = (place++ >> bit & 1) == rest;
    count += c->part[i] ? 0.0 : 1.0;
    late += c->part[i] ? 0.0 : c->late[i];
  }
  int status = cross_part(d, g, 0);
  if (!status) status = field_there(d, f);
  if (!status) status = ess_take_back(d, noted); // after a failure nothing more is called
  if (status) return status;
  for (size_t i = 0; i < d->lanes; i++)
    d->v_try[i] = (last - first) * (f[i] - before[i] - count * g->jump[i] - late * g->trend[i]);
  *off = ess_scaled_norm(d, d->v_try, d->x, d->x);
  return ESS_SUCCESS;
}

/* whether each crossing of a group has been told apart from the others of one before */
static bool are_told(const ess_driver *d, const ess_group *g) {
  const ess_cluster *const c = &d->cluster;
  bool told = true;
  for (size_t i = g->begin; i < g->end; i++)
    told = told && (c->is_silent[i] || c->is_told[c->crossing[i]]);
  return told;
}

/* Strong jumps that cancel each other in every part that has been measured are hidden. Any two
 * crossings differ in a digit of their places: by each digit, the crossings with a 1 and those with
 * a 0 are made alone. That is done once for each event function. */
static int tell_apart(ess_driver *d, ess_group *g, size_t noted, const double before[],
                      bool *hidden) {
  ess_cluster *const c = &d->cluster;
  if (d->system.labels || are_told(d, g)) return ESS_SUCCESS; // labels are the caller's word
  int status = ess_take_back(d, noted);
  for (size_t bit = 0; !status && !*hidden && (g->jumps - 1) >> bit; bit++)
    for (int rest = 0; !status && !*hidden && rest < 2; rest++) {
      double off = 0.0;
      status = try_some(d, g, bit, rest, noted, before, &off);
      *hidden = !(off <= HIDDEN);
    }
  if (!status) status = cross_part(d, g, ALL);
  for (size_t i = g->begin; i < g->end && !*hidden; i++) c->is_told[c->crossing[i]] = true;
  return status;
}

/* several, in parts; *alike when they may be taken as the same but for a trend */
static int measure_parts(ess_driver *d, ess_group *g, double before[], bool *alike) {
  ess_cluster *const c = &d->cluster;
  const ess_memory *const last = find_memory(c, g->class);
  const parts p = divide(d, g);
  const size_t noted = c->noted_count;
  double *const unlike = d->stage[6];
  double *const after[] = {d->stage[2], d->stage[3], d->stage[4]};
  bool hidden = false;
  const int status = cross_parts(d, g, &p, before, after, &hidden);
  if (status) return status;

  const double *const all = after[p.count - 1];
  difference(d, 1.0 / (double)g->jumps, all, before, g->jump);
  judge_all(d, g, &p, last, before, after);
  g->is_even = false;
  g->is_alike = are_alike(d, g, last);
  const double norm = ess_scaled_norm(d, d->v_try, d->x, d->x);
  *alike = norm <= SHARE && !g->latches && !hidden;
  if (norm > SPLIT_MOST * SHARE && !g->latches) c->too_unlike = norm / SHARE;
  if (!*alike) return ESS_SUCCESS;
  memcpy(unlike, d->v_try, d->lanes * sizeof *unlike);
  const int told = tell_apart(d, g, noted, before, &hidden);
  *alike = !hidden;
  if (told || hidden) return told;
  for (size_t i = 0; i < d->system.dimension; i++) c->unlike[i] += unlike[i];
  memcpy(before, all, d->lanes * sizeof *before);
  return ESS_SUCCESS;
}

/* where to split a group of several: before the crossing that begins its second half */
static size_t middle(const ess_driver *d, const ess_group *g) {
  size_t i = g->begin;
  for (size_t before = 0; before < g->jumps / 2 || d->cluster.is_silent[i]; i++)
    before += !d->cluster.is_silent[i];
  return i;
}

/* a class that has been crossed shortly before has a trend already; every other time it is only
 * checked that all jumps together are as large as that */
static ess_way choose_way(const ess_driver *d, const ess_group *g) {
  static const ess_way turns[] = {ESS_ONE_AFTER_THE_OTHER, ESS_AT_ONCE, ESS_ONE_AND_THE_REST,
                                  ESS_AT_ONCE};
  const ess_memory *const last = find_memory(&d->cluster, g->class);
  const bool known = last && d->t + g->mean - last->t <= RECENT * d->cluster.length;
  if (!known) return ESS_BOTH;
  const ess_way way = turns[last->count % 4];
  return way == ESS_AT_ONCE && !last->is_alike ? ESS_ONE_AND_THE_REST : way;
}

/* one of so many, by chance */
static size_t choose_one(const ess_cluster *c, size_t count) {
  const uint64_t mixed = (c->pattern + 1) * UINT64_C(0x9E3779B97F4A7C15);
  return count ? (size_t)((mixed >> 32) % count) : 0;
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
  g->way = choose_way(d, g);
  g->half = (g->jumps + 1) / 2; // at least two of three
  g->chosen = choose_one(c, g->way == ESS_BOTH ? g->half : g->jumps);
  if (g->jumps == 0) return cross_part(d, g, ALL);
  if (g->jumps == 1) {
    const int status = measure_one(d, g, d->stage[1]);
    c->group_count++;
    return status ? status : measure_rates(d, g);
  }
  const size_t noted = c->noted_count;
  if (g->jumps > 2) {
    bool alike;
    int status = measure_parts(d, g, d->stage[1], &alike);
    *fit = c->too_unlike == INFINITY;
    if (status || alike) {
      c->group_count++;
      return status ? status : measure_rates(d, g);
    }
    if (!*fit) return ESS_SUCCESS;
    status = ess_take_back(d, noted);
    for (size_t i = begin; i < end; i++) c->is_made[i] = false;
    if (status) return status;
  }
  const size_t half = middle(d, g); // g is measured anew
  const int status = measure(d, begin, half, fit);
  return status ? status : measure(d, half, end, fit);
}

int ess_make_groups(ess_driver *d, size_t from, bool *fit) {
  ess_cluster *const c = &d->cluster;
  *fit = true;
  if (from == 0) {
    c->group_count = 0;
    c->noted_count = 0;
    memset(c->unlike, 0, d->lanes * sizeof *c->unlike);
    memcpy(d->stage[1], c->before, d->lanes * sizeof *c->before);
  }
  int status = ESS_SUCCESS;
  for (size_t i = from; !status && *fit && i < d->cluster.count;) {
    const size_t end = extend(d, i);
    status = measure(d, i, end, fit);
    i = end;
  }
  return status;
}

int ess_shorten_groups(ess_driver *d, bool *fit) {
  ess_cluster *const c = &d->cluster;
  size_t kept = 0;
  int status = ESS_SUCCESS;
  for (size_t i = 0; i < d->cluster.count; i++) c->is_made[i] = false;
  for (size_t next = 0; !status && next < d->cluster.count;) {
    // a group, or silent ones between groups
    ess_group *const g = kept < c->group_count ? &c->group[kept] : NULL;
    const bool in_group = g && next >= g->begin;
    size_t end = in_group ? g->end : g ? g->begin : d->cluster.count;
    if (end > d->cluster.count) end = d->cluster.count;
    size_t jumps = 0;
    for (; !status && next < end; next++) {
      jumps += !c->is_silent[next];
      if (!is_there(d, next)) continue;
      c->is_made[next] = true;
      status = ess_cross_noted(d, next);
    }
    if (!in_group) continue;
    g->end = end;
    g->jumps = jumps;
    kept += jumps > 0;
    if (!jumps) break;
  }
  c->group_count = kept;
  *fit = true;
  return status;
}

/* the place for a class: its own, or the oldest */
static ess_memory *place_for(ess_cluster *c, int64_t class) {
  const ess_memory *const own = find_memory(c, class);
  return &c->memory[own ? (size_t)(own - c->memory) : c->next_memory++ % ESS_CLASSES];
}

void ess_remember_groups(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  for (size_t i = 0; i < c->group_count; i++) {
    const ess_group *const g = &c->group[i], *const before = i ? g - 1 : NULL;
    const bool pair = before && g->is_even && before->is_even && before->class == g->class;
    if (g->is_even && !(pair && g->mean > before->mean)) continue;
    if (g->latches || (pair && before->latches)) continue;
    ess_memory *const m = place_for(c, g->class);
    m->count = m->is_set && m->class == g->class ? m->count + 1 : 0;
    m->is_set = true;
    m->class = g->class;
    m->t = d->t + g->mean;
    m->size = g->size;
    memcpy(m->jump, g->jump, d->lanes * sizeof *m->jump);
    m->is_alike = !pair && g->is_alike;
    if (pair) {
      difference(d, 1.0 / (g->mean - before->mean), g->jump, before->jump, m->trend);
      for (size_t j = 0; j < d->lanes; j++)
        m->unlike[j] = UNLIKE * fabs(g->jump[j] - before->jump[j]);
    } else {
      memcpy(m->trend, g->trend, d->lanes * sizeof *m->trend);
      memcpy(m->unlike, g->unlike, d->lanes * sizeof *m->unlike);
    }
  }
}

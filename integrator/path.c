/*
 * The path of a sub-step: the base's dense output, the deviation from it, and what the jumps of the
 * field at crossings add (cluster_state.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "path.h"
#include "driver_state.h"
#include "lanes.h"

/* adds what changes the field by v to the path, since so long, and so often to its rate */
static inline void add(const ess_driver *d, const double v[], double since, double count,
                       double x[], double rate[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes change = ess_lanes_load(v + i);
    ess_lanes_store(x + i, ess_lanes_load(x + i) + since * change);
    ess_lanes_store(rate + i, ess_lanes_load(rate + i) + count * change);
  }
}

/* the base's dense output at theta, and its rate */
static void base_at(const ess_driver *d, double theta, double x[], double rate[]) {
  const ess_cluster *const c = &d->cluster;
  const double rest = 1.0 - theta, per_time = 1.0 / c->base_dt;
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes last = ess_lanes_load(d->dense[3] + i);
    const ess_lanes inner = ess_lanes_load(d->dense[2] + i) + rest * last;
    const ess_lanes middle = ess_lanes_load(d->dense[1] + i) + theta * inner;
    const ess_lanes outer = ess_lanes_load(d->dense[0] + i) + rest * middle;
    ess_lanes_store(x + i, ess_lanes_load(c->base_x + i) + theta * outer);
    const ess_lanes middle_rate = inner - theta * last;
    ess_lanes_store(rate + i, per_time * (outer + theta * (rest * middle_rate - middle)));
  }
}

void ess_path_without_jumps(const ess_driver *d, double u, double x[], double rate[]) {
  const ess_cluster *const c = &d->cluster;
  base_at(d, (c->offset + u) / c->base_dt, x, rate);
  if (!c->deviates) return;
  for (size_t i = 0; i < d->lanes; i += ESS_LANES) {
    const ess_lanes drift = ess_lanes_load(c->drift + i), bend = ess_lanes_load(c->bend + i);
    ess_lanes_store(x + i, ess_lanes_load(x + i) + ess_lanes_load(c->deviation + i) +
                               u * (drift + (0.5 * u) * bend));
    ess_lanes_store(rate + i, ess_lanes_load(rate + i) + drift + u * bend);
  }
}

/* what the crossings of a group that have been made until u add up to: their number, the times
 * since then, and the same weighted by how much later than the group's mean they came */
typedef struct sums {
  double count, since, late, late_since;
} sums;

/* at the sub-step's end all of its crossings have been made, the last by a rounding after it too */
static sums sum_until(const ess_driver *d, const ess_group *g, double u) {
  const bool all = u >= d->cluster.length;
  sums s = {0};
  for (size_t i = g->begin; i < g->end; i++) {
    const double since = u - d->cluster.time[i], late = d->cluster.late[i];
    if (d->cluster.is_silent[i] || (since < 0.0 && !all)) continue;
    s.count += 1.0;
    s.since += since;
    s.late += late;
    s.late_since += late * since;
  }
  return s;
}

void ess_path(const ess_driver *d, double u, double x[], double rate[]) {
  const ess_cluster *const c = &d->cluster;
  ess_path_without_jumps(d, u, x, rate);
  for (size_t i = 0; i < c->group_count; i++) {
    const ess_group *const g = &c->group[i];
    const sums s = sum_until(d, g, u);
    add(d, g->jump, s.since, s.count, x, rate);
    if (!g->is_even) add(d, g->trend, s.late_since, s.late, x, rate);
  }
}

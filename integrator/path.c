/*
 * The path of a sub-step: the base's dense output, the deviation from it, and what the jumps of the
 * field at crossings add (cluster.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ess_internal.h"

/* to += factor * v */
static inline void add(const ess_driver *d, double factor, const double v[], double to[]) {
  for (size_t i = 0; i < d->lanes; i += ESS_LANES)
    ess_lanes_store(to + i, ess_lanes_load(to + i) + factor * ess_lanes_load(v + i));
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

/* sum of the times since the crossings of a group that have been made until u, and their number */
static double times_since(const ess_driver *d, const ess_group *g, double u, double *made) {
  double sum = 0.0;
  *made = 0.0;
  for (size_t i = g->begin; i < g->end; i++) {
    if (d->cluster.is_silent[i] || d->batch_time[i] > u) continue;
    sum += u - d->batch_time[i];
    *made += 1.0;
  }
  return sum;
}

/* at the sub-step's end all of its crossings have been made; those that turn out to come a little
 * later count negative */
static double times_until_end(const ess_driver *d, const ess_group *g) {
  double sum = 0.0;
  for (size_t i = g->begin; i < g->end; i++)
    if (!d->cluster.is_silent[i]) sum += d->cluster.length - d->batch_time[i];
  return sum;
}

void ess_path(const ess_driver *d, double u, double x[], double rate[]) {
  const ess_cluster *const c = &d->cluster;
  ess_path_without_jumps(d, u, x, rate);
  for (size_t g = 0; g < c->group_count; g++) {
    double made = (double)c->group[g].jumps;
    const double since =
        u < c->length ? times_since(d, &c->group[g], u, &made) : times_until_end(d, &c->group[g]);
    add(d, since, c->group[g].jump, x);
    add(d, made, c->group[g].jump, rate);
  }
}

/*
 * The mode while a sub-step is tried: what its crossings change is noted down, so that it can be
 * taken back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "ess_internal.h"

/* notes event function k down as it is now */
static void note(ess_driver *d, size_t k) {
  ess_cluster *const c = &d->cluster;
  const size_t i = c->noted_count++;
  c->touched[k] = c->trial;
  c->noted[i] = (ess_noted){.guard = k, .sign = d->sign[k], .side = d->side[k]};
}

int ess_cross_noted(ess_driver *d, size_t k, double time) {
  const size_t guard = ess_guard_ahead(d, k);
  bool looks = false;
  note(d, k);
  d->cluster.crossed[k] = d->cluster.trial;
  for (size_t i = d->row_start[guard]; i < d->row_start[guard + 1]; i++) {
    if (d->row_guard[i] / 2 != k) note(d, d->row_guard[i] / 2);
    looks = looks || d->row_effect[i] == ESS_ARM_AHEAD;
  }
  if (!looks) return ess_cross(d, k);
  const double u = ess_clamp(time, 0.0, d->cluster.length);
  ess_path_without_jumps(d, u, d->x_try, d->v_try);
  d->row_x = d->x_try;
  d->row_t = d->t + u;
  const int status = ess_cross(d, k);
  d->row_x = NULL;
  return status;
}

/* event function k as it was, without a word to the model */
static void put_back(ess_driver *d, const ess_noted *was) {
  const size_t k = was->guard;
  const int more = (was->side != 0.0) - (d->side[k] != 0.0);
  d->block_armed[k / ESS_BLOCK] += (size_t)more;
  d->armed_count += (size_t)more;
  d->sign[k] = was->sign;
  d->side[k] = was->side;
  d->entry[k] = d->level[k] = was->side != 0.0 ? 0.0 : INFINITY;
  d->armed_is_silent[k] = d->silent[ess_guard_ahead(d, k)];
  d->width[k] = d->armed_is_silent[k] ? 0.0 : d->epsilon[k];
}

int ess_take_back(ess_driver *d, size_t noted) {
  ess_cluster *const c = &d->cluster;
  int status = ESS_SUCCESS;
  while (c->noted_count > noted) {
    const ess_noted *const was = &c->noted[--c->noted_count];
    const bool changed = d->sign[was->guard] != was->sign;
    put_back(d, was);
    if (changed && !status) status = ess_announce(d, was->guard);
  }
  return status;
}

void ess_forget_crossings(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  while (c->noted_count > 0) put_back(d, &c->noted[--c->noted_count]);
}

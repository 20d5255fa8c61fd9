/*
 * The mode while a sub-step is tried: what its crossings change is noted down, so that it can be
 * taken back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "ess_internal.h"

int ess_cross_noted(ess_driver *d, size_t k, double time) {
  ess_cluster *const c = &d->cluster;
  ess_noted *noted = c->noted + c->noted_count;
  const size_t guard = ess_guard_ahead(d, k), end = d->row_start[guard + 1];
  bool looks = false;
  // event functions as they are now: its own, and those that its row concerns
  *noted++ = (ess_noted){.guard = k, .sign = d->sign[k], .side = d->side[k]};
  c->touched[k] = c->crossed[k] = c->trial;
  for (size_t i = d->row_start[guard]; i < end; i++) {
    const size_t other = d->row_guard[i] / 2;
    looks = looks || d->row_effect[i] == ESS_ARM_AHEAD;
    if (other == k) continue;
    *noted++ = (ess_noted){.guard = other, .sign = d->sign[other], .side = d->side[other]};
    c->touched[other] = c->trial;
  }
  c->noted_count = (size_t)(noted - c->noted);
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
  d->sign[was->guard] = was->sign;
  ess_set_armed(d, was->guard, was->side != 0.0);
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

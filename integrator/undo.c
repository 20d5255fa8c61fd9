/*
 * The mode while a sub-step is tried: what its crossings change is noted down, so that it can be
 * taken back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"
#include "armed.h"
#include "callbacks.h"
#include "driver_state.h"
#include "path.h"
#include "resets.h"
#include "undo.h"

/* whether the row of event function k's guard looks at the state */
static bool looks(const ess_driver *d, size_t k) {
  const size_t guard = ess_guard_ahead(d, k);
  size_t i = d->row_start[guard];
  while (i < d->row_start[guard + 1] && d->row_effect[i] != ESS_ARM_AHEAD) i++;
  return i < d->row_start[guard + 1];
}

int ess_cross_noted(ess_driver *d, size_t i) {
  const ess_cluster *const c = &d->cluster;
  if (!d->rows_look || !looks(d, c->crossing[i])) return ess_cross_and_note(d, i);
  const double u = ess_clamp(c->time[i], 0.0, c->length);
  ess_path(d, u, d->x_try, d->v_try);
  d->row_x = d->x_try;
  d->row_t = d->t + u;
  const int status = ess_cross_and_note(d, i);
  d->row_x = NULL;
  return status;
}

/* event function k as it was, without a word to the model */
static void put_back(ess_driver *d, const ess_noted *was) {
  const size_t k = was->guard;
  d->cluster.last_noted[k] = was->before;
  d->sign[k] = was->sign;
  if (fabs(was->side) > 0.0)
    ess_arm(d, ess_guard_ahead(d, k));
  else
    ess_disarm(d, k);
}

int ess_take_back(ess_driver *d, size_t noted) {
  ess_cluster *const c = &d->cluster;
  int status = ESS_SUCCESS;
  while (c->noted_count > noted) {
    const ess_noted *const was = &c->noted[--c->noted_count];
    const bool changed = (d->sign[was->guard] < 0.0) != (was->sign < 0.0);
    put_back(d, was);
    if (changed && !status) status = ess_announce(d, was->guard);
  }
  return status;
}

void ess_forget_crossings(ess_driver *d) {
  ess_cluster *const c = &d->cluster;
  while (c->noted_count > 0) put_back(d, &c->noted[--c->noted_count]);
}

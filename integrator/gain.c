/*
 * What directions gain at a crossing, when the field after it is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gain.h"
#include "driver_state.h"
#include "tangent_state.h"
#include "tape.h"

void ess_tangent_finish(ess_driver *d, const double f[]) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  v->source = ESS_BEFORE_AT_NODE;
  if (!v->is_pending) return;
  v->is_pending = v->has_first = false;
  ess_tape_gain(d, f, v->mapped);
  for (size_t j = 0; j < v->count; j++)
    for (size_t i = 0; i < n; i++) v->v[j * n + i] += v->share[j] * (f[i] - v->mapped[i]);
}

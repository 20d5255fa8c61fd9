/*
 * What crossings and impacts do to directions, written down (tape.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "derivative.h"
#include "driver_state.h"
#include "note.h"
#include "parameters.h"
#include "tape.h"

int ess_tape_share(ess_driver *d, size_t k, double rate, double t) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension, p = d->system.parameters;
  if (!ess_is_recording(d)) return ESS_SUCCESS;
  v->tape->shared = k;
  v->tape->shared_t = t;
  double *const entry = ess_tape_add(d, ESS_TAPE_SHARE, n + p);
  if (!entry) return ESS_SUCCESS;
  int status = ess_guard_gradient(d, t, v->at, k, entry);
  if (!status) status = ess_parameter_guard(d, t, v->at, k, entry + n);
  for (size_t i = 0; i < n + p; i++) entry[i] /= rate;
  return status;
}

int ess_tape_map(ess_driver *d, const ess_impact *impact) {
  ess_tangents *const v = d->tangents;
  const size_t n = d->system.dimension;
  double *const entry = ess_tape_add(d, ESS_TAPE_MAP, n * v->wide);
  if (!entry) return ESS_SUCCESS;
  ess_tape_units(d, n);
  const int status = ess_tangent_map(d, impact, v->v, n, entry);
  return status ? status : ess_parameter_impact(d, impact, entry + n * n);
}

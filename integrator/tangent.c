/*
 * Tangents: what the caller asks for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tangent.h"

int ess_tangent_impact(ess_driver *d, const ess_impact *impact) {
  (void)d;
  (void)impact;
  return ESS_SUCCESS;
}

static const char no_tangents[] = "tangents are not followed by this version";

int ess_driver_follow(ess_driver *d, size_t count, const double directions[]) {
  (void)count;
  (void)directions;
  return d ? ess_refuse(d, d->t, no_tangents) : ESS_EINVAL;
}

const double *ess_driver_tangent(const ess_driver *d) {
  (void)d;
  return NULL;
}

int ess_driver_section(ess_driver *d, size_t k, double Dt[], double Dx[]) {
  (void)k;
  (void)Dt;
  (void)Dx;
  return d ? ess_refuse(d, d->t, no_tangents) : ESS_EINVAL;
}

const ess_smoothness *ess_driver_smoothness(const ess_driver *d) {
  (void)d;
  return NULL;
}

int ess_driver_choose_piece(ess_driver *d, size_t piece) {
  (void)piece;
  return d ? ess_refuse(d, d->t, no_tangents) : ESS_EINVAL;
}

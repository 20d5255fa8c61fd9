/*
 * Where event functions are called within a step: near its first quarter, middle and last quarter,
 * a little off and elsewhere in each step, so that no period falls on the same phase every time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_LOOKED_H
#define ESS_LOOKED_H

#include "ess.h"
#include "lanes.h"
#include "quartic.h"

enum { ESS_LOOKED = 3, ESS_MIDDLE = 1 };

typedef struct ess_looked {
  double at[ESS_LOOKED];
  double weight[ESS_LOOKED][ESS_QUARTIC]; /* of the Bernstein coefficients, at these places */
  double middle;                          /* 1/weight[ESS_MIDDLE][2] */
  double farthest[ESS_LOOKED];            /* what a model may be off by, over that at this place */
} ess_looked;

/* The places of this step. */
void ess_choose_looks(ess_driver *d);

/* The Bernstein coefficient in the middle, from the value at the middle place and the other four;
 * and a model's value at a place. */
static inline ess_lanes ess_middle(const ess_looked *p, ess_lanes value, ess_lanes b0, ess_lanes b1,
                                   ess_lanes b3, ess_lanes b4) {
  const double *const w = p->weight[ESS_MIDDLE];
  return p->middle * (value - w[0] * b0 - w[1] * b1 - w[3] * b3 - w[4] * b4);
}

static inline ess_lanes ess_value_at(const double w[ESS_QUARTIC], ess_lanes b0, ess_lanes b1,
                                     ess_lanes b2, ess_lanes b3, ess_lanes b4) {
  return w[0] * b0 + w[1] * b1 + w[2] * b2 + w[3] * b3 + w[4] * b4;
}

#endif

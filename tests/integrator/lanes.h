/*
 * A point that runs at unit speed in x0 through guards h_k = scale_k x0 + slope_k x1 - offset_k,
 * and whose speed across changes with every crossing: x1' = sum of jump_k over the guards crossed.
 * Piecewise constant, so that projection is exact.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef LANES_H
#define LANES_H

#include "toy.h"

enum { LANES_MAX = 16 };

typedef struct lanes {
  size_t count;
  double offset[LANES_MAX], slope[LANES_MAX], jump[LANES_MAX];
  double scale[LANES_MAX]; // of x0 in h; 0 stands for 1
} lanes;

static inline double lane_scale(const lanes *l, size_t k) {
  return l->scale[k] == 0.0 ? 1.0 : l->scale[k];
}

static inline int lanes_field(double t, const double x[], const double sign[], double dxdt[],
                              void *params) {
  const lanes *const l = params;
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < l->count; k++) dxdt[1] += sign[k] > 0.0 ? l->jump[k] : 0.0;
  return 0;
}

static inline int lanes_guards(double t, const double x[], double h[], void *params) {
  const lanes *const l = params;
  for (size_t k = 0; k < l->count; k++)
    h[k] = lane_scale(l, k) * x[0] + l->slope[k] * x[1] - l->offset[k];
  return 0;
}

static inline int lanes_jacobian(double t, const double x[], double Dh[], void *params) {
  const lanes *const l = params;
  for (size_t k = 0; k < l->count; k++) {
    Dh[2 * k] = lane_scale(l, k);
    Dh[2 * k + 1] = l->slope[k];
  }
  return 0;
}

static inline ess_system lanes_system(lanes *l) {
  return (ess_system){.dimension = 2, .guard_count = l->count, OF_JACOBIAN(lanes), .params = l};
}

/* runs to t1 = 1 from (0, 0), with projections of an order, and returns the final x1 */
static inline double run_lanes(lanes *l, double epsilon, int order, toy_log *log) {
  const ess_system system = lanes_system(l);
  ess_options options = ess_options_paper();
  options.epsilon = epsilon;
  options.order = order;
  options.observer = toy_observer(log);
  double x[2] = {0.0, 0.0};
  toy_succeeds(&system, &options, 0.0, 1.0, x);
  return x[1];
}

#endif

/*
 * A mass that falls on many springs: crossings in quick succession.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BED_H
#define BED_H

#include "toy.h"

enum { SPRINGS = 12 };

/* a mass under gravity 2 above springs whose ends lie at their own heights; states z, v */
typedef struct bed {
  double height[SPRINGS], stiffness;
  double active, height_sum; /* springs in touch, by their weights, and the sum of their heights:
                                kept by mode_changed, in a model that only one driver uses */
} bed;

static inline double bed_weight(const double sign[], size_t k) {
  return 0.5 + 0.5 * sign[k];
}

static inline int scanning_field(double t, const double x[], const double sign[], double dxdt[],
                                 void *params) {
  const bed *const b = params;
  double force = 0.0;
  for (size_t k = 0; k < SPRINGS; k++)
    force += bed_weight(sign, k) * b->stiffness * (b->height[k] - x[0]);
  dxdt[0] = x[1];
  dxdt[1] = force - 2.0;
  return 0;
}

static inline int summing_field(double t, const double x[], const double sign[], double dxdt[],
                                void *params) {
  const bed *const b = params;
  dxdt[0] = x[1];
  dxdt[1] = b->stiffness * (b->height_sum - b->active * x[0]) - 2.0;
  return 0;
}

static inline int keep_sums(const double sign[], size_t guard, void *params) {
  bed *const b = params;
  b->active = b->height_sum = 0.0;
  for (size_t k = 0; k < SPRINGS; k++) {
    b->active += bed_weight(sign, k);
    b->height_sum += bed_weight(sign, k) * b->height[k];
  }
  return 0;
}

static inline int bed_guards(double t, const double x[], double h[], void *params) {
  const bed *const b = params;
  for (size_t k = 0; k < SPRINGS; k++) h[k] = b->height[k] - x[0];
  return 0;
}

static inline int bed_jacobian(double t, const double x[], double Dh[], void *params) {
  for (size_t k = 0; k < SPRINGS; k++) {
    Dh[2 * k] = -1.0;
    Dh[2 * k + 1] = 0.0;
  }
  return 0;
}

static inline bed make_bed(void) {
  bed b = {.stiffness = 20.0};
  for (size_t k = 0; k < SPRINGS; k++) b.height[k] = 0.0008 * (double)(k * k);
  return b;
}

static inline ess_system bed_system(bed *b, bool sums) {
  return (ess_system){.dimension = 2,
                      .guard_count = SPRINGS,
                      .field = sums ? summing_field : scanning_field,
                      .guards = bed_guards,
                      .guard_jacobian = bed_jacobian,
                      .mode_changed = sums ? keep_sums : NULL,
                      .weights = true,
                      .params = b};
}

/* a tolerance at which steps go through its crossings */
static inline ess_options bed_options(ess_method method) {
  ess_options options = ess_options_paper();
  options.method = method;
  if (method == ESS_METHOD_TOLERANCE) options.rtol = options.atol = 1e-2;
  return options;
}

#endif

/*
 * What the hostile tests of the default method have in common: a body under gravity 2 that falls
 * onto a bed of springs, whose path is known by its energy, and a run that writes down all of it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "toy.h"

enum { BED_MAX = 10000, CALLS_MAX = 5000000 };

/* states z, v; spring i, of stiffness / count, begins at level[i]; h_i = level[i] - z */
typedef struct bed {
  size_t count;
  double stiffness, second; /* of all springs; how long a second is */
  double level[BED_MAX];
  size_t calls; /* of the field; more than CALLS_MAX are an endless loop */
} bed;

static inline int bed_field(double t, const double x[], const double sign[], double dxdt[],
                            void *params) {
  bed *const b = params;
  if (++b->calls > CALLS_MAX) return -1;
  double force = 0.0;
  for (size_t i = 0; i < b->count; i++)
    if (sign[i] > 0.0) force += b->level[i] - x[0];
  dxdt[0] = x[1] / b->second;
  dxdt[1] = (b->stiffness / (double)b->count * force - 2.0) / b->second;
  return 0;
}

static inline int bed_guards(double t, const double x[], double h[], void *params) {
  const bed *const b = params;
  for (size_t i = 0; i < b->count; i++) h[i] = b->level[i] - x[0];
  return 0;
}

static inline int bed_rates(double t, const double x[], const double v[], double h[], double rate[],
                            void *params) {
  const bed *const b = params;
  for (size_t i = 0; i < b->count; i++) rate[i] = -v[0];
  return bed_guards(t, x, h, params);
}

static inline ess_system bed_system(bed *b) {
  return (ess_system){.dimension = 2, .guard_count = b->count, OF_RATES(bed), .params = b};
}

/* levels spread over [-spread, 0], in no order; fills *b, which may be large */
static inline void bed_make(bed *b, size_t count, double spread) {
  assert_in_range(count, 1, BED_MAX);
  b->count = count;
  b->stiffness = 100.0;
  b->second = 1.0;
  b->calls = 0;
  for (size_t i = 0; i < count; i++)
    b->level[i] = -spread * fmod(0.6180339887498949 * (double)i, 1.0);
}

/* by height, speed, and the springs that are pressed */
static inline double bed_energy(const bed *b, const double x[]) {
  double energy = 0.5 * x[1] * x[1] + 2.0 * x[0];
  for (size_t i = 0; i < b->count; i++) {
    const double depth = fmax(b->level[i] - x[0], 0.0);
    energy += 0.5 * b->stiffness / (double)b->count * depth * depth;
  }
  return energy;
}

/* a driver that must be there */
static inline ess_driver *hostile_driver(const ess_system *system, const ess_options *options) {
  int status;
  ess_driver *const d = ess_driver_alloc(system, options, &status);
  assert_int_equal(status, ESS_SUCCESS);
  assert_non_null(d);
  return d;
}

static inline void hostile_check_signs(const ess_driver *d, size_t count) {
  const double *const sign = ess_driver_sign(d);
  for (size_t k = 0; k < count; k++) assert_true(fabs(sign[k]) == 1.0);
}

#endif

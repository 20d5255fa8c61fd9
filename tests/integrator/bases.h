/*
 * Runs by a base, a smooth field whose solution is known, for the orders of bases, and a stiff one
 * with crossings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BASES_H
#define BASES_H

#include "toy.h"

static inline ess_options by(ess_base base, double tolerance) {
  ess_options options = toy_options(tolerance);
  options.base = base;
  return options;
}

/* x' = -x^2 cos t, u' = -u sin t x (2 + sin t) */
static inline int smooth_field(double t, const double x[], const double sign[], double dxdt[],
                               void *params) {
  dxdt[0] = -x[0] * x[0] * cos(t);
  dxdt[1] = -x[1] * sin(t) * x[0] * (2.0 + sin(t));
  return 0;
}

static inline double smooth_error(double t, const double x[]) {
  return fmax(fabs(x[0] - 1.0 / (2.0 + sin(t))), fabs(x[1] - exp(cos(t) - 1.0)));
}

/* by so many steps of equal lengths: the error at the end, and the largest of samples on the way */
static inline ess_counters smooth_run(const ess_system *system, ess_base base, unsigned steps,
                                      double t1, double *end, double *way) {
  enum { SAMPLES = 997 };
  static double times[SAMPLES], states[2 * SAMPLES];
  ess_options options = by(base, 0.9); // h_max alone sets the step
  options.h_init = options.h_max = fabs(t1) / steps;
  ess_driver *const d = ess_driver_alloc(system, &options, NULL);
  double x[2] = {0.5, 1.0}, t = 0.0;
  for (int i = 0; i < SAMPLES; i++) times[i] = t1 * (i + 1) / SAMPLES;
  assert_int_equal(ess_driver_sample(d, &t, t1, x, times, SAMPLES, states), ESS_SUCCESS);
  const ess_counters made = *ess_driver_counters(d);
  assert_int_equal(made.steps, steps);
  *end = smooth_error(t, x);
  *way = 0.0;
  for (int i = 0; i < SAMPLES; i++)
    *way = fmax(*way, smooth_error(times[i], states + 2 * (size_t)i));
  ess_driver_free(d);
  return made;
}

/* ---- diffusion along a rod, its ends held at 0 ----------------------------------------------- */

enum { ROD = 40 };

typedef struct rod {
  double diffusion;
  double cooling; /* of each place, once it has fallen to a level of its own */
  double growth;  /* of the diffusion, a second: how stiff it is changes with time */
} rod;

static inline double diffusion_at(const rod *r, double t) {
  return r->diffusion * exp(r->growth * t);
}

static inline int rod_field(double t, const double x[], const double sign[], double dxdt[],
                            void *params) {
  const rod *const r = params;
  const double k = diffusion_at(r, t) * (ROD + 1) * (ROD + 1);
  for (size_t i = 0; i < ROD; i++) {
    const double left = i ? x[i - 1] : 0.0, right = i + 1 < ROD ? x[i + 1] : 0.0;
    const double cooled = r->cooling != 0.0 && sign[i] > 0.0 ? r->cooling : 0.0;
    dxdt[i] = k * (left - 2.0 * x[i] + right) - cooled;
  }
  return 0;
}

/* the slowest mode, in which it begins */
static inline double mode_at(size_t i) {
  return sin(M_PI * (double)(i + 1) / (ROD + 1));
}

static inline void rod_start(double x[]) {
  for (size_t i = 0; i < ROD; i++) x[i] = mode_at(i);
}

static inline double level_of(size_t i) {
  return mode_at(i) * (0.9 - 0.7 * fmod(0.6180339887498949 * (double)(i + 1), 1.0));
}

PLANES_EACH(level, ROD, ROD, -x[k], -level_of(k));

#endif

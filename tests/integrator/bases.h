/*
 * Runs by a base, and a smooth field whose solution is known, for the orders of bases.
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

#endif

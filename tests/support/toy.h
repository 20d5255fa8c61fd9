/*
 * Runs of small systems that tests give as callbacks (callbacks.h); those given as text: hybrid.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TOY_H
#define TOY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks.h"
#include "test.h"

/* rtol = atol = tolerance */
static inline ess_options toy_options(double tolerance) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  return options;
}

/* A run of a driver that is freed then, and what is known at its end. */
enum { TOY_SIGNS = 64 };
typedef struct toy_end {
  int status;
  double t, sign[TOY_SIGNS];
  ess_counters counters;
  ess_failure failure;
} toy_end;

static inline toy_end toy_run(const ess_system *system, const ess_options *options, double t0,
                              double t1, double x[]) {
  ess_driver *const d = ess_driver_alloc(system, options, NULL);
  const size_t signs = system->guard_count < TOY_SIGNS ? system->guard_count : TOY_SIGNS;
  assert_non_null(d);
  toy_end end = {.t = t0};
  end.status = ess_driver_apply(d, &end.t, t1, x);
  assert_true(end.status || end.t == t1);
  if (signs) memcpy(end.sign, ess_driver_sign(d), signs * sizeof *end.sign);
  end.counters = *ess_driver_counters(d);
  end.failure = *ess_driver_failure(d);
  ess_driver_free(d);
  return end;
}

static inline toy_end toy_success(toy_end end, const char *file, int line) {
  _assert_int_equal((uintmax_t)end.status, ESS_SUCCESS, file, line);
  return end;
}
#define toy_succeeds(...) toy_success(toy_run(__VA_ARGS__), __FILE__, __LINE__)

/* what an impact does with event function k, besides the state: it is above zero from there on, and
 * armed to come back */
static inline int toy_stays_above(ess_impact *impact, size_t k) {
  impact->mode[k] = 1.0;
  impact->armed[ESS_GUARD_DOWN(k)] = true;
  return 0;
}

/* the largest difference of two arrays */
static inline double toy_apart(const double a[], const double b[], size_t count) {
  double most = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

#endif

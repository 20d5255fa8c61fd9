/*
 * Small event-selected systems with exact solutions, for libess's own tests.
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

enum { TOY_EVENTS = 64 };

/* what an observer saw */
typedef struct toy_log {
  size_t count, steps, projections;
  size_t guard[TOY_EVENTS];
  int direction[TOY_EVENTS];
  double time[TOY_EVENTS];
} toy_log;

static inline int toy_crossing(const ess_crossing_info *info, void *context) {
  toy_log *const log = context;
  if (log->count < TOY_EVENTS) {
    log->guard[log->count] = info->guard;
    log->direction[log->count] = info->direction;
    log->time[log->count] = info->t;
  }
  log->count++;
  return 0;
}

static inline int toy_step(const ess_step_info *info, void *context) {
  toy_log *const log = context;
  log->steps++;
  log->projections += info->projection;
  return 0;
}

static inline ess_observer toy_observer(toy_log *log) {
  memset(log, 0, sizeof *log);
  return (ess_observer){.step = toy_step, .crossing = toy_crossing, .context = log};
}

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

static inline toy_end toy_go(ess_driver *d, size_t guard_count, double t0, double t1, double x[]) {
  assert_non_null(d);
  toy_end end = {.t = t0};
  end.status = ess_driver_apply(d, &end.t, t1, x);
  assert_true(end.status || end.t == t1);
  if (guard_count > TOY_SIGNS) guard_count = TOY_SIGNS;
  if (guard_count) memcpy(end.sign, ess_driver_sign(d), guard_count * sizeof *end.sign);
  end.counters = *ess_driver_counters(d);
  end.failure = *ess_driver_failure(d);
  ess_driver_free(d);
  return end;
}

static inline toy_end toy_run(const ess_system *system, const ess_options *options, double t0,
                              double t1, double x[]) {
  return toy_go(ess_driver_alloc(system, options, NULL), system->guard_count, t0, t1, x);
}

static inline toy_end toy_success(toy_end end, const char *file, int line) {
  _assert_int_equal((uintmax_t)end.status, ESS_SUCCESS, file, line);
  return end;
}

#define toy_succeeded(end) toy_success(end, __FILE__, __LINE__)
#define toy_succeeds(...)  toy_succeeded(toy_run(__VA_ARGS__))

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

/* a clock: its state is the time */
static inline int toy_clock(double t, const double x[], const double sign[], double dxdt[],
                            void *params) {
  (void)t, (void)x, (void)sign, (void)params;
  dxdt[0] = 1.0;
  return 0;
}

/* a point in free fall, of height and velocity: an event function that is its height, and the
 * Jacobian of any that is its height above something */
#define TOY_GRAVITY 9.81

static inline int toy_fall_guards(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = x[0];
  return 0;
}

static inline int toy_fall_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)x, (void)params;
  Dh[0] = 1.0;
  Dh[1] = 0.0;
  return 0;
}

#endif

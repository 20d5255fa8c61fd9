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

/* the paper's method, with projections of an order */
static inline ess_options toy_paper(int order) {
  ess_options options = ess_options_paper();
  options.order = order;
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

/* what an impact does with event function k, besides the state: it is above zero from there on, or
 * on the side that it came from, and is armed to come back */
static inline int toy_stays_above(ess_impact *impact, size_t k) {
  impact->mode[k] = 1.0;
  impact->armed[ESS_GUARD_DOWN(k)] = true;
  return 0;
}

static inline int toy_stays(ess_impact *impact, size_t k) {
  impact->mode[k] = impact->sign[k];
  impact->armed[ESS_GUARD_UP(k)] = impact->sign[k] < 0.0;
  impact->armed[ESS_GUARD_DOWN(k)] = impact->sign[k] > 0.0;
  return 0;
}

/* the largest difference of two arrays */
static inline double toy_apart(const double a[], const double b[], size_t count) {
  double most = 0.0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* an observer of crossings, or of what is watched, that stops at the first */
static inline int toy_stop(const ess_crossing_info *info, void *context) {
  (void)info, (void)context;
  return 1;
}

/* a clock: its state is the time */
static inline int toy_clock(double t, const double x[], const double sign[], double dxdt[],
                            void *params) {
  (void)t, (void)x, (void)sign, (void)params;
  dxdt[0] = 1.0;
  return 0;
}

/* a point in free fall: height and velocity; an event function that is its height, and the Jacobian
 * of any that is its height above something */
#define TOY_GRAVITY 9.81

static inline int toy_fall_field(double t, const double x[], const double sign[], double dxdt[],
                                 void *params) {
  (void)t, (void)sign, (void)params;
  dxdt[0] = x[1];
  dxdt[1] = -TOY_GRAVITY;
  return 0;
}

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

/* one ball under gravity 2 above a spring of stiffness k at height 0: states z, v; h = -z */
typedef struct toy_ball {
  double stiffness;
} toy_ball;

static inline int ball_field(double t, const double x[], const double sign[], double dxdt[],
                             void *params) {
  const toy_ball *const ball = params;
  (void)t;
  dxdt[0] = x[1];
  dxdt[1] = -2.0 - (sign[0] > 0.0 ? ball->stiffness * x[0] : 0.0);
  return 0;
}

static inline int ball_guards(double t, const double x[], double h[], void *params) {
  (void)t;
  (void)params;
  h[0] = -x[0];
  return 0;
}

static inline int ball_jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t;
  (void)params;
  (void)x;
  Dh[0] = -1.0;
  Dh[1] = 0.0;
  return 0;
}

static inline ess_system ball_system(toy_ball *ball) {
  return (ess_system){.dimension = 2,
                      .guard_count = 1,
                      .field = ball_field,
                      .guards = ball_guards,
                      .guard_jacobian = ball_jacobian,
                      .params = ball};
}

/* time the ball dropped from `height` spends on the spring */
static inline double ball_contact_time(const toy_ball *ball, double height) {
  const double w = sqrt(ball->stiffness), speed = 2.0 * sqrt(height);
  return 2.0 * (M_PI - atan2(speed / w, 2.0 / ball->stiffness)) / w;
}

/* state of the ball dropped at rest from `height` at time t, through any number of bounces */
static inline void ball_exact(const toy_ball *ball, double height, double t, double x[2]) {
  const double fall = sqrt(height), speed = 2.0 * fall;
  const double w = sqrt(ball->stiffness), rest = -2.0 / ball->stiffness;
  const double amplitude = hypot(rest, speed / w), phase = atan2(speed / w, -rest);
  double s = fmod(t + fall, 2.0 * fall + ball_contact_time(ball, height)); // since lift-off
  if (s < 2.0 * fall) {
    x[0] = speed * s - s * s;
    x[1] = speed - 2.0 * s;
  } else {
    s -= 2.0 * fall;
    x[0] = rest + amplitude * cos(w * s + phase);
    x[1] = -amplitude * w * sin(w * s + phase);
  }
}

#endif

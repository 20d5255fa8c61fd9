/*
 * Many balls side by side under gravity 2, each above its own spring at height 0, and any number of
 * event functions more: h_k = -scale_k (z_(k mod count) - level_k). The spring of ball i acts while
 * sign[i] > 0; event functions beyond the first `count` change no field. Every callback checks what
 * it is given. Exact solution: toy.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BALLS_H
#define BALLS_H

#include "toy.h"

enum { BALLS_MAX = 1024 };

typedef struct balls {
  size_t count, guards;
  double stiffness;
  double scale[BALLS_MAX], level[BALLS_MAX]; /* scale 0 stands for 1 */
  size_t some_calls;                         /* of some_guard_rates */
  double some_poison;                        /* added to what that gives */
  int some_code;                             /* what that returns */
} balls;

static inline double balls_scale(const balls *b, size_t k) {
  return b->scale[k] == 0.0 ? 1.0 : b->scale[k];
}

static inline int balls_field(double t, const double x[], const double sign[], double dxdt[],
                              void *params) {
  const balls *const b = params;
  for (size_t k = 0; k < b->guards; k++) assert_true(fabs(sign[k]) == 1.0);
  for (size_t i = 0; i < b->count; i++) {
    dxdt[2 * i] = x[2 * i + 1];
    dxdt[2 * i + 1] = -2.0 - (sign[i] > 0.0 ? b->stiffness * x[2 * i] : 0.0);
  }
  return 0;
}

static inline int balls_guards(double t, const double x[], double h[], void *params) {
  const balls *const b = params;
  for (size_t k = 0; k < b->guards; k++)
    h[k] = -balls_scale(b, k) * (x[2 * (k % b->count)] - b->level[k]);
  return 0;
}

static inline int balls_jacobian(double t, const double x[], double Dh[], void *params) {
  const balls *const b = params;
  const size_t n = 2 * b->count;
  memset(Dh, 0, b->guards * n * sizeof *Dh);
  for (size_t k = 0; k < b->guards; k++) Dh[k * n + 2 * (k % b->count)] = -balls_scale(b, k);
  return 0;
}

static inline int balls_rates(double t, const double x[], const double v[], double h[],
                              double rate[], void *params) {
  const balls *const b = params;
  for (size_t k = 0; k < b->guards; k++) rate[k] = -balls_scale(b, k) * v[2 * (k % b->count)];
  return balls_guards(t, x, h, params);
}

static inline int balls_some_rates(double t, const double x[], const double v[],
                                   const size_t which[], size_t count, double h[], double rate[],
                                   void *params) {
  balls *const b = params;
  b->some_calls++;
  assert_in_range(count, 1, b->guards);
  for (size_t i = 0; i < count; i++) {
    const size_t k = which[i], ball = 2 * (k % b->count);
    assert_true(k < b->guards);
    for (size_t j = 0; j < i; j++) assert_true(which[j] != k);
    h[i] = -balls_scale(b, k) * (x[ball] - b->level[k]) + b->some_poison;
    rate[i] = -balls_scale(b, k) * v[ball];
  }
  return b->some_code;
}

static inline ess_system balls_system(balls *b) {
  return (ess_system){
      .dimension = 2 * b->count, .guard_count = b->guards, OF_RATES(balls), .params = b};
}

/* `count` balls on springs of stiffness 50, `guards` event functions at level 0 */
static inline balls balls_of(size_t count, size_t guards) {
  assert_in_range(guards, count, BALLS_MAX);
  return (balls){.count = count, .guards = guards, .stiffness = 50.0};
}

/* dropped at rest: ball i from heights spread over [lowest, lowest + spread] */
static inline void balls_drop(const balls *b, double lowest, double spread, double x[]) {
  for (size_t i = 0; i < b->count; i++) {
    // multiples of the golden ratio leave no two balls at one height
    x[2 * i] = lowest + spread * fmod(0.6180339887498949 * (double)i, 1.0);
    x[2 * i + 1] = 0.0;
  }
}

/* largest error of a state after time t from the start x0 */
static inline double balls_error(const balls *b, const double x0[], double t, const double x[]) {
  const toy_ball ball = {.stiffness = b->stiffness};
  double worst = 0.0;
  for (size_t i = 0; i < b->count; i++) {
    double exact[2];
    ball_exact(&ball, x0[2 * i], t, exact);
    worst = fmax(worst, fmax(fabs(x[2 * i] - exact[0]), fabs(x[2 * i + 1] - exact[1])));
  }
  return worst;
}

/* a run as another must repeat it, to the last bit: all its steps and crossings, as a hash */
typedef struct balls_trace {
  size_t dimension, crossings, projections, steps;
  double longest; /* projection */
  uint64_t hash;
} balls_trace;

static inline void balls_mix(balls_trace *trace, const void *bytes, size_t size) {
  const unsigned char *const p = bytes;
  for (size_t i = 0; i < size; i++) trace->hash = (trace->hash ^ p[i]) * UINT64_C(1099511628211);
}

static inline int balls_trace_step(const ess_step_info *info, void *context) {
  balls_trace *const trace = context;
  const double length = info->t1 - info->t0;
  trace->steps++;
  trace->projections += info->projection;
  if (info->projection) trace->longest = fmax(trace->longest, length);
  balls_mix(trace, &info->t1, sizeof info->t1);
  balls_mix(trace, info->x, trace->dimension * sizeof *info->x);
  return 0;
}

static inline int balls_trace_crossing(const ess_crossing_info *info, void *context) {
  balls_trace *const trace = context;
  trace->crossings++;
  balls_mix(trace, &info->guard, sizeof info->guard);
  balls_mix(trace, &info->direction, sizeof info->direction);
  balls_mix(trace, &info->t, sizeof info->t);
  return 0;
}

static inline ess_observer balls_observer(const balls *b, balls_trace *trace) {
  *trace = (balls_trace){.dimension = 2 * b->count, .hash = UINT64_C(14695981039346656037)};
  return (ess_observer){
      .step = balls_trace_step, .crossing = balls_trace_crossing, .context = trace};
}

#endif

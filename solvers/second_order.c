/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schemes of order 2: see second_order.h. */
#include "second_order.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A step is at least and at most so many times the last, and such a part of the one whose error
 * would be the tolerance. Adams' extrapolates over the last step, and so grows less. Measured on
 * the plate: parts of 0.7 to 0.9 differ by a tenth in evaluations at the same error, and limits of
 * growth by less. */
static const double shrink_most = 0.2, grow_most_heun = 5.0, grow_most_adams = 2.0, part = 0.8;
/* of a time, below which a step is lost in rounding */
static const double step_least = 1e-15;
/* after so many steps a run leads nowhere; arrays of a state */
enum { MOST_STEPS = 1000000, ARRAYS = 5 };

int second_order_alloc(second_order *s) {
  s->room = calloc(ARRAYS * s->dimension + 1, sizeof *s->room);
  second_order_reset(s);
  return s->room ? 0 : -1;
}

void second_order_free(second_order *s) {
  free(s->room);
  s->room = NULL;
}

void second_order_reset(second_order *s) {
  s->steps = s->rejected = 0;
  s->step = 0.0;
}

const char *second_order_says(int status) {
  return status == SECOND_ORDER_TOO_SMALL  ? "the step is too small"
         : status == SECOND_ORDER_TOO_MANY ? "too many steps"
         : status                          ? "a callback failed"
                                           : "success";
}

/* a step of h from x, where the slope is f, to `to`, where it is `slope` */
typedef struct ends {
  double h, *x, *f, *to, *slope;
} ends;

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

static inline double smaller(double a, double b) {
  return a < b ? a : b;
}

/* an error in a component that goes from x to y, over its tolerance and squared */
static inline double scaled(const second_order *s, double error, double x, double y) {
  const double scale = s->atol + s->rtol * larger(fabs(x), fabs(y));
  const double ratio = error / larger(scale, DBL_MIN);
  return ratio * ratio;
}

/* an Euler step that moves the state by one per cent of its size */
static double first_step(const second_order *s, size_t n, const double x[], const double f[]) {
  double size = 0.0, speed = 0.0;
  for (size_t i = 0; i < n; i++) {
    size += scaled(s, x[i], x[i], x[i]);
    speed += scaled(s, f[i], x[i], x[i]);
  }
  return size > 1e-10 && speed > 1e-10 ? 0.01 * sqrt(size / speed) : 1e-6;
}

/* *error is that of Euler's step, which is corrected by it, squared */
static inline int try_heun(const second_order *s, size_t n, double t, const ends *e,
                           double *error) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) e->to[i] = e->x[i] + e->h * e->f[i];
  const int status = s->field(s->context, t + e->h, e->to, e->slope);
  for (size_t i = 0; i < n; i++) {
    const double apart = 0.5 * e->h * (e->slope[i] - e->f[i]);
    e->to[i] += apart;
    sum += scaled(s, apart, e->x[i], e->to[i]);
  }
  *error = sum / (double)n;
  return status;
}

/* `before` is the slope where the last step began, of which this is `ratio` times. The correction
 * is (1 + 1/ratio)/4 h^3 x''', and what it leaves 1/12 h^3 x'''. */
static inline int try_adams(const second_order *s, size_t n, double t, const ends *e,
                            const double before[], double ratio, double *error) {
  const double left = ratio / (3.0 * ratio + 3.0);
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    e->to[i] = e->x[i] + e->h * (e->f[i] + 0.5 * ratio * (e->f[i] - before[i]));
  const int status = s->field(s->context, t + e->h, e->to, e->slope);
  for (size_t i = 0; i < n; i++) {
    const double rise = ratio * (e->f[i] - before[i]);
    const double apart = 0.5 * e->h * (e->slope[i] - e->f[i] - rise);
    e->to[i] += apart;
    sum += scaled(s, apart, e->x[i], e->to[i]);
  }
  *error = left * left * sum / (double)n;
  return status;
}

/* the next step by the last and its squared error, which may be no number */
static inline double next_step(double h, double error, bool heun, double grow_most) {
  const double root = heun ? sqrt(sqrt(error)) : cbrt(sqrt(error)), factor = part / root;
  return h * (factor > shrink_most ? smaller(factor, grow_most) : shrink_most);
}

/* at a of the step, by the cubic through its ends and their slopes */
static inline void interpolate(size_t n, const ends *e, double a, double to[]) {
  const double b = 1.0 - a, risen = a * a * (1.0 + 2.0 * b);
  const double at_f = a * b * b * e->h, at_slope = -a * a * b * e->h;
  for (size_t i = 0; i < n; i++)
    to[i] = e->x[i] + risen * (e->to[i] - e->x[i]) + at_f * e->f[i] + at_slope * e->slope[i];
}

/* the end of a step is the start of the next */
static inline void move_on(ends *e, double **before) {
  double *const x = e->x, *const oldest = *before;
  e->x = e->to;
  e->to = x;
  *before = e->f;
  e->f = e->slope;
  e->slope = oldest;
}

static inline int sample(second_order *s, bool adams, size_t n, double *now, double end, double x[],
                         const double times[], size_t count, double states[]) {
  double *before = s->room, error = 0.0, h_before = 0.0, t = *now, h = s->step;
  ends e = {0.0, before + n, before + 2 * n, before + 3 * n, before + 4 * n};
  size_t written = 0;
  memcpy(e.x, x, n * sizeof *x);
  for (; written < count && times[written] <= t; written++)
    memcpy(states + written * n, x, n * sizeof *x);
  int status = t < end ? s->field(s->context, t, x, e.f) : 0;
  if (h == 0.0 && !status) h = first_step(s, n, e.x, e.f);
  while (!status && t < end) {
    const bool heun = !adams || h_before == 0.0;
    h = smaller(h, s->h_max);
    const bool last = t + h >= end;
    e.h = last ? end - t : h;
    status = e.h < step_least * larger(fabs(t), fabs(end)) ? SECOND_ORDER_TOO_SMALL
             : s->steps + s->rejected >= MOST_STEPS        ? SECOND_ORDER_TOO_MANY
             : heun                                        ? try_heun(s, n, t, &e, &error)
                    : try_adams(s, n, t, &e, before, e.h / h_before, &error);
    if (status) break;
    const bool good = error <= 1.0;
    const double next = next_step(e.h, error, heun, adams ? grow_most_adams : grow_most_heun);
    h = good && last ? larger(h, next) : next; // what the end cuts short is no measure
    if (!good) {
      s->rejected++;
      continue;
    }
    const double t1 = last ? end : t + e.h;
    s->steps++;
    if (heun) status = s->field(s->context, t1, e.to, e.slope);
    for (; written < count && times[written] <= t1; written++)
      interpolate(n, &e, (times[written] - t) / e.h, states + written * n);
    t = t1;
    h_before = e.h;
    move_on(&e, &before);
  }
  s->step = h;
  *now = t;
  memcpy(x, e.x, n * sizeof *x);
  return status;
}

int second_order_sample(second_order *s, double *t, double end, double x[], const double times[],
                        size_t count, double states[]) {
  const bool adams = s->scheme == SECOND_ORDER_ADAMS;
  const size_t n = s->dimension;
  // a body in the plane: compilers unroll what has a number
  if (n == 6)
    return adams ? sample(s, true, 6, t, end, x, times, count, states)
                 : sample(s, false, 6, t, end, x, times, count, states);
  return sample(s, adams, n, t, end, x, times, count, states);
}

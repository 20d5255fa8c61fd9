/*
 * Random systems: their callbacks, and libess run on them. See random_systems.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "random_systems.h"
#include "callbacks.h"

#include <math.h>
#include <string.h>

enum { N = SYSTEMS_STATES, M = SYSTEMS_GUARDS };

const char *const systems_kind_names[SYSTEMS_KINDS] = {"alike",       "unlike",        "opposite",
                                                       "interleaved", "non-commuting", "rates",
                                                       "curved",      "rows",          "mixed"};

static double dot(size_t n, const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void add(size_t n, double scale, const double a[], double sum[]) {
  for (size_t i = 0; i < n; i++) sum[i] += scale * a[i];
}

static bool is_beyond(const systems_guard *g, double sign) {
  return g->orientation * sign > 0.0;
}

/* the field: what the mode adds goes across the drift, but for `speed` */
FIELD(field) {
  const random_system *const s = params;
  const size_t n = s->n;
  double speed = dot(n, s->drive, x) + 0.3 * sin(3.0 * t);
  for (size_t i = 0; i < n; i++)
    dxdt[i] = dot(n, s->matrix[i], x) + 0.4 * sin(2.0 * x[i] + s->phase[i]);
  for (size_t k = 0; k < s->m; k++) {
    const systems_guard *const g = &s->guard[k];
    if (!is_beyond(g, sign[k])) continue;
    speed += g->speed;
    add(n, 1.0, g->jump, dxdt);
    if (!g->linear) continue;
    add(n, dot(n, g->row, x), g->column, dxdt);
    const systems_guard *const other = &s->guard[g->partner];
    if (is_beyond(other, sign[g->partner])) add(n, 1.0, g->pair, dxdt);
  }
  add(n, 2.0 + tanh(speed) - dot(n, s->drift, dxdt), s->drift, dxdt);
}

/* how an event function bends at y along its bend: a function without slope at 0, its derivative */
static double bent(const systems_guard *g, double y, double *slope) {
  if (g->shape == SYSTEMS_WAVE) {
    *slope = g->strength * sin(6.0 * y) / 6.0;
    return g->strength * (1.0 - cos(6.0 * y)) / 36.0;
  }
  *slope = g->strength * y;
  return 0.5 * g->strength * y * y;
}

/* event function k and its gradient */
static double event(const random_system *s, size_t k, const double x[], double gradient[]) {
  const systems_guard *const g = &s->guard[k];
  const size_t n = s->n;
  double from[N] = {0.0}, value;
  for (size_t i = 0; i < n; i++) from[i] = x[i] - g->place[i];
  if (g->shape == SYSTEMS_PEG) {
    const double distance = sqrt(dot(n, from, from));
    for (size_t i = 0; i < n; i++) gradient[i] = -g->orientation * from[i] / distance;
    return g->orientation * (g->strength - distance);
  }
  value = dot(n, g->normal, from);
  memcpy(gradient, g->normal, n * sizeof *gradient);
  if (g->shape != SYSTEMS_PLANE) {
    double slope;
    value += bent(g, dot(n, g->bend, from), &slope);
    add(n, slope, g->bend, gradient);
  }
  for (size_t i = 0; i < n; i++) gradient[i] *= g->orientation;
  return g->orientation * value;
}

GUARDS(guards) {
  const random_system *const s = params;
  double gradient[N];
  for (size_t k = 0; k < s->m; k++) h[k] = event(s, k, x, gradient);
}

GUARD_JACOBIAN(guard_jacobian) {
  const random_system *const s = params;
  for (size_t k = 0; k < s->m; k++) event(s, k, x, Dh + k * s->n);
}

SOME_RATES(some_guard_rates) {
  const random_system *const s = params;
  double gradient[N];
  for (size_t i = 0; i < count; i++) {
    h[i] = event(s, which[i], x, gradient);
    rate[i] = dot(s->n, gradient, v);
  }
}

GUARD_RATES_CODE(guard_rates) {
  const random_system *const s = params;
  size_t all[M];
  for (size_t k = 0; k < s->m; k++) all[k] = k;
  return some_guard_rates(t, x, v, all, s->m, h, rate, params);
}

ess_system random_system_ess(random_system *s) {
  return (ess_system){.dimension = s->n,
                      .guard_count = s->m,
                      .field = field,
                      .guards = guards,
                      .guard_jacobian = s->callbacks & 1 ? guard_jacobian : NULL,
                      .guard_rates = s->callbacks & 1 ? NULL : guard_rates,
                      .some_guard_rates = s->callbacks & 2 ? some_guard_rates : NULL,
                      .one_way = s->one_way,
                      .resets = s->kind == SYSTEMS_ROWS ? &s->resets : NULL,
                      .params = s};
}

double random_system_time(size_t i) {
  return SYSTEMS_END * (double)i / SYSTEMS_TIMES;
}

/* ---- libess run on them ---------------------------------------------------------------------- */

/* how often each event function is crossed, and after how many crossings the run is to stop */
typedef struct tally {
  size_t crossings[M], count, stop_every;
} tally;

ON_CROSSING_CODE(count_crossing) {
  tally *const seen = context;
  seen->crossings[info->guard]++;
  return seen->stop_every && ++seen->count % seen->stop_every == 0;
}

static double distance(const random_system *s, const double states[]) {
  double sum = 0.0;
  const size_t count = s->n * SYSTEMS_TIMES;
  for (size_t i = 0; i < count; i++) sum += (states[i] - s->states[i]) * (states[i] - s->states[i]);
  return sqrt(sum / (double)count);
}

/* silent guards are crossed unheard */
static void compare_crossings(const random_system *s, const tally *seen, random_run *run) {
  for (size_t k = 0; k < s->m; k++) {
    if (s->silent[ESS_GUARD_UP(k)]) continue;
    if (seen->crossings[k] < s->crossings[k]) run->missed += s->crossings[k] - seen->crossings[k];
    if (seen->crossings[k] > s->crossings[k]) run->invented += seen->crossings[k] - s->crossings[k];
  }
}

/* to the end, going on wherever the observer stops */
static int sample_all(ess_driver *d, const random_system *s, double states[]) {
  double t = 0.0, x[N], times[SYSTEMS_TIMES];
  memcpy(x, s->x0, sizeof x);
  for (size_t i = 0; i < SYSTEMS_TIMES; i++) times[i] = random_system_time(i + 1);
  size_t done = 0;
  int status;
  do {
    status = ess_driver_sample(d, &t, SYSTEMS_END, x, times + done, SYSTEMS_TIMES - done,
                               states + done * s->n);
    while (done < SYSTEMS_TIMES && times[done] <= t) done++;
  } while (status == ESS_ESTOP && done < SYSTEMS_TIMES);
  return status;
}

random_run random_system_run(random_system *s, double tolerance, ess_base base, size_t stop_every) {
  tally seen = {.stop_every = stop_every};
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.base = base;
  options.max_steps = 1000000;
  options.observer = (ess_observer){.crossing = count_crossing, .context = &seen};
  const ess_system system = random_system_ess(s);
  random_run run = {.status = ESS_ENOMEM, .error = INFINITY};
  ess_driver *const d = ess_driver_alloc(&system, &options, &run.status);
  if (!d) return run;
  double states[SYSTEMS_TIMES * N] = {0.0};
  run.status = sample_all(d, s, states);
  run.counters = *ess_driver_counters(d);
  if (!run.status) run.error = distance(s, states);
  compare_crossings(s, &seen, &run);
  ess_driver_free(d);
  return run;
}

/*
 * Bent courses: their callbacks, and libess run on them. See bent_courses.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bent_courses.h"
#include "callbacks.h"

#include <math.h>
#include <string.h>

enum { N = BENT_STATES };

const char *const bent_shape_names[BENT_SHAPES] = {"peg",  "ellipse", "ridge", "rod", "ring",
                                                   "pegs", "spun",    "beam",  "roof"};

int bent_field(double t, const double x[], const double sign[], double dxdt[], void *params) {
  const bent_course *const c = params;
  dxdt[0] = 1.0 + 0.1 * c->smooth * sin(x[1]);
  dxdt[1] = x[3];
  dxdt[2] = x[4];
  dxdt[3] = 0.5 * c->smooth * cos(2.0 * x[0] + c->phase) - c->damping * x[3];
  dxdt[4] = -c->damping * c->smooth * x[4];
  dxdt[5] = 0.0;
  for (size_t k = 0; k < c->line_count; k++)
    for (size_t i = 0; sign[k] > 0.0 && i < N; i++) dxdt[i] += c->line[k].jump[i];
  for (size_t j = 0; j < c->body_count; j++) {
    if (sign[c->line_count + j] < 0.0) continue;
    dxdt[1] += c->body[j].push[0];
    dxdt[3] += c->body[j].push[1];
    dxdt[5] += 1.0;
  }
  return 0;
}

/* across and along a body's axis */
static double body_function(const bent_body *b, const double x[], double gradient[]) {
  const double dx = x[0] - b->at[0], dy = x[1] - b->at[1];
  const double along = b->axis[0] * dx + b->axis[1] * dy;
  const double across = b->axis[0] * dy - b->axis[1] * dx;
  if (b->shape == BENT_RIDGE) {
    const double slope = across / b->size[0];
    gradient[0] = b->axis[0] + slope * b->axis[1];
    gradient[1] = b->axis[1] - slope * b->axis[0];
    return along - 0.5 * across * slope;
  }
  if (b->shape == BENT_BEAM) {
    gradient[0] = 2.0 * across / b->size[0] * b->axis[1];
    gradient[1] = -2.0 * across / b->size[0] * b->axis[0];
    return b->size[0] - across * across / b->size[0];
  }
  if (b->shape == BENT_ROOF) {
    memcpy(gradient, b->axis, sizeof b->axis);
    return along;
  }
  if (b->shape == BENT_ROD || b->shape == BENT_SPUN) {
    gradient[0] = b->axis[0];
    gradient[1] = b->axis[1];
    gradient[2] = -b->size[0] * sin(x[2] - b->angle);
    return along + b->size[0] * cos(x[2] - b->angle);
  }
  if (b->shape == BENT_ELLIPSE) {
    const double u = along / b->size[0], v = across / b->size[1], far = hypot(u, v) + 1e-300;
    const double by_along = u / (far * b->size[0]), by_across = v / (far * b->size[1]);
    gradient[0] = b->axis[1] * by_across - b->axis[0] * by_along;
    gradient[1] = -b->axis[0] * by_across - b->axis[1] * by_along;
    return 1.0 - far;
  }
  const double far = hypot(dx, dy) + 1e-300, side = b->shape == BENT_RING ? 1.0 : -1.0;
  gradient[0] = side * dx / far;
  gradient[1] = side * dy / far;
  return side * (far - b->size[0]);
}

double bent_event_function(const bent_course *c, size_t k, const double x[], double gradient[]) {
  memset(gradient, 0, N * sizeof *gradient);
  if (k >= c->line_count) return body_function(&c->body[k - c->line_count], x, gradient);
  gradient[0] = 1.0;
  gradient[1] = c->line[k].slant;
  return x[0] + c->line[k].slant * x[1] - c->line[k].place;
}

GUARDS(guards) {
  const bent_course *const c = params;
  double gradient[N];
  for (size_t k = 0; k < c->line_count + c->body_count; k++)
    h[k] = bent_event_function(c, k, x, gradient);
}

SOME_RATES(some_guard_rates) {
  const bent_course *const c = params;
  double gradient[N];
  for (size_t i = 0; i < count; i++) {
    h[i] = bent_event_function(c, which[i], x, gradient);
    rate[i] = 0.0;
    for (size_t j = 0; j < N; j++) rate[i] += gradient[j] * v[j];
  }
}

GUARD_RATES_CODE(guard_rates) {
  const bent_course *const c = params;
  size_t all[BENT_GUARDS];
  for (size_t k = 0; k < c->line_count + c->body_count; k++) all[k] = k;
  return some_guard_rates(t, x, v, all, c->line_count + c->body_count, h, rate, params);
}

ess_system bent_course_ess(bent_course *c) {
  return (ess_system){.dimension = N,
                      .guard_count = c->line_count + c->body_count,
                      .field = bent_field,
                      .guards = guards,
                      .guard_rates = guard_rates,
                      .some_guard_rates = c->some ? some_guard_rates : NULL,
                      .params = c};
}

double bent_course_time(const bent_course *c, size_t i) {
  return c->end * (double)(i + 1) / BENT_TIMES;
}

bool bent_course_is_clear(const bent_course *c, double tolerance) {
  return c->truth.clear >= BENT_MARGIN * tolerance && c->truth.slant >= BENT_SLANT;
}

/* ---- libess run on them ---------------------------------------------------------------------- */

typedef struct seen {
  const bent_course *course;
  bent_run *run;
  size_t crossings[BENT_GUARDS];
} seen;

ON_CROSSING(note_crossing) {
  seen *const s = context;
  bent_run *const r = s->run;
  s->crossings[info->guard]++;
  if (info->guard >= s->course->line_count && r->event_count < BENT_EVENTS)
    r->event[r->event_count++] = (bent_event){info->guard, info->t, 0.0};
}

static void compare_states(const bent_course *c, const double states[], double tolerance,
                           bent_run *run) {
  run->error = 0.0;
  for (size_t i = 0; i < BENT_TIMES * N; i++) {
    const double truth = c->truth.states[i];
    run->error = fmax(run->error, fabs(states[i] - truth) / (tolerance * (1.0 + fabs(truth))));
  }
}

/* the times of curved guards' crossings, where there are as many as there should be */
static void compare_times(const bent_course *c, double tolerance, bent_run *run) {
  run->time_error = 0.0;
  for (size_t k = c->line_count; k < c->line_count + c->body_count; k++)
    for (size_t i = 0, j = 0; i < c->truth.event_count; i++) {
      if (c->truth.event[i].guard != k) continue;
      while (j < run->event_count && run->event[j].guard != k) j++;
      if (j == run->event_count) return;
      const double late = run->event[j++].time - c->truth.event[i].time;
      run->time_error = fmax(run->time_error, fabs(late) * c->truth.event[i].fastness / tolerance);
    }
}

/* how often guard k has been crossed until t */
static size_t crossed_until(const bent_run *run, size_t k, double t) {
  size_t count = 0;
  for (size_t i = 0; i < run->event_count; i++)
    count += run->event[i].guard == k && run->event[i].time <= t;
  return count;
}

/* Contacts that the run's own states show, half as deep as they are or more, though its crossings
 * deny them: whatever the tolerance leaves in doubt, this is a guard passed unseen. */
static size_t count_denied(const bent_course *c, const bent_run *run, const double states[]) {
  double gradient[N];
  size_t denied = 0;
  for (size_t i = 0; i < c->truth.event_count; i++) {
    const size_t k = c->truth.event[i].guard;
    if (!(c->truth.depth[i] != 0.0)) continue;
    const double h = bent_event_function(c, k, states + i * N, gradient);
    const bool shown = h / c->truth.depth[i] >= 0.5;
    const bool starts_below = bent_event_function(c, k, c->x0, gradient) < 0.0;
    const size_t count = crossed_until(run, k, c->truth.middle[i]);
    const bool below = count % 2 ? !starts_below : starts_below;
    denied += shown && below != (h < 0.0);
  }
  return denied;
}

/* output times and the contacts' deepest places are in order: both are asked for at once */
static int sample(ess_driver *d, const bent_course *c, double states[], double deepest[]) {
  enum { MOST = BENT_TIMES + BENT_EVENTS };
  static _Thread_local double times[MOST], all[MOST * N], *to[MOST];
  double t = 0.0, x[N];
  size_t count = 0;
  bool taken[BENT_EVENTS] = {false};
  for (size_t i = 0; i < BENT_TIMES; i++) {
    for (;;) { // the earliest of those left before the output time
      size_t first = SIZE_MAX;
      for (size_t j = 0; j < c->truth.event_count; j++)
        if (!taken[j] && c->truth.middle[j] < bent_course_time(c, i) &&
            (first == SIZE_MAX || c->truth.middle[j] < c->truth.middle[first]))
          first = j;
      if (first == SIZE_MAX) break;
      taken[first] = true;
      times[count] = c->truth.middle[first];
      to[count++] = deepest + first * N;
    }
    times[count] = i + 1 < BENT_TIMES ? bent_course_time(c, i) : c->end;
    to[count++] = states + i * N;
  }
  memcpy(x, c->x0, sizeof x);
  const int status = ess_driver_sample(d, &t, c->end, x, times, count, all);
  for (size_t i = 0; i < count; i++) memcpy(to[i], all + i * N, sizeof x);
  return status;
}

bent_run bent_course_run(bent_course *c, double tolerance, double h_max) {
  bent_run run = {.status = ESS_ENOMEM, .error = INFINITY, .time_error = INFINITY};
  static _Thread_local double states[BENT_TIMES * N], deepest[BENT_EVENTS * N];
  seen s = {.course = c, .run = &run};
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.h_max = h_max;
  options.max_steps = 1000000;
  options.observer = (ess_observer){.crossing = note_crossing, .context = &s};
  const ess_system system = bent_course_ess(c);
  ess_driver *const d = ess_driver_alloc(&system, &options, &run.status);
  if (!d) return run;
  run.status = sample(d, c, states, deepest);
  run.counters = *ess_driver_counters(d);
  ess_driver_free(d);
  if (run.status) return run;
  compare_states(c, states, tolerance, &run);
  for (size_t k = 0; k < system.guard_count; k++) {
    const size_t is = s.crossings[k], should = c->truth.crossings[k];
    if (is < should) run.missed += should - is;
    if (is > should) run.invented += is - should;
  }
  if (!run.missed && !run.invented) compare_times(c, tolerance, &run);
  run.denied = count_denied(c, &run, deepest);
  return run;
}

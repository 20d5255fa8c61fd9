/*
 * Event functions that move in time: the same as the system in which the caller has made time a
 * state, forward and backward, with tangents and impacts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "draws.h"
#include "ess_tangents.h"
#include "toy.h"

enum { N = 4, M = 3, ALL = N + 1 };

/* two oscillators under forces that switch where positions pass walls that swing */
typedef struct walls {
  bool has_clock; /* time is a state of the caller's */
  bool bounces;   /* walls are tables that are bounced from: impacts */
  double stiffness[2], damping, force[M], amplitude[M], rate[M], phase[M], level[M];
} walls;

static uint64_t seed;

static walls draw_walls(void) {
  walls w = {.damping = draw_between(&seed, 0.0, 0.3)};
  for (int i = 0; i < 2; i++) w.stiffness[i] = draw_between(&seed, 0.5, 4.0);
  for (int k = 0; k < M; k++) {
    w.force[k] = draw_between(&seed, -0.6, 0.6);
    w.amplitude[k] = draw_between(&seed, 0.1, 0.6);
    w.rate[k] = draw_between(&seed, 0.5, 6.0);
    w.phase[k] = draw_between(&seed, 0.0, 6.0);
    w.level[k] = draw_between(&seed, -0.8, 0.8);
  }
  return w;
}

FIELD(field) {
  const walls *const w = params;
  for (int i = 0; i < 2; i++) {
    dxdt[2 * i] = x[2 * i + 1];
    dxdt[2 * i + 1] = -w->stiffness[i] * x[2 * i] - w->damping * x[2 * i + 1] + 0.2 * cos(t);
  }
  for (int k = 0; k < M && !w->bounces; k++) dxdt[2 * (k % 2) + 1] += w->force[k] * sign[k];
  if (w->bounces) dxdt[1] = dxdt[3] = -2.0;
  if (w->has_clock) dxdt[N] = 1.0;
}

static double wall(const walls *w, int k, double t) {
  return w->level[k] + w->amplitude[k] * sin(w->rate[k] * t + w->phase[k]);
}

static double speed(const walls *w, int k, double t) {
  return w->amplitude[k] * w->rate[k] * cos(w->rate[k] * t + w->phase[k]);
}

GUARDS(guards) {
  const walls *const w = params;
  for (int k = 0; k < M; k++) h[k] = x[2 * (k % 2)] - wall(w, k, w->has_clock ? x[N] : t);
}

GUARD_JACOBIAN(jacobian) {
  const walls *const w = params;
  const int n = w->has_clock ? ALL : N;
  memset(Dh, 0, (size_t)(M * n) * sizeof *Dh);
  for (int k = 0; k < M; k++) Dh[k * n + 2 * (k % 2)] = 1.0;
  for (int k = 0; k < M && w->has_clock; k++) Dh[k * n + N] = -speed(w, k, x[N]);
}

GUARD_RATES_CODE(rates) {
  for (int k = 0; k < M; k++) rate[k] = v[2 * (k % 2)];
  return guards(t, x, h, params);
}

static int time_rates(double t, const double x[], double ht[], void *params) {
  for (int k = 0; k < M; k++) ht[k] = -speed(params, k, t);
  return 0;
}

/* from the table, as fast as it was come to, but for a little */
IMPACT_MAP(bounce) {
  const walls *const w = params;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i], v = 2 * (k % 2) + 1;
    const double up = speed(w, (int)k, w->has_clock ? impact->x[N] : impact->t);
    if (impact->after[v] < up) impact->after[v] = up - 0.9 * (impact->after[v] - up);
    toy_stays_above(impact, k);
  }
}

static const ess_impacts BOUNCES = {.map = bounce};

/* with time as a state; with event functions that move, by rates given in several ways; those by
 * differences alone */
typedef enum given { CLOCK, JACOBIAN, RATES, NO_TIME_RATES, NOTHING, HOWS } given;

typedef struct result {
  double x[N], D[N * N];
  uint64_t crossings, steps;
  int status;
} result;

static ess_system system_of(walls *w, given how) {
  w->has_clock = how == CLOCK;
  return (ess_system){.dimension = how == CLOCK ? ALL : N,
                      .guard_count = M,
                      .field = field,
                      .guards = guards,
                      .guard_jacobian = how == CLOCK || how == JACOBIAN ? jacobian : NULL,
                      .guard_rates = how == RATES || how == NO_TIME_RATES ? rates : NULL,
                      .guards_move = how != CLOCK,
                      .guard_time_rates = how == JACOBIAN || how == RATES ? time_rates : NULL,
                      .impacts = w->bounces ? &BOUNCES : NULL,
                      .params = w};
}

static result run(walls w, given how, const double x0[], double t0, double t1, ess_options options,
                  bool tangents) {
  const ess_system system = system_of(&w, how);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double x[ALL], t = t0;
  memcpy(x, x0, N * sizeof *x);
  x[N] = t0;
  result r = {0};
  if (tangents) assert_int_equal(ess_driver_follow(d, system.dimension, NULL), ESS_SUCCESS);
  // in two calls: the second goes on
  r.status = ess_driver_apply(d, &t, t0 + 0.4 * (t1 - t0), x);
  if (!r.status) r.status = ess_driver_apply(d, &t, t1, x);
  if (!r.status) assert_true(t == t1);
  memcpy(r.x, x, sizeof r.x);
  const double *const D = ess_driver_tangent(d);
  for (size_t i = 0; D && i < N; i++)
    for (size_t j = 0; j < N; j++) r.D[i * N + j] = D[i * system.dimension + j];
  r.crossings = ess_driver_counters(d)->crossings;
  r.steps = ess_driver_counters(d)->steps;
  ess_driver_free(d);
  return r;
}

static void start(double x[N]) {
  for (int i = 0; i < N; i++) x[i] = draw_between(&seed, -1.0, 1.0);
}

/* either of them at every tolerance, and from far away in time */
TEST(they_are_as_with_time_as_a_state) {
  seed = 1;
  uint64_t crossings = 0;
  size_t compared = 0;
  for (int trial = 0; trial < 24; trial++) {
    const walls w = draw_walls();
    double x0[N];
    start(x0);
    for (int tight = 0; tight < 2; tight++)
      for (int way = 1; way >= -1; way -= 2) {
        ess_options options = ess_options_default();
        options.rtol = tight ? 1e-12 : 1e-7;
        options.atol = tight ? 1e-13 : 1e-9;
        const double t0 = trial % 3 ? 0.0 : 100.0, t1 = t0 + way * 6.0;
        const result truth = run(w, CLOCK, x0, t0, t1, options, true);
        for (given how = CLOCK + 1; how < HOWS; how++) {
          const result r = run(w, how, x0, t0, t1, options, true);
          assert_int_equal(r.status, truth.status);
          if (r.status) continue;
          assert_int_equal(r.crossings, truth.crossings);
          // a crossing that is all but a graze turns the smallest differences into large ones
          double size = 1.0;
          for (int i = 0; i < N * N; i++) size = fmax(size, fabs(truth.D[i]));
          const double far = toy_apart(r.x, truth.x, N) / size;
          const double derivative = toy_apart(r.D, truth.D, N * N) / (size * size);
          if (!(far <= (tight ? 1e-10 : 1e-5) && derivative <= (tight ? 1e-6 : 1e-2)))
            fail_msg("trial %d way %d how %d: %g, %g, %g", trial, way, how, far, derivative, size);
          compared++;
        }
        crossings += truth.crossings;
      }
  }
  assert_true(crossings > 400 && compared > 280);
}

TEST(projections_reach_them) {
  seed = 5;
  for (int trial = 0; trial < 30; trial++) {
    const walls w = draw_walls();
    double x0[N];
    start(x0);
    ess_options options = ess_options_paper();
    options.epsilon = 1e-4;
    const result truth = run(w, CLOCK, x0, 0.0, 5.0, options, false);
    for (given how = CLOCK + 1; how < HOWS; how++) {
      const result r = run(w, how, x0, 0.0, 5.0, options, false);
      assert_int_equal(r.status, truth.status);
      if (!r.status) assert_true(toy_apart(r.x, truth.x, N) <= 1e-6);
    }
  }
}

TEST(tables_that_move_throw) {
  seed = 9;
  uint64_t crossings = 0;
  for (int trial = 0; trial < 40; trial++) {
    walls w = draw_walls();
    w.bounces = true;
    // one table a ball: the third is far below
    w.level[2] = -1e3;
    const double x0[N] = {draw_between(&seed, 2.0, 3.0), 0.0, draw_between(&seed, 2.0, 3.0), 0.0};
    const ess_options options = toy_options(1e-11);
    const result truth = run(w, CLOCK, x0, 0.0, 4.0, options, true);
    for (given how = CLOCK + 1; how < HOWS; how++) {
      const result r = run(w, how, x0, 0.0, 4.0, options, true);
      assert_int_equal(r.status, truth.status);
      if (r.status) continue;
      assert_int_equal(r.crossings, truth.crossings);
      assert_true(toy_apart(r.x, truth.x, N) <= 1e-8);
      double size = 1.0;
      for (int i = 0; i < N * N; i++) size = fmax(size, fabs(truth.D[i]));
      assert_true(toy_apart(r.D, truth.D, N * N) <= 1e-4 * size);
    }
    crossings += truth.crossings;
  }
  assert_true(crossings > 40);
}

/* ---- a guard that moves alone ---------------------------------------------------------------- */

/* x' = sign, and the sign is that of time alone */
FIELD(by_sign) {
  dxdt[0] = sign[0] > 0.0 ? 1.0 : 0.0;
}

GUARDS(past_start) {
  h[0] = t - *(const double *)params;
}

GUARD_RATES_CODE(no_rates) {
  rate[0] = 0.0;
  return past_start(t, x, h, params);
}

static int one(double t, const double x[], double ht[], void *params) {
  ht[0] = *(const double *)params > 1e300 ? NAN : 1.0;
  return 0;
}

TEST(time_alone_crosses) {
  for (int kind = 0; kind < 3; kind++)
    for (double t0 = 0.0; t0 <= 1e6; t0 += 5e5) {
      double switched = t0 + 1.234375, x[1] = {0.0};
      const ess_system system = {.dimension = 1,
                                 .guard_count = 1,
                                 .field = by_sign,
                                 .guards = past_start,
                                 .guard_rates = kind == 1 ? NULL : no_rates,
                                 .guards_move = true,
                                 .guard_time_rates = kind == 2 ? one : NULL,
                                 .params = &switched};
      const ess_options options = ess_options_default();
      const toy_end end = toy_succeeds(&system, &options, t0, t0 + 3.0, x);
      assert_int_equal(end.counters.crossings, 1);
      assert_true(fabs(x[0] - 1.765625) < 1e-7);
    }
}

/* one that moves and does not say so is told of, or is right */
TEST(what_is_not_declared_is_never_silently_wrong) {
  double switched = 1.25, x[1] = {0.0};
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = by_sign,
                             .guards = past_start,
                             .guard_rates = no_rates,
                             .params = &switched};
  const ess_options options = ess_options_default();
  const int status = toy_run(&system, &options, 0.0, 3.0, x).status;
  assert_true(status == ESS_EJACOBIAN || (!status && fabs(x[0] - 1.75) < 1e-6));
  seed = 77;
  for (int trial = 0; trial < 100; trial++) {
    walls w = draw_walls();
    double x0[N], y[N];
    start(x0);
    memcpy(y, x0, sizeof y);
    const result truth = run(w, CLOCK, x0, 0.0, 6.0, options, false);
    ess_system hidden = system_of(&w, RATES);
    hidden.guards_move = false;
    hidden.guard_time_rates = NULL;
    const int ended = toy_run(&hidden, &options, 0.0, 6.0, y).status;
    if (!(ended == ESS_EJACOBIAN || truth.status || (!ended && toy_apart(y, truth.x, N) < 1e-5)))
      fail_msg("hidden %d: %g", trial, toy_apart(y, truth.x, N));
  }
}

/* x' = 1 from 0, and an event function with a kink there, whose rates are differences that are
 * wider than the first steps */
static double kinked(double x) {
  return fabs(x) + x * x * x - 0.5;
}

GUARDS(kinked_guard) {
  h[0] = kinked(x[0]);
}

GUARD_RATES_CODE(wide_rates) {
  const double *const width = params;
  rate[0] = v[0] * (kinked(x[0] + *width) - kinked(x[0] - *width)) / (2.0 * *width);
  return kinked_guard(t, x, h, params);
}

TEST(a_wide_difference_beside_a_kink_is_believed) {
  for (double width = 1e-3; width > 1e-9; width *= 0.1) {
    double x[1] = {0.1 * width};
    const ess_system system = {.dimension = 1,
                               .guard_count = 1,
                               .field = toy_clock,
                               .guards = kinked_guard,
                               .guard_rates = wide_rates,
                               .params = &width};
    const ess_options options = ess_options_default();
    const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
    assert_true(end.counters.crossings == 1);
  }
}

TEST(a_partial_that_is_no_number_is_told_of) {
  double never = 2e300, x[1] = {0.0};
  const ess_system system = {.dimension = 1,
                             .guard_count = 1,
                             .field = by_sign,
                             .guards = past_start,
                             .guard_rates = no_rates,
                             .guard_time_rates = one,
                             .params = &never};
  const ess_options options = ess_options_default();
  assert_int_equal(toy_run(&system, &options, 0.0, 3.0, x).status, ESS_EGUARD);
}

/* a pendulum thrown from a table that shakes, in any unit of time */
typedef struct shaken {
  double unit; /* of time, in seconds */
} shaken;

FIELD(swing) {
  const double unit = ((const shaken *)params)->unit;
  dxdt[0] = x[1] * unit;
  dxdt[1] = -9.81 * cos(x[0]) * unit;
}

GUARDS(above_table) {
  h[0] = x[0] - 0.05 * sin(40.0 * t * ((const shaken *)params)->unit);
}

IMPACT_MAP(off_table) {
  const double table = 2.0 * cos(40.0 * impact->t * ((const shaken *)params)->unit);
  impact->after[1] = table - 0.7 * (impact->x[1] - table);
  impact->mode[0] = 1.0;
  impact->armed[ESS_GUARD_UP(0)] = false;
  impact->armed[ESS_GUARD_DOWN(0)] = true;
}

static int off_table_jacobian(const ess_impact *impact, double DR[], void *params) {
  const double by_state[] = {1.0, 0.0, 0.0, -0.7};
  memcpy(DR, by_state, sizeof by_state);
  return 0;
}

/* the derivative after 1.2 s; by the caller's Jacobian of the map, or by differences */
static void shake(double unit, bool by_caller, double v[]) {
  static const bool down[] = {[ESS_GUARD_DOWN(0)] = true, [ESS_GUARD_UP(0)] = false};
  shaken table = {.unit = unit};
  const ess_impacts impacts = {
      .at = down, .map = off_table, .jacobian = by_caller ? off_table_jacobian : NULL};
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = swing,
                             .guards = above_table,
                             .guards_move = true,
                             .impacts = &impacts,
                             .params = &table};
  const ess_options options = toy_options(1e-9);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  double x[] = {0.2, 3.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.2 / unit, x), ESS_SUCCESS);
  assert_true(ess_driver_counters(d)->impacts > 0);
  memcpy(v, ess_driver_tangent(d), 4 * sizeof *v);
  ess_driver_free(d);
}

TEST(the_unit_of_time_does_not_matter) {
  for (int by_caller = 0; by_caller < 2; by_caller++) {
    double known[4], v[4], most = 0.0;
    shake(1.0, by_caller, known);
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(known[i]));
    for (int power = -9; power <= 9; power++) {
      shake(pow(10.0, power), by_caller, v);
      for (int i = 0; i < 4; i++) assert_true(fabs(v[i] - known[i]) < 2e-5 * most);
    }
  }
}

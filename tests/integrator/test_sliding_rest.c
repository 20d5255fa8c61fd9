/*
 * Impacts that end in rest: the state slides on the guard from there on, and leaves where the guard
 * would have to pull.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "draws.h"
#include "ess_tangents.h"
#include "slide_log.h"

static const double G = TOY_GRAVITY;

static ess_options resting(double tolerance, slides *log) {
  ess_options options = sliding(tolerance, log);
  log->most = SLIDES_MOST;
  options.rest = true;
  return options;
}

/* ---- a ball on a table that moves ------------------------------------------------------------ */

/* the table is at a sin(w t); x = (height, speed) */
typedef struct table {
  double a, w, e;
} table;

GUARDS(table_guards) {
  const table *const p = params;
  h[0] = x[0] - p->a * sin(p->w * t);
}

IMPACT_MAP_CODE(bounce) {
  const table *const p = params;
  const double speed = p->a * p->w * cos(p->w * impact->t);
  impact->after[1] = speed - p->e * (impact->x[1] - speed);
  return toy_stays(impact, 0);
}

static int table_rates(double t, const double x[], double ht[], void *params) {
  const table *const p = params;
  ht[0] = -p->a * p->w * cos(p->w * t);
  return 0;
}

static const ess_impacts bounces = {.map = bounce};

static ess_system table_system(table *p) {
  return (ess_system){.dimension = 2,
                      .guard_count = 1,
                      .field = toy_fall_field,
                      .guards = table_guards,
                      .guard_jacobian = toy_fall_jacobian,
                      .guard_time_rates = table_rates,
                      .impacts = &bounces,
                      .params = p};
}

TEST(a_ball_stays_on_a_table_until_that_falls_faster) {
  for (int e = 0; e < 2; e++)
    for (double tolerance = 1e-4; tolerance > 5e-12; tolerance *= 0.1) {
      slides log;
      table p = {0.1, 12.0, 0.5 * e};
      const ess_options options = resting(tolerance, &log);
      const ess_system system = table_system(&p);
      // it leaves where a w^2 sin w t = g, which is after it has come to rest
      const double leaves = asin(G / (p.a * p.w * p.w)) / p.w;
      const double speed = p.a * p.w * cos(p.w * leaves), since = 0.05;
      double x[] = {1e-4, p.a * p.w};
      toy_succeeds(&system, &options, 0.0, leaves + since, x);
      const double height = G / (p.w * p.w) + speed * since - 0.5 * G * since * since;
      assert_int_equal(log.count, 2);
      assert_true(log.begins[0] == 1 && log.begins[1] == -1 && log.time[0] < 0.02);
      assert_true(fabs(log.time[1] - leaves) <= 1e-9);
      assert_true(fabs(x[0] - height) <= tolerance && fabs(x[1] - speed + G * since) <= tolerance);
    }
}

/* a ball that lies on the table at the start, from one side or where both are impacts; or off by
 * rounding */
TEST(what_lies_there_at_the_start_stays) {
  static const bool down[] = {false, true};
  for (int i = 0; i < 24; i++) {
    slides log;
    table p = {i % 3 ? 0.1 : 0.0, 12.0, i / 6 % 2 ? 0.0 : 0.5};
    const ess_impacts impacts = {.map = bounce, .at = i % 2 ? down : NULL};
    ess_system system = table_system(&p);
    system.impacts = &impacts;
    system.guards_move = true;
    const ess_options options = resting(1e-10, &log);
    // in its middle, or on its way up
    const double start = i % 3 == 2 ? 0.02 : 0.0, speed = p.a * p.w * cos(p.w * start);
    const double leaves = asin(G / (0.1 * p.w * p.w)) / p.w, since = 0.05;
    double x[] = {p.a * sin(p.w * start), speed};
    for (size_t l = 0; i >= 12 && l < 2; l++) x[l] += 2.0 * DBL_EPSILON * x[l];
    toy_succeeds(&system, &options, start, leaves + since, x);
    assert_true(log.begins[0] == 1 && log.time[0] == start);
    const double left = p.a * p.w * cos(p.w * leaves);
    const double height =
        p.a > 0.0 ? G / (p.w * p.w) + left * since - 0.5 * G * since * since : 0.0;
    assert_int_equal(log.count, p.a > 0.0 ? 2 : 1);
    if (p.a > 0.0) assert_true(log.begins[1] == -1 && fabs(log.time[1] - leaves) <= 1e-9);
    assert_true(fabs(x[0] - height) <= 1e-10);
    assert_true(fabs(x[1] - (p.a > 0.0 ? left - G * since : 0.0)) <= 1e-9);
  }
}

/* it lies above the table, though rounding may say that it is below */
static int begin_above(double t, const double x[], double sign[], bool armed[], void *params) {
  sign[0] = 1.0;
  armed[ESS_GUARD_DOWN(0)] = true;
  armed[ESS_GUARD_UP(0)] = false;
  return 0;
}

/* stopped where it begins to lie there, at the start, and again where it leaves */
TEST(what_is_stopped_at_the_start_goes_on) {
  static const bool down[] = {false, true};
  static const ess_impacts impacts = {.map = bounce, .at = down, .start = begin_above};
  table p = {0.1, 12.0, 0.5};
  ess_system system = table_system(&p);
  system.impacts = &impacts;
  system.guards_move = true;
  slides log;
  ess_options options = resting(1e-10, &log);
  log.stop_at = 1;
  const double leaves = asin(G / (p.a * p.w * p.w)) / p.w;
  const double start = 0.02, place = p.a * sin(p.w * start);
  double t = start, x[] = {place * (1.0 - 2.0 * DBL_EPSILON), p.a * p.w * cos(p.w * start)};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_apply(d, &t, 0.1, x), ESS_ESTOP);
  assert_true(t == start && log.count == 1);
  log.stop_at = 2;
  assert_int_equal(ess_driver_apply(d, &t, 0.1, x), ESS_ESTOP);
  assert_true(log.begins[1] == -1 && fabs(t - leaves) <= 1e-9);
  ess_driver_free(d);
}

/* ---- systems that say less ------------------------------------------------------------------- */

/* a floor at this height, whose map puts the ball onto it, or lets it be where it is */
typedef struct ground {
  double height, e;
  bool puts;
} ground;

GUARDS(ground_guards) {
  h[0] = x[0] - AS(ground)->height;
}

IMPACT_MAP(ground_bounce) {
  const ground *const p = params;
  if (p->puts) impact->after[0] = p->height;
  impact->after[1] = -p->e * impact->x[1];
  toy_stays(impact, 0);
}

static const bool down_alone[] = {false, true};

/* the event functions move, as far as the system says; they are known by their values alone */
TEST(a_ball_comes_to_rest_on_any_floor) {
  static const ess_impacts impacts = {.map = ground_bounce, .at = down_alone};
  for (int i = 0; i < 3 * 4 * 2; i++)
    for (double tolerance = 1e-3; tolerance > 0.5e-11; tolerance *= 0.1) {
      slides log;
      ground p = {i % 4 == 0 ? 0.0 : 0.35 * (i % 4), 0.15 + 0.35 * (i / 4 % 3), i / 12};
      const ess_system system = {.dimension = 2,
                                 .guard_count = 1,
                                 .field = toy_fall_field,
                                 .guards = ground_guards,
                                 .guards_move = true,
                                 .impacts = &impacts,
                                 .params = &p};
      ess_options options = resting(tolerance, &log);
      options.atol = 0.1 * tolerance;
      double x[] = {p.height + 0.8, 0.0};
      const toy_end end = toy_run(&system, &options, 0.0, 12.0, x);
      const bool is_still = fabs(x[0] - p.height) <= tolerance && fabs(x[1]) <= tolerance;
      if (end.status || log.count != 1 || !is_still)
        fail_msg("floor at %g, e %g, puts %d, tolerance %g: %s at %g, %zu slides, off by %g, %g",
                 p.height, p.e, p.puts, tolerance, ess_strerror(end.status), end.t, log.count,
                 x[0] - p.height, x[1]);
    }
}

/* a ball that lies on a table which never falls faster than it, its rates told by differences */
TEST(a_table_needs_no_derivatives) {
  static const ess_impacts impacts = {.map = bounce, .at = down_alone};
  for (int i = 0; i < 6 * 8; i++)
    for (double tolerance = 1e-3; tolerance > 0.5e-9; tolerance *= 0.1) {
      slides log;
      table p = {.w = 0.7 + 1.1 * (i % 6), .e = 0.45};
      p.a = (0.08 + 0.11 * (i / 6)) * G / (p.w * p.w);
      ess_system system = table_system(&p);
      system.guard_jacobian = NULL;
      system.guard_time_rates = NULL;
      system.guards_move = true;
      system.impacts = &impacts;
      const ess_options options = resting(tolerance, &log);
      double x[] = {0.0, p.a * p.w};
      const double end = 15.0 / p.w, place = p.a * sin(15.0), speed = p.a * p.w * cos(15.0);
      const toy_end run = toy_run(&system, &options, 0.0, end, x);
      const double off = fabs(x[0] - place) + fabs(x[1] - speed);
      if (run.status || off > 10.0 * tolerance * (1.0 + p.a))
        fail_msg("a %g, w %g, tolerance %g: %s at %g, off by %g", p.a, p.w, tolerance,
                 ess_strerror(run.status), run.t, off);
    }
}

/* ---- lifted by a load ------------------------------------------------------------------------ */

/* x = (height, speed); the load is -1 + a sin(w t) */
FIELD(load_field) {
  const table *const p = params;
  dxdt[0] = x[1];
  dxdt[1] = -1.0 + p->a * sin(p->w * t);
}

IMPACT_MAP(load_bounce) {
  impact->after[1] = -AS(table)->e * impact->x[1];
  toy_stays(impact, 0);
}

/* steps of other bases err by more where the ball leaves, by the cube of time */
TEST(every_base_lifts_it) {
  static const ess_impacts impacts = {.map = load_bounce, .at = down_alone};
  for (int i = 0; i < 4 * 24; i++)
    for (double tolerance = 1e-3; tolerance > 0.5e-8; tolerance *= 0.1) {
      slides log;
      table p = {1.05 + 0.09 * (i / 4 % 6), 0.5 + 0.8 * (i / 24), 0.4};
      const ess_system system = {.dimension = 2,
                                 .guard_count = 1,
                                 .field = load_field,
                                 .guards = toy_fall_guards,
                                 .guard_jacobian = toy_fall_jacobian,
                                 .impacts = &impacts,
                                 .params = &p};
      ess_options options = resting(tolerance, &log);
      options.base = (ess_base)(i % 4);
      options.max_steps = 20000;
      double x[] = {0.0, 0.0};
      const double leaves = asin(1.0 / p.a) / p.w;
      const toy_end end = toy_run(&system, &options, 0.0, 13.0 / p.w, x);
      if (end.status || log.count < 2 || !(fabs(log.time[1] - leaves) <= 1e-6))
        fail_msg("base %d, a %g, w %g, tolerance %g: %s at %g", i % 4, p.a, p.w, tolerance,
                 ess_strerror(end.status), end.t);
    }
}

/* where it is not asked for it is a graze, and so is what is pushed through a map that lets it */
TEST(what_may_not_rest_grazes) {
  slides log;
  table p = {0.0, 1.0, 0.5};
  ess_system system = table_system(&p);
  ess_options options = resting(1e-8, &log);
  double x[] = {0.0, 0.0};
  options.rest = false;
  assert_int_equal(toy_run(&system, &options, 0.0, 1.0, x).status, ESS_EGRAZING);
}

/* balls thrown at random onto tables at random, with slides and flights in between */
TEST(rides_are_the_same_at_a_smaller_tolerance) {
  static const bool down[] = {false, true};
  enum { RIDES = 300 };
  uint64_t random = 20261126;
  size_t ended = 0, differ = 0;
  for (int i = 0; i < RIDES; i++) {
    slides log;
    table p = {.a = 0.02 + 0.2 * draw(&random), .w = 3.0 + 15.0 * draw(&random)};
    p.e = fmax(0.0, 1.1 * draw(&random) - 0.2);
    const ess_impacts impacts = {.map = bounce, .at = down};
    ess_system system = table_system(&p);
    system.impacts = &impacts;
    system.guards_move = true;
    const double height = 0.5 * draw(&random), speed = 2.0 * draw(&random) - 1.0;
    double x[2][2];
    int status[2];
    for (int j = 0; j < 2; j++) {
      ess_options options = resting(j ? 1e-11 : 1e-8, &log);
      options.max_steps = 20000;
      x[j][0] = height;
      x[j][1] = speed;
      status[j] = toy_run(&system, &options, 0.0, 4.0, x[j]).status;
      assert_true(status[j] == ESS_SUCCESS || status[j] == ESS_EGRAZING);
    }
    if (status[0] || status[1])
      ended++;
    else
      differ += fabs(x[0][0] - x[1][0]) + fabs(x[0][1] - x[1][1]) > 1e-5;
  }
  print_message("of %d rides %zu end early, %zu differ\n", RIDES, ended, differ);
  assert_true(ended <= 3 && differ <= 3);
}

/* thrown up, landing, bouncing and at rest again, time after time */
TEST(it_comes_back_to_rest) {
  slides log[2];
  double x[2][2];
  table p = {0.1, 12.0, 0.3};
  const ess_system system = table_system(&p);
  for (int i = 0; i < 2; i++) {
    const ess_options options = resting(i ? 1e-11 : 1e-8, &log[i]);
    x[i][0] = 0.02;
    x[i][1] = 0.0;
    toy_succeeds(&system, &options, 0.0, 4.0, x[i]);
  }
  assert_true(log[0].count >= 10 && log[0].count == log[1].count);
  for (size_t i = 0; i < log[0].count; i++) {
    assert_true(log[0].begins[i] == (i % 2 ? -1 : 1));
    assert_true(fabs(log[0].time[i] - log[1].time[i]) < (i % 2 ? 1e-8 : 1e-6));
    const double turns = p.w * log[0].time[i] / (2.0 * M_PI);
    const double leaves = asin(G / (p.a * p.w * p.w)) / (2.0 * M_PI);
    if (i % 2) assert_true(fabs(turns - floor(turns) - leaves) < 1e-7);
  }
  assert_true(fabs(x[0][0] - x[1][0]) < 1e-7 && fabs(x[0][1] - x[1][1]) < 1e-6);
}

TEST(without_it_impacts_accumulate) {
  slides log;
  table p = {0.1, 12.0, 0.5};
  const ess_system system = table_system(&p);
  ess_options options = resting(1e-8, &log);
  options.rest = false;
  double x[] = {1e-4, p.a * p.w};
  const toy_end end = toy_run(&system, &options, 0.0, 0.2, x);
  assert_int_equal(end.status, ESS_EZENO);
  assert_true(fabs(end.failure.time - 0.0148117) < 1e-5);
  // so it is where directions are followed
  options.rest = true;
  double t = 0.0, y[] = {1e-4, p.a * p.w};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 0.2, y), ESS_EZENO);
  ess_driver_free(d);
  options.sliding = ESS_SLIDING_NONE;
  assert_string_equal(ess_check(&system, &options), "rest needs ESS_SLIDING_FILIPPOV");
}

/* a map that does not send back what comes to it: an impact of it is its last */
IMPACT_MAP_CODE(let_through) {
  const int code = bounce(impact, params);
  if (fabs(impact->x[1]) > 0.005) return code;
  impact->mode[0] = -impact->sign[0];
  impact->armed[ESS_GUARD_UP(0)] = impact->armed[ESS_GUARD_DOWN(0)] = false;
  return code;
}

TEST(what_is_not_sent_back_does_not_rest) {
  static const ess_impacts lets = {.map = let_through};
  slides log;
  table p = {0.0, 1.0, 0.5};
  ess_system system = table_system(&p);
  system.impacts = &lets;
  const ess_options options = resting(1e-8, &log);
  double x[] = {0.1, 0.0};
  const int status = toy_run(&system, &options, 0.0, 2.0, x).status;
  assert_true(log.count == 0 && (status == ESS_SUCCESS ? x[0] < -0.1 : status == ESS_EZENO));
}

/* ---- two balls on a table, one above the other ----------------------------------------------- */

/* x = (y0, y1, v0, v1) */
typedef struct stack {
  double e, ratio; /* the upper's mass over the lower's */
} stack;

FIELD(stack_field) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = dxdt[3] = -G;
}

PLANES(stack, 4, (x[0], x[1] - x[0]), (0.0, 0.0));

/* one after the other, the upper first */
IMPACT_MAP(stack_bounce) {
  const stack *const p = params;
  double *const v = impact->after + 2;
  for (size_t i = impact->count; i-- > 0;) {
    const size_t k = impact->events[i];
    if (k == 0 && v[0] < 0.0) v[0] = -p->e * v[0];
    if (k == 1 && v[1] < v[0]) {
      const double push = (1.0 + p->e) * (v[0] - v[1]) / (1.0 + p->ratio);
      v[0] -= p->ratio * push;
      v[1] += push;
    }
    toy_stays(impact, k);
  }
}

static ess_system stack_system(stack *p) {
  static const bool down[] = {false, true, false, true};
  static const ess_impacts impacts = {.map = stack_bounce, .at = down};
  return (ess_system){
      .dimension = 4, .guard_count = 2, OF_JACOBIAN(stack), .impacts = &impacts, .params = p};
}

/* falling both; the upper on the lower, which lies; and lying both. Bounces are passed on from one
 * to the other, many at an instant. */
TEST(a_stack_comes_to_rest) {
  size_t rested[3] = {0};
  for (int i = 0; i < 360; i++) {
    slides log;
    const int kind = i % 3, j = i / 3;
    stack p = {0.02 * (j % 20), j < 60 ? 0.3 : 2.0};
    ess_options options = resting(1e-8, &log);
    options.max_steps = 20000; // what lies there takes long steps
    const ess_system system = stack_system(&p);
    double x[] = {kind ? 0.0 : 0.1 + 0.003 * j, kind < 2 ? 0.5 + 0.001 * j : 0.0, 0.0,
                  kind < 2 ? -0.01 * j : 0.0};
    const toy_end end = toy_run(&system, &options, 0.0, 5.0, x);
    assert_true(end.status == ESS_SUCCESS || end.status == ESS_EZENO || end.status == ESS_ECHATTER);
    if (end.status) continue;
    rested[kind]++;
    for (size_t l = 0; l < 4; l++) assert_true(fabs(x[l]) < 1e-7);
  }
  print_message("%zu, %zu and %zu of 120 stacks rest\n", rested[0], rested[1], rested[2]);
  assert_true(rested[0] >= 115 && rested[1] >= 112 && rested[2] == 120);
}

/* ---- a rod that lands on its ends ------------------------------------------------------------ */

/* x = (height of the middle, angle, their rates); params: its inertia, and e */
PLANES(rod, 4, (x[0] - x[1], x[0] + x[1]), (0.0, 0.0));

FIELD(rod_field) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = -G;
  dxdt[3] = 0.0;
}

IMPACT_MAP(rod_bounce) {
  const stack *const p = params;
  double *const v = impact->after + 2;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const double arm = k ? 1.0 : -1.0, speed = v[0] + arm * v[1];
    const double push = speed < 0.0 ? -(1.0 + p->e) * speed / (1.0 + 1.0 / p->ratio) : 0.0;
    v[0] += push;
    v[1] += arm * push / p->ratio;
    toy_stays(impact, k);
  }
}

/* one end rests while the other lands, is lifted by that, or not: it is at rest, or a status says
 * that impacts are met at no rate, or accumulate */
TEST(a_rod_rests_or_says_why_not) {
  static const ess_impacts impacts = {.map = rod_bounce};
  size_t rested = 0;
  for (int i = 0; i < 40; i++) {
    slides log;
    stack p = {0.04 * (i % 20), i < 20 ? 0.5 : 1.0 + 0.1 * (i - 20)};
    const ess_options options = resting(1e-8, &log);
    const ess_system system = {
        .dimension = 4, .guard_count = 2, OF_JACOBIAN(rod), .impacts = &impacts, .params = &p};
    double x[] = {0.1 + 0.001 * i, 0.02 * (i % 7 - 3) + 0.001, 0.0, 0.05 * (i % 5 - 2)};
    const int status = toy_run(&system, &options, 0.0, 6.0, x).status;
    assert_true(status == ESS_SUCCESS || status == ESS_EGRAZING || status == ESS_EZENO ||
                status == ESS_ECHATTER);
    for (size_t l = 0; !status && l < 4; l++) assert_true(fabs(x[l]) < 1e-6);
    rested += !status;
  }
  assert_true(rested >= 1);
}

/* ---- two balls that have nothing to do with each other --------------------------------------- */

GUARDS(side_guards) {
  const table *const p = params;
  h[0] = x[0] - p->a * sin(p->w * t);
  h[1] = x[1] - p->a * sin(p->w * t);
}

GUARD_JACOBIAN(side_jacobian) {
  static const double rows[] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  memcpy(Dh, rows, sizeof rows);
}

static int side_rates(double t, const double x[], double ht[], void *params) {
  (void)table_rates(t, x, ht, params);
  ht[1] = ht[0];
  return 0;
}

IMPACT_MAP(side_bounce) {
  const table *const p = params;
  const double speed = p->a * p->w * cos(p->w * impact->t);
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    impact->after[2 + k] = speed - (k ? 0.7 : p->e) * (impact->x[2 + k] - speed);
    toy_stays(impact, k);
  }
}

/* one comes to rest first and stays so under the other's impacts; both leave together */
TEST(balls_side_by_side) {
  static const ess_impacts impacts = {.map = side_bounce};
  slides log;
  table p = {0.1, 12.0, 0.3};
  const ess_options options = resting(1e-9, &log);
  const ess_system system = {.dimension = 4,
                             .guard_count = 2,
                             .field = stack_field,
                             .guards = side_guards,
                             .guard_jacobian = side_jacobian,
                             .guard_time_rates = side_rates,
                             .impacts = &impacts,
                             .params = &p};
  double x[] = {1e-5, 2e-5, p.a * p.w, p.a * p.w};
  const double leaves = asin(G / (p.a * p.w * p.w)) / p.w, since = 0.05;
  const double speed = p.a * p.w * cos(p.w * leaves);
  toy_succeeds(&system, &options, 0.0, leaves + since, x);
  assert_int_equal(log.count, 4);
  assert_true(log.guard[0] == 0 && log.guard[1] == 1 && log.begins[1] == 1);
  for (size_t k = 0; k < 2; k++) {
    assert_true(log.begins[2 + k] == -1 && fabs(log.time[2 + k] - leaves) < 1e-9);
    assert_true(fabs(x[2 + k] - speed + G * since) < 1e-9);
    assert_true(fabs(x[k] - G / (p.w * p.w) - speed * since + 0.5 * G * since * since) < 1e-9);
  }
}

/* ---- a ball in a V --------------------------------------------------------------------------- */

/* planes y = slope x and y = -slope x, by index; x = (x, y, vx, vy). The map may put the ball onto
 * the plane that it meets, which takes it off the other. */
typedef struct wedge {
  double slope[2], e;
  bool puts;
} wedge;

FIELD(wedge_field) {
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = 0.0;
  dxdt[3] = -G;
}

GUARDS(wedge_guards) {
  const wedge *const p = params;
  h[0] = x[1] - p->slope[0] * x[0];
  h[1] = x[1] + p->slope[1] * x[0];
}

IMPACT_MAP(wedge_bounce) {
  const wedge *const p = params;
  double *const after = impact->after;
  for (size_t i = 0; i < impact->count; i++) {
    const size_t k = impact->events[i];
    const double slope = k ? p->slope[1] : -p->slope[0], whole = 1.0 + slope * slope;
    const double off = p->puts ? (after[1] + slope * after[0]) / whole : 0.0;
    const double speed = fmin(after[3] + slope * after[2], 0.0) / whole;
    after[0] -= off * slope;
    after[1] -= off;
    after[2] -= (1.0 + p->e) * speed * slope;
    after[3] -= (1.0 + p->e) * speed;
    toy_stays_above(impact, k);
  }
}

/* it rests on one plane, slides into the other, and so on, ever less: at the end it is at the
 * vertex
 */
TEST(a_ball_comes_to_rest_in_a_v) {
  static const bool down[] = {false, true, false, true};
  static const ess_impacts impacts = {.map = wedge_bounce, .at = down};
  enum { BALLS = 600 };
  uint64_t random = 20261129;
  size_t accumulate = 0;
  for (int i = 0; i < BALLS; i++) {
    slides log;
    wedge p = {.puts = i % 4 > 0};
    for (size_t k = 0; k < 2; k++) p.slope[k] = draw_between(&random, 0.8, 3.0);
    if (i % 3 == 0) p.slope[1] = p.slope[0];
    p.e = i % 5 ? draw_between(&random, 0.0, 0.75) : 0.0;
    const double tolerance = pow(10.0, -draw_between(&random, 3.0, 9.0));
    const ess_system system = {
        .dimension = 4, .guard_count = 2, OF(wedge), .impacts = &impacts, .params = &p};
    ess_options options = resting(tolerance, &log);
    options.max_steps = 20000;
    double x[] = {draw_between(&random, -0.3, 0.3), 1.0, 0.0, 0.0};
    const toy_end end = toy_run(&system, &options, 0.0, 30.0, x);
    accumulate += end.status == ESS_EZENO;
    double off = 0.0;
    for (size_t l = 0; l < 4; l++) off = fmax(fabs(x[l]), off);
    if (end.status != ESS_EZENO && (end.status || off > 100.0 * tolerance))
      fail_msg("%d: slopes %g and %g, e %g, tolerance %g: %s at %g, off by %g", i, p.slope[0],
               p.slope[1], p.e, tolerance, ess_strerror(end.status), end.t, off);
  }
  assert_true(accumulate <= BALLS / 100);
}

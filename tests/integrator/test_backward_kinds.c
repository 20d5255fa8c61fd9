/*
 * Time that goes backward with impacts, stabilised steps, the paper's method and event functions of
 * time: there and back, against closed forms, or differences of whole runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "ess_tangents.h"
#include "toy.h"

/* ---- impacts: a ball that loses speed, and backward gains it --------------------------------- */

IMPACT_MAP_CODE(bounce) {
  const double returned = *(const double *)params, v = impact->x[1];
  impact->after[0] = 0.0;
  impact->after[1] = v < 0.0 ? -returned * v : -v / returned;
  return toy_stays_above(impact, 0);
}

/* dropped from 1 m: height and velocity after `bounces` */
static void ball_at(double t, double returned, int bounces, double x[2]) {
  const double g = TOY_GRAVITY;
  double v = sqrt(2.0 * g), since = t - v / g;
  for (int i = 0; i < bounces; i++) {
    v *= returned;
    if (i + 1 < bounces) since -= 2.0 * v / g;
  }
  x[0] = bounces ? v * since - 0.5 * g * since * since : 1.0 - 0.5 * g * t * t;
  x[1] = bounces ? v - g * since : -g * t;
}

TEST(impacts_are_undone) {
  static const double returns[] = {1.0, 0.8};
  for (int i = 0; i < 2; i++) {
    double returned = returns[i];
    const ess_impacts impacts = {.map = bounce};
    const ess_system system = {.dimension = 2,
                               .guard_count = 1,
                               OF_JACOBIAN(toy_fall),
                               .impacts = &impacts,
                               .params = &returned};
    const ess_options options = toy_options(1e-11);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
    double t = 0.0, x[2] = {1.0, 0.0}, expected[2];
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    const int bounces = (int)ess_driver_counters(d)->impacts;
    assert_true(bounces >= 2);
    ball_at(2.0, returned, bounces, expected);
    assert_true(fabs(x[0] - expected[0]) < 1e-8 && fabs(x[1] - expected[1]) < 1e-8);
    const double times[] = {1.1, 0.5, 0.2, 0.0};
    const int made[] = {1, 1, 0, 0};
    double states[8];
    assert_int_equal(ess_driver_sample(d, &t, 0.0, x, times, 4, states), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(d)->impacts, 2 * bounces);
    for (int j = 0; j < 4; j++) {
      ball_at(times[j], returned, made[j], expected);
      assert_true(fabs(states[2 * j] - expected[0]) < 1e-7);
      assert_true(fabs(states[2 * j + 1] - expected[1]) < 1e-7);
    }
    // there and back nothing has been displaced
    const double *const D = ess_driver_tangent(d);
    for (int j = 0; j < 4; j++) assert_true(fabs(D[j] - (j % 3 == 0)) < 1e-5);
    ess_driver_free(d);
  }
}

/* ---- stabilised steps: backward, a fast growth is a fast decay ------------------------------- */

FIELD(relaxes_field) {
  dxdt[0] = 200.0 * (x[0] - cos(t)) - sin(t);
  dxdt[1] = sign[0] > 0.0 ? 1.0 : -2.0;
}

PLANES(relaxes, 2, (x[0]), (0.5));

TEST(stabilised_steps_go_backward) {
  const ess_system system = {.dimension = 2, .guard_count = 1, OF(relaxes)};
  ess_options options = toy_options(1e-5);
  for (int i = 0; i < 2; i++) {
    options.base = i ? ESS_BASE_CHOSEN : ESS_BASE_RKC;
    double x[2] = {cos(6.0), 0.0};
    const toy_end end = toy_succeeds(&system, &options, 6.0, 0.0, x);
    assert_true(end.counters.stabilised > 0 && end.t == 0.0);
    // cos t > 1/2 but from pi / 3 to 5 pi / 3
    const double below = 4.0 / 3.0 * acos(-1.0);
    assert_int_equal(end.counters.crossings, 2);
    assert_true(fabs(x[0] - 1.0) < 1e-3 && fabs(x[1] - (2.0 * below - (6.0 - below))) < 1e-2);
  }
}

/* ---- the paper's method ---------------------------------------------------------------------- */

TEST(projections_go_backward) {
  toy_ball ball = {.stiffness = 400.0};
  const ess_system system = ball_system(&ball);
  for (int order = 1; order <= 2; order++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      ess_options options = ess_options_paper();
      options.rtol = options.atol = 1e-12;
      options.epsilon = i ? 1e-3 : 4e-3;
      options.order = order;
      double x[2];
      ball_exact(&ball, 1.0, 3.0, x);
      const ess_counters c = toy_succeeds(&system, &options, 3.0, 0.0, x).counters;
      assert_true(c.crossings == 2 && c.projections >= 2);
      error[i] = fmax(fabs(x[0] - 1.0), fabs(x[1]));
    }
    // a quarter of epsilon: a sixteenth, or less
    assert_true(error[0] < 1e-2 && error[1] < error[0] / 10.0);
  }
}

/* ---- event functions of time ----------------------------------------------------------------- */

/* how high a table is that swings, and what lies on it */
typedef struct table {
  double mean, size, speed;
} table;

GUARDS(beneath) {
  const table *const p = params;
  h[0] = p->mean + p->size * sin(p->speed * t) - x[0];
}

/* where a fall, forward or backward, ends on the table */
static double reach(table *p, double t1, const double x0[2], double x[2], double Dt[2],
                    double Dx[4]) {
  const ess_system system = {.dimension = 2,
                             .guard_count = 1,
                             .field = toy_fall_field,
                             .guards = beneath,
                             .guards_move = true,
                             .params = p};
  ess_options options = toy_options(1e-12);
  options.observer.crossing = toy_stop;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  if (Dt) assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  double t = 0.0;
  memcpy(x, x0, 2 * sizeof *x);
  assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_ESTOP);
  if (Dt) assert_int_equal(ess_driver_section(d, 0, Dt, Dx), ESS_SUCCESS);
  ess_driver_free(d);
  return t;
}

TEST(sections_of_moving_guards_are_derivatives) {
  table p = {.mean = 0.2, .size = 0.1, .speed = 9.0};
  for (int way = -1; way <= 1; way += 2) {
    const double x0[2] = {1.0, 0.5 * way};
    double x[2], Dt[2], Dx[4];
    reach(&p, 3.0 * way, x0, x, Dt, Dx);
    for (int j = 0; j < 2; j++) {
      const double by = 1e-5;
      double aside[2] = {x0[0], x0[1]}, above[2], below[2];
      aside[j] = x0[j] + by;
      const double after = reach(&p, 3.0 * way, aside, above, NULL, NULL);
      aside[j] = x0[j] - by;
      const double before = reach(&p, 3.0 * way, aside, below, NULL, NULL);
      assert_true(fabs(Dt[j] - (after - before) / (2.0 * by)) < 1e-5);
      for (int i = 0; i < 2; i++)
        assert_true(fabs(Dx[2 * i + j] - (above[i] - below[i]) / (2.0 * by)) < 1e-4);
    }
  }
}

FIELD(still) {
  dxdt[0] = 0.0;
  dxdt[1] = sign[0] > 0.0 ? 1.0 : 0.0;
}

/* a guard that touches a state at rest, and leaves: not at all, or twice, by how deep it comes; the
 * other state is how long it has been there */
TEST(moving_guards_touch_and_leave) {
  static const double depths[] = {-1e-3, -1e-5, 1e-5, 1e-3, 0.1};
  for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
    for (int way = -1; way <= 1; way += 2) {
      // the top, at t = 1.5, is so much above the state
      table p = {.mean = depths[i] - 1.0, .size = 1.0, .speed = acos(-1.0) / 3.0};
      const ess_system system = {.dimension = 2,
                                 .guard_count = 1,
                                 .field = still,
                                 .guards = beneath,
                                 .guards_move = true,
                                 .params = &p};
      const ess_options options = ess_options_default();
      const double from = way > 0 ? 0.0 : 3.0;
      double x[2] = {0.0, 0.0};
      const toy_end end = toy_succeeds(&system, &options, from, 3.0 - from, x);
      assert_int_equal(end.counters.crossings, depths[i] > 0.0 ? 2 : 0);
      const double there = depths[i] > 0.0 ? 2.0 * acos(1.0 - depths[i]) / p.speed : 0.0;
      assert_true(fabs(way * x[1] - there) < 1e-7);
    }
}

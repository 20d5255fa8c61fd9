/*
 * Impacts that take all of the speed at which a guard is met, and leave it armed: a mass that lands
 * on a road of waves, and does not bounce. Whether it leaves the road is a matter of its
 * acceleration, and not of the last digit of its height or speed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "toy.h"

enum { X, Y, VX, VY, STATES };

/* the road is at height * sin(wave x); the mass is pushed down, and up and down */
typedef struct road {
  double height, wave, gravity, shake, pace, restitution;
  uint64_t impacts;
  double acceleration, t; /* with which it leaves the road after the last impact, and when */
} road;

static double slope(const road *r, double x) {
  return r->height * r->wave * cos(r->wave * x);
}

static double lift(const road *r, double t) {
  return r->shake * sin(r->pace * t) - r->gravity;
}

FIELD(ride_field) {
  dxdt[X] = x[VX];
  dxdt[Y] = x[VY];
  dxdt[VX] = 0.0;
  dxdt[VY] = lift(params, t);
}

GUARDS(ride_guards) {
  const road *const r = params;
  h[0] = x[Y] - r->height * sin(r->wave * x[X]);
}

GUARD_JACOBIAN(ride_jacobian) {
  memset(Dh, 0, STATES * sizeof *Dh);
  Dh[X] = -slope(params, x[X]);
  Dh[Y] = 1.0;
}

IMPACT_MAP(land) {
  road *const r = params;
  const double *const x = impact->x, s = slope(r, x[X]);
  const double push = -(1.0 + r->restitution) * (x[VY] - s * x[VX]) / (1.0 + s * s);
  impact->after[VX] -= s * push;
  impact->after[VY] += push;
  impact->mode[0] = 1.0;
  impact->armed[ESS_GUARD_DOWN(0)] = true;
  const double v = impact->after[VX], w = r->wave;
  r->acceleration = lift(r, impact->t) + r->height * w * w * sin(w * x[X]) * v * v;
  r->t = impact->t;
  r->impacts++;
}

/* along the road, so high, so fast up */
static int pass_by(double t, const double x[], double g[], void *params) {
  g[0] = x[X] - 0.4;
  g[1] = x[Y] - 0.1;
  g[2] = x[VY] - 0.5;
  return 0;
}

static int run(road *r, double tolerance, bool watched, double x[], double *t, ess_failure *why) {
  const ess_impacts lands = {.map = land};
  const ess_system system = {.dimension = STATES,
                             .guard_count = 1,
                             OF_JACOBIAN(ride),
                             .impacts = &lands,
                             .watch = {.count = watched ? 3 : 0, .values = pass_by},
                             .params = r};
  const ess_options options = toy_options(tolerance);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  r->impacts = 0;
  const int status = ess_driver_apply(d, t, 1.5, x);
  *why = *ess_driver_failure(d);
  ess_driver_free(d);
  return status;
}

/* the road, and a start above it */
static void draw_road(uint64_t seed, road *r, double x[]) {
  uint64_t sequence = seed * UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 4; i++) draw_between(&sequence, 0.0, 1.0);
  *r = (road){.height = draw_between(&sequence, -0.3, 0.3),
              .wave = draw_between(&sequence, 1.0, 7.0),
              .gravity = draw_between(&sequence, 1.0, 9.0),
              .shake = draw_between(&sequence, 0.0, 20.0),
              .pace = draw_between(&sequence, 1.0, 20.0),
              .restitution = seed % 3 ? 0.0 : 1e-13};
  x[X] = draw_between(&sequence, -0.5, 0.5);
  x[Y] = r->height * sin(r->wave * x[X]) + draw_between(&sequence, 0.02, 0.3);
  x[VX] = draw_between(&sequence, -5.0, 5.0);
  x[VY] = draw_between(&sequence, -3.0, 0.0);
}

/* The first impact from which the mass is not clearly lifted ends the run at its time, and no run
 * goes on from there, below the road. */
TEST(rounding_does_not_decide_what_an_impact_has_stopped) {
  static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9};
  size_t ended = 0, rode = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    int status[2];
    double x[2][STATES];
    road r = {0};
    for (int watched = 0; watched < 2; watched++) {
      ess_failure why;
      double t = 0.0;
      draw_road(seed, &r, x[watched]);
      status[watched] = run(&r, tolerances[seed % 4], watched, x[watched], &t, &why);
      if (!r.impacts || fabs(r.acceleration) < 0.1) continue;
      if (status[watched] == ESS_EZENO) {
        assert_true(r.acceleration < 0.0);
        assert_true(fabs(t - r.t) < 1e-6 && why.time == t);
        ended++;
      } else {
        double h;
        assert_int_equal(status[watched], ESS_SUCCESS);
        assert_true(r.acceleration > 0.0);
        ride_guards(t, x[watched], &h, &r);
        assert_true(h > -1e-2);
        rode++;
      }
    }
    assert_int_equal(status[0], status[1]);
  }
  assert_true(ended > 400 && rode > 40);
}

/*
 * Event functions that do not change as their Jacobians say: the run ends soon and names them; and
 * those that only look so do not end it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

enum { METHODS = 5 };

/* one tolerance; the paper's method by tangents and parabolas, wide; and as location */
static ess_options options_of(int method) {
  static const double epsilons[METHODS] = {1e-3, 1e-3, 1e-3, 1e-10, 0.1};
  ess_options options = method ? ess_options_paper() : ess_options_default();
  options.order = method == 2 ? 2 : 1;
  options.epsilon = epsilons[method];
  return options;
}

/* ---- wrong ----------------------------------------------------------------------------------- */

/* balls on springs, one beside the other; event functions straight, or curved without moving the
 * guard; the Jacobian of the second is wrong by a factor */
enum { BALLS = 3 };

typedef struct wrong {
  toy_ball ball;
  double factor;
  bool curved;
  size_t calls;
} wrong;

FIELD(wrong_field) {
  wrong *const w = params;
  for (int i = 0; i < BALLS; i++) ball_field(t, x + 2 * i, sign + i, dxdt + 2 * i, &w->ball);
  w->calls++;
}

GUARDS(wrong_guards) {
  const wrong *const w = params;
  for (int i = 0; i < BALLS; i++) h[i] = w->curved ? 1.0 - exp(x[2 * i]) : -x[2 * i];
}

GUARD_JACOBIAN(wrong_jacobian) {
  const wrong *const w = params;
  memset(Dh, 0, BALLS * 2 * BALLS * sizeof *Dh);
  for (int i = 0; i < BALLS; i++)
    Dh[i * 2 * BALLS + 2 * i] = (w->curved ? -exp(x[2 * i]) : -1.0) * (i == 1 ? w->factor : 1.0);
}

static int drop(wrong *w, int method, const double heights[BALLS], double speed, ess_failure *f,
                double x[2 * BALLS]) {
  const ess_system system = {
      .dimension = 2 * BALLS, .guard_count = BALLS, OF_JACOBIAN(wrong), .params = w};
  ess_options options = options_of(method);
  options.max_steps = 20000;
  for (int i = 0; i < BALLS; i++) {
    x[2 * i] = heights[i];
    x[2 * i + 1] = speed;
  }
  *f = toy_run(&system, &options, 0.0, 4.0, x).failure;
  return (int)f->status;
}

TEST(a_wrong_gradient_is_named) {
  const double factors[] = {-1.0, 0.01, 100.0, -0.01, 0.0, 0.3, 3.0};
  const double heights[][BALLS] = {{1.0, 0.9, 0.8}, {0.5, 0.5, 0.5}, {5.0, 0.3, 5.0}};
  for (int method = 0; method < METHODS; method++)
    for (int i = 0; i < 7 * 3 * 2 * 2; i++) {
      wrong w = {.ball = {i / 42 ? 1e4 : 100.0}, .factor = factors[i % 7], .curved = i / 21 % 2};
      double x[2 * BALLS];
      ess_failure f;
      const int status = drop(&w, method, heights[i / 7 % 3], 0.0, &f, x);
      if (status != ESS_EJACOBIAN || f.guard != 1 || w.calls > 3000)
        fail_msg("%d %d: factor %g, %s, guard %zu, %zu calls, t = %g", method, i, w.factor,
                 ess_strerror(status), f.guard, w.calls, f.time);
    }
}

/* a projection is the first that is made of it */
TEST(a_start_inside_its_neighbourhood_too) {
  const double heights[BALLS] = {0.8, 5e-4, 0.9}, factors[] = {0.01, 0.1, 0.2};
  for (int method = 1; method <= 2; method++)
    for (int i = 0; i < 6; i++) {
      wrong w = {.ball = {100.0}, .factor = factors[i % 3], .curved = i / 3};
      double x[2 * BALLS];
      ess_failure f;
      assert_int_equal(drop(&w, method, heights, -1.0, &f, x), ESS_EJACOBIAN);
      assert_int_equal(f.guard, 1);
      assert_true(w.calls < 200);
    }
}

TEST(a_right_gradient_is_not) {
  const double heights[BALLS] = {1.0, 0.9, 5e-4};
  for (int method = 0; method < METHODS; method++)
    for (int i = 0; i < 4; i++) {
      wrong w = {.ball = {i / 2 ? 1e4 : 100.0}, .factor = 1.0, .curved = i % 2};
      double x[2 * BALLS];
      ess_failure f;
      assert_int_equal(drop(&w, method, heights, 0.0, &f, x), ESS_SUCCESS);
    }
}

/* ---- right, though it does not look so ------------------------------------------------------- */

/* a point that goes through all kinds of event functions: x' = speed, y' = 0, z a clock */
typedef struct odd {
  int kind;
  double speed, noise;
} odd;

enum { KINK, CORNER, PEG, GRAZE, NOTHING, NOISE, WALL, CUBE, ODDS };

FIELD(odd_field) {
  const odd *const o = params;
  dxdt[0] = o->speed * cos(2.0 * t);
  dxdt[1] = 0.1 * (sign[0] > 0.0);
}

/* value and slope of the event function at x */
static double odd_value(const odd *o, double x, double *slope) {
  const double far = hypot(x - 0.3, 0.19999999);
  switch (o->kind) {
  case KINK: // the rate jumps on the guard itself
    *slope = x >= 0.25 ? 1.0 : 0.05;
    return *slope * (x - 0.25);
  case CORNER: // and before it
    *slope = x >= 0.1 ? 20.0 : -1.0;
    return x >= 0.1 ? 20.0 * (x - 0.1) - 0.5 : -(x - 0.1) - 0.5;
  case PEG:
    *slope = -(x - 0.3) / far;
    return 0.2 - far;
  case GRAZE:
    *slope = -2.0 * (x - 0.2);
    return 1e-13 - (x - 0.2) * (x - 0.2);
  case NOTHING:
    *slope = 0.0;
    return 0.0;
  case NOISE: // as of differences of large numbers
    *slope = 1.0;
    return x - 0.3 + o->noise * sin(1e15 * x);
  case WALL:
    *slope = 500.0 / (1.0 + 250000.0 * (x - 0.2) * (x - 0.2));
    return atan(500.0 * (x - 0.2));
  default: // flat on the guard
    *slope = 3.0 * (x - 0.2) * (x - 0.2);
    return (x - 0.2) * (x - 0.2) * (x - 0.2);
  }
}

GUARDS(odd_guards) {
  double slope;
  h[0] = odd_value(params, x[0], &slope);
}

GUARD_JACOBIAN(odd_jacobian) {
  odd_value(params, x[0], &Dh[0]);
  Dh[1] = 0.0;
}

TEST(what_only_looks_wrong_is_not) {
  for (int method = 0; method < METHODS; method++)
    for (int i = 0; i < ODDS * 40; i++) {
      odd o = {.kind = i % ODDS, .speed = 0.5 + 0.1371 * (i / ODDS), .noise = 1e-12};
      const ess_system system = {.dimension = 2, .guard_count = 1, OF_JACOBIAN(odd), .params = &o};
      ess_options options = options_of(method);
      options.max_steps = 20000;
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double t = 0.0, x[2] = {-0.1, 0.0};
      const int status = ess_driver_apply(d, &t, 3.0, x);
      // one tolerance may give up where the rate is nothing on the guard, but not for a wrong one
      const bool may_give_up = method == 0 && o.kind == CUBE;
      if (may_give_up ? status == ESS_EJACOBIAN : status)
        fail_msg("%d: kind %d, speed %g: %s at %g, x = %.17g", method, o.kind, o.speed,
                 ess_strerror(status), t, x[0]);
      ess_driver_free(d);
    }
}

/* ---- none given ------------------------------------------------------------------------------ */

/* no Jacobian is blamed that nobody gave */
TEST(without_a_jacobian_differences_are_named) {
  size_t named = 0;
  for (int i = 0; i < 40; i++) {
    odd o = {.kind = NOISE, .speed = 0.5 + 0.1371 * i, .noise = 1e-3};
    const ess_system given = {.dimension = 2, .guard_count = 1, OF_JACOBIAN(odd), .params = &o};
    ess_system system = given;
    system.guard_jacobian = NULL;
    double x[2] = {-0.1, 0.0};
    ess_options options = options_of(0);
    options.max_steps = 20000;
    const ess_failure f = toy_run(&system, &options, 0.0, 3.0, x).failure;
    if (f.status != ESS_EJACOBIAN) continue;
    named++;
    assert_int_equal(f.guard, 0);
    assert_non_null(f.reason);
    assert_non_null(strstr(f.reason, "guard_jacobian is not given"));
  }
  assert_true(named > 0);
}

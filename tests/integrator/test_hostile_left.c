/*
 * Guards that no crossing arms again (one-way guards), with curved event functions, crossed in
 * quick succession: whoever looks at armed guards alone does not see how they end a step. Truth
 * is in closed form: between crossings the event functions are quadratic in time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "draws.h"
#include "toy.h"

enum { GUARDS = 8, COURSES = 300 };

static const double END = 0.36, WORST = 100.0; // in tolerances

/* x' = 1, y' = the sum of the jumps of the guards crossed; h_k = x + bend y^2 - place_k */
typedef struct course {
  double bend, jump[GUARDS], place[GUARDS];
} course;

FIELD(course_field) {
  const course *const c = params;
  dxdt[0] = 1.0;
  dxdt[1] = 0.0;
  for (size_t k = 0; k < GUARDS; k++) dxdt[1] += sign[k] > 0.0 ? c->jump[k] : 0.0;
}

GUARDS(course_guards) {
  const course *const c = params;
  for (size_t k = 0; k < GUARDS; k++) h[k] = x[0] + c->bend * x[1] * x[1] - c->place[k];
}

GUARD_JACOBIAN(course_jacobian) {
  const course *const c = params;
  for (size_t k = 0; k < GUARDS; k++) {
    Dh[2 * k] = 1.0;
    Dh[2 * k + 1] = 2.0 * c->bend * x[1];
  }
}

static course draw_course(uint64_t *seed) {
  course c = {.bend = 0.014 * draw(seed)};
  for (size_t k = 0; k < GUARDS; k++) {
    c.jump[k] = 20.0 + 60.0 * draw(seed);
    c.place[k] = 0.3 + 0.004 * (double)k * (0.5 + draw(seed));
  }
  return c;
}

/* how long from (t, y) with y' = v until guard k is crossed: bends and speeds are not negative */
static double time_to(const course *c, size_t k, double t, double y, double v) {
  const double square = c->bend * v * v, slope = 1.0 + 2.0 * c->bend * y * v;
  const double value = t + c->bend * y * y - c->place[k];
  return -2.0 * value / (slope + sqrt(slope * slope - 4.0 * square * value));
}

/* y at the end */
static double exact(const course *c) {
  double t = 0.0, y = 0.0, v = 0.0;
  bool crossed[GUARDS] = {false};
  for (;;) {
    size_t next = GUARDS;
    double soonest = END - t;
    for (size_t k = 0; k < GUARDS; k++) {
      const double time = crossed[k] ? INFINITY : fmax(0.0, time_to(c, k, t, y, v));
      if (time >= soonest) continue;
      soonest = time;
      next = k;
    }
    t += soonest;
    y += v * soonest;
    if (next == GUARDS) return y;
    crossed[next] = true;
    v += c->jump[next];
  }
}

static double error_over_tolerance(course *c, double tolerance, bool one_way) {
  const ess_system system = {
      .dimension = 2, .guard_count = GUARDS, OF_JACOBIAN(course), .one_way = one_way, .params = c};
  const ess_options options = toy_options(tolerance);
  double x[2] = {0.0, 0.0};
  const toy_end end = toy_succeeds(&system, &options, 0.0, END, x);
  assert_int_equal(end.counters.crossings, GUARDS);
  const double y = exact(c);
  return fabs(x[1] - y) / (tolerance * (1.0 + fabs(y)));
}

TEST(what_no_guard_is_armed_on_is_looked_at) {
  for (int one_way = 0; one_way < 2; one_way++)
    for (double tolerance = 1e-2; tolerance > 1e-9; tolerance *= 0.1) {
      uint64_t seed = 1;
      for (int i = 0; i < COURSES; i++) {
        course c = draw_course(&seed);
        const double error = error_over_tolerance(&c, tolerance, one_way);
        if (!(error < WORST))
          fail_msg("course %d, %s, at %g: error %g tolerances", i, one_way ? "one way" : "mirrored",
                   tolerance, error);
      }
    }
}

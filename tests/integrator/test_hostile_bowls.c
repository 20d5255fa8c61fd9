/*
 * A ball in a round room under gravity: after each impact it starts on the wall, goes inward, and
 * comes near the wall again or not. Whatever it does, impacts are on the wall, no energy is won or
 * lost, and the ball never leaves the room.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hostile.h"

static const double tolerances[] = {1e-3, 1e-6, 1e-9};
enum { TOLERANCES = sizeof tolerances / sizeof *tolerances, STARTS = 1000 };

enum { X, Y, U, V, STATES };

static const double gravity = 2.0;
static const double on_the_wall = 1e-6; /* |h|, relative to what h grows by */

/* h = q - 1 with q = x^2 + y^2; or, where steep > 0, e^(steep (q - 1)) - 1, which overflows far
 * outside */
typedef struct bowl {
  double steep;
  size_t impacts;
  double farthest; /* |q - 1| of an impact */
} bowl;

static double square(const double x[]) {
  return x[X] * x[X] + x[Y] * x[Y];
}

FIELD(bowl_field) {
  dxdt[X] = x[U];
  dxdt[Y] = x[V];
  dxdt[U] = 0.0;
  dxdt[V] = -gravity;
}

GUARDS(bowl_guards) {
  const bowl *const b = params;
  h[0] = b->steep > 0.0 ? expm1(b->steep * (square(x) - 1.0)) : square(x) - 1.0;
}

GUARD_JACOBIAN(bowl_jacobian) {
  const bowl *const b = params;
  const double slope = b->steep > 0.0 ? b->steep * exp(b->steep * (square(x) - 1.0)) : 1.0;
  Dh[X] = 2.0 * slope * x[X];
  Dh[Y] = 2.0 * slope * x[Y];
  Dh[U] = Dh[V] = 0.0;
}

/* the wall throws the ball back */
IMPACT_MAP(bounce) {
  bowl *const b = params;
  const double *const x = impact->x, q = square(x);
  const double twice = 2.0 * (x[U] * x[X] + x[V] * x[Y]) / q;
  impact->after[U] -= twice * x[X];
  impact->after[V] -= twice * x[Y];
  impact->mode[0] = -1.0;
  impact->armed[ESS_GUARD_UP(0)] = true;
  b->farthest = fmax(b->farthest, fabs(q - 1.0));
  b->impacts++;
}

static double energy(const double x[]) {
  return 0.5 * (x[U] * x[U] + x[V] * x[V]) + gravity * x[Y];
}

/* the i-th number of the j-th of sequences that fill [0, 1) */
static double scattered(size_t i, size_t j) {
  const double steps[] = {0.6180339887498949, 0.7548776662466927, 0.5698402909980532,
                          0.8191725133961645};
  return fmod(steps[j] * (double)(i + 1), 1.0);
}

static void check(bowl *b, size_t start, double tolerance) {
  const ess_impacts impacts = {.map = bounce};
  const ess_system system = {
      .dimension = STATES, .guard_count = 1, OF_JACOBIAN(bowl), .impacts = &impacts, .params = b};
  const ess_options options = toy_options(tolerance);
  const double turn = 6.283185307179586, radius = 0.9 * scattered(start, 0);
  const double at = turn * scattered(start, 1), to = turn * scattered(start, 2);
  const double speed = 0.1 * pow(100.0, scattered(start, 3));
  double x[STATES] = {radius * cos(at), radius * sin(at), speed * cos(to), speed * sin(to)};
  const double before = energy(x);
  b->impacts = 0;
  b->farthest = 0.0;
  const int status = toy_run(&system, &options, 0.0, 6.0 / speed, x).status;
  const double off = fabs(energy(x) - before) / (1.0 + fabs(before));
  const bool left = square(x) - 1.0 > on_the_wall;
  if (!(b->farthest <= on_the_wall))
    fail_msg("steep %g, start %zu at %g: impact %g off, energy %g, q - 1 = %g", b->steep, start,
             tolerance, b->farthest, off, square(x) - 1.0);
  // a ball that slides along the wall is a graze, or hops without an end
  if (status == ESS_EGRAZING || status == ESS_EZENO) return;
  assert_int_equal(status, ESS_SUCCESS);
  assert_false(left);
  assert_true(off <= 1e3 * tolerance);
}

static void check_all(double steep) {
  bowl b = {.steep = steep};
  for (size_t i = 0; i < TOLERANCES; i++)
    for (size_t start = 0; start < STARTS; start++) check(&b, start, tolerances[i]);
}

/* Outcome: as above. */
TEST(a_round_room) {
  check_all(0.0);
}

/* Outcome: the same, though a step that ends far outside finds what no number holds. */
TEST(walls_that_overflow) {
  const double steeps[] = {0.1, 1.0, 3.0};
  for (size_t i = 0; i < sizeof steeps / sizeof *steeps; i++) check_all(steeps[i]);
}

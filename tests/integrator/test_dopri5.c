/*
 * The integration step: order of the solution and of the dense output, step control, end times.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/* a rotation at unit speed: exact (cos t, -sin t) */
FIELD(rotate) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
}

/* x' = 5 t^4: exact for a 5th-order method, and time must be right in every stage */
FIELD(quintic) {
  dxdt[0] = 5.0 * t * t * t * t;
}

static const ess_system rotation = {.dimension = 2, .field = rotate};

/* error at the end and the largest one on a fine grid, with a fixed step */
static void fixed_step_errors(double step, double *end, double *grid) {
  enum { SAMPLES = 400 };
  double times[SAMPLES], states[2 * SAMPLES], x[2] = {1.0, 0.0}, t = 0.0;
  for (int i = 0; i < SAMPLES; i++) times[i] = 2.0 * (i + 1) / SAMPLES;
  ess_options options = ess_options_paper();
  options.atol = 1e3; // the error control accepts everything: h_max alone sets the step
  options.h_init = options.h_max = step;
  ess_driver *const d = ess_driver_alloc(&rotation, &options, NULL);
  assert_non_null(d);
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, times, SAMPLES, states), ESS_SUCCESS);
  ess_driver_free(d);
  *end = hypot(x[0] - cos(2.0), x[1] + sin(2.0));
  *grid = 0.0;
  for (int i = 0; i < SAMPLES; i++)
    *grid = fmax(*grid, hypot(states[2 * i] - cos(times[i]), states[2 * i + 1] + sin(times[i])));
}

TEST(solution_is_of_order_5_and_dense_output_of_order_4) {
  double end[2], grid[2];
  fixed_step_errors(0.1, &end[0], &grid[0]);
  fixed_step_errors(0.05, &end[1], &grid[1]);
  const double order = log2(end[0] / end[1]);
  assert_true(order > 4.8 && order < 5.3);
  // the interpolant's local error is O(h^5): seen globally it falls with at least the 4th power
  assert_true(log2(grid[0] / grid[1]) > 4.0);
}

TEST(tolerance_is_met) {
  for (double rtol = 1e-4; rtol > 1e-11; rtol *= 0.1) {
    ess_options options = ess_options_paper();
    options.rtol = options.atol = rtol;
    double x[2] = {1.0, 0.0};
    const toy_end end = toy_succeeds(&rotation, &options, 0.0, 20.0, x);
    const double error = hypot(x[0] - cos(20.0), x[1] + sin(20.0));
    assert_true(error < 50.0 * rtol);
    assert_true(end.t == 20.0);
  }
}

TEST(stages_see_their_own_time) {
  const ess_system system = {.dimension = 1, .field = quintic};
  const ess_options options = ess_options_paper();
  double x[1] = {0.0};
  toy_succeeds(&system, &options, 0.0, 3.0, x);
  assert_true(fabs(x[0] - 243.0) < 1e-9);
}

TEST(rounding_of_a_large_time_does_not_add_up) {
  const ess_system system = {.dimension = 1, .field = toy_clock};
  ess_options options = ess_options_paper();
  options.h_max = 1e-3;
  double x[1] = {0.0};
  toy_succeeds(&system, &options, 1.7e9, 1.7e9 + 10.0, x); // seconds since 1970
  assert_true(fabs(x[0] - 10.0) < 1e-6);
}

TEST(a_zero_component_needs_no_absolute_tolerance) {
  ess_options options = ess_options_paper();
  options.atol = 0.0;
  ess_driver *const d = ess_driver_alloc(&rotation, &options, NULL);
  double x[2] = {0.0, 0.0}, y[2] = {1.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_true(x[0] == 0.0 && x[1] == 0.0);
  ess_driver_reset(d);
  t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, y), ESS_SUCCESS);
  assert_true(hypot(y[0] - cos(1.0), y[1] + sin(1.0)) < 1e-7);
  ess_driver_free(d);
}

TEST(apply_in_pieces_continues_one_trajectory) {
  const ess_options options = ess_options_paper();
  ess_driver *const d = ess_driver_alloc(&rotation, &options, NULL);
  double x[2] = {1.0, 0.0}, t = 0.0;
  for (int i = 1; i <= 200; i++) {
    assert_int_equal(ess_driver_apply(d, &t, 0.01 * i, x), ESS_SUCCESS);
    assert_true(t == 0.01 * i);
  }
  assert_true(hypot(x[0] - cos(2.0), x[1] + sin(2.0)) < 1e-8);
  // an apply that goes nowhere does nothing
  const uint64_t steps = ess_driver_counters(d)->steps;
  assert_int_equal(ess_driver_apply(d, &t, t, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_counters(d)->steps, steps);
  ess_driver_free(d);
}

TEST(reset_repeats_bit_for_bit) {
  const ess_options options = ess_options_paper();
  ess_driver *const d = ess_driver_alloc(&rotation, &options, NULL);
  double first[2] = {1.0, 0.0}, again[2] = {1.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 7.0, first), ESS_SUCCESS);
  const ess_counters counted = *ess_driver_counters(d);
  ess_driver_reset(d);
  t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 7.0, again), ESS_SUCCESS);
  assert_memory_equal(first, again, sizeof first);
  assert_memory_equal(&counted, ess_driver_counters(d), sizeof counted);
  ess_driver_free(d);
}

/* a body that falls on a stiff spring, and bounces on it without end */
enum { STIFFNESS = 10000, BOUNCES = 20 };

FIELD(bounce_field) {
  dxdt[0] = x[1];
  dxdt[1] = -1.0 - (sign[0] < 0.0 ? STIFFNESS * x[0] : 0.0);
}

PLANES(bounce, 2, (x[0]), (0.0));

/* Outcome: in free fall steps grow without bound, and the first at each touch-down would be refused
 * time and again. One touch-down tells how long the steps after the next may be. */
TEST(steps_after_a_crossing_are_known_from_the_last) {
  const ess_system system = {.dimension = 2, .guard_count = 1, OF_RATES(bounce)};
  for (double tolerance = 1e-2; tolerance > 1e-7; tolerance *= 0.1) {
    const ess_options options = toy_options(tolerance);
    double x[2] = {1.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 2.0 * sqrt(2.0) * BOUNCES, x);
    const ess_counters *const c = &end.counters;
    assert_true(c->crossings > BOUNCES);
    assert_true((double)c->rejected < 1.4 * (double)c->crossings);
  }
}

/*
 * The driver on bouncing balls: order in epsilon, crossings, sampling, re-arming, no allocation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "matrix.h"

/* counts allocations made by libess while it runs (linked with --wrap) */
static size_t allocations;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  allocations++;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
  allocations++;
  return __real_realloc(block, size);
}

enum { GRID = 500 };
static const double DURATION = 5.0, HEIGHT = 1.0;

/* root mean square error of the ball on the grid; the log and counters of the run */
static double ball_error(double epsilon, double h_max, toy_log *log, ess_counters *counters) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  ess_options options = ess_options_paper();
  options.epsilon = epsilon;
  options.rtol = 1e-11;
  options.atol = 1e-12;
  options.h_max = h_max;
  options.observer = toy_observer(log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  static double times[GRID + 1], states[2 * (GRID + 1)];
  for (int i = 0; i <= GRID; i++) times[i] = DURATION * i / GRID;
  double x[2] = {HEIGHT, 0.0}, t = 0.0, sum = 0.0;
  assert_int_equal(ess_driver_sample(d, &t, DURATION, x, times, GRID + 1, states), ESS_SUCCESS);
  assert_memory_equal(x, states + 2 * GRID, sizeof x);
  for (int i = 0; i <= GRID; i++) {
    double exact[2];
    ball_exact(&ball, HEIGHT, times[i], exact);
    sum += pow(states[2 * i] - exact[0], 2) + pow(states[2 * i + 1] - exact[1], 2);
  }
  *counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return sqrt(sum / (2.0 * (GRID + 1)));
}

TEST(error_falls_with_the_square_of_epsilon) {
  toy_log log;
  ess_counters counters;
  double before = ball_error(1e-2, INFINITY, &log, &counters);
  for (double epsilon = 5e-3; epsilon > 1e-4; epsilon *= 0.5) {
    const double error = ball_error(epsilon, INFINITY, &log, &counters);
    const double order = log2(before / error);
    assert_true(order > 1.9 && order < 2.1);
    before = error;
  }
}

TEST(crossings_come_at_their_exact_times) {
  toy_log log;
  ess_counters counters;
  const double error = ball_error(1e-9, INFINITY, &log, &counters);
  assert_true(error < 1e-8);
  const toy_ball ball = {.stiffness = 50.0};
  const double fall = sqrt(HEIGHT), contact = ball_contact_time(&ball, HEIGHT);
  size_t expected = 0;
  for (double t = fall; t < DURATION; t += expected % 2 ? 2.0 * fall : contact, expected++) {
    assert_true(fabs(log.time[expected] - t) < 1e-8);
    assert_int_equal(log.direction[expected], expected % 2 ? -1 : 1);
  }
  assert_int_equal(log.count, expected);
  assert_int_equal(counters.projections, expected);
}

TEST(no_crossing_is_missed_at_any_step_size) {
  const double steps[] = {1e-2, 0.1, 1.0, INFINITY};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    for (double epsilon = 1e-8; epsilon < 0.2; epsilon *= 10.0) {
      toy_log log;
      ess_counters counters;
      const double error = ball_error(epsilon, steps[i], &log, &counters);
      // a guard left behind and met again within one long step is not projected onto from afar
      if (epsilon < 1e-3) assert_true(error < 1e-8 + 50.0 * epsilon * epsilon);
      for (size_t k = 0; k < log.count; k++) assert_int_equal(log.direction[k], k % 2 ? -1 : 1);
      // at large epsilon the energy is off by some epsilon squared, and the bounces' times with it
      if (epsilon < 1e-2) {
        assert_int_equal(log.count, 4);
      } else {
        assert_in_range(log.count, 3, 5);
      }
    }
}

TEST(samples_and_observers_change_no_counter) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  const ess_options options = ess_options_paper();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {HEIGHT, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, DURATION, x), ESS_SUCCESS);
  toy_log log;
  ess_counters counters;
  ess_options observed = options;
  observed.observer = toy_observer(&log);
  ess_driver *const e = ess_driver_alloc(&system, &observed, NULL);
  static double times[GRID], states[2 * GRID];
  for (int i = 0; i < GRID; i++) times[i] = DURATION * i / GRID;
  double y[2] = {HEIGHT, 0.0};
  t = 0.0;
  assert_int_equal(ess_driver_sample(e, &t, DURATION, y, times, GRID, states), ESS_SUCCESS);
  counters = *ess_driver_counters(e);
  assert_memory_equal(x, y, sizeof x);
  assert_memory_equal(ess_driver_counters(d), &counters, sizeof counters);
  assert_int_equal(log.steps, counters.steps + counters.projections);
  ess_driver_free(d);
  ess_driver_free(e);
}

TEST(samples_inside_a_projection_lie_on_its_line) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  ess_options options = ess_options_paper();
  options.epsilon = 0.19; // entered at t = 0.9, where v = -1.8
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {HEIGHT, 0.0}, t = 0.0, states[4];
  const double times[] = {0.9, 0.95};
  assert_int_equal(ess_driver_sample(d, &t, 1.1, x, times, 2, states), ESS_SUCCESS);
  assert_true(fabs(states[0] - 0.19) < 1e-8 && fabs(states[1] + 1.8) < 1e-8);
  assert_true(fabs(states[2] - (0.19 - 0.05 * 1.8)) < 1e-8);
  assert_true(fabs(states[3] - (-1.8 - 0.05 * 2.0)) < 1e-8);
  ess_driver_free(d);
}

TEST(pieces_and_one_piece_agree) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  ess_options options = ess_options_paper();
  options.epsilon = 1e-6;
  toy_log log;
  options.observer = toy_observer(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {HEIGHT, 0.0}, exact[2], t = 0.0;
  for (int i = 1; i <= 1000; i++)
    assert_int_equal(ess_driver_apply(d, &t, DURATION * i / 1000, x), ESS_SUCCESS);
  ball_exact(&ball, HEIGHT, DURATION, exact);
  assert_true(hypot(x[0] - exact[0], x[1] - exact[1]) < 1e-6);
  assert_int_equal(log.count, 4);
  ess_driver_free(d);
}

TEST(nothing_is_allocated_while_running) {
  toy_ball ball = {.stiffness = 50.0};
  const ess_system system = ball_system(&ball);
  const ess_options options = ess_options_paper();
  const size_t before_alloc = allocations;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_true(allocations > before_alloc); // the wrapper does count
  const size_t before = allocations;
  double x[2] = {HEIGHT, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, DURATION, x), ESS_SUCCESS);
  ess_driver_reset(d);
  assert_int_equal(allocations, before);
  ess_driver_free(d);
}

/* two balls side by side, the second dropped from higher: states z1, v1, z2, v2 */
FIELD_CODE(pair_field) {
  const int status = ball_field(t, x, sign, dxdt, params);
  return status ? status : ball_field(t, x + 2, sign + 1, dxdt + 2, params);
}

PLANES(pair, 4, (-x[0], -x[2]), (0.0, 0.0));

TEST(pool_refills_only_when_it_is_empty) {
  toy_ball ball = {.stiffness = 50.0};
  ess_system system = {.dimension = 4, .guard_count = 2, OF_JACOBIAN(pair), .params = &ball};
  ess_options options = ess_options_paper();
  toy_log log;
  options.observer = toy_observer(&log);
  matrix pool = matrix_begin(2);
  matrix_add_pool(&pool, false);
  system.resets = matrix_end(&pool);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(&pool);
  // the first ball lands at 1, the second at 2: the first cannot lift off until the second has
  // landed, because the pool is not empty before (the flaw of the paper's rule)
  double x[4] = {1.0, 0.0, 4.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.9, x), ESS_SUCCESS);
  assert_int_equal(log.count, 1);
  assert_true(ess_driver_sign(d)[0] == 1.0 && ess_driver_sign(d)[1] == -1.0);
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
  assert_true(log.count > 2);
  assert_int_equal(log.guard[1], 1);
  ess_driver_free(d);

  // mirrored pairs let it go at once
  system.resets = NULL;
  options.observer = toy_observer(&log);
  double y[4] = {1.0, 0.0, 4.0, 0.0};
  toy_succeeds(&system, &options, 0.0, 1.9, y);
  assert_int_equal(log.count, 2);
  assert_int_equal(log.guard[1], 0);
  assert_int_equal(log.direction[1], -1);
}

TEST(a_one_way_guard_is_crossed_once) {
  toy_ball ball = {.stiffness = 50.0};
  ess_system system = ball_system(&ball);
  system.one_way = true;
  ess_options options = ess_options_paper();
  toy_log log;
  options.observer = toy_observer(&log);
  double x[2] = {HEIGHT, 0.0};
  toy_succeeds(&system, &options, 0.0, DURATION, x);
  assert_int_equal(log.count, 1);

  // the pool re-adds it once the ball is above ground again
  matrix pool = matrix_begin(1);
  matrix_add_pool(&pool, true);
  system.resets = matrix_end(&pool);
  options.observer = toy_observer(&log);
  ess_driver *const e = ess_driver_alloc(&system, &options, NULL);
  matrix_free(&pool);
  double y[2] = {HEIGHT, 0.0};
  toy_succeeded(toy_go(e, 1, 0.0, DURATION, y));
  assert_true(log.count >= 2);
  for (size_t k = 0; k < log.count; k++) assert_int_equal(log.direction[k], 1);
}

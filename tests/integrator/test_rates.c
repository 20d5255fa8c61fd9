/*
 * The ways a system may give the rates of its event functions, for numbers of guards around the
 * sizes of libess's blocks: the same trajectory, no callback sees what is not there, and what
 * some_guard_rates gets wrong ends with a status.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"

static const size_t counts[] = {1, 3, 4, 5, 15, 16, 17, 31, 33, 100, 1000};
enum { COUNTS = sizeof counts / sizeof *counts };
static const double END = 2.5;

typedef enum way { ALL_RATES, SOME_RATES, JACOBIAN } way;

typedef struct result {
  int status;
  double error; /* largest at the end */
  double t;
  double *x; /* [2 count], exactly */
  ess_counters counters;
  ess_failure failure;
  balls_trace trace;
  size_t some_calls;
} result;

/* arrays of exactly the size that ess.h names, so that a sanitizer sees what lies beyond */
static double *exactly(size_t count) {
  double *const array = malloc(count * sizeof *array);
  assert_non_null(array);
  return array;
}

static ess_system system_of(balls *b, way w) {
  ess_system system = balls_system(b);
  if (w == SOME_RATES) system.some_guard_rates = balls_some_rates;
  if (w != JACOBIAN) return system;
  system.guard_rates = NULL;
  system.guard_jacobian = balls_jacobian;
  return system;
}

static result run(balls *b, way w, int order) {
  enum { SAMPLES = 7 };
  const ess_system system = system_of(b, w);
  const size_t n = 2 * b->count;
  result r = {.x = exactly(n)};
  double *const x0 = exactly(n), *const epsilons = exactly(b->guards);
  double *const times = exactly(SAMPLES), *const states = exactly(SAMPLES * n);
  for (size_t k = 0; k < b->guards; k++) epsilons[k] = 0.002 + 1e-6 * (double)k;
  for (size_t i = 0; i < SAMPLES; i++) times[i] = END * (double)i / (SAMPLES - 1);
  ess_options options = toy_paper(order);
  options.guard_epsilons = epsilons;
  options.observer = balls_observer(b, &r.trace);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  free(epsilons);
  balls_drop(b, 0.5, 0.5, x0);
  memcpy(r.x, x0, n * sizeof *x0);
  r.status = ess_driver_sample(d, &r.t, END, r.x, times, SAMPLES, states);
  if (!r.status) assert_memory_equal(states + (SAMPLES - 1) * n, r.x, n * sizeof *r.x);
  r.error = balls_error(b, x0, END, r.x);
  r.counters = *ess_driver_counters(d);
  r.failure = *ess_driver_failure(d);
  r.some_calls = b->some_calls;
  ess_driver_free(d);
  free(x0);
  free(times);
  free(states);
  return r;
}

/* touch-downs and lift-offs until the end */
static size_t exact_crossings(size_t count) {
  const toy_ball ball = {.stiffness = 50.0};
  double x[2 * BALLS_MAX];
  balls b = balls_of(count, count);
  balls_drop(&b, 0.5, 0.5, x);
  size_t crossings = 0;
  for (size_t i = 0; i < count; i++) {
    const double fall = sqrt(x[2 * i]), contact = ball_contact_time(&ball, x[2 * i]);
    double t = fall;
    for (bool down = true; t < END; down = !down, crossings++) t += down ? contact : 2.0 * fall;
  }
  return crossings;
}

TEST(rates_of_some_change_nothing) {
  for (size_t i = 0; i < COUNTS; i++)
    for (int order = 1; order <= 2; order++) {
      balls b = balls_of(counts[i], counts[i]);
      result all = run(&b, ALL_RATES, order);
      result some = run(&b, SOME_RATES, order);
      assert_true(all.status == 0 && some.status == 0);
      // the same arithmetic: the same bits
      assert_true(all.trace.hash == some.trace.hash);
      assert_int_equal(all.counters.crossings, exact_crossings(counts[i]));
      assert_true(all.error < (counts[i] < 50 ? 3e-3 : 3e-2) * (order == 1 ? 1.0 : 0.3));
      assert_int_equal(all.counters.some_evaluations, 0);
      assert_int_equal(some.counters.some_evaluations, some.some_calls);
      assert_true(some.some_calls > 0);
      all.counters.guard_evaluations = some.counters.guard_evaluations;
      all.counters.some_evaluations = some.counters.some_evaluations;
      assert_memory_equal(&all.counters, &some.counters, sizeof all.counters);
      free(all.x);
      free(some.x);
    }
}

TEST(a_jacobian_gives_the_same) {
  for (size_t i = 0; i < COUNTS && counts[i] < 50; i++)
    for (int order = 1; order <= 2; order++) {
      balls b = balls_of(counts[i], counts[i]);
      const result rates = run(&b, ALL_RATES, order);
      const result jacobian = run(&b, JACOBIAN, order);
      assert_true(rates.status == 0 && jacobian.status == 0);
      assert_int_equal(rates.counters.crossings, jacobian.counters.crossings);
      assert_int_equal(rates.counters.projections, jacobian.counters.projections);
      assert_true(jacobian.counters.jacobian_evaluations > 0);
      for (size_t k = 0; k < 2 * counts[i]; k++)
        assert_true(fabs(rates.x[k] - jacobian.x[k]) < 1e-8);
      free(rates.x);
      free(jacobian.x);
    }
}

/* more event functions than balls, all of them watched: those at heights that nothing reaches */
TEST(guards_that_are_never_reached_change_nothing) {
  for (size_t i = 0; i < COUNTS; i++) {
    balls few = balls_of(3, 3), many = balls_of(3, 3 + counts[i]);
    for (size_t k = 3; k < many.guards; k++) many.level[k] = k % 2 ? -9.0 : 9.0;
    result a = run(&few, SOME_RATES, 2), b = run(&many, SOME_RATES, 2);
    assert_true(a.status == 0 && b.status == 0 && a.trace.hash == b.trace.hash);
    free(a.x);
    free(b.x);
  }
}

TEST(a_poisoned_value_ends_the_run) {
  const double poisons[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 6; i++) {
    balls b = balls_of(5, 5);
    b.some_poison = poisons[i / 2];
    result r = run(&b, SOME_RATES, 1 + i % 2);
    assert_int_equal(r.status, ESS_EGUARD);
    assert_true(r.failure.guard < 5 && r.failure.time >= r.t && r.failure.time < sqrt(0.5));
    // at the first touch-down, found by its model before its value was asked for
    assert_true(r.t < sqrt(0.5) && r.trace.crossings == 0);
    for (size_t k = 0; k < 10; k++) assert_true(isfinite(r.x[k]));
    free(r.x);
  }
}

TEST(a_code_ends_the_run) {
  for (int order = 1; order <= 2; order++) {
    balls b = balls_of(5, 5);
    b.some_code = 42;
    result r = run(&b, SOME_RATES, order);
    assert_int_equal(r.status, ESS_ECALLBACK);
    assert_int_equal(r.failure.callback_code, 42);
    assert_int_equal(r.some_calls, 1);
    free(r.x);
  }
}

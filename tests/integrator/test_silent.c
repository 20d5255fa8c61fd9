/*
 * Silent guards: they apply their rows and leave everything else of a run as it is without them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"
#include "matrix.h"

enum { BALLS = 3, EXTRA = 9 };

/* crossings of the extra event functions, from the exact trajectory on a fine grid */
static size_t exact_crossings(const balls *b, const double x0[], double end) {
  const toy_ball ball = {.stiffness = b->stiffness};
  size_t crossings = 0;
  for (size_t k = BALLS; k < b->guards; k++) {
    bool above = x0[2 * (k % BALLS)] > b->level[k];
    for (int i = 1; i <= 4000; i++) {
      double x[2];
      ball_exact(&ball, x0[2 * (k % BALLS)], end * i / 4000, x);
      crossings += (x[0] > b->level[k]) != above;
      above = x[0] > b->level[k];
    }
  }
  return crossings;
}

/* three balls, with or without silent event functions near their springs' guards */
static balls_trace run(bool with, const ess_options *base, ess_counters *counters, size_t *exact) {
  balls b = balls_of(BALLS, with ? BALLS + EXTRA : BALLS);
  for (size_t k = BALLS; k < b.guards; k++) {
    b.level[k] = 0.02 * (double)(k - BALLS) - 0.051;
    b.scale[k] = k % 2 ? 1.0 : -1.0;
  }
  ess_system system = balls_system(&b);
  matrix r = matrix_begin(b.guards);
  matrix_add_mirror(&r);
  for (size_t j = 2 * BALLS; j < r.guards; j++) r.silent[j] = true;
  system.resets = matrix_end(&r);
  balls_trace trace;
  ess_options options = *base;
  options.observer = balls_observer(&b, &trace);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(&r);
  double x0[2 * BALLS], x[2 * BALLS], t = 0.0;
  balls_drop(&b, 0.5, 0.02, x0);
  memcpy(x, x0, sizeof x);
  assert_int_equal(ess_driver_apply(d, &t, 2.9, x), ESS_SUCCESS);
  *counters = *ess_driver_counters(d);
  *exact = exact_crossings(&b, x0, 2.9);
  ess_driver_free(d);
  return trace;
}

/* every step, crossing and bit; the work; and, while the trajectory is good, their own number */
TEST(a_run_is_the_same_without_them) {
  const double epsilons[] = {1e-4, 1e-3, 1e-2, 0.05, 0.2};
  for (int i = 0; i < 5 * 2 * 2 * 2; i++) {
    ess_options options = ess_options_paper();
    options.epsilon = epsilons[i % 5];
    options.projection_max = i / 5 % 2 ? 1e-3 : INFINITY;
    options.h_max = i / 10 % 2 ? 0.01 : 0.05;
    options.order = 1 + i / 20 % 2;
    ess_counters without, with;
    size_t exact;
    const balls_trace a = run(false, &options, &without, &exact);
    const balls_trace b = run(true, &options, &with, &exact);
    assert_true(a.hash == b.hash);
    assert_int_equal(a.crossings, b.crossings);
    assert_int_equal(without.silent, 0);
    if (options.epsilon <= 1e-2) assert_int_equal(with.silent, exact);
    with.silent = 0;
    assert_memory_equal(&without, &with, offsetof(ess_counters, guard_evaluations));
  }
}

/* a point at unit speed in x0: h_k = x0 - place_k; x1' = 1 while sign[last] > 0 */
typedef struct track {
  size_t count;
  double place[8];
  double epsilon;
} track;

FIELD(track_field) {
  const track *const r = params;
  dxdt[0] = 1.0;
  dxdt[1] = sign[r->count - 1] > 0.0 ? 1.0 : 0.0;
}

PLANES_EACH(track, 2, AS(track)->count, x[0], AS(track)->place[k]);

static ess_driver *track_driver(track *r, matrix *m, toy_log *log) {
  const ess_system system = {.dimension = 2,
                             .guard_count = r->count,
                             OF_RATES(track),
                             .resets = matrix_end(m),
                             .params = r};
  ess_options options = ess_options_paper();
  options.epsilon = r->epsilon;
  options.observer = toy_observer(log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(m);
  assert_non_null(d);
  return d;
}

/* from 0 to 1 */
static toy_end track_run(track *r, matrix *m, toy_log *log, double x[2]) {
  x[0] = x[1] = 0.0;
  return toy_go(track_driver(r, m, log), r->count, 0.0, 1.0, x);
}

TEST(several_are_passed_in_one_step) {
  track r = {.count = 5, .place = {0.5, 0.3, 0.4, 0.2, 2.0}, .epsilon = 1e-3};
  matrix m = matrix_begin(5);
  for (size_t k = 0; k < 4; k++) m.silent[ESS_GUARD_UP(k)] = true;
  toy_log log;
  double x[2];
  const toy_end end = toy_succeeded(track_run(&r, &m, &log, x));
  const ess_counters *const c = &end.counters;
  assert_true(c->silent == 4 && c->crossings == 0 && c->projections == 0 && c->entries == 0);
  assert_true(log.count == 0 && fabs(x[0] - 1.0) < 1e-14);
  for (size_t k = 0; k < 4; k++) assert_true(end.sign[k] == 1.0);
}

/* guard 0, silent, arms guard 1, which is met in the same step: places and whether it comes first
 */
TEST(one_that_arms_another_is_found_in_its_place) {
  for (double epsilon = 1e-9; epsilon < 1.0; epsilon *= 10.0)
    for (int first = 0; first < 2; first++) {
      track r = {.count = 2, .place = {0.4, first ? 0.4001 : 0.3999}, .epsilon = epsilon};
      matrix m = matrix_begin(2);
      matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(1), 1);
      matrix_add(&m, ESS_GUARD_UP(1), ESS_GUARD_UP(1), -1);
      m.silent[ESS_GUARD_UP(0)] = true;
      toy_log log;
      double x[2];
      const toy_end end = toy_succeeded(track_run(&r, &m, &log, x));
      assert_int_equal(end.counters.silent, 1);
      // armed from the start as well: crossed where it is, and met again where it was armed anew
      assert_true(fabs(log.time[0] - r.place[1]) < 1e-9);
      assert_int_equal(log.count, first ? 1 : 2);
      if (!first) assert_true(fabs(log.time[1] - 0.4) < 1e-9 + epsilon * (epsilon > 5e-5));
      assert_true(fabs(x[1] - 0.6) < 1e-3);
    }
}

/* guard 0, silent, disarms guard 1: that is crossed only when it comes first */
TEST(one_that_disarms_another_is_found_in_its_place) {
  for (double epsilon = 1e-9; epsilon < 1.0; epsilon *= 10.0)
    for (int first = 0; first < 2; first++) {
      track r = {.count = 2, .place = {0.4, first ? 0.3999 : 0.4001}, .epsilon = epsilon};
      matrix m = matrix_begin(2);
      matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(1), -1);
      m.silent[ESS_GUARD_UP(0)] = true;
      toy_log log;
      double x[2];
      const toy_end end = toy_succeeded(track_run(&r, &m, &log, x));
      assert_int_equal(end.counters.silent, 1);
      assert_int_equal(log.count, first);
      assert_true(fabs(x[1] - (first ? 0.6001 : 0.0)) < 1e-9);
    }
}

/* guard 1, silent, disarms guard 0, silent, which was passed just before: both are crossed */
TEST(they_are_crossed_in_their_order) {
  for (int swap = 0; swap < 2; swap++)
    for (double gap = 1e-12; gap < 0.1; gap *= 10.0) {
      track r = {.count = 3, .epsilon = 1e-3, .place = {[2] = 2.0}};
      const size_t early = swap ? 1 : 0, late = 1 - early;
      r.place[early] = 0.4;
      r.place[late] = 0.4 + gap;
      matrix m = matrix_begin(3);
      matrix_add(&m, ESS_GUARD_UP(late), ESS_GUARD_UP(early), -1);
      m.silent[ESS_GUARD_UP(0)] = m.silent[ESS_GUARD_UP(1)] = true;
      toy_log log;
      double x[2];
      const toy_end end = toy_succeeded(track_run(&r, &m, &log, x));
      assert_int_equal(end.counters.silent, 2);
    }
}

/* a ball's flight takes it over a silent level and back in one step; the way down arms the guard at
 * half that height */
TEST(touched_and_left_within_a_step) {
  for (double level = 0.1; level < 1.0; level += 0.1) {
    balls b = balls_of(1, 3);
    b.level[1] = level;
    b.level[2] = 0.5 * level;
    ess_system system = balls_system(&b);
    matrix r = matrix_begin(3);
    matrix_add(&r, ESS_GUARD_UP(1), ESS_GUARD_UP(2), 1);
    matrix_add(&r, ESS_GUARD_DOWN(1), ESS_GUARD_UP(1), 1);
    r.silent[ESS_GUARD_DOWN(1)] = r.silent[ESS_GUARD_UP(1)] = true;
    system.resets = matrix_end(&r);
    toy_log log;
    ess_options options = ess_options_paper();
    options.epsilon = 1e-6;
    options.observer = toy_observer(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    matrix_free(&r);
    // tossed up at speed 2
    double x[2] = {1e-12, 2.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.999, x), ESS_SUCCESS);
    assert_int_equal(ess_driver_counters(d)->silent, 2);
    assert_true(log.count == 2 && log.direction[0] == -1 && log.direction[1] == 1);
    assert_true(fabs(log.time[1] - (1.0 + sqrt(1.0 - 0.5 * level))) < 1e-9);
    ess_driver_free(d);
  }
}

/* limits and chatter count them too: no endless loop of crossings that nobody hears of */
TEST(a_pair_at_odds_ends_with_a_status) {
  track r = {.count = 2, .place = {0.4, 2.0}, .epsilon = 1e-3};
  matrix m = matrix_begin(2);
  // crossing guard 0 arms it anew, though the state is past it
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(0), 1);
  m.silent[ESS_GUARD_UP(0)] = true;
  toy_log log;
  double x[2];
  const toy_end end = track_run(&r, &m, &log, x);
  assert_int_equal(end.status, ESS_ECHATTER);
  assert_int_equal(end.failure.guard, 0);
  assert_int_equal(log.count, 0);
}

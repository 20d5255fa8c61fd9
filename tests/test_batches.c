/*
 * Crossings made together in one projection: which they are, that each is made and told of once and
 * in order, and how a run may end among them. Their error is in test_together.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"
#include "lanes.h"
#include "matrix.h"

/* ---- hundreds of balls ----------------------------------------------------------------------- */

enum { MANY = 200 };

/* every ball's touch-down, as it was told of */
typedef struct told {
  size_t count, guard[MANY], distinct;
  double time[MANY];
} told;

static int hear(const ess_crossing_info *info, void *context) {
  told *const t = context;
  assert_in_range(t->count, 0, MANY - 1);
  assert_int_equal(info->direction, 1);
  t->distinct += !t->count || info->t > t->time[t->count - 1];
  t->guard[t->count] = info->guard;
  t->time[t->count++] = info->t;
  return 0;
}

/* all fall at one speed: the lower one is the first, whatever the projection */
static void check_told(const told *t, const double x0[], double together) {
  bool heard[MANY] = {false};
  assert_int_equal(t->count, MANY);
  for (size_t i = 0; i < MANY; i++) {
    assert_false(heard[t->guard[i]]);
    heard[t->guard[i]] = true;
    // at the mean of times that lie within `together`, and off by what projection is
    assert_true(fabs(t->time[i] - sqrt(x0[2 * t->guard[i]])) < 1.01 * together + 1e-4);
    if (!i) continue;
    assert_true(t->time[i] >= t->time[i - 1]);
    assert_true(x0[2 * t->guard[i]] > x0[2 * t->guard[i - 1]]);
  }
}

static void each_is_told_of_once_and_in_order(void **state) {
  (void)state;
  size_t before = MANY + 1;
  for (double together = 1e-6; together < 0.02; together *= 10.0)
    for (int order = 1; order <= 2; order++) {
      balls b = balls_of(MANY, MANY);
      const ess_system system = balls_system(&b);
      told t = {0};
      ess_options options = ess_options_default();
      options.epsilon = 0.01;
      options.order = order;
      options.together = together;
      options.observer = (ess_observer){.crossing = hear, .context = &t};
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x0[2 * MANY], x[2 * MANY], now = 0.0;
      balls_drop(&b, 1.0, 0.02, x0);
      memcpy(x, x0, sizeof x);
      assert_int_equal(ess_driver_apply(d, &now, 1.1, x), ESS_SUCCESS);
      check_told(&t, x0, together);
      assert_int_equal(ess_driver_counters(d)->projections, t.distinct);
      assert_int_equal(ess_driver_counters(d)->crossings, MANY);
      if (order == 1) assert_true(t.distinct <= before);
      if (order == 1) before = t.distinct;
      ess_driver_free(d);
    }
  // all in a few
  assert_in_range(before, 1, 5);
}

static void a_time_below_every_gap_changes_nothing(void **state) {
  (void)state;
  balls b = balls_of(17, 17);
  const ess_system system = balls_system(&b);
  for (int order = 1; order <= 2; order++) {
    balls_trace trace[2];
    ess_counters counters[2];
    for (int i = 0; i < 2; i++) {
      ess_options options = ess_options_default();
      options.order = order;
      options.epsilon = 0.05;
      options.together = i ? 1e-9 : 0.0;
      options.observer = balls_observer(&b, &trace[i]);
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[34], t = 0.0;
      balls_drop(&b, 0.3, 0.3, x);
      assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_SUCCESS);
      counters[i] = *ess_driver_counters(d);
      ess_driver_free(d);
    }
    assert_true(trace[0].crossings > 34 && trace[0].hash == trace[1].hash);
    assert_memory_equal(&counters[0], &counters[1], sizeof counters[0]);
  }
}

/* ---- a few guards along a track ----------------------------------------------------------------
 */

/* together 0.1 and neighbourhoods of everything unless said otherwise */
static ess_options wide(toy_log *log) {
  ess_options options = ess_options_default();
  options.epsilon = 10.0;
  options.together = 0.1;
  options.observer = toy_observer(log);
  return options;
}

static const lanes five = {
    .count = 5, .offset = {0.5, 0.52, 0.54, 0.56, 0.58}, .jump = {1.0, 1.0, 1.0, 1.0, 1.0}};

static void one_projection_to_the_mean(void **state) {
  (void)state;
  lanes l = five;
  const ess_system system = lanes_system(&l);
  toy_log log;
  const ess_options options = wide(&log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0, states[6];
  const double times[] = {0.25, 0.54, 1.0};
  assert_int_equal(ess_driver_sample(d, &t, 1.0, x, times, 3, states), ESS_SUCCESS);
  const ess_counters *const c = ess_driver_counters(d);
  assert_true(c->projections == 1 && c->crossings == 5 && log.count == 5);
  for (size_t i = 0; i < 5; i++) assert_true(log.guard[i] == i && fabs(log.time[i] - 0.54) < 1e-12);
  // fields that change alike: the mean is exact
  assert_true(fabs(x[1] - 5.0 * 0.46) < 1e-12);
  assert_true(fabs(states[0] - 0.25) < 1e-12 && states[1] == 0.0 && states[3] == 0.0);
  ess_driver_free(d);
}

static void those_outside_their_neighbourhoods_are_not_among_them(void **state) {
  (void)state;
  lanes l = five;
  const ess_system system = lanes_system(&l);
  const double epsilons[] = {10.0, 0.3, 10.0, 1e-3, 10.0};
  toy_log log;
  ess_options options = wide(&log);
  options.guard_epsilons = epsilons;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  // made from x0 = 0: guards 0, 2, 4 at their mean, 0.54; then 1, which lies behind; 3 by itself
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  static const size_t order[] = {0, 2, 4, 1, 3};
  assert_int_equal(log.count, 5);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_true(fabs(log.time[3] - 0.54) < 1e-12 && fabs(log.time[4] - 0.56) < 1e-12);
  ess_driver_free(d);
}

static void crossings_at_one_time_are_told_of_by_index(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    lanes l = {.count = 6, .offset = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}};
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    options.together = i ? 0.1 : 0.0;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    for (size_t k = 0; k < 6; k++) assert_int_equal(log.guard[k], k);
    ess_driver_free(d);
  }
}

/* ---- a run that ends among them ----------------------------------------------------------------
 */

static void a_limit_on_crossings_leaves_the_rest_for_later(void **state) {
  (void)state;
  for (uint64_t limit = 1; limit < 5; limit++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    options.max_crossings = limit;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_EMAXCROSSINGS);
    assert_int_equal(ess_driver_failure(d)->guard, limit);
    assert_true(fabs(t - 0.54) < 1e-12 && fabs(x[0] - 0.54) < 1e-12);
    for (size_t k = 0; k < 5; k++) assert_true(ess_driver_sign(d)[k] == (k < limit ? 1.0 : -1.0));
    for (int i = 0; i < 5 && t < 1.0; i++) ess_driver_apply(d, &t, 1.0, x);
    assert_true(t == 1.0 && log.count == 5);
    for (size_t k = 0; k < 5; k++) assert_true(log.guard[k] == k);
    assert_int_equal(ess_driver_counters(d)->crossings, 5);
    ess_driver_free(d);
  }
}

typedef struct stopper {
  toy_log log;
  size_t at; /* the crossing to stop at */
} stopper;

static int stop_there(const ess_crossing_info *info, void *context) {
  stopper *const s = context;
  toy_crossing(info, &s->log);
  return s->log.count == s->at;
}

static void an_observer_may_stop_among_them(void **state) {
  (void)state;
  for (size_t at = 1; at <= 5; at++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    stopper s = {.at = at};
    ess_options options = wide(&s.log);
    options.observer = (ess_observer){.crossing = stop_there, .context = &s};
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ESTOP);
    assert_int_equal(ess_driver_failure(d)->guard, at - 1);
    assert_int_equal(s.log.count, at);
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_int_equal(s.log.count, 5);
    for (size_t k = 0; k < 5; k++) assert_int_equal(s.log.guard[k], k);
    ess_driver_free(d);
  }
}

static void each_must_be_live(void **state) {
  (void)state;
  lanes l = five;
  l.scale[3] = 0.25;
  l.offset[3] *= 0.25;
  const ess_system system = lanes_system(&l);
  toy_log log;
  ess_options options = wide(&log);
  options.liveness = 0.5;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_ELIVENESS);
  assert_int_equal(ess_driver_failure(d)->guard, 3);
  assert_true(log.count == 0 && t == 0.0);
  ess_driver_free(d);
}

static void none_is_made_past_the_end(void **state) {
  (void)state;
  for (double end = 0.505; end < 0.6; end += 0.01)
    for (int order = 1; order <= 2; order++) {
      lanes l = five;
      const ess_system system = lanes_system(&l);
      toy_log log;
      ess_options options = wide(&log);
      options.order = order;
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      double x[2] = {0.0, 0.0}, t = 0.0;
      assert_int_equal(ess_driver_apply(d, &t, end, x), ESS_SUCCESS);
      size_t before = 0;
      for (size_t k = 0; k < 5; k++) before += l.offset[k] <= end;
      assert_true(t == end && log.count == before);
      assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
      assert_int_equal(log.count, 5);
      for (size_t k = 0; k < 5; k++) assert_int_equal(log.guard[k], k);
      assert_true(fabs(x[1] - 5.0 * 0.46) < 1e-12);
      ess_driver_free(d);
    }
}

/* the last of them lies at the end itself */
static void they_may_end_at_the_end(void **state) {
  (void)state;
  for (size_t last = 0; last < 5; last++) {
    lanes l = five;
    const ess_system system = lanes_system(&l);
    toy_log log;
    ess_options options = wide(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, l.offset[last], x), ESS_SUCCESS);
    assert_int_equal(log.count, last + 1);
    ess_driver_free(d);
  }
}

/* ---- crossings that concern one another --------------------------------------------------------
 */

/* runs `five` under a matrix and lists the crossings */
static void run_matrix(matrix *m, toy_log *log, ess_counters *counters) {
  lanes l = five;
  ess_system system = lanes_system(&l);
  system.resets = matrix_end(m);
  const ess_options options = wide(log);
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  matrix_free(m);
  double x[2] = {0.0, 0.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  *counters = *ess_driver_counters(d);
  ess_driver_free(d);
}

static void one_may_disarm_another(void **state) {
  (void)state;
  toy_log log;
  ess_counters c;
  matrix m = matrix_begin(5);
  // those still to come are not crossed then; those crossed already were
  matrix_add(&m, ESS_GUARD_UP(1), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(1), ESS_GUARD_UP(0), -1);
  matrix_add(&m, ESS_GUARD_UP(2), ESS_GUARD_UP(4), -1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(1), -1);
  run_matrix(&m, &log, &c);
  static const size_t order[] = {0, 1, 3, 4};
  assert_int_equal(log.count, 4);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_int_equal(c.projections, 1);
}

static void one_may_turn_another_round_or_arm_it_again(void **state) {
  (void)state;
  toy_log log;
  ess_counters c;
  matrix m = matrix_begin(5);
  // 1 is now to be crossed from the other side, which the state recedes from; 2 is armed as before;
  // 3 arms 0 again, which lies behind: it is crossed at once, once more, and with it 2
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_DOWN(1), 1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), -1);
  matrix_add(&m, ESS_GUARD_UP(0), ESS_GUARD_UP(2), 1);
  matrix_add(&m, ESS_GUARD_UP(3), ESS_GUARD_UP(0), 1);
  run_matrix(&m, &log, &c);
  static const size_t order[] = {0, 2, 3, 4, 0, 2};
  assert_int_equal(log.count, 6);
  assert_memory_equal(log.guard, order, sizeof order);
  assert_true(log.time[4] == log.time[3] && log.time[5] == log.time[3]);
}

static void silent_ones_among_them_take_their_turn(void **state) {
  (void)state;
  for (size_t silent = 0; silent < 5; silent++) {
    toy_log log;
    ess_counters c;
    matrix m = matrix_begin(5);
    m.silent[ESS_GUARD_UP(silent)] = true;
    // disarms all others: those before it are made, those behind it are not
    for (size_t k = 0; k < 5; k++)
      if (k != silent) matrix_add(&m, ESS_GUARD_UP(silent), ESS_GUARD_UP(k), -1);
    run_matrix(&m, &log, &c);
    assert_true(c.silent == 1 && log.count == silent && c.crossings == silent);
    for (size_t k = 0; k < log.count; k++) assert_int_equal(log.guard[k], k);
    // it has no share in the mean
    if (silent) assert_true(fabs(log.time[0] - 0.54) < 0.03);
  }
}

/* x1 is thrown back at guard 0, x1 = 0, and guard 1 lies there too, or a little further on */
static int at_odds_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  (void)t;
  (void)x;
  (void)params;
  dxdt[0] = 0.0;
  dxdt[1] = sign[0] > 0.0 ? -1.0 : 1.0;
  return 0;
}

/* at one place nothing moves on; at two, made together, each throw takes half the way between them
 * or so, and the run comes to its end near them */
static void guards_at_odds_end_the_run(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    const double apart = i / 2 ? 0.01 : 0.0;
    lanes l = {.count = 2, .offset = {0.0, apart}, .scale = {1e-300, 1e-300}, .slope = {1.0, 1.0}};
    ess_system system = lanes_system(&l);
    system.field = at_odds_field;
    toy_log log;
    ess_options options = wide(&log);
    options.order = 1 + i % 2;
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, -0.25}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 3.0, x), apart > 0.0 ? ESS_SUCCESS : ESS_ECHATTER);
    if (apart > 0.0) assert_in_range(log.count, 100, 110000);
    if (apart == 0.0) assert_true(fabs(t - 0.25) < 1e-9 && ess_driver_failure(d)->guard < 2);
    assert_true(x[1] > -1e-12 && x[1] < apart + 1e-12);
    ess_driver_free(d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_told_of_once_and_in_order),
      cmocka_unit_test(a_time_below_every_gap_changes_nothing),
      cmocka_unit_test(one_projection_to_the_mean),
      cmocka_unit_test(those_outside_their_neighbourhoods_are_not_among_them),
      cmocka_unit_test(crossings_at_one_time_are_told_of_by_index),
      cmocka_unit_test(a_limit_on_crossings_leaves_the_rest_for_later),
      cmocka_unit_test(an_observer_may_stop_among_them),
      cmocka_unit_test(each_must_be_live),
      cmocka_unit_test(none_is_made_past_the_end),
      cmocka_unit_test(they_may_end_at_the_end),
      cmocka_unit_test(one_may_disarm_another),
      cmocka_unit_test(one_may_turn_another_round_or_arm_it_again),
      cmocka_unit_test(silent_ones_among_them_take_their_turn),
      cmocka_unit_test(guards_at_odds_end_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

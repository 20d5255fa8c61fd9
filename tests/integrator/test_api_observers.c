/*
 * What observers are told, and when: in the order of time, after acceptance; and where a run that
 * they stop stands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "balls.h"

enum { COUNT = 12, TOLD = 4096, METHODS = 3 };

/* one tolerance; the paper's method; and as location */
static ess_options options_of(int method) {
  ess_options options = method ? ess_options_paper() : ess_options_default();
  if (method == 2) options.epsilon = 1e-9;
  return options;
}

/* everything that is told, a step as SIZE_MAX */
typedef struct told {
  size_t count, guard[TOLD];
  int direction[TOLD];
  double time[TOLD], end[TOLD], x[2 * COUNT], sign[COUNT];
  size_t stop; /* at this message; SIZE_MAX: never */
} told;

static int message(told *l, size_t guard, int direction, double t, double end, const double x[]) {
  assert_true(l->count < TOLD);
  l->guard[l->count] = guard;
  l->direction[l->count] = direction;
  l->time[l->count] = t;
  l->end[l->count] = end;
  memcpy(l->x, x, sizeof l->x);
  return l->count++ == l->stop;
}

ON_STEP_CODE(tell_step) {
  return message(context, SIZE_MAX, 0, info->t0, info->t1, info->x);
}

ON_CROSSING_CODE(tell_crossing) {
  told *const l = context;
  memcpy(l->sign, info->sign, sizeof l->sign);
  return message(l, info->guard, info->direction, info->t, info->t, info->x);
}

/* balls dropped from about one height, so that their touch-downs are a cluster; stopped at a
 * message, and resumed to the end when asked to */
static int bounce(int method, told *l, bool resumed, double x[2 * COUNT]) {
  balls b = balls_of(COUNT, COUNT);
  const ess_system system = balls_system(&b);
  ess_options options = options_of(method);
  options.observer = (ess_observer){.step = tell_step, .crossing = tell_crossing, .context = l};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0;
  balls_drop(&b, 0.5, 0.003, x);
  const int status = ess_driver_apply(d, &t, 2.0, x);
  if (status == ESS_ESTOP) {
    // the run stands where the last message says
    const size_t last = l->count - 1;
    assert_int_equal(l->count, l->stop + 1);
    assert_true(t == l->end[last] && ess_driver_failure(d)->time == t);
    assert_memory_equal(x, l->x, sizeof l->x);
    if (l->guard[last] != SIZE_MAX) {
      assert_memory_equal(ess_driver_sign(d), l->sign, sizeof l->sign);
      assert_int_equal(ess_driver_failure(d)->guard, l->guard[last]);
    }
    if (resumed) assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  }
  ess_driver_free(d);
  return status;
}

/* a step at its end, and before what is crossed there: nothing is told before its time or late */
TEST(all_is_told_in_the_order_of_time) {
  for (int method = 0; method < METHODS; method++) {
    static told l;
    memset(&l, 0, sizeof l);
    l.stop = SIZE_MAX;
    double x[2 * COUNT], reached = 0.0;
    assert_int_equal(bounce(method, &l, false, x), ESS_SUCCESS);
    double sign[COUNT];
    for (int k = 0; k < COUNT; k++) sign[k] = -1.0;
    for (size_t i = 0; i < l.count; i++) {
      assert_true(l.end[i] >= reached);
      if (l.guard[i] == SIZE_MAX && l.time[i] < l.end[i]) assert_true(l.end[i] > reached);
      reached = l.end[i];
      if (l.guard[i] == SIZE_MAX) continue;
      assert_true(sign[l.guard[i]] == -l.direction[i]);
      sign[l.guard[i]] = l.direction[i];
    }
    assert_true(l.end[l.count - 1] == 2.0);
  }
}

TEST(a_run_stops_where_it_is_told_to) {
  for (int method = 0; method < METHODS; method++) {
    static told whole, l;
    memset(&whole, 0, sizeof whole);
    whole.stop = SIZE_MAX;
    double end[2 * COUNT], x[2 * COUNT];
    assert_int_equal(bounce(method, &whole, false, end), ESS_SUCCESS);
    size_t crossings = 0;
    for (size_t i = 0; i < whole.count; i++) crossings += whole.guard[i] != SIZE_MAX;
    assert_true(crossings >= 2 * COUNT);
    for (size_t stop = 0; stop < whole.count; stop++) {
      memset(&l, 0, sizeof l);
      l.stop = stop;
      assert_int_equal(bounce(method, &l, true, x), ESS_ESTOP);
      // until then nothing is different, and all that follows is told once
      assert_memory_equal(l.guard, whole.guard, (stop + 1) * sizeof *l.guard);
      assert_memory_equal(l.time, whole.time, (stop + 1) * sizeof *l.time);
      size_t told_of = 0;
      for (size_t i = 0; i < l.count; i++) told_of += l.guard[i] != SIZE_MAX;
      if (told_of != crossings)
        fail_msg("%d: stop at %zu: %zu, %zu", method, stop, told_of, crossings);
      for (int i = 0; i < 2 * COUNT; i++) assert_true(fabs(x[i] - end[i]) < (method ? 1e-3 : 1e-5));
    }
  }
}

/* told, and stopped, at the end of each step */
ON_STEP_CODE(stop_each) {
  size_t *const steps = context;
  ++*steps;
  return 1;
}

/* one step for each apply: what is crossed where a step ends is crossed by the next apply */
TEST(a_run_goes_on_step_by_step) {
  for (int method = 0; method < METHODS; method++)
    for (double height = 0.4; height < 0.6; height += 0.01) {
      balls b = balls_of(COUNT, COUNT);
      const ess_system system = balls_system(&b);
      size_t steps = 0, applies = 0;
      ess_options options = options_of(method);
      double t = 0.0, until = 0.0, x[2 * COUNT], end[2 * COUNT];

      ess_driver *const plain = ess_driver_alloc(&system, &options, NULL);
      balls_drop(&b, height, 0.003, end);
      assert_int_equal(ess_driver_apply(plain, &until, 2.0, end), ESS_SUCCESS);

      options.observer = (ess_observer){.step = stop_each, .context = &steps};
      ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
      balls_drop(&b, height, 0.003, x);
      while (ess_driver_apply(d, &t, 2.0, x) == ESS_ESTOP) assert_true(++applies < 10000);
      assert_true(t == 2.0);
      // one that is no longer than rounding is told, and does not stop
      assert_true(steps >= applies && steps <= 2 * applies);
      assert_int_equal(ess_driver_counters(d)->crossings, ess_driver_counters(plain)->crossings);
      for (int i = 0; i < 2 * COUNT; i++) assert_true(fabs(x[i] - end[i]) < (method ? 1e-3 : 1e-5));
      ess_driver_free(plain);
      ess_driver_free(d);
    }
}

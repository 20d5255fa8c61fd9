/*
 * Time that goes backward: runs return to where they began, and all who are told times are told the
 * caller's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <string.h>

#include "ess_tangents.h"
#include "toy.h"

/* a mass between springs that it touches at +1 and -1, and one of its own that is driven */
FIELD(field) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0] + 0.3 * sin(2.0 * t);
  if (sign[0] > 0.0) dxdt[1] -= 40.0 * (x[0] - 1.0);
  if (sign[1] > 0.0) dxdt[1] -= 40.0 * (x[0] + 1.0);
}

GUARDS(guards) {
  h[0] = x[0] - 1.0;
  h[1] = -1.0 - x[0];
}

GUARD_RATES_CODE(rates) {
  rate[0] = v[0];
  rate[1] = -v[0];
  return guards(t, x, h, params);
}

/* what observers are told, which has to go from one time to the other, step by step */
typedef struct told {
  ess_driver *driver;
  double t, way, x[2];
  int steps, crossings, stop_after;
  bool is_right;
} told;

ON_STEP(on_step) {
  told *const o = context;
  double x[2];
  o->steps++;
  o->is_right = o->is_right && info->t0 == o->t && (info->t1 - info->t0) * o->way > 0.0;
  o->is_right = o->is_right && ess_driver_step_start(o->driver) == info->t0;
  // the step's polynomial, from within it: it ends as the steps do, and is what it began with
  o->is_right = o->is_right && !ess_driver_dense(o->driver, info->t0, x) && x[0] == o->x[0];
  o->is_right = o->is_right && !ess_driver_dense(o->driver, info->t1, x) && x[1] == info->x[1];
  const double middle = 0.5 * (info->t0 + info->t1);
  o->is_right = o->is_right && !ess_driver_dense(o->driver, middle, x);
  const double chord = 0.5 * (o->x[0] + info->x[0]), span = fabs(info->t1 - info->t0);
  o->is_right = o->is_right && fabs(x[0] - chord) <= 10.0 * span * span + 1e-9;
  o->is_right =
      o->is_right && ess_driver_dense(o->driver, info->t1 + o->way * span, x) == ESS_EINVAL;
  o->t = info->t1;
  memcpy(o->x, info->x, sizeof o->x);
}

ON_CROSSING_CODE(on_crossing) {
  told *const o = context;
  o->is_right = o->is_right && fabs(info->t - o->t) < 1e-9;
  o->is_right = o->is_right && info->direction == (info->sign[info->guard] > 0.0 ? 1 : -1);
  return ++o->crossings == o->stop_after;
}

static ess_system springs(void) {
  return (ess_system){
      .dimension = 2, .guard_count = 2, .field = field, .guards = guards, .guard_rates = rates};
}

TEST(it_returns_to_where_it_began) {
  ess_options options = toy_options(1e-12);
  told o = {.t = 2.0, .way = 1.0, .x = {0.4, 1.8}, .is_right = true};
  options.observer = (ess_observer){.step = on_step, .context = &o};
  const ess_system system = springs();
  ess_driver *const d = o.driver = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.4, 1.8}, t = 2.0;
  assert_int_equal(ess_driver_follow(d, 2, NULL), ESS_SUCCESS);
  assert_int_equal(ess_driver_apply(d, &t, 9.0, x), ESS_SUCCESS);
  assert_true(o.is_right && o.t == 9.0);
  const uint64_t crossings = ess_driver_counters(d)->crossings;
  assert_true(crossings >= 6);
  o.way = -1.0;
  double times[40], states[80];
  for (int i = 0; i < 40; i++) times[i] = 9.0 - 7.0 * i / 39.0;
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, times, 40, states), ESS_SUCCESS);
  assert_true(o.is_right && o.t == 2.0 && t == 2.0);
  assert_int_equal(ess_driver_counters(d)->crossings, 2 * crossings);
  assert_true(fabs(x[0] - 0.4) < 1e-9 && fabs(x[1] - 1.8) < 1e-9);
  const double *const D = ess_driver_tangent(d);
  for (int i = 0; i < 4; i++) assert_true(fabs(D[i] - (i % 3 == 0)) < 1e-5);
  // the samples are those of the way there
  assert_true(states[78] == x[0] && states[79] == x[1]);
  ess_driver_reset(d);
  options.observer = (ess_observer){0};
  assert_int_equal(ess_driver_set_options(d, &options), ESS_SUCCESS);
  for (int i = 38; i >= 0; i--) {
    assert_int_equal(ess_driver_apply(d, &t, times[i], x), ESS_SUCCESS);
    assert_true(fabs(x[0] - states[2 * i]) < 1e-8 && fabs(x[1] - states[2 * i + 1]) < 1e-7);
  }
  ess_driver_free(d);
}

/* stopped at a crossing, and turned around there, it makes that crossing the other way */
TEST(it_turns_around_on_a_crossing) {
  told o = {.t = 0.0, .way = 1.0, .x = {0.4, 1.8}, .is_right = true, .stop_after = 2};
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.step = on_step, .crossing = on_crossing, .context = &o};
  const ess_system system = springs();
  ess_driver *const d = o.driver = ess_driver_alloc(&system, &options, NULL);
  double x[2] = {0.4, 1.8}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 9.0, x), ESS_ESTOP);
  assert_true(fabs(x[0] - 1.0) < 1e-8 && o.is_right);
  o.way = -1.0;
  o.stop_after = 0;
  assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_SUCCESS);
  assert_true(t == 0.0 && fabs(x[0] - 0.4) < 1e-6 && fabs(x[1] - 1.8) < 1e-6);
  assert_true(o.is_right);
  ess_driver_free(d);
}

FIELD_CODE(fails) {
  dxdt[0] = x[0];
  return t < 1.0 ? 7 : 0;
}

TEST(failures_are_told_at_their_time) {
  const ess_system system = {.dimension = 1, .field = fails};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {1.0}, t = 3.0;
  assert_int_equal(ess_driver_apply(d, &t, 0.0, x), ESS_ECALLBACK);
  const ess_failure *const failure = ess_driver_failure(d);
  assert_true(failure->time < 1.0 && failure->time >= 0.0 && t >= 1.0 && t < 3.0);
  const double ascending[] = {1.5, 2.0}, outside[] = {3.5, 2.0};
  double states[2];
  t = 3.0;
  assert_int_equal(ess_driver_sample(d, &t, 1.0, x, ascending, 2, states), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "descend"));
  assert_int_equal(ess_driver_sample(d, &t, 1.0, x, outside, 2, states), ESS_EINVAL);
  assert_non_null(strstr(ess_driver_failure(d)->reason, "[t1, *t]"));
  assert_true(ess_driver_failure(d)->time == 3.0);
  ess_driver_free(d);
}

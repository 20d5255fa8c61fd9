/*
 * Awkward cases at a run's ends: starts exactly on a guard, crossings and projections that end
 * exactly at t1 or one rounding later.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "awkward.h"
#include "lanes.h"

/* Outcome: a guard the state starts on is behind when the field points up through it, and is no
 * crossing; the field is that beyond it from the start. */
CASE(start_on_a_guard_going_up) {
  lanes l = {.count = 2, .offset = {0.0, 0.5}, .jump = {1.0, 0.0}};
  for (double epsilon = 1e-12; epsilon < 10.0; epsilon *= 100.0) {
    toy_log log;
    assert_true(fabs(run_lanes(&l, epsilon, order, &log) - 1.0) < 4.0 * DBL_EPSILON);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.guard[0], 1);
  }
}

/* Outcome: when the field points down through it the state is below from the start: the sign is -1
 * and nothing is crossed, by mirrored pairs as by one-way guards. */
CASE(start_on_a_guard_going_down) {
  for (int one_way = 0; one_way < 2; one_way++) {
    lanes l = {.count = 1, .offset = {0.0}, .scale = {-1.0}, .jump = {1.0}};
    ess_system system = lanes_system(&l);
    system.one_way = one_way;
    ess_options options = toy_paper(order);
    toy_log log;
    options.observer = toy_observer(&log);
    double x[2] = {0.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
    assert_int_equal(log.count, 0);
    assert_true(end.sign[0] == -1.0);
    assert_true(fabs(x[0] - 1.0) < 4.0 * DBL_EPSILON && x[1] == 0.0);
  }
}

/* a ball at rest on h = z = 0 that falls or rises; x2 counts the time below */
FIELD(resting_field) {
  dxdt[0] = x[1];
  dxdt[1] = *(const double *)params;
  dxdt[2] = sign[0] < 0.0 ? 1.0 : 0.0;
}

PLANES(resting, 3, (x[0]), (0.0));

/* Outcome: at rest on a guard, where the rate is zero, the side is that to which the state is
 * accelerated; no crossing. */
CASE(start_at_rest_on_a_guard) {
  for (double acceleration = -1.0; acceleration <= 1.0; acceleration += 2.0) {
    double params = acceleration;
    const ess_system system = {
        .dimension = 3, .guard_count = 1, OF_JACOBIAN(resting), .params = &params};
    ess_options options = toy_paper(order);
    toy_log log;
    options.observer = toy_observer(&log);
    options.h_init = 0.2;
    double x[3] = {0.0, 0.0, 0.0};
    const toy_end end = toy_succeeds(&system, &options, 0.0, 1.0, x);
    assert_int_equal(log.count, 0);
    assert_true(end.sign[0] == acceleration);
    assert_true(fabs(x[2] - (acceleration < 0.0 ? 1.0 : 0.0)) < 1e-12);
  }
}

/* Outcome: a crossing at t1 = 1, up to the rounding of the way there, is made once: in the run that
 * ends there or at the start of the next; t is t1 exactly, the state never beyond the guard. */
CASE(crossing_exactly_at_t1) {
  for (double epsilon = 1e-12; epsilon < 10.0; epsilon *= 10.0) {
    lanes l = {.count = 1, .offset = {1.0}, .jump = {1.0}};
    const ess_system system = lanes_system(&l);
    ess_options options = toy_paper(order);
    options.epsilon = epsilon;
    toy_log log;
    options.observer = toy_observer(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    double x[2] = {0.0, 0.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
    assert_true(t == 1.0 && fabs(x[0] - 1.0) <= 4.0 * DBL_EPSILON);
    assert_true(fabs(x[1]) <= 4.0 * DBL_EPSILON);
    assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
    assert_int_equal(log.count, 1);
    assert_true(fabs(log.time[0] - 1.0) <= 4.0 * DBL_EPSILON);
    assert_true(fabs(x[1] - 1.0) <= 8.0 * DBL_EPSILON);
    ess_driver_free(d);
  }
}

/* one guard at 1/4 that is inside from the start, so that its projection lasts 1/4 to the last bit
 */
static void run_quarter(double t1, int order, toy_log *log, ess_driver **d, double x[2],
                        double *t) {
  static lanes l = {.count = 1, .offset = {0.25}, .jump = {1.0}};
  const ess_system system = lanes_system(&l);
  ess_options options = toy_paper(order);
  options.epsilon = 0.5;
  options.observer = toy_observer(log);
  *d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(*d);
  x[0] = x[1] = *t = 0.0;
  assert_int_equal(ess_driver_apply(*d, t, t1, x), ESS_SUCCESS);
  assert_true(*t == t1);
}

/* Outcome: a projection that ends at t1 to the last bit is made: one crossing, no integration step,
 * the state on the guard, and none again in the next run. */
CASE(projection_ending_exactly_at_t1) {
  toy_log log;
  ess_driver *d;
  double x[2], t;
  run_quarter(0.25, order, &log, &d, x, &t);
  assert_int_equal(log.count, 1);
  assert_true(log.time[0] == 0.25 && x[0] == 0.25 && x[1] == 0.0);
  assert_int_equal(ess_driver_counters(d)->steps, 0);
  assert_true(ess_driver_sign(d)[0] == 1.0);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(log.count, 1);
  assert_true(fabs(x[1] - 0.75) <= 4.0 * DBL_EPSILON);
  ess_driver_free(d);
}

/* Outcome: with t1 one rounding earlier the projection is not made in this run, which ends at t1
 * before the guard, but at the start of the next. */
CASE(projection_ending_one_rounding_after_t1) {
  toy_log log;
  ess_driver *d;
  double x[2], t;
  run_quarter(nextafter(0.25, 0.0), order, &log, &d, x, &t);
  assert_int_equal(log.count, 0);
  assert_true(x[0] < 0.25 && x[1] == 0.0);
  assert_true(ess_driver_sign(d)[0] == -1.0);
  assert_int_equal(ess_driver_apply(d, &t, 1.0, x), ESS_SUCCESS);
  assert_int_equal(log.count, 1);
  assert_true(fabs(log.time[0] - 0.25) <= DBL_EPSILON);
  assert_true(fabs(x[1] - 0.75) <= 4.0 * DBL_EPSILON);
  ess_driver_free(d);
}

/* Outcome: a falling ball lands at t = 1; its projection along the tangent would from epsilon above
 * ground end later, past this t1. It is not made: the crossing is located, and comes at t = 1. */
CASE(projection_ending_past_t1) {
  for (double epsilon = 0.2; epsilon > 1e-4; epsilon *= 0.3) {
    // at height epsilon, 1 - sqrt(1 - epsilon) is left of the unit time at speed 2 sqrt(...)
    const double entry = sqrt(1.0 - epsilon), landing = entry + 0.5 * epsilon / entry;
    toy_ball ball = {.stiffness = 50.0};
    const ess_system system = ball_system(&ball);
    ess_options options = toy_paper(order);
    options.epsilon = epsilon;
    options.rtol = 1e-12;
    options.atol = 1e-13;
    toy_log log;
    options.observer = toy_observer(&log);
    const double t1 = 1.0 + 0.5 * (landing - 1.0);
    double x[2] = {1.0, 0.0}, exact[2];
    const toy_end end = toy_succeeds(&system, &options, 0.0, t1, x);
    assert_true(end.t == t1);
    assert_int_equal(log.count, 1);
    // located to a billionth of epsilon, at a speed of two
    assert_true(fabs(log.time[0] - 1.0) < 1e-9 * epsilon + 1e-11);
    ball_exact(&ball, 1.0, t1, exact);
    assert_true(hypot(x[0] - exact[0], x[1] - exact[1]) < 1e-9);
  }
}

/* a point thrown up at a ceiling at 0.2, so that it slows down on its way there */
FIELD(thrown_field) {
  dxdt[0] = x[1];
  dxdt[1] = -2.0;
}

PLANES(thrown, 2, (x[0]), (0.2));

/* Outcome: where the tangent, too fast, ends before t1 and the crossing comes after it, a
 * projection of order 1 is made; one of order 2, whose correction goes past t1, is not, but in the
 * next run. t1 is never passed. */
CASE(correction_ending_past_t1) {
  const ess_system system = {
      .dimension = 2, .guard_count = 1, OF(thrown), .guard_jacobian = toy_fall_jacobian};
  const double arrival = 0.5 - sqrt(0.05);
  for (double epsilon = 0.05; epsilon > 1e-4; epsilon *= 0.3) {
    const double entry = 0.5 - sqrt(0.05 + epsilon),
                 tangent = entry + epsilon / (1.0 - 2.0 * entry);
    ess_options options = toy_paper(order);
    options.epsilon = epsilon;
    toy_log log;
    options.observer = toy_observer(&log);
    ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
    const double t1 = 0.5 * (tangent + arrival);
    double x[2] = {0.0, 1.0}, t = 0.0;
    assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_SUCCESS);
    assert_true(t == t1);
    assert_int_equal(log.count, options.order == 1 ? 1 : 0);
    assert_int_equal(ess_driver_apply(d, &t, 0.4, x), ESS_SUCCESS);
    assert_int_equal(log.count, 1);
    assert_true(log.time[0] > tangent - 1e-9 && log.time[0] < arrival + 1e-9 + epsilon * epsilon);
    ess_driver_free(d);
  }
}

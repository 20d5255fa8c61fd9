/*
 * What is refused, and that the refusal names it: NULL arguments, times, tolerances, options
 * changed between applies.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "toy.h"

/* refused, with a reason that begins so, and the driver's time and state as they were */
static void refused(ess_driver *d, int status, const char *reason) {
  assert_int_equal(status, ESS_EINVAL);
  const ess_failure *const failure = ess_driver_failure(d);
  assert_int_equal(failure->status, ESS_EINVAL);
  assert_non_null(failure->reason);
  if (strncmp(failure->reason, reason, strlen(reason)) != 0) fail_msg("%s", failure->reason);
  assert_true(failure->guard == SIZE_MAX && failure->other_guard == SIZE_MAX);
}

TEST(nothing_is_no_driver) {
  double t = 0.0, x[2] = {1.0, 0.0};
  assert_int_equal(ess_driver_apply(NULL, &t, 1.0, x), ESS_EINVAL);
  assert_int_equal(ess_driver_sample(NULL, &t, 1.0, x, NULL, 0, NULL), ESS_EINVAL);
  assert_int_equal(ess_driver_set_options(NULL, NULL), ESS_EINVAL);
  refused(NULL, ESS_EINVAL, "driver must not be NULL");
  assert_null(ess_driver_counters(NULL));
  assert_null(ess_driver_sign(NULL));
  ess_driver_reset(NULL);
  ess_driver_free(NULL);
}

TEST(nothing_is_no_system_and_no_options) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  const ess_options options = ess_options_default();
  int status = 0;
  assert_string_equal(ess_check(NULL, &options), "system must not be NULL");
  assert_string_equal(ess_check(&system, NULL), "options must not be NULL");
  assert_null(ess_driver_alloc(NULL, &options, &status));
  assert_int_equal(status, ESS_EINVAL);
  status = 0;
  assert_null(ess_driver_alloc(&system, NULL, &status));
  assert_int_equal(status, ESS_EINVAL);
  assert_null(ess_driver_alloc(NULL, NULL, NULL));
}

TEST(each_argument_is_named) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  const double times[] = {1.0, 1.5}, early[] = {0.5, 1.5}, late[] = {1.5, 2.5};
  const double back[] = {1.5, 1.25}, unknown[] = {1.0, NAN};
  double t = 1.0, x[2] = {1.0, 0.0}, states[4];
  refused(d, ess_driver_apply(d, NULL, 2.0, x), "t must not be NULL");
  refused(d, ess_driver_apply(d, &t, 2.0, NULL), "x must not be NULL");
  assert_true(ess_driver_failure(d)->time == 1.0);
  refused(d, ess_driver_apply(d, &t, NAN, x), "t1 must be finite");
  refused(d, ess_driver_apply(d, &t, INFINITY, x), "t1 must be finite");
  refused(d, ess_driver_sample(d, &t, 2.0, x, NULL, 1, states), "times must not be NULL");
  refused(d, ess_driver_sample(d, &t, 2.0, x, times, 2, NULL), "states must not be NULL");
  refused(d, ess_driver_sample(d, &t, 2.0, x, early, 2, states), "times must lie within");
  refused(d, ess_driver_sample(d, &t, 2.0, x, late, 2, states), "times must lie within");
  refused(d, ess_driver_sample(d, &t, 2.0, x, back, 2, states), "times must ascend");
  refused(d, ess_driver_sample(d, &t, 2.0, x, unknown, 2, states), "times must");
  double bad_t = INFINITY, bad_x[2] = {1.0, NAN};
  refused(d, ess_driver_apply(d, &bad_t, 2.0, x), "*t must be finite");
  refused(d, ess_driver_apply(d, &t, 2.0, bad_x), "each of x must be finite");
  assert_true(t == 1.0 && x[0] == 1.0 && x[1] == 0.0);
  // a run that succeeds has no reason left
  assert_int_equal(ess_driver_apply(d, &t, 2.0, x), ESS_SUCCESS);
  assert_int_equal(ess_driver_failure(d)->status, ESS_SUCCESS);
  assert_null(ess_driver_failure(d)->reason);
  ess_driver_free(d);
}

/* ---- from within a run ----------------------------------------------------------------------- */

typedef struct meddler {
  ess_driver *driver;
  size_t refusals;
} meddler;

ON_STEP(meddle) {
  meddler *const m = context;
  const ess_options options = ess_options_default();
  double t = info->t1, x[2] = {0.0, 0.0};
  m->refusals += ess_driver_set_options(m->driver, &options) == ESS_EINVAL;
  m->refusals += ess_driver_apply(m->driver, &t, t + 1.0, x) == ESS_EINVAL;
  ess_driver_reset(m->driver);
}

TEST(a_run_is_not_changed_from_within) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  meddler m = {0};
  ess_options options = ess_options_default();
  options.observer = (ess_observer){.step = meddle, .context = &m};
  m.driver = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[2] = {1.0, 0.0}, exact[2];
  assert_int_equal(ess_driver_apply(m.driver, &t, 3.0, x), ESS_SUCCESS);
  assert_true(m.refusals > 4);
  assert_true(ess_driver_counters(m.driver)->steps >= m.refusals / 2);
  assert_int_equal(ess_driver_failure(m.driver)->status, ESS_SUCCESS);
  ball_exact(&ball, 1.0, 3.0, exact);
  assert_true(fabs(x[0] - exact[0]) < 1e-6);
  ess_driver_free(m.driver);
}

/* ---- tolerances ------------------------------------------------------------------------------ */

TEST(tolerances_are_checked_for_each_state) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  const double good[] = {1e-3, 0.0}, below[] = {1e-3, -1e-9}, one[] = {0.5, 1.0},
               nothing[] = {1e-3, 0.0}, infinite[] = {INFINITY, 1.0}, unknown[] = {1.0, NAN};
  ess_options options = ess_options_default();
  options.rtols = good;
  assert_null(ess_check(&system, &options));
  options.rtol = -1.0; // replaced
  assert_null(ess_check(&system, &options));
  options.rtols = below;
  assert_string_equal(ess_check(&system, &options), "each of rtols must be a number in [0, 1)");
  options.rtols = one;
  assert_string_equal(ess_check(&system, &options), "each of rtols must be a number in [0, 1)");
  options.rtols = good;
  options.atol = 0.0;
  assert_string_equal(ess_check(&system, &options),
                      "for each state, one of its rtol and atol must be > 0");
  options = ess_options_default();
  options.atols = nothing;
  assert_null(ess_check(&system, &options));
  options.rtol = 0.0;
  assert_non_null(strstr(ess_check(&system, &options), "for each state"));
  options.atols = infinite;
  assert_string_equal(ess_check(&system, &options), "each of atols must be a finite number >= 0");
  options.atols = unknown;
  assert_string_equal(ess_check(&system, &options), "each of atols must be a finite number >= 0");
  options = ess_options_default();
  options.method = (ess_method)7;
  assert_string_equal(ess_check(&system, &options),
                      "method must be ESS_METHOD_TOLERANCE or ESS_METHOD_PAPER");
  options = ess_options_default();
  options.base = (ess_base)7;
  assert_string_equal(
      ess_check(&system, &options),
      "base must be ESS_BASE_DOPRI5, ESS_BASE_RKC, ESS_BASE_CHOSEN, ESS_BASE_RODAS, "
      "ESS_BASE_ROS2 or ESS_BASE_CHOSEN_RODAS");
}

/* two oscillators that know nothing of one another, the second 1000 times as fast */
FIELD(pair_field) {
  dxdt[0] = x[1];
  dxdt[1] = -x[0];
  dxdt[2] = 1000.0 * x[3];
  dxdt[3] = -1000.0 * x[2];
  dxdt[4] = 0.0;
}

static uint64_t pair_steps(const ess_options *options, double error[2]) {
  const ess_system system = {.dimension = 5, .field = pair_field};
  double x[5] = {1.0, 0.0, 1.0, 0.0, 0.0};
  const toy_end end = toy_succeeds(&system, options, 0.0, 1.0, x);
  error[0] = fabs(x[0] - cos(1.0));
  error[1] = fabs(x[2] - cos(1000.0));
  const uint64_t steps = end.counters.steps;
  return steps;
}

TEST(a_state_has_its_own_tolerance) {
  ess_options options = toy_options(1e-9);
  double scalar[2], same[2], fine[2], coarse[2];
  const uint64_t steps = pair_steps(&options, scalar);
  // the same for each is the same, to the last bit
  double rtols[5], atols[5];
  for (int i = 0; i < 5; i++) rtols[i] = atols[i] = 1e-9;
  options.rtols = rtols;
  options.atols = atols;
  assert_true(pair_steps(&options, same) == steps);
  assert_memory_equal(same, scalar, sizeof same);
  // finer where it matters: more steps, and the error follows
  rtols[2] = rtols[3] = atols[2] = atols[3] = 1e-12;
  assert_true(pair_steps(&options, fine) > 2 * steps && fine[1] < 0.02 * scalar[1]);
  rtols[2] = rtols[3] = atols[2] = atols[3] = 1e-5;
  assert_true(pair_steps(&options, coarse) < steps / 2 && coarse[0] < 1e-9);
}

/* ---- options changed between applies --------------------------------------------------------- */

/* the ball for three seconds, in six applies; options set anew before each of them when asked to */
static ess_counters bounce(const ess_options *options, const ess_options *anew, double x[2]) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  ess_driver *const d = ess_driver_alloc(&system, options, NULL);
  double t = 0.0;
  x[0] = 1.0;
  x[1] = 0.0;
  for (int i = 1; i <= 6; i++) {
    if (anew) assert_int_equal(ess_driver_set_options(d, anew), ESS_SUCCESS);
    assert_int_equal(ess_driver_apply(d, &t, 0.5 * i, x), ESS_SUCCESS);
  }
  const ess_counters counters = *ess_driver_counters(d);
  ess_driver_free(d);
  return counters;
}

TEST(the_same_options_set_anew_change_nothing) {
  for (int paper = 0; paper < 2; paper++) {
    const ess_options options = paper ? ess_options_paper() : ess_options_default();
    double x[2], y[2];
    const ess_counters a = bounce(&options, NULL, x), b = bounce(&options, &options, y);
    assert_memory_equal(&a, &b, sizeof a);
    assert_memory_equal(x, y, sizeof x);
  }
}

TEST(what_is_set_is_in_force) {
  // each from the other: arrays are copied, and forgotten when there are none
  double epsilons[] = {1e-6}, tolerances[] = {1e-4, 1e-4}, x[2], y[2];
  ess_options fine = ess_options_paper(), coarse = ess_options_default();
  fine.guard_epsilons = epsilons;
  coarse.rtols = coarse.atols = tolerances;
  const ess_counters a = bounce(&fine, NULL, x), b = bounce(&coarse, &fine, y);
  assert_memory_equal(&a, &b, sizeof a);
  assert_memory_equal(x, y, sizeof x);
  const ess_counters c = bounce(&coarse, NULL, x), e = bounce(&fine, &coarse, y);
  assert_memory_equal(&c, &e, sizeof c);
  assert_memory_equal(x, y, sizeof x);
  assert_true(c.field_evaluations < a.field_evaluations);
}

TEST(refused_options_leave_those_in_force) {
  toy_ball ball = {100.0};
  const ess_system system = ball_system(&ball);
  ess_options options = ess_options_paper();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[2] = {1.0, 0.0}, y[2];
  const ess_counters free_run = bounce(&options, NULL, y);
  for (int i = 1; i <= 6; i++) {
    ess_options bad = ess_options_default();
    bad.atol = -1.0;
    refused(d, ess_driver_set_options(d, &bad), "atol must be");
    refused(d, ess_driver_set_options(d, NULL), "options must not be NULL");
    assert_int_equal(ess_driver_apply(d, &t, 0.5 * i, x), ESS_SUCCESS);
  }
  assert_memory_equal(ess_driver_counters(d), &free_run, sizeof free_run);
  assert_memory_equal(x, y, sizeof x);
  ess_driver_free(d);
}

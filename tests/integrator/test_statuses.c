/*
 * Limits, refusals and messages. Callbacks at fault, liveness and chatter are in awkward_*.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "toy.h"

/* a unit-speed clock through guards at 2 and at 1 */
PLANES(clock, 1, (x[0], x[0]), (2.0, 1.0));

static ess_system clock_system(void) {
  return (ess_system){.dimension = 1,
                      .guard_count = 2,
                      .field = toy_clock,
                      .guards = clock_guards,
                      .guard_jacobian = clock_jacobian};
}

/* runs to t = 3 and returns the status; the failure's copy is the caller's */
static int run(const ess_options *options, ess_failure *failure) {
  const ess_system system = clock_system();
  double x[1] = {0.0};
  const toy_end end = toy_run(&system, options, 0.0, 3.0, x);
  *failure = end.failure;
  assert_true(fabs(x[0] - end.t) < 1e-12);
  return end.status;
}

TEST(limits_stop_a_run) {
  ess_options options = ess_options_paper();
  ess_failure failure;
  options.max_crossings = 1;
  assert_int_equal(run(&options, &failure), ESS_EMAXCROSSINGS);
  assert_int_equal(failure.guard, 0);
  options = ess_options_paper();
  options.max_steps = 3;
  options.h_max = 1e-3;
  assert_int_equal(run(&options, &failure), ESS_EMAXSTEPS);
}

/* x' = x^2 blows up at t = 1 */
FIELD(blow_up) {
  dxdt[0] = x[0] * x[0];
}

TEST(a_blow_up_ends_with_a_status) {
  const ess_system system = {.dimension = 1, .field = blow_up};
  const ess_options options = ess_options_paper();
  double x[1] = {1.0};
  const toy_end end = toy_run(&system, &options, 0.0, 2.0, x);
  assert_true(end.status == ESS_EUNDERFLOW || end.status == ESS_EFIELD);
  assert_true(end.t < 1.0 + 1e-6 && end.t > 0.99);
}

TEST(bad_arguments_are_refused_by_name) {
  const ess_system good = clock_system();
  const ess_options defaults = ess_options_paper();
  assert_null(ess_check(&good, &defaults));
  const double bad_epsilons[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad_epsilons / sizeof *bad_epsilons; i++) {
    ess_options options = defaults;
    options.epsilon = bad_epsilons[i];
    assert_non_null(strstr(ess_check(&good, &options), "epsilon"));
    int status;
    assert_null(ess_driver_alloc(&good, &options, &status));
    assert_int_equal(status, ESS_EINVAL);
    const double each[] = {1.0, bad_epsilons[i]};
    options = defaults;
    options.guard_epsilons = each;
    assert_non_null(strstr(ess_check(&good, &options), "guard_epsilons"));
  }
  ess_options options = defaults;
  options.h_max = 0.0;
  assert_non_null(strstr(ess_check(&good, &options), "h_max"));
  options = defaults;
  options.rtol = NAN;
  assert_non_null(strstr(ess_check(&good, &options), "rtol"));
  options = defaults;
  options.rtol = options.atol = 0.0;
  assert_non_null(ess_check(&good, &options));
  ess_system system = good;
  system.guards = NULL;
  assert_non_null(strstr(ess_check(&system, &defaults), "guards"));
  system = good;
  system.dimension = 0;
  assert_non_null(strstr(ess_check(&system, &defaults), "dimension"));
}

TEST(bad_times_are_refused) {
  const ess_system system = clock_system();
  const ess_options options = ess_options_paper();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {0.0}, t = 1.0, states[2];
  assert_int_equal(ess_driver_apply(d, &t, NAN, x), ESS_EINVAL);
  assert_int_equal(ess_driver_apply(d, &t, INFINITY, x), ESS_EINVAL);
  const double outside[] = {1.0, 2.5}, descending[] = {1.5, 1.25};
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, outside, 2, states), ESS_EINVAL);
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, descending, 2, states), ESS_EINVAL);
  assert_true(t == 1.0 && x[0] == 0.0);
  ess_driver_free(d);
}

TEST(every_status_has_its_message) {
  for (int i = 0; i < ESS_STATUS_COUNT; i++) {
    assert_true(strlen(ess_strerror(i)) > 5);
    for (int j = 0; j < i; j++) assert_string_not_equal(ess_strerror(i), ess_strerror(j));
  }
  assert_non_null(ess_strerror(-1));
  assert_non_null(ess_strerror(ESS_STATUS_COUNT));
}

/*
 * Every way a run can fail: its status, and where it says it failed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <float.h>

#include "toy.h"

/* a unit-speed clock towards a guard at 1, with a fault that can be switched on */
typedef enum fault {
  NO_FAULT,
  FIELD_FAILS,
  FIELD_NAN,
  FIELD_NAN_LATER,
  GUARDS_FAIL,
  GUARDS_NAN,
  GUARDS_NAN_LATER,
  RATES_FAIL,
  RATES_NAN,
  MODE_FAILS
} fault;

static int faulty_field(double t, const double x[], const double sign[], double dxdt[],
                        void *params) {
  const fault f = *(const fault *)params;
  (void)t;
  (void)sign;
  if (f == FIELD_FAILS) return 7;
  dxdt[0] = f == FIELD_NAN || (f == FIELD_NAN_LATER && x[0] > 0.25) ? NAN : 1.0;
  return 0;
}

static int faulty_guards(const double x[], double h[], void *params) {
  const fault f = *(const fault *)params;
  if (f == GUARDS_FAIL) return 8;
  h[0] = x[0] - 2.0;
  h[1] = f == GUARDS_NAN || (f == GUARDS_NAN_LATER && x[0] > 0.25) ? NAN : x[0] - 1.0;
  return 0;
}

static int faulty_jacobian(const double x[], double Dh[], void *params) {
  const fault f = *(const fault *)params;
  (void)x;
  if (f == RATES_FAIL) return 9;
  Dh[0] = 1.0;
  Dh[1] = f == RATES_NAN ? INFINITY : 1.0;
  return 0;
}

static int faulty_mode(const double sign[], size_t guard, void *params) {
  (void)sign;
  (void)guard;
  return *(const fault *)params == MODE_FAILS ? 10 : 0;
}

static ess_system faulty_system(fault *f) {
  return (ess_system){.dimension = 1,
                      .guard_count = 2,
                      .field = faulty_field,
                      .guards = faulty_guards,
                      .guard_jacobian = faulty_jacobian,
                      .mode_changed = faulty_mode,
                      .params = f};
}

/* runs to t = 3 and returns the status; the failure's copy is the caller's */
static int run(fault f, const ess_options *options, ess_failure *failure, double *reached) {
  const ess_system system = faulty_system(&f);
  ess_driver *const d = ess_driver_alloc(&system, options, NULL);
  assert_non_null(d);
  double x[1] = {0.0};
  *reached = 0.0;
  const int status = ess_driver_apply(d, reached, 3.0, x);
  *failure = *ess_driver_failure(d);
  assert_true(fabs(x[0] - *reached) < 1e-12 || status == ESS_EFIELD);
  ess_driver_free(d);
  return status;
}

static void a_failing_callback_stops_with_its_code(void **state) {
  (void)state;
  const struct {
    fault fault;
    int code;
  } cases[] = {{FIELD_FAILS, 7}, {GUARDS_FAIL, 8}, {RATES_FAIL, 9}, {MODE_FAILS, 10}};
  const ess_options options = ess_options_default();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ess_failure failure;
    double t;
    assert_int_equal(run(cases[i].fault, &options, &failure, &t), ESS_ECALLBACK);
    assert_int_equal(failure.status, ESS_ECALLBACK);
    assert_int_equal(failure.callback_code, cases[i].code);
  }
}

static void what_is_not_finite_is_named(void **state) {
  (void)state;
  const ess_options options = ess_options_default();
  ess_failure failure;
  double t;
  assert_int_equal(run(FIELD_NAN, &options, &failure, &t), ESS_EFIELD);
  assert_int_equal(run(FIELD_NAN_LATER, &options, &failure, &t), ESS_EFIELD);
  assert_true(t > 0.2 && t <= 0.25 + 1e-9); // the steps shrink towards the fault, then give up
  const fault guards[] = {GUARDS_NAN, GUARDS_NAN_LATER, RATES_NAN};
  for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) {
    assert_int_equal(run(guards[i], &options, &failure, &t), ESS_EGUARD);
    assert_int_equal(failure.guard, 1);
  }
}

static void limits_stop_a_run(void **state) {
  (void)state;
  ess_options options = ess_options_default();
  ess_failure failure;
  double t;
  options.max_crossings = 1;
  assert_int_equal(run(NO_FAULT, &options, &failure, &t), ESS_EMAXCROSSINGS);
  assert_int_equal(failure.guard, 0);
  options = ess_options_default();
  options.max_steps = 3;
  options.h_max = 1e-3;
  assert_int_equal(run(NO_FAULT, &options, &failure, &t), ESS_EMAXSTEPS);
}

static void liveness_is_checked_on_request(void **state) {
  (void)state;
  ess_options options = ess_options_default();
  ess_failure failure;
  double t;
  options.liveness = 0.5;
  assert_int_equal(run(NO_FAULT, &options, &failure, &t), ESS_SUCCESS);
  options.liveness = 2.0;
  assert_int_equal(run(NO_FAULT, &options, &failure, &t), ESS_ELIVENESS);
  assert_int_equal(failure.guard, 1);
  assert_true(fabs(failure.time - (1.0 - options.epsilon)) < 1e-6);
}

static int stop_at_once(const ess_crossing_info *info, void *context) {
  (void)context;
  return info->guard == 1;
}

static void an_observer_can_stop(void **state) {
  (void)state;
  ess_options options = ess_options_default();
  options.observer.crossing = stop_at_once;
  ess_failure failure;
  double t;
  assert_int_equal(run(NO_FAULT, &options, &failure, &t), ESS_ESTOP);
  assert_true(fabs(t - 1.0) < 1e-9);
}

/* a field that points at the guards from both sides */
static int sliding_field(double t, const double x[], const double sign[], double dxdt[],
                         void *params) {
  (void)t;
  (void)x;
  (void)params;
  dxdt[0] = sign[0] > 0.0 || sign[1] > 0.0 ? -1.0 : 1.0;
  return 0;
}

static int sliding_guards(const double x[], double h[], void *params) {
  (void)params;
  h[0] = x[0];
  h[1] = x[0];
  return 0;
}

static int sliding_jacobian(const double x[], double Dh[], void *params) {
  (void)x;
  (void)params;
  Dh[0] = Dh[1] = 1.0;
  return 0;
}

static void chatter_is_named_with_its_guards(void **state) {
  (void)state;
  const ess_system system = {.dimension = 1,
                             .guard_count = 2,
                             .field = sliding_field,
                             .guards = sliding_guards,
                             .guard_jacobian = sliding_jacobian};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {-1.0}, t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, 3.0, x), ESS_ECHATTER);
  assert_true(fabs(t - 1.0) < 1e-9 && fabs(x[0]) < 1e-9);
  const ess_failure *const failure = ess_driver_failure(d);
  assert_true(failure->guard < 2 && failure->other_guard < 2);
  ess_driver_free(d);
}

/* x' = x^2 blows up at t = 1 */
static int blow_up(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  (void)sign;
  (void)params;
  dxdt[0] = x[0] * x[0];
  return 0;
}

static void a_blow_up_ends_with_a_status(void **state) {
  (void)state;
  const ess_system system = {.dimension = 1, .field = blow_up};
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {1.0}, t = 0.0;
  const int status = ess_driver_apply(d, &t, 2.0, x);
  assert_true(status == ESS_EUNDERFLOW || status == ESS_EFIELD);
  assert_true(t < 1.0 + 1e-6 && t > 0.99);
  ess_driver_free(d);
}

static void bad_arguments_are_refused_by_name(void **state) {
  (void)state;
  fault f = NO_FAULT;
  const ess_system good = faulty_system(&f);
  const ess_options defaults = ess_options_default();
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
  system.guard_jacobian = NULL;
  assert_non_null(strstr(ess_check(&system, &defaults), "guard_jacobian"));
  system = good;
  system.dimension = 0;
  assert_non_null(strstr(ess_check(&system, &defaults), "dimension"));
}

static void bad_times_are_refused(void **state) {
  (void)state;
  fault f = NO_FAULT;
  const ess_system system = faulty_system(&f);
  const ess_options options = ess_options_default();
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double x[1] = {0.0}, t = 1.0, states[2];
  assert_int_equal(ess_driver_apply(d, &t, 0.5, x), ESS_EINVAL);
  assert_int_equal(ess_driver_apply(d, &t, NAN, x), ESS_EINVAL);
  assert_int_equal(ess_driver_apply(d, &t, INFINITY, x), ESS_EINVAL);
  const double outside[] = {1.0, 2.5}, descending[] = {1.5, 1.25};
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, outside, 2, states), ESS_EINVAL);
  assert_int_equal(ess_driver_sample(d, &t, 2.0, x, descending, 2, states), ESS_EINVAL);
  assert_true(t == 1.0 && x[0] == 0.0);
  ess_driver_free(d);
}

static void every_status_has_its_message(void **state) {
  (void)state;
  for (int i = 0; i < ESS_STATUS_COUNT; i++) {
    assert_true(strlen(ess_strerror(i)) > 5);
    for (int j = 0; j < i; j++) assert_string_not_equal(ess_strerror(i), ess_strerror(j));
  }
  assert_non_null(ess_strerror(-1));
  assert_non_null(ess_strerror(ESS_STATUS_COUNT));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failing_callback_stops_with_its_code),
      cmocka_unit_test(what_is_not_finite_is_named),
      cmocka_unit_test(limits_stop_a_run),
      cmocka_unit_test(liveness_is_checked_on_request),
      cmocka_unit_test(an_observer_can_stop),
      cmocka_unit_test(chatter_is_named_with_its_guards),
      cmocka_unit_test(a_blow_up_ends_with_a_status),
      cmocka_unit_test(bad_arguments_are_refused_by_name),
      cmocka_unit_test(bad_times_are_refused),
      cmocka_unit_test(every_status_has_its_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

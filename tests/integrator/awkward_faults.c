/*
 * Awkward callbacks: each fails, or returns what is no number, at every call of a run in turn; and
 * guards that are not live.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "awkward.h"

/* which callback is at fault, from which of its calls on (0: the first), and how */
typedef enum culprit {
  NOBODY,
  FIELD,
  GUARDS,
  JACOBIAN,
  RATES,
  SOME_RATES,
  MODE_CHANGED,
  START,
  CULPRITS
} culprit;

typedef struct fault {
  culprit culprit;
  size_t from, calls[CULPRITS];
  double beyond; /* at fault only where the clock shows more */
  int code;      /* not 0: what the callback returns */
  double value;  /* else what it writes, for event function 1 where it is about guards */
  double clock;  /* what the clock showed when it was last at fault */
} fault;

/* whether this call of a callback is at fault */
static bool at_fault(fault *f, culprit who, double clock) {
  const bool bad = f->calls[who]++ >= f->from && f->culprit == who && clock >= f->beyond;
  if (bad) f->clock = clock;
  return bad;
}

/* a unit-speed clock through guards at 2 and at 1 */
FIELD_CODE(clock_field) {
  fault *const f = params;
  const bool bad = at_fault(f, FIELD, x[0]);
  dxdt[0] = bad && !f->code ? f->value : 1.0;
  return bad ? f->code : 0;
}

GUARDS_CODE(clock_guards) {
  fault *const f = params;
  const bool bad = at_fault(f, GUARDS, x[0]);
  h[0] = x[0] - 2.0;
  h[1] = bad && !f->code ? f->value : x[0] - 1.0;
  return bad ? f->code : 0;
}

GUARD_JACOBIAN_CODE(clock_jacobian) {
  fault *const f = params;
  const bool bad = at_fault(f, JACOBIAN, x[0]);
  Dh[0] = 1.0;
  Dh[1] = bad && !f->code ? f->value : 1.0;
  return bad ? f->code : 0;
}

GUARD_RATES_CODE(clock_rates) {
  fault *const f = params;
  const bool bad = at_fault(f, RATES, x[0]);
  h[0] = x[0] - 2.0;
  h[1] = x[0] - 1.0;
  rate[0] = v[0];
  rate[1] = bad && !f->code ? f->value : v[0];
  return bad ? f->code : 0;
}

/* at fault only where it is asked for event function 1, which alone is bad */
SOME_RATES_CODE(some_clock_rates) {
  fault *const f = params;
  bool asked = false;
  for (size_t i = 0; i < count; i++) asked = asked || which[i] == 1;
  const bool bad = asked && at_fault(f, SOME_RATES, x[0]);
  for (size_t i = 0; i < count; i++) {
    h[i] = bad && !f->code && which[i] == 1 ? f->value : x[0] - (which[i] ? 1.0 : 2.0);
    rate[i] = v[0];
  }
  return bad ? f->code : 0;
}

ARMED_AT_START_CODE(clock_start) {
  fault *const f = params;
  return at_fault(f, START, 0.0) ? f->code : 0;
}

/* no crossing arms anything: each guard is crossed once */
static const size_t NO_ROWS[] = {0, 0, 0, 0, 0, 0};
static const ess_reset_matrix NO_RESETS = {.row_start = NO_ROWS, .start = clock_start};

MODE_CHANGED_CODE(clock_mode) {
  fault *const f = params;
  return at_fault(f, MODE_CHANGED, 0.0) ? f->code : 0;
}

/* runs to t = 3; the state stays what the clock shows, however the run ends */
static int run(fault *f, const ess_options *options, ess_failure *failure, double *reached) {
  const bool rates = f->culprit == RATES;
  const ess_system system = {.dimension = 1,
                             .guard_count = 2,
                             OF(clock),
                             .guard_jacobian = rates ? NULL : clock_jacobian,
                             .guard_rates = rates ? clock_rates : NULL,
                             .some_guard_rates = f->culprit == SOME_RATES ? some_clock_rates : NULL,
                             .resets = f->culprit == START ? &NO_RESETS : NULL,
                             .mode_changed = clock_mode,
                             .params = f};
  ess_driver *const d = ess_driver_alloc(&system, options, NULL);
  assert_non_null(d);
  memset(f->calls, 0, sizeof f->calls);
  double x[1] = {0.0};
  *reached = 0.0;
  const int status = ess_driver_apply(d, reached, 3.0, x);
  *failure = *ess_driver_failure(d);
  assert_int_equal(failure->status, status);
  assert_true(isfinite(*reached) && fabs(x[0] - *reached) < 1e-12);
  // told when the callback failed, which may be later than the last good state
  const bool has_state = f->culprit != MODE_CHANGED && f->culprit != START;
  if (status == ESS_ECALLBACK && has_state) assert_true(fabs(failure->time - f->clock) < 1e-12);
  if (status) assert_true(failure->time >= *reached && failure->time <= 3.0);
  ess_driver_free(d);
  return status;
}

/* calls of a callback in a run without fault */
static size_t calls_of(culprit who, int order) {
  fault f = {.culprit = who, .from = SIZE_MAX};
  const ess_options options = toy_paper(order);
  ess_failure failure;
  double t;
  assert_int_equal(run(&f, &options, &failure, &t), ESS_SUCCESS);
  assert_true(f.calls[who] > 0 && t == 3.0);
  return f.calls[who];
}

/* Outcome: whichever call of the callback fails, the run ends at once with ESS_ECALLBACK and the
 * callback's code, at a state and time that belong together; the callback is not called again. */
static void check_failure(culprit who, int order) {
  const size_t calls = calls_of(who, order);
  const ess_options options = toy_paper(order);
  double before = 0.0, t = 0.0;
  for (size_t from = 0; from < calls; from++) {
    fault f = {.culprit = who, .from = from, .code = 40 + (int)who};
    ess_failure failure;
    assert_int_equal(run(&f, &options, &failure, &t), ESS_ECALLBACK);
    assert_int_equal(failure.callback_code, 40 + (int)who);
    assert_int_equal(f.calls[who], from + 1);
    // the later the call, the further the run has come
    assert_true(t >= before);
    before = t;
  }
  assert_true(calls < 3 || before > 0.9);
}

CASE_OF(a_failing_field, check_failure(FIELD, order));
CASE_OF(failing_guards, check_failure(GUARDS, order));
CASE_OF(a_failing_jacobian, check_failure(JACOBIAN, order));
CASE_OF(failing_rates, check_failure(RATES, order));
CASE_OF(failing_rates_of_some, check_failure(SOME_RATES, order));

CASE(a_failing_start) {
  assert_int_equal(calls_of(START, order), 1);
  check_failure(START, order);
}

CASE(a_failing_mode_change) {
  const size_t calls = calls_of(MODE_CHANGED, order);
  assert_int_equal(calls, 3); // the start and two crossings
  check_failure(MODE_CHANGED, order);
}

/* Outcome: whichever call of the callback is the first to write NaN or an infinity, the run ends
 * with `expected`, naming event function 1 when that is ESS_EGUARD. */
static void check_not_finite(culprit who, int expected, int order) {
  const size_t calls = calls_of(who, order);
  const ess_options options = toy_paper(order);
  const double values[] = {NAN, INFINITY, -INFINITY};
  for (size_t v = 0; v < 3; v++)
    for (size_t from = 0; from < calls; from++) {
      fault f = {.culprit = who, .from = from, .value = values[v]};
      ess_failure failure;
      double t;
      assert_int_equal(run(&f, &options, &failure, &t), expected);
      assert_true(t < 3.0);
      assert_true(failure.guard == (expected == ESS_EGUARD ? 1 : SIZE_MAX));
    }
}

CASE_OF(nan_from_the_field, check_not_finite(FIELD, ESS_EFIELD, order));
CASE_OF(nan_from_guards, check_not_finite(GUARDS, ESS_EGUARD, order));
CASE_OF(nan_from_the_jacobian, check_not_finite(JACOBIAN, ESS_EGUARD, order));
CASE_OF(nan_from_rates, check_not_finite(RATES, ESS_EGUARD, order));

/* Outcome: where a callback is no number from 1/4 on, steps shrink towards it and give up there. */
static void check_place(culprit who, int expected, int order) {
  const ess_options options = toy_paper(order);
  fault f = {.culprit = who, .beyond = 0.25, .value = NAN};
  ess_failure failure;
  double t;
  assert_int_equal(run(&f, &options, &failure, &t), expected);
  assert_true(t > 0.24 && t <= 0.25);
  assert_true(failure.guard == (expected == ESS_EGUARD ? 1 : SIZE_MAX));
}

CASE_OF(nan_from_rates_of_some, check_not_finite(SOME_RATES, ESS_EGUARD, order));
CASE_OF(nan_from_the_field_beyond_a_place, check_place(FIELD, ESS_EFIELD, order));
CASE_OF(nan_from_guards_beyond_a_place, check_place(GUARDS, ESS_EGUARD, order));
CASE_OF(nan_from_rates_beyond_a_place, check_place(RATES, ESS_EGUARD, order));

/* Outcome: a guard that is projected onto at a rate below options.liveness ends the run with
 * ESS_ELIVENESS, where its neighbourhood begins; at the rate itself nothing happens. */
CASE(liveness_violated) {
  ess_options options = toy_paper(order);
  ess_failure failure;
  double t;
  fault none = {.culprit = NOBODY};
  options.liveness = 1.0;
  assert_int_equal(run(&none, &options, &failure, &t), ESS_SUCCESS);
  options.liveness = nextafter(1.0, 2.0);
  for (options.epsilon = 1e-6; options.epsilon < 0.5; options.epsilon *= 10.0) {
    assert_int_equal(run(&none, &options, &failure, &t), ESS_ELIVENESS);
    assert_int_equal(failure.guard, 1);
    assert_true(fabs(t - (1.0 - options.epsilon)) < 2e-9 * options.epsilon + 1e-12);
  }
}

ON_CROSSING_CODE(stop_at_guard) {
  return info->guard == *(const size_t *)context;
}

ON_STEP_CODE(stop_after) {
  size_t *const left = context;
  return --*left == 0;
}

/* Outcome: ESS_ESTOP at the crossing asked for, after it; or at the step asked for. */
CASE(an_observer_that_stops) {
  ess_options options = toy_paper(order);
  ess_failure failure;
  double t;
  fault none = {.culprit = NOBODY};
  for (size_t guard = 0; guard < 2; guard++) {
    options.observer = (ess_observer){.crossing = stop_at_guard, .context = &guard};
    assert_int_equal(run(&none, &options, &failure, &t), ESS_ESTOP);
    assert_true(fabs(t - (guard ? 1.0 : 2.0)) < 1e-12);
  }
  double before = 0.0;
  for (size_t step = 1; step < 5; step++) {
    size_t left = step;
    options.observer = (ess_observer){.step = stop_after, .context = &left};
    assert_int_equal(run(&none, &options, &failure, &t), ESS_ESTOP);
    assert_true(left == 0 && t > before);
    before = t;
  }
}

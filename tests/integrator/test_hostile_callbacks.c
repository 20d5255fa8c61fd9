/*
 * Callbacks that fail, or give what is no number, at each call of a run in turn, by either method:
 * the run ends with a status at a good state, and the driver serves again after a reset. And guards
 * that are not live.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "faults.h"
#include "hostile.h"

enum { SPRINGS = 12, METHODS = 3 };

static const double end = 2.3, tolerance = 1e-6; /* once down and up again */

/* the default method, and the paper's of order 1 and 2 */
static ess_options options_of(int method) {
  ess_options options = method ? toy_paper(method) : ess_options_default();
  options.rtol = options.atol = tolerance;
  options.epsilon = 1e-4;
  return options;
}

static bed springs;

GUARD_JACOBIAN(spring_jacobian) {
  for (size_t k = 0; k < SPRINGS; k++) {
    Dh[2 * k] = -1.0;
    Dh[2 * k + 1] = 0.0;
  }
}

SOME_RATES(some_spring_rates) {
  const bed *const b = params;
  for (size_t i = 0; i < count; i++) {
    h[i] = b->level[which[i]] - x[0];
    rate[i] = -v[0];
  }
}

/* the bed, with the callbacks that the culprit is among */
static ess_system fault_in(faults *f) {
  bed_make(&springs, SPRINGS, 1e-3);
  f->of = bed_system(&springs);
  f->state = 1;
  f->event = SPRINGS / 2;
  if (f->culprit == JACOBIAN) f->of.guard_rates = NULL;
  if (f->culprit == JACOBIAN) f->of.guard_jacobian = spring_jacobian;
  if (f->culprit == SOME_RATES) f->of.some_guard_rates = some_spring_rates;
  return faulty_system(f);
}

/* where a run is, or ended */
typedef struct place {
  double t, x[2];
} place;

static const place top = {0.0, {1.0, 0.0}};

/* finite, on the path, and the signs are those of the state but where that is on the guard */
static void check_place(const ess_driver *d, const place *p, const faults *f, int method) {
  const double slack = 30.0 * tolerance, wide = method ? 1e-4 : slack;
  assert_true(isfinite(p->t) && isfinite(p->x[0]) && isfinite(p->x[1]));
  const double off = bed_energy(&springs, p->x) - 2.0;
  if (!(fabs(off) < 10.0 * slack))
    fail_msg("method %d, culprit %d, %g from call %zu%s: energy off by %g at t = %g", method,
             (int)f->culprit, f->value, f->from, f->once ? "" : " on", off, p->t);
  double h[SPRINGS];
  bed_guards(0.0, p->x, h, &springs);
  const double *const sign = ess_driver_sign(d);
  if (p->t == 0.0) return; // before the first apply has latched them they mean nothing
  for (size_t k = 0; k < SPRINGS; k++) {
    assert_true(fabs(sign[k]) == 1.0);
    if (!(sign[k] * h[k] >= -wide))
      fail_msg("method %d, culprit %d, call %zu: at t = %.9g spring %zu has h = %g, sign %g",
               method, (int)f->culprit, f->from, p->t, k, h[k], sign[k]);
  }
}

/* a run with a fault; the status, which is of a good state */
static int run(ess_driver *d, faults *f, int method, place *reached) {
  *reached = top;
  const int status = ess_driver_apply(d, &reached->t, end, reached->x);
  const ess_failure failure = *ess_driver_failure(d);
  assert_int_equal(failure.status, status);
  check_place(d, reached, f, method);
  if (!status) return status;
  assert_true(failure.time >= reached->t && failure.time <= end);
  // told of when the callback failed, which may be later than the last good state
  if (f->culprit != MODE_CHANGED && status == ESS_ECALLBACK)
    assert_true(fabs(failure.time - f->clock) < 1e-12);
  if (status == ESS_ECALLBACK) assert_int_equal(failure.callback_code, f->code);
  if (f->code) assert_int_equal(f->calls[f->culprit], f->from + 1);
  if (status == ESS_EGUARD) assert_int_equal(failure.guard, f->event);
  if (status == ESS_EFIELD) assert_int_equal(failure.guard, SIZE_MAX);
  return status;
}

/* the same by a driver of its own, which after a reset does what a new one does without */
static int run_once(faults f, int method, const place *wanted, place *reached) {
  const ess_options options = options_of(method);
  const ess_system system = fault_in(&f);
  ess_driver *const d = hostile_driver(&system, &options);
  const int status = run(d, &f, method, reached);
  f.from = SIZE_MAX;
  place again = top;
  ess_driver_reset(d);
  assert_int_equal(ess_driver_apply(d, &again.t, end, again.x), ESS_SUCCESS);
  assert_memory_equal(&again, wanted, sizeof again);
  ess_driver_free(d);
  return status;
}

/* a run without fault, and how often it calls the culprit */
static size_t calls_of(culprit who, int method, place *reached) {
  faults f = {.culprit = who, .from = SIZE_MAX};
  const ess_system system = fault_in(&f);
  const ess_options options = options_of(method);
  ess_driver *const d = hostile_driver(&system, &options);
  assert_int_equal(run(d, &f, method, reached), ESS_SUCCESS);
  ess_driver_free(d);
  return f.calls[who];
}

/* Outcome: ESS_ECALLBACK, the callback's code, and no further call of it. */
static void each_call_fails(culprit who) {
  for (int method = 0; method < METHODS; method++) {
    place wanted, reached;
    const size_t calls = calls_of(who, method, &wanted);
    double before = 0.0;
    assert_true(calls > 0 || who == SOME_RATES); // those are for speed alone
    for (size_t from = 0; from < calls; from++) {
      const faults f = {.culprit = who, .from = from, .code = 40 + (int)who};
      assert_int_equal(run_once(f, method, &wanted, &reached), ESS_ECALLBACK);
      // the later the call, the further the run has come
      assert_true(reached.t >= before);
      before = reached.t;
    }
  }
}

/* Outcome: what stays no number ends the run; what was none once ends it, or is stepped round. */
static void each_call_is_no_number(culprit who, int expected) {
  const double values[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3 * METHODS; i++) {
    const int method = i / 3;
    place wanted, reached;
    const size_t calls = calls_of(who, method, &wanted);
    for (size_t from = 0; from < calls; from++) {
      faults f = {.culprit = who, .from = from, .value = values[i % 3]};
      const int status = run_once(f, method, &wanted, &reached);
      if (status != expected)
        fail_msg("method %d, %g from call %zu: %s at t = %g", method, f.value, from,
                 ess_strerror(status), reached.t);
      f.once = true;
      const int once = run_once(f, method, &wanted, &reached);
      assert_true(once == expected || once == ESS_SUCCESS);
    }
  }
}

TEST_OF(a_failing_field, each_call_fails(FIELD));
TEST_OF(failing_guards, each_call_fails(GUARDS));
TEST_OF(a_failing_jacobian, each_call_fails(JACOBIAN));
TEST_OF(failing_rates, each_call_fails(RATES));
TEST_OF(failing_rates_of_some, each_call_fails(SOME_RATES));
TEST_OF(a_failing_mode_change, each_call_fails(MODE_CHANGED));
TEST_OF(no_number_from_the_field, each_call_is_no_number(FIELD, ESS_EFIELD));
TEST_OF(no_number_from_guards, each_call_is_no_number(GUARDS, ESS_EGUARD));
TEST_OF(no_number_from_the_jacobian, each_call_is_no_number(JACOBIAN, ESS_EGUARD));
TEST_OF(no_number_from_rates, each_call_is_no_number(RATES, ESS_EGUARD));
TEST_OF(no_number_from_rates_of_some, each_call_is_no_number(SOME_RATES, ESS_EGUARD));

/* ---- a clock through guards at 2 and at 1, by the paper's method ----------------------------- */

PLANES(clock, 1, (x[0], x[0]), (2.0, 1.0));

/* no crossing arms anything: each guard is crossed once */
static const size_t NO_ROWS[] = {0, 0, 0, 0, 0, 0};
static const ess_reset_matrix NO_RESETS = {.row_start = NO_ROWS};

/* to t = 3; the state stays what the clock shows, however the run ends */
static toy_end run_clock(faults *f, const ess_options *options) {
  f->of = (ess_system){.dimension = 1,
                       .guard_count = 2,
                       .field = toy_clock,
                       .guards = clock_guards,
                       .guard_jacobian = f->culprit == RATES ? NULL : clock_jacobian,
                       .guard_rates = f->culprit == RATES ? clock_rates : NULL,
                       .resets = &NO_RESETS};
  f->event = 1;
  const ess_system system = faulty_system(f);
  double x[1] = {0.0};
  const toy_end made = toy_run(&system, options, 0.0, 3.0, x);
  assert_true(fabs(x[0] - made.t) < 1e-12);
  return made;
}

TEST(a_failing_start) {
  for (int order = 1; order <= 2; order++) {
    const ess_options options = toy_paper(order);
    faults f = {.culprit = START, .code = 47};
    const toy_end made = run_clock(&f, &options);
    assert_int_equal(made.status, ESS_ECALLBACK);
    assert_int_equal(made.failure.callback_code, 47);
    assert_int_equal(f.calls[START], 1);
    assert_true(made.t == 0.0);
  }
}

/* Outcome: where a callback is no number from 1/4 on, steps shrink towards it and give up there. */
static void no_number_beyond(culprit who, int expected) {
  for (int order = 1; order <= 2; order++) {
    const ess_options options = toy_paper(order);
    faults f = {.culprit = who, .beyond = 0.25, .value = NAN};
    const toy_end made = run_clock(&f, &options);
    assert_int_equal(made.status, expected);
    assert_true(made.t > 0.24 && made.t <= 0.25);
    assert_int_equal(made.failure.guard, expected == ESS_EGUARD ? 1 : SIZE_MAX);
  }
}

TEST_OF(no_number_from_the_field_beyond_a_place, no_number_beyond(FIELD, ESS_EFIELD));
TEST_OF(no_number_from_guards_beyond_a_place, no_number_beyond(GUARDS, ESS_EGUARD));
TEST_OF(no_number_from_rates_beyond_a_place, no_number_beyond(RATES, ESS_EGUARD));

/* Outcome: a guard that is projected onto at a rate below options.liveness ends the run with
 * ESS_ELIVENESS, where its neighbourhood begins; at the rate itself nothing happens. */
TEST(liveness_violated) {
  for (int order = 1; order <= 2; order++) {
    ess_options options = toy_paper(order);
    faults none = {.culprit = NOBODY};
    options.liveness = 1.0;
    assert_int_equal(run_clock(&none, &options).status, ESS_SUCCESS);
    options.liveness = nextafter(1.0, 2.0);
    for (options.epsilon = 1e-6; options.epsilon < 0.5; options.epsilon *= 10.0) {
      const toy_end made = run_clock(&none, &options);
      assert_int_equal(made.status, ESS_ELIVENESS);
      assert_int_equal(made.failure.guard, 1);
      assert_true(fabs(made.t - (1.0 - options.epsilon)) < 2e-9 * options.epsilon + 1e-12);
    }
  }
}

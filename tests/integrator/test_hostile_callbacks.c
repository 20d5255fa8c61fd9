/*
 * Callbacks that fail, or give what is no number, at each call of a run in turn, with the default
 * method: the run ends with a status at a good state, and the driver serves again after a reset.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "hostile.h"

enum { SPRINGS = 12 };

static const double end = 2.3, tolerance = 1e-6; /* once down and up again */

typedef enum culprit { NOBODY, FIELD, GUARDS, JACOBIAN, RATES, SOME_RATES, MODE, CULPRITS } culprit;

/* which callback is at fault at its call `from`, 0 being the first, and how */
typedef struct fault {
  culprit culprit;
  size_t from, calls[CULPRITS];
  bool lasting;
  int code;     /* nonzero: what the callback returns */
  double value; /* else what it writes */
} fault;

static bed springs;
static fault plan;

static bool at_fault(culprit who) {
  const size_t call = plan.calls[who]++;
  if (plan.culprit != who) return false;
  return plan.lasting ? call >= plan.from : call == plan.from;
}

/* `code` of a callback that has done its work: what it writes, or returns, where it is at fault */
static int faulty(culprit who, double *out) {
  if (!at_fault(who)) return 0;
  if (!plan.code && out) *out = plan.value;
  return plan.code;
}

FIELD_CODE(field) {
  if (bed_field(t, x, sign, dxdt, params)) return -1;
  return faulty(FIELD, &dxdt[1]);
}

GUARDS_CODE(guards) {
  bed_guards(t, x, h, params);
  return faulty(GUARDS, &h[SPRINGS / 2]);
}

GUARD_JACOBIAN_CODE(jacobian) {
  for (size_t k = 0; k < SPRINGS; k++) {
    Dh[2 * k] = -1.0;
    Dh[2 * k + 1] = 0.0;
  }
  return faulty(JACOBIAN, &Dh[SPRINGS]);
}

GUARD_RATES_CODE(rates) {
  bed_rates(0.0, x, v, h, rate, params);
  return faulty(RATES, &rate[SPRINGS / 2]);
}

SOME_RATES_CODE(some_rates) {
  const bed *const b = params;
  for (size_t i = 0; i < count; i++) {
    h[i] = b->level[which[i]] - x[0];
    rate[i] = -v[0];
  }
  return faulty(SOME_RATES, &h[count - 1]);
}

MODE_CHANGED_CODE(mode_changed) {
  return faulty(MODE, NULL);
}

static ess_system system_of(culprit who) {
  bed_make(&springs, SPRINGS, 1e-3);
  ess_system system = bed_system(&springs);
  system.field = field;
  system.guards = guards;
  system.guard_rates = who == JACOBIAN ? NULL : rates;
  system.guard_jacobian = who == JACOBIAN ? jacobian : NULL;
  system.some_guard_rates = who == SOME_RATES ? some_rates : NULL;
  system.mode_changed = mode_changed;
  return system;
}

static void start(fault f) {
  plan = f;
}

/* where a run is, or ended */
typedef struct place {
  double t, x[2];
} place;

static const place top = {0.0, {1.0, 0.0}};

/* finite, on the path, and the signs are those of the state but where that is on the guard */
static void check_place(const ess_driver *d, const place *p) {
  const double slack = 30.0 * tolerance;
  assert_true(isfinite(p->t) && isfinite(p->x[0]) && isfinite(p->x[1]));
  const double off = bed_energy(&springs, p->x) - 2.0;
  if (!(fabs(off) < 10.0 * slack))
    fail_msg("culprit %d, %g from call %zu%s: energy off by %g at t = %g", (int)plan.culprit,
             plan.value, plan.from, plan.lasting ? " on" : "", off, p->t);
  double h[SPRINGS];
  bed_guards(0.0, p->x, h, &springs);
  const double *const sign = ess_driver_sign(d);
  if (p->t == 0.0) return; // before the first apply has latched them they mean nothing
  for (size_t k = 0; k < SPRINGS; k++) {
    assert_true(fabs(sign[k]) == 1.0);
    if (!(sign[k] * h[k] >= -slack))
      fail_msg("culprit %d, call %zu: at t = %.9g spring %zu has h = %g, sign %g",
               (int)plan.culprit, plan.from, p->t, k, h[k], sign[k]);
  }
}

/* what a driver does after a reset is what a new one does */
static void check_reset(ess_driver *d, const place *wanted) {
  start((fault){.culprit = NOBODY});
  place p = top;
  ess_driver_reset(d);
  assert_int_equal(ess_driver_apply(d, &p.t, end, p.x), ESS_SUCCESS);
  assert_memory_equal(&p, wanted, sizeof p);
}

/* a run without fault, and how often it calls the culprit */
static size_t calls_of(culprit who, place *reached) {
  const ess_system system = system_of(who);
  const ess_options options = toy_options(tolerance);
  ess_driver *const d = hostile_driver(&system, &options);
  start((fault){.culprit = NOBODY});
  *reached = top;
  assert_int_equal(ess_driver_apply(d, &reached->t, end, reached->x), ESS_SUCCESS);
  check_place(d, reached);
  const size_t calls = plan.calls[who];
  ess_driver_free(d);
  return calls;
}

/* runs with a fault; the status, which is of a good state */
static int run(fault f, const place *wanted, place *reached) {
  const ess_system system = system_of(f.culprit);
  const ess_options options = toy_options(tolerance);
  ess_driver *const d = hostile_driver(&system, &options);
  start(f);
  *reached = top;
  const int status = ess_driver_apply(d, &reached->t, end, reached->x);
  const ess_failure failure = *ess_driver_failure(d);
  assert_int_equal(failure.status, status);
  if (status == ESS_ECALLBACK) assert_int_equal(failure.callback_code, f.code);
  if (status && f.code) assert_int_equal(plan.calls[f.culprit], f.from + 1);
  check_place(d, reached);
  check_reset(d, wanted);
  ess_driver_free(d);
  return status;
}

/* Outcome: ESS_ECALLBACK, the callback's code, and no further call of it. */
static void each_call_fails(culprit who) {
  place wanted, reached;
  const size_t calls = calls_of(who, &wanted);
  double before = 0.0;
  assert_true(calls > 0 || who == SOME_RATES); // those are for speed alone
  for (size_t from = 0; from < calls; from++) {
    const fault f = {.culprit = who, .from = from, .code = 40 + (int)who};
    assert_int_equal(run(f, &wanted, &reached), ESS_ECALLBACK);
    // the later the call, the further the run has come
    assert_true(reached.t >= before);
    before = reached.t;
  }
}

/* Outcome: what stays no number ends the run; what was none once ends it, or is stepped round. */
static void each_call_is_no_number(culprit who, int expected) {
  const double values[] = {NAN, INFINITY, -INFINITY};
  place wanted, reached;
  const size_t calls = calls_of(who, &wanted);
  for (size_t v = 0; v < 3; v++)
    for (size_t from = 0; from < calls; from++) {
      fault f = {.culprit = who, .from = from, .value = values[v], .lasting = true};
      const int status = run(f, &wanted, &reached);
      if (status != expected)
        fail_msg("%g from call %zu: %s at t = %g", f.value, from, ess_strerror(status), reached.t);
      f.lasting = false;
      const int once = run(f, &wanted, &reached);
      assert_true(once == expected || once == ESS_SUCCESS);
    }
}

TEST_OF(a_failing_field, each_call_fails(FIELD));
TEST_OF(failing_guards, each_call_fails(GUARDS));
TEST_OF(a_failing_jacobian, each_call_fails(JACOBIAN));
TEST_OF(failing_rates, each_call_fails(RATES));
TEST_OF(failing_rates_of_some, each_call_fails(SOME_RATES));
TEST_OF(a_failing_mode_change, each_call_fails(MODE));
TEST_OF(no_number_from_the_field, each_call_is_no_number(FIELD, ESS_EFIELD));
TEST_OF(no_number_from_guards, each_call_is_no_number(GUARDS, ESS_EGUARD));
TEST_OF(no_number_from_the_jacobian, each_call_is_no_number(JACOBIAN, ESS_EGUARD));
TEST_OF(no_number_from_rates, each_call_is_no_number(RATES, ESS_EGUARD));
TEST_OF(no_number_from_rates_of_some, each_call_is_no_number(SOME_RATES, ESS_EGUARD));

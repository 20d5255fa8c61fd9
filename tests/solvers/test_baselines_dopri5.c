/*
 * The step control of the baselines' dopri5 is that of Hairer, Norsett & Wanner's own program:
 * safety 0.9, exponents 0.17 and 0.04, a step that shrinks to a fifth at most and grows tenfold at
 * most.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dense_dopri5.h"

enum { CALLS_MAX = 200 };

/* x' = rate x, and the times at which it was called */
typedef struct decay {
  double rate, time[CALLS_MAX];
  size_t calls;
} decay;

static int field(double t, const double x[], double dxdt[], void *params) {
  decay *const d = params;
  if (d->calls == CALLS_MAX) return 1;
  d->time[d->calls++] = t;
  dxdt[0] = d->rate * x[0];
  return 0;
}

/* started at x = 1, with this length to try first and no call counted */
static dense_dopri5 started(decay *d, double tolerance, double length) {
  dense_dopri5 s = dense_dopri5_make(1, field, d, tolerance, tolerance, INFINITY);
  const double x = 1.0;
  assert_int_equal(dense_dopri5_start(&s, 0.0, &x, 1e6), DENSE_DOPRI5_SUCCESS);
  s.next = length;
  d->calls = 0;
  return s;
}

/* the length of an attempt, by its second stage at a fifth of it */
static double attempt(const decay *d, size_t i) {
  return 5.0 * d->time[6 * i];
}

static void a_refused_step_shrinks_to_a_fifth_at_most(void **state) {
  (void)state;
  decay d = {.rate = -100.0};
  dense_dopri5 s = started(&d, 1e-10, 10.0);
  assert_int_equal(dense_dopri5_step(&s, 1e6), DENSE_DOPRI5_SUCCESS);
  assert_true(s.rejected >= 4 && d.calls == 6 * (s.rejected + 1));
  // errors of many orders of magnitude, until the formula asks for less
  for (size_t i = 0; i < 3; i++)
    assert_true(fabs(attempt(&d, i + 1) / attempt(&d, i) - 0.2) < 1e-12);
  for (size_t i = 3; i < s.rejected; i++) {
    assert_true(attempt(&d, i + 1) / attempt(&d, i) > 0.2 - 1e-12);
    assert_true(attempt(&d, i + 1) / attempt(&d, i) < 0.9);
  }
  // right after a refusal there is no growth
  assert_true(s.next <= s.h);
}

static void a_step_without_error_is_followed_by_one_ten_times_as_long(void **state) {
  (void)state;
  decay d = {.rate = 0.0};
  dense_dopri5 s = started(&d, 1e-10, 0.125);
  for (double h = 0.125; h < 1e5; h *= 10.0) {
    assert_int_equal(dense_dopri5_step(&s, 1e6), DENSE_DOPRI5_SUCCESS);
    assert_true(s.h == h && s.rejected == 0);
    assert_true(s.next == 10.0 * h);
    dense_dopri5_accept(&s);
  }
}

/* the error of one step of x' = -x from 1 over h is known: R(-h) less its embedded one */
static void growth_follows_both_errors(void **state) {
  (void)state;
  decay d = {.rate = -1.0};
  dense_dopri5 s = started(&d, 1e-8, 0.05);
  double last = 1e-4;
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(dense_dopri5_step(&s, 1e6), DENSE_DOPRI5_SUCCESS);
    assert_int_equal(s.rejected, 0);
    const double error = s.error_old, factor = 0.9 * pow(error, -0.17) * pow(last, 0.04);
    // an error below 1e-4 is remembered as that
    if (error > 1e-4) assert_true(fabs(s.next / s.h / fmin(10.0, factor) - 1.0) < 1e-9);
    assert_true(error >= 1e-4);
    last = error;
    dense_dopri5_accept(&s);
  }
  assert_true(last > 1e-2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_refused_step_shrinks_to_a_fifth_at_most),
      cmocka_unit_test(a_step_without_error_is_followed_by_one_ten_times_as_long),
      cmocka_unit_test(growth_follows_both_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

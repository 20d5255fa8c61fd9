/*
 * The length of steps: every refusal has its cause, and is counted once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../../integrator/driver_state.h"
#include "driven.h"

/* refusals of a run, by cause; the sum is the counter `rejected` */
typedef struct causes {
  uint64_t bounded[ESS_CAUSES], refused[ESS_CAUSES];
} causes;

static causes causes_of(const char *text, ess_base base, double tolerance) {
  driven r;
  set_up(&r, hybrid_of("%s", text), 1u << HYBRID_GUARD_RATES, hybrid_options(tolerance));
  r.options.base = base;
  begin(&r);
  assert_int_equal(go(&r, hybrid_end_time(r.h)), ESS_SUCCESS);
  causes c;
  uint64_t sum = 0;
  memcpy(c.bounded, r.d->control.bounded, sizeof c.bounded);
  memcpy(c.refused, r.d->control.refused, sizeof c.refused);
  for (int i = 0; i < ESS_CAUSES; i++) sum += c.refused[i];
  assert_int_equal(sum, ess_driver_counters(r.d)->rejected);
  drop(&r);
  return c;
}

TEST(errors_refuse_steps) {
  const causes c = causes_of("x' = 1/(1e-4 + (t - 5)^2); to 10", ESS_BASE_DOPRI5, 1e-8);
  for (int i = 0; i < ESS_CAUSES; i++) {
    assert_int_equal(c.refused[i] > 0, i == ESS_BY_ERROR);
    assert_int_equal(c.bounded[i], 0);
  }
}

/* A clock has no error: its steps are bounded by an event function that turns ever faster. */
TEST(turning_refuses_steps) {
  const causes c =
      causes_of("x' = 1; wave: 1.1 + sin(x^2); from 0: x = 0.1; to 10", ESS_BASE_DOPRI5, 1e-8);
  assert_true(c.refused[ESS_BY_TURNING] > 0);
  assert_int_equal(c.refused[ESS_BY_ERROR], 0);
}

/* The stages of RKC bound its steps, of which none need be refused for that. */
TEST(stability_bounds_steps) {
  const causes c = causes_of("x' = -1e7*(x - cos(t)); from 0: x = 1; to 30", ESS_BASE_RKC, 1e-3);
  assert_true(c.bounded[ESS_BY_STABILITY] > 0);
  assert_int_equal(c.refused[ESS_BY_STABILITY], 0);
}

/*
 * The length of steps: every refusal has its cause, and is counted once.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../../integrator/driver_state.h"
#include "toy.h"

/* refusals of a run from x to t1, by cause; the sum is the counter `rejected` */
typedef struct causes {
  uint64_t bounded[ESS_CAUSES], refused[ESS_CAUSES];
} causes;

static causes causes_of(const ess_system *system, const ess_options *options, double t1,
                        double x[]) {
  ess_driver *const d = ess_driver_alloc(system, options, NULL);
  assert_non_null(d);
  double t = 0.0;
  assert_int_equal(ess_driver_apply(d, &t, t1, x), ESS_SUCCESS);
  causes c;
  uint64_t sum = 0;
  memcpy(c.bounded, d->control.bounded, sizeof c.bounded);
  memcpy(c.refused, d->control.refused, sizeof c.refused);
  for (int i = 0; i < ESS_CAUSES; i++) sum += c.refused[i];
  assert_int_equal(sum, ess_driver_counters(d)->rejected);
  ess_driver_free(d);
  return c;
}

/* a pulse at t = 5 */
FIELD(pulse) {
  (void)x, (void)sign, (void)params;
  dxdt[0] = 1.0 / (1e-4 + (t - 5.0) * (t - 5.0));
}

/* x is a clock, and the event function turns with it, ever faster */
FIELD(ticks) {
  (void)t, (void)x, (void)sign, (void)params;
  dxdt[0] = 1.0;
}

GUARDS(wave) {
  (void)t, (void)params;
  h[0] = 1.1 + sin(x[0] * x[0]);
}

EVENT_RATES(wave_rates) {
  (void)t, (void)vt, (void)which, (void)count, (void)params;
  h[0] = 1.1 + sin(x[0] * x[0]);
  rate[0] = 2.0 * x[0] * cos(x[0] * x[0]) * v[0];
}

TEST(errors_refuse_steps) {
  double x[] = {0.0};
  const ess_system system = {.dimension = 1, .field = pulse};
  const ess_options options = toy_options(1e-8);
  const causes c = causes_of(&system, &options, 10.0, x);
  for (int i = 0; i < ESS_CAUSES; i++) {
    assert_int_equal(c.refused[i] > 0, i == ESS_BY_ERROR);
    assert_int_equal(c.bounded[i], 0);
  }
}

/* Outcome: a clock has no error, so that its steps are bounded by what is read off it. */
TEST(turning_refuses_steps) {
  double x[] = {0.1};
  const ess_system system = {
      .dimension = 1, .guard_count = 1, .field = ticks, .guards = wave, .event_rates = wave_rates};
  const ess_options options = toy_options(1e-8);
  const causes c = causes_of(&system, &options, 10.0, x);
  assert_true(c.refused[ESS_BY_TURNING] > 0);
  assert_int_equal(c.refused[ESS_BY_ERROR], 0);
}

/* x follows cos t at once */
FIELD(follower) {
  (void)sign, (void)params;
  dxdt[0] = -1e7 * (x[0] - cos(t));
}

/* Outcome: the stages of RKC bound its steps, of which none need be refused for that. */
TEST(stability_bounds_steps) {
  double x[] = {1.0};
  const ess_system system = {.dimension = 1, .field = follower};
  ess_options options = toy_options(1e-3);
  options.base = ESS_BASE_RKC;
  const causes c = causes_of(&system, &options, 30.0, x);
  assert_true(c.bounded[ESS_BY_STABILITY] > 0);
  assert_int_equal(c.refused[ESS_BY_STABILITY], 0);
}

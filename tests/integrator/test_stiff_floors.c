/*
 * Bodies on stiff floors by the default method: they keep the energy that they should, and come to
 * rest where the floor carries them, at no more steps than that takes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "stiff_floors.h"
#include "toy.h"

static void check(const ess_options *options, double energy_max) {
  for (size_t i = 0; i < FLOOR_CASES; i++) {
    const floor_case c = floor_population(i);
    const floor_outcome o = floor_run(&c, options);
    const bool good = !o.status && o.energy_error <= energy_max && o.rest_error <= energy_max;
    if (!good)
      fail_msg("k %g, c %g, drop %g, %s: %s, energy %g, rest %g", c.stiffness, c.damping, c.drop,
               c.law == FLOOR_PULLS ? "pulls" : "lets go", ess_strerror(o.status), o.energy_error,
               o.rest_error);
  }
}

TEST(at_the_defaults) {
  const ess_options options = ess_options_default();
  check(&options, 1e-4);
}

TEST(at_a_loose_tolerance) {
  const ess_options options = toy_options(1e-4);
  check(&options, 5e-2);
}

/* stability does not bound steps there for long: what is chosen is as good as dopri5 */
TEST(by_a_base_that_is_chosen) {
  ess_options options = ess_options_default();
  options.base = ESS_BASE_CHOSEN;
  check(&options, 1e-4);
  options.rtol = options.atol = 1e-4;
  check(&options, 5e-2);
}

/* floors oscillate, where stabilised steps are short: they cost calls, and no energy */
TEST(by_stabilised_steps) {
  ess_options options = ess_options_default();
  options.base = ESS_BASE_RKC;
  options.rtol = options.atol = 1e-6;
  check(&options, 1e-3);
}

/* a floor that is at rest under its load lets some bodies rest: the population says of which */
TEST(some_come_to_rest) {
  const ess_options options = ess_options_default();
  size_t rest = 0;
  for (size_t i = 0; i < FLOOR_CASES; i++) {
    const floor_case c = floor_population(i);
    rest += floor_run(&c, &options).rests;
  }
  assert_in_range(rest, FLOOR_CASES / 3, FLOOR_CASES - 1);
}

/* a body on two springs, k = 1e9 each, that creeps: how deep each is pressed, a difference of two
 * numbers of the size of 1, changes by no more than their rounding in a step */
static const double stiffness = 1e9, damping = 12e4;

FIELD(creeping_field) {
  double up = -TOY_GRAVITY, turn = 0.0;
  for (int i = 0; i < 2; i++) {
    const double from = i ? 1.0 : -1.0;
    const double gap = x[0] + from * x[1] - 1.0, rate = x[2] + from * x[3];
    const double push = sign[i] > 0.0 ? -stiffness * gap - damping * rate : 0.0;
    up += push;
    turn += from * push;
  }
  dxdt[0] = x[2];
  dxdt[1] = x[3];
  dxdt[2] = up;
  dxdt[3] = 0.5 * turn;
}

GUARDS(creeping_guards) {
  h[0] = 1.0 - (x[0] - x[1]);
  h[1] = 1.0 - (x[0] + x[1]);
}

static int creeping_jacobian(double t, const double x[], double Dh[], void *params) {
  const double all[] = {-1.0, 1.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0};
  memcpy(Dh, all, sizeof all);
  return 0;
}

TEST(where_event_functions_change_by_rounding_steps_are_not_refused) {
  const ess_system system = {.dimension = 4,
                             .guard_count = 2,
                             .field = creeping_field,
                             .guards = creeping_guards,
                             .guard_jacobian = creeping_jacobian};
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-9;
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  assert_non_null(d);
  double t = 0.0, x[4] = {1.0 - 1e-8, 1e-9, -1e-3, 0.0};
  assert_int_equal(ess_driver_apply(d, &t, 0.1, x), ESS_SUCCESS);
  assert_true(fabs(x[0] - (1.0 - 0.5 * TOY_GRAVITY / stiffness)) < 1e-9);
  const ess_counters *const c = ess_driver_counters(d);
  if (!(c->rejected < c->steps / 20))
    fail_msg("%llu of %llu", (unsigned long long)c->rejected, (unsigned long long)c->steps);
  ess_driver_free(d);
}

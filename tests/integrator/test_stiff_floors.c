/*
 * Bodies on stiff floors by the default method: they keep the energy that they should, and come to
 * rest where the floor carries them.
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
      print_error("k %g, c %g, drop %g, %s: %s, energy %g, rest %g\n", c.stiffness, c.damping,
                  c.drop, c.law == FLOOR_PULLS ? "pulls" : "lets go", ess_strerror(o.status),
                  o.energy_error, o.rest_error);
    assert_true(good);
  }
}

TEST(at_the_defaults) {
  const ess_options options = ess_options_default();
  check(&options, 1e-4);
}

TEST(at_a_loose_tolerance) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = 1e-4;
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

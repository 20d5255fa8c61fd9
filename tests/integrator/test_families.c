/*
 * A thousand runs of each family of systems that people bring: none is wrong. All of them:
 * population_families.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "test.h"

#ifndef FAMILY_RUNS
#define FAMILY_RUNS 1000 // sanitizers: fewer
#endif

/* fails at the first run that is wrong */
static void check(const char *name, size_t runs) {
  const family *f = families;
  while (strcmp(f->name, name)) f++;
  for (uint64_t seed = 1; seed <= runs; seed++) {
    const family_run r = f->run(seed + 1000000);
    if (family_is_wrong(f, &r))
      fail_msg("%s %lu at %g: %s, error %g, crossings %zu of %zu", name,
               (unsigned long)(seed + 1000000), r.tolerance, ess_strerror(r.status), r.error,
               r.crossings, r.true_crossings);
  }
}

TEST_OF(relays_on_a_carrier, check("relay", FAMILY_RUNS));
TEST_OF(carriers_of_several_frequencies, check("waves", FAMILY_RUNS));
TEST_OF(fuel_by_crank_angle, check("crank", FAMILY_RUNS));
TEST_OF(cradles_of_hertz_contacts, check("cradle", FAMILY_RUNS));

/* Nine balls, and sixteen, with gaps of 1e-12: a contact that stays within that of its zero was
 * crossed tens of thousands of times, at each step anew, where the tolerance does not tell it from
 * zero. */
TEST(contacts_below_the_tolerance) {
  static const uint64_t seeds[] = {9790009, 9792400};
  for (size_t i = 0; i < 2; i++) {
    const family_run r = family_cradle(seeds[i]);
    assert_int_equal(r.status, ESS_SUCCESS);
    assert_true(r.error < 5.0);
    assert_true(r.crossings < 100);
  }
}

TEST_OF(a_strong_pulse_among_weak_crossings, check("pulse", FAMILY_RUNS));
TEST_OF(pairs_that_undo_each_other, check("pairs", FAMILY_RUNS));

/* ten of eighteen crossings once, at every tolerance: the last step was four periods long */
TEST(a_step_of_four_periods) {
  for (double tolerance = 5e-2; tolerance > 1e-10; tolerance *= 0.1) {
    const family_run r =
        family_carrier_at(100.21319247840829, 0.94263722625651758, 0.54912432726765981, tolerance);
    assert_int_equal(r.status, ESS_SUCCESS);
    assert_int_equal(r.true_crossings, 18);
    assert_int_equal(r.crossings, 18);
    assert_true(r.error < 1.0);
  }
}

/*
 * A part of each population of curved event functions, in which no contact may be missed; all of
 * them: population_misses.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "misses.h"
#include "test.h"

#ifndef MISSES_PART
#define MISSES_PART 10 // sanitizers: less
#endif

static void check(const ess_options *options, size_t populations) {
  for (size_t i = 0; i < populations; i++) {
    const misses_population *const p = &misses_populations[i];
    const misses m = p->count(options, (p->runs + MISSES_PART - 1) / MISSES_PART, 1000 + i);
    if (m.failed || (double)m.missed > p->share * (double)m.runs || m.longest > p->longest)
      fail_msg("%s: of %zu runs %zu failed and %zu missed a contact, of up to %g s", p->name,
               m.runs, m.failed, m.missed, m.longest);
  }
}

TEST(none_is_missed_at_the_defaults) {
  const ess_options options = ess_options_default();
  check(&options, MISSES_POPULATIONS);
}

/* straight flights, which a projection along the tangent does not leave */
TEST(none_is_missed_in_flight_by_the_papers_method) {
  const ess_options options = ess_options_paper();
  check(&options, MISSES_FLIGHTS);
}

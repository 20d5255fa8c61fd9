/*
 * States that are held and let go of by a wave: `population_slips [runs] [seed] [family]`, so many
 * runs of each family, or of one. How many slips are missed, or made up. Exit 1 when there is one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "population.h"
#include "slip_families.h"

/* with --rows */
static void rows_of(uint64_t seed) {
  for (slip_family f = 0; f < SLIP_COUNT; f++) {
    const slip_outcome o = slip_run(f, seed);
    population_row(slip_names[f], seed, o.tolerance,
                   slip_is_wrong(&o) ? POPULATION_WRONG : POPULATION_RIGHT, o.late);
  }
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
  const uint64_t only = argc > 3 ? strtoull(argv[3], NULL, 10) : SLIP_COUNT;
  bool bad = false;
  puts("runs; times held, slips; runs with one missed or made up, ended by a status; "
       "right-hand-side "
       "evaluations per run");
  for (slip_family f = 0; f < SLIP_COUNT; f++) {
    if (only < SLIP_COUNT && only != f) continue;
    uint64_t wrong = 0, refused = 0, held = 0, slips = 0, calls = 0;
    for (uint64_t i = first; i < first + runs; i++) {
      const slip_outcome o = slip_run(f, i);
      const bool is_wrong = slip_is_wrong(&o);
      wrong += is_wrong;
      refused += o.status != ESS_SUCCESS;
      held += o.held;
      slips += o.slips;
      calls += o.counters.field_evaluations;
      if ((is_wrong || o.status) && only == f)
        printf("%s %llu at %.0e: %s, late by %.2g tolerances, early by %.2g, first at %.9g of %g\n",
               slip_names[f], (unsigned long long)i, o.tolerance, ess_strerror(o.status), o.late,
               o.early, o.wrong_at, o.until);
    }
    bad = bad || wrong;
    printf("%-20s %7llu | held %8llu slips %8llu | wrong %4llu | status %4llu | %8.0f\n",
           slip_names[f], (unsigned long long)runs, (unsigned long long)held,
           (unsigned long long)slips, (unsigned long long)wrong, (unsigned long long)refused,
           (double)calls / (double)runs);
    fflush(stdout);
  }
  return bad;
}

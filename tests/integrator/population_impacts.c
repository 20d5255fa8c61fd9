/*
 * Systems whose crossings are impacts: `population_impacts [runs] [family] [first]`. How many are
 * silently wrong, or end with a status that they should not. Exit 1 when there is one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "impact_families.h"
#include "population.h"

/* with --rows */
static void rows_of(uint64_t seed) {
  for (family f = 0; f < FAMILY_COUNT; f++) {
    const family_outcome o = family_run(f, seed);
    population_row(family_names[f], seed, o.tolerance,
                   !o.clear              ? POPULATION_OUT
                   : family_is_wrong(&o) ? POPULATION_WRONG
                                         : POPULATION_RIGHT,
                   o.error / o.tolerance);
  }
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  const uint64_t only = argc > 2 ? strtoull(argv[2], NULL, 10) : FAMILY_COUNT;
  const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
  bool bad = false;
  puts("runs, of them told by the truth; silently wrong; a status that is false; impacts; the "
       "worst\nerror by what it may be");
  for (family f = 0; f < FAMILY_COUNT; f++) {
    if (only < FAMILY_COUNT && only != f) continue;
    uint64_t clear = 0, wrong = 0, refused = 0, impacts = 0;
    double worst = 0.0;
    for (uint64_t i = first; i < first + runs; i++) {
      const family_outcome o = family_run(f, i);
      const bool is_wrong = family_is_wrong(&o), is_false = o.status && o.status != o.expected;
      clear += o.clear;
      wrong += is_wrong;
      refused += is_false;
      impacts += o.impacts;
      if (o.clear && o.status == o.expected && o.error / o.bound > worst) worst = o.error / o.bound;
      if ((is_wrong || is_false) && only == f)
        printf("%s %llu at %.0e: %s, error %.1e, %llu impacts\n", family_names[f],
               (unsigned long long)i, o.tolerance, ess_strerror(o.status), o.error,
               (unsigned long long)o.impacts);
    }
    bad = bad || wrong || refused;
    printf("%-28s %6llu %6llu | wrong %4llu | false status %4llu | %9llu impacts | %.2g\n",
           family_names[f], (unsigned long long)runs, (unsigned long long)clear,
           (unsigned long long)wrong, (unsigned long long)refused, (unsigned long long)impacts,
           worst);
  }
  return bad;
}

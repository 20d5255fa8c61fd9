/*
 * population_families COUNT [FAMILY [SEED]]: the families of systems that people bring, COUNT runs
 * of each or of one, from SEED on. A line for each run that is wrong, then one for each family.
 * Exit 1 when a run is wrong, 2 for usage.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "population.h"

static void tell(const family *f, uint64_t seed, const family_run *r) {
  printf("wrong: %s %lu at %g: %s, error %.3g, crossings %zu of %zu\n", f->name,
         (unsigned long)seed, r->tolerance, ess_strerror(r->status), r->error, r->crossings,
         r->true_crossings);
}

static size_t count(const family *f, uint64_t first, size_t runs) {
  size_t left_out = 0, wrong = 0;
  double worst = 0.0, calls = 0.0, looks = 0.0;
  for (uint64_t seed = first; seed < first + runs; seed++) {
    const family_run r = f->run(seed);
    left_out += r.is_left_out;
    if (r.is_left_out) continue;
    calls += (double)r.counters.field_evaluations;
    looks += (double)r.counters.guard_evaluations;
    if (family_is_wrong(f, &r)) {
      wrong++;
      tell(f, seed, &r);
    } else {
      worst = fmax(worst, r.error);
    }
  }
  const double made = runs > left_out ? (double)(runs - left_out) : 1.0;
  printf("%-8s %8zu runs, %6zu left out, %4zu wrong, worst of the others %.3g, calls %.1f, "
         "%.1f\n",
         f->name, runs, left_out, wrong, worst, calls / made, looks / made);
  fflush(stdout);
  return wrong;
}

/* with --rows */
static void rows_of(uint64_t seed) {
  for (size_t i = 0; i < FAMILIES; i++) {
    const family *const f = &families[i];
    const family_run r = f->run(seed);
    if (r.is_left_out) continue;
    population_row(f->name, seed, r.tolerance,
                   family_is_wrong(f, &r) ? POPULATION_WRONG : POPULATION_RIGHT, r.error);
  }
}

int main(int argc, char **argv) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  const double runs = argc > 1 ? atof(argv[1]) : 0.0;
  const char *const only = argc > 2 ? argv[2] : "all";
  const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  bool known = !strcmp(only, "all");
  for (size_t i = 0; i < FAMILIES; i++) known = known || !strcmp(only, families[i].name);
  if (argc > 4 || !(runs >= 1.0) || !known) {
    fprintf(stderr, "usage: population_families COUNT [FAMILY|all [SEED]]; families:");
    for (size_t i = 0; i < FAMILIES; i++) fprintf(stderr, " %s", families[i].name);
    fprintf(stderr, "\n");
    return 2;
  }
  size_t wrong = 0;
  for (size_t i = 0; i < FAMILIES; i++)
    if (!strcmp(only, "all") || !strcmp(only, families[i].name))
      wrong += count(&families[i], seed, (size_t)runs);
  return wrong > 0;
}

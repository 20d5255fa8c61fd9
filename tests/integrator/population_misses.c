/*
 * population_misses [FLIGHTS]: all of the populations, at the default options and at the paper's,
 * and what was missed in each. With a number, so many flights past a peg; the others in proportion.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "misses.h"

static void show(const char *method, const misses_population *p, const misses *m) {
  const double runs = (double)m->runs;
  printf("%-8s %-21s %7zu %8.2f %7zu %7zu %10.2f %9.1f %9.1f %9.1f\n", method, p->name, m->runs,
         (double)m->contacts / runs, m->failed, m->missed, 1e3 * m->longest,
         (double)m->spent.steps / runs, (double)m->spent.rejected / runs,
         (double)m->spent.guard_evaluations / runs);
  fflush(stdout);
}

int main(int argc, char **argv) {
  const double flights = argc > 1 ? atof(argv[1]) : 1e4;
  if (argc > 2 || !(flights >= 1.0)) {
    fprintf(stderr, "usage: population_misses [FLIGHTS]\n");
    return 2;
  }
  const ess_options options[] = {ess_options_default(), ess_options_paper()};
  printf("%-8s %-21s %7s %8s %7s %7s %10s %9s %9s %9s\n", "options", "population", "runs",
         "contacts", "failed", "missed", "longest/ms", "steps", "rejected", "guards");
  for (int i = 0; i < 2; i++)
    for (size_t p = 0; p < MISSES_POPULATIONS; p++) {
      const misses_population *const population = &misses_populations[p];
      const double runs = (double)population->runs * flights * 1e-4;
      const misses m = population->count(&options[i], runs < 1.0 ? 1 : (size_t)runs, 1 + p);
      show(i ? "paper" : "default", population, &m);
    }
  return 0;
}

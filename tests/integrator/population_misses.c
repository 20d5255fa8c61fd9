/*
 * population_misses [FLIGHTS]: all of the populations, at the default options and at the paper's,
 * and what was missed in each. With a number, so many flights past a peg; the others in proportion.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "draws.h"
#include "misses.h"
#include "population.h"

static void show(const char *method, const misses_population *p, const misses *m) {
  const double runs = (double)m->runs;
  printf("%-8s %-21s %7zu %8.2f %7zu %7zu %10.2f %9.1f %9.1f %9.1f\n", method, p->name, m->runs,
         (double)m->contacts / runs, m->failed, m->missed, 1e3 * m->longest,
         (double)m->spent.steps / runs, (double)m->spent.rejected / runs,
         (double)m->spent.guard_evaluations / runs);
  fflush(stdout);
}

/* with --rows; a population has a run for each seed, and one with a part of the runs for a part of
 * the seeds */
static void rows_of(uint64_t seed) {
  static const char *const methods[] = {"default", "paper"};
  const ess_options options[] = {ess_options_default(), ess_options_paper()};
  for (size_t p = 0; p < MISSES_POPULATIONS; p++) {
    const misses_population *const population = &misses_populations[p];
    if (population->runs == 1 ? seed > 0 : seed % (10000 / population->runs)) continue;
    for (int i = 0; i < 2; i++) {
      uint64_t sequence = seed;
      char family[64];
      snprintf(family, sizeof family, "%s %s", population->name, methods[i]);
      const misses m = population->count(&options[i], 1, draw_bits(&sequence));
      population_row(family, seed, options[i].rtol, m.missed ? POPULATION_WRONG : POPULATION_RIGHT,
                     0.0);
    }
  }
}

int main(int argc, char **argv) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
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

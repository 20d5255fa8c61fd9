/*
 * A population of random systems through the default method, held against an independent
 * integration: `population_systems COUNT [TOLERANCE] [KIND] [SEED] [BASE]`, every tolerance and
 * kind where none is given (0 and all stand for that), the base dopri5, rkc, chosen or rodas. Exit
 * 1 when a requirement is not met.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "population.h"
#include "random_systems.h"

enum { WORST = 5, TOLERANCES = 7 };

static const double MEDIAN_MAX = 30.0, TAIL_MAX = 100.0; /* error over tolerance: median, 99 % */

/* a run's error over its tolerance, and where it comes from */
typedef struct outcome {
  double ratio;
  unsigned long seed;
} outcome;

/* one kind at one tolerance */
typedef struct tally {
  outcome *of;
  size_t count, failed, crossings, missed, invented;
  double field_calls;
} tally;

static int by_ratio(const void *a, const void *b) {
  const double left = ((const outcome *)a)->ratio, right = ((const outcome *)b)->ratio;
  return (left > right) - (left < right);
}

static void add(tally *t, const random_system *s, unsigned long seed, double tolerance,
                const random_run *run) {
  t->of[t->count++] = (outcome){run->error / tolerance, seed};
  t->failed += run->status != ESS_SUCCESS;
  t->crossings += s->crossing_count;
  t->missed += run->missed;
  t->invented += run->invented;
  t->field_calls += (double)run->counters.field_evaluations;
}

/* one line; whether it meets the requirement */
static bool print(tally *t, systems_kind kind, double tolerance) {
  qsort(t->of, t->count, sizeof *t->of, by_ratio);
  const double median = t->of[t->count / 2].ratio, count = (double)t->count;
  const double tail = t->of[(t->count * 99) / 100].ratio, worst = t->of[t->count - 1].ratio;
  const bool good = median <= MEDIAN_MAX && tail <= TAIL_MAX && !t->failed;
  printf("%-13s %5.0e %8.3g %8.3g %8.3g %c %6zu %6zu of %-7zu %4zu %7.0f ",
         systems_kind_names[kind], tolerance, median, tail, worst, good ? ' ' : '!', t->missed,
         t->invented, t->crossings, t->failed, t->field_calls / count);
  for (size_t i = 1; i <= WORST && i <= t->count; i++) printf(" %lu", t->of[t->count - i].seed);
  putchar('\n');
  fflush(stdout);
  return good;
}

/* runs `count` systems of a kind at every tolerance; how many requirements are not met, or -1 */
static int race(systems_kind kind, size_t count, const double tolerances[], size_t tolerance_count,
                unsigned long seed, ess_base base) {
  static random_system system;
  tally tallies[TOLERANCES] = {0};
  int broken = 0;
  for (size_t i = 0; i < tolerance_count; i++) {
    tallies[i].of = calloc(count, sizeof *tallies[i].of);
    if (!tallies[i].of) broken = -1;
  }
  for (size_t drawn = 0; drawn < count && !broken; seed++) {
    if (random_system_draw(&system, kind, seed)) continue;
    drawn++;
    for (size_t i = 0; i < tolerance_count; i++) {
      const random_run run = random_system_run(&system, tolerances[i], base, 0);
      add(&tallies[i], &system, seed, tolerances[i], &run);
    }
  }
  for (size_t i = 0; i < tolerance_count; i++) {
    if (broken >= 0) broken += !print(&tallies[i], kind, tolerances[i]);
    free(tallies[i].of);
  }
  return broken;
}

/* the kind of this name; SYSTEMS_KINDS when none is called so */
static systems_kind kind_of(const char *name) {
  size_t kind = 0;
  while (kind < SYSTEMS_KINDS && strcmp(systems_kind_names[kind], name)) kind++;
  return (systems_kind)kind;
}

/* the base of this name, or -1 */
static int base_of(const char *name) {
  const char *const names[] = {[ESS_BASE_DOPRI5] = "dopri5",
                               [ESS_BASE_RKC] = "rkc",
                               [ESS_BASE_CHOSEN] = "chosen",
                               [ESS_BASE_RODAS] = "rodas"};
  for (int base = 0; base <= ESS_BASE_RODAS; base++)
    if (!strcmp(names[base], name)) return base;
  return -1;
}

/* with --rows, by the base dopri5 */
static void rows_of(uint64_t seed) {
  static random_system s;
  for (systems_kind kind = 0; kind < SYSTEMS_KINDS; kind++) {
    if (random_system_draw(&s, kind, (unsigned long)seed)) continue;
    for (int i = 0; i < TOLERANCES; i++) {
      const double tolerance = pow(10.0, -2 - i);
      const random_run run = random_system_run(&s, tolerance, ESS_BASE_DOPRI5, 0);
      const double error = run.error / tolerance;
      population_row(systems_kind_names[kind], seed, tolerance,
                     !run.status && !(error <= TAIL_MAX) ? POPULATION_WRONG : POPULATION_RIGHT,
                     error);
    }
  }
}

int main(int argc, char *argv[]) {
  int status;
  if (population_rows(argc, argv, rows_of, &status)) return status;
  double tolerances[TOLERANCES];
  for (int i = 0; i < TOLERANCES; i++) tolerances[i] = pow(10.0, -2 - i);
  const long count = argc > 1 ? atol(argv[1]) : 0;
  const double tolerance = argc > 2 ? atof(argv[2]) : 0.0;
  const systems_kind only = argc > 3 ? kind_of(argv[3]) : SYSTEMS_KINDS;
  const unsigned long seed = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;
  const int base = argc > 5 ? base_of(argv[5]) : ESS_BASE_DOPRI5;
  if (count < 1 || base < 0 || (argc > 3 && only == SYSTEMS_KINDS && strcmp(argv[3], "all"))) {
    fprintf(stderr, "usage: %s COUNT [TOLERANCE] [KIND] [SEED] [BASE]\n", argv[0]);
    return 2;
  }
  if (tolerance > 0.0) tolerances[0] = tolerance;
  printf("error / tolerance: median, 99 %%, worst; crossings missed, invented; runs failed; field\n"
         "calls; seeds of the worst\n");
  int broken = 0;
  for (size_t kind = 0; kind < SYSTEMS_KINDS && broken >= 0; kind++) {
    if (only != SYSTEMS_KINDS && only != kind) continue;
    const int more = race((systems_kind)kind, (size_t)count, tolerances,
                          tolerance > 0.0 ? 1 : TOLERANCES, seed, (ess_base)base);
    broken = more < 0 ? more : broken + more;
  }
  return broken != 0;
}

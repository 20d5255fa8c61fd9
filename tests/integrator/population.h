/*
 * Populations of runs: programs `population_X`.
 *
 *   population_X                          the test: kept seeds, and SEEDS others (which CMake
 *                                         defines); exit 1 if one is wrong
 *   population_X FIRST COUNT [FAMILY]     lines for wrong runs of these seeds, and a table
 *   population_X --rows FIRST COUNT       a line for each run, for tools/populations
 *
 * population.c observes all drivers of a run by wrapping ess_driver_alloc, ess_driver_set_options
 * and ess_driver_free at link time (CMake target `population`). A row has their last status, the
 * sums of their crossings and of their right-hand-side evaluations, and a hash of their nodes
 * (t, x, sign) to the last bit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef POPULATION_H
#define POPULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum population_verdict {
  POPULATION_RIGHT, /* or the run ended in a status */
  POPULATION_WRONG, /* success, with a wrong result */
  POPULATION_OUT,   /* the truth does not decide */
  POPULATION_FALSE  /* a status, where the truth goes on: wrong if the seed is a kept one */
} population_verdict;

/* A seed that was wrong once, at any tolerance. */
typedef struct population_seed {
  const char *family;
  uint64_t seed;
} population_seed;

typedef struct population {
  void (*run)(uint64_t seed); /* one row for each run of a seed */
  uint64_t first;             /* seeds of the test */
  size_t count;
  const population_seed *kept;
  size_t kept_count;
  double median; /* bound of the median error of each family, in tolerances, or 0 */
  double most;   /* the share of runs that may be wrong, or end in a status; 0: none is wrong */
  bool may_fail; /* a status is not wrong */
  double least;  /* the share of the runs of a family that have to be judged right */
} population;

int population_main(int argc, char *argv[], const population *p);

/* Whether runs of this family are asked for. */
bool population_has(const char *family);

/* The row of all drivers freed since the last one. `error` is in tolerances. */
void population_row(const char *family, uint64_t seed, double tolerance, population_verdict verdict,
                    double error);

/* The last row counts in the table's line of this name, too. */
void population_also(const char *name);

/* For programs with a main of their own: whether the arguments ask for rows. Then `run` has been
 * called for each seed, and *status is that of the program. */
bool population_rows(int argc, char *argv[], void (*run)(uint64_t seed), int *status);

#endif

/*
 * Rows of a population, for tools/populations: `population_X --rows FIRST COUNT` prints a line for
 * each run of these seeds. population.c observes all drivers of a run by wrapping
 * ess_driver_alloc, ess_driver_set_options and ess_driver_free at link time (CMake target
 * `population`). A row has their last status, the sums of their crossings and of their
 * right-hand-side evaluations, and a hash of their nodes (t, x, sign) to the last bit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef POPULATION_H
#define POPULATION_H

#include <stdbool.h>
#include <stdint.h>

typedef enum population_verdict {
  POPULATION_RIGHT, /* or the run ended in a status */
  POPULATION_WRONG, /* success, with a wrong result */
  POPULATION_OUT    /* the truth does not decide */
} population_verdict;

/* Whether the arguments ask for rows: then `run` has been called for each seed, and *status is that
 * of the program. */
bool population_rows(int argc, char *argv[], void (*run)(uint64_t seed), int *status);

/* Prints the row of all drivers freed since the last one. `error` is in tolerances. */
void population_row(const char *family, uint64_t seed, double tolerance, population_verdict verdict,
                    double error);

#endif

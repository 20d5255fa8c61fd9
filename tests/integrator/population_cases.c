/*
 * The random runs of a case file, CASES, as a population: a row for each of them and each seed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "cases.h"
#include "population.h"

static cases all;

/* a title without commas, which separate the words of a row, and a number if it is not the first */
static void name_of(const a_case *c, size_t run, char name[80]) {
  size_t length = 0;
  for (const char *at = c->title; *at && length < 63; at++)
    if (*at != ',') name[length++] = *at;
  name[length] = '\0';
  if (run) sprintf(name + length, " %zu", run + 1);
}

static void rows_of(uint64_t seed) {
  for (size_t i = 0; i < all.count; i++)
    for (size_t run = 0; run < all.cases[i].count; run++) {
      case_outcome o;
      char name[80];
      if (!case_draw(&all.cases[i], run, seed, &o)) continue;
      name_of(&all.cases[i], run, name);
      population_row(name, seed, o.tolerance,
                     o.is_undecided             ? POPULATION_OUT
                     : !o.is_right && !o.status ? POPULATION_WRONG
                                                : POPULATION_RIGHT,
                     o.error / o.tolerance);
    }
}

int main(int argc, char *argv[]) {
  int status = 2;
  all = cases_read(CASES);
  if (!population_rows(argc, argv, rows_of, &status))
    fprintf(stderr, "usage: %s --rows FIRST COUNT\n", argv[0]);
  cases_free(&all);
  return status;
}

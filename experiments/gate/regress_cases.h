/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed cases of the regression gate: what is counted, and what is timed. Deterministic by
 * construction: every start is written out, nothing is drawn. */
#ifndef REGRESS_CASES_H
#define REGRESS_CASES_H

#include "race.h"

enum { REGRESS_NAME_SIZE = 80, REGRESS_CASES_MAX = 256 };

/* One model with parameters and settings, under a name that baselines know it by. */
typedef struct regress_case {
  char name[REGRESS_NAME_SIZE];
  model m;                   /* not prepared */
  const solver_type *solver; /* libess by one of its methods */
  solver_settings settings;
} regress_case;

/* The cases that are counted, or timed: how many of REGRESS_CASES_MAX. */
size_t regress_counted_cases(regress_case cases[]);
size_t regress_timed_cases(regress_case cases[]);

/* Whether both have the same reference: the same model and parameters, which name the start, the
 * form in which the plate's field is summed aside. */
bool regress_same_reference(const model *a, const model *b);

#endif

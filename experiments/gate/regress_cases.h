/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed cases of the regression gate: what is counted, and what is timed. Deterministic by
 * construction: every start is written out, nothing is drawn. */
#ifndef REGRESS_CASES_H
#define REGRESS_CASES_H

#include "solver.h"

enum { REGRESS_NAME_SIZE = 80, REGRESS_PARAMETERS_MAX = 6 };

/* One model with parameters and settings, under a name that baselines know it by. */
typedef struct regress_case {
  char name[REGRESS_NAME_SIZE];
  const char *model; /* name of its type */
  struct {
    const char *name;
    double value;
  } parameters[REGRESS_PARAMETERS_MAX]; /* those that differ from their defaults */
  size_t parameter_count;
  const solver_type *solver; /* libess by one of its methods */
  solver_settings settings;
} regress_case;

/* The cases that are counted: a new array for `free`, and how many. NULL when memory is out. */
regress_case *regress_counted_cases(size_t *count);

/* The cases that are timed, likewise. */
regress_case *regress_timed_cases(size_t *count);

/* Initialises and prepares the case's model, for model_release. 0, or -1 with one line. */
int regress_case_model(const regress_case *c, model *m, char message[SOLVER_MESSAGE_SIZE]);

/* Whether both have the same reference: the same model, start and parameters, the form in which the
 * plate's field is summed aside. */
bool regress_same_reference(const regress_case *a, const regress_case *b);

#endif

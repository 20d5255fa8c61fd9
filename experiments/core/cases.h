/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cells of a study share within a process: models with some parameters changed, starts drawn
 * for them, and the reference from each. Made when first asked for, kept to the end. */
#ifndef CASES_H
#define CASES_H

#include "contest.h"
#include "study.h"

/* A parameter of the model and its value; an array ends with one without a name. NULL: none. */
typedef struct case_change {
  const char *name;
  double value;
} case_change;

/* The run's model with these changes (a parameter that it has not is left out), prepared. NULL with
 * one line. It stays where it is, and the run's to free. */
const model *case_model(study_run *run, const case_change changes[]);

/* The same of another type than the run's model is: of its defaults. */
const model *case_model_of(study_run *run, const model_type *type, const case_change changes[]);
contest_starts *case_starts_of(study_run *run, const model_type *type, const case_change changes[],
                               size_t trials);

/* Its own start alone. */
contest_starts *case_own_start_of(study_run *run, const model_type *type,
                                  const case_change changes[]);

/* So many starts of that model, drawn with the run's seed. Their references are there when asked
 * for, by contest_reference. NULL with one line. */
contest_starts *case_starts(study_run *run, const case_change changes[], size_t trials);

void cases_free(study_run *run);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of crossing-cost: which setting of a method is raced. */
#ifndef CROSSING_COST_H
#define CROSSING_COST_H

#include "precision.h"

/* One method's setting at one number of contacts. */
typedef struct crossing_choice {
  precision_status status; /* PRECISION_OK: the target is reached; or why it is not */
  double value;            /* the cheapest that reaches it, or else the most accurate one tried */
  double rms, seconds;     /* medians over the starts; NaN when there is no value */
  size_t trials;           /* those starts, from which it is raced as well */
  char message[SOLVER_MESSAGE_SIZE];
} crossing_choice;

/* What came of one value of a knob: medians over so many starts, both infinite where a run failed;
 * and what it is judged by its crossings and by a state that stays where it started. */
typedef struct crossing_attempt {
  double value, rms, seconds;
  size_t trials;
  precision_status status;
} crossing_attempt;

/* Tries a value: 0, or a solver_status with one line. */
typedef int crossing_try(void *context, const precision_method *method, double value,
                         crossing_attempt *out, char message[SOLVER_MESSAGE_SIZE]);

/* Goes through the values of a method's knob from the coarsest on, as far as the cheapest may lie,
 * and leaves what it found in *choice: only a value whose status is PRECISION_OK is accepted. */
void crossing_choose(const precision_method *method, double target, crossing_try *attempt,
                     void *context, crossing_choice *choice);

/* The same for a method as it does from these starts. 0, or -1 with one line, or interrupted. */
int crossing_choose_setting(study_run *run, contest_starts *starts, const precision_effort *effort,
                            const precision_method *method, double target, crossing_choice *choice);

/* A row of the results: a method at one number of contacts. */
typedef struct crossing_row {
  precision_row p;
  double target, ns_per_crossing, ns_per_crossing_lo, ns_per_crossing_hi, evaluations_per_crossing;
} crossing_row;

/* Marks a row that is "ok" but raced to an error above its target as not reached. */
void crossing_check_target(crossing_row *r);

/* Finds, in the rows of all numbers of contacts, each with those of so many methods in one order,
 * variants of one solver that have the same value, status and error in all, and names in all but
 * the first's that one, which stands for them. */
void crossing_find_coincidences(crossing_row rows[], size_t count, size_t methods);

#endif

/*
 * The cost of a crossing at a fixed error, over numbers of contacts: what every method's cheapest
 * setting is, and what it takes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CROSSING_COST_H
#define CROSSING_COST_H

#include "work_precision.h"

/* One method's setting at one number of contacts. */
typedef struct crossing_choice {
  const precision_method *method;
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

/* A row of the results: a method at one number of contacts. */
typedef struct crossing_row {
  precision_row row; /* its message points into the member below */
  char message[SOLVER_MESSAGE_SIZE];
} crossing_row;

/* Marks a row that is "ok" but raced to an error above the target as not reached. */
void crossing_check_target(crossing_row *r, double target);

/* Measuring under way; owned. */
typedef struct crossing {
  const arguments *given;
  bool *chosen;            /* methods asked for */
  size_t methods;          /* of them */
  crossing_choice *choice; /* [methods] of the present number of contacts */
  json_t *entries;         /* what the journal had */
  measure_journal *journal;
  const volatile int *interrupted;
  int core;
  size_t count; /* of rows */
  crossing_row *row;
  char *message;
} crossing;

/* crossing_cost_journal.c: opens the journal, with what it holds in all->entries. 0, or -1. */
int crossing_journal_open(crossing *all);

/* The choice of choice->method as the journal has it; false when it is not there. */
bool crossing_journal_recall(const crossing *all, size_t contacts, crossing_choice *choice);
int crossing_journal_choice(crossing *all, size_t contacts, const crossing_choice *choice);

/* Samples of the case's number of contacts that the journal had. */
void crossing_journal_samples(const crossing *all, precision_case *c);

/* crossing_cost_measure.c: chooses settings at one number of contacts, races them, and adds their
 * rows. 0; -1 with one line; or 1 when interrupted. */
int crossing_measure(crossing *all, size_t contacts);

/* crossing_cost_twins.c: finds, in the rows of all numbers of contacts, each with those of so many
 * methods in one order, variants of one solver that have the same value, status and error in all,
 * and names in all but the first's that one, which stands for them. */
void crossing_find_coincidences(crossing_row rows[], size_t count, size_t methods);

/* crossing_cost_files.c: crossing_cost.csv and .json of the folder. 0, or -1 with one line. */
int crossing_write(const arguments *given, const crossing_row rows[], size_t count, int core,
                   char *message);

/* The rows as a person reads them. */
void crossing_print(const arguments *given, const crossing_row rows[], size_t count);

#endif

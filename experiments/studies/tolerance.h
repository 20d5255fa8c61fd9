/*
 * libess by one tolerance, on the plate: what error a tolerance gives, and what it costs, beside
 * what the same library takes when it locates each crossing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TOLERANCE_H
#define TOLERANCE_H

#include <jansson.h>

#include "arguments.h"
#include "journal.h"

/* ---- what is measured: tolerance.c ----------------------------------------------------------- */

/* Of one run at one tolerance; all NaN when the run failed. */
typedef enum tolerance_quantity {
  TOLERANCE_RMS,
  TOLERANCE_FIELDS,
  TOLERANCE_GUARDS,
  TOLERANCE_STEPS,
  TOLERANCE_REJECTED,
  TOLERANCE_ENTRIES,
  TOLERANCE_SUBSTEPS,
  TOLERANCE_SUBSTEPS_REJECTED,
  TOLERANCE_GROUPS,
  TOLERANCE_EVENTS,
  TOLERANCE_SECONDS, /* the fastest of a few runs */
  TOLERANCE_LOCATION_RMS,
  TOLERANCE_LOCATION_FIELDS,
  TOLERANCE_QUANTITIES
} tolerance_quantity;

/* Decades that location goes on below the last tolerance. */
enum { TOLERANCE_FURTHER = 2 };

/* One number of contacts with one damping; owned. */
typedef struct tolerance_case {
  size_t contacts;
  double damping;
  model m; /* prepared */
} tolerance_case;

/* Measuring under way; owned. Work is one start of one case at every tolerance. */
typedef struct tolerance {
  const arguments *given;
  size_t levels; /* the tolerances given, and TOLERANCE_FURTHER for location alone, whose error at
                    the last of them may be larger than that of libess */
  double level[ARGUMENTS_EPSILONS_MAX + TOLERANCE_FURTHER];
  size_t case_count;
  tolerance_case *cases;
  size_t work_count, work_size; /* case_count*trials; doubles of one */
  double *work; /* [work_count][work_size], shared by processes: the reference's crossings, then
                   [levels][TOLERANCE_QUANTITIES] */
  bool *done;   /* [work_count] */
  measure_journal *journal;
  const volatile int *interrupted;
  char *message; /* what went wrong */
} tolerance;

/* A piece of work: its numbers, and the seed of its start. */
double *tolerance_work(const tolerance *all, size_t work);
unsigned long tolerance_seed(const tolerance *all, size_t work);

/* tolerance_journal.c: opens the journal and takes in the work it holds. 0, or -1 with one line. */
int tolerance_journal_open(tolerance *all);

/* Appends a piece of work. 0, or -1 with one line. */
int tolerance_journal_append(tolerance *all, size_t work);

/* tolerance_files.c: tolerance.csv and tolerance.json of the folder, and the results as a person
 * reads them. 0, or -1 with one line. */
int tolerance_write(const tolerance *all);

#endif

/*
 * What the fixed cases count: run, written to and read from a baseline, compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef REGRESS_COUNTERS_H
#define REGRESS_COUNTERS_H

#include <stdint.h>

#include "json_file.h"
#include "regress_cases.h"

/* The counters, in the order of regress_count.value. */
enum {
  REGRESS_EVENTS,
  REGRESS_REFERENCE_EVENTS,
  REGRESS_STEPS,
  REGRESS_REJECTED,
  REGRESS_ENTRIES,
  REGRESS_PROJECTIONS,
  REGRESS_FIELD,
  REGRESS_GUARD,
  REGRESS_SUBSTEPS,
  REGRESS_GROUPS,
  REGRESS_COUNTERS
};

/* Their names, as in baseline files; counters of sub-steps stand there where they are not 0. */
extern const char *const regress_counter_names[REGRESS_COUNTERS];

/* What one case gave. */
typedef struct regress_count {
  char name[REGRESS_NAME_SIZE];
  int64_t value[REGRESS_COUNTERS];
  double rms_error;
  size_t dimension;
  double reference_end[MODEL_DIMENSION_MAX]; /* the reference's state at the end */
} regress_count;

typedef struct regress_counts {
  regress_count *rows; /* owned */
  size_t count;
} regress_counts;

void regress_counts_free(regress_counts *counts);

/* Runs every case once. 0, or -1 with one line that names the case. */
int regress_counts_run(regress_counts *counts, char message[SOLVER_MESSAGE_SIZE]);

/* A new object for a baseline file; NULL when memory is out. Holds nothing of machine or clock, so
 * that the same code writes the same file. */
json_t *regress_counts_json(const regress_counts *counts);

/* Reads a baseline file. 0, or -1 with one line that names file and fault. */
int regress_counts_read(regress_counts *counts, const char *path,
                        char message[SOLVER_MESSAGE_SIZE]);

/* The row of that name; NULL when there is none. */
const regress_count *regress_counts_find(const regress_counts *counts, const char *name);

/* What a comparison found. */
typedef struct regress_comparison {
  size_t cases, differences; /* compared; lines written */
  size_t better;             /* cases with a smaller error than the baseline's */
  double worst_growth;       /* largest now/baseline of the RMS errors */
  const char *worst_case;    /* whose that is; owned by `now` */
} regress_comparison;

/*
 * Compares with the baseline and writes one line per difference to `stream`, naming case, counter,
 * baseline and now. Guard evaluations may differ by REGRESS_GUARD_TOLERANCE, errors may grow by
 * REGRESS_RMS_TOLERANCE (rounding), everything else is exact.
 */
#define REGRESS_GUARD_TOLERANCE     0.03
#define REGRESS_RMS_TOLERANCE       1e-6
#define REGRESS_REFERENCE_TOLERANCE 1e-8
regress_comparison regress_counts_compare(const regress_counts *baseline, const regress_counts *now,
                                          FILE *stream);

#endif

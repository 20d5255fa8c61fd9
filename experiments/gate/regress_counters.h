/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fixed cases count: run, read from a baseline, compared. It is held as the file has it:
 * an object whose "cases" each have a name, their counters, rms_error and reference_end. */
#ifndef REGRESS_COUNTERS_H
#define REGRESS_COUNTERS_H

#include <jansson.h>
#include <stdio.h>

#include "regress_cases.h"

/* The counters, NULL behind the last; those of sub-steps are in a case where they are not 0. */
extern const char *const regress_counter_names[];

/* Runs every case once: a new reference, which holds nothing of machine or clock, so that the same
 * code writes the same file. NULL with one line that names the case. */
json_t *regress_counts_run(char message[SOLVER_MESSAGE_SIZE]);

/* Reads a baseline file: a new reference, or NULL with one line that names file and fault. */
json_t *regress_counts_read(const char *path, char message[SOLVER_MESSAGE_SIZE]);

/* The case of that name; NULL when there is none. */
const json_t *regress_counts_find(const json_t *counts, const char *name);

/* A counter of a case, 0 where it is not there; and its error. */
long long regress_counter(const json_t *row, const char *name);
double regress_rms_error(const json_t *row);

/* What a comparison found. */
typedef struct regress_comparison {
  size_t cases, differences; /* compared; lines written */
  size_t better;             /* cases with a smaller error than the baseline's */
} regress_comparison;

/*
 * Compares with the baseline and writes one line per difference to `stream`, naming case, counter,
 * baseline and now. Guard evaluations may differ by REGRESS_GUARD_TOLERANCE, errors may grow by
 * REGRESS_RMS_TOLERANCE (rounding), everything else is exact.
 */
#define REGRESS_GUARD_TOLERANCE     0.03
#define REGRESS_RMS_TOLERANCE       1e-6
#define REGRESS_REFERENCE_TOLERANCE 1e-8
regress_comparison regress_counts_compare(const json_t *baseline, const json_t *now, FILE *stream);

#endif

/*
 * Comparison of two sweeps: what was measured in each, what must be equal for the comparison to
 * mean something, and the ratios of times with their verdicts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COMPARE_H
#define COMPARE_H

#include <jansson.h>
#include <stdbool.h>

#include "csv.h"
#include "statistics.h"

/* ---- series of samples ----------------------------------------------------------------------- */

/* One start: a time in seconds, or a quotient of two; and the same of RMS errors. */
typedef struct compare_sample {
  double trial, process; /* numbers of the start, and of the process that ran it */
  double value, rms;
} compare_sample;

/* Samples by ascending trial, each trial once. */
typedef struct compare_series {
  size_t count;
  compare_sample *sample; /* owned */
} compare_series;

void compare_series_free(compare_series *series);

/* By ascending trial. */
void compare_series_sort(compare_series *series);

/* Whether both have the same trials. */
bool compare_series_alike(const compare_series *a, const compare_series *b);

/* A copy. MEASURE_SUCCESS or MEASURE_ENOMEM. */
int compare_series_copy(const compare_series *from, compare_series *out);

/* a / b, start by start, over the trials both have. MEASURE_SUCCESS or MEASURE_ENOMEM. */
int compare_series_quotient(const compare_series *a, const compare_series *b, compare_series *out);

/* Drops the trials that not all of list[count] have. */
void compare_series_intersect(compare_series list[], size_t count);

/*
 * B over A: of a[sizes] and b[sizes], one for each number of contacts, all of a alike and all of b.
 * With `paired` (a and b alike) it is the median of b / a start by start, else the ratio of the
 * medians; then the geometric mean over the sizes. The 95 % interval is by draws.h: processes are
 * drawn, then starts within each, the same for all sizes. So what differs from process to process
 * (memory layout, speed of the moment) widens the interval; with one process it cannot. There are
 * samples in all of a and b. A measure_status.
 */
int compare_ratio(const compare_series a[], const compare_series b[], size_t sizes, bool paired,
                  unsigned long seed, measure_interval *out);

/* ---- a set of results ------------------------------------------------------------------------ */

/* One number of contacts, one solver, one protocol. */
typedef struct compare_cell {
  size_t contacts;
  const char *solver, *protocol; /* the table's */
  compare_series times;
} compare_cell;

typedef struct compare_set {
  const char *folder;   /* borrowed */
  json_t *metadata;     /* sweep.json */
  measure_table *table; /* sweep_samples.csv */
  size_t processes;     /* that measured it */
  size_t count;
  compare_cell *cell;
} compare_set;

/* Reads sweep.json and sweep_samples.csv of a folder. Columns are found by name and others ignored;
 * rows never measured (seconds is nan) are left out. 0, or -1 with one line. */
int compare_set_read(compare_set *set, const char *folder, char message[MEASURE_MESSAGE_SIZE]);
void compare_set_free(compare_set *set);

/* NULL when it was not measured. */
const compare_cell *compare_set_find(const compare_set *set, size_t contacts, const char *solver,
                                     const char *protocol);

/* What must be equal and is not: a new array of {name, a, b}; NULL when memory is out. */
json_t *compare_differences(const compare_set *a, const compare_set *b);

/* ---- ratios ---------------------------------------------------------------------------------- */

/* Fewer starts than this prove nothing at 95 %: the median of n lies outside their range with
 * probability 2^(1-n). */
enum { COMPARE_TRIALS_MIN = 6 };

/* The same holds for processes: fewer do not show what differs between them. */
enum { COMPARE_PROCESSES_MIN = 6 };

typedef enum compare_verdict {
  COMPARE_NO_DIFFERENCE, /* none shown, which is no proof that there is none */
  COMPARE_FASTER,
  COMPARE_SLOWER
} compare_verdict;

const char *compare_verdict_text(compare_verdict verdict);

/* One line of the comparison; [0] is A, [1] is B. */
typedef struct compare_row {
  size_t contacts;               /* 0: over all common numbers of contacts */
  size_t sizes;                  /* how many numbers of contacts stand behind it */
  const char *solver, *protocol; /* the sets' */
  const char *over;              /* solver whose time this one's is divided by; NULL: none */
  size_t trials[2];
  double median[2];       /* s, or a quotient */
  double rms[2];          /* medians of the RMS errors, or of their quotients */
  bool paired;            /* B is compared with A start by start */
  measure_interval ratio; /* by compare_ratio */
  compare_verdict verdict;
} compare_row;

typedef struct compare_result {
  const compare_set *set[2];
  bool same_starts; /* trial j is the same start in both */
  double minimum_effect;
  size_t count, capacity;
  compare_row *row; /* owned */
} compare_result;

/* Compares what both sets have in common. 0, or -1 with one line: nothing in common, or out of
 * memory. Free with compare_result_free, also after a failure. */
int compare_rows(compare_result *result, const compare_set *a, const compare_set *b,
                 const json_t *differences, double minimum_effect,
                 char message[MEASURE_MESSAGE_SIZE]);
void compare_result_free(compare_result *result);

/* ---- output ---------------------------------------------------------------------------------- */

/* Tables for a reader, on the standard output. */
void compare_print(const compare_result *result);

/* A new object; NULL when memory is out. */
json_t *compare_json(const compare_result *result, json_t *differences);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of two sweeps: what was measured in each, what must be equal for the comparison to
 * mean something, and the ratios of times with their verdicts. */
#ifndef COMPARE_H
#define COMPARE_H

#include <jansson.h>
#include <stdbool.h>

#include "csv.h"
#include "statistics.h"

/* ---- a set of results ------------------------------------------------------------------------ */

/* One start by one solver under one protocol: a time in seconds, and its RMS error. */
typedef struct compare_sample {
  size_t contacts;
  const char *solver, *protocol; /* the table's */
  double trial, process;         /* numbers of the start, and of the process that ran it */
  double seconds, rms;
} compare_sample;

/* One line of descent through the numbers of contacts: a solver's times, or their quotients to
 * those of another. */
typedef struct compare_strand {
  const char *solver, *over, *protocol; /* over: NULL for none */
} compare_strand;

typedef struct compare_set {
  const char *folder;   /* borrowed */
  json_t *metadata;     /* sweep.json */
  measure_table *table; /* sweep_samples.csv */
  size_t processes;     /* that measured it */
  size_t count, strands;
  compare_sample *sample; /* by contacts, solver, protocol and trial, each once */
  compare_strand *strand; /* in the order of the table, without quotients */
} compare_set;

/* Reads sweep.json and sweep_samples.csv of a folder. Columns are found by name and others ignored;
 * rows never measured (seconds is nan) are left out. 0, or -1 with one line. */
int compare_set_read(compare_set *set, const char *folder, char message[MEASURE_MESSAGE_SIZE]);
void compare_set_free(compare_set *set);

/* NULL when it was not measured. */
const compare_sample *compare_set_find(const compare_set *set, size_t contacts, const char *solver,
                                       const char *protocol, double trial);

/* What must be equal and is not: a new array of {name, a, b}; NULL when memory is out. */
json_t *compare_differences(const compare_set *a, const compare_set *b);

/* ---- ratios ---------------------------------------------------------------------------------- */

/* A strand of one set at some numbers of contacts: the starts that were run at all of them, by
 * ascending number. Values (times or quotients) and errors stand size by size. */
typedef struct compare_sheet {
  size_t sizes, count;
  double *trial, *process; /* count */
  double *value, *rms;     /* sizes * count */
} compare_sheet;

/* Empty where the set has none; for compare_sheet_free. MEASURE_SUCCESS or MEASURE_ENOMEM. */
int compare_sheet_make(compare_sheet *out, const compare_set *set, const compare_strand *of,
                       const size_t contacts[], size_t sizes);
void compare_sheet_free(compare_sheet *sheet);

/* Whether both have the same starts. */
bool compare_sheet_alike(const compare_sheet *a, const compare_sheet *b);

/*
 * B over A, of sheets that are not empty and of the same sizes. With `paired` (they are alike) it
 * is the median of b / a start by start, else the ratio of the medians; then the geometric mean
 * over the sizes. The 95 % interval is by draws.h: processes are drawn, then starts within each,
 * the same for all sizes. So what differs from process to process (memory layout, speed of the
 * moment) widens the interval; with one process it cannot. A measure_status.
 */
int compare_ratio(const compare_sheet *a, const compare_sheet *b, bool paired, unsigned long seed,
                  measure_interval *out);

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
  size_t contacts;   /* 0: over all common numbers of contacts */
  size_t sizes;      /* how many numbers of contacts stand behind it */
  compare_strand of; /* of A */
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
  size_t count;
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

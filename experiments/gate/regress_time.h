/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of two revisions, from the sample files of many short processes run in turn: what one
 * process measured is one number per case, what two neighbouring processes measured is a pair, and
 * the interval of the pairs' ratio gives the verdict. */
#ifndef REGRESS_TIME_H
#define REGRESS_TIME_H

#include "regress_cases.h"
#include "statistics.h"

/*
 * Slower than this, with its whole interval, is a failure: over all cases, and in a single one. A
 * single one may owe that much to its code's place in memory, which any change of any file moves
 * (measured: 5 %, docs/results/gate.md); over all cases it averages out.
 */
#define REGRESS_EFFECT      0.05
#define REGRESS_CASE_EFFECT 0.10

/* Confidence of the intervals: ten of them are looked at in every run. */
#define REGRESS_CONFIDENCE 0.99

/* The committed ratio to MuJoCo does not carry from machine to machine: only a change by more than
 * this factor is worth stopping for. */
#define REGRESS_RATIO_FACTOR 2.0

/* An interval that reaches this far cannot exclude what the gate is there to find. */
#define REGRESS_BLIND 0.25

enum { REGRESS_PAIRS_MIN = 8, REGRESS_TIMED_MAX = 64 };

/* One case on one solver: what each process gave, its fastest sample, s. */
typedef struct regress_series {
  char name[REGRESS_NAME_SIZE], solver[REGRESS_NAME_SIZE];
  double *fastest; /* one per process, owned; NaN where a process lacks it */
} regress_series;

/* The samples of all processes of one revision. */
typedef struct regress_samples {
  size_t processes, count;
  char (*files)[REGRESS_NAME_SIZE]; /* names of the files, ascending; owned */
  regress_series series[REGRESS_TIMED_MAX];
} regress_samples;

/* Reads every *.json in a folder. 0, or -1 with one line that names file and fault. */
int regress_samples_read(regress_samples *samples, const char *folder,
                         char message[SOLVER_MESSAGE_SIZE]);
void regress_samples_free(regress_samples *samples);

/* NULL when there is none. */
const regress_series *regress_samples_find(const regress_samples *samples, const char *name,
                                           const char *solver);

/* Whether it is libess's, by whichever method: MuJoCo's are the yardstick. */
bool regress_is_ours(const regress_series *series);

/* Both folders must hold files of the same names: they are the pairs. 0, or -1 with one line. */
int regress_samples_match(const regress_samples *base, const regress_samples *now,
                          char message[SOLVER_MESSAGE_SIZE]);

typedef enum regress_verdict {
  REGRESS_NO_DIFFERENCE, /* the interval holds 1 */
  REGRESS_FASTER,
  REGRESS_ACCEPTED, /* slower, but not by the effect for certain */
  REGRESS_SLOWER    /* the whole interval lies above 1 + the effect */
} regress_verdict;

/* In words, static storage. */
const char *regress_verdict_text(regress_verdict verdict);

/* now/base of one series over the pairs, and its verdict with REGRESS_CASE_EFFECT. 0, or -1 with
 * one line. */
int regress_compare_series(const regress_series *base, const regress_series *now, size_t pairs,
                           measure_interval *ratio, regress_verdict *verdict,
                           char message[SOLVER_MESSAGE_SIZE]);

/* The same of the geometric mean over all cases of ours that both have, with REGRESS_EFFECT. */
int regress_compare_overall(const regress_samples *base, const regress_samples *now,
                            measure_interval *ratio, regress_verdict *verdict,
                            char message[SOLVER_MESSAGE_SIZE]);

/* Ours over MuJoCo's in one case: the median over processes. NaN when either is absent. */
double regress_mujoco_ratio(const regress_samples *samples, const char *name);

#endif

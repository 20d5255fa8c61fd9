/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of work-precision: what its first runs say, and what a person reads. */
#ifndef WORK_PRECISION_H
#define WORK_PRECISION_H

#include "precision.h"

/* The tables of its results. */
enum {
  WORK_PRECISION_CASES = PRECISION_LAPS + 1,
  WORK_PRECISION_COINCIDENT,
  WORK_PRECISION_POINTS
};

/* One method at one value of its knob, as files have it. */
typedef struct work_precision_point {
  precision_row p;
  solver_settings settings; /* in force */
} work_precision_point;

/* All points, by method, the coarsest first. */
typedef struct survey {
  char name[STUDY_CELL_NAME_SIZE]; /* of the case */
  size_t count;
  precision_point point[];
} survey;

/* Makes run->own of the samples, which are so many starts and then the first runs of the methods
 * named. Variants of one solver whose first runs have the same errors at every value that both have
 * run are one: the first of the table stands for the others, and what those have is their first
 * run. No clock has a say in who stands for whom. 0, or -1 with one line. */
int work_precision_survey(study_run *run, const option_names *methods, size_t trials);

#endif

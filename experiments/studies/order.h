/*
 * Fig. 3.1 of the paper, which order draws beside its own: paths of the projection and the guards
 * they cross.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ORDER_H
#define ORDER_H

#include "study.h"

/* The end of a step; kind 1: it was a projection. */
typedef struct order_step {
  double kind, t, x, y;
} order_step;

/* An end of a guard, or of a border of its neighbourhood. */
typedef struct order_end {
  double guard, side, x, y;
} order_end;

extern const column order_step_columns[], order_end_columns[];

/* projection_path.c: the path through a piecewise-constant system with two guards into one table;
 * into another the exact one; and the guards with their neighbourhoods. 0, or -1 with one line. */
int order_add_paths(study_run *run, size_t path, size_t exact, size_t ends);

#endif

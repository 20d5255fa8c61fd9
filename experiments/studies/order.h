/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fig. 3.1 of the paper, which order draws beside its own: paths of the projection and the guards
 * they cross. */
#ifndef ORDER_H
#define ORDER_H

#include "study.h"

/* The end of a step; kind 1: it was a projection. */
#define ORDER_STEP_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, kind, AMOUNT, "", "1: the step was a projection")                                    \
  COLUMN(row, t, AMOUNT, "s", "at its end")                                                        \
  COLUMN(row, x, NUMBER, "", "there")                                                              \
  COLUMN(row, y, NUMBER, "", "there")
COLUMN_ROW(order_step, ORDER_STEP_COLUMNS);

/* An end of a guard, or of a border of its neighbourhood. */
#define ORDER_END_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, guard, AMOUNT, "", "1 or 2")                                                         \
  COLUMN(row, side, NUMBER, "", "0: the guard; -1 and 1: the borders beside it")                   \
  COLUMN(row, x, NUMBER, "", "of the end")                                                         \
  COLUMN(row, y, NUMBER, "", "of the end")
COLUMN_ROW(order_end, ORDER_END_COLUMNS);

/* projection_path.c: the path through a piecewise-constant system with two guards into one table;
 * into another the exact one; and the guards with their neighbourhoods. 0, or -1 with one line. */
int order_add_paths(study_run *run, size_t path, size_t exact, size_t ends);

#endif

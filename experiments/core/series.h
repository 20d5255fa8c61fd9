/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples say: gathered by a column, with intervals by resampling starts and processes. */
#ifndef SERIES_H
#define SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "draws.h"
#include "statistics.h"
#include "study.h"

/* ---- gather ---------------------------------------------------------------------------------- */

/* Statistics over rows of a study: of one column, over every stride-th row. */

/* Rows first, first + stride, ...: count of them. Of several cells, their samples: the first of
 * each in their order, then the second of each, and so on. */
typedef struct gather {
  study_run *run;
  size_t table, first, stride, count;
  size_t cell, cells; /* the first, and how many; 0: it is of the whole table */
} gather;

gather gather_rows(study_run *run, size_t table, size_t first, size_t stride, size_t count);

const void *gather_row(gather rows, size_t i);

/* Of the values that are known: NaN where there is none, and where memory is out, which is
 * noted. */
double gather_quantile(gather rows, const char *name, double p);
double gather_median(gather rows, const char *name);

/* A statistic of every column of `table` from `first` to `last`, of the rows' columns of the same
 * names, into a row of that table. */
void gather_into(gather rows, double (*statistic)(gather, const char *), size_t table,
                 const char *first, const char *last, void *row);

/* How many are known. */
size_t gather_known(gather rows, const char *name);

/* ---- series ---------------------------------------------------------------------------------- */

/* Medians of timed rows, with intervals that the value
 * of a second run falls into with 95 % (draws_widening). Rows of a gather are trials, in their
 * order; trial j is the same start in every group. */

/* All of these return 0, or -1 with one line, which is noted (study.h): values are NaN then. */

/* Median of a column, whose values are all known. */
int series_median(gather rows, const char *name, const draws *d, double *median,
                  double interval[2]);

/* The same of the values that are known: trial j is of process j mod processes. NaN where there are
 * none, and an interval of NaN where they are fewer than SERIES_FEW. */
enum { SERIES_FEW = 5 };
int series_median_known(gather rows, const char *name, const draws *d, double *median,
                        double interval[2]);

/* Median of the quotients, trial by trial: rows over those of another. */
int series_median_ratio(gather rows, gather over, const char *name, const draws *d, double *median,
                        double interval[2]);

#endif

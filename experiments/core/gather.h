/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics over rows of a study: of one column, over every stride-th row. */
#ifndef GATHER_H
#define GATHER_H

#include "statistics.h"
#include "study.h"

/* Rows first, first + stride, ...: count of them. */
typedef struct gather {
  study_run *run;
  size_t table, first, stride, count;
} gather;

/* The same rows but some at the beginning or at the end. */
gather gather_part(gather rows, size_t from, size_t to);

/* Of the values that are known: NaN where there is none, and where memory is out, which is
 * noted. */
double gather_quantile(gather rows, const char *name, double p);
double gather_median(gather rows, const char *name);
double gather_mean(gather rows, const char *name);
double gather_sum(gather rows, const char *name);

/* All of them at once. */
measure_summary gather_summary(gather rows, const char *name);

/* A statistic of every column of `table` from `first` to `last`, of the rows' columns of the same
 * names, into a row of that table. */
void gather_into(gather rows, double (*statistic)(gather, const char *), size_t table,
                 const char *first, const char *last, void *row);

/* How many are known. */
size_t gather_known(gather rows, const char *name);

/* y = a x^exponent by the logarithms: through two points, or the nearest line through more, and
 * then with the interval of the exponent. NaN where there are too few, or one that is not > 0.
 */
typedef struct gather_power {
  double exponent, interval[2];
  double intercept, confidence; /* log10 of a; of the interval */
} gather_power;

gather_power gather_fit_power(const double x[], const double y[], size_t count);

#endif

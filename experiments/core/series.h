/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians of timed rows and what they say over numbers of contacts, with intervals that the value
 * of a second run falls into with 95 % (draws.h). Rows of a gather are trials, in their order;
 * trial j is the same start in every group. */
#ifndef SERIES_H
#define SERIES_H

#include "draws.h"
#include "gather.h"

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

/* Groups beside an ascending x, at least two; as many rows in each as draws have trials. */
typedef struct series {
  size_t groups;
  const double *x;
  const gather *group;
  const char *name; /* of the column */
  draws draws;
} series;

/* The line through the medians, by least squares. */
int series_slope(const series *s, double *slope, double interval[2]);

/* One's slope over that of another with the same x and draws. */
int series_slope_ratio(const series *s, const series *over, double *ratio, double interval[2]);

/* The smoothed slope of the medians at each x, by a parabola through `window` neighbouring ones,
 * and its interval from resamples that draw the same trials at every x. */
int series_marginal(const series *s, size_t window, double marginal[], double (*interval)[2]);

#endif

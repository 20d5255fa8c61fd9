/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What samples say: gathered by a column, with intervals by resampling starts and processes. */
#ifndef SERIES_H
#define SERIES_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

#include "statistics.h"
#include "study.h"

/* ---- draws ----------------------------------------------------------------------------------- */

/* Intervals of statistics by a bootstrap in two stages: processes are drawn, then trials. What
 * differs between processes (memory layout, the machine's mood of the minute) is in the interval
 * then, when there are several. */

enum { DRAWS_RESAMPLES = 1000 };

/* Trial j was measured by process j mod processes, or by the one that `first` says; of each process
 * drawn its own are drawn. */
typedef struct draws {
  size_t trials, processes;
  unsigned long seed;
  bool crossed; /* every process measured every start: j is of start j / processes, and starts are
                   drawn for all processes alike */
  const size_t *first; /* optional: trials first[i] to first[i + 1] - 1 are of process i */
} draws;

/* Draws one resample: pick[] gets up to trials + processes trial numbers; returns how many. */
size_t draws_pick(const draws *d, gsl_rng *rng, size_t pick[]);

/* A statistic of a resample. */
typedef double draws_statistic(const void *context, const size_t pick[], size_t count);

/*
 * How much longer an interval is that the value of a second run falls into, than one of the value
 * that infinitely many processes would give: both runs err (the root of two), and the bootstrap of
 * a few processes is too narrow (P / (P - 1), and Student's quantile over the normal one).
 */
double draws_widening(const draws *d);

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

/* The same rows but some at the beginning or at the end; not of cells. */
gather gather_part(gather rows, size_t from, size_t to);

const void *gather_row(gather rows, size_t i);

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

/* ---- series ---------------------------------------------------------------------------------- */

/* Medians of timed rows and what they say over numbers of contacts, with intervals that the value
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

/* ---- in SQL ---------------------------------------------------------------------------------- */

/*
 * Gives a database aggregates, a value that is not known being NULL:
 *
 *   median(y), quantile(y, p)     of those that are known; over whole partitions as well
 *   power(x, y)                   gather_fit_power: [exponent, from, to, intercept]
 *
 * and of laps by trial number, all of which are to be known, the starts being spread over so many
 * processes and drawn with that seed:
 *
 *   median_of(y, trial, processes, seed)               [median, from, to]
 *   slope_of(x, y, trial, processes, seed)             [slope of the medians, from, to]
 *   marginal_of(x, y, trial, processes, seed, window)  {x: [slope there, from, to], ...}
 *
 * Where every process has every start, of which `trial` is start * processes + process:
 *
 *   crossed_median_of, crossed_slope_of                likewise
 *   crossed_slope_ratio_of(x, y, over, trial, processes, seed)
 *                                                      [slope of y over that of `over`, from, to]
 *
 * Slopes are null where there is but one x. An SQLite status.
 */
struct sqlite3;
int series_teach(struct sqlite3 *database);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of laps, with intervals by resampling starts and processes; and of what a query of a
 * database gives. */
#ifndef DRAWS_H
#define DRAWS_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

#include "statistics.h"

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

/* The interval of one run: what is left of the statistic's resamples without tails. And it widened
 * to one of the value of a second run: on the logarithm, where all are above zero and so are to
 * stay. A measure_status. */
int draws_interval(const draws *d, draws_statistic *statistic, const void *context, double ends[2]);
void draws_widen(const draws *d, double value, double interval[2]);

/* ---- tables of laps -------------------------------------------------------------------------- */

/* Values by group and trial, with room for a resample and its medians */
typedef struct draws_table {
  size_t groups, trials;
  const double *x;
  double *value, *drawn, *median; /* owned */
} draws_table;

/* A measure_status; a table that has none is all zeros. */
int draws_table_alloc(draws_table *t, size_t groups, const double *x, const draws *d);
void draws_table_free(draws_table *t);

/* Statistics whose context is a table: the median of its first group; the slope of the line through
 * the medians; and that over the slope of a second table behind it. */
draws_statistic draws_median, draws_slope, draws_slope_ratio;

/* The smoothed slope of the medians at each x, by a parabola through `window` neighbouring ones,
 * and its interval from resamples that draw the same trials at every x. A measure_status. */
int draws_marginal(const draws_table *t, const draws *d, size_t window, double marginal[],
                   double (*interval)[2]);

/* Median of numbers by trial, and its interval, into which the value of a second run falls. A
 * measure_status: all are NaN where one is not known. */
int draws_median_of(const draws *d, const double value[], double *median, double interval[2]);

/* ---- fits ------------------------------------------------------------------------------------ */

/* y = a x^exponent by the logarithms: through two points, or the nearest line through more, and
 * then with the interval of the exponent. NaN where there are too few, or one that is not > 0.
 */
typedef struct gather_power {
  double exponent, interval[2];
  double intercept, confidence; /* log10 of a; of the interval */
} gather_power;

gather_power gather_fit_power(const double x[], const double y[], size_t count);

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
 *   known_median_of(y, trial, processes, seed)         the same of those that are known, of which a
 *                                                      process that has none is none; without an
 *                                                      interval where they are fewer than five
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
int draws_teach(struct sqlite3 *database);

#endif

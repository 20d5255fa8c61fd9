/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of samples, and fits to them. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stddef.h>

#include "measure.h"

/* ---- statistics ------------------------------------------------------------------------------ */

/* Order statistics of raw samples. Every function leaves its data untouched and refuses NaN and
 * infinities with MEASURE_ENONFINITE instead of passing them on. */

/* In the unit of the data. */
typedef struct measure_summary {
  size_t count;
  double min, q25, median, q75, max;
  double mean;
  double mad; /* median absolute deviation from the median, not scaled to a normal's sigma */
} measure_summary;

/* A statistic of the data, and the interval that holds it at some confidence. */
typedef struct measure_interval {
  double estimate, low, high;
} measure_interval;

/* All of the above for x[count], count >= 1. */
int measure_summarize(const double x[], size_t count, measure_summary *out);

/* Quantile of x[count] at p in [0, 1], Hyndman and Fan's type 7: linear between the order
 * statistics at (count - 1) p. */
int measure_quantile(const double x[], size_t count, double p, double *out);

/* Median of x[count]. */
int measure_median(const double x[], size_t count, double *out);

/* ---- fit ------------------------------------------------------------------------------------- */

/* Least-squares fits: a line with the interval of its slope (the order test), and the smoothed
 * derivative of a series (the paper's marginal cost). */

/* y = intercept + slope x, with Student's t interval of the slope at the confidence asked for. */
typedef struct measure_line {
  double slope, intercept;
  double slope_low, slope_high;
} measure_line;

/* Fits x[count], y[count]; count >= 3, x not all equal, confidence in (0, 1). Returns
 * MEASURE_SUCCESS, MEASURE_EINVAL or MEASURE_ENONFINITE. */
int measure_fit_line(const double x[], const double y[], size_t count, double confidence,
                     measure_line *out);

/*
 * Smoothed dy/dx at each of x[count], which ascends strictly and need not be uniform: around each
 * point a parabola is fitted by least squares to `window` neighbouring points, and its slope there
 * is taken (Savitzky and Golay's filter for any spacing). At the ends the window keeps its width
 * and the point is no longer its middle. Exact on parabolas.
 *
 * A window wider than the series means all of it; one of two points gives the line's slope.
 * count >= 2, window >= 2. Returns MEASURE_SUCCESS, MEASURE_EINVAL, MEASURE_ENOMEM or
 * MEASURE_ENONFINITE.
 */
int measure_smooth_derivative(const double x[], const double y[], size_t count, size_t window,
                              double derivative[]);

#endif

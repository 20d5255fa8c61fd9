/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least-squares fits: a line with the interval of its slope (the order test), and the smoothed
 * derivative of a series (the paper's marginal cost). */
#ifndef MEASURE_FIT_H
#define MEASURE_FIT_H

#include <stddef.h>

#include "measure.h"

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

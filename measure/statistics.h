/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics of raw samples. Every function leaves its data untouched and refuses NaN and
 * infinities with MEASURE_ENONFINITE instead of passing them on. */
#ifndef MEASURE_STATISTICS_H
#define MEASURE_STATISTICS_H

#include <stddef.h>

#include "measure.h"

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

/* MEASURE_SUCCESS when all of x[count] are finite and count >= 1; else MEASURE_ENONFINITE or
 * MEASURE_EINVAL. */
int measure_check_data(const double x[], size_t count);

/* All of the above for x[count], count >= 1. */
int measure_summarize(const double x[], size_t count, measure_summary *out);

/* Quantile of x[count] at p in [0, 1], Hyndman and Fan's type 7: linear between the order
 * statistics at (count - 1) p. */
int measure_quantile(const double x[], size_t count, double p, double *out);

/* Median of x[count]. */
int measure_median(const double x[], size_t count, double *out);

#endif

/*
 * Percentile-bootstrap intervals, seeded: the same data and options give the same interval. NaN and
 * infinities in the data are refused with MEASURE_ENONFINITE.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MEASURE_BOOTSTRAP_H
#define MEASURE_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/* Start from measure_bootstrap_default(). */
typedef struct measure_bootstrap {
  size_t resamples;  /* >= 1; 2000 by default */
  double confidence; /* in (0, 1); 0.95 by default */
  unsigned long seed;
} measure_bootstrap;

measure_bootstrap measure_bootstrap_default(unsigned long seed);

/* The statistic of the data themselves, and the interval that holds it with that confidence. */
typedef struct measure_interval {
  double estimate, low, high;
} measure_interval;

/* All of these return MEASURE_SUCCESS, MEASURE_EINVAL, MEASURE_ENOMEM or MEASURE_ENONFINITE. */

/* Median of x[count]. */
int measure_bootstrap_median(const double x[], size_t count, const measure_bootstrap *options,
                             measure_interval *out);

/* Median over trials of x[i] / y[i], for trials in which both were measured. All of y > 0. */
int measure_bootstrap_paired_ratio(const double x[], const double y[], size_t count,
                                   const measure_bootstrap *options, measure_interval *out);

#endif

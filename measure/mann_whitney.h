/*
 * The test of Mann and Whitney: whether one of two independent samples tends to be larger.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MEASURE_MANN_WHITNEY_H
#define MEASURE_MANN_WHITNEY_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/* Up to this many values in each sample, and no ties, p is exact. */
enum { MEASURE_MANN_WHITNEY_EXACT_MAX = 20 };

typedef struct measure_mann_whitney_result {
  double u;   /* pairs in which the value of x is the larger; ties count one half */
  double p;   /* two-sided */
  bool exact; /* by the distribution of u itself, not by the normal approximation */
} measure_mann_whitney_result;

/*
 * Tests x[nx] against y[ny], both >= 1. The normal approximation corrects for ties and for
 * continuity. Returns MEASURE_SUCCESS, MEASURE_EINVAL, MEASURE_ENOMEM or MEASURE_ENONFINITE.
 */
int measure_mann_whitney(const double x[], size_t nx, const double y[], size_t ny,
                         measure_mann_whitney_result *out);

#endif

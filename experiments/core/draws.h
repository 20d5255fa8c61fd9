/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of statistics by a bootstrap in two stages: processes are drawn, then trials. What
 * differs between processes (memory layout, the machine's mood of the minute) is in the interval
 * then, when there are several. */
#ifndef DRAWS_H
#define DRAWS_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

#include "statistics.h"

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

/* The 95 % interval of a statistic, of one run. A measure_status. */
int draws_interval(const draws *d, draws_statistic *statistic, const void *context, double *low,
                   double *high);

/* The median of x[count] and its interval at that confidence, of one process. A measure_status:
 * MEASURE_ENONFINITE where one is no number. */
int draws_median(const double x[], size_t count, unsigned long seed, double confidence,
                 measure_interval *out);

#endif

/*
 * Intervals of a sweep's statistics by a bootstrap in two stages: processes are drawn, then the
 * trials of each. What differs between processes (memory layout, the machine's mood of the minute)
 * is in the interval then, when there are several.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SWEEP_BOOTSTRAP_H
#define SWEEP_BOOTSTRAP_H

#include <gsl/gsl_rng.h>
#include <stddef.h>

enum { SWEEP_RESAMPLES = 1000 };

/* Trial j was measured by process j mod processes. */
typedef struct sweep_draws {
  size_t trials, processes;
  unsigned long seed;
} sweep_draws;

/* Draws one resample: pick[] gets up to draws->trials + processes trial numbers; returns how many.
 */
size_t sweep_draw(const sweep_draws *draws, gsl_rng *rng, size_t pick[]);

/* A statistic of a resample. */
typedef double sweep_statistic(const void *context, const size_t pick[], size_t count);

/* The 95 % interval of a statistic. A measure_status. */
int sweep_interval(const sweep_draws *draws, sweep_statistic *statistic, const void *context,
                   double *low, double *high);

#endif

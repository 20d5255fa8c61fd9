/*
 * The two-stage bootstrap.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sweep_bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "measure.h"
#include "statistics.h"

static const double low_quantile = 0.025, high_quantile = 0.975;

size_t sweep_draw(const sweep_draws *draws, gsl_rng *rng, size_t pick[]) {
  size_t count = 0;
  for (size_t i = 0; i < draws->processes; i++) {
    const size_t process = gsl_rng_uniform_int(rng, draws->processes);
    const size_t size = (draws->trials - process + draws->processes - 1) / draws->processes;
    for (size_t k = 0; k < size; k++)
      pick[count++] = process + draws->processes * gsl_rng_uniform_int(rng, size);
  }
  return count;
}

int sweep_interval(const sweep_draws *draws, sweep_statistic *statistic, const void *context,
                   double *low, double *high) {
  double values[SWEEP_RESAMPLES];
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(draws->trials + draws->processes, sizeof *pick);
  int status = rng && pick ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, draws->seed);
  for (size_t b = 0; !status && b < SWEEP_RESAMPLES; b++) {
    const size_t count = sweep_draw(draws, rng, pick);
    values[b] = statistic(context, pick, count);
  }
  if (!status) status = measure_quantile(values, SWEEP_RESAMPLES, low_quantile, low);
  if (!status) status = measure_quantile(values, SWEEP_RESAMPLES, high_quantile, high);
  if (rng) gsl_rng_free(rng);
  free(pick);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draws.h"

#include <stdlib.h>

#include "measure.h"
#include "statistics.h"

static const double low_quantile = 0.025, high_quantile = 0.975;

/* processes, and starts for all of them */
static size_t pick_crossed(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0, process[d->processes];
  for (size_t i = 0; i < d->processes; i++) process[i] = gsl_rng_uniform_int(rng, d->processes);
  while (count + d->processes <= d->trials) {
    const size_t start = gsl_rng_uniform_int(rng, d->trials / d->processes);
    for (size_t i = 0; i < d->processes; i++) pick[count++] = start * d->processes + process[i];
  }
  return count;
}

size_t draws_pick(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0;
  if (d->crossed) return pick_crossed(d, rng, pick);
  for (size_t i = 0; i < d->processes; i++) {
    const size_t process = gsl_rng_uniform_int(rng, d->processes);
    const size_t size = (d->trials - process + d->processes - 1) / d->processes;
    for (size_t k = 0; k < size; k++)
      pick[count++] = process + d->processes * gsl_rng_uniform_int(rng, size);
  }
  return count;
}

int draws_interval(const draws *d, draws_statistic *statistic, const void *context, double *low,
                   double *high) {
  double values[DRAWS_RESAMPLES];
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(d->trials + d->processes, sizeof *pick);
  int status = rng && pick ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, d->seed);
  for (size_t b = 0; !status && b < DRAWS_RESAMPLES; b++) {
    const size_t count = draws_pick(d, rng, pick);
    values[b] = statistic(context, pick, count);
  }
  if (!status) status = measure_quantile(values, DRAWS_RESAMPLES, low_quantile, low);
  if (!status) status = measure_quantile(values, DRAWS_RESAMPLES, high_quantile, high);
  if (rng) gsl_rng_free(rng);
  free(pick);
  return status;
}

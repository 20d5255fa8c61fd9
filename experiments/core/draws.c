/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draws.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
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

/* processes, and of each its own, as many as there are trials at most */
static size_t pick_grouped(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0;
  while (count < d->trials) {
    const size_t process = gsl_rng_uniform_int(rng, d->processes), first = d->first[process];
    const size_t size = d->first[process + 1] - first;
    for (size_t k = 0; k < size && count < d->trials; k++)
      pick[count++] = first + gsl_rng_uniform_int(rng, size);
  }
  return count;
}

size_t draws_pick(const draws *d, gsl_rng *rng, size_t pick[]) {
  size_t count = 0;
  if (d->first) return pick_grouped(d, rng, pick);
  if (d->crossed) return pick_crossed(d, rng, pick);
  for (size_t i = 0; i < d->processes; i++) {
    const size_t process = gsl_rng_uniform_int(rng, d->processes);
    const size_t size = (d->trials - process + d->processes - 1) / d->processes;
    for (size_t k = 0; k < size; k++)
      pick[count++] = process + d->processes * gsl_rng_uniform_int(rng, size);
  }
  return count;
}

double draws_widening(const draws *d) {
  const double others = (double)d->processes - 1.0;
  if (others < 1.0) return sqrt(2.0);
  const double student = gsl_cdf_tdist_Pinv(high_quantile, others);
  const double normal = gsl_cdf_ugaussian_Pinv(high_quantile);
  return student / normal * sqrt(2.0 * (others + 1.0) / others);
}

/* between two quantiles of the statistic's resamples */
static int interval(const draws *d, draws_statistic *statistic, const void *context,
                    const double quantiles[2], double *low, double *high) {
  double values[DRAWS_RESAMPLES];
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(d->trials + d->processes, sizeof *pick);
  int status = rng && pick ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, d->seed);
  for (size_t b = 0; !status && b < DRAWS_RESAMPLES; b++) {
    const size_t count = draws_pick(d, rng, pick);
    values[b] = statistic(context, pick, count);
  }
  if (!status) status = measure_quantile(values, DRAWS_RESAMPLES, quantiles[0], low);
  if (!status) status = measure_quantile(values, DRAWS_RESAMPLES, quantiles[1], high);
  if (rng) gsl_rng_free(rng);
  free(pick);
  return status;
}

int draws_interval(const draws *d, draws_statistic *statistic, const void *context, double *low,
                   double *high) {
  return interval(d, statistic, context, (const double[]){low_quantile, high_quantile}, low, high);
}

/* of one sample: its values, and room for a resample */
typedef struct sample {
  const double *value;
  double *drawn;
} sample;

static double median_of(const void *context, const size_t pick[], size_t count) {
  const sample *const s = context;
  double median;
  for (size_t i = 0; i < count; i++) s->drawn[i] = s->value[pick[i]];
  return measure_median(s->drawn, count, &median) ? NAN : median;
}

int draws_median(const double x[], size_t count, unsigned long seed, double confidence,
                 measure_interval *out) {
  const double tail = 0.5 * (1.0 - confidence);
  const draws d = {.trials = count, .processes = 1, .seed = seed};
  int status = measure_median(x, count, &out->estimate);
  if (status) return status;
  const sample s = {x, calloc(count + 1, sizeof *s.drawn)};
  status = s.drawn ? interval(&d, median_of, &s, (const double[]){tail, 1.0 - tail}, &out->low,
                              &out->high)
                   : MEASURE_ENOMEM;
  free(s.drawn);
  return status;
}

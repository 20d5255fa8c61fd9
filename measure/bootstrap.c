/*
 * Percentile bootstrap of a median.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bootstrap.h"

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

#include "statistics.h"

measure_bootstrap measure_bootstrap_default(unsigned long seed) {
  return (measure_bootstrap){.resamples = 2000, .confidence = 0.95, .seed = seed};
}

/* Median of a resample of x[count], or of x itself when `rng` is NULL; work[count]. */
static double resampled_median(const double x[], size_t count, gsl_rng *rng, double work[]) {
  for (size_t i = 0; i < count; i++) work[i] = x[rng ? gsl_rng_uniform_int(rng, count) : i];
  return gsl_stats_median(work, 1, count);
}

int measure_bootstrap_median(const double x[], size_t count, const measure_bootstrap *options,
                             measure_interval *out) {
  int status = measure_check_data(x, count);
  if (status) return status;
  if (options->resamples == 0 || !(options->confidence > 0 && options->confidence < 1))
    return MEASURE_EINVAL;
  const size_t resamples = options->resamples;
  double *const statistic = malloc((resamples + count) * sizeof *statistic);
  double *const work = statistic + resamples;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  status = MEASURE_ENOMEM;
  if (statistic && rng) {
    gsl_rng_set(rng, options->seed);
    for (size_t i = 0; i < resamples; i++) statistic[i] = resampled_median(x, count, rng, work);
    gsl_sort(statistic, 1, resamples);
    const double tail = (1 - options->confidence) / 2;
    out->estimate = resampled_median(x, count, NULL, work);
    out->low = gsl_stats_quantile_from_sorted_data(statistic, 1, resamples, tail);
    out->high = gsl_stats_quantile_from_sorted_data(statistic, 1, resamples, 1 - tail);
    status = MEASURE_SUCCESS;
  }
  if (rng) gsl_rng_free(rng);
  free(statistic);
  return status;
}

int measure_bootstrap_paired_ratio(const double x[], const double y[], size_t count,
                                   const measure_bootstrap *options, measure_interval *out) {
  int status = measure_check_data(y, count);
  if (status) return status;
  double *const ratio = malloc(count * sizeof *ratio);
  if (!ratio) return MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < count; i++) {
    ratio[i] = x[i] / y[i];
    if (y[i] <= 0) status = MEASURE_EINVAL;
  }
  if (!status) status = measure_bootstrap_median(ratio, count, options, out);
  free(ratio);
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statistics.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int measure_check_data(const double x[], size_t count) {
  if (!x || count == 0) return MEASURE_EINVAL;
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return MEASURE_ENONFINITE;
  return MEASURE_SUCCESS;
}

/* A sorted copy for the caller to free. */
static int sorted_copy(const double x[], size_t count, double **out) {
  const int status = measure_check_data(x, count);
  if (status) return status;
  double *sorted = malloc(count * sizeof *sorted);
  if (!sorted) return MEASURE_ENOMEM;
  memcpy(sorted, x, count * sizeof *sorted);
  gsl_sort(sorted, 1, count);
  *out = sorted;
  return MEASURE_SUCCESS;
}

int measure_summarize(const double x[], size_t count, measure_summary *out) {
  double *work;
  const int status = sorted_copy(x, count, &work);
  if (status) return status;
  *out = (measure_summary){
      .count = count,
      .min = work[0],
      .q25 = gsl_stats_quantile_from_sorted_data(work, 1, count, 0.25),
      .median = gsl_stats_median_from_sorted_data(work, 1, count),
      .q75 = gsl_stats_quantile_from_sorted_data(work, 1, count, 0.75),
      .max = work[count - 1],
      .mean = gsl_stats_mean(x, 1, count),
  };
  // the sorted copy has served: gsl_stats_mad0 takes it as work space
  out->mad = gsl_stats_mad0(x, 1, count, work);
  free(work);
  return MEASURE_SUCCESS;
}

int measure_quantile(const double x[], size_t count, double p, double *out) {
  if (!(p >= 0 && p <= 1)) return MEASURE_EINVAL;
  double *sorted;
  const int status = sorted_copy(x, count, &sorted);
  if (status) return status;
  *out = gsl_stats_quantile_from_sorted_data(sorted, 1, count, p);
  free(sorted);
  return MEASURE_SUCCESS;
}

int measure_median(const double x[], size_t count, double *out) {
  return measure_quantile(x, count, 0.5, out);
}

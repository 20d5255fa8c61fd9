/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* MEASURE_SUCCESS when all of x[count] are finite and count >= 1; else MEASURE_ENONFINITE or
 * MEASURE_EINVAL */
static int measure_check_data(const double x[], size_t count) {
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

/* ---- fits ------------------------------------------------------------------------------------ */

static bool all_equal(const double x[], size_t count) {
  for (size_t i = 1; i < count; i++)
    if (x[i] != x[0]) return false;
  return true;
}

int measure_fit_line(const double x[], const double y[], size_t count, double confidence,
                     measure_line *out) {
  if (count < 3 || !(confidence > 0 && confidence < 1)) return MEASURE_EINVAL;
  int status = measure_check_data(x, count);
  if (!status) status = measure_check_data(y, count);
  if (status) return status;
  if (all_equal(x, count)) return MEASURE_EINVAL;

  double c0, c1, cov00, cov01, cov11, residual;
  gsl_fit_linear(x, 1, y, 1, count, &c0, &c1, &cov00, &cov01, &cov11, &residual);
  const double t = gsl_cdf_tdist_Pinv((1 + confidence) / 2, (double)(count - 2));
  *out = (measure_line){
      .slope = c1,
      .intercept = c0,
      .slope_low = c1 - t * sqrt(cov11),
      .slope_high = c1 + t * sqrt(cov11),
  };
  return MEASURE_SUCCESS;
}

/* Slope at `centre` of the parabola through x[window], y[window], or of the line through two. */
static int local_slope(const double x[], const double y[], size_t window, double centre,
                       double *slope) {
  const size_t terms = window < 3 ? window : 3;
  double power[3 * window], coefficient[3], covariance[9], residual;
  gsl_matrix_view powers = gsl_matrix_view_array(power, window, terms),
                  errors = gsl_matrix_view_array(covariance, terms, terms);
  gsl_vector_view coefficients = gsl_vector_view_array(coefficient, terms);
  gsl_vector_const_view values = gsl_vector_const_view_array(y, window);
  // powers of (x - centre) / scale: the coefficient of the first is the slope, and well conditioned
  const double scale = x[window - 1] - x[0];
  for (size_t i = 0; i < window * terms; i++)
    power[i] = gsl_pow_uint((x[i / terms] - centre) / scale, (unsigned)(i % terms));
  gsl_multifit_linear_workspace *const work = gsl_multifit_linear_alloc(window, terms);
  if (!work) return MEASURE_ENOMEM;
  const int failed = gsl_multifit_linear(&powers.matrix, &values.vector, &coefficients.vector,
                                         &errors.matrix, &residual, work);
  gsl_multifit_linear_free(work);
  *slope = coefficient[1] / scale;
  return failed ? MEASURE_EINVAL : MEASURE_SUCCESS;
}

static int check_series(const double x[], const double y[], size_t count, size_t window) {
  if (count < 2 || window < 2) return MEASURE_EINVAL;
  int status = measure_check_data(x, count);
  if (!status) status = measure_check_data(y, count);
  if (status) return status;
  for (size_t i = 1; i < count; i++)
    if (x[i] <= x[i - 1]) return MEASURE_EINVAL;
  return MEASURE_SUCCESS;
}

int measure_smooth_derivative(const double x[], const double y[], size_t count, size_t window,
                              double derivative[]) {
  int status = check_series(x, y, count, window);
  if (status) return status;
  if (window > count) window = count;
  for (size_t i = 0; !status && i < count; i++) {
    // centred where the series allows it
    size_t first = i > window / 2 ? i - window / 2 : 0;
    if (first + window > count) first = count - window;
    status = local_slope(x + first, y + first, window, x[i], &derivative[i]);
  }
  return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdbool.h>

#include "statistics.h"

static bool all_equal(const double x[], size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (x[i] != x[0]) return false;
  }
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

/* What one local fit of `window` points and `terms` coefficients works in. */
typedef struct local_fit {
  size_t window, terms;
  gsl_matrix *powers;
  gsl_vector *values, *coefficients;
  gsl_matrix *covariance;
  gsl_multifit_linear_workspace *work;
} local_fit;

static void local_fit_free(local_fit *fit) {
  if (fit->work) gsl_multifit_linear_free(fit->work);
  gsl_matrix_free(fit->covariance);
  gsl_vector_free(fit->coefficients);
  gsl_vector_free(fit->values);
  gsl_matrix_free(fit->powers);
}

static int local_fit_alloc(local_fit *fit, size_t window) {
  const size_t terms = window < 3 ? window : 3;
  *fit = (local_fit){
      .window = window,
      .terms = terms,
      .powers = gsl_matrix_alloc(window, terms),
      .values = gsl_vector_alloc(window),
      .coefficients = gsl_vector_alloc(terms),
      .covariance = gsl_matrix_alloc(terms, terms),
      .work = gsl_multifit_linear_alloc(window, terms),
  };
  if (fit->powers && fit->values && fit->coefficients && fit->covariance && fit->work) {
    return MEASURE_SUCCESS;
  }
  local_fit_free(fit);
  return MEASURE_ENOMEM;
}

/* Slope at `centre` of the polynomial through x[window], y[window]. */
static int local_slope(local_fit *fit, const double x[], const double y[], double centre,
                       double *slope) {
  // powers of (x - centre) / scale: the coefficient of the first is the slope, and well conditioned
  const double scale = x[fit->window - 1] - x[0];
  for (size_t i = 0; i < fit->window; i++) {
    const double u = (x[i] - centre) / scale;
    gsl_vector_set(fit->values, i, y[i]);
    gsl_matrix_set(fit->powers, i, 0, 1);
    gsl_matrix_set(fit->powers, i, 1, u);
    if (fit->terms > 2) gsl_matrix_set(fit->powers, i, 2, u * u);
  }
  double residual;
  if (gsl_multifit_linear(fit->powers, fit->values, fit->coefficients, fit->covariance, &residual,
                          fit->work)) {
    return MEASURE_EINVAL;
  }
  *slope = gsl_vector_get(fit->coefficients, 1) / scale;
  return MEASURE_SUCCESS;
}

static int check_series(const double x[], const double y[], size_t count, size_t window) {
  if (count < 2 || window < 2) return MEASURE_EINVAL;
  int status = measure_check_data(x, count);
  if (!status) status = measure_check_data(y, count);
  if (status) return status;
  for (size_t i = 1; i < count; i++) {
    if (x[i] <= x[i - 1]) return MEASURE_EINVAL;
  }
  return MEASURE_SUCCESS;
}

int measure_smooth_derivative(const double x[], const double y[], size_t count, size_t window,
                              double derivative[]) {
  int status = check_series(x, y, count, window);
  if (status) return status;
  if (window > count) window = count;
  local_fit fit;
  status = local_fit_alloc(&fit, window);
  if (status) return status;
  for (size_t i = 0; !status && i < count; i++) {
    // centred where the series allows it
    size_t first = i > window / 2 ? i - window / 2 : 0;
    if (first + window > count) first = count - window;
    status = local_slope(&fit, x + first, y + first, x[i], &derivative[i]);
  }
  local_fit_free(&fit);
  return status;
}

/*
 * What is derived from a sweep's raw data: medians with intervals, marginal cost with a band, the
 * global slope, errors, crossings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "bootstrap.h"
#include "fit.h"
#include "statistics.h"
#include "sweep.h"

/* neighbouring numbers of contacts that the smoothed derivative looks at, and the band's resamples
 */
enum { WINDOW = 15, RESAMPLES = 400 };
static const double band_low = 0.025, band_high = 0.975;

static double sum_of(const double x[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += x[i];
  return sum;
}

/* times, errors and crossings of one cell */
static int summarize_cell(const sweep_data *data, size_t row, sweep_cell *c) {
  const size_t trials = data->trials;
  const measure_bootstrap options = measure_bootstrap_default(data->given->seed);
  const double *const reference = data->row[row].events_reference;
  measure_summary times, errors;
  measure_interval median;
  int status = measure_summarize(c->seconds, trials, &times);
  if (!status) status = measure_bootstrap_median(c->seconds, trials, &options, &median);
  if (!status) status = measure_summarize(c->rms, trials, &errors);
  if (!status) status = measure_quantile(c->rms, trials, 0.9, &c->rms_q90);
  if (!status) status = measure_median(c->events, trials, &c->events_median);
  if (!status) status = measure_median(reference, trials, &c->events_reference);
  if (status) return status;
  c->median = times.median;
  c->median_lo = median.low;
  c->median_hi = median.high;
  c->q25 = times.q25;
  c->q75 = times.q75;
  c->min = times.min;
  c->rms_median = errors.median;
  c->rms_worst = errors.max;
  c->marginal = c->marginal_lo = c->marginal_hi = NAN;
  c->events_ratio = sum_of(c->events, trials) / sum_of(reference, trials);
  c->events_close = fabs(c->events_ratio - 1.0) <= SWEEP_EVENTS_TOLERANCE;
  return MEASURE_SUCCESS;
}

/* one resample of the trials, the same for every N (trial j is the same start in all): the smoothed
 * derivative of the resampled medians */
static int resample_marginal(const sweep_data *data, size_t solver, const double n[], gsl_rng *rng,
                             double drawn[], double medians[], double marginal[]) {
  size_t *const pick = (size_t *)(uintptr_t)(drawn + data->trials);
  for (size_t j = 0; j < data->trials; j++) pick[j] = gsl_rng_uniform_int(rng, data->trials);
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < data->rows; i++) {
    const double *const seconds = data->cell[i * data->solvers + solver].seconds;
    for (size_t j = 0; j < data->trials; j++) drawn[j] = seconds[pick[j]];
    status = measure_median(drawn, data->trials, &medians[i]);
  }
  return status ? status : measure_smooth_derivative(n, medians, data->rows, WINDOW, marginal);
}

/* marginal cost of one solver at every N, and its band by bootstrap over the starts */
static int marginal_cost(sweep_data *data, size_t solver, const double n[], double work[]) {
  const size_t rows = data->rows;
  double *const medians = work, *const marginal = medians + rows;
  double *const resampled = marginal + rows; /* rows*RESAMPLES, by row */
  double *const drawn = resampled + rows * RESAMPLES;
  for (size_t i = 0; i < rows; i++) medians[i] = data->cell[i * data->solvers + solver].median;
  int status = measure_smooth_derivative(n, medians, rows, WINDOW, marginal);
  for (size_t i = 0; !status && i < rows; i++)
    data->cell[i * data->solvers + solver].marginal = marginal[i];

  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (!rng) return MEASURE_ENOMEM;
  gsl_rng_set(rng, data->given->seed);
  for (size_t b = 0; !status && b < RESAMPLES; b++) {
    status = resample_marginal(data, solver, n, rng, drawn, medians, marginal);
    for (size_t i = 0; i < rows; i++) resampled[i * RESAMPLES + b] = marginal[i];
  }
  gsl_rng_free(rng);
  for (size_t i = 0; !status && i < rows; i++) {
    sweep_cell *const c = &data->cell[i * data->solvers + solver];
    status = measure_quantile(resampled + i * RESAMPLES, RESAMPLES, band_low, &c->marginal_lo);
    if (!status)
      status = measure_quantile(resampled + i * RESAMPLES, RESAMPLES, band_high, &c->marginal_hi);
  }
  return status;
}

/* the line through the medians of one solver over all N */
static int global_slope(sweep_data *data, size_t solver, const double n[], double work[]) {
  const measure_bootstrap options = measure_bootstrap_default(data->given->seed);
  measure_interval slope;
  for (size_t i = 0; i < data->rows; i++)
    for (size_t j = 0; j < data->trials; j++)
      work[i * data->trials + j] = data->cell[i * data->solvers + solver].seconds[j];
  const int status =
      measure_bootstrap_slope(n, data->rows, work, data->trials, true, &options, &slope);
  data->slope[solver] = (sweep_slope){slope.estimate, slope.low, slope.high};
  return status;
}

/* what needs more than one N */
static int summarize_series(sweep_data *data) {
  const size_t rows = data->rows, trials = data->trials;
  const size_t marginal_size = rows * (RESAMPLES + 2) + 2 * trials, slope_size = rows * trials;
  double *const n = calloc(rows, sizeof *n);
  double *const work =
      calloc(marginal_size > slope_size ? marginal_size : slope_size, sizeof *work);
  int status = n && work ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < rows; i++) n[i] = (double)data->row[i].contacts;
  for (size_t k = 0; !status && k < data->solvers; k++) {
    status = marginal_cost(data, k, n, work);
    if (!status) status = global_slope(data, k, n, work);
  }
  free(n);
  free(work);
  return status;
}

int sweep_summarize(sweep_data *data, char message[MEASURE_MESSAGE_SIZE]) {
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < data->rows * data->solvers; i++)
    status = summarize_cell(data, i / data->solvers, &data->cell[i]);
  for (size_t k = 0; k < data->solvers; k++) data->slope[k] = (sweep_slope){NAN, NAN, NAN};
  if (!status && data->rows > 1) status = summarize_series(data);
  if (status) measure_message(message, "statistics of the sweep: %s", measure_strerror(status));
  return status ? -1 : 0;
}

/*
 * What is derived from a sweep's raw data: medians with intervals, marginal cost with a band, the
 * global slope, errors, crossings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_fit.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "fit.h"
#include "statistics.h"
#include "sweep.h"

/* neighbouring numbers of contacts that the smoothed derivative looks at, and the band's resamples
 */
enum { WINDOW = 15, RESAMPLES = 400 };
static const double band_low = 0.025, band_high = 0.975;

/* a sample this many interquartile ranges above the upper quartile is flagged */
static const double outlier_ranges = 3.0;

/* one entry's cells over the complete rows */
typedef struct series {
  size_t rows, trials;
  const double *n;   /* rows: numbers of contacts */
  sweep_cell **cell; /* rows */
  draws draws;
  double *work, *drawn; /* drawn: as many as a resample may have */
} series;

static double sum_of(const double x[], size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) sum += x[i];
  return sum;
}

/* samples of one cell, with room for those of a resample */
typedef struct samples {
  const double *values;
  double *drawn;
} samples;

/* median of the samples drawn; not a number when it cannot be had */
static double median_of(const void *context, const size_t pick[], size_t count) {
  const samples *const s = context;
  double median = NAN;
  for (size_t j = 0; j < count; j++) s->drawn[j] = s->values[pick[j]];
  return measure_median(s->drawn, count, &median) ? NAN : median;
}

int sweep_median_interval(const sweep_data *data, const double values[], double *low,
                          double *high) {
  const draws d = sweep_draws_of(data);
  const samples s = {values, calloc(d.trials + d.processes, sizeof(double))};
  const int status = s.drawn ? draws_interval(&d, median_of, &s, low, high) : MEASURE_ENOMEM;
  free(s.drawn);
  return status;
}

draws sweep_draws_of(const sweep_data *data) {
  return (draws){
      .trials = data->trials, .processes = data->given->processes, .seed = data->given->seed};
}

/* times, errors and crossings of one cell */
static int summarize_cell(const sweep_data *data, const sweep_row *row, sweep_cell *c) {
  const size_t trials = data->trials;
  measure_summary times, errors;
  int status = measure_summarize(c->seconds, trials, &times);
  if (!status) status = sweep_median_interval(data, c->seconds, &c->median_lo, &c->median_hi);
  if (!status) status = measure_summarize(c->rms, trials, &errors);
  if (!status) status = measure_quantile(c->rms, trials, 0.9, &c->rms_q90);
  if (!status) status = measure_median(c->events, trials, &c->events_median);
  if (status) return status;
  c->median = times.median;
  c->q25 = times.q25;
  c->q75 = times.q75;
  c->min = times.min;
  c->mad = times.mad;
  c->outliers = 0.0;
  for (size_t j = 0; j < trials; j++) {
    c->outliers += sweep_is_outlier(c, j);
    if (c->rms[j] == errors.max) c->worst_trial = j;
  }
  c->rms_median = errors.median;
  c->rms_worst = errors.max;
  c->marginal = c->marginal_lo = c->marginal_hi = NAN;
  c->events_ratio = sum_of(c->events, trials) / sum_of(row->events_reference, trials);
  c->events_close = fabs(c->events_ratio - 1.0) <= SWEEP_EVENTS_TOLERANCE;
  return MEASURE_SUCCESS;
}

bool sweep_is_outlier(const sweep_cell *c, size_t trial) {
  return c->seconds[trial] > c->q75 + outlier_ranges * (c->q75 - c->q25);
}

/* medians of one resample, the same trials at every N (trial j is the same start in all) */
static int medians_of(const series *s, const size_t pick[], size_t count, double medians[]) {
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < s->rows; i++) {
    for (size_t j = 0; j < count; j++) s->drawn[j] = s->cell[i]->seconds[pick[j]];
    status = measure_median(s->drawn, count, &medians[i]);
  }
  return status;
}

/* band of the marginal cost: quantiles of its resamples at every N */
static int marginal_band(const series *s, gsl_rng *rng, size_t pick[]) {
  double *const medians = s->work, *const marginal = medians + s->rows;
  double *const resampled = marginal + s->rows; /* rows*RESAMPLES, by row */
  int status = MEASURE_SUCCESS;
  for (size_t b = 0; !status && b < RESAMPLES; b++) {
    const size_t count = draws_pick(&s->draws, rng, pick);
    status = medians_of(s, pick, count, medians);
    if (!status) status = measure_smooth_derivative(s->n, medians, s->rows, WINDOW, marginal);
    for (size_t i = 0; i < s->rows; i++) resampled[i * RESAMPLES + b] = marginal[i];
  }
  for (size_t i = 0; !status && i < s->rows; i++) {
    sweep_cell *const c = s->cell[i];
    const double *const at_n = resampled + i * RESAMPLES;
    status = measure_quantile(at_n, RESAMPLES, band_low, &c->marginal_lo);
    if (!status) status = measure_quantile(at_n, RESAMPLES, band_high, &c->marginal_hi);
  }
  return status;
}

/* marginal cost at every N, and its band by bootstrap over the starts */
static int marginal_cost(const series *s) {
  double *const medians = s->work, *const marginal = medians + s->rows;
  for (size_t i = 0; i < s->rows; i++) medians[i] = s->cell[i]->median;
  int status = measure_smooth_derivative(s->n, medians, s->rows, WINDOW, marginal);
  for (size_t i = 0; !status && i < s->rows; i++) s->cell[i]->marginal = marginal[i];
  if (status) return status;

  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(s->trials + s->draws.processes, sizeof *pick);
  status = MEASURE_ENOMEM;
  if (rng && pick) {
    gsl_rng_set(rng, s->draws.seed);
    status = marginal_band(s, rng, pick);
  }
  free(pick);
  if (rng) gsl_rng_free(rng);
  return status;
}

/* least-squares slope of the medians of a resample against N */
static double slope_of(const void *context, const size_t pick[], size_t count) {
  const series *const s = context;
  double intercept, slope, cov00, cov01, cov11, residual;
  if (medians_of(s, pick, count, s->work)) return NAN;
  gsl_fit_linear(s->n, 1, s->work, 1, s->rows, &intercept, &slope, &cov00, &cov01, &cov11,
                 &residual);
  return slope;
}

/* the line through the medians over all N */
static int global_slope(const series *s, size_t all[], sweep_slope *out) {
  for (size_t j = 0; j < s->trials; j++) all[j] = j;
  out->slope = slope_of(s, all, s->trials);
  return draws_interval(&s->draws, slope_of, s, &out->low, &out->high);
}

/* whether entry k is the same competitor in every complete row: tuned protocols may leave one out
 */
static bool same_entry(const sweep_data *data, size_t k) {
  const protocol_entry *first = NULL;
  for (size_t i = 0; i < data->rows; i++) {
    const sweep_row *const row = &data->row[i];
    if (!sweep_row_done(data, row)) continue;
    if (k >= row->entries.count) return false;
    const protocol_entry *const e = &row->entries.entry[k];
    if (!first) first = e;
    if (e->solver != first->solver || strcmp(e->protocol, first->protocol) != 0) return false;
  }
  return first;
}

/* what needs more than one N, for one entry */
static int summarize_series(sweep_data *data, size_t k, series *s, double n[], size_t all[]) {
  s->rows = 0;
  for (size_t i = 0; i < data->rows; i++) {
    if (!sweep_row_done(data, &data->row[i])) continue;
    n[s->rows] = (double)data->row[i].contacts;
    s->cell[s->rows++] = &data->row[i].cell[k];
  }
  const int status = marginal_cost(s);
  return status ? status : global_slope(s, all, &data->slope[k]);
}

static int summarize_all_series(sweep_data *data) {
  const size_t rows = data->complete, trials = data->trials;
  double *const n = calloc(rows, sizeof *n);
  size_t *const all = calloc(trials, sizeof *all);
  series s = {.trials = trials, .n = n, .draws = sweep_draws_of(data)};
  s.cell = calloc(rows, sizeof *s.cell);
  s.work = calloc(rows * (RESAMPLES + 2), sizeof *s.work);
  s.drawn = calloc(trials + s.draws.processes, sizeof *s.drawn);
  int status = n && all && s.cell && s.work && s.drawn ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t k = 0; !status && k < PROTOCOL_ENTRIES_MAX; k++)
    if (same_entry(data, k)) status = summarize_series(data, k, &s, n, all);
  free(n);
  free(all);
  free(s.cell);
  free(s.work);
  free(s.drawn);
  return status;
}

int sweep_summarize(sweep_data *data, char *message) {
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < data->rows; i++) {
    sweep_row *const row = &data->row[i];
    for (size_t k = 0; !status && sweep_row_done(data, row) && k < row->entries.count; k++)
      status = summarize_cell(data, row, &row->cell[k]);
  }
  for (size_t k = 0; k < PROTOCOL_ENTRIES_MAX; k++) data->slope[k] = (sweep_slope){NAN, NAN, NAN};
  if (!status && data->complete > 1) status = summarize_all_series(data);
  if (status) measure_message(message, "statistics of the sweep: %s", measure_strerror(status));
  return status ? -1 : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "series.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "statistics.h"
#include "study_run.h"

/* resamples of a band */
enum { BAND_RESAMPLES = 400 };
static const double band_low = 0.025, band_high = 0.975;

/* values by group and trial, with room for a resample and its medians */
typedef struct table {
  size_t groups, trials;
  const double *x;
  double *value, *drawn, *median; /* owned */
} table;

/* what a failure leaves unknown is NaN; `value` may be NULL */
static int conclude(study_run *run, const char *name, int status, double *value,
                    double interval[2]) {
  if (!status) return 0;
  if (value) *value = interval[0] = interval[1] = NAN;
  measure_message(run->message, "statistics of %s: %s", name, measure_strerror(status));
  return study_note_failure(run);
}

static void table_free(table *t) {
  free(t->value);
  free(t->drawn);
  free(t->median);
}

/* a measure_status */
static int table_alloc(table *t, size_t groups, const double *x, const draws *d) {
  *t = (table){.groups = groups, .trials = d->trials, .x = x};
  t->value = calloc(groups * d->trials, sizeof *t->value);
  t->drawn = calloc(d->trials + d->processes, sizeof *t->drawn);
  t->median = calloc(groups, sizeof *t->median);
  if (t->value && t->drawn && t->median) return MEASURE_SUCCESS;
  table_free(t);
  *t = (table){0};
  return MEASURE_ENOMEM;
}

static void take(gather rows, const char *name, double out[]) {
  const study_table *const t = &rows.run->study->tables[rows.table];
  const column *const c = column_find(t->columns, name);
  const char *const row = rows.run->private->rows[rows.table].row;
  for (size_t j = 0; j < rows.count; j++)
    out[j] = column_number(c, row + (rows.first + j * rows.stride) * t->row_size);
}

static int table_fill(table *t, const series *s) {
  const int status = table_alloc(t, s->groups, s->x, &s->draws);
  for (size_t i = 0; !status && i < s->groups; i++)
    take(s->group[i], s->name, t->value + i * t->trials);
  return status;
}

/* medians of the trials drawn, the same at every x; of all of them in their order with NULL */
static int medians_of(const table *t, const size_t pick[], size_t count) {
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < t->groups; i++) {
    for (size_t j = 0; j < count; j++) t->drawn[j] = t->value[i * t->trials + (pick ? pick[j] : j)];
    status = measure_median(t->drawn, count, &t->median[i]);
  }
  return status;
}

/* ---- medians --------------------------------------------------------------------------------- */

static double median_of(const void *context, const size_t pick[], size_t count) {
  const table *const t = context;
  return medians_of(t, pick, count) ? NAN : t->median[0];
}

/* an interval of one run becomes that of the value of a second one; on the logarithm, where all are
 * above zero and so are to stay */
static void widen(const draws *d, double value, double interval[2]) {
  const double factor = draws_widening(d);
  for (int end = 0; end < 2; end++)
    interval[end] = value > 0.0 && interval[end] > 0.0 ? value * pow(interval[end] / value, factor)
                                                       : value + factor * (interval[end] - value);
}

/* a statistic of all trials, and its interval */
static int estimate(const draws *d, draws_statistic *statistic, const void *context, double *value,
                    double interval[2]) {
  *value = statistic(context, NULL, d->trials);
  const int status = draws_interval(d, statistic, context, &interval[0], &interval[1]);
  if (!status) widen(d, *value, interval);
  return status;
}

int series_median(gather rows, const char *name, const draws *d, double *median,
                  double interval[2]) {
  table t;
  int status = table_alloc(&t, 1, NULL, d);
  if (!status) {
    take(rows, name, t.value);
    status = estimate(d, median_of, &t, median, interval);
  }
  table_free(&t);
  return conclude(rows.run, name, status, median, interval);
}

/* the known values to the front, process by process: a draw of as many; those that know none are
 * none */
static draws keep_known(table *t, const draws *d, size_t first[]) {
  draws known = {.seed = d->seed, .first = first};
  first[0] = 0;
  for (size_t p = 0; p < d->processes; p++) {
    for (size_t j = p; j < d->trials; j += d->processes)
      if (!isnan(t->value[j])) t->drawn[known.trials++] = t->value[j];
    if (known.trials > first[known.processes]) first[++known.processes] = known.trials;
  }
  memcpy(t->value, t->drawn, known.trials * sizeof *t->value);
  t->trials = known.trials;
  return known;
}

int series_median_known(gather rows, const char *name, const draws *d, double *median,
                        double interval[2]) {
  table t;
  size_t *const first = calloc(d->processes + 1, sizeof *first);
  int status = table_alloc(&t, 1, NULL, d);
  *median = interval[0] = interval[1] = NAN;
  if (!first) status = MEASURE_ENOMEM;
  if (!status) {
    take(rows, name, t.value);
    const draws known = keep_known(&t, d, first);
    if (known.trials >= SERIES_FEW)
      status = estimate(&known, median_of, &t, median, interval);
    else if (known.trials)
      status = measure_median(t.value, known.trials, median);
  }
  table_free(&t);
  free(first);
  return conclude(rows.run, name, status, median, interval);
}

int series_median_ratio(gather rows, gather over, const char *name, const draws *d, double *median,
                        double interval[2]) {
  table t, divisor;
  int status = table_alloc(&t, 1, NULL, d);
  const int failed = table_alloc(&divisor, 1, NULL, d);
  if (!status) status = failed;
  if (!status) {
    take(rows, name, t.value);
    take(over, name, divisor.value);
    for (size_t j = 0; j < d->trials; j++) t.value[j] /= divisor.value[j];
    status = estimate(d, median_of, &t, median, interval);
  }
  table_free(&t);
  table_free(&divisor);
  return conclude(rows.run, name, status, median, interval);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static double slope_of(const void *context, const size_t pick[], size_t count) {
  const table *const t = context;
  double intercept, slope, cov00, cov01, cov11, residual;
  if (medians_of(t, pick, count)) return NAN;
  gsl_fit_linear(t->x, 1, t->median, 1, t->groups, &intercept, &slope, &cov00, &cov01, &cov11,
                 &residual);
  return slope;
}

static double slope_ratio_of(const void *context, const size_t pick[], size_t count) {
  const table *const both = context;
  return slope_of(&both[0], pick, count) / slope_of(&both[1], pick, count);
}

int series_slope(const series *s, double *slope, double interval[2]) {
  table t;
  int status = table_fill(&t, s);
  if (!status) status = estimate(&s->draws, slope_of, &t, slope, interval);
  table_free(&t);
  return conclude(s->group->run, s->name, status, slope, interval);
}

int series_slope_ratio(const series *s, const series *over, double *ratio, double interval[2]) {
  table both[2];
  int status = table_fill(&both[0], s);
  const int failed = table_fill(&both[1], over);
  if (!status) status = failed;
  if (!status) status = estimate(&s->draws, slope_ratio_of, both, ratio, interval);
  table_free(&both[0]);
  table_free(&both[1]);
  return conclude(s->group->run, s->name, status, ratio, interval);
}

/* ---- marginal cost --------------------------------------------------------------------------- */

/* resampled slopes at every x: value[i * BAND_RESAMPLES + b] */
static int resample(const table *t, const draws *d, size_t window, double value[],
                    double marginal[]) {
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  size_t *const pick = calloc(d->trials + d->processes, sizeof *pick);
  int status = rng && pick ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  if (rng) gsl_rng_set(rng, d->seed);
  for (size_t b = 0; !status && b < BAND_RESAMPLES; b++) {
    const size_t count = draws_pick(d, rng, pick);
    status = medians_of(t, pick, count);
    if (!status) status = measure_smooth_derivative(t->x, t->median, t->groups, window, marginal);
    for (size_t i = 0; !status && i < t->groups; i++) value[i * BAND_RESAMPLES + b] = marginal[i];
  }
  free(pick);
  if (rng) gsl_rng_free(rng);
  return status;
}

int series_marginal(const series *s, size_t window, double marginal[], double (*interval)[2]) {
  table t;
  int status = table_fill(&t, s);
  double *const value = calloc(s->groups * BAND_RESAMPLES, sizeof *value);
  if (!value) status = MEASURE_ENOMEM;
  if (!status) status = resample(&t, &s->draws, window, value, marginal);
  for (size_t i = 0; !status && i < s->groups; i++) {
    const double *const at_x = value + i * BAND_RESAMPLES;
    status = measure_quantile(at_x, BAND_RESAMPLES, band_low, &interval[i][0]);
    if (!status) status = measure_quantile(at_x, BAND_RESAMPLES, band_high, &interval[i][1]);
  }
  if (!status) status = medians_of(&t, NULL, t.trials);
  if (!status) status = measure_smooth_derivative(t.x, t.median, t.groups, window, marginal);
  for (size_t i = 0; !status && i < s->groups; i++) widen(&s->draws, marginal[i], interval[i]);
  free(value);
  table_free(&t);
  return conclude(s->group->run, s->name, status, NULL, NULL);
}

/*
 * Percentile bootstrap: one loop that resamples and sorts, and one draw per statistic.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "bootstrap.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

measure_bootstrap measure_bootstrap_default(unsigned long seed) {
  return (measure_bootstrap){.resamples = 2000, .confidence = 0.95, .seed = seed};
}

/* Draws one resample and returns its statistic; with `rng` NULL that of the data themselves. */
typedef double (*draw_fn)(gsl_rng *rng, void *context);

static int percentile_interval(draw_fn draw, void *context, const measure_bootstrap *options,
                               measure_interval *out) {
  if (options->resamples == 0 || !(options->confidence > 0 && options->confidence < 1)) {
    return MEASURE_EINVAL;
  }
  double *statistic = malloc(options->resamples * sizeof *statistic);
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  int status = MEASURE_ENOMEM;
  if (statistic && rng) {
    gsl_rng_set(rng, options->seed);
    for (size_t i = 0; i < options->resamples; i++) statistic[i] = draw(rng, context);
    gsl_sort(statistic, 1, options->resamples);
    const double tail = (1 - options->confidence) / 2;
    const size_t count = options->resamples;
    out->estimate = draw(NULL, context);
    out->low = gsl_stats_quantile_from_sorted_data(statistic, 1, count, tail);
    out->high = gsl_stats_quantile_from_sorted_data(statistic, 1, count, 1 - tail);
    status = MEASURE_SUCCESS;
  }
  if (rng) gsl_rng_free(rng);
  free(statistic);
  return status;
}

/* Median of a resample of x[count], or of x itself when `rng` is NULL; work[count]. */
static double resampled_median(const double x[], size_t count, gsl_rng *rng, double work[]) {
  for (size_t i = 0; i < count; i++) work[i] = x[rng ? gsl_rng_uniform_int(rng, count) : i];
  return gsl_stats_median(work, 1, count);
}

/* Median of one or quotient of two medians: nx = 0 in the second means there is none. */
typedef struct medians {
  const double *x, *y;
  size_t nx, ny;
  double *work;
} medians;

static double draw_medians(gsl_rng *rng, void *context) {
  const medians *m = context;
  const double numerator = resampled_median(m->x, m->nx, rng, m->work);
  if (m->ny == 0) return numerator;
  return numerator / resampled_median(m->y, m->ny, rng, m->work);
}

static int medians_interval(medians m, const measure_bootstrap *options, measure_interval *out) {
  m.work = malloc((m.nx > m.ny ? m.nx : m.ny) * sizeof *m.work);
  if (!m.work) return MEASURE_ENOMEM;
  const int status = percentile_interval(draw_medians, &m, options, out);
  free(m.work);
  return status;
}

int measure_bootstrap_median(const double x[], size_t count, const measure_bootstrap *options,
                             measure_interval *out) {
  const int status = measure_check_data(x, count);
  return status ? status : medians_interval((medians){.x = x, .nx = count}, options, out);
}

static int check_denominator(const double y[], size_t count) {
  const int status = measure_check_data(y, count);
  if (status) return status;
  for (size_t i = 0; i < count; i++) {
    if (y[i] <= 0) return MEASURE_EINVAL;
  }
  return MEASURE_SUCCESS;
}

int measure_bootstrap_ratio(const double x[], size_t nx, const double y[], size_t ny,
                            const measure_bootstrap *options, measure_interval *out) {
  int status = measure_check_data(x, nx);
  if (!status) status = check_denominator(y, ny);
  if (status) return status;
  return medians_interval((medians){.x = x, .y = y, .nx = nx, .ny = ny}, options, out);
}

int measure_bootstrap_paired_ratio(const double x[], const double y[], size_t count,
                                   const measure_bootstrap *options, measure_interval *out) {
  int status = measure_check_data(x, count);
  if (!status) status = check_denominator(y, count);
  if (status) return status;
  double *ratio = malloc(count * sizeof *ratio);
  if (!ratio) return MEASURE_ENOMEM;
  for (size_t i = 0; i < count; i++) ratio[i] = x[i] / y[i];
  status = measure_bootstrap_median(ratio, count, options, out);
  free(ratio);
  return status;
}

/* Slope of the groups' medians; the work arrays are trials, groups and trials long. */
typedef struct slope {
  const double *x, *y;
  size_t groups, trials;
  bool shared;
  double *resample, *median;
  size_t *drawn;
} slope;

static void draw_trials(gsl_rng *rng, const slope *s) {
  for (size_t j = 0; j < s->trials; j++) {
    s->drawn[j] = rng ? (size_t)gsl_rng_uniform_int(rng, s->trials) : j;
  }
}

static double draw_slope(gsl_rng *rng, void *context) {
  const slope *s = context;
  for (size_t i = 0; i < s->groups; i++) {
    if (i == 0 || !s->shared) draw_trials(rng, s);
    const double *row = s->y + i * s->trials;
    for (size_t j = 0; j < s->trials; j++) s->resample[j] = row[s->drawn[j]];
    s->median[i] = gsl_stats_median(s->resample, 1, s->trials);
  }
  double c0, c1, cov00, cov01, cov11, residual;
  gsl_fit_linear(s->x, 1, s->median, 1, s->groups, &c0, &c1, &cov00, &cov01, &cov11, &residual);
  return c1;
}

static int check_slope(const double x[], size_t groups, const double y[], size_t trials) {
  if (groups < 2 || trials == 0) return MEASURE_EINVAL;
  int status = measure_check_data(x, groups);
  if (!status) status = measure_check_data(y, groups * trials);
  if (status) return status;
  for (size_t i = 1; i < groups; i++) {
    if (x[i] != x[0]) return MEASURE_SUCCESS;
  }
  return MEASURE_EINVAL;
}

int measure_bootstrap_slope(const double x[], size_t groups, const double y[], size_t trials,
                            bool shared_trials, const measure_bootstrap *options,
                            measure_interval *out) {
  int status = check_slope(x, groups, y, trials);
  if (status) return status;
  slope s = {.x = x, .y = y, .groups = groups, .trials = trials, .shared = shared_trials};
  s.resample = malloc(trials * sizeof *s.resample);
  s.median = malloc(groups * sizeof *s.median);
  s.drawn = malloc(trials * sizeof *s.drawn);
  status = MEASURE_ENOMEM;
  if (s.resample && s.median && s.drawn) status = percentile_interval(draw_slope, &s, options, out);
  free(s.drawn);
  free(s.median);
  free(s.resample);
  return status;
}

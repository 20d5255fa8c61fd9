/*
 * The ratio of two series with its interval, by a bootstrap that draws processes and then starts.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "compare.h"

/* a start by its position in the series, and the processes that ran it: those of both sets where
 * values are ratios of theirs */
typedef struct member {
  double process[2];
  size_t position;
} member;

/* values of `count` starts at each of `sizes`, and the starts with those of one process together */
typedef struct pool {
  size_t count, sizes, processes;
  double *value; /* sizes*count, by member */
  member *members;
  size_t *first;  /* of each process, and the end */
  size_t *picked; /* members of the present resample */
  double *drawn;
} pool;

static int by_process(const void *a, const void *b) {
  const double *const x = ((const member *)a)->process, *const y = ((const member *)b)->process;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

/* sorts the starts by process and notes where each process begins */
static void group(pool *p, const compare_series *a, const compare_series *b) {
  for (size_t i = 0; i < p->count; i++)
    p->members[i] = (member){{a ? a->sample[i].process : 0.0, b->sample[i].process}, i};
  qsort(p->members, p->count, sizeof *p->members, by_process);
  for (size_t i = 0; i < p->count; i++)
    if (i == 0 || by_process(&p->members[i - 1], &p->members[i])) p->first[p->processes++] = i;
  p->first[p->processes] = p->count;
}

/* the values of b, or their ratios to those of a when that is given */
static int pool_alloc(pool *p, const compare_series a[], const compare_series b[], size_t sizes) {
  const size_t count = b[0].count;
  *p = (pool){.count = count,
              .sizes = sizes,
              .value = calloc(sizes * count, sizeof *p->value),
              .members = calloc(count, sizeof *p->members),
              .first = calloc(count + 1, sizeof *p->first),
              .picked = calloc(count, sizeof *p->picked),
              .drawn = calloc(count, sizeof *p->drawn)};
  if (!p->value || !p->members || !p->first || !p->picked || !p->drawn) return MEASURE_ENOMEM;
  group(p, a, b);
  for (size_t n = 0; n < sizes; n++)
    for (size_t i = 0; i < count; i++) {
      const size_t at = p->members[i].position;
      p->value[n * count + i] = b[n].sample[at].value / (a ? a[n].sample[at].value : 1.0);
    }
  return MEASURE_SUCCESS;
}

static void pool_free(pool *p) {
  free(p->value);
  free(p->members);
  free(p->first);
  free(p->picked);
  free(p->drawn);
}

/* picks the starts of one resample, or all of them when `rng` is NULL */
static void pick(pool *p, gsl_rng *rng) {
  size_t picked = 0;
  for (size_t k = 0; picked < p->count; k++) {
    const size_t process = rng ? gsl_rng_uniform_int(rng, p->processes) : k;
    const size_t first = p->first[process], size = p->first[process + 1] - first;
    for (size_t i = 0; i < size && picked < p->count; i++)
      p->picked[picked++] = first + (rng ? gsl_rng_uniform_int(rng, size) : i);
  }
}

/* the logarithm of the median of what is picked, averaged over the sizes */
static double draw(pool *p, gsl_rng *rng) {
  double sum = 0.0;
  pick(p, rng);
  for (size_t n = 0; n < p->sizes; n++) {
    for (size_t i = 0; i < p->count; i++) p->drawn[i] = p->value[n * p->count + p->picked[i]];
    sum += log(gsl_stats_median(p->drawn, 1, p->count));
  }
  return sum / (double)p->sizes;
}

/* the interval of what is drawn from `over`, divided by what is from `under` when that is given */
static int interval_of(pool *over, pool *under, const measure_bootstrap *options,
                       measure_interval *out) {
  const size_t count = options->resamples;
  double *const ratios = calloc(count, sizeof *ratios);
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  int status = MEASURE_ENOMEM;
  if (ratios && rng) {
    gsl_rng_set(rng, options->seed);
    for (size_t i = 0; i < count; i++)
      ratios[i] = exp(draw(over, rng) - (under ? draw(under, rng) : 0.0));
    gsl_sort(ratios, 1, count);
    const double tail = 0.5 * (1.0 - options->confidence);
    out->estimate = exp(draw(over, NULL) - (under ? draw(under, NULL) : 0.0));
    out->low = gsl_stats_quantile_from_sorted_data(ratios, 1, count, tail);
    out->high = gsl_stats_quantile_from_sorted_data(ratios, 1, count, 1.0 - tail);
    status = MEASURE_SUCCESS;
  }
  if (rng) gsl_rng_free(rng);
  free(ratios);
  return status;
}

int compare_ratio(const compare_series a[], const compare_series b[], size_t sizes, bool paired,
                  const measure_bootstrap *options, measure_interval *out) {
  pool over = {0}, under = {0};
  if (sizes == 0 || a[0].count == 0 || b[0].count == 0 || options->resamples == 0)
    return MEASURE_EINVAL;
  int status = pool_alloc(&over, paired ? a : NULL, b, sizes);
  if (!status && !paired) status = pool_alloc(&under, NULL, a, sizes);
  if (!status) status = interval_of(&over, paired ? NULL : &under, options, out);
  pool_free(&over);
  pool_free(&under);
  return status;
}

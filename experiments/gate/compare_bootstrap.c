/*
 * The ratio of two series with its interval: processes are drawn, then starts (draws.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "draws.h"

static const double low_quantile = 0.025, high_quantile = 0.975;

/* a start by its position in the series, and the processes that ran it: those of both sets where
 * values are ratios of theirs */
typedef struct member {
  double process[2];
  size_t position;
} member;

/* values of starts at each of `sizes`, those of one process together; owned */
typedef struct pool {
  size_t sizes;
  draws draws;
  double *value, *drawn;
  size_t *first, *pick;
} pool;

static int by_process(const void *a, const void *b) {
  const double *const x = ((const member *)a)->process, *const y = ((const member *)b)->process;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

/* the values of b, or their ratios to those of a when that is given, by process */
static void fill(pool *p, member members[], const compare_series a[], const compare_series b[]) {
  const size_t count = p->draws.trials;
  for (size_t i = 0; i < count; i++)
    members[i] = (member){{a ? a->sample[i].process : 0.0, b->sample[i].process}, i};
  qsort(members, count, sizeof *members, by_process);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || by_process(&members[i - 1], &members[i])) p->first[p->draws.processes++] = i;
  p->first[p->draws.processes] = count;
  p->draws.first = p->first;
  for (size_t n = 0; n < p->sizes; n++)
    for (size_t i = 0; i < count; i++) {
      const size_t at = members[i].position;
      p->value[n * count + i] = b[n].sample[at].value / (a ? a[n].sample[at].value : 1.0);
    }
}

static int pool_alloc(pool *p, const compare_series a[], const compare_series b[], size_t sizes) {
  const size_t count = b[0].count;
  *p = (pool){.sizes = sizes,
              .draws = {.trials = count},
              .value = calloc(sizes * count, sizeof *p->value),
              .drawn = calloc(count, sizeof *p->drawn),
              .first = calloc(count + 1, sizeof *p->first),
              .pick = calloc(count, sizeof *p->pick)};
  member *const members = calloc(count, sizeof *members);
  const bool made = p->value && p->drawn && p->first && p->pick && members;
  if (made) fill(p, members, a, b);
  free(members);
  return made ? MEASURE_SUCCESS : MEASURE_ENOMEM;
}

static void pool_free(pool *p) {
  free(p->value);
  free(p->drawn);
  free(p->first);
  free(p->pick);
}

/* the logarithm of the median, averaged over the sizes, of a resample, or of all without `rng` */
static double draw(pool *p, gsl_rng *rng) {
  const size_t count = p->draws.trials;
  double sum = 0.0, median = NAN;
  if (rng) draws_pick(&p->draws, rng, p->pick);
  for (size_t n = 0; n < p->sizes; n++) {
    for (size_t i = 0; i < count; i++) p->drawn[i] = p->value[n * count + (rng ? p->pick[i] : i)];
    if (measure_median(p->drawn, count, &median)) return NAN;
    sum += log(median);
  }
  return sum / (double)p->sizes;
}

/* the ratio of what is drawn from `over` to what is from `under`, when that is given */
static double ratio(pool *over, pool *under, gsl_rng *rng) {
  return exp(draw(over, rng) - (under ? draw(under, rng) : 0.0));
}

static int interval_of(pool *over, pool *under, unsigned long seed, measure_interval *out) {
  double ratios[DRAWS_RESAMPLES];
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (!rng) return MEASURE_ENOMEM;
  gsl_rng_set(rng, seed);
  for (size_t i = 0; i < DRAWS_RESAMPLES; i++) ratios[i] = ratio(over, under, rng);
  gsl_rng_free(rng);
  out->estimate = ratio(over, under, NULL);
  const int status = measure_quantile(ratios, DRAWS_RESAMPLES, low_quantile, &out->low);
  return status ? status : measure_quantile(ratios, DRAWS_RESAMPLES, high_quantile, &out->high);
}

int compare_ratio(const compare_series a[], const compare_series b[], size_t sizes, bool paired,
                  unsigned long seed, measure_interval *out) {
  pool over = {0}, under = {0};
  int status = pool_alloc(&over, paired ? a : NULL, b, sizes);
  if (!status && !paired) status = pool_alloc(&under, NULL, a, sizes);
  if (!status) status = interval_of(&over, paired ? NULL : &under, seed, out);
  pool_free(&over);
  pool_free(&under);
  return status;
}

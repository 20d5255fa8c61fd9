/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a comparison side by side, and the ratio of two such sheets with its interval. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "draws.h"

static const double low_quantile = 0.025, high_quantile = 0.975;

/* ---- sheets ---------------------------------------------------------------------------------- */

void compare_sheet_free(compare_sheet *sheet) {
  free(sheet->trial);
  free(sheet->process);
  free(sheet->value);
  free(sheet->rms);
  *sheet = (compare_sheet){0};
}

bool compare_sheet_alike(const compare_sheet *a, const compare_sheet *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->trial[i] != b->trial[i]) return false;
  return true;
}

/* a start at all sizes into the next place, if it was run at all of them */
static void add_start(compare_sheet *out, size_t places, const compare_set *set,
                      const compare_strand *of, const size_t contacts[], double trial) {
  const size_t at = out->count;
  for (size_t n = 0; n < out->sizes; n++) {
    const compare_sample *const s =
        compare_set_find(set, contacts[n], of->solver, of->protocol, trial);
    const compare_sample *const under =
        of->over ? compare_set_find(set, contacts[n], of->over, of->protocol, trial) : NULL;
    if (!s || (of->over && !under)) return;
    out->value[n * places + at] = s->seconds / (under ? under->seconds : 1.0);
    out->rms[n * places + at] = s->rms / (under ? under->rms : 1.0);
    if (n == 0) out->process[at] = s->process;
  }
  out->trial[at] = trial;
  out->count++;
}

static bool is_of(const compare_sample *s, const compare_strand *of, size_t contacts) {
  return s->contacts == contacts && strcmp(s->solver, of->solver) == 0 &&
         strcmp(s->protocol, of->protocol) == 0;
}

int compare_sheet_make(compare_sheet *out, const compare_set *set, const compare_strand *of,
                       const size_t contacts[], size_t sizes) {
  size_t first = 0, places = 0;
  while (first < set->count && !is_of(&set->sample[first], of, contacts[0])) first++;
  while (first + places < set->count && is_of(&set->sample[first + places], of, contacts[0]))
    places++;
  *out = (compare_sheet){.sizes = sizes,
                         .trial = calloc(places + 1, sizeof *out->trial),
                         .process = calloc(places + 1, sizeof *out->process),
                         .value = calloc(sizes * (places + 1), sizeof *out->value),
                         .rms = calloc(sizes * (places + 1), sizeof *out->rms)};
  if (!out->trial || !out->process || !out->value || !out->rms) {
    compare_sheet_free(out);
    return MEASURE_ENOMEM;
  }
  for (size_t i = 0; i < places; i++)
    add_start(out, places, set, of, contacts, set->sample[first + i].trial);
  // what was left out leaves no gap
  for (size_t n = 1; n < sizes && out->count < places; n++) {
    memmove(out->value + n * out->count, out->value + n * places, out->count * sizeof *out->value);
    memmove(out->rms + n * out->count, out->rms + n * places, out->count * sizeof *out->rms);
  }
  return MEASURE_SUCCESS;
}

/* ---- ratios ---------------------------------------------------------------------------------- */

/* a start by its position in the sheet, and the processes that ran it: those of both sets where
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
static void fill(pool *p, member members[], const compare_sheet *a, const compare_sheet *b) {
  const size_t count = b->count;
  for (size_t i = 0; i < count; i++)
    members[i] = (member){{a ? a->process[i] : 0.0, b->process[i]}, i};
  qsort(members, count, sizeof *members, by_process);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || by_process(&members[i - 1], &members[i])) p->first[p->draws.processes++] = i;
  p->first[p->draws.processes] = count;
  p->draws.first = p->first;
  for (size_t n = 0; n < p->sizes; n++)
    for (size_t i = 0; i < count; i++) {
      const size_t at = n * count + members[i].position;
      p->value[n * count + i] = b->value[at] / (a ? a->value[at] : 1.0);
    }
}

static int pool_alloc(pool *p, const compare_sheet *a, const compare_sheet *b) {
  const size_t count = b->count;
  *p = (pool){.sizes = b->sizes,
              .draws = {.trials = count},
              .value = calloc(b->sizes * count, sizeof *p->value),
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

int compare_ratio(const compare_sheet *a, const compare_sheet *b, bool paired, unsigned long seed,
                  measure_interval *out) {
  pool over = {0}, under = {0};
  int status = pool_alloc(&over, paired ? a : NULL, b);
  if (!status && !paired) status = pool_alloc(&under, NULL, a);
  if (!status) status = interval_of(&over, paired ? NULL : &under, seed, out);
  pool_free(&over);
  pool_free(&under);
  return status;
}

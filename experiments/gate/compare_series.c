/*
 * Series of samples of a comparison: quotients and means, start by start.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "compare.h"

void compare_series_free(compare_series *series) {
  free(series->sample);
  *series = (compare_series){0};
}

bool compare_series_alike(const compare_series *a, const compare_series *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->sample[i].trial != b->sample[i].trial) return false;
  return true;
}

static int by_trial(const void *a, const void *b) {
  const double x = ((const compare_sample *)a)->trial, y = ((const compare_sample *)b)->trial;
  return (x > y) - (x < y);
}

void compare_series_sort(compare_series *series) {
  qsort(series->sample, series->count, sizeof *series->sample, by_trial);
}

/* the sample of a trial, NULL when there is none */
static const compare_sample *find(const compare_series *series, double trial) {
  const compare_sample wanted = {.trial = trial};
  return bsearch(&wanted, series->sample, series->count, sizeof wanted, by_trial);
}

static int allocate(compare_series *out, size_t count) {
  *out = (compare_series){.sample = calloc(count ? count : 1, sizeof *out->sample)};
  return out->sample ? MEASURE_SUCCESS : MEASURE_ENOMEM;
}

int compare_series_copy(const compare_series *from, compare_series *out) {
  if (allocate(out, from->count)) return MEASURE_ENOMEM;
  for (size_t i = 0; i < from->count; i++) out->sample[out->count++] = from->sample[i];
  return MEASURE_SUCCESS;
}

int compare_series_quotient(const compare_series *a, const compare_series *b, compare_series *out) {
  if (allocate(out, a->count)) return MEASURE_ENOMEM;
  for (size_t i = 0; i < a->count; i++) {
    const compare_sample *const above = &a->sample[i], *const below = find(b, above->trial);
    if (!below) continue;
    out->sample[out->count++] = (compare_sample){
        above->trial, above->process, above->value / below->value, above->rms / below->rms};
  }
  return MEASURE_SUCCESS;
}

/* drops what the other has not */
static void keep_common(compare_series *series, const compare_series *other) {
  size_t kept = 0;
  for (size_t i = 0; i < series->count; i++)
    if (find(other, series->sample[i].trial)) series->sample[kept++] = series->sample[i];
  series->count = kept;
}

void compare_series_intersect(compare_series list[], size_t count) {
  for (size_t k = 1; k < count; k++) keep_common(&list[0], &list[k]);
  for (size_t k = 1; k < count; k++) keep_common(&list[k], &list[0]);
}

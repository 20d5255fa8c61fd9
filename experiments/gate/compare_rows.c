/*
 * Rows of a comparison: for each solver and protocol, and for the projection against MuJoCo, the
 * ratio B/A at every common number of contacts and over all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "statistics.h"

/* of the bootstrap: the same sets give the same intervals */
static const unsigned long bootstrap_seed = 1;

/* a quotient of solvers that is of interest */
static const char ours[] = "projection", theirs[] = "mujoco";

/* one line of descent through the numbers of contacts */
typedef struct strand {
  const char *solver, *over, *protocol;
} strand;

const char *compare_verdict_text(compare_verdict verdict) {
  static const char *const texts[] = {[COMPARE_NO_DIFFERENCE] = "no difference shown",
                                      [COMPARE_FASTER] = "faster",
                                      [COMPARE_SLOWER] = "slower"};
  return texts[verdict];
}

/* ---- one row --------------------------------------------------------------------------------- */

/* the values, or the RMS errors, of a series, for the caller to free */
static double *column(const compare_series *series, bool rms) {
  double *const out = calloc(series->count, sizeof *out);
  for (size_t i = 0; out && i < series->count; i++)
    out[i] = rms ? series->sample[i].rms : series->sample[i].value;
  return out;
}

/* the whole interval must lie beyond the effect, the same in either direction */
static compare_verdict judge(const compare_row *row, double effect) {
  if (row->trials[0] < COMPARE_TRIALS_MIN || row->trials[1] < COMPARE_TRIALS_MIN)
    return COMPARE_NO_DIFFERENCE;
  if (row->ratio.low > 1.0 + effect) return COMPARE_SLOWER;
  if (row->ratio.high < 1.0 / (1.0 + effect)) return COMPARE_FASTER;
  return COMPARE_NO_DIFFERENCE;
}

/* geometric mean over the sizes of the medians of values, or of errors */
static int mean_median(const compare_series series[], size_t sizes, bool rms, double *out) {
  double sum = 0.0, median = NAN;
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < sizes; i++) {
    double *const x = column(&series[i], rms);
    status = x ? measure_median(x, series[i].count, &median) : MEASURE_ENOMEM;
    free(x);
    sum += log(median);
  }
  *out = sizes == 1 ? median : exp(sum / (double)sizes);
  return status;
}

/* the row of A's and B's series, `sizes` of each, alike within a set and with samples */
static int fill_row(const compare_result *result, compare_row *row,
                    const compare_series *const series[2], size_t sizes) {
  int status = MEASURE_SUCCESS;
  row->sizes = sizes;
  row->paired = result->same_starts && compare_series_alike(series[0], series[1]);
  for (int s = 0; !status && s < 2; s++) {
    row->trials[s] = series[s]->count;
    status = mean_median(series[s], sizes, false, &row->median[s]);
    // quotients of errors that are exactly zero are no numbers
    if (!status && mean_median(series[s], sizes, true, &row->rms[s])) row->rms[s] = NAN;
  }
  if (!status)
    status = compare_ratio(series[0], series[1], sizes, row->paired, bootstrap_seed, &row->ratio);
  row->verdict = judge(row, result->minimum_effect);
  return status;
}

/* ---- a strand of rows ------------------------------------------------------------------------ */

/* a strand's samples at one number of contacts, empty when the set has none; the caller's to free
 */
static int series_of(const compare_set *set, const strand *of, size_t contacts,
                     compare_series *out) {
  const compare_cell *const cell = compare_set_find(set, contacts, of->solver, of->protocol);
  *out = (compare_series){0};
  if (!cell) return MEASURE_SUCCESS;
  if (!of->over) return compare_series_copy(&cell->times, out);
  const compare_cell *const under = compare_set_find(set, contacts, of->over, of->protocol);
  return under ? compare_series_quotient(&cell->times, &under->times, out) : MEASURE_SUCCESS;
}

/* appends a row; without samples in both sets there is none */
static int add_row(compare_result *result, const strand *of, size_t contacts,
                   const compare_series *const series[2], size_t sizes) {
  if (series[0]->count == 0 || series[1]->count == 0) return MEASURE_SUCCESS;
  if (result->count == result->capacity) {
    const size_t capacity = 2 * result->capacity + 16;
    compare_row *const larger = realloc(result->row, capacity * sizeof *larger);
    if (!larger) return MEASURE_ENOMEM;
    result->row = larger;
    result->capacity = capacity;
  }
  compare_row *const row = &result->row[result->count];
  *row = (compare_row){
      .contacts = contacts, .solver = of->solver, .over = of->over, .protocol = of->protocol};
  const int status = fill_row(result, row, series, sizes);
  result->count += !status;
  return status;
}

/* reads both sets at every number of contacts, adds the rows, and keeps the series for the row over
 * all: series[s][*common] */
static int add_sizes(compare_result *result, const strand *of, const size_t contacts[],
                     size_t count, compare_series *const series[2], size_t *common) {
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < count; i++) {
    compare_series *const here[2] = {&series[0][*common], &series[1][*common]};
    for (int s = 0; !status && s < 2; s++)
      status = series_of(result->set[s], of, contacts[i], here[s]);
    if (!status && here[0]->count && here[1]->count) {
      status =
          add_row(result, of, contacts[i], (const compare_series *const[]){here[0], here[1]}, 1);
      ++*common;
    } else {
      for (int s = 0; s < 2; s++) compare_series_free(here[s]);
    }
  }
  return status;
}

/* a row for every number of contacts at which both sets have the strand, and one over all */
static int add_strand(compare_result *result, const strand *of, const size_t contacts[],
                      size_t count) {
  compare_series *const both = calloc(2 * count, sizeof *both);
  if (!both) return MEASURE_ENOMEM;
  compare_series *const series[2] = {both, both + count};
  size_t common = 0;
  int status = add_sizes(result, of, contacts, count, series, &common);
  if (!status && common) {
    for (int s = 0; s < 2; s++) compare_series_intersect(series[s], common);
    status = add_row(result, of, 0, (const compare_series *const[]){series[0], series[1]}, common);
  }
  for (size_t i = 0; i < 2 * count; i++) compare_series_free(&both[i]);
  free(both);
  return status;
}

/* ---- all rows -------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

/* a set's numbers of contacts, ascending, each once, for the caller to free */
static size_t *contacts_of(const compare_set *set, size_t *count) {
  size_t *const all = calloc(set->count + 1, sizeof *all);
  *count = 0;
  if (!all) return NULL;
  for (size_t i = 0; i < set->count; i++) all[i] = set->cell[i].contacts;
  qsort(all, set->count, sizeof *all, by_size);
  for (size_t i = 0; i < set->count; i++)
    if (*count == 0 || all[i] != all[*count - 1]) all[(*count)++] = all[i];
  return all;
}

/* whether a cell is the first of its solver and protocol, or with `solver` NULL of its protocol */
static bool is_first(const compare_set *set, size_t cell, const char *solver) {
  for (size_t i = 0; i < cell; i++)
    if (strcmp(set->cell[i].protocol, set->cell[cell].protocol) == 0 &&
        (!solver || strcmp(set->cell[i].solver, solver) == 0))
      return false;
  return true;
}

/* each solver under each protocol, as they first appear in A; then the quotients */
static int add_strands(compare_result *result, const size_t contacts[], size_t count) {
  const compare_set *const a = result->set[0];
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < a->count; i++) {
    const compare_cell *const c = &a->cell[i];
    const strand of = {.solver = c->solver, .protocol = c->protocol};
    if (is_first(a, i, c->solver)) status = add_strand(result, &of, contacts, count);
  }
  for (size_t i = 0; !status && i < a->count; i++) {
    const strand of = {.solver = ours, .over = theirs, .protocol = a->cell[i].protocol};
    if (is_first(a, i, NULL)) status = add_strand(result, &of, contacts, count);
  }
  return status;
}

/* the starts depend on the seed and on the model */
static bool same_starts(const json_t *differences) {
  size_t i;
  const json_t *difference;
  json_array_foreach(differences, i, difference) {
    const char *const name = json_string_value(json_object_get(difference, "name"));
    if (strcmp(name, "seed") == 0 || strncmp(name, "model ", strlen("model ")) == 0) return false;
  }
  return true;
}

int compare_rows(compare_result *result, const compare_set *a, const compare_set *b,
                 const json_t *differences, double minimum_effect,
                 char message[MEASURE_MESSAGE_SIZE]) {
  size_t count;
  size_t *const contacts = contacts_of(a, &count);
  *result = (compare_result){
      .set = {a, b}, .same_starts = same_starts(differences), .minimum_effect = minimum_effect};
  const int status = contacts ? add_strands(result, contacts, count) : MEASURE_ENOMEM;
  free(contacts);
  if (status)
    return measure_fail(message, "statistics of the comparison: %s", measure_strerror(status));
  if (result->count) return 0;
  return measure_fail(message,
                      "%s and %s have no number of contacts, solver and protocol in common: there "
                      "is nothing to compare",
                      a->folder, b->folder);
}

void compare_result_free(compare_result *result) {
  free(result->row);
  *result = (compare_result){0};
}

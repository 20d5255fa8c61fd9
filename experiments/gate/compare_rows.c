/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a comparison: for each solver and protocol, and for libess against MuJoCo, the ratio
 * B/A at every common number of contacts and over all of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "solvers.h"

/* of the bootstrap: the same sets give the same intervals */
static const unsigned long bootstrap_seed = 1;

/* times of libess over its times are compared, too */
static const char yardstick[] = "mujoco";

const char *compare_verdict_text(compare_verdict verdict) {
  static const char *const texts[] = {[COMPARE_NO_DIFFERENCE] = "no difference shown",
                                      [COMPARE_FASTER] = "faster",
                                      [COMPARE_SLOWER] = "slower"};
  return texts[verdict];
}

/* ---- one row --------------------------------------------------------------------------------- */

/* the whole interval must lie beyond the effect, the same in either direction */
static compare_verdict judge(const compare_row *row, double effect) {
  if (row->trials[0] < COMPARE_TRIALS_MIN || row->trials[1] < COMPARE_TRIALS_MIN)
    return COMPARE_NO_DIFFERENCE;
  if (row->ratio.low > 1.0 + effect) return COMPARE_SLOWER;
  if (row->ratio.high < 1.0 / (1.0 + effect)) return COMPARE_FASTER;
  return COMPARE_NO_DIFFERENCE;
}

/* geometric mean over the sizes of the medians of values, or of errors */
static int mean_median(const compare_sheet *sheet, const double x[], double *out) {
  double sum = 0.0, median = NAN;
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < sheet->sizes; i++) {
    status = measure_median(x + i * sheet->count, sheet->count, &median);
    sum += log(median);
  }
  *out = sheet->sizes == 1 ? median : exp(sum / (double)sheet->sizes);
  return status;
}

static int fill_row(const compare_result *result, compare_row *row, const compare_sheet sheet[2]) {
  int status = MEASURE_SUCCESS;
  row->sizes = sheet[0].sizes;
  row->paired = result->same_starts && compare_sheet_alike(&sheet[0], &sheet[1]);
  for (int s = 0; !status && s < 2; s++) {
    row->trials[s] = sheet[s].count;
    status = mean_median(&sheet[s], sheet[s].value, &row->median[s]);
    // quotients of errors that are exactly zero are no numbers
    if (!status && mean_median(&sheet[s], sheet[s].rms, &row->rms[s])) row->rms[s] = NAN;
  }
  if (!status)
    status = compare_ratio(&sheet[0], &sheet[1], row->paired, bootstrap_seed, &row->ratio);
  row->verdict = judge(row, result->minimum_effect);
  return status;
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* appends the row of a strand at these numbers of contacts, which it is named by, or 0; without
 * samples in both sets there is none */
static int add_row(compare_result *result, const compare_strand *of, const size_t contacts[],
                   size_t sizes, size_t named) {
  compare_sheet sheet[2] = {{0}, {0}};
  compare_row row = {.contacts = named, .of = *of};
  int status = MEASURE_SUCCESS;
  for (int s = 0; !status && s < 2; s++)
    status = compare_sheet_make(&sheet[s], result->set[s], of, contacts, sizes);
  if (!status && sheet[0].count && sheet[1].count) {
    compare_row *const larger = realloc(result->row, (result->count + 1) * sizeof *larger);
    if (larger) result->row = larger;
    status = larger ? fill_row(result, &row, sheet) : MEASURE_ENOMEM;
    if (!status) larger[result->count++] = row;
  }
  for (int s = 0; s < 2; s++) compare_sheet_free(&sheet[s]);
  return status;
}

/* a row for every number of contacts at which both sets have the strand, and one over all */
static int add_strand(compare_result *result, const compare_strand *of) {
  const compare_set *const a = result->set[0];
  size_t *const common = calloc(a->count + 1, sizeof *common);
  size_t sizes = 0, last = 0;
  int status = common ? MEASURE_SUCCESS : MEASURE_ENOMEM;
  for (size_t i = 0; !status && i < a->count; i++) {
    const size_t contacts = a->sample[i].contacts, before = result->count;
    if (contacts == last) continue;
    last = contacts;
    status = add_row(result, of, &contacts, 1, contacts);
    if (result->count > before) common[sizes++] = contacts;
  }
  if (!status && sizes) status = add_row(result, of, common, sizes, 0);
  free(common);
  return status;
}

/* each solver under each protocol; then the quotients */
static int add_strands(compare_result *result) {
  const compare_set *const a = result->set[0];
  int status = MEASURE_SUCCESS;
  for (size_t i = 0; !status && i < a->strands; i++) status = add_strand(result, &a->strand[i]);
  for (size_t i = 0; !status && i < a->strands; i++) {
    compare_strand of = a->strand[i];
    of.over = yardstick;
    if (solver_is_libess(solver_find(of.solver))) status = add_strand(result, &of);
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
  *result = (compare_result){
      .set = {a, b}, .same_starts = same_starts(differences), .minimum_effect = minimum_effect};
  const int status = add_strands(result);
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

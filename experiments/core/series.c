/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "series.h"
#include "statistics.h"
#include "study_run.h"

/* ---- columns of samples ---------------------------------------------------------------------- */

gather gather_rows(study_run *run, size_t table, size_t first, size_t stride, size_t count) {
  return (gather){.run = run, .table = table, .first = first, .stride = stride, .count = count};
}

const void *gather_row(gather rows, size_t i) {
  const size_t cells = rows.cells ? rows.cells : 1;
  const size_t before = rows.cells ? study_first_sample(rows.run, rows.cell + i % cells) : 0;
  const size_t row = before + rows.first + i / cells * rows.stride;
  return rows.run->private->rows[rows.table].row +
         row * rows.run->study->tables[rows.table].row_size;
}

/* its values, or those alone that are known, into `out` unless that is NULL: how many */
static size_t take(gather rows, const char *name, bool known, double out[]) {
  const column *const c = column_find(rows.run->study->tables[rows.table].columns, name);
  size_t count = 0;
  for (size_t i = 0; i < rows.count; i++) {
    const double value = column_number(c, gather_row(rows, i));
    if (known && isnan(value)) continue;
    if (out) out[count] = value;
    count++;
  }
  return count;
}

size_t gather_known(gather rows, const char *name) {
  return take(rows, name, true, NULL);
}

/* the known values, to be freed; NULL where memory is out */
static double *values_of(gather rows, const char *name, size_t *known) {
  double *const values = malloc((rows.count + 1) * sizeof *values);
  *known = values ? take(rows, name, true, values) : 0;
  if (!values) study_out_of_memory(rows.run);
  return values;
}

double gather_quantile(gather rows, const char *name, double p) {
  double value = NAN;
  size_t known;
  double *const values = values_of(rows, name, &known);
  if (known && measure_quantile(values, known, p, &value) == MEASURE_ENOMEM)
    study_out_of_memory(rows.run);
  free(values);
  return value;
}

double gather_median(gather rows, const char *name) {
  return gather_quantile(rows, name, 0.5);
}

void gather_into(gather rows, double (*statistic)(gather, const char *), size_t table,
                 const char *first, const char *last, void *row) {
  const column *const columns = rows.run->study->tables[table].columns;
  const column *const end = column_find(columns, last);
  for (const column *c = column_find(columns, first); c <= end; c++)
    *(double *)((char *)row + c->offset) = statistic(rows, c->name);
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* what a failure leaves unknown is NaN; `value` may be NULL */
static int conclude(study_run *run, const char *name, int status, double *value,
                    double interval[2]) {
  if (!status) return 0;
  if (value) *value = interval[0] = interval[1] = NAN;
  measure_message(run->message, "statistics of %s: %s", name, measure_strerror(status));
  return study_note_failure(run);
}

/* ---- medians --------------------------------------------------------------------------------- */

/* a statistic of all trials, and its interval; the tables are freed. Unless a status says that they
 * are none */
static int estimate(study_run *run, const char *name, const draws *d, int status, draws_table t[],
                    size_t tables, draws_statistic *statistic, double *value, double ends[2]) {
  if (!status) *value = statistic(t, NULL, d->trials);
  if (!status) status = draws_interval(d, statistic, t, ends);
  if (!status) draws_widen(d, *value, ends);
  for (size_t i = 0; i < tables; i++) draws_table_free(&t[i]);
  return conclude(run, name, status, value, ends);
}

/* one group: a measure_status */
static int table_of(draws_table *t, gather rows, const char *name, const draws *d) {
  const int status = draws_table_alloc(t, 1, NULL, d);
  if (!status) take(rows, name, false, t->value);
  return status;
}

int series_median(gather rows, const char *name, const draws *d, double *median,
                  double interval[2]) {
  draws_table t;
  const int status = table_of(&t, rows, name, d);
  return estimate(rows.run, name, d, status, &t, 1, draws_median, median, interval);
}

/* the known values to the front, process by process: a draw of as many; those that know none are
 * none */
static draws keep_known(draws_table *t, const draws *d, size_t first[]) {
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
  draws_table t;
  draws known = {0};
  size_t *const first = calloc(d->processes + 1, sizeof *first);
  int status = table_of(&t, rows, name, d);
  *median = interval[0] = interval[1] = NAN;
  if (!first) status = MEASURE_ENOMEM;
  if (!status) known = keep_known(&t, d, first);
  if (known.trials >= SERIES_FEW) {
    status = estimate(rows.run, name, &known, status, &t, 1, draws_median, median, interval);
  } else {
    if (known.trials) status = measure_median(t.value, known.trials, median);
    draws_table_free(&t);
    status = conclude(rows.run, name, status, median, interval);
  }
  free(first);
  return status;
}

int series_median_ratio(gather rows, gather over, const char *name, const draws *d, double *median,
                        double interval[2]) {
  draws_table t[2]; // the second is the divisor
  int status = table_of(&t[0], rows, name, d);
  const int failed = table_of(&t[1], over, name, d);
  if (!status) status = failed;
  for (size_t j = 0; !status && j < d->trials; j++) t[0].value[j] /= t[1].value[j];
  return estimate(rows.run, name, d, status, t, 2, draws_median, median, interval);
}

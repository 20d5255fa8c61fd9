/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gather.h"

#include <math.h>
#include <stdlib.h>

#include "fit.h"
#include "statistics.h"
#include "study_run.h"

gather gather_part(gather rows, size_t from, size_t to) {
  rows.first += from * rows.stride;
  rows.count = to - from;
  return rows;
}

/* the known values, into `out` unless that is NULL: how many */
static size_t take(gather rows, const char *name, double out[]) {
  const study_table *const t = &rows.run->study->tables[rows.table];
  const column *const c = column_find(t->columns, name);
  const char *const row = rows.run->private->rows[rows.table].row;
  size_t known = 0;
  for (size_t i = 0; i < rows.count; i++) {
    const double value = column_number(c, row + (rows.first + i * rows.stride) * t->row_size);
    if (isnan(value)) continue;
    if (out) out[known] = value;
    known++;
  }
  return known;
}

size_t gather_known(gather rows, const char *name) {
  return take(rows, name, NULL);
}

/* the known values, to be freed; NULL where memory is out */
static double *values_of(gather rows, const char *name, size_t *known) {
  double *const values = malloc((rows.count + 1) * sizeof *values);
  *known = values ? take(rows, name, values) : 0;
  if (!values) study_out_of_memory(rows.run);
  return values;
}

measure_summary gather_summary(gather rows, const char *name) {
  measure_summary all = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  size_t known;
  double *const values = values_of(rows, name, &known);
  if (known && measure_summarize(values, known, &all) == MEASURE_ENOMEM)
    study_out_of_memory(rows.run);
  free(values);
  return all;
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

double gather_sum(gather rows, const char *name) {
  double sum = 0.0;
  size_t known;
  double *const values = values_of(rows, name, &known);
  for (size_t i = 0; i < known; i++) sum += values[i];
  free(values);
  return sum;
}

double gather_mean(gather rows, const char *name) {
  const size_t known = gather_known(rows, name);
  return known ? gather_sum(rows, name) / (double)known : NAN;
}

void gather_into(gather rows, double (*statistic)(gather, const char *), size_t table,
                 const char *first, const char *last, void *row) {
  const column *const columns = rows.run->study->tables[table].columns;
  const column *const end = column_find(columns, last);
  for (const column *c = column_find(columns, first); c <= end; c++)
    *(double *)((char *)row + c->offset) = statistic(rows, c->name);
}

/* ---- fits ------------------------------------------------------------------------------------ */

static const double confidence = 0.95;

gather_power gather_fit_power(const double x[], const double y[], size_t count) {
  gather_power power = {NAN, {NAN, NAN}, NAN, confidence};
  double *const logs = malloc((2 * count + 1) * sizeof *logs), *const u = logs,
                *const v = u + count;
  measure_line line;
  if (!logs) return power;
  for (size_t i = 0; i < count; i++) {
    u[i] = log10(x[i]);
    v[i] = log10(y[i]);
  }
  if (count == 2) power.exponent = (v[1] - v[0]) / (u[1] - u[0]);
  if (count > 2 && !measure_fit_line(u, v, count, confidence, &line))
    power =
        (gather_power){line.slope, {line.slope_low, line.slope_high}, line.intercept, confidence};
  free(logs);
  return power;
}

/*
 * The results of tolerance: a row for each number of contacts, damping and tolerance, from all
 * starts; as files and on the terminal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "statistics.h"
#include "tolerance.h"

typedef enum column {
  CONTACTS,
  DAMPING,
  LEVEL,
  TRIALS,
  FAILED,
  MEDIAN,
  Q90,
  Q99,
  WORST,
  MEDIAN_FIRST_HALF,
  MEDIAN_SECOND_HALF,
  MEDIAN_OVER_LEVEL,
  Q99_OVER_MEDIAN,
  WORST_OVER_MEDIAN,
  WORST_SEED,
  MEANS, /* of the quantities from TOLERANCE_FIELDS to TOLERANCE_GROUPS */
  EVENTS_RATIO = MEANS + TOLERANCE_GROUPS - TOLERANCE_FIELDS + 1,
  OTHER_EVENTS,
  SECONDS,
  LOCATION_MEDIAN,
  LOCATION_FIELDS,
  COST_OVER_LOCATION,
  COLUMNS
} column;

static const char *const names[COLUMNS] = {
    [CONTACTS] = "contacts",
    [DAMPING] = "damping",
    [LEVEL] = "tolerance",
    [TRIALS] = "trials",
    [FAILED] = "failed",
    [MEDIAN] = "rms_median",
    [Q90] = "rms_q90",
    [Q99] = "rms_q99",
    [WORST] = "rms_worst",
    [MEDIAN_FIRST_HALF] = "rms_median_first_half",
    [MEDIAN_SECOND_HALF] = "rms_median_second_half",
    [MEDIAN_OVER_LEVEL] = "median_over_tolerance",
    [Q99_OVER_MEDIAN] = "q99_over_median",
    [WORST_OVER_MEDIAN] = "worst_over_median",
    [WORST_SEED] = "worst_seed",
    [MEANS] = "field_evaluations",
    "guard_evaluations",
    "steps",
    "rejected",
    "entries",
    "substeps",
    "substeps_rejected",
    "groups",
    [EVENTS_RATIO] = "events_ratio",
    [OTHER_EVENTS] = "other_events",
    [SECONDS] = "time_s",
    [LOCATION_MEDIAN] = "location_rms_median",
    [LOCATION_FIELDS] = "location_field_evaluations",
    [COST_OVER_LOCATION] = "cost_over_location",
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* One quantity at one tolerance from the starts of a case, those that failed left out. */
typedef struct sample {
  size_t count;
  double *value;       /* owned */
  unsigned long worst; /* seed of the largest */
} sample;

static double quantity(const tolerance *all, size_t work, size_t level, tolerance_quantity q) {
  return tolerance_work(all, work)[1 + level * TOLERANCE_QUANTITIES + q];
}

/* of the starts from..to of a case; 0, or -1 when out of memory */
static int take(const tolerance *all, size_t index, size_t from, size_t to, size_t level,
                tolerance_quantity q, sample *out) {
  double largest = -INFINITY;
  *out = (sample){.value = calloc(to - from + 1, sizeof *out->value)};
  if (!out->value) return -1;
  for (size_t i = from; i < to; i++) {
    const size_t work = index * all->given->trials + i;
    const double value = quantity(all, work, level, q);
    if (isnan(value)) continue;
    if (value > largest) out->worst = tolerance_seed(all, work);
    largest = fmax(largest, value);
    out->value[out->count++] = value;
  }
  return 0;
}

static double quantile(const sample *s, double p) {
  double value;
  return s->count && !measure_quantile(s->value, s->count, p, &value) ? value : NAN;
}

static double mean(const sample *s) {
  double sum = 0.0;
  for (size_t i = 0; i < s->count; i++) sum += s->value[i];
  return s->count ? sum / (double)s->count : NAN;
}

/* median, or else mean, of a quantity from the starts from..to */
static int middle(const tolerance *all, size_t index, size_t from, size_t to, size_t level,
                  tolerance_quantity q, double *out) {
  sample s;
  const bool counted = q != TOLERANCE_RMS && q != TOLERANCE_LOCATION_RMS && q != TOLERANCE_SECONDS;
  if (take(all, index, from, to, level, q, &s)) return -1;
  *out = counted ? mean(&s) : quantile(&s, 0.5);
  free(s.value);
  return 0;
}

/* crossings of all starts over those of the references, and starts whose crossings are others */
static void compare_events(const tolerance *all, size_t index, size_t level, double row[]) {
  double found = 0.0, expected = 0.0;
  row[OTHER_EVENTS] = 0.0;
  for (size_t i = 0; i < all->given->trials; i++) {
    const size_t work = index * all->given->trials + i;
    const double events = quantity(all, work, level, TOLERANCE_EVENTS);
    const double reference = tolerance_work(all, work)[0];
    if (isnan(events)) continue;
    found += events;
    expected += reference;
    row[OTHER_EVENTS] += events != reference;
  }
  row[EVENTS_RATIO] = expected > 0.0 ? found / expected : NAN;
}

/* what location's field evaluations are at an error between two of its own, by the logarithms */
static int location_cost(const tolerance *all, size_t index, double rms, double *out) {
  double last_rms = NAN, last_cost = NAN;
  const size_t trials = all->given->trials;
  *out = NAN;
  for (size_t i = 0; i < all->levels; i++) {
    double at, cost;
    if (middle(all, index, 0, trials, i, TOLERANCE_LOCATION_RMS, &at) ||
        middle(all, index, 0, trials, i, TOLERANCE_LOCATION_FIELDS, &cost))
      return -1;
    if (last_rms >= rms && rms >= at && last_rms > at) {
      const double share = log(rms / last_rms) / log(at / last_rms);
      *out = last_cost * pow(cost / last_cost, share);
      return 0;
    }
    last_rms = at;
    last_cost = cost;
  }
  return 0;
}

static int fill_errors(const tolerance *all, size_t index, size_t level, double row[]) {
  sample s;
  const size_t trials = all->given->trials;
  if (take(all, index, 0, trials, level, TOLERANCE_RMS, &s)) return -1;
  row[FAILED] = (double)(trials - s.count);
  row[MEDIAN] = quantile(&s, 0.5);
  row[Q90] = quantile(&s, 0.9);
  row[Q99] = quantile(&s, 0.99);
  row[WORST] = quantile(&s, 1.0);
  row[MEDIAN_OVER_LEVEL] = row[MEDIAN] / all->level[level];
  row[Q99_OVER_MEDIAN] = row[Q99] / row[MEDIAN];
  row[WORST_OVER_MEDIAN] = row[WORST] / row[MEDIAN];
  row[WORST_SEED] = s.count ? (double)s.worst : NAN;
  free(s.value);
  return middle(all, index, 0, trials / 2, level, TOLERANCE_RMS, &row[MEDIAN_FIRST_HALF]) ||
         middle(all, index, trials / 2, trials, level, TOLERANCE_RMS, &row[MEDIAN_SECOND_HALF]);
}

static int fill_row(const tolerance *all, size_t index, size_t level, double row[]) {
  const size_t trials = all->given->trials;
  double location;
  row[CONTACTS] = (double)all->cases[index].contacts;
  row[DAMPING] = all->cases[index].damping;
  row[LEVEL] = all->level[level];
  row[TRIALS] = (double)trials;
  compare_events(all, index, level, row);
  for (int q = TOLERANCE_FIELDS; q <= TOLERANCE_GROUPS; q++)
    if (middle(all, index, 0, trials, level, (tolerance_quantity)q,
               &row[MEANS + q - TOLERANCE_FIELDS]))
      return -1;
  if (fill_errors(all, index, level, row) ||
      middle(all, index, 0, trials, level, TOLERANCE_SECONDS, &row[SECONDS]) ||
      middle(all, index, 0, trials, level, TOLERANCE_LOCATION_RMS, &row[LOCATION_MEDIAN]) ||
      middle(all, index, 0, trials, level, TOLERANCE_LOCATION_FIELDS, &row[LOCATION_FIELDS]) ||
      location_cost(all, index, row[MEDIAN], &location))
    return -1;
  row[COST_OVER_LOCATION] = row[MEANS] / location;
  return 0;
}

/* ---- files and terminal ---------------------------------------------------------------------- */

static json_t *row_json(const double row[COLUMNS]) {
  json_t *const object = json_object();
  for (size_t i = 0; i < COLUMNS; i++)
    json_object_set_new(object, names[i], measure_json_number(row[i]));
  return object;
}

static void print_row(const double row[COLUMNS]) {
  const double *const m = row + MEANS - TOLERANCE_FIELDS;
  printf("%6.0f %4g %7.0e %9.2e %7.3g %7.2f %7.2f %4.0f %8.1f %8.1f %7.1f %7.4f %9.1f %7.3f\n",
         row[CONTACTS], row[DAMPING], row[LEVEL], row[MEDIAN], row[MEDIAN_OVER_LEVEL],
         row[Q99_OVER_MEDIAN], row[WORST_OVER_MEDIAN], row[FAILED], m[TOLERANCE_FIELDS],
         m[TOLERANCE_SUBSTEPS], m[TOLERANCE_GROUPS], row[EVENTS_RATIO], 1e6 * row[SECONDS],
         row[COST_OVER_LOCATION]);
}

static int take_rows(const tolerance *all, results_file *file, json_t *rows) {
  printf("%6s %4s %7s %9s %7s %7s %7s %4s %8s %8s %7s %7s %9s %7s\n", "N", "c", "tol", "median",
         "/tol", "99%/med", "max/med", "fail", "fields", "substeps", "groups", "events", "us",
         "/locate");
  for (size_t i = 0; i < all->case_count; i++) {
    for (size_t k = 0; k < all->given->tolerance_count; k++) {
      double row[COLUMNS];
      if (fill_row(all, i, k, row)) return -1;
      results_file_row(file, row, COLUMNS);
      json_array_append_new(rows, row_json(row));
      print_row(row);
    }
  }
  return 0;
}

int tolerance_write(const tolerance *all) {
  char path[RECORD_PATH_SIZE];
  results_file file;
  json_t *const object = record_begin("essbench-tolerance-1", all->given, -1);
  json_t *const rows = json_array();
  int status = -1;
  json_object_set_new(object, "parameters", record_model(&all->given->m));
  json_object_set_new(object, "trials", json_integer((json_int_t)all->given->trials));
  json_object_set_new(object, "rows", rows);
  measure_message(all->message, "tolerance.json: out of memory, or the path is too long");
  if (object && !record_path(path, all->given->folder, "tolerance.json") &&
      !results_file_begin(&file, all->given->folder, "tolerance.csv", names, COLUMNS,
                          all->message)) {
    status = take_rows(all, &file, rows);
    if (results_file_end(&file, !status, all->message)) status = -1;
  }
  if (!status) status = measure_json_write(object, path, all->message);
  if (!status) printf("results in %s/tolerance.csv, tolerance.json\n", all->given->folder);
  json_decref(object);
  return status;
}

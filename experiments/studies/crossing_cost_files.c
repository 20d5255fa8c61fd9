/*
 * The files and the table of crossing-cost.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "crossing_cost.h"
#include "json_file.h"
#include "record.h"
#include "results_file.h"

/* columns that rows of work-precision do not have */
enum { TARGET, CROSSING, CROSSING_LOW, CROSSING_HIGH, EVALUATIONS, MORE };
static const char *const more_names[MORE] = {[TARGET] = "target",
                                             [CROSSING] = "ns_per_crossing",
                                             [CROSSING_LOW] = "ns_per_crossing_lo",
                                             [CROSSING_HIGH] = "ns_per_crossing_hi",
                                             [EVALUATIONS] = "evaluations_per_crossing"};

static void fill_more(const arguments *given, const precision_row *row, double more[MORE]) {
  const double *const number = row->number, made = number[PRECISION_EVENTS_REFERENCE];
  // where there is none, none costs anything
  const double crossings = made > 0.0 ? made : NAN;
  more[TARGET] = given->target;
  more[CROSSING] = 1e9 * number[PRECISION_MEDIAN] / crossings;
  more[CROSSING_LOW] = 1e9 * number[PRECISION_MEDIAN_LOW] / crossings;
  more[CROSSING_HIGH] = 1e9 * number[PRECISION_MEDIAN_HIGH] / crossings;
  more[EVALUATIONS] = number[PRECISION_EVALUATIONS] / crossings;
}

static int write_table(const arguments *given, const crossing_row rows[], size_t count,
                       char *message) {
  const char *columns[PRECISION_TEXTS + PRECISION_NUMBERS + MORE];
  size_t width = 0;
  for (size_t i = 0; i < PRECISION_MESSAGE; i++) columns[width++] = precision_text_names[i];
  for (size_t i = 0; i < PRECISION_NUMBERS; i++) columns[width++] = precision_number_names[i];
  for (size_t i = 0; i < MORE; i++) columns[width++] = more_names[i];
  columns[width++] = precision_text_names[PRECISION_MESSAGE];
  results_file file;
  if (results_file_begin(&file, given->folder, "crossing_cost.csv", columns, width, message))
    return -1;
  for (size_t k = 0; k < count; k++) {
    const precision_row *const row = &rows[k].row;
    double more[MORE];
    fill_more(given, row, more);
    for (size_t i = 0; i < PRECISION_MESSAGE; i++) measure_csv_text(&file.csv, row->text[i]);
    for (size_t i = 0; i < PRECISION_NUMBERS; i++) measure_csv_number(&file.csv, row->number[i]);
    for (size_t i = 0; i < MORE; i++) measure_csv_number(&file.csv, more[i]);
    measure_csv_text(&file.csv, row->text[PRECISION_MESSAGE]);
    measure_csv_end_row(&file.csv);
  }
  return results_file_end(&file, true, message);
}

static json_t *row_json(const arguments *given, const precision_row *row) {
  json_t *const object = json_object();
  double more[MORE];
  fill_more(given, row, more);
  for (size_t i = 0; i < PRECISION_TEXTS; i++)
    json_object_set_new(object, precision_text_names[i], json_string(row->text[i]));
  for (size_t i = 0; i < PRECISION_NUMBERS; i++)
    json_object_set_new(object, precision_number_names[i], measure_json_number(row->number[i]));
  for (size_t i = 0; i < MORE; i++)
    json_object_set_new(object, more_names[i], measure_json_number(more[i]));
  return object;
}

int crossing_write(const arguments *given, const crossing_row rows[], size_t count, int core,
                   char *message) {
  char path[RECORD_PATH_SIZE];
  json_t *const object = record_begin("essbench-crossing-cost-1", given, core);
  json_t *const list = json_array();
  if (!object || record_path(path, given->folder, "crossing_cost.json")) {
    json_decref(object);
    json_decref(list);
    measure_message(message, "crossing_cost.json: out of memory, or the path is too long");
    return -1;
  }
  for (size_t i = 0; i < count; i++) json_array_append_new(list, row_json(given, &rows[i].row));
  json_object_set_new(object, "target", json_real(given->target));
  json_object_set_new(object, "trials", json_integer((json_int_t)given->trials));
  json_object_set_new(object, "point_work", json_real(given->point_work));
  json_object_set_new(object, "parameters", record_model(&given->m));
  json_object_set_new(object, "rows", list);
  int status = write_table(given, rows, count, message);
  if (!status) status = measure_json_write(object, path, message);
  json_decref(object);
  return status;
}

static void print_row(const arguments *given, const precision_row *row) {
  double more[MORE];
  fill_more(given, row, more);
  printf("%6.0f %-23s", row->number[PRECISION_CONTACTS], row->text[PRECISION_METHOD]);
  if (isnan(row->number[PRECISION_RMS_ERROR]))
    printf(" %8s %9s %11s %11s", "", "", "", "");
  else
    printf(" %8.3g %9.2e %11.4f %11.1f", row->number[PRECISION_VALUE],
           row->number[PRECISION_RMS_ERROR], 1e3 * row->number[PRECISION_MEDIAN], more[CROSSING]);
  if (strcmp(row->text[PRECISION_STATUS], "ok") != 0)
    printf("  %s: %s", row->text[PRECISION_STATUS], row->text[PRECISION_MESSAGE]);
  if (*row->text[PRECISION_COINCIDES]) printf("  (as %s)", row->text[PRECISION_COINCIDES]);
  putchar('\n');
}

void crossing_print(const arguments *given, const crossing_row rows[], size_t count) {
  printf("the cheapest settings with an RMS error of at most %g\n%6s %-23s %8s %9s %11s %11s\n",
         given->target, "N", "method", "knob", "RMS", "median ms", "ns/crossing");
  for (size_t i = 0; i < count; i++) print_row(given, &rows[i].row);
  printf("results in %s/crossing_cost.csv, crossing_cost.json\n", given->folder);
}

/*
 * The order protocol's result files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <jansson.h>
#include <stdio.h>

#include "json_file.h"
#include "order.h"
#include "record.h"
#include "results_file.h"

static int write_points(const arguments *given, const order_result *result,
                        char message[MEASURE_MESSAGE_SIZE]) {
  static const char *const columns[] = {
      "epsilon", "projection_order", "rms_error",         "in_fit",           "steps",
      "entries", "projections",      "field_evaluations", "guard_evaluations"};
  results_file file;
  if (results_file_begin(&file, given->folder, "order.csv", columns, 9, message)) return -1;
  for (int k = 0; k < ORDER_KINDS; k++) {
    for (int i = 0; i < ORDER_POINTS; i++) {
      const order_series *const s = &result->series[k];
      const order_point *const p = &s->points[i];
      const solver_report *const r = &p->report;
      results_file_row(&file,
                       (double[]){p->epsilon, s->order, p->rms, p->in_fit, (double)r->steps,
                                  (double)r->entries, (double)r->projections,
                                  (double)r->field_evaluations, (double)r->guard_evaluations},
                       9);
    }
  }
  return results_file_end(&file, true, message);
}

static int write_fits(const arguments *given, const order_result *result,
                      char message[MEASURE_MESSAGE_SIZE]) {
  static const char *const columns[] = {"projection_order", "slope",   "slope_lo", "slope_hi",
                                        "intercept",        "fit_min", "fit_max",  "paper_slope"};
  results_file file;
  if (results_file_begin(&file, given->folder, "order_fit.csv", columns, 8, message)) return -1;
  for (int k = 0; k < ORDER_KINDS; k++) {
    const order_series *const s = &result->series[k];
    const measure_line *const l = &s->line;
    results_file_row(&file,
                     (double[]){s->order, l->slope, l->slope_low, l->slope_high, l->intercept,
                                s->fit_min, s->fit_max, s->paper_slope},
                     8);
  }
  return results_file_end(&file, true, message);
}

static json_t *fit_of(const order_result *result, const order_series *s) {
  const measure_line *const l = &s->line;
  return json_pack("{s:i, s:f, s:[f, f], s:f, s:f, s:f, s:o, s:b, s:f, s:f, s:f}",
                   "projection_order", s->order, "slope", l->slope, "slope_interval", l->slope_low,
                   l->slope_high, "confidence", result->confidence, "fit_min", s->fit_min,
                   "fit_max", s->fit_max, "paper_slope", measure_json_number(s->paper_slope),
                   "monotone", s->monotone, "monotone_max", result->monotone_max,
                   "rms_error_at_fit_min", s->rms_at_fit_min, "rtol", result->rtol);
}

static int write_json(const arguments *given, const order_result *result,
                      char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  if (record_path(path, given->folder, "order.json")) return -1;
  json_t *const object = record_begin("essbench-order-1", given, -1);
  json_t *const times = json_array(), *const fits = json_array();
  for (size_t i = 0; i < result->crossing_count; i++)
    json_array_append_new(times, json_real(result->crossings[i]));
  for (int k = 0; k < ORDER_KINDS; k++)
    json_array_append_new(fits, fit_of(result, &result->series[k]));
  json_object_set_new(object, "model", record_model(&given->m));
  json_object_set_new(object, "crossing_times", times);
  json_object_set_new(object, "fits", fits);
  const int status = object ? measure_json_write(object, path, message) : -1;
  if (!object) measure_message(message, "order.json: out of memory");
  json_decref(object);
  return status;
}

int order_write(const arguments *given, const order_result *result,
                char message[MEASURE_MESSAGE_SIZE]) {
  int status = write_points(given, result, message);
  if (!status) status = write_fits(given, result, message);
  if (!status) status = write_json(given, result, message);
  return status;
}

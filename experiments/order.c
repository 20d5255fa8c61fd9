/*
 * essbench order: the error of the projection against epsilon on the affine system of Table 4.1
 * (Fig. 4.1 of the paper).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "order.h"

#include <math.h>
#include <stdio.h>

#include "affine3.h"
#include "commands.h"
#include "fit.h"
#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "solvers.h"
#include "trajectory.h"

/* epsilon from 1 down to 1e-6, eight to the decade; integration tight enough not to be seen */
enum { PER_DECADE = 8, DECADES = 6, POINTS = PER_DECADE * DECADES + 1 };
static const double tight_rtol = 1e-12, tight_atol = 1e-14;

/* where the slope is fitted, where the error must be monotone, and what the paper found */
static const double fit_min = 1e-5, fit_max = 1e-2, monotone_max = 0.05, paper_slope = 2.1;
static const double confidence = 0.95;

typedef struct order_point {
  double epsilon, rms;
  bool in_fit;
  solver_report report;
} order_point;

typedef struct order_result {
  order_point points[POINTS];
  measure_line line; /* log10 rms against log10 epsilon */
  bool monotone;
  double floor; /* RMS at fit_min */
  double crossings[AFFINE3_GUARDS];
  size_t crossing_count;
} order_result;

/* the error at one epsilon */
static int measure_point(arguments *given, const double x0[], trajectory *t,
                         const trajectory *exact, order_point *point, char *message) {
  const solver_output output = trajectory_output(t);
  given->settings.epsilon = point->epsilon;
  given->settings.projection_max = INFINITY; // an epsilon of 1 is to be seen as it is
  given->settings.rtol = tight_rtol;
  given->settings.atol = tight_atol;
  void *instance;
  if (projection_solver.prepare(&given->m, &given->settings, &output, &instance, message))
    return -1;
  const int status = projection_solver.run(instance, x0, &output, &point->report);
  projection_solver.release(instance);
  if (status) {
    measure_message(message, "epsilon %g: %s", point->epsilon, point->report.message);
    return -1;
  }
  point->rms = trajectory_rms(t, exact);
  return 0;
}

static int measure_points(arguments *given, order_result *result, char *message) {
  trajectory t = {0}, exact = {0};
  double x0[MODEL_DIMENSION_MAX];
  given->m.type->initial_state(&given->m, x0);
  int status = trajectory_alloc(&t, &given->m, message);
  if (!status) status = trajectory_alloc(&exact, &given->m, message);
  if (!status) status = trajectory_reference(&exact, &given->m, x0, NULL, NULL, message);
  for (int i = 0; !status && i < POINTS; i++) {
    order_point *const point = &result->points[i];
    point->epsilon = pow(10.0, (double)-i / PER_DECADE);
    point->in_fit = point->epsilon <= fit_max * 1.0001 && point->epsilon >= fit_min * 0.9999;
    status = measure_point(given, x0, &t, &exact, point, message);
  }
  size_t guards[AFFINE3_GUARDS];
  if (!status)
    status = affine3_crossings(x0, model_get(&given->m, "duration"), result->crossings, guards,
                               &result->crossing_count, message);
  trajectory_free(&t);
  trajectory_free(&exact);
  return status;
}

/* slope, monotony and floor */
static int judge(order_result *result, char *message) {
  double x[POINTS], y[POINTS];
  size_t count = 0;
  result->monotone = true;
  for (int i = 0; i < POINTS; i++) {
    const order_point *const p = &result->points[i];
    if (i && p[-1].epsilon <= monotone_max && p->rms >= p[-1].rms) result->monotone = false;
    if (!p->in_fit) continue;
    result->floor = p->rms;
    x[count] = log10(p->epsilon);
    y[count++] = log10(p->rms);
  }
  const int status = measure_fit_line(x, y, count, confidence, &result->line);
  if (status) measure_message(message, "fit of the order: %s", measure_strerror(status));
  return status ? -1 : 0;
}

static int write_points(const arguments *given, const order_result *result, char *message) {
  static const char *const columns[] = {
      "epsilon", "projection_order", "rms_error",         "in_fit",           "steps",
      "entries", "projections",      "field_evaluations", "guard_evaluations"};
  results_file file;
  if (results_file_begin(&file, given->folder, "order.csv", columns, 9, message)) return -1;
  for (int i = 0; i < POINTS; i++) {
    const order_point *const p = &result->points[i];
    const solver_report *const r = &p->report;
    results_file_row(&file,
                     (double[]){p->epsilon, 1.0, p->rms, p->in_fit, (double)r->steps,
                                (double)r->entries, (double)r->projections,
                                (double)r->field_evaluations, (double)r->guard_evaluations},
                     9);
  }
  return results_file_end(&file, true, message);
}

static int write_fit(const arguments *given, const order_result *result, char *message) {
  static const char *const columns[] = {"projection_order", "slope",   "slope_lo", "slope_hi",
                                        "intercept",        "fit_min", "fit_max",  "paper_slope"};
  const measure_line *const l = &result->line;
  results_file file;
  if (results_file_begin(&file, given->folder, "order_fit.csv", columns, 8, message)) return -1;
  results_file_row(&file,
                   (double[]){1.0, l->slope, l->slope_low, l->slope_high, l->intercept, fit_min,
                              fit_max, paper_slope},
                   8);
  return results_file_end(&file, true, message);
}

static int write_json(const arguments *given, const order_result *result, char *message) {
  const measure_line *const l = &result->line;
  char path[RECORD_PATH_SIZE];
  if (record_path(path, given->folder, "order.json")) return -1;
  json_t *const times = json_array();
  for (size_t i = 0; i < result->crossing_count; i++)
    json_array_append_new(times, json_real(result->crossings[i]));
  json_t *const object = record_begin("essbench-order-1", given, -1);
  if (!object) return -1;
  json_object_set_new(object, "model", record_model(&given->m));
  json_object_set_new(object, "crossing_times", times);
  json_object_set_new(object, "fits",
                      json_pack("[{s:i, s:f, s:[f, f], s:f, s:f, s:f, s:f, s:b, s:f, s:f, s:f}]",
                                "projection_order", 1, "slope", l->slope, "slope_interval",
                                l->slope_low, l->slope_high, "confidence", confidence, "fit_min",
                                fit_min, "fit_max", fit_max, "paper_slope", paper_slope, "monotone",
                                result->monotone, "monotone_max", monotone_max,
                                "rms_error_at_fit_min", result->floor, "rtol", tight_rtol));
  const int status = measure_json_write(object, path, message);
  json_decref(object);
  return status;
}

static void print(const arguments *given, const order_result *result) {
  const measure_line *const l = &result->line;
  printf("projection order 1 on affine3: RMS ~ epsilon^%.3f (95 %% interval %.3f to %.3f) for "
         "epsilon from %g to %g; the paper found %.1f\n",
         l->slope, l->slope_low, l->slope_high, fit_min, fit_max, paper_slope);
  printf("RMS at epsilon %g: %.3g; %s for epsilon <= %g\n", fit_min, result->floor,
         result->monotone ? "monotone" : "NOT monotone", monotone_max);
  printf("exact crossings at t =");
  for (size_t i = 0; i < result->crossing_count; i++) printf(" %.8f", result->crossings[i]);
  printf(" s\nresults in %s/order.csv, order_fit.csv, order.json\n", given->folder);
}

static int run(arguments *given) {
  char message[MEASURE_MESSAGE_SIZE];
  order_result result = {0};
  if (measure_folder_create(given->folder, message)) return command_fail(given, "%s", message);
  model_init(&given->m, model_find("affine3"));
  int status = model_prepare(&given->m, message);
  if (!status) status = measure_points(given, &result, message);
  if (!status) status = judge(&result, message);
  if (!status) status = write_points(given, &result, message);
  if (!status) status = write_fit(given, &result, message);
  if (!status) status = write_json(given, &result, message);
  if (!status) status = projection_path_write(given->folder, message);
  if (status) return command_fail(given, "%s", message);
  print(given, &result);
  return COMMAND_SUCCESS;
}

const command order_command = {
    .name = "order",
    .summary = "error against epsilon on the affine system (Figs. 3.1 and 4.1)",
    .groups = ARGUMENTS_FOLDER,
    .run = run,
};

/*
 * essbench calibrate: Table 5.1 and Fig. 5.1 of the paper, and epsilon over k/m.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calibration.h"
#include "clock.h"
#include "commands.h"
#include "json_file.h"
#include "progress.h"
#include "record.h"
#include "results_file.h"

/* k/m of the table; the main row is the hopper's default */
static const double ratios[] = {20, 50, 100, 200, 300, 500, 1000, 2000, 5000};
enum { RATIOS = sizeof ratios / sizeof *ratios, ROWS = RATIOS + 1 };

/* Table 5.1 of the paper */
static const double paper_epsilon = 0.13, paper_mujoco_s = 0.002436, paper_ours_s = 0.010251;

typedef struct calibrate_result {
  calibration rows[ROWS]; /* the main one first */
  trajectory samples[2];  /* MuJoCo's and ours, of the main row */
  trajectory exact;
} calibrate_result;

/* one row: a hopper of its own stiffness; the main row keeps its trajectories */
static int calibrate_row(arguments *given, double ratio, bool main_row, calibration *row,
                         calibrate_result *result, char *message) {
  model *const m = &given->m;
  model_release(m);
  model_init(m, model_find("hopper"));
  if (!isnan(ratio) && model_set(m, "stiffness", ratio * model_get(m, "mass"), message)) return -1;
  if (model_prepare(m, message)) return -1;
  if (calibrate_hopper(m, given->trials, given->seed, row, main_row ? result->samples : NULL,
                       message))
    return -1;
  if (!main_row) return 0;
  double x0[MODEL_DIMENSION_MAX];
  m->type->initial_state(m, x0);
  if (trajectory_alloc(&result->exact, m, message)) return -1;
  return trajectory_reference(&result->exact, m, x0, NULL, NULL, message);
}

static int calibrate_all(arguments *given, calibrate_result *result, char *message) {
  measure_progress progress;
  measure_progress_begin(&progress, NULL, "calibrate", ROWS);
  int status = calibrate_row(given, NAN, true, &result->rows[0], result, message);
  for (int i = 0; !status && i < RATIOS; i++) {
    measure_progress_update(&progress, (uint64_t)i + 1);
    status = calibrate_row(given, ratios[i], false, &result->rows[i + 1], result, message);
  }
  measure_progress_end(&progress);
  return status;
}

static int write_table(const arguments *given, const calibrate_result *result, char *message) {
  static const char *const columns[] = {
      "stiffness_over_mass",  "main",      "epsilon",          "rms_error_mujoco",
      "rms_error_projection", "ratio",     "runtime_mujoco_s", "runtime_projection_s",
      "penetration",          "field_gap", "scaling_s",        "status"};
  results_file file;
  if (results_file_begin(&file, given->folder, "calibration.csv", columns, 12, message)) return -1;
  for (int i = 0; i < ROWS; i++) {
    const calibration *const c = &result->rows[i];
    const double numbers[] = {c->stiffness_over_mass,
                              i == 0,
                              c->epsilon,
                              c->rms_mujoco,
                              c->rms_projection,
                              c->rms_projection / c->rms_mujoco,
                              c->runtime_mujoco,
                              c->runtime_projection,
                              c->penetration,
                              c->gap.gap,
                              c->gap.scaling};
    for (int k = 0; k < 11; k++) measure_csv_number(&file.csv, numbers[k]);
    measure_csv_text(&file.csv, c->status);
    measure_csv_end_row(&file.csv);
  }
  return results_file_end(&file, true, message);
}

static int write_trajectory(const arguments *given, const calibrate_result *result, char *message) {
  static const char *const columns[] = {"t",        "z_exact",      "v_exact",     "z_mujoco",
                                        "v_mujoco", "z_projection", "v_projection"};
  results_file file;
  if (results_file_begin(&file, given->folder, "calibration_trajectory.csv", columns, 7, message))
    return -1;
  const trajectory *const exact = &result->exact;
  for (size_t i = 0; i < exact->count; i++) {
    const double *const e = exact->states + 2 * i, *const a = result->samples[0].states + 2 * i,
                        *const b = result->samples[1].states + 2 * i;
    results_file_row(&file, (double[]){exact->times[i], e[0], e[1], a[0], a[1], b[0], b[1]}, 7);
  }
  return results_file_end(&file, true, message);
}

/* one row of the table as JSON */
static json_t *row_json(const calibration *c) {
  json_t *const row = json_object();
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"stiffness_over_mass", c->stiffness_over_mass},
                 {"epsilon", c->epsilon},
                 {"rms_error_mujoco", c->rms_mujoco},
                 {"rms_error_projection", c->rms_projection},
                 {"ratio", c->rms_projection / c->rms_mujoco},
                 {"runtime_mujoco_s", c->runtime_mujoco},
                 {"runtime_mujoco_lo_s", c->runtime_mujoco_interval[0]},
                 {"runtime_mujoco_hi_s", c->runtime_mujoco_interval[1]},
                 {"runtime_projection_s", c->runtime_projection},
                 {"runtime_projection_lo_s", c->runtime_projection_interval[0]},
                 {"runtime_projection_hi_s", c->runtime_projection_interval[1]},
                 {"penetration", c->penetration},
                 {"scaling_s", c->gap.scaling}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    json_object_set_new(row, numbers[i].name, measure_json_number(numbers[i].value));
  json_object_set_new(row, "field_gap", record_gap(&c->gap));
  json_object_set_new(row, "status", json_string(c->status));
  return row;
}

static int write_json(const arguments *given, const calibrate_result *result, int core,
                      char *message) {
  char path[RECORD_PATH_SIZE];
  if (record_path(path, given->folder, "calibration.json")) return -1;
  json_t *const object = record_begin("essbench-calibration-1", given, core);
  if (!object) return -1;
  // the main row's members stand at the top, as the one result most readers want
  json_t *const main_row = row_json(&result->rows[0]);
  json_object_update(object, main_row);
  json_decref(main_row);
  json_object_set_new(object, "paper",
                      json_pack("{s:f, s:f, s:f}", "epsilon", paper_epsilon, "runtime_mujoco_s",
                                paper_mujoco_s, "runtime_projection_s", paper_ours_s));
  json_t *const table = json_array();
  for (int i = 1; i < ROWS; i++) json_array_append_new(table, row_json(&result->rows[i]));
  json_object_set_new(object, "table", table);
  const int status = measure_json_write(object, path, message);
  json_decref(object);
  return status;
}

static void print(const arguments *given, const calibrate_result *result) {
  printf("%8s %11s %12s %12s %10s %11s %11s\n", "k/m", "epsilon'", "RMS MuJoCo", "RMS ours",
         "ratio-1", "MuJoCo (ms)", "ours (ms)");
  for (int i = 0; i < ROWS; i++) {
    const calibration *const c = &result->rows[i];
    if (isnan(c->epsilon))
      printf("%8g %s\n", c->stiffness_over_mass, c->status);
    else
      printf("%8g %11.6f %12.6g %12.6g %10.1e %11.4f %11.4f%s\n", c->stiffness_over_mass,
             c->epsilon, c->rms_mujoco, c->rms_projection, c->rms_projection / c->rms_mujoco - 1.0,
             1e3 * c->runtime_mujoco, 1e3 * c->runtime_projection, i ? "" : "  <- the hopper");
  }
  printf("%8s %11.2f %12s %12s %10s %11.3f %11.3f  <- the paper (k/m not given; Python)\n", "?",
         paper_epsilon, "", "", "", 1e3 * paper_mujoco_s, 1e3 * paper_ours_s);
  printf("field gap %.2g at s = %g; MuJoCo %s\nresults in %s/calibration.csv, "
         "calibration_trajectory.csv, calibration.json\n",
         result->rows[0].gap.gap, result->rows[0].gap.scaling, bridge_version_string(),
         given->folder);
}

/* a gap above the gate means that the two engines do not simulate the same system */
static int check(const calibrate_result *result, char *message) {
  for (int i = 0; i < ROWS; i++) {
    const calibration *const c = &result->rows[i];
    if (c->gap.gap <= BRIDGE_GAP_MAX) continue;
    measure_message(message, "k/m = %g: the field gap is %.2g; %.0g is accepted",
                    c->stiffness_over_mass, c->gap.gap, BRIDGE_GAP_MAX);
    return -1;
  }
  if (!isnan(result->rows[0].epsilon)) return 0;
  measure_message(message, "no epsilon for the hopper: %s", result->rows[0].status);
  return -1;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE] = "the path of the results folder is too long", warning[512];
  calibrate_result result = {0};
  const int core = measure_pin_core(-1, warning);
  if (record_open(given, core)) return COMMAND_FAILURE;
  int status = calibrate_all(given, &result, message);
  if (!status) status = check(&result, message);
  if (!status) status = write_table(given, &result, message);
  if (!status) status = write_trajectory(given, &result, message);
  if (!status) status = write_json(given, &result, core, message);
  if (status)
    status = command_fail(given, "%s", message);
  else
    print(given, &result);
  for (int i = 0; i < 2; i++) trajectory_free(&result.samples[i]);
  trajectory_free(&result.exact);
  return status;
}

const command calibrate_command = {
    .name = "calibrate",
    .summary = "epsilon at which the projection is as accurate as MuJoCo (Tab. 5.1, Fig. 5.1)",
    .groups = ARGUMENTS_FOLDER | ARGUMENTS_SEED | ARGUMENTS_TRIALS | ARGUMENTS_STRICT,
    .run = run,
};

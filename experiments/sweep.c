/*
 * essbench sweep: both engines on the plate over numbers of contacts (Fig. 5.2 of the paper).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "clock.h"
#include "commands.h"
#include "contest.h"
#include "files.h"
#include "json_file.h"
#include "progress.h"
#include "record.h"

enum { GAP_STATES = 2000 };

static int allocate(sweep_data *data, char *message) {
  data->row = calloc(data->rows, sizeof *data->row);
  data->cell = calloc(data->rows * data->solvers, sizeof *data->cell);
  bool complete = data->row && data->cell;
  for (size_t i = 0; complete && i < data->rows; i++) {
    data->row[i].contacts = data->given->contacts.contacts[i];
    data->row[i].events_reference = calloc(data->trials, sizeof(double));
    complete = data->row[i].events_reference;
    for (size_t k = 0; complete && k < data->solvers; k++) {
      sweep_cell *const c = &data->cell[i * data->solvers + k];
      c->contacts = data->row[i].contacts;
      c->solver = data->given->solvers[k];
      c->seconds = calloc(data->trials, sizeof(double));
      c->rms = calloc(data->trials, sizeof(double));
      c->events = calloc(data->trials, sizeof(double));
      complete = c->seconds && c->rms && c->events;
    }
  }
  if (!complete) measure_message(message, "out of memory");
  return complete ? 0 : -1;
}

static void release(sweep_data *data) {
  for (size_t i = 0; data->cell && i < data->rows * data->solvers; i++) {
    free(data->cell[i].seconds);
    free(data->cell[i].rms);
    free(data->cell[i].events);
  }
  for (size_t i = 0; data->row && i < data->rows; i++) free(data->row[i].events_reference);
  free(data->cell);
  free(data->row);
}

/* times all contestants of one row, interleaved, and keeps what they noted */
static int race(sweep_data *data, size_t row, contestant contestants[], char *message) {
  measure_candidate candidates[ARGUMENTS_SOLVERS_MAX];
  measure_failure failure;
  for (size_t k = 0; k < data->solvers; k++) candidates[k] = contestant_candidate(&contestants[k]);
  const measure_plan plan = {
      .trials = data->trials, .seed = data->given->seed + row, .warmup_runs = 1};
  double *const seconds = calloc(data->solvers * data->trials, sizeof *seconds);
  int status = seconds
                   ? measure_interleave(candidates, data->solvers, &plan, seconds, NULL, &failure)
                   : MEASURE_ENOMEM;
  if (status == MEASURE_ECALLBACK)
    measure_message(message, "%zu contacts, trial %zu: %s", data->row[row].contacts, failure.trial,
                    contestants[failure.candidate].report.message);
  else if (status)
    measure_message(message, "timing: %s", measure_strerror(status));
  for (size_t k = 0; !status && k < data->solvers; k++) {
    sweep_cell *const c = &data->cell[row * data->solvers + k];
    const size_t size = data->trials * sizeof(double);
    memcpy(c->seconds, seconds + k * data->trials, size);
    memcpy(c->rms, contestants[k].rms, size);
    memcpy(c->events, contestants[k].events, size);
  }
  free(seconds);
  return status ? -1 : 0;
}

/* prepares every solver for the starts of one row, and races them */
static int race_solvers(sweep_data *data, size_t row, const contest_starts *starts,
                        const solver_settings *settings, char *message) {
  contestant contestants[ARGUMENTS_SOLVERS_MAX] = {0};
  int status = 0;
  for (size_t k = 0; !status && k < data->solvers; k++)
    status =
        contestant_prepare(&contestants[k], data->given->solvers[k], settings, starts, message);
  if (!status) status = race(data, row, contestants, message);
  for (size_t k = 0; k < data->solvers; k++) contestant_release(&contestants[k]);
  return status;
}

/* one number of contacts: proves that both engines have the same system, then races */
static int sweep_row_run(sweep_data *data, size_t row, char *message) {
  model m = data->given->m;
  m.data = NULL;
  solver_settings settings = data->given->settings;
  const solver_settings bounded = calibration_settings(&m);
  settings.epsilon = data->epsilon;
  settings.h_max = bounded.h_max;
  settings.time_step = bounded.time_step;
  contest_starts starts = {0};
  sweep_row *const r = &data->row[row];
  int status = model_set(&m, "contacts", (double)r->contacts, message);
  if (!status) status = model_prepare(&m, message);
  if (!status)
    status = bridge_field_gap(&m, &settings, GAP_STATES, data->given->seed, &r->gap, message);
  if (!status && !(r->gap.gap <= BRIDGE_GAP_MAX)) {
    measure_message(message, "%zu contacts: the field gap is %.2g; up to %.0g is accepted",
                    r->contacts, r->gap.gap, BRIDGE_GAP_MAX);
    status = -1;
  }
  // the same seed at every N draws the same starts
  if (!status)
    status = contest_starts_alloc(&starts, &m, data->trials, true, data->given->seed, message);
  if (!status) status = race_solvers(data, row, &starts, &settings, message);
  for (size_t i = 0; !status && i < data->trials; i++)
    r->events_reference[i] = (double)starts.events[i];
  contest_starts_free(&starts);
  model_release(&m);
  return status;
}

/* epsilon': given, or from the calibration in the results folder, or calibrated now */
static int choose_epsilon(sweep_data *data, char *message) {
  const arguments *const given = data->given;
  data->epsilon = given->settings.epsilon;
  data->epsilon_source = "--epsilon";
  if (given->epsilon_given) return 0;
  char path[RECORD_PATH_SIZE], ignored[MEASURE_MESSAGE_SIZE];
  json_t *const earlier = record_path(path, given->folder, "calibration.json")
                              ? NULL
                              : measure_json_read(path, ignored);
  const double epsilon = json_number_value(json_object_get(earlier, "epsilon"));
  json_decref(earlier);
  data->epsilon_source = "calibration.json";
  data->epsilon = epsilon;
  if (epsilon > 0.0 && isfinite(epsilon)) return 0;

  model hopper;
  calibration result;
  model_init(&hopper, model_find("hopper"));
  int status = model_prepare(&hopper, message);
  if (!status) status = calibrate_hopper(&hopper, 0, given->seed, &result, NULL, message);
  model_release(&hopper);
  data->epsilon_source = "calibrated for this sweep";
  data->epsilon = result.epsilon;
  if (status || !isnan(result.epsilon)) return status;
  measure_message(message, "calibration: %s", result.status);
  return -1;
}

static int sweep_all(sweep_data *data, char *message) {
  measure_progress progress;
  measure_progress_begin(&progress, NULL, "sweep", data->rows);
  int status = 0;
  for (size_t i = 0; !status && i < data->rows; i++) {
    status = sweep_row_run(data, i, message);
    measure_progress_update(&progress, i + 1);
  }
  measure_progress_end(&progress);
  return status;
}

static void print(const sweep_data *data) {
  const arguments *const given = data->given;
  printf("protocol %s, %zu starts for each N, epsilon %.6g (%s), MuJoCo %s\n", given->protocol,
         data->trials, data->epsilon, data->epsilon_source, bridge_version_string());
  printf("%5s %-11s %11s %23s %13s %11s %11s %9s\n", "N", "solver", "median (ms)", "interval",
         "us/contact", "RMS median", "RMS worst", "crossings");
  for (size_t i = 0; i < data->rows * data->solvers; i++) {
    const sweep_cell *const c = &data->cell[i];
    printf("%5zu %-11s %11.4f [%9.4f, %9.4f] %13.3f %11.3g %11.3g %8.2f%%%s\n", c->contacts,
           c->solver->name, 1e3 * c->median, 1e3 * c->median_lo, 1e3 * c->median_hi,
           1e6 * c->marginal, c->rms_median, c->rms_worst, 100.0 * c->events_ratio,
           c->events_close ? "" : " (!)");
  }
  for (size_t k = 0; data->rows > 1 && k < data->solvers; k++)
    printf("%s: %.3f us per contact over all N (95 %% interval %.3f to %.3f)\n",
           given->solvers[k]->name, 1e6 * data->slope[k].slope, 1e6 * data->slope[k].low,
           1e6 * data->slope[k].high);
  printf("crossings are of all runs, as a share of the reference's; (!) marks more than 1 %% off\n"
         "results in %s/sweep.csv, sweep_samples.csv, sweep.json\n",
         given->folder);
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], warning[MEASURE_MESSAGE_SIZE];
  sweep_data data = {.given = given,
                     .rows = given->contacts.count,
                     .solvers = given->solver_count,
                     .trials = given->trials};
  if (measure_folder_create(given->folder, message)) return command_fail(given, "%s", message);
  data.core = measure_pin_core(-1, warning);
  int status = allocate(&data, message);
  if (!status) status = choose_epsilon(&data, message);
  if (!status) status = sweep_all(&data, message);
  if (!status) status = sweep_summarize(&data, message);
  if (!status) status = sweep_write(&data, message);
  if (status)
    status = command_fail(given, "%s", message);
  else
    print(&data);
  release(&data);
  return status;
}

const command sweep_command = {
    .name = "sweep",
    .summary = "race the engines on the plate over numbers of contacts (Fig. 5.2)",
    .groups =
        ARGUMENTS_SWEEP | ARGUMENTS_MODEL | ARGUMENTS_SOLVER | ARGUMENTS_FOLDER | ARGUMENTS_SEED,
    .model = "plate",
    .run = run,
};

/*
 * The files of a sweep.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "sweep.h"

static int write_table(const sweep_data *data, char *message) {
  static const char *const columns[] = {
      "contacts",  "solver",    "protocol",  "median_s",   "median_lo_s",      "median_hi_s",
      "q25_s",     "q75_s",     "min_s",     "marginal_s", "marginal_lo_s",    "marginal_hi_s",
      "rms_error", "rms_q90",   "rms_worst", "events",     "events_reference", "events_ratio",
      "field_gap", "scaling_s", "epsilon"};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  results_file file;
  if (results_file_begin(&file, data->given->folder, "sweep.csv", columns, COLUMNS, message))
    return -1;
  for (size_t i = 0; i < data->rows * data->solvers; i++) {
    const sweep_cell *const c = &data->cell[i];
    const bridge_gap *const gap = &data->row[i / data->solvers].gap;
    measure_csv_integer(&file.csv, (int64_t)c->contacts);
    measure_csv_text(&file.csv, c->solver->name);
    measure_csv_text(&file.csv, data->given->protocol);
    const double numbers[] = {c->median,        c->median_lo,
                              c->median_hi,     c->q25,
                              c->q75,           c->min,
                              c->marginal,      c->marginal_lo,
                              c->marginal_hi,   c->rms_median,
                              c->rms_q90,       c->rms_worst,
                              c->events_median, c->events_reference,
                              c->events_ratio,  gap->gap,
                              gap->scaling,     data->epsilon};
    results_file_row(&file, numbers, sizeof numbers / sizeof *numbers);
  }
  return results_file_end(&file, true, message);
}

static int write_samples(const sweep_data *data, char *message) {
  static const char *const columns[] = {"contacts", "solver",    "protocol", "trial",
                                        "seconds",  "rms_error", "events",   "events_reference"};
  results_file file;
  if (results_file_begin(&file, data->given->folder, "sweep_samples.csv", columns, 8, message))
    return -1;
  for (size_t i = 0; i < data->rows * data->solvers; i++) {
    const sweep_cell *const c = &data->cell[i];
    const sweep_row *const r = &data->row[i / data->solvers];
    for (size_t j = 0; j < data->trials; j++) {
      measure_csv_integer(&file.csv, (int64_t)c->contacts);
      measure_csv_text(&file.csv, c->solver->name);
      measure_csv_text(&file.csv, data->given->protocol);
      measure_csv_integer(&file.csv, (int64_t)j);
      results_file_row(
          &file, (double[]){c->seconds[j], c->rms[j], c->events[j], r->events_reference[j]}, 4);
    }
  }
  return results_file_end(&file, true, message);
}

/* one cell as a row of Google Benchmark's JSON, so that its tools read the file */
static json_t *benchmark_json(const sweep_data *data, const sweep_cell *c) {
  char name[128];
  snprintf(name, sizeof name, "plate/%s/%s/contacts:%zu", data->given->protocol, c->solver->name,
           c->contacts);
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:s, s:f, s:f, s:f, s:f}", "name",
                   name, "run_name", name, "run_type", "aggregate", "aggregate_name", "median",
                   "aggregate_unit", "time", "threads", (json_int_t)1, "iterations",
                   (json_int_t)data->trials, "real_time", 1e3 * c->median, "cpu_time",
                   1e3 * c->median, "time_unit", "ms", "real_time_lo", 1e3 * c->median_lo,
                   "real_time_hi", 1e3 * c->median_hi, "rms_error", c->rms_median, "events_ratio",
                   c->events_ratio);
}

static json_t *slopes_json(const sweep_data *data) {
  json_t *const slopes = json_object();
  for (size_t k = 0; k < data->solvers; k++) {
    const sweep_slope *const s = &data->slope[k];
    json_t *const interval = json_array();
    json_array_append_new(interval, measure_json_number(s->low));
    json_array_append_new(interval, measure_json_number(s->high));
    json_object_set_new(slopes, data->given->solvers[k]->name,
                        json_pack("{s:o, s:o, s:f}", "s_per_contact", measure_json_number(s->slope),
                                  "interval", interval, "confidence", 0.95));
  }
  return slopes;
}

static json_t *gaps_json(const sweep_data *data) {
  json_t *const gaps = json_array();
  for (size_t i = 0; i < data->rows; i++) {
    json_t *const gap = record_gap(&data->row[i].gap);
    json_object_set_new(gap, "contacts", json_integer((json_int_t)data->row[i].contacts));
    json_array_append_new(gaps, gap);
  }
  return gaps;
}

static int write_json(const sweep_data *data, char *message) {
  char path[RECORD_PATH_SIZE];
  json_t *const object = record_begin("essbench-sweep-1", data->given, data->core);
  if (!object || record_path(path, data->given->folder, "sweep.json")) {
    json_decref(object);
    measure_message(message, "sweep.json: out of memory, or the path is too long");
    return -1;
  }
  json_object_set_new(object, "protocol", json_string(data->given->protocol));
  json_object_set_new(object, "trials", json_integer((json_int_t)data->trials));
  json_object_set_new(object, "epsilon", json_real(data->epsilon));
  json_object_set_new(object, "epsilon_source", json_string(data->epsilon_source));
  json_object_set_new(object, "model", record_model(&data->given->m));
  json_object_set_new(object, "settings", record_settings(&data->given->settings));
  json_object_set_new(object, "slopes", slopes_json(data));
  json_object_set_new(object, "field_gaps", gaps_json(data));
  json_t *const environment = json_object_get(object, "environment");
  json_object_set_new(object, "context",
                      json_pack("{s:O, s:O, s:s}", "date", json_object_get(environment, "date"),
                                "num_cpus", json_object_get(environment, "cores"),
                                "library_build_type", "release"));
  json_t *const rows = json_array();
  for (size_t i = 0; i < data->rows * data->solvers; i++)
    json_array_append_new(rows, benchmark_json(data, &data->cell[i]));
  json_object_set_new(object, "benchmarks", rows);
  const int status = measure_json_write(object, path, message);
  json_decref(object);
  return status;
}

int sweep_write(const sweep_data *data, char message[MEASURE_MESSAGE_SIZE]) {
  if (write_samples(data, message) || write_table(data, message)) return -1;
  return write_json(data, message);
}

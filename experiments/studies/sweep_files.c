/*
 * The files of a sweep.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "solvers.h"
#include "statistics.h"
#include "sweep.h"

static solver_settings settings_of(const sweep_data *data, const protocol_entry *e) {
  return solver_settings_in_force(e->solver, &e->settings, data->given->m.type->time_step);
}

static int write_table_row(results_file *file, const sweep_data *data, const sweep_row *row,
                           size_t k, char *message) {
  const protocol_entry *const e = &row->entries.entry[k];
  const solver_settings settings = settings_of(data, e);
  const sweep_cell *const c = &row->cell[k];
  double events_reference, contact_steps;
  int status = measure_median(row->events_reference, data->trials, &events_reference);
  if (!status) status = measure_median(row->contact_steps, data->trials, &contact_steps);
  if (status) {
    measure_message(message, "sweep.csv: %zu contacts, crossings and contacts of the reference: %s",
                    row->contacts, measure_strerror(status));
    return -1;
  }
  const double numbers[] = {c->median,
                            c->median_lo,
                            c->median_hi,
                            c->q25,
                            c->q75,
                            c->min,
                            c->mad,
                            c->marginal,
                            c->marginal_lo,
                            c->marginal_hi,
                            c->rms_median,
                            c->rms_q90,
                            c->rms_worst,
                            (double)c->worst_trial,
                            c->events_median,
                            events_reference,
                            c->events_ratio,
                            c->median / c->events_median,
                            c->median / contact_steps,
                            c->outliers,
                            row->gap.gap,
                            row->gap.scaling,
                            e->target};
  measure_csv_integer(&file->csv, (int64_t)row->contacts);
  measure_csv_text(&file->csv, e->solver->name);
  measure_csv_text(&file->csv, e->protocol);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    measure_csv_number(&file->csv, numbers[i]);
  record_setting_fields(&file->csv, &settings);
  measure_csv_text(&file->csv, settings.variant ? settings.variant : "");
  measure_csv_end_row(&file->csv);
  return 0;
}

static int write_table(const sweep_data *data, char *message) {
  static const char *const measured[] = {"contacts",
                                         "solver",
                                         "protocol",
                                         "median_s",
                                         "median_lo_s",
                                         "median_hi_s",
                                         "q25_s",
                                         "q75_s",
                                         "min_s",
                                         "mad_s",
                                         "marginal_s",
                                         "marginal_lo_s",
                                         "marginal_hi_s",
                                         "rms_error",
                                         "rms_q90",
                                         "rms_worst",
                                         "worst_trial",
                                         "events",
                                         "events_reference",
                                         "events_ratio",
                                         "s_per_crossing",
                                         "s_per_contact_step",
                                         "outliers",
                                         "field_gap",
                                         "scaling_s",
                                         "target"};
  enum { MEASURED = sizeof measured / sizeof *measured };
  const char *columns[MEASURED + RECORD_SETTINGS + 1];
  memcpy(columns, measured, sizeof measured);
  memcpy(columns + MEASURED, record_setting_names, sizeof record_setting_names);
  columns[MEASURED + RECORD_SETTINGS] = "variant";
  results_file file;
  if (results_file_begin(&file, data->given->folder, "sweep.csv", columns,
                         sizeof columns / sizeof *columns, message))
    return -1;
  int status = 0;
  for (size_t i = 0; i < data->rows; i++) {
    const sweep_row *const row = &data->row[i];
    for (size_t k = 0; !status && sweep_row_done(data, row) && k < row->entries.count; k++)
      status = write_table_row(&file, data, row, k, message);
  }
  return results_file_end(&file, !status, message) || status ? -1 : 0;
}

static int write_samples(const sweep_data *data, char *message) {
  static const char *const columns[] = {
      "contacts",    "solver",  "protocol",  "trial",  "process",          "seconds",
      "repetitions", "outlier", "rms_error", "events", "events_reference", "contact_steps"};
  results_file file;
  if (results_file_begin(&file, data->given->folder, "sweep_samples.csv", columns,
                         sizeof columns / sizeof *columns, message))
    return -1;
  for (size_t i = 0; i < data->rows; i++) {
    const sweep_row *const row = &data->row[i];
    for (size_t k = 0; sweep_row_done(data, row) && k < row->entries.count; k++)
      for (size_t j = 0; j < data->trials; j++) {
        const sweep_cell *const c = &row->cell[k];
        measure_csv_integer(&file.csv, (int64_t)row->contacts);
        measure_csv_text(&file.csv, row->entries.entry[k].solver->name);
        measure_csv_text(&file.csv, row->entries.entry[k].protocol);
        results_file_row(&file,
                         (double[]){(double)j, c->process[j], c->seconds[j], c->repetitions[j],
                                    sweep_is_outlier(c, j), c->rms[j], c->events[j],
                                    row->events_reference[j], row->contact_steps[j]},
                         9);
      }
  }
  return results_file_end(&file, true, message);
}

/* one cell as a row of Google Benchmark's JSON, so that its tools read the file */
static json_t *benchmark_json(const sweep_data *data, const sweep_row *row, size_t k) {
  const protocol_entry *const e = &row->entries.entry[k];
  const sweep_cell *const c = &row->cell[k];
  char name[128];
  snprintf(name, sizeof name, "%s/%s/%s/contacts:%zu", data->given->m.type->name, e->protocol,
           e->solver->name, row->contacts);
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:s, s:f, s:f, s:f, s:f}", "name",
                   name, "run_name", name, "run_type", "aggregate", "aggregate_name", "median",
                   "aggregate_unit", "time", "threads", (json_int_t)1, "iterations",
                   (json_int_t)data->trials, "real_time", 1e3 * c->median, "cpu_time",
                   1e3 * c->median, "time_unit", "ms", "real_time_lo", 1e3 * c->median_lo,
                   "real_time_hi", 1e3 * c->median_hi, "rms_error", c->rms_median, "events_ratio",
                   c->events_ratio);
}

static json_t *benchmarks_json(const sweep_data *data) {
  json_t *const rows = json_array();
  for (size_t i = 0; i < data->rows; i++)
    for (size_t k = 0; sweep_row_done(data, &data->row[i]) && k < data->row[i].entries.count; k++)
      json_array_append_new(rows, benchmark_json(data, &data->row[i], k));
  return rows;
}

static json_t *interval_json(double low, double high) {
  json_t *const interval = json_array();
  json_array_append_new(interval, measure_json_number(low));
  json_array_append_new(interval, measure_json_number(high));
  return interval;
}

/* MuJoCo's time over ours, paired by start, wherever both ran the same protocol at the same N */
static json_t *ratio_json(const sweep_data *data, const sweep_row *row, size_t ours,
                          size_t mujoco) {
  const sweep_cell *const a = &row->cell[mujoco], *const b = &row->cell[ours];
  double *const quotients = calloc(data->trials, sizeof *quotients);
  double ratio = NAN, low = NAN, high = NAN;
  for (size_t j = 0; quotients && j < data->trials; j++)
    quotients[j] = a->seconds[j] / b->seconds[j];
  if (!quotients || measure_median(quotients, data->trials, &ratio) ||
      sweep_median_interval(data, quotients, &low, &high))
    ratio = NAN;
  free(quotients);
  const protocol_entry *const entry = &row->entries.entry[ours];
  const solver_settings settings = settings_of(data, entry);
  return json_pack("{s:I, s:s, s:s, s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "contacts",
                   (json_int_t)row->contacts, "solver", entry->solver->name, "protocol",
                   entry->protocol, "mujoco_over_projection", measure_json_number(ratio),
                   "interval", interval_json(low, high), "confidence", 0.95, "mujoco_s", a->median,
                   "projection_s", b->median, "rms_error_mujoco", a->rms_median,
                   "rms_error_projection", b->rms_median, "epsilon",
                   measure_json_number(settings.epsilon), "settings", record_settings(&settings));
}

static json_t *ratios_json(const sweep_data *data) {
  json_t *const ratios = json_array();
  for (size_t i = 0; i < data->rows; i++) {
    const sweep_row *const row = &data->row[i];
    for (size_t a = 0; sweep_row_done(data, row) && a < row->entries.count; a++)
      for (size_t b = 0; b < row->entries.count; b++) {
        const protocol_entry *const ours = &row->entries.entry[a], *const other =
                                                                       &row->entries.entry[b];
        if (!solver_is_libess(ours->solver) || strcmp(other->solver->name, "mujoco") != 0 ||
            strcmp(ours->protocol, other->protocol) != 0)
          continue;
        json_array_append_new(ratios, ratio_json(data, row, a, b));
      }
  }
  return ratios;
}

static json_t *slopes_json(const sweep_data *data) {
  json_t *const slopes = json_array();
  const sweep_row *const row = &data->row[0];
  for (size_t k = 0; k < row->entries.count; k++) {
    const sweep_slope *const s = &data->slope[k];
    json_array_append_new(slopes, json_pack("{s:s, s:s, s:o, s:o, s:f}", "solver",
                                            row->entries.entry[k].solver->name, "protocol",
                                            row->entries.entry[k].protocol, "s_per_contact",
                                            measure_json_number(s->slope), "interval",
                                            interval_json(s->low, s->high), "confidence", 0.95));
  }
  return slopes;
}

static json_t *gaps_json(const sweep_data *data) {
  json_t *const gaps = json_array();
  for (size_t i = 0; i < data->rows; i++) {
    if (!sweep_row_done(data, &data->row[i]) || isnan(data->row[i].gap.gap)) continue;
    json_t *const gap = record_gap(&data->row[i].gap);
    json_object_set_new(gap, "contacts", json_integer((json_int_t)data->row[i].contacts));
    json_array_append_new(gaps, gap);
  }
  return gaps;
}

/* a setting of both; one that does not concern them is NaN, one in which they differ -INFINITY */
static double common(double a, double b) {
  return isnan(a) ? b : isnan(b) || a == b ? a : -INFINITY;
}

/* what all entries ran with that it concerns; null where they differ */
static json_t *common_settings(const sweep_data *data) {
  solver_settings all = {.epsilon = NAN,
                         .rtol = NAN,
                         .atol = NAN,
                         .h_max = NAN,
                         .projection_max = NAN,
                         .time_step = NAN,
                         .scaling = NAN};
  double order = NAN;
  for (size_t i = 0; i < data->rows; i++)
    for (size_t k = 0; sweep_row_done(data, &data->row[i]) && k < data->row[i].entries.count; k++) {
      const solver_settings s = settings_of(data, &data->row[i].entries.entry[k]);
      all.epsilon = common(all.epsilon, s.epsilon);
      all.rtol = common(all.rtol, s.rtol);
      all.atol = common(all.atol, s.atol);
      all.h_max = common(all.h_max, s.h_max);
      all.projection_max = common(all.projection_max, s.projection_max);
      all.time_step = common(all.time_step, s.time_step);
      all.scaling = common(all.scaling, s.scaling);
      order = common(order, s.order ? (double)s.order : NAN);
      if (!all.variant)
        all.variant = s.variant;
      else if (s.variant && strcmp(all.variant, s.variant) != 0)
        all.variant = "";
    }
  all.order = order > 0.0 ? (int)order : 0;
  if (all.variant && !*all.variant) all.variant = NULL;
  return record_settings(&all);
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
  json_object_set_new(object, "epsilon", measure_json_number(data->epsilon));
  json_object_set_new(object, "epsilon_source",
                      data->epsilon_source ? json_string(data->epsilon_source) : json_null());
  json_object_set_new(object, "model", record_model(&data->given->m));
  json_object_set_new(object, "settings", common_settings(data));
  json_object_set_new(object, "slopes", slopes_json(data));
  json_object_set_new(object, "field_gaps", gaps_json(data));
  json_t *const environment = json_object_get(object, "environment");
  json_object_set_new(object, "context",
                      json_pack("{s:O, s:O, s:O}", "date", json_object_get(environment, "date"),
                                "num_cpus", json_object_get(environment, "cores"),
                                "library_build_type", json_object_get(environment, "build_type")));
  json_object_set_new(object, "ratios", ratios_json(data));
  json_object_set_new(object, "benchmarks", benchmarks_json(data));
  const int status = measure_json_write(object, path, message);
  json_decref(object);
  return status;
}

int sweep_write(const sweep_data *data, char *message) {
  if (write_samples(data, message) || write_table(data, message)) return -1;
  return write_json(data, message);
}

/*
 * The files of essbench speed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>

#include "json_file.h"
#include "record.h"
#include "results_file.h"
#include "speed.h"

/* the names of the settings, behind `count` others */
static void add_settings(const char *columns[], size_t *count) {
  for (size_t i = 0; i < RECORD_SETTINGS; i++) columns[(*count)++] = record_setting_names[i];
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* rows into the table and into `rows` */
static int write_rows(const speed_data *data, results_file *file, json_t *rows, char *message) {
  for (size_t i = 0; i < data->count; i++) {
    const speed_case *const c = &data->cases[i];
    for (size_t k = 0; k < c->count; k++) {
      speed_row row;
      if (speed_summarize(c, &c->entry[k], data->before, data->given->seed, &row, message))
        return -1;
      for (size_t t = 0; t < SPEED_TEXTS; t++) measure_csv_text(&file->csv, row.text[t]);
      for (size_t n = 0; n < SPEED_NUMBERS; n++) measure_csv_number(&file->csv, row.number[n]);
      const solver_settings settings = speed_settings(c, &c->entry[k]);
      record_setting_fields(&file->csv, &settings);
      measure_csv_end_row(&file->csv);
      json_array_append_new(rows, speed_row_json(&row, &settings));
    }
  }
  return 0;
}

static int write_table(const speed_data *data, json_t *rows, char *message) {
  const char *columns[SPEED_TEXTS + SPEED_NUMBERS + RECORD_SETTINGS];
  size_t count = 0;
  results_file file;
  for (size_t i = 0; i < SPEED_TEXTS; i++) columns[count++] = speed_text_names[i];
  for (size_t i = 0; i < SPEED_NUMBERS; i++) columns[count++] = speed_number_names[i];
  add_settings(columns, &count);
  if (results_file_begin(&file, data->given->folder, "speed.csv", columns, count, message))
    return -1;
  const int status = write_rows(data, &file, rows, message);
  return results_file_end(&file, !status, message) || status ? -1 : 0;
}

/* every raw sample */
static int write_samples(const speed_data *data, char *message) {
  static const char *const columns[] = {"model",     "contacts", "damping",         "field",
                                        "solver",    "protocol", "trial",           "seconds",
                                        "rms_error", "events",   "events_reference"};
  results_file file;
  if (results_file_begin(&file, data->given->folder, "speed_samples.csv", columns,
                         sizeof columns / sizeof *columns, message))
    return -1;
  for (size_t i = 0; i < data->count; i++) {
    const speed_case *const c = &data->cases[i];
    for (size_t k = 0; k < c->count; k++) {
      const speed_entry *const e = &c->entry[k];
      for (size_t j = 0; j < c->trials; j++) {
        measure_csv_text(&file.csv, c->form[0].type->name);
        measure_csv_integer(&file.csv, (int64_t)c->contacts);
        measure_csv_number(&file.csv, c->damping);
        measure_csv_text(&file.csv, speed_form_name(e->form));
        measure_csv_text(&file.csv, e->solver->name);
        measure_csv_text(&file.csv, e->protocol);
        results_file_row(
            &file, (double[]){(double)j, e->seconds[j], e->rms[j], e->events[j], c->events[j]}, 5);
      }
    }
  }
  return results_file_end(&file, true, message);
}

/* every setting of the comparison with location */
static int write_points(const speed_data *data, char *message) {
  const speed_location *const l = &data->location;
  const char *columns[3 + SPEED_POINT_NUMBERS + RECORD_SETTINGS] = {"method", "status", "regime"};
  size_t count = 3;
  results_file file;
  for (size_t i = 0; i < SPEED_POINT_NUMBERS; i++) columns[count++] = speed_point_names[i];
  add_settings(columns, &count);
  if (results_file_begin(&file, data->given->folder, "speed_location.csv", columns, count, message))
    return -1;
  for (size_t i = 0; i < l->race.count; i++) {
    double values[SPEED_POINT_NUMBERS];
    speed_point_numbers(&l->point[i], values);
    measure_csv_text(&file.csv, speed_family_names[l->point[i].family]);
    measure_csv_text(&file.csv, l->point[i].entry->failed ? "failed" : "ok");
    measure_csv_text(&file.csv, speed_point_regime(l, &l->point[i]));
    for (size_t k = 0; k < SPEED_POINT_NUMBERS; k++) measure_csv_number(&file.csv, values[k]);
    const solver_settings settings = speed_settings(l->of, l->point[i].entry);
    record_setting_fields(&file.csv, &settings);
    measure_csv_end_row(&file.csv);
  }
  return results_file_end(&file, true, message);
}

int speed_write(const speed_data *data, char *message) {
  char path[RECORD_PATH_SIZE];
  json_t *const rows = json_array();
  int status = write_samples(data, message);
  if (!status && data->location.of) status = write_points(data, message);
  if (!status) status = write_table(data, rows, message);
  json_t *const results = status ? NULL : speed_json(data, rows);
  if (!status && (!results || record_path(path, data->given->folder, "speed.json"))) {
    measure_message(message, "speed.json: out of memory, or the path is too long");
    status = -1;
  }
  if (!status) status = measure_json_write(results, path, message);
  json_decref(results);
  json_decref(rows);
  return status;
}

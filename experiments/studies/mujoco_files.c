/*
 * Result files of MuJoCo's settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>

#include "json_file.h"
#include "mujoco_settings.h"
#include "record.h"
#include "results_file.h"

static void write_names(results_file *file, const mujoco_case *c, const mujoco_variant *v) {
  measure_csv_text(&file->csv, c->m.type->name);
  measure_csv_integer(&file->csv, (int64_t)c->contacts);
  measure_csv_text(&file->csv, mujoco_variant_base(v));
  measure_csv_text(&file->csv, v->changes);
}

/* NaN where nothing was measured */
static double known(const mujoco_row *row, double value) {
  return row->instance ? value : NAN;
}

static void write_row(results_file *file, const mujoco_case *c, const mujoco_row *row) {
  const double numbers[] = {row->median.estimate, row->median.low,    row->median.high,
                            row->time.q25,        row->time.q75,      row->time.min,
                            row->ratio.estimate,  row->ratio.low,     row->ratio.high,
                            row->difference,      row->error.median,  row->error.max,
                            row->gap.gap,         row->gap.scaling,   row->confirmed.estimate,
                            row->confirmed.low,   row->confirmed.high};
  write_names(file, c, row->variant);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    measure_csv_number(&file->csv, known(row, numbers[i]));
  measure_csv_text(&file->csv, mujoco_verdict_name(row->verdict));
  measure_csv_text(&file->csv, row->left_out);
  measure_csv_end_row(&file->csv);
}

static int write_settings(const mujoco_case cases[], size_t count, const arguments *given,
                          char *message) {
  static const char *const columns[] = {
      "model",       "contacts",     "base",         "changes",   "median_s",  "median_lo_s",
      "median_hi_s", "q25_s",        "q75_s",        "min_s",     "ratio",     "ratio_lo",
      "ratio_hi",    "difference",   "rms_error",    "rms_worst", "field_gap", "scaling_s",
      "confirmed",   "confirmed_lo", "confirmed_hi", "verdict",   "left_out"};
  results_file file;
  if (results_file_begin(&file, given->folder, "mujoco_settings.csv", columns,
                         sizeof columns / sizeof *columns, message))
    return -1;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < cases[i].rows; k++) write_row(&file, &cases[i], &cases[i].row[k]);
  return results_file_end(&file, true, message);
}

/* the first session, then the second of those it made look fast */
static int write_samples(const mujoco_case cases[], size_t count, const arguments *given,
                         char *message) {
  static const char *const columns[] = {"model",   "contacts", "base",    "changes",
                                        "session", "trial",    "seconds", "rms_error"};
  results_file file;
  if (results_file_begin(&file, given->folder, "mujoco_settings_samples.csv", columns,
                         sizeof columns / sizeof *columns, message))
    return -1;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < cases[i].rows; k++) {
      const mujoco_row *const row = &cases[i].row[k];
      const double *const sessions[] = {row->instance ? row->seconds : NULL, row->again};
      for (size_t s = 0; s < 2; s++)
        for (size_t j = 0; sessions[s] && j < cases[i].starts.trials; j++) {
          write_names(&file, &cases[i], row->variant);
          results_file_row(&file,
                           (double[]){(double)(s + 1), (double)j, sessions[s][j], row->rms[j]}, 4);
        }
    }
  return results_file_end(&file, true, message);
}

/* one timer, or what none of its parts accounts for */
static void write_timer(results_file *file, const mujoco_case *c, const mujoco_profile *p, size_t i,
                        bool rest) {
  const mujoco_timer *const t = &p->timer[i];
  const int parent = rest ? (int)i : t->parent;
  const double net = rest ? t->rest_ns : t->net_ns;
  const double numbers[] = {rest ? NAN : t->calls,
                            rest ? NAN : 1e-9 * t->measured_ns,
                            1e-9 * net,
                            net / p->timer[0].net_ns,
                            1e-9 * p->run_ns,
                            p->timers_cost.estimate,
                            p->timers_cost.low,
                            p->timers_cost.high,
                            1e-9 * p->reading_ns};
  write_names(file, c, p->row->variant);
  measure_csv_text(&file->csv, rest ? "rest" : t->name);
  measure_csv_text(&file->csv, parent == BRIDGE_NO_TIMER ? "" : p->timer[parent].name);
  results_file_row(file, numbers, sizeof numbers / sizeof *numbers);
}

static int write_profile(const mujoco_case cases[], size_t count, const arguments *given,
                         char *message) {
  static const char *const columns[] = {
      "model",   "contacts",    "base",           "changes",        "timer",
      "part_of", "calls",       "measured_s",     "net_s",          "share",
      "run_s",   "timers_cost", "timers_cost_lo", "timers_cost_hi", "reading_s"};
  results_file file;
  if (results_file_begin(&file, given->folder, "mujoco_profile.csv", columns,
                         sizeof columns / sizeof *columns, message))
    return -1;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < MUJOCO_PROFILES; k++) {
      const mujoco_profile *const p = &cases[i].profile[k];
      for (size_t j = 0; j < p->timers; j++) {
        if (p->timer[j].calls > 0.0) write_timer(&file, &cases[i], p, j, false);
        if (p->timer[j].has_parts) write_timer(&file, &cases[i], p, j, true);
      }
    }
  return results_file_end(&file, true, message);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *interval_json(const mujoco_row *row, const measure_interval *interval) {
  return json_pack("[o, o]", measure_json_number(known(row, interval->low)),
                   measure_json_number(known(row, interval->high)));
}

static json_t *row_json(const mujoco_case *c, const mujoco_row *row) {
  json_t *const object =
      json_pack("{s:s, s:I, s:s, s:s, s:s, s:s}", "model", c->m.type->name, "contacts",
                (json_int_t)c->contacts, "base", mujoco_variant_base(row->variant), "changes",
                row->variant->changes, "verdict", mujoco_verdict_name(row->verdict), "left_out",
                row->left_out);
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"median_s", row->median.estimate},
                 {"ratio", row->ratio.estimate},
                 {"confirmed", row->confirmed.estimate},
                 {"difference", row->difference},
                 {"rms_error", row->error.median},
                 {"rms_worst", row->error.max},
                 {"field_gap", row->gap.gap},
                 {"scaling_s", row->gap.scaling}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    json_object_set_new(object, numbers[i].name, measure_json_number(known(row, numbers[i].value)));
  json_object_set_new(object, "median_interval_s", interval_json(row, &row->median));
  json_object_set_new(object, "ratio_interval", interval_json(row, &row->ratio));
  json_object_set_new(object, "confirmed_interval", interval_json(row, &row->confirmed));
  return object;
}

/* Google Benchmark's shape, so that its tools read the file */
static json_t *benchmark_json(const mujoco_case *c, const mujoco_row *row) {
  char name[256];
  snprintf(name, sizeof name, "%s/contacts:%zu/%s%s%s", c->m.type->name, c->contacts,
           mujoco_variant_base(row->variant), *row->variant->changes ? "/" : "",
           row->variant->changes);
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:s, s:f}", "name", name,
                   "run_name", name, "run_type", "aggregate", "aggregate_name", "median",
                   "aggregate_unit", "time", "threads", (json_int_t)1, "iterations",
                   (json_int_t)c->starts.trials, "real_time", 1e3 * row->median.estimate,
                   "cpu_time", 1e3 * row->median.estimate, "time_unit", "ms", "rms_error",
                   row->error.median);
}

static json_t *timer_json(const mujoco_profile *p, size_t i) {
  const mujoco_timer *const t = &p->timer[i];
  json_t *const part_of =
      t->parent == BRIDGE_NO_TIMER ? json_null() : json_string(p->timer[t->parent].name);
  const double whole = p->timer[0].net_ns;
  return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "timer", t->name, "part_of", part_of, "calls",
                   measure_json_number(t->calls), "net_s", measure_json_number(1e-9 * t->net_ns),
                   "share", measure_json_number(t->net_ns / whole), "rest_share",
                   measure_json_number(t->has_parts ? t->rest_ns / whole : NAN));
}

static json_t *profile_json(const mujoco_case *c, const mujoco_profile *p) {
  json_t *const timers = json_array();
  for (size_t i = 0; i < p->timers; i++)
    if (p->timer[i].calls > 0.0) json_array_append_new(timers, timer_json(p, i));
  return json_pack(
      "{s:s, s:I, s:s, s:o, s:o, s:[o, o], s:o, s:o}", "model", c->m.type->name, "contacts",
      (json_int_t)c->contacts, "base", mujoco_variant_base(p->row->variant), "run_s",
      measure_json_number(1e-9 * p->run_ns), "timers_cost",
      measure_json_number(p->timers_cost.estimate), "timers_cost_interval",
      measure_json_number(p->timers_cost.low), measure_json_number(p->timers_cost.high),
      "reading_s", measure_json_number(1e-9 * p->reading_ns), "timers", timers);
}

static int write_json(const mujoco_case cases[], size_t count, const arguments *given, int core,
                      char *message) {
  char path[RECORD_PATH_SIZE];
  json_t *const object = record_begin("essbench-mujoco-1", given, core);
  json_t *const settings = json_array(), *const profiles = json_array(),
                *const benchmarks = json_array(), *const models = json_array();
  if (!object || record_path(path, given->folder, "mujoco_settings.json")) {
    measure_message(message, "mujoco_settings.json: out of memory, or the path is too long");
    return -1;
  }
  for (size_t i = 0; i < count; i++) {
    const mujoco_case *const c = &cases[i];
    json_array_append_new(models, record_model(&c->m));
    for (size_t k = 0; k < c->rows; k++) {
      json_array_append_new(settings, row_json(c, &c->row[k]));
      if (c->row[k].instance) json_array_append_new(benchmarks, benchmark_json(c, &c->row[k]));
    }
    for (size_t k = 0; k < MUJOCO_PROFILES; k++)
      json_array_append_new(profiles, profile_json(c, &c->profile[k]));
  }
  json_object_set_new(object, "trials", json_integer((json_int_t)given->trials));
  json_object_set_new(object, "minimum_effect", json_real(given->minimum_effect));
  json_object_set_new(object, "unchanged", json_real(MUJOCO_UNCHANGED));
  json_object_set_new(object, "confidence", json_real(0.95));
  json_object_set_new(object, "models", models);
  json_object_set_new(object, "settings", settings);
  json_object_set_new(object, "profiles", profiles);
  json_object_set_new(object, "benchmarks", benchmarks);
  const int status = measure_json_write(object, path, message);
  json_decref(object);
  return status;
}

int mujoco_write(const mujoco_case cases[], size_t count, const arguments *given, int core,
                 char message[SOLVER_MESSAGE_SIZE]) {
  if (write_samples(cases, count, given, message) || write_settings(cases, count, given, message) ||
      write_profile(cases, count, given, message))
    return -1;
  return write_json(cases, count, given, core, message);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench baseline: writes what the regression gate compares with, and shows what that changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files.h"
#include "json_file.h"
#include "record.h"
#include "regress_counters.h"
#include "regress_time.h"
#include "solvers.h"

static const char ratio_schema[] = "essbench-ratio-1";

/* a line of what changed; the first of a case has its name */
static void show_case(const json_t *row, bool *first) {
  printf("%-46s ", *first ? json_string_value(json_object_get(row, "name")) : "");
  *first = false;
}

/* what changed, before and after: whether anything did */
static bool show_change(const json_t *before, const json_t *now) {
  bool first = true;
  for (const char *const *name = regress_counter_names; *name; name++) {
    const long long was = regress_counter(before, *name), is = regress_counter(now, *name);
    if (was == is) continue;
    show_case(now, &first);
    printf("%-18s %12lld %12lld\n", *name, was, is);
  }
  const double was = regress_rms_error(before), is = regress_rms_error(now);
  if (fabs(is - was) > REGRESS_RMS_TOLERANCE * was) {
    show_case(now, &first);
    printf("%-18s %12.5g %12.5g\n", "rms_error", was, is);
  }
  return !first;
}

static void show_counts(const json_t *before, const json_t *now) {
  const json_t *const rows = json_object_get(now, "cases"), *row;
  size_t changed = 0, known = 0, i;
  printf("%-46s %-18s %12s %12s\n", "case", "counter", "before", "now");
  json_array_foreach(rows, i, row) {
    const json_t *const was =
        regress_counts_find(before, json_string_value(json_object_get(row, "name")));
    known += was != NULL;
    changed += was && show_change(was, row);
  }
  printf("counters: %zu cases, %zu changed, %zu new, %zu gone\n", json_array_size(rows), changed,
         json_array_size(rows) - known, json_array_size(json_object_get(before, "cases")) - known);
}

static int write_counts(const char *path, char *message) {
  char why[SOLVER_MESSAGE_SIZE];
  json_t *const now = regress_counts_run(message);
  if (!now) return -1;
  json_t *const before = regress_counts_read(path, why);
  if (!before) printf("no earlier baseline: %s\n", why);
  const int status = measure_json_write(now, path, message);
  if (!status) show_counts(before, now);
  json_decref(before);
  json_decref(now);
  return status;
}

/* the ratio of that case in an earlier file; NaN when there is none */
static double earlier_ratio(const json_t *root, const char *name) {
  double ratio = NAN;
  measure_json_value(json_object_get(regress_counts_find(root, name), "ratio"), &ratio);
  return ratio;
}

static int write_ratios(const arguments *given, const regress_samples *samples, const char *path,
                        char *message) {
  char why[MEASURE_MESSAGE_SIZE];
  json_t *const before = measure_json_read(path, why);
  json_t *const root = record_head(ratio_schema, given->command->name, given->seed,
                                   record_environment_now(-1)),
                *const rows = json_array();
  // a committed file has no business with folders of the machine it was made on
  json_object_del(json_object_get(json_object_get(root, "environment"), "mujoco"), "library");
  printf("%-46s %-18s %12s %12s\n", "case", "", "before", "now");
  for (size_t k = 0; k < samples->count; k++) {
    const char *const name = samples->series[k].name;
    if (strcmp(samples->series[k].solver, projection_solver.name) != 0) continue;
    const double ratio = regress_mujoco_ratio(samples, name);
    json_array_append_new(
        rows, json_pack("{s:s, s:o}", "name", name, "ratio", measure_json_number(ratio)));
    printf("%-46s %-18s %12.4g %12.4g\n", name, "time over MuJoCo's", earlier_ratio(before, name),
           ratio);
  }
  json_object_set_new(root, "cases", rows);
  const int status = measure_json_write(root, path, message);
  json_decref(root);
  json_decref(before);
  return status;
}

static int run(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], folder[RECORD_PATH_SIZE], counters[RECORD_PATH_SIZE],
      ratios[RECORD_PATH_SIZE], samples_folder[RECORD_PATH_SIZE];
  regress_samples samples = {0};
  record_path(folder, given->folder, REGRESS_BASELINE);
  record_path(counters, folder, REGRESS_COUNTERS_FILE);
  record_path(ratios, folder, REGRESS_RATIO_FILE);
  record_path(samples_folder, given->folder, REGRESS_NOW_SAMPLES);
  int status = regress_samples_read(&samples, samples_folder, message);
  if (!status) status = measure_folder_create(folder, message);
  if (!status) status = write_counts(counters, message);
  if (!status) status = write_ratios(given, &samples, ratios, message);
  regress_samples_free(&samples);
  if (status) return command_fail(given, "%s", message);
  printf("written: %s, %s\n", counters, ratios);
  return COMMAND_SUCCESS;
}

const command baseline_command = {
    .name = "baseline",
    .summary = "rewrite DIR/baseline from this build and the samples in DIR/regress/now",
    .groups = ARGUMENTS_FOLDER,
    .run = run,
};

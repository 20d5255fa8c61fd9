/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as tables and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "json_file.h"

static const char *text_of(const json_t *object, const char *name) {
  const char *const text = json_string_value(json_object_get(object, name));
  return text ? text : "unknown";
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* where a set comes from: one line */
static void print_set(const char *name, const compare_set *set) {
  const json_t *const environment = json_object_get(set->metadata, "environment");
  const bool changed = json_is_true(json_object_get(environment, "git_dirty"));
  printf("%s  %s: %s, commit %.8s%s, %s, MuJoCo %s\n", name, set->folder,
         text_of(environment, "date"), text_of(environment, "git_commit"),
         changed ? " with changes" : "", text_of(environment, "cpu"),
         text_of(json_object_get(environment, "mujoco"), "version"));
}

/* the heading of the rows that follow */
static void print_heading(const compare_row *row) {
  const char *const unit = row->of.over ? "" : " (ms)";
  printf("\n%s%s%s, protocol %s, B/A %s\n", row->of.solver, row->of.over ? " / " : "",
         row->of.over ? row->of.over : "", row->of.protocol,
         row->paired ? "paired by start" : "unpaired");
  printf("%5s %6s%-5s %6s%-5s %7s %19s %9s %8s  %s\n", "N", "A", unit, "B", unit, "B/A",
         "95 % interval", "RMS A", "RMS B/A", "verdict");
}

static void print_row(const compare_row *row) {
  const double scale = row->of.over ? 1.0 : 1e3;
  char size[32] = "all";
  if (row->contacts) snprintf(size, sizeof size, "%zu", row->contacts);
  printf("%5s %11.4f %11.4f %7.3f  [%7.3f, %7.3f] %9.3g %8.3f  %s\n", size, scale * row->median[0],
         scale * row->median[1], row->ratio.estimate, row->ratio.low, row->ratio.high, row->rms[0],
         row->rms[1] / row->rms[0], compare_verdict_text(row->verdict));
}

static bool same_strand(const compare_row *a, const compare_row *b) {
  return !a->of.over == !b->of.over && a->paired == b->paired &&
         strcmp(a->of.solver, b->of.solver) == 0 && strcmp(a->of.protocol, b->of.protocol) == 0;
}

void compare_print(const compare_result *result) {
  print_set("A", result->set[0]);
  print_set("B", result->set[1]);
  for (size_t i = 0; i < result->count; i++) {
    const compare_row *const row = &result->row[i];
    if (i == 0 || !same_strand(row, row - 1)) print_heading(row);
    print_row(row);
  }
  printf("\nB/A above 1: B takes longer. Faster or slower is said where the whole interval is "
         "beyond %g %% and\nboth sets have %d starts or more; all is the geometric mean over N.\n",
         100.0 * result->minimum_effect, COMPARE_TRIALS_MIN);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *set_json(const compare_set *set) {
  const json_t *const environment = json_object_get(set->metadata, "environment");
  return json_pack("{s:s, s:I, s:O?, s:O?, s:O?}", "folder", set->folder, "processes",
                   (json_int_t)set->processes, "date", json_object_get(environment, "date"),
                   "git_commit", json_object_get(environment, "git_commit"), "warnings",
                   json_object_get(environment, "warnings"));
}

static json_t *row_json(const compare_row *row) {
  json_t *const object =
      json_pack("{s:o, s:I, s:s, s:s?, s:s, s:[I, I], s:b}", "contacts",
                row->contacts ? json_integer((json_int_t)row->contacts) : json_null(), "sizes",
                (json_int_t)row->sizes, "solver", row->of.solver, "over", row->of.over, "protocol",
                row->of.protocol, "trials", (json_int_t)row->trials[0], (json_int_t)row->trials[1],
                "paired", row->paired);
  const struct {
    const char *name;
    double value;
  } numbers[] = {{row->of.over ? "quotient_a" : "median_a_s", row->median[0]},
                 {row->of.over ? "quotient_b" : "median_b_s", row->median[1]},
                 {"ratio", row->ratio.estimate},
                 {"ratio_lo", row->ratio.low},
                 {"ratio_hi", row->ratio.high},
                 {"rms_error_a", row->rms[0]},
                 {"rms_error_b", row->rms[1]},
                 {"rms_error_ratio", row->rms[1] / row->rms[0]}};
  for (size_t i = 0; object && i < sizeof numbers / sizeof *numbers; i++)
    json_object_set_new(object, numbers[i].name, measure_json_number(numbers[i].value));
  if (object)
    json_object_set_new(object, "verdict", json_string(compare_verdict_text(row->verdict)));
  return object;
}

json_t *compare_json(const compare_result *result, json_t *differences) {
  json_t *const rows = json_array();
  int failed = !rows;
  for (size_t i = 0; !failed && i < result->count; i++)
    failed = json_array_append_new(rows, row_json(&result->row[i]));
  if (failed) {
    json_decref(rows);
    return NULL;
  }
  return json_pack("{s:s, s:i, s:o, s:o, s:f, s:f, s:i, s:O, s:o}", "schema", "essbench-compare-1",
                   "schema_version", 1, "a", set_json(result->set[0]), "b",
                   set_json(result->set[1]), "minimum_effect", result->minimum_effect, "confidence",
                   0.95, "minimum_trials", (int)COMPARE_TRIALS_MIN, "differences", differences,
                   "rows", rows);
}

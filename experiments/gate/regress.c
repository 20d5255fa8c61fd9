/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench counters and regress: the part of the regression gate that no clock is needed for. What
 * the fixed cases count and how far off they are, against the committed baseline. */
#include "commands.h"
#include "record.h"
#include "regress_counters.h"

static void print_text(const json_t *counts) {
  size_t i;
  const json_t *row;
  printf("%-46s %7s %7s %7s %7s %8s %8s %10s\n", "case", "events", "steps", "entries", "project.",
         "field", "guard", "RMS error");
  json_array_foreach(json_object_get(counts, "cases"), i, row) {
    printf("%-46s %7lld %7lld %7lld %7lld %8lld %8lld %10.3g\n",
           json_string_value(json_object_get(row, "name")), regress_counter(row, "events"),
           regress_counter(row, "steps"), regress_counter(row, "entries"),
           regress_counter(row, "projections"), regress_counter(row, "field_evaluations"),
           regress_counter(row, "guard_evaluations"), regress_rms_error(row));
  }
}

static int run_counters(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  json_t *const counts = regress_counts_run(message);
  if (!counts) return command_fail(given, "%s", message);
  if (given->json || given->file) return command_result(given, counts);
  print_text(counts);
  json_decref(counts);
  return COMMAND_SUCCESS;
}

const command counters_command = {
    .name = "counters",
    .summary = "run the regression gate's fixed cases: what each counts, and its error",
    .groups = ARGUMENTS_JSON | ARGUMENTS_FILE,
    .run = run_counters,
};

static int judge(arguments *given, const json_t *baseline, const json_t *now) {
  const regress_comparison found = regress_counts_compare(baseline, now, stdout);
  if (found.differences > 0)
    return command_fail(given,
                        "%zu differences from the baseline; mend them, or say why in the commit "
                        "and update it with: make baseline",
                        found.differences);
  printf("counters and errors: %zu cases as in the baseline", found.cases);
  if (found.better > 0)
    printf(", %zu of them more accurate (make baseline holds on to that)", found.better);
  printf("\n");
  return COMMAND_SUCCESS;
}

static int run_regress(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE], path[RECORD_PATH_SIZE];
  record_path(path, given->folder, REGRESS_BASELINE "/" REGRESS_COUNTERS_FILE);
  json_t *const baseline = regress_counts_read(path, message);
  json_t *const now = baseline ? regress_counts_run(message) : NULL;
  const int status = now ? judge(given, baseline, now) : command_fail(given, "%s", message);
  json_decref(now);
  json_decref(baseline);
  return status;
}

const command regress_command = {
    .name = "regress",
    .summary = "compare counters and errors with DIR/baseline: the deterministic half of the gate",
    .groups = ARGUMENTS_FOLDER,
    .run = run_regress,
};

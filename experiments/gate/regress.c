/*
 * essbench counters and regress: the part of the regression gate that no clock is needed for. What
 * the fixed cases count and how far off they are, against the committed baseline.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regress.h"

#include "commands.h"
#include "record.h"
#include "regress_counters.h"

static void print_text(const regress_counts *counts) {
  printf("%-46s %7s %7s %7s %7s %8s %8s %10s\n", "case", "events", "steps", "entries", "project.",
         "field", "guard", "RMS error");
  for (size_t i = 0; i < counts->count; i++) {
    const regress_count *const row = &counts->rows[i];
    printf("%-46s %7lld %7lld %7lld %7lld %8lld %8lld %10.3g\n", row->name,
           (long long)row->value[REGRESS_EVENTS], (long long)row->value[REGRESS_STEPS],
           (long long)row->value[REGRESS_ENTRIES], (long long)row->value[REGRESS_PROJECTIONS],
           (long long)row->value[REGRESS_FIELD], (long long)row->value[REGRESS_GUARD],
           row->rms_error);
  }
}

static int run_counters(arguments *given) {
  char message[SOLVER_MESSAGE_SIZE];
  regress_counts counts;
  if (regress_counts_run(&counts, message)) return command_fail(given, "%s", message);
  int status = COMMAND_SUCCESS;
  if (given->json || given->file)
    status = command_result(given, regress_counts_json(&counts));
  else
    print_text(&counts);
  regress_counts_free(&counts);
  return status;
}

const command counters_command = {
    .name = "counters",
    .summary = "run the regression gate's fixed cases: what each counts, and its error",
    .groups = ARGUMENTS_JSON | ARGUMENTS_FILE,
    .run = run_counters,
};

static int judge(arguments *given, const regress_counts *baseline, const regress_counts *now) {
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
  regress_counts baseline, now;
  if (record_path(path, given->folder, REGRESS_BASELINE "/" REGRESS_COUNTERS_FILE))
    return command_fail(given, "--out: the path is too long");
  if (regress_counts_read(&baseline, path, message)) return command_fail(given, "%s", message);
  int status = regress_counts_run(&now, message) ? command_fail(given, "%s", message)
                                                 : judge(given, &baseline, &now);
  regress_counts_free(&now);
  regress_counts_free(&baseline);
  return status;
}

const command regress_command = {
    .name = "regress",
    .summary = "compare counters and errors with DIR/baseline: the deterministic half of the gate",
    .groups = ARGUMENTS_FOLDER,
    .run = run_regress,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench compare: whether one set of results is faster than another. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

/* what differs, on one line of the standard error; long values are cut */
static void warn_of_differences(const json_t *differences) {
  size_t i;
  json_t *difference;
  if (json_array_size(differences) == 0) return;
  fputs("warning: the sets differ in", stderr);
  json_array_foreach(differences, i, difference) {
    char *const a = json_dumps(json_object_get(difference, "a"), JSON_ENCODE_ANY | JSON_COMPACT);
    char *const b = json_dumps(json_object_get(difference, "b"), JSON_ENCODE_ANY | JSON_COMPACT);
    fprintf(stderr, "%s %s (A %.40s, B %.40s)", i ? "," : "",
            json_string_value(json_object_get(difference, "name")), a ? a : "?", b ? b : "?");
    free(a);
    free(b);
  }
  fputc('\n', stderr);
}

/* what was wrong with the machine while a set was measured, on one line */
static void warn_of_environment(const char *name, const compare_set *set) {
  const json_t *const environment = json_object_get(set->metadata, "environment");
  const json_t *const warnings = json_object_get(environment, "warnings");
  for (size_t i = 0; i < json_array_size(warnings); i++) {
    const char *const text = json_string_value(json_array_get(warnings, i));
    if (i == 0) fprintf(stderr, "warning: when %s was measured:", name);
    fprintf(stderr, "%s %s", i ? ";" : "", text ? text : "?");
  }
  if (json_array_size(warnings)) fputc('\n', stderr);
}

/* --fail-if-slower: the first solver, or quotient of solvers, that is slower over all N */
static int check_slower(const arguments *given, const compare_result *result) {
  size_t judged = 0;
  for (size_t i = 0; i < result->count; i++) {
    const compare_row *const row = &result->row[i];
    if (row->contacts) continue;
    judged++;
    if (row->verdict != COMPARE_SLOWER) continue;
    return command_fail(given,
                        "%s%s is slower in B: %.3f times A over %zu N (%.3f to %.3f), protocol %s",
                        row->of.solver, row->of.over ? " against mujoco" : "", row->ratio.estimate,
                        row->sizes, row->ratio.low, row->ratio.high, row->of.protocol);
  }
  return judged ? COMMAND_SUCCESS
                : command_fail(given, "no start was run at every N, so there is no verdict");
}

/* differences between processes show only where there are several */
static void warn_of_processes(const compare_set set[2]) {
  if (set[0].processes >= COMPARE_PROCESSES_MIN && set[1].processes >= COMPARE_PROCESSES_MIN)
    return;
  fprintf(stderr,
          "warning: A was measured by %zu and B by %zu processes: what differs between processes "
          "is not in the intervals; essbench sweep --processes %d or more shows it\n",
          set[0].processes, set[1].processes, COMPARE_PROCESSES_MIN);
}

static int print(const arguments *given, const compare_result *result, json_t *differences) {
  if (given->json) return command_result(given, compare_json(result, differences));
  compare_print(result);
  return COMMAND_SUCCESS;
}

/* both sets are read */
static int compare(const arguments *given, const compare_set set[2]) {
  char message[MEASURE_MESSAGE_SIZE] = "out of memory";
  compare_result result = {0};
  json_t *const differences = compare_differences(&set[0], &set[1]);
  int status = differences ? compare_rows(&result, &set[0], &set[1], differences,
                                          given->minimum_effect, message)
                           : -1;
  if (status) {
    status = command_fail(given, "%s", message);
  } else {
    warn_of_differences(differences);
    warn_of_processes(set);
    warn_of_environment("A", &set[0]);
    warn_of_environment("B", &set[1]);
    status = print(given, &result, differences);
  }
  if (!status && given->fail_if_slower) status = check_slower(given, &result);
  compare_result_free(&result);
  json_decref(differences);
  return status;
}

static int run(arguments *given) {
  char message[MEASURE_MESSAGE_SIZE];
  compare_set set[2] = {{0}, {0}};
  int status = 0;
  for (int i = 0; !status && i < 2; i++)
    status = compare_set_read(&set[i], given->positionals[i], message);
  status = status ? command_fail(given, "%s", message) : compare(given, set);
  for (int i = 0; i < 2; i++) compare_set_free(&set[i]);
  return status;
}

const command compare_command = {
    .name = "compare",
    .summary = "whether folder B's sweep is faster than folder A's, with intervals",
    .example = "essbench compare results-before results",
    .groups = ARGUMENTS_JSON | ARGUMENTS_COMPARE,
    .positional = "A B",
    .run = run,
};

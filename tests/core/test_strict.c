/*
 * The look at the environment before measuring: what is printed, recorded, and refused with
 * --strict. Not being pinned to a core is the warning that any machine can be made to give.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "json_file.h"
#include "solver.h"
#include "study_run.h"
#include "test_measure_folder.h"

enum { TEXT_SIZE = 4096 };

typedef struct sample {
  double value;
} sample;

static const column columns[] = {COLUMN(sample, value, NUMBER, "", "not taken"), {0}};
static const study_option no_options[] = {{0}};

static int plan_nothing(study_run *run, size_t stage) {
  (void)run;
  (void)stage;
  return 0;
}

static const study made_up = {
    .name = "made-up",
    .file = "made_up",
    .schema = "essbench-made-up-1",
    .brief = true,
    .own_models = true,
    .options = no_options,
    .tables = {{.json = "samples", .columns = columns, .row_size = sizeof(sample)}},
    .plan = plan_nothing,
};

/* begins to measure; what went to the standard error */
static int execute(const char *folder, bool strict, char text[TEXT_SIZE], char *message) {
  const model none = {0};
  const study_request request = {.folder = folder, .strict = strict, .m = &none};
  FILE *const file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  assert_true(file && kept >= 0);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  const int status = study_execute(&made_up, &request, message);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
  fclose(file);
  return status;
}

static void warnings_are_printed_and_recorded(void **state) {
  char text[TEXT_SIZE], message[SOLVER_MESSAGE_SIZE], folder[PATH_SIZE], path[PATH_SIZE];
  assert_int_equal(execute(path_in(state, "results", folder), false, text, message), 0);
  assert_non_null(strstr(text, "warning: not pinned to a core\n"));
  json_t *const results = measure_json_read(path_in(state, "results/made_up.json", path), message);
  const json_t *const environment = json_object_get(results, "environment");
  const json_t *const warnings = json_object_get(environment, "warnings");
  size_t lines = 0;
  for (char *rest = text, *end; (end = strchr(rest, '\n')); rest = end + 1, lines++) {
    *end = '\0';
    assert_memory_equal(rest, "warning: ", strlen("warning: "));
    assert_string_equal(rest + strlen("warning: "),
                        json_string_value(json_array_get(warnings, lines)));
  }
  assert_true(lines >= 1);
  assert_int_equal(json_array_size(warnings), lines);
  assert_true(json_is_null(json_object_get(environment, "pinned_core")));
  assert_non_null(json_object_get(json_object_get(environment, "mujoco"), "avx"));
  json_decref(results);
}

static void strict_measures_nothing_and_leaves_no_folder(void **state) {
  char text[TEXT_SIZE], message[SOLVER_MESSAGE_SIZE], folder[PATH_SIZE], above[PATH_SIZE];
  assert_int_equal(execute(path_in(state, "results/deeper", folder), true, text, message), -1);
  assert_non_null(strstr(text, "warning: not pinned to a core\n"));
  assert_memory_equal(message, "--strict, and ", strlen("--strict, and "));
  assert_int_equal(entries_of(path_in(state, "results", above)), -1);
  assert_int_equal(execute(folder, false, text, message), 0);
  assert_int_equal(entries_of(folder), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(warnings_are_printed_and_recorded, folder_set_up,
                                      folder_tear_down),
      cmocka_unit_test_setup_teardown(strict_measures_nothing_and_leaves_no_folder, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

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

#include "parser.h"
#include "record.h"
#include "test_measure_folder.h"

enum { TEXT_SIZE = 4096, UNPINNED = -1 };

/* begins to measure, or only looks where there is no folder; what went to the standard error */
static int check_and_read(arguments *given, char text[TEXT_SIZE]) {
  FILE *const file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  assert_true(file && kept >= 0);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  const int status =
      given->folder ? record_open(given, UNPINNED) : record_check_environment(given, UNPINNED);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  text[fread(text, 1, TEXT_SIZE - 1, file)] = '\0';
  fclose(file);
  return status;
}

/* every line but `others` of them is one of the record's warnings, in their order */
static void assert_lines_are_warnings(const arguments *given, char text[TEXT_SIZE], size_t others) {
  const json_t *const warnings = json_object_get(given->environment, "warnings");
  const size_t count = json_array_size(warnings);
  size_t lines = 0;
  for (char *rest = text, *end; (end = strchr(rest, '\n')); rest = end + 1, lines++) {
    *end = '\0';
    if (lines >= count) continue;
    assert_memory_equal(rest, "warning: ", strlen("warning: "));
    assert_string_equal(rest + strlen("warning: "),
                        json_string_value(json_array_get(warnings, lines)));
  }
  assert_true(count >= 1);
  assert_int_equal(lines, count + others);
}

static const command made_up = {.name = "calibrate"};

static void warnings_are_printed_and_measuring_goes_on(void **state) {
  (void)state;
  arguments given = {.command = &made_up};
  char text[TEXT_SIZE];
  assert_int_equal(check_and_read(&given, text), COMMAND_SUCCESS);
  assert_non_null(strstr(text, "warning: not pinned to a core\n"));
  assert_lines_are_warnings(&given, text, 0);
  arguments_free(&given);
}

static void strict_turns_a_warning_into_failure(void **state) {
  (void)state;
  arguments given = {.command = &made_up, .strict = true};
  char text[TEXT_SIZE];
  assert_int_equal(check_and_read(&given, text), COMMAND_FAILURE);
  assert_non_null(strstr(text, "essbench calibrate: --strict, and "));
  assert_lines_are_warnings(&given, text, 1);
  arguments_free(&given);
}

static void strict_leaves_no_folder(void **state) {
  char text[TEXT_SIZE], folder[PATH_SIZE], above[PATH_SIZE];
  arguments given = {
      .command = &made_up, .folder = path_in(state, "results/deeper", folder), .strict = true};
  path_in(state, "results", above);
  assert_int_equal(check_and_read(&given, text), COMMAND_FAILURE);
  assert_lines_are_warnings(&given, text, 1);
  assert_int_equal(entries_of(above), -1);
  given.strict = false;
  assert_int_equal(check_and_read(&given, text), COMMAND_SUCCESS);
  assert_int_equal(entries_of(folder), 0);
  arguments_free(&given);
}

static void record_keeps_what_was_seen_before_measuring(void **state) {
  (void)state;
  arguments given = {.command = &made_up};
  char text[TEXT_SIZE];
  assert_int_equal(check_and_read(&given, text), COMMAND_SUCCESS);
  json_object_set_new(given.environment, "date", json_string("before"));
  // the core named here is not looked at again
  json_t *const record = record_begin("essbench-test-1", &given, 0);
  const json_t *const environment = json_object_get(record, "environment");
  assert_string_equal(json_string_value(json_object_get(environment, "date")), "before");
  assert_true(json_is_null(json_object_get(environment, "pinned_core")));
  assert_non_null(json_object_get(json_object_get(environment, "mujoco"), "avx"));
  json_decref(record);
  arguments_free(&given);
}

static void record_without_a_check_looks_now(void **state) {
  (void)state;
  const arguments given = {.command = &made_up};
  json_t *const record = record_begin("essbench-test-1", &given, 0);
  const json_t *const environment = json_object_get(record, "environment");
  assert_int_equal(json_integer_value(json_object_get(environment, "pinned_core")), 0);
  json_decref(record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warnings_are_printed_and_measuring_goes_on),
      cmocka_unit_test(strict_turns_a_warning_into_failure),
      cmocka_unit_test_setup_teardown(strict_leaves_no_folder, folder_set_up, folder_tear_down),
      cmocka_unit_test(record_keeps_what_was_seen_before_measuring),
      cmocka_unit_test(record_without_a_check_looks_now),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

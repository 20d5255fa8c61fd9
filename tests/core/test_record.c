/*
 * The look at the environment before measuring: what is printed, recorded, and refused with
 * --strict. Not being pinned to a core is the warning that any machine can be made to give.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "record.h"

enum { TEXT_SIZE = 4096, UNPINNED = -1 };

/* a look, and what it said */
typedef struct look {
  int status;
  json_t *environment;
  char text[TEXT_SIZE]; /* on the standard error */
  char message[MEASURE_MESSAGE_SIZE];
} look;

static look look_at_environment(bool strict) {
  look l;
  FILE *const file = tmpfile();
  const int kept = dup(STDERR_FILENO);
  assert_true(file && kept >= 0);
  fflush(stderr);
  dup2(fileno(file), STDERR_FILENO);
  l.status = record_environment(UNPINNED, strict, &l.environment, l.message);
  fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  rewind(file);
  l.text[fread(l.text, 1, TEXT_SIZE - 1, file)] = '\0';
  fclose(file);
  return l;
}

/* every line is one of the environment's warnings, in their order */
static void assert_lines_are_warnings(look *l) {
  const json_t *const warnings = json_object_get(l->environment, "warnings");
  size_t lines = 0;
  for (char *rest = l->text, *end; (end = strchr(rest, '\n')); rest = end + 1, lines++) {
    *end = '\0';
    assert_memory_equal(rest, "warning: ", strlen("warning: "));
    assert_string_equal(rest + strlen("warning: "),
                        json_string_value(json_array_get(warnings, lines)));
  }
  assert_true(lines >= 1);
  assert_int_equal(lines, json_array_size(warnings));
}

static void warnings_are_printed_and_measuring_goes_on(void **state) {
  (void)state;
  look l = look_at_environment(false);
  assert_int_equal(l.status, 0);
  assert_non_null(strstr(l.text, "warning: not pinned to a core\n"));
  assert_lines_are_warnings(&l);
  json_decref(l.environment);
}

static void strict_turns_a_warning_into_failure(void **state) {
  (void)state;
  look l = look_at_environment(true);
  assert_int_equal(l.status, -1);
  assert_non_null(strstr(l.message, "--strict, and "));
  assert_lines_are_warnings(&l);
  json_decref(l.environment);
}

static void a_record_has_the_environment_given(void **state) {
  (void)state;
  json_t *const environment = record_environment_now(UNPINNED);
  assert_non_null(json_object_get(json_object_get(environment, "mujoco"), "avx"));
  json_object_set_new(environment, "date", json_string("before"));
  json_t *const record = record_head("essbench-test-1", "test", 7, environment);
  const json_t *const kept = json_object_get(record, "environment");
  assert_string_equal(json_string_value(json_object_get(kept, "date")), "before");
  assert_true(json_is_null(json_object_get(kept, "pinned_core")));
  assert_int_equal(json_integer_value(json_object_get(record, "seed")), 7);
  json_decref(record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(warnings_are_printed_and_measuring_goes_on),
      cmocka_unit_test(strict_turns_a_warning_into_failure),
      cmocka_unit_test(a_record_has_the_environment_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

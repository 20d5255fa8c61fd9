/*
 * The journal: what was appended is read back, a torn line is dropped, two runs never mix.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "journal.h"

static char path[] = "/tmp/essbench-journal-XXXXXX";

static int make_path(void **state) {
  (void)state;
  const int descriptor = mkstemp(path);
  return descriptor < 0 || close(descriptor) ? -1 : 0;
}

static int remove_path(void **state) {
  (void)state;
  return unlink(path);
}

static measure_journal *open_journal(void) {
  measure_journal *j;
  char message[MEASURE_MESSAGE_SIZE];
  assert_int_equal(measure_journal_open(&j, path, message), 0);
  return j;
}

static void append(measure_journal *j, int number, double value) {
  char message[MEASURE_MESSAGE_SIZE];
  json_t *const entry = json_pack("{s:i, s:f}", "number", number, "value", value);
  assert_int_equal(measure_journal_append(j, entry, message), 0);
  json_decref(entry);
}

/* entries from the beginning; each must be numbered in order */
static int count_entries(measure_journal *j) {
  char message[MEASURE_MESSAGE_SIZE];
  int count = 0;
  for (json_t *entry;; count++) {
    assert_int_equal(measure_journal_read(j, &entry, message), 0);
    if (!entry) return count;
    assert_int_equal(json_integer_value(json_object_get(entry, "number")), count);
    assert_true(json_real_value(json_object_get(entry, "value")) == count / 3.0);
    json_decref(entry);
  }
}

static void what_is_appended_is_read_back(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  measure_journal *j = open_journal();
  assert_int_equal(measure_journal_clear(j, message), 0);
  for (int i = 0; i < 5; i++) append(j, i, i / 3.0);
  measure_journal_close(j);
  j = open_journal();
  assert_int_equal(count_entries(j), 5);
  append(j, 5, 5 / 3.0);
  measure_journal_sync(j);
  measure_journal_close(j);
  j = open_journal();
  assert_int_equal(count_entries(j), 6);
  assert_int_equal(measure_journal_clear(j, message), 0);
  measure_journal_close(j);
  j = open_journal();
  assert_int_equal(count_entries(j), 0);
  measure_journal_close(j);
}

static void a_torn_last_line_is_dropped(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  measure_journal *j = open_journal();
  assert_int_equal(measure_journal_clear(j, message), 0);
  for (int i = 0; i < 3; i++) append(j, i, i / 3.0);
  measure_journal_close(j);
  FILE *const file = fopen(path, "a");
  assert_non_null(file);
  fputs("{\"number\": 3, \"val", file);
  fclose(file);
  j = open_journal();
  append(j, 3, 1.0);
  measure_journal_close(j);
  j = open_journal();
  assert_int_equal(count_entries(j), 4);
  measure_journal_close(j);
}

static void a_second_run_is_kept_out(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  measure_journal *const first = open_journal(), *second = NULL;
  assert_int_equal(measure_journal_open(&second, path, message), -1);
  assert_non_null(strstr(message, "in use"));
  measure_journal_close(first);
}

static void a_damaged_line_is_named(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fputs("{\"number\": 0, \"value\": 0.0}\nnonsense\n", file);
  fclose(file);
  measure_journal *const j = open_journal();
  json_t *entry;
  assert_int_equal(measure_journal_read(j, &entry, message), 0);
  json_decref(entry);
  assert_int_equal(measure_journal_read(j, &entry, message), -1);
  assert_non_null(strstr(message, "line 2"));
  measure_journal_close(j);
}

/* reading one might never come to an end */
static void a_device_is_no_journal(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  measure_journal *j = NULL;
  assert_int_equal(measure_journal_open(&j, "/dev/full", message), -1);
  assert_string_equal(message, "cannot open '/dev/full': it is not a regular file");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_appended_is_read_back),
      cmocka_unit_test(a_torn_last_line_is_dropped),
      cmocka_unit_test(a_second_run_is_kept_out),
      cmocka_unit_test(a_damaged_line_is_named),
      cmocka_unit_test(a_device_is_no_journal),
  };
  return cmocka_run_group_tests(tests, make_path, remove_path);
}

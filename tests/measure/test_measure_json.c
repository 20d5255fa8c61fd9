/*
 * JSON files: round trip, what JSON cannot hold, and files that are none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json_file.h"
#include "test_measure_folder.h"

static void numbers_round_trip(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  const double numbers[] = {0.1, 1.0 / 3, -0.0, DBL_MAX, DBL_MIN, 1e15, -2.5e-17, M_PI, 2};
  const size_t count = sizeof numbers / sizeof *numbers;
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(array, measure_json_number(numbers[i]));
  assert_int_equal(measure_json_write(array, path_in(state, "a.json", path), message), 0);
  json_decref(array);
  array = measure_json_read(path, message);
  assert_int_equal(json_array_size(array), count);
  for (size_t i = 0; i < count; i++) {
    double read;
    assert_int_equal(measure_json_value(json_array_get(array, i), &read), MEASURE_SUCCESS);
    assert_memory_equal(&read, &numbers[i], sizeof read);
  }
  json_decref(array);
}

static void what_json_cannot_hold_is_null(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3; i++) {
    json_t *value = measure_json_number(bad[i]);
    double read = 0;
    assert_true(json_is_null(value));
    assert_int_equal(measure_json_value(value, &read), MEASURE_SUCCESS);
    assert_true(isnan(read));
    json_decref(value);
  }
  double read = 42;
  json_t *text = json_string("1.5");
  assert_int_equal(measure_json_value(text, &read), MEASURE_EINVAL);
  assert_int_equal(measure_json_value(NULL, &read), MEASURE_EINVAL);
  assert_true(read == 42);
  json_decref(text);
}

static void text_is_as_expected(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE], text[128];
  json_t *object = json_pack("{s:f, s:i, s:n}", "z", 0.5, "a", 3, "m");
  assert_int_equal(measure_json_write(object, path_in(state, "a.json", path), message), 0);
  json_decref(object);
  // members in the order they were set
  assert_string_equal(read_text(path, text, sizeof text),
                      "{\n  \"z\": 0.5,\n  \"a\": 3,\n  \"m\": null\n}\n");
  assert_int_equal(entries_of(*state), 1);
}

static void broken_files_are_refused(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "a.json", path);
  const char *const broken[] = {"", "{\"a\": 1", "{\"a\": 0,5}", "{\"a\": 1, \"a\": 2}", "[NaN]"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    assert_int_equal(write_text(path, broken[i]), 0);
    message[0] = '\0';
    assert_null(measure_json_read(path, message));
    assert_non_null(strstr(message, "a.json', line 1: "));
    assert_null(strchr(message, '\n'));
  }
  assert_null(measure_json_read(path_in(state, "none.json", path), message));
  assert_non_null(strstr(message, "cannot read '"));
}

static void what_cannot_be_written_leaves_nothing(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  json_t *object = json_object();
  assert_int_equal(measure_json_write(object, "/dev/full", message), -1);
  assert_non_null(strstr(message, "not a regular file"));
  path_in(state, "none/a.json", path);
  assert_int_equal(measure_json_write(object, path, message), -1);
  // an object that holds itself has no text
  path_in(state, "a.json", path);
  json_t *inner = json_array();
  json_object_set_new(object, "inner", inner);
  json_array_append(inner, object);
  assert_int_equal(measure_json_write(object, path, message), -1);
  assert_int_equal(entries_of(*state), 0);
  json_array_clear(inner);
  json_decref(object);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_A_FOLDER(numbers_round_trip),
      cmocka_unit_test(what_json_cannot_hold_is_null),
      IN_A_FOLDER(text_is_as_expected),
      IN_A_FOLDER(broken_files_are_refused),
      IN_A_FOLDER(what_cannot_be_written_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

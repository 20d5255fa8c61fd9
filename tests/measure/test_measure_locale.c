/*
 * Numbers are the same in every locale: the program's main may have called setlocale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csv.h"
#include "json_file.h"
#include "test_measure_folder.h"

/* A decimal comma, and a decimal point of two bytes that jansson alone would get wrong. */
static const char *const comma_locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", NULL};
static const char *const two_byte_locales[] = {"ps_AF.UTF-8", "fa_IR.UTF-8", NULL};

/* Sets the first locale of a list that this system has and that has no decimal point. */
static void use_locale(const char *const names[]) {
  for (size_t i = 0; names[i]; i++) {
    if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ".")) return;
  }
  setlocale(LC_ALL, "C");
  print_message("skipped: this system has no locale %s\n", names[0]);
  skip();
}

static int back_to_c(void **state) {
  setlocale(LC_ALL, "C");
  return folder_tear_down(state);
}

static void check_numbers(void) {
  char text[MEASURE_NUMBER_SIZE], message[MEASURE_MESSAGE_SIZE];
  measure_number_format(text, -1234.5);
  assert_string_equal(text, "-1234.5");
  measure_message(message, "%.2f of %d", 0.25, 1000);
  assert_string_equal(message, "0.25 of 1000");
  double value = 0;
  assert_int_equal(measure_number_parse("1.5e-3", &value), MEASURE_SUCCESS);
  assert_true(value == 1.5e-3);
  assert_int_equal(measure_number_parse("1,5", &value), MEASURE_EINVAL);
  assert_true(value == 1.5e-3);
}

static void check_csv(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE], text[64];
  FILE *stream = fopen(path_in(state, "t.csv", path), "w");
  const char *const columns[] = {"x", "y"};
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, 2);
  measure_csv_number(&csv, 0.5);
  measure_csv_number(&csv, -2.25);
  measure_csv_end_row(&csv);
  fclose(stream);
  read_text(path, text, sizeof text);
  assert_string_equal(text, "x,y\n0.5,-2.25\n");
  measure_table *table;
  double y;
  assert_int_equal(measure_table_read(&table, path, message), 0);
  assert_int_equal(measure_table_numbers(table, "y", &y, message), 0);
  assert_true(y == -2.25);
  measure_table_free(table);
}

static void check_json(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE], text[64];
  json_t *object = json_pack("{s:f}", "x", 0.5);
  assert_int_equal(measure_json_write(object, path_in(state, "t.json", path), message), 0);
  json_decref(object);
  assert_string_equal(read_text(path, text, sizeof text), "{\n  \"x\": 0.5\n}\n");
  object = measure_json_read(path, message);
  assert_non_null(object);
  assert_true(json_real_value(json_object_get(object, "x")) == 0.5);
  json_decref(object);
}

static void check_all(void **state) {
  char text[32];
  // the locale is really in force, and still is when all is done
  const char *point = localeconv()->decimal_point;
  check_numbers();
  check_csv(state);
  check_json(state);
  snprintf(text, sizeof text, "%.1f", 0.5);
  assert_null(strchr(text, '.'));
  assert_string_equal(localeconv()->decimal_point, point);
}

static void c_locale(void **state) {
  check_numbers();
  check_csv(state);
  check_json(state);
}

static void decimal_comma(void **state) {
  use_locale(comma_locales);
  check_all(state);
}

static void decimal_point_of_two_bytes(void **state) {
  use_locale(two_byte_locales);
  check_all(state);
}

static void only_whole_numbers_are_numbers(void **state) {
  (void)state;
  const char *const wrong[] = {"", " ", "1 ", " 1", "1x", "x", "1.5.2", "--1", "e5", "1,000"};
  double value = 42;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(measure_number_parse(wrong[i], &value), MEASURE_EINVAL);
  }
  assert_int_equal(measure_number_parse(NULL, &value), MEASURE_EINVAL);
  assert_true(value == 42);
  assert_int_equal(measure_number_parse("nan", &value), MEASURE_SUCCESS);
  assert_true(isnan(value));
  assert_int_equal(measure_number_parse("-inf", &value), MEASURE_SUCCESS);
  assert_true(value == -INFINITY);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, back_to_c)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_A_FOLDER(c_locale),
      IN_A_FOLDER(decimal_comma),
      IN_A_FOLDER(decimal_point_of_two_bytes),
      IN_A_FOLDER(only_whole_numbers_are_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tables written and read back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "csv.h"
#include "test_measure_folder.h"

/* a field as a number */
static double number_of(const measure_table *table, size_t row, const char *name) {
  double value = NAN;
  const char *const text = measure_table_text(table, row, measure_table_column(table, name));
  if (!text || measure_number_parse(text, &value)) fail_msg("row %zu: no number %s", row, name);
  return value;
}

static void table_is_written_as_expected(void **state) {
  (void)state;
  char text[256] = "", message[MEASURE_MESSAGE_SIZE];
  FILE *stream = fmemopen(text, sizeof text, "w");
  const char *const columns[] = {"solver", "contacts", "median_s"};
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, 3);
  measure_csv_text(&csv, "projection");
  measure_csv_number(&csv, -7);
  measure_csv_number(&csv, 0.5);
  measure_csv_end_row(&csv);
  measure_csv_text(&csv, "a,\"b\"");
  measure_csv_number(&csv, (double)2);
  measure_csv_number(&csv, -NAN);
  measure_csv_end_row(&csv);
  assert_int_equal(measure_csv_finish(&csv, message), 0);
  fclose(stream);
  assert_string_equal(text, "solver,contacts,median_s\nprojection,-7,0.5\n"
                            "\"a,\"\"b\"\"\",2,nan\n");
}

static void texts_round_trip(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  const char *const nasty[] = {"",        ",",      "\"",        "\"\"",         "a\nb",
                               "a\r\nb",  " space", "space ",    "a\rb",         "plain",
                               "x,\"y\"", "\n",     "'single'",  "sch\xc3\xb6n", "\"q",
                               "q\"",     "a;b",    "tab\there", "1,5",          "#"};
  const size_t count = sizeof nasty / sizeof *nasty;
  // two columns, and one: where an empty field could be taken for a blank line
  for (size_t width = 1; width <= 2; width++) {
    FILE *stream = fopen(path_in(state, "t.csv", path), "w");
    const char *const columns[] = {"na,me", "b"};
    measure_csv csv;
    measure_csv_begin(&csv, stream, columns, width);
    for (size_t i = 0; i < count; i++) {
      measure_csv_text(&csv, nasty[i]);
      if (width > 1) measure_csv_text(&csv, nasty[count - 1 - i]);
      measure_csv_end_row(&csv);
    }
    assert_int_equal(measure_csv_finish(&csv, message), 0);
    fclose(stream);

    measure_table *table;
    assert_int_equal(measure_table_read(&table, path, message), 0);
    assert_int_equal(measure_table_rows(table), count);
    assert_null(measure_table_text(table, 0, width));
    assert_int_equal(measure_table_column(table, "na,me"), 0);
    for (size_t i = 0; i < count; i++) {
      assert_string_equal(measure_table_text(table, i, 0), nasty[i]);
      if (width > 1) assert_string_equal(measure_table_text(table, i, 1), nasty[count - 1 - i]);
    }
    measure_table_free(table);
  }
}

static void numbers_round_trip(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  const double numbers[] = {0.1,      1.0 / 3, -0.0,     DBL_MAX, DBL_MIN, 4.9406564584124654e-324,
                            1e15,     123456,  -2.5e-17, M_PI,    NAN,     INFINITY,
                            -INFINITY};
  const size_t count = sizeof numbers / sizeof *numbers;
  FILE *stream = fopen(path_in(state, "t.csv", path), "w");
  const char *const columns[] = {"id", "value"};
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, 2);
  for (size_t i = 0; i < count; i++) {
    measure_csv_number(&csv, (double)i);
    measure_csv_number(&csv, numbers[i]);
    measure_csv_end_row(&csv);
  }
  assert_int_equal(measure_csv_finish(&csv, message), 0);
  fclose(stream);

  measure_table *table;
  double read[sizeof numbers / sizeof *numbers];
  assert_int_equal(measure_table_read(&table, path, message), 0);
  for (size_t i = 0; i < count; i++) read[i] = number_of(table, i, "value");
  for (size_t i = 0; i < count; i++) {
    if (isnan(numbers[i])) {
      assert_true(isnan(read[i]));
    } else {
      assert_memory_equal(&read[i], &numbers[i], sizeof read[i]);
    }
  }
  measure_table_free(table);
}

static void wrong_rows_are_told(void **state) {
  (void)state;
  char text[256], message[MEASURE_MESSAGE_SIZE];
  FILE *stream = fmemopen(text, sizeof text, "w");
  const char *const columns[] = {"a", "b"};
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, 2);
  measure_csv_number(&csv, (double)1);
  assert_int_equal(measure_csv_finish(&csv, message), -1);
  assert_string_equal(message, "row 1 of the table was not ended");
  measure_csv_number(&csv, (double)2);
  measure_csv_end_row(&csv);
  measure_csv_number(&csv, (double)3);
  measure_csv_end_row(&csv);
  assert_int_equal(measure_csv_finish(&csv, message), -1);
  assert_string_equal(message, "row 2 of the table has 1 fields; its header has 2");
  fclose(stream);
}

static void failing_stream_is_told(void **state) {
  (void)state;
  char message[MEASURE_MESSAGE_SIZE];
  FILE *stream = fopen("/dev/full", "w");
  assert_non_null(stream);
  setvbuf(stream, NULL, _IONBF, 0);
  const char *const columns[] = {"a"};
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, 1);
  assert_int_equal(measure_csv_finish(&csv, message), -1);
  fclose(stream);
}

static void foreign_tables_are_read(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  // a byte-order mark, carriage returns, blank lines, no newline at the end
  path_in(state, "t.csv", path);
  assert_int_equal(write_text(path, "\xef\xbb\xbf\"x\",y\r\n\r\n1,\"2\"\r\n\n3,"), 0);
  measure_table *table;
  assert_int_equal(measure_table_read(&table, path, message), 0);
  assert_int_equal(measure_table_rows(table), 2);
  assert_int_equal(measure_table_column(table, "x"), 0);
  assert_int_equal(measure_table_column(table, "z"), SIZE_MAX);
  assert_string_equal(measure_table_text(table, 0, 1), "2");
  assert_string_equal(measure_table_text(table, 1, 1), "");
  assert_null(measure_table_text(table, 2, 0));
  assert_null(measure_table_text(table, 0, 2));
  assert_true(number_of(table, 0, "x") == 1 && number_of(table, 1, "x") == 3);
  measure_table_free(table);
}

static void broken_tables_are_refused(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  path_in(state, "t.csv", path);
  const char *const broken[][2] = {
      {"a,b\n1,2\n3\n", "line 3: 1 fields; the header has 2"},
      {"a,b\n\"1\n2\",2,3\n", "line 2: 3 fields"},
      {"a,b\n\"1,2\n", "line 2: a quote is not closed"},
      {"a,b\n\"1\"2,3\n", "line 2: a field goes on"},
      {"", "is empty"},
      {"\n\n", "is empty"},
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    measure_table *table = (measure_table *)1;
    assert_int_equal(write_text(path, broken[i][0]), 0);
    assert_int_equal(measure_table_read(&table, path, message), -1);
    assert_null(table);
    if (!strstr(message, broken[i][1])) fail_msg("'%s' instead of '%s'", message, broken[i][1]);
    assert_null(strchr(message, '\n'));
  }
  measure_table *table;
  assert_int_equal(measure_table_read(&table, path_in(state, "none.csv", path), message), -1);
  assert_non_null(strstr(message, "cannot read '"));
  assert_non_null(strstr(message, strerror(ENOENT)));
  assert_int_equal(measure_table_read(&table, *state, message), -1);
  assert_non_null(strstr(message, strerror(EISDIR)));
  measure_table_free(NULL);
}

static void table_larger_than_any_buffer_is_read(void **state) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  enum { ROWS = 30000 };
  FILE *stream = fopen(path_in(state, "t.csv", path), "w");
  const char *const columns[] = {"i", "square"};
  measure_csv csv;
  measure_csv_begin(&csv, stream, columns, 2);
  for (int i = 0; i < ROWS; i++) {
    measure_csv_number(&csv, (double)i);
    measure_csv_number(&csv, (double)i * i / 7);
    measure_csv_end_row(&csv);
  }
  assert_int_equal(measure_csv_finish(&csv, message), 0);
  fclose(stream);
  measure_table *table;
  assert_int_equal(measure_table_read(&table, path, message), 0);
  assert_int_equal(measure_table_rows(table), ROWS);
  for (int i = 0; i < ROWS; i++)
    assert_true(number_of(table, (size_t)i, "square") == (double)i * i / 7);
  measure_table_free(table);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_written_as_expected),
      IN_A_FOLDER(texts_round_trip),
      IN_A_FOLDER(numbers_round_trip),
      cmocka_unit_test(wrong_rows_are_told),
      cmocka_unit_test(failing_stream_is_told),
      IN_A_FOLDER(foreign_tables_are_read),
      IN_A_FOLDER(broken_tables_are_refused),
      IN_A_FOLDER(table_larger_than_any_buffer_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What the tests of the command line share: the program run as a user runs it, and what it wrote.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef EXPERIMENTS_FIXTURE_H
#define EXPERIMENTS_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "csv.h"
#include "json_file.h"
#include "test_measure_folder.h"

enum { COMMAND_SIZE = 2048 };

/* Whether all of `text` is lines that warn of the machine's state, or say how far a slow one is,
 * which is no business of a test. */
static inline int only_warnings(const char *text) {
  while (*text) {
    if (strncmp(text, "warning: ", 9) != 0 && strncmp(text, "progress: ", 10) != 0) return 0;
    text = strchr(text, '\n');
    if (!text) return 0;
    text++;
  }
  return 1;
}

/* Runs `essbench ARGUMENTS` (words of the shell) in the test's folder, with its output in the files
 * out and err there; fails unless it succeeds and says nothing on the standard error but that. */
__attribute__((format(printf, 2, 3))) static inline void essbench(void **state, const char *format,
                                                                  ...) {
  char words[COMMAND_SIZE], command[2 * COMMAND_SIZE], path[PATH_SIZE], said[COMMAND_SIZE];
  va_list values;
  va_start(values, format);
  vsnprintf(words, sizeof words, format, values);
  va_end(values);
  snprintf(command, sizeof command, "cd '%s' && '%s' %s >out 2>err </dev/null",
           (const char *)*state, ESSBENCH, words);
  const int status = system(command);
  read_text(path_in(state, "err", path), said, sizeof said);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !only_warnings(said))
    fail_msg("essbench %s: status %d, said: %s", words, WEXITSTATUS(status), said);
}

/* The JSON in a file of the test's folder; decref it. */
static inline json_t *read_json(void **state, const char *name) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  json_t *const value = measure_json_read(path_in(state, name, path), message);
  if (!value) fail_msg("%s", message);
  return value;
}

/* What `essbench ARGUMENTS --json` prints; decref it. */
#define ESSBENCH_JSON(state, ...) (essbench(state, __VA_ARGS__), read_json(state, "out"))

/* A member that is a number. */
static inline double number_of(const json_t *object, const char *name) {
  const json_t *const value = json_object_get(object, name);
  if (!json_is_number(value)) fail_msg("no number %s", name);
  return json_number_value(value);
}

/* A member that is a text. */
static inline const char *text_of(const json_t *object, const char *name) {
  const json_t *const value = json_object_get(object, name);
  if (!json_is_string(value)) fail_msg("no text %s", name);
  return json_string_value(value);
}

/* The table in a file of the test's folder, with exactly these columns; free it. */
static inline measure_table *read_table(void **state, const char *name, const char *const columns[],
                                        size_t count) {
  char path[PATH_SIZE], message[MEASURE_MESSAGE_SIZE];
  measure_table *table;
  if (measure_table_read(&table, path_in(state, name, path), message)) fail_msg("%s", message);
  for (size_t i = 0; i < count; i++)
    if (measure_table_column(table, columns[i]) == SIZE_MAX)
      fail_msg("%s has no column %s", name, columns[i]);
  return table;
}

/* A field as a number. */
static inline double field_of(const measure_table *table, size_t row, const char *name) {
  double value = NAN;
  const char *const text = measure_table_text(table, row, measure_table_column(table, name));
  if (!text || measure_number_parse(text, &value)) fail_msg("row %zu: no number %s", row, name);
  return value;
}

#endif

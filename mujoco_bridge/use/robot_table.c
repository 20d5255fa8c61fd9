/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "robot_table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "csv.h"
#include "solver.h"

static size_t width_of(const measure_table *table) {
  size_t width = 0;
  while (measure_table_name(table, width)) ++width;
  return width;
}

enum { REASON_SIZE = ROBOT_NAME_SIZE + 32 };

/* the table's column for each: by names where all are there, in order where none is; false, and the
 * reason, when only some are, or there are not as many columns */
static bool find_columns(const robot *r, const robot_table_of *of, const measure_table *table,
                         size_t column[], char reason[REASON_SIZE]) {
  char room[ROBOT_NAME_SIZE];
  size_t named = 0, missing = of->count;
  for (size_t i = of->count; i-- > 0;) {
    const char *const name = of->name(r, i, room);
    column[i] = name ? measure_table_column(table, name) : SIZE_MAX;
    if (column[i] == SIZE_MAX)
      missing = i;
    else
      ++named;
  }
  if (missing == of->count) return true;
  const char *const name = named ? of->name(r, missing, room) : NULL;
  if (name)
    snprintf(reason, REASON_SIZE, "'%.*s' is missing", ROBOT_NAME_SIZE, name);
  else
    snprintf(reason, REASON_SIZE, "it has %zu", width_of(table));
  for (size_t i = 0; i < of->count; ++i) column[i] = i;
  return named == 0 && width_of(table) == of->count;
}

/* a column that would be left out without a word: where columns go by names, one more of a name, or
 * one of another name */
static const char *find_spare(const robot_table_of *of, const measure_table *table,
                              const size_t column[], bool *is_twice) {
  const size_t width = width_of(table);
  for (size_t i = 0; i < width && width > of->count; ++i) {
    size_t taken = 0;
    while (taken < of->count && column[taken] != i) ++taken;
    const char *const name = measure_table_name(table, i);
    *is_twice = measure_table_column(table, name) < i;
    if (taken == of->count) return name;
  }
  return NULL;
}

/* rows alone: the first would be taken for the header */
static bool has_no_header(const measure_table *table) {
  double number;
  size_t i = 0;
  while (measure_table_name(table, i) &&
         measure_number_parse(measure_table_name(table, i), &number) == 0)
    ++i;
  return !measure_table_name(table, i);
}

/* 0, or SOLVER_REFUSED with one line */
static int match_columns(const robot *r, const robot_table_of *of, const measure_table *table,
                         const char *path, size_t column[], char message[ROBOT_MESSAGE_SIZE]) {
  bool is_twice = false;
  const char *spare = NULL;
  char reason[REASON_SIZE];
  if (has_no_header(table))
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "%s %.200s: the first line must name the columns; it has numbers", of->option, path);
  else if (measure_table_rows(table) == 0)
    snprintf(message, ROBOT_MESSAGE_SIZE, "%s %.200s: the table has no row below its header",
             of->option, path);
  else if (!find_columns(r, of, table, column, reason))
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "%s %.200s must have a column for each of %zu %ss, by name or in their order; %s",
             of->option, path, of->count, of->noun, reason);
  else if ((spare = find_spare(of, table, column, &is_twice)))
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "%s %.200s: column '%.60s' is %s%s; accepted is one for each of %zu %ss%s", of->option,
             path, spare, is_twice ? "there twice" : "of no ", is_twice ? "" : of->noun, of->count,
             of->noun, of->rows);
  else
    return 0;
  return SOLVER_REFUSED;
}

static int read_rows(const robot_table_of *of, const measure_table *table, const char *path,
                     const size_t column[], double values[], char message[ROBOT_MESSAGE_SIZE]) {
  for (size_t row = 0; row < measure_table_rows(table); ++row)
    for (size_t i = 0; i < of->count; ++i) {
      const char *const text = measure_table_text(table, row, column[i]);
      double *const value = &values[row * of->count + i];
      if (text && measure_number_parse(text, value) == 0 && isfinite(*value)) continue;
      snprintf(message, ROBOT_MESSAGE_SIZE,
               "%s %.200s: row %zu has %.60s for %s %zu; each must be a finite number", of->option,
               path, row + 1, text ? text : "nothing", of->noun, i + 1);
      return SOLVER_REFUSED;
    }
  return 0;
}

int robot_table_read(const robot *r, const robot_table_of *of, const char *path, double **values,
                     size_t *rows, char message[ROBOT_MESSAGE_SIZE]) {
  measure_table *table;
  char why[MEASURE_MESSAGE_SIZE];
  *values = NULL;
  if (measure_table_read(&table, path, why)) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "%s: %.450s", of->option, why);
    return access(path, R_OK) ? SOLVER_FAILED : SOLVER_REFUSED;
  }
  *rows = measure_table_rows(table);
  size_t *const column = calloc(of->count + 1, sizeof *column);
  double *const room = calloc(*rows * of->count + 1, sizeof *room);
  int status = SOLVER_FAILED;
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  if (column && room) status = match_columns(r, of, table, path, column, message);
  if (status == 0) status = read_rows(of, table, path, column, room, message);
  if (status == 0)
    *values = room;
  else
    free(room);
  free(column);
  measure_table_free(table);
  return status;
}

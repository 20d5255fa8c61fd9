/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L

#include "robot_controls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "robot_instance.h"
#include "robot_numbers.h"
#include "solver.h"

/* how close to a tick a time is taken for it, in periods */
static const double rounding = 1e-9;

static int allocate(robot_controls *c, size_t count, char message[ROBOT_MESSAGE_SIZE]) {
  c->count = count;
  c->value = calloc(count * c->nu + 1, sizeof *c->value);
  if (c->value) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  return SOLVER_FAILED;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int set_constant(robot_controls *c, const double numbers[], size_t count, const char *text,
                        char message[ROBOT_MESSAGE_SIZE]) {
  if (count != 1 && count != c->nu) {
    char one_each[64] = "";
    if (c->nu > 1) snprintf(one_each, sizeof one_each, ", or %zu, one for each", c->nu);
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "--ctrl %.60s has %zu numbers; accepted is one number for all actuators%s", text,
             count, one_each);
    return SOLVER_REFUSED;
  }
  if (allocate(c, 1, message)) return SOLVER_FAILED;
  for (size_t i = 0; i < c->nu; ++i) c->value[i] = numbers[count == 1 ? 0 : i];
  return 0;
}

/* ---- a table --------------------------------------------------------------------------------- */

static size_t width_of(const measure_table *table) {
  size_t width = 0;
  while (measure_table_name(table, width)) ++width;
  return width;
}

static const char *actuator_name(const robot *r, size_t i) {
  return mj_id2name(r->shared->model, mjOBJ_ACTUATOR, (int)i);
}

/* the table's column for each actuator: by names where all are there, in order where none is;
 * false when only some are, or there are not as many columns */
static bool find_columns(const robot *r, const measure_table *table, size_t column[]) {
  size_t named = 0;
  const size_t nu = robot_size(r).nu;
  for (size_t i = 0; i < nu; ++i) {
    const char *const name = actuator_name(r, i);
    column[i] = name ? measure_table_column(table, name) : SIZE_MAX;
    named += column[i] != SIZE_MAX;
  }
  if (named == nu) return true;
  for (size_t i = 0; i < nu; ++i) column[i] = i;
  return named == 0 && width_of(table) == nu;
}

/* a column that would be left out without a word: where columns go by names, one more of a name, or
 * one of another name */
static const char *find_spare(const measure_table *table, const size_t column[], size_t nu,
                              const char **why) {
  const size_t width = width_of(table);
  for (size_t i = 0; i < width && width > nu; ++i) {
    size_t taken = 0;
    while (taken < nu && column[taken] != i) ++taken;
    const char *const name = measure_table_name(table, i);
    *why = measure_table_column(table, name) < i ? "is there twice" : "is of no actuator";
    if (taken == nu) return name;
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
static int match_columns(const robot *r, const measure_table *table, size_t column[],
                         const char *path, char message[ROBOT_MESSAGE_SIZE]) {
  const size_t nu = robot_size(r).nu;
  const char *why = "", *spare = NULL;
  if (has_no_header(table))
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "--ctrl %.200s: the first line must name the columns; it has numbers", path);
  else if (measure_table_rows(table) == 0)
    snprintf(message, ROBOT_MESSAGE_SIZE, "--ctrl %.200s: the table has no row below its header",
             path);
  else if (!find_columns(r, table, column))
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "--ctrl %.200s must have a column for each of %zu actuators, by name or in their "
             "order",
             path, nu);
  else if ((spare = find_spare(table, column, nu, &why)))
    snprintf(message, ROBOT_MESSAGE_SIZE,
             "--ctrl %.200s: column '%.60s' %s; it has one for each of %zu actuators, and a row is "
             "held for --period",
             path, spare, why, nu);
  else
    return 0;
  return SOLVER_REFUSED;
}

static int read_rows(robot_controls *c, const measure_table *table, const size_t column[],
                     const char *path, char message[ROBOT_MESSAGE_SIZE]) {
  for (size_t row = 0; row < c->count; ++row)
    for (size_t i = 0; i < c->nu; ++i) {
      const char *const text = measure_table_text(table, row, column[i]);
      double *const value = &c->value[row * c->nu + i];
      if (text && measure_number_parse(text, value) == 0 && isfinite(*value)) continue;
      snprintf(message, ROBOT_MESSAGE_SIZE,
               "--ctrl %.200s: row %zu has %.60s for actuator %zu; it "
               "has a finite number for each",
               path, row + 1, text ? text : "nothing", i + 1);
      return SOLVER_REFUSED;
    }
  return 0;
}

static int set_table(const robot *r, robot_controls *c, const char *path,
                     char message[ROBOT_MESSAGE_SIZE]) {
  measure_table *table;
  char why[MEASURE_MESSAGE_SIZE];
  if (measure_table_read(&table, path, why)) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "--ctrl: %.450s", why);
    return access(path, R_OK) ? SOLVER_FAILED : SOLVER_REFUSED;
  }
  size_t *const column = calloc(c->nu + 1, sizeof *column);
  int status = SOLVER_FAILED;
  snprintf(message, ROBOT_MESSAGE_SIZE, "out of memory");
  if (column) status = match_columns(r, table, column, path, message);
  if (status == 0) status = allocate(c, measure_table_rows(table), message);
  if (status == 0) status = read_rows(c, table, column, path, message);
  free(column);
  measure_table_free(table);
  return status;
}

/* those that the model's own start has */
static int set_own(const robot *r, robot_controls *c, char message[ROBOT_MESSAGE_SIZE]) {
  const mjModel *const m = r->shared->model;
  if (allocate(c, 1, message)) return SOLVER_FAILED;
  if (m->nkey > 0) memcpy(c->value, m->key_ctrl, c->nu * sizeof *c->value);
  return 0;
}

/* ---- what others see ------------------------------------------------------------------------- */

int robot_controls_read(const robot *r, const char *text, double period, robot_controls *out,
                        char message[ROBOT_MESSAGE_SIZE]) {
  *out = (robot_controls){.nu = robot_size(r).nu, .period = period};
  if (!text) return set_own(r, out, message);
  if (out->nu == 0) {
    snprintf(message, ROBOT_MESSAGE_SIZE, "--ctrl %.60s is not accepted; the model has no actuator",
             text);
    return SOLVER_REFUSED;
  }
  size_t count;
  double *const numbers = robot_numbers_parse(text, &count);
  int status =
      numbers ? set_constant(out, numbers, count, text, message) : set_table(r, out, text, message);
  free(numbers);
  if (status) robot_controls_free(out);
  return status;
}

void robot_controls_free(robot_controls *c) {
  free(c->value);
  c->value = NULL;
}

const double *robot_controls_at(const robot_controls *c, double t, double *until) {
  const double periods = floor(t / c->period + rounding);
  const bool last = c->count == 1 || periods >= (double)(c->count - 1);
  const size_t row = last ? c->count - 1 : periods > 0.0 ? (size_t)periods : 0;
  if (until) *until = last ? INFINITY : (double)(row + 1) * c->period;
  return c->value + row * c->nu;
}

/*
 * A set of results as a comparison reads it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "contacts_range.h"
#include "json_file.h"
#include "record.h"

static const char schema_prefix[] = "essbench-sweep-";

const compare_cell *compare_set_find(const compare_set *set, size_t contacts, const char *solver,
                                     const char *protocol) {
  for (size_t i = 0; i < set->count; i++) {
    const compare_cell *const c = &set->cell[i];
    if (c->contacts == contacts && strcmp(c->solver, solver) == 0 &&
        strcmp(c->protocol, protocol) == 0)
      return c;
  }
  return NULL;
}

/* sorts a cell's samples; a trial that is there twice means that files were mixed */
static int sort_cell(const compare_set *set, compare_cell *c, char *message) {
  const compare_sample *const s = c->times.sample;
  compare_series_sort(&c->times);
  for (size_t i = 1; i < c->times.count; i++) {
    if (s[i].trial != s[i - 1].trial) continue;
    return measure_fail(message,
                        "'%s/sweep_samples.csv' has trial %g of %s, %s at %zu contacts twice",
                        set->folder, s[i].trial, c->solver, c->protocol, c->contacts);
  }
  return 0;
}

/* the cell of a row of the table, a new one when it is the first of its kind. Rows of a cell stand
 * together, so the cell of the row before is the likeliest; NULL without memory */
static compare_cell *cell_of(compare_set *set, size_t contacts, const char *solver,
                             const char *protocol, compare_cell *before) {
  if (before && before->contacts == contacts && strcmp(before->solver, solver) == 0 &&
      strcmp(before->protocol, protocol) == 0)
    return before;
  const compare_cell *const known = compare_set_find(set, contacts, solver, protocol);
  if (known) return &set->cell[known - set->cell];
  compare_cell *const larger = realloc(set->cell, (set->count + 1) * sizeof *larger);
  if (!larger) return NULL;
  set->cell = larger;
  larger[set->count] = (compare_cell){.contacts = contacts, .solver = solver, .protocol = protocol};
  return &larger[set->count++];
}

/* appends a sample; the room doubles whenever the count is a power of two */
static int append(compare_series *series, compare_sample sample) {
  if ((series->count & (series->count - 1)) == 0) {
    const size_t room = series->count ? 2 * series->count : 1;
    compare_sample *const larger = realloc(series->sample, room * sizeof *larger);
    if (!larger) return -1;
    series->sample = larger;
  }
  series->sample[series->count++] = sample;
  return 0;
}

/* the columns of numbers that are read */
enum { CONTACTS, TRIAL, SECONDS, RMS_ERROR, PROCESS, COLUMNS };

/* the columns one after the other, for the caller to free; without processes all are process 0 */
static double *read_numbers(const compare_set *set, size_t rows, char *message) {
  static const char *const names[COLUMNS] = {"contacts", "trial", "seconds", "rms_error",
                                             "process"};
  const bool processes = measure_table_column(set->table, names[PROCESS]) != SIZE_MAX;
  double *const numbers = calloc(rows ? COLUMNS * rows : 1, sizeof *numbers);
  if (!numbers) measure_message(message, "out of memory");
  for (size_t i = 0; numbers && i < (processes ? COLUMNS : PROCESS); i++) {
    if (!measure_table_numbers(set->table, names[i], numbers + i * rows, message)) continue;
    free(numbers);
    return NULL;
  }
  return numbers;
}

static bool is_whole(double value, double min, double max) {
  return value >= min && value <= max && value == floor(value);
}

/* refuses a row that no sweep can have written */
static int check_row(const compare_set *set, size_t row, double contacts,
                     const compare_sample *sample, char *message) {
  const bool not_measured = isnan(sample->value);
  const bool measured =
      sample->value > 0.0 && isfinite(sample->value) && sample->rms >= 0.0 && isfinite(sample->rms);
  if (is_whole(contacts, 1, CONTACTS_RANGE_MAX) && is_whole(sample->trial, 0, 1e9) &&
      is_whole(sample->process, 0, 1e6) && (measured || not_measured))
    return 0;
  return measure_fail(message,
                      "'%s/sweep_samples.csv', row %zu: contacts %g, trial %g, seconds %g, "
                      "rms_error %g; no sweep writes such",
                      set->folder, row + 1, contacts, sample->trial, sample->value, sample->rms);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* how many different numbers there are; sorts them */
static size_t count_distinct(double numbers[], size_t count) {
  size_t distinct = 0;
  qsort(numbers, count, sizeof *numbers, ascending);
  for (size_t i = 0; i < count; i++) distinct += i == 0 || numbers[i] != numbers[i - 1];
  return distinct;
}

static int read_cells(compare_set *set, char *message) {
  const size_t rows = measure_table_rows(set->table);
  const size_t solver = measure_table_column(set->table, "solver");
  const size_t protocol = measure_table_column(set->table, "protocol");
  if (solver == SIZE_MAX || protocol == SIZE_MAX)
    return measure_fail(message, "'%s/sweep_samples.csv' has no column '%s'", set->folder,
                        solver == SIZE_MAX ? "solver" : "protocol");
  double *const numbers = read_numbers(set, rows, message);
  if (!numbers) return -1;
  compare_cell *cell = NULL;
  int status = 0;
  for (size_t i = 0; !status && i < rows; i++) {
    const double contacts = numbers[CONTACTS * rows + i];
    const compare_sample sample = {.trial = numbers[TRIAL * rows + i],
                                   .process = numbers[PROCESS * rows + i],
                                   .value = numbers[SECONDS * rows + i],
                                   .rms = numbers[RMS_ERROR * rows + i]};
    status = check_row(set, i, contacts, &sample, message);
    if (status || isnan(sample.value)) continue;
    cell = cell_of(set, (size_t)contacts, measure_table_text(set->table, i, solver),
                   measure_table_text(set->table, i, protocol), cell);
    if (cell && !append(&cell->times, sample)) continue;
    measure_message(message, "out of memory");
    status = -1;
  }
  for (size_t i = 0; !status && i < set->count; i++)
    status = sort_cell(set, &set->cell[i], message);
  if (!status) set->processes = count_distinct(numbers + PROCESS * rows, rows);
  free(numbers);
  return status;
}

/* sweep.json, which must be a sweep's */
static int read_metadata(compare_set *set, char *message) {
  char path[RECORD_PATH_SIZE];
  if (record_path(path, set->folder, "sweep.json"))
    return measure_fail(message, "the path of sweep.json is too long");
  set->metadata = measure_json_read(path, message);
  if (!set->metadata) return -1;
  const char *const schema = json_string_value(json_object_get(set->metadata, "schema"));
  if (schema && strncmp(schema, schema_prefix, strlen(schema_prefix)) == 0) return 0;
  return measure_fail(message, "'%s' is no result of essbench sweep: its schema is %.60s, not %s1",
                      path, schema ? schema : "not named", schema_prefix);
}

int compare_set_read(compare_set *set, const char *folder, char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  *set = (compare_set){.folder = folder};
  int status = read_metadata(set, message);
  if (!status && record_path(path, folder, "sweep_samples.csv")) {
    measure_message(message, "the path of sweep_samples.csv is too long");
    status = -1;
  }
  if (!status) status = measure_table_read(&set->table, path, message);
  if (!status) status = read_cells(set, message);
  if (status) compare_set_free(set);
  return status;
}

void compare_set_free(compare_set *set) {
  for (size_t i = 0; i < set->count; i++) compare_series_free(&set->cell[i].times);
  free(set->cell);
  measure_table_free(set->table);
  json_decref(set->metadata);
  *set = (compare_set){0};
}

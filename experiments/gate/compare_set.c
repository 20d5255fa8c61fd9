/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of results as a comparison reads it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "contacts_range.h"
#include "json_file.h"
#include "record.h"

static const char schema_prefix[] = "essbench-sweep-";

static int by_key(const void *a, const void *b) {
  const compare_sample *const x = a, *const y = b;
  if (x->contacts != y->contacts) return x->contacts < y->contacts ? -1 : 1;
  int order = strcmp(x->solver, y->solver);
  if (!order) order = strcmp(x->protocol, y->protocol);
  return order ? order : (x->trial > y->trial) - (x->trial < y->trial);
}

const compare_sample *compare_set_find(const compare_set *set, size_t contacts, const char *solver,
                                       const char *protocol, double trial) {
  const compare_sample wanted = {
      .contacts = contacts, .solver = solver, .protocol = protocol, .trial = trial};
  return bsearch(&wanted, set->sample, set->count, sizeof wanted, by_key);
}

/* a trial that is there twice means that files were mixed */
static int sort_samples(compare_set *set, char *message) {
  const compare_sample *const s = set->sample;
  qsort(set->sample, set->count, sizeof *set->sample, by_key);
  for (size_t i = 1; i < set->count; i++)
    if (by_key(&s[i - 1], &s[i]) == 0)
      return measure_fail(message,
                          "'%s/sweep_samples.csv' has trial %g of %s, %s at %zu contacts twice",
                          set->folder, s[i].trial, s[i].solver, s[i].protocol, s[i].contacts);
  return 0;
}

/* notes a solver under a protocol that is the first of its kind */
static int note_strand(compare_set *set, const compare_sample *s) {
  for (size_t i = 0; i < set->strands; i++)
    if (strcmp(set->strand[i].solver, s->solver) == 0 &&
        strcmp(set->strand[i].protocol, s->protocol) == 0)
      return 0;
  compare_strand *const more = realloc(set->strand, (set->strands + 1) * sizeof *more);
  if (!more) return -1;
  set->strand = more;
  more[set->strands++] = (compare_strand){.solver = s->solver, .protocol = s->protocol};
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
static int check_row(const compare_set *set, size_t row, double contacts, const compare_sample *s,
                     char *message) {
  const bool measured =
      s->seconds > 0.0 && isfinite(s->seconds) && s->rms >= 0.0 && isfinite(s->rms);
  if (is_whole(contacts, 1, CONTACTS_RANGE_MAX) && is_whole(s->trial, 0, 1e9) &&
      is_whole(s->process, 0, 1e6) && (measured || isnan(s->seconds)))
    return 0;
  return measure_fail(message,
                      "'%s/sweep_samples.csv', row %zu: contacts %g, trial %g, seconds %g, "
                      "rms_error %g; no sweep writes such",
                      set->folder, row + 1, contacts, s->trial, s->seconds, s->rms);
}

/* the rows that were measured, in the order of the table */
static int fill(compare_set *set, const double numbers[], size_t rows, char *message) {
  const size_t solver = measure_table_column(set->table, "solver");
  const size_t protocol = measure_table_column(set->table, "protocol");
  if (solver == SIZE_MAX || protocol == SIZE_MAX)
    return measure_fail(message, "'%s/sweep_samples.csv' has no column '%s'", set->folder,
                        solver == SIZE_MAX ? "solver" : "protocol");
  for (size_t i = 0; i < rows; i++) {
    const double contacts = numbers[CONTACTS * rows + i];
    compare_sample s = {.solver = measure_table_text(set->table, i, solver),
                        .protocol = measure_table_text(set->table, i, protocol),
                        .trial = numbers[TRIAL * rows + i],
                        .process = numbers[PROCESS * rows + i],
                        .seconds = numbers[SECONDS * rows + i],
                        .rms = numbers[RMS_ERROR * rows + i]};
    if (check_row(set, i, contacts, &s, message)) return -1;
    // numbered from 0
    if (s.process >= (double)set->processes) set->processes = (size_t)s.process + 1;
    if (isnan(s.seconds)) continue;
    s.contacts = (size_t)contacts;
    set->sample[set->count++] = s;
    if (note_strand(set, &s)) return measure_fail(message, "out of memory");
  }
  return sort_samples(set, message);
}

static int read_samples(compare_set *set, char *message) {
  const size_t rows = measure_table_rows(set->table);
  double *const numbers = read_numbers(set, rows, message);
  if (!numbers) return -1;
  set->sample = calloc(rows + 1, sizeof *set->sample);
  const int status =
      set->sample ? fill(set, numbers, rows, message) : measure_fail(message, "out of memory");
  free(numbers);
  return status;
}

/* sweep.json, which must be a sweep's */
static int read_metadata(compare_set *set, char *message) {
  char path[RECORD_PATH_SIZE];
  set->metadata = measure_json_read(record_path(path, set->folder, "sweep.json"), message);
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
  record_path(path, folder, "sweep_samples.csv");
  if (!status) status = measure_table_read(&set->table, path, message);
  if (!status) status = read_samples(set, message);
  if (status) compare_set_free(set);
  return status;
}

void compare_set_free(compare_set *set) {
  free(set->sample);
  free(set->strand);
  measure_table_free(set->table);
  json_decref(set->metadata);
  *set = (compare_set){0};
}

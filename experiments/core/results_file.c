/*
 * CSV tables of results.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "results_file.h"

#include "record.h"

int results_file_begin(results_file *r, const char *folder, const char *name,
                       const char *const columns[], size_t count,
                       char message[MEASURE_MESSAGE_SIZE]) {
  char path[RECORD_PATH_SIZE];
  if (record_path(path, folder, name)) {
    measure_message(message, "the path of %.40s is too long", name);
    return -1;
  }
  if (measure_file_open(&r->file, path, message)) return -1;
  measure_csv_begin(&r->csv, measure_file_stream(r->file), columns, count);
  return 0;
}

void results_file_row(results_file *r, const double values[], size_t count) {
  for (size_t i = 0; i < count; i++) measure_csv_number(&r->csv, values[i]);
  measure_csv_end_row(&r->csv);
}

int results_file_end(results_file *r, bool keep, char message[MEASURE_MESSAGE_SIZE]) {
  // a stream that failed is told of by commit, which names the file
  const bool failed = ferror(measure_file_stream(r->file));
  if (keep && (failed || !measure_csv_finish(&r->csv, message)))
    return measure_file_commit(r->file, message);
  measure_file_discard(r->file);
  return keep ? -1 : 0;
}

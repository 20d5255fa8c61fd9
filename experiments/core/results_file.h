/*
 * One CSV table of results, written whole or not at all, in one place for all protocols.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RESULTS_FILE_H
#define RESULTS_FILE_H

#include <stdbool.h>

#include "csv.h"
#include "files.h"

typedef struct results_file {
  measure_file *file;
  measure_csv csv;
} results_file;

/* Begins folder/name with these columns. 0, or -1 with one line. */
int results_file_begin(results_file *r, const char *folder, const char *name,
                       const char *const columns[], size_t count,
                       char message[MEASURE_MESSAGE_SIZE]);

/* Adds one row of `count` numbers; NaN stands for what is not known. */
void results_file_row(results_file *r, const double values[], size_t count);

/* Makes the file appear, or with `keep` false drops it. 0, or -1 with one line. */
int results_file_end(results_file *r, bool keep, char message[MEASURE_MESSAGE_SIZE]);

#endif

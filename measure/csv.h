/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comma-separated values: rows written to any stream under a header of named columns, and tables
 * read back by column name. Quoting is RFC 4180's; lines end in a newline; numbers are %.17g, with
 * "nan", "inf" and "-inf" as they are. */
#ifndef MEASURE_CSV_H
#define MEASURE_CSV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "measure.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* A writer, owned by the caller; its members are private. Errors stick and are told at the end, so
 * that the calls in between need no checking. */
typedef struct measure_csv {
  FILE *stream;
  size_t columns, field, row;
  size_t bad_row, bad_fields; /* the first row of a wrong width, counted from 1 */
} measure_csv;

/* Begins on `stream` (of an atomic file, standard output, ...) and writes the header: `count` >= 1
 * column names. */
void measure_csv_begin(measure_csv *csv, FILE *stream, const char *const columns[], size_t count);

/* The next field of the present row. */
void measure_csv_text(measure_csv *csv, const char *text);
void measure_csv_number(measure_csv *csv, double value);

/* Ends the present row, which must have a field for every column. */
void measure_csv_end_row(measure_csv *csv);

/* 0 when every row was complete and the stream has no error; else -1 with one line. */
int measure_csv_finish(const measure_csv *csv, char message[MEASURE_MESSAGE_SIZE]);

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct measure_table measure_table;

/* Reads a whole file whose first row is the header. Every row must be as wide as the header; blank
 * lines are skipped. Returns 0 and *table for measure_table_free, or -1 with one line that names
 * file and line. */
int measure_table_read(measure_table **table, const char *path, char message[MEASURE_MESSAGE_SIZE]);

/* Frees a table; NULL is accepted. */
void measure_table_free(measure_table *table);

/* Rows below the header, and a column's index by name (SIZE_MAX when there is none). */
size_t measure_table_rows(const measure_table *table);
size_t measure_table_column(const measure_table *table, const char *name);

/* A column's name; owned by the table. NULL behind the last. */
const char *measure_table_name(const measure_table *table, size_t column);

/* A field's text, unquoted; owned by the table. NULL outside it. */
const char *measure_table_text(const measure_table *table, size_t row, size_t column);

#endif

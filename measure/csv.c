/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"

static bool needs_quotes(const char *text) {
  const size_t length = strlen(text);
  if (length == 0) return false;
  return strpbrk(text, ",\"\r\n") || text[0] == ' ' || text[length - 1] == ' ';
}

static void put_quoted(FILE *stream, const char *text) {
  fputc('"', stream);
  for (const char *at = text; *at; at++) {
    if (*at == '"') fputc('"', stream);
    fputc(*at, stream);
  }
  fputc('"', stream);
}

void measure_csv_begin(measure_csv *csv, FILE *stream, const char *const columns[], size_t count) {
  *csv = (measure_csv){.stream = stream, .columns = count};
  for (size_t i = 0; i < count; i++) measure_csv_text(csv, columns[i]);
  measure_csv_end_row(csv);
  csv->row = 0;
}

void measure_csv_text(measure_csv *csv, const char *text) {
  if (csv->field++ > 0) fputc(',', csv->stream);
  // a row of one empty field would look like a blank line
  if (needs_quotes(text) || (csv->columns == 1 && !*text)) {
    put_quoted(csv->stream, text);
  } else {
    fputs(text, csv->stream);
  }
}

void measure_csv_number(measure_csv *csv, double value) {
  char text[MEASURE_NUMBER_SIZE];
  measure_number_format(text, value);
  measure_csv_text(csv, text);
}

void measure_csv_end_row(measure_csv *csv) {
  fputc('\n', csv->stream);
  csv->row++;
  if (csv->field != csv->columns && csv->bad_row == 0) {
    csv->bad_row = csv->row;
    csv->bad_fields = csv->field;
  }
  csv->field = 0;
}

int measure_csv_finish(const measure_csv *csv, char message[MEASURE_MESSAGE_SIZE]) {
  if (csv->bad_row > 0)
    return measure_fail(message, "row %zu of the table has %zu fields; its header has %zu",
                        csv->bad_row, csv->bad_fields, csv->columns);
  if (csv->field > 0)
    return measure_fail(message, "row %zu of the table was not ended", csv->row + 1);
  if (ferror(csv->stream)) return measure_fail(message, "the table could not be written");
  return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct measure_table {
  char *path;
  char *text;    /* the file, with a NUL behind each field */
  char **fields; /* row-major, header first */
  size_t field_count, capacity;
  size_t columns;
};

/* ---- the file -------------------------------------------------------------------------------- */

static int read_text(measure_table *table, char message[MEASURE_MESSAGE_SIZE]) {
  errno = 0;
  FILE *const stream = fopen(table->path, "re");
  size_t size = 0;
  // all of it, or up to the NUL that no table holds
  const ssize_t length = stream ? getdelim(&table->text, &size, '\0', stream) : -1;
  const bool empty = length < 0 && stream && feof(stream);
  const int reason = errno;
  if (stream) fclose(stream);
  if (empty) return measure_fail(message, "'%s' is empty; a header line is needed", table->path);
  if (length < 0)
    return measure_fail(message, "cannot read '%s': %s", table->path, strerror(reason));
  if (strlen(table->text) != (size_t)length)
    return measure_fail(message, "'%s' is not a table: it holds a NUL character", table->path);
  return 0;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Where the reader is. */
typedef struct cursor {
  char *at;
  size_t line;
} cursor;

static int keep_field(measure_table *table, char *field) {
  if (table->field_count == table->capacity) {
    const size_t capacity = table->capacity ? 2 * table->capacity : 256;
    char **fields = realloc(table->fields, capacity * sizeof *fields);
    if (!fields) return -1;
    table->fields = fields;
    table->capacity = capacity;
  }
  table->fields[table->field_count++] = field;
  return 0;
}

/* Unquotes the field that begins with a quote at c->at; leaves c->at behind the closing one. NULL
 * when there is none. */
static char *quoted_field(cursor *c, char **end) {
  char *field = ++c->at, *to = field;
  for (;;) {
    if (!*c->at) return NULL;
    if (*c->at == '\n') c->line++;
    if (*c->at == '"') {
      c->at++;
      if (*c->at != '"') break;
    }
    *to++ = *c->at++;
  }
  *end = to;
  return field;
}

static char *plain_field(cursor *c, char **end) {
  char *field = c->at;
  c->at += strcspn(c->at, ",\r\n");
  *end = c->at;
  return field;
}

/* Reads one row; its width goes to *width. Returns NULL, or what is wrong with it. */
static const char *read_row(measure_table *table, cursor *c, size_t *width) {
  for (*width = 0;;) {
    char *end;
    char *field = *c->at == '"' ? quoted_field(c, &end) : plain_field(c, &end);
    if (!field) return "a quote is not closed";

    // the separator is looked at before the NUL that ends the field overwrites it
    if (*c->at == '\r' && c->at[1] == '\n') c->at++;
    const char separator = *c->at;
    if (separator != ',' && separator != '\n' && separator != '\0')
      return "a field goes on behind its closing quote, or holds a carriage return";
    if (separator) c->at++;
    *end = '\0';
    if (keep_field(table, field)) return "out of memory";
    ++*width;
    if (separator == '\n') c->line++;
    if (separator != ',') return NULL;
  }
}

static void skip_blank_lines(cursor *c) {
  while (*c->at == '\n' || (*c->at == '\r' && c->at[1] == '\n')) {
    c->at += *c->at == '\r' ? 2 : 1;
    c->line++;
  }
}

static int read_rows(measure_table *table, char message[MEASURE_MESSAGE_SIZE]) {
  cursor c = {table->text, 1};
  // a byte-order mark, as spreadsheets write
  if (!strncmp(c.at, "\xef\xbb\xbf", 3)) c.at += 3;
  for (skip_blank_lines(&c); *c.at; skip_blank_lines(&c)) {
    const size_t line = c.line;
    size_t width;
    const char *fault = read_row(table, &c, &width);
    if (fault) return measure_fail(message, "'%s', line %zu: %s", table->path, line, fault);
    if (table->columns == 0) table->columns = width;
    if (width != table->columns)
      return measure_fail(message, "'%s', line %zu: %zu fields; the header has %zu", table->path,
                          line, width, table->columns);
  }
  if (table->columns == 0)
    return measure_fail(message, "'%s' is empty; a header line is needed", table->path);
  return 0;
}

int measure_table_read(measure_table **table, const char *path,
                       char message[MEASURE_MESSAGE_SIZE]) {
  *table = NULL;
  measure_table *read = calloc(1, sizeof *read);
  if (read) read->path = malloc(strlen(path) + 1);
  if (!read || !read->path) {
    measure_message(message, "cannot read '%s': out of memory", path);
    measure_table_free(read);
    return -1;
  }
  strcpy(read->path, path);
  if (read_text(read, message) || read_rows(read, message)) {
    measure_table_free(read);
    return -1;
  }
  *table = read;
  return 0;
}

void measure_table_free(measure_table *table) {
  if (!table) return;
  free(table->fields);
  free(table->text);
  free(table->path);
  free(table);
}

/* ---- access ---------------------------------------------------------------------------------- */

size_t measure_table_rows(const measure_table *table) {
  return table->field_count / table->columns - 1;
}

size_t measure_table_column(const measure_table *table, const char *name) {
  for (size_t i = 0; i < table->columns; i++)
    if (!strcmp(table->fields[i], name)) return i;
  return SIZE_MAX;
}

const char *measure_table_name(const measure_table *table, size_t column) {
  return column < table->columns ? table->fields[column] : NULL;
}

const char *measure_table_text(const measure_table *table, size_t row, size_t column) {
  if (row >= measure_table_rows(table) || column >= table->columns) return NULL;
  return table->fields[(row + 1) * table->columns + column];
}

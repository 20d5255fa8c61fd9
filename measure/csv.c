/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv.h"

#include <stdbool.h>
#include <string.h>

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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "json_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "files.h"

json_t *measure_json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *measure_json_numbers(const double values[], size_t count, size_t stride) {
  json_t *const array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, measure_json_number(values[i * stride]));
  return array;
}

json_t *measure_json_counts(const size_t values[], size_t count) {
  json_t *const array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, json_integer((json_int_t)values[i]));
  return array;
}

json_t *measure_json_known(const char *text) {
  json_t *const value = *text ? json_string(text) : NULL;
  return value ? value : json_null();
}

int measure_json_value(const json_t *value, double *out) {
  if (json_is_null(value)) {
    *out = NAN;
  } else if (json_is_number(value)) {
    *out = json_number_value(value);
  } else {
    return MEASURE_EINVAL;
  }
  return MEASURE_SUCCESS;
}

int measure_json_print(const json_t *value, FILE *stream) {
  const int failed = json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  return failed || fputc('\n', stream) == EOF ? -1 : 0;
}

char *measure_json_text(const json_t *value) {
  return json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
}

json_t *measure_json_parse(const char *text) {
  return json_loads(text, 0, NULL);
}

int measure_json_write(const json_t *value, const char *path, char message[MEASURE_MESSAGE_SIZE]) {
  measure_file *file;
  if (measure_file_open(&file, path, message)) return -1;
  // a failed stream is the commit's to report, for it knows why
  if (measure_json_print(value, measure_file_stream(file)) && !ferror(measure_file_stream(file))) {
    measure_message(message, "cannot write '%s': its content is no JSON", path);
    measure_file_discard(file);
    return -1;
  }
  return measure_file_commit(file, message);
}

json_t *measure_json_read(const char *path, char message[MEASURE_MESSAGE_SIZE]) {
  FILE *stream = fopen(path, "re");
  if (!stream) {
    measure_message(message, "cannot read '%s': %s", path, strerror(errno));
    return NULL;
  }
  json_error_t error;
  json_t *value = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
  fclose(stream);
  if (!value) measure_message(message, "'%s', line %d: %s", path, error.line, error.text);
  return value;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON to and from files. */
#ifndef MEASURE_JSON_FILE_H
#define MEASURE_JSON_FILE_H

#include <jansson.h>
#include <stdio.h>

#include "measure.h"

/* A new real, or null for NaN and infinities, which JSON does not have. NULL when memory is out. */
json_t *measure_json_number(double value);

/* A new array of such, or of whole numbers: values[0], values[stride], ... */
json_t *measure_json_numbers(const double values[], size_t count, size_t stride);
json_t *measure_json_counts(const size_t values[], size_t count);

/* A new string, or null for a text that is empty or is no UTF-8. */
json_t *measure_json_known(const char *text);

/* The number `value` holds: NaN for null. Returns MEASURE_EINVAL for anything else. */
int measure_json_value(const json_t *value, double *out);

/* Writes `value` (borrowed) as indented text that round-trips, members in the order they were set,
 * with a newline at its end. Returns 0, or -1 when memory is out or the stream failed. */
int measure_json_print(const json_t *value, FILE *stream);

/* The same on one line, without the newline: to be freed, or NULL without memory; and such a line
 * read: a new reference, or NULL when it is no JSON. */
char *measure_json_text(const json_t *value);
json_t *measure_json_parse(const char *text);

/* As print, into a file that appears whole or not at all. Returns 0, or -1 with one line. */
int measure_json_write(const json_t *value, const char *path, char message[MEASURE_MESSAGE_SIZE]);

/* Reads a file; a new reference, or NULL with one line that names file, line and fault. */
json_t *measure_json_read(const char *path, char message[MEASURE_MESSAGE_SIZE]);

#endif

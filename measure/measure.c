/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const messages[MEASURE_STATUS_COUNT] = {
    [MEASURE_SUCCESS] = "success",
    [MEASURE_EINVAL] = "an argument is outside its accepted range",
    [MEASURE_ENOMEM] = "out of memory",
    [MEASURE_ENONFINITE] = "the data hold a NaN or an infinity",
    [MEASURE_ECALLBACK] = "a callback failed",
    [MEASURE_ESTOP] = "stopped by the observer of samples",
};

const char *measure_strerror(int status) {
  if (status < 0 || status >= MEASURE_STATUS_COUNT) return "unknown status";
  return messages[status];
}

void measure_message_v(char message[MEASURE_MESSAGE_SIZE], const char *format, va_list arguments) {
  vsnprintf(message, MEASURE_MESSAGE_SIZE, format, arguments);
}

void measure_message(char message[MEASURE_MESSAGE_SIZE], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  measure_message_v(message, format, arguments);
  va_end(arguments);
}

int measure_fail(char message[MEASURE_MESSAGE_SIZE], const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  measure_message_v(message, format, arguments);
  va_end(arguments);
  return -1;
}

void *measure_grow(void *array, size_t *room, size_t count, size_t size) {
  if (count < *room) return array;
  const size_t more = *room ? 2 * *room : 64;
  void *const grown = realloc(array, more * size);
  if (grown) *room = more;
  return grown;
}

void measure_number_format(char text[MEASURE_NUMBER_SIZE], double value) {
  snprintf(text, MEASURE_NUMBER_SIZE, "%.17g", isnan(value) ? fabs(value) : value);
}

int measure_number_parse(const char *text, double *value) {
  // strtod would skip white space in front, which a field of a table must not hold
  if (!text || !*text || isspace((unsigned char)*text)) return MEASURE_EINVAL;
  char *end;
  const double number = strtod(text, &end);
  if (end == text || *end) return MEASURE_EINVAL;
  *value = number;
  return MEASURE_SUCCESS;
}

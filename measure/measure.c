/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "measure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "c_locale.h"

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

measure_c_locale measure_c_locale_enter(void) {
  measure_c_locale scope = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (scope.c) scope.previous = uselocale(scope.c);
  return scope;
}

void measure_c_locale_leave(measure_c_locale scope) {
  if (!scope.c) return;
  uselocale(scope.previous);
  freelocale(scope.c);
}

void measure_message_v(char message[MEASURE_MESSAGE_SIZE], const char *format, va_list arguments) {
  const measure_c_locale scope = measure_c_locale_enter();
  vsnprintf(message, MEASURE_MESSAGE_SIZE, format, arguments);
  measure_c_locale_leave(scope);
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

void measure_number_format(char text[MEASURE_NUMBER_SIZE], double value) {
  const measure_c_locale scope = measure_c_locale_enter();
  snprintf(text, MEASURE_NUMBER_SIZE, "%.17g", isnan(value) ? fabs(value) : value);
  measure_c_locale_leave(scope);
}

int measure_number_parse(const char *text, double *value) {
  // strtod would skip white space in front, which a field of a table must not hold
  if (!text || !*text || isspace((unsigned char)*text)) return MEASURE_EINVAL;
  const measure_c_locale scope = measure_c_locale_enter();
  char *end;
  const double number = strtod(text, &end);
  measure_c_locale_leave(scope);
  if (end == text || *end) return MEASURE_EINVAL;
  *value = number;
  return MEASURE_SUCCESS;
}

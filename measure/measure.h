/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the whole measure room: statuses, one-line messages and numbers as text. The room
 * times callbacks, does statistics on what it timed and writes results; it knows nothing of models,
 * solvers or engines, and needs GSL, jansson and SQLite only. It never touches GSL's error handler:
 * a program that wants MEASURE_ENOMEM instead of GSL's abort calls gsl_set_error_handler_off(), and
 * one that writes numbers stays in the C locale. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdarg.h>
#include <stddef.h>

enum { MEASURE_MESSAGE_SIZE = 512, MEASURE_NUMBER_SIZE = 32 };

/*
 * Numerical functions return one of these. Functions that touch files return 0, or -1 with one line
 * in `message`, which names what was wrong.
 */
typedef enum measure_status {
  MEASURE_SUCCESS = 0,
  MEASURE_EINVAL,     /* an argument outside its accepted range */
  MEASURE_ENOMEM,     /* allocation failed */
  MEASURE_ENONFINITE, /* NaN or infinity among the data */
  MEASURE_ECALLBACK,  /* a callback returned nonzero */
  MEASURE_ESTOP,      /* the observer of samples asked to stop */
  MEASURE_STATUS_COUNT
} measure_status;

/* Message of a status: static storage, lower case, no full stop. Never NULL. */
const char *measure_strerror(int status);

/* Writes one line, cut to the buffer. */
__attribute__((format(printf, 2, 3))) void measure_message(char message[MEASURE_MESSAGE_SIZE],
                                                           const char *format, ...);
__attribute__((format(printf, 2, 0))) void measure_message_v(char message[MEASURE_MESSAGE_SIZE],
                                                             const char *format, va_list arguments);

/* The same; returns -1, for `return`. */
__attribute__((format(printf, 2, 3))) int measure_fail(char message[MEASURE_MESSAGE_SIZE],
                                                       const char *format, ...);

/* An array with room for one element more than the `count` that it has: the same, or one that is
 * twice as long, with *room set. NULL when memory is out: the array is as it was. */
void *measure_grow(void *array, size_t *room, size_t count, size_t size);

/* `value` as %.17g: reads back as the same number. NaN is "nan" whatever its sign,
 * infinities are "inf" and "-inf". */
void measure_number_format(char text[MEASURE_NUMBER_SIZE], double value);

/* Reads all of `text` as a number ("nan" and "inf" included). MEASURE_EINVAL, and
 * *value untouched, when it is anything else: empty, trailing characters, a decimal comma. */
int measure_number_parse(const char *text, double *value);

#endif

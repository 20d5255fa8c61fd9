/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command says when it does not do what it was asked: one line on the standard error. */
#include "command.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_file.h"

enum { LINE_SIZE = 1024 };

/* whatever a file or an argument is called, it stays one line and commands no terminal */
static void say(const char *name, const char *format, va_list values) {
  char line[LINE_SIZE];
  vsnprintf(line, sizeof line, format, values);
  for (char *c = line; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = '?';
  fprintf(stderr, "essbench%s%s: %s\n", *name ? " " : "", name, line);
}

int command_fail(const arguments *given, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(given->command->name, format, values);
  va_end(values);
  return COMMAND_FAILURE;
}

int command_stop(const arguments *given, int status, const char *message) {
  command_fail(given, "%s", message);
  return status == SOLVER_REFUSED ? COMMAND_USAGE : COMMAND_FAILURE;
}

bool command_numbers(const char *text, size_t count, double out[]) {
  for (size_t i = 0; i < count; i++) {
    char word[64];
    const size_t length = strcspn(text, ",");
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (length >= sizeof word || measure_number_parse(word, &out[i]) || !isfinite(out[i]))
      return false;
    text += length;
    if (*text++ != (i + 1 < count ? ',' : '\0')) return false;
  }
  return true;
}

int command_result(const arguments *given, json_t *result) {
  char message[MEASURE_MESSAGE_SIZE] = "cannot write the result";
  const int failed = !result       ? -1
                     : given->file ? measure_json_write(result, given->file, message)
                                   : measure_json_print(result, stdout);
  json_decref(result);
  return failed ? command_fail(given, "%s", message) : COMMAND_SUCCESS;
}

void command_usage(const arguments *given, const char *format, ...) {
  va_list values;
  va_start(values, format);
  say(given->command->name, format, values);
  va_end(values);
  exit(COMMAND_USAGE);
}

int command_unknown(const char *format, ...) {
  va_list values;
  va_start(values, format);
  say("", format, values);
  va_end(values);
  return COMMAND_USAGE;
}

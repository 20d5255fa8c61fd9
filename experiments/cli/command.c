/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command says when it does not do what it was asked: one line on the standard error; and
 * whether what it says arrives. */
#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- the standard streams -------------------------------------------------------------------- */

/* room for the longest help: a write that fails then fails in streams_close, which says why */
enum { OUTPUT_SIZE = 65536 };

void streams_open(void) {
  setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
  // opened the wrong way round: what is read or written there fails, as the caller asked for
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

/* whoever read it has left, as `head` does: that is no failure to tell of */
static bool reader_has_left(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int streams_close(int status) {
  errno = 0;
  const bool unwritten = fflush(stdout) != 0, lost = unwritten || ferror(stdout) != 0;
  if (!lost || status != COMMAND_SUCCESS) return status;
  const int why = errno;
  if (reader_has_left()) return COMMAND_FAILURE;
  fprintf(stderr, "essbench: cannot write to the standard output%s%s\n", why ? ": " : "",
          why ? strerror(why) : "");
  return COMMAND_FAILURE;
}

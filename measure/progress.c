/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "progress.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

// nanoseconds between two drawings, and between two lines; what is under way may last, and is not
// to be hidden by what was drawn just before
static const uint64_t drawing_ns = 100000000, within_ns = 10000000, line_ns = 30000000000;

void measure_progress_begin(measure_progress *progress, FILE *stream, const char *label,
                            uint64_t done, uint64_t total) {
  if (!stream) stream = stderr;
  *progress = (measure_progress){.stream = stream,
                                 .drawn = isatty(fileno(stream)),
                                 .label = label,
                                 .kept = done,
                                 .done = done,
                                 .total = total,
                                 .start_ns = measure_clock_ns()};
  // drawn at once; a line only to who has waited
  if (!progress->drawn) progress->shown_ns = progress->start_ns;
}

/* "3:07" or "1:02:45" */
static void format_duration(char text[], size_t size, double seconds) {
  const uint64_t s = seconds < 3.6e8 ? (uint64_t)seconds : 360000000;
  if (s >= 3600) {
    snprintf(text, size, "%" PRIu64 ":%02u:%02u", s / 3600, (unsigned)(s / 60 % 60),
             (unsigned)(s % 60));
  } else {
    snprintf(text, size, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
  }
}

/* Columns a line may take without wrapping, for a wrapped line cannot be erased. */
static int columns_of(FILE *stream) {
  struct winsize size;
  const int known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1 : 79;
}

/* Draws `line` over what was there; what sticks out behind it is blanked. */
static void draw(measure_progress *progress, const char *line) {
  const int columns = columns_of(progress->stream);
  const int length = (int)strlen(line);
  const int width = length < columns ? length : columns;
  const int blank = progress->width > width ? progress->width - width : 0;
  fprintf(progress->stream, "\r%.*s%*s", width, line, blank, "");
  fflush(progress->stream);
  progress->width = width;
}

/* one write, so that lines of several programs into one file stay whole */
static void say(const measure_progress *progress, const char *line) {
  char whole[MEASURE_MESSAGE_SIZE + 16];
  snprintf(whole, sizeof whole, "progress: %s\n", line);
  fputs(whole, progress->stream);
  fflush(progress->stream);
}

static void show(measure_progress *progress, uint64_t between_ns) {
  const uint64_t done = progress->done;
  const uint64_t now = measure_clock_ns();
  const uint64_t interval_ns = progress->drawn ? between_ns : line_ns;
  if (progress->shown_ns && now - progress->shown_ns < interval_ns) return;
  progress->shown_ns = now;

  const double elapsed = 1e-9 * (double)(now - progress->start_ns);
  const double rate = elapsed > 0 ? (double)(done - progress->kept) / elapsed : 0;
  char left[32] = "?", line[MEASURE_MESSAGE_SIZE];
  if (rate > 0 && done <= progress->total)
    format_duration(left, sizeof left, (double)(progress->total - done) / rate);
  if (done == progress->kept)
    measure_message(line, "%s %" PRIu64 "/%" PRIu64 "%s%s", progress->label, done, progress->total,
                    *progress->within ? ", " : "", progress->within);
  else
    measure_message(line, "%s %" PRIu64 "/%" PRIu64 ", %.3g/s, %s left%s%s", progress->label, done,
                    progress->total, rate, left, *progress->within ? "; " : "", progress->within);
  if (progress->drawn)
    draw(progress, line);
  else
    say(progress, line);
}

void measure_progress_update(measure_progress *progress, uint64_t done) {
  if (!progress->stream) return;
  progress->done = done;
  *progress->within = '\0';
  show(progress, drawing_ns);
}

void measure_progress_within(measure_progress *progress, const char *text) {
  if (!progress->stream) return;
  snprintf(progress->within, sizeof progress->within, "%s", text);
  show(progress, within_ns);
}

void measure_progress_end(measure_progress *progress) {
  FILE *const stream = progress->stream;
  if (stream && progress->drawn) {
    if (progress->width > 0) draw(progress, "");
    fputc('\r', stream);
    fflush(stream);
  }
  progress->stream = NULL;
}

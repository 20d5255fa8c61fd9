/*
 * Progress on a terminal, and a line now and then in a pipe.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "progress.h"

enum { SCREEN_SIZE = 1 << 16 };

/* A terminal of `columns`: *master reads what is written to the stream. */
static FILE *open_terminal(int *master, unsigned short columns) {
  *master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  assert_true(*master >= 0);
  assert_int_equal(grantpt(*master), 0);
  assert_int_equal(unlockpt(*master), 0);
  FILE *stream = fopen(ptsname(*master), "w");
  assert_non_null(stream);
  const struct winsize size = {.ws_row = 24, .ws_col = columns};
  assert_int_equal(ioctl(*master, TIOCSWINSZ, &size), 0);
  return stream;
}

/* What was written to the stream since it was asked last. A terminal hands it on when it comes to
 * it, so it is read up to a mark behind it. */
static const char *screen(FILE *stream, int master, char text[SCREEN_SIZE]) {
  size_t length = 0;
  fputc('\f', stream);
  fflush(stream);
  do {
    struct pollfd ready = {.fd = master, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, 60000), 1);
    const ssize_t more = read(master, text + length, SCREEN_SIZE - length);
    assert_true(more > 0);
    length += (size_t)more;
  } while (text[length - 1] != '\f');
  text[length - 1] = '\0';
  return text;
}

static size_t count_of(const char *text, char c) {
  size_t count = 0;
  for (; *text; text++) count += *text == c;
  return count;
}

static void line_is_drawn_and_erased(void **state) {
  (void)state;
  static char text[SCREEN_SIZE];
  int master;
  FILE *stream = open_terminal(&master, 80);
  measure_progress progress;
  measure_progress_begin(&progress, stream, "sweep", 0, 120);
  measure_progress_update(&progress, 30);
  screen(stream, master, text);
  assert_non_null(strstr(text, "\rsweep 30/120, "));
  assert_non_null(strstr(text, "/s, "));
  assert_non_null(strstr(text, " left"));

  // the end writes blanks over the whole line and goes back to its start
  const size_t width = strlen(text) - 1;
  measure_progress_end(&progress);
  screen(stream, master, text);
  assert_int_equal(strlen(text), width + 2);
  assert_int_equal(strspn(text + 1, " "), width);
  assert_int_equal(text[0], '\r');
  assert_int_equal(text[width + 1], '\r');

  // and what comes after is silence
  measure_progress_update(&progress, 120);
  measure_progress_end(&progress);
  assert_string_equal(screen(stream, master, text), "");
  fclose(stream);
  close(master);
}

static void redrawn_at_most_ten_times_a_second(void **state) {
  (void)state;
  static char text[SCREEN_SIZE];
  int master;
  FILE *stream = open_terminal(&master, 80);
  measure_progress progress;
  const uint64_t start = measure_clock_ns();
  measure_progress_begin(&progress, stream, "sweep", 0, 1000000);
  uint64_t done = 0;
  while (measure_clock_ns() - start < 250000000) measure_progress_update(&progress, ++done);
  const uint64_t tenths = (measure_clock_ns() - start) / 100000000;
  screen(stream, master, text);
  assert_true(done > 100);
  assert_in_range(count_of(text, '\r'), 1, tenths + 1);
  measure_progress_end(&progress);
  fclose(stream);
  close(master);
}

/* as if so many seconds more had passed */
static void pass(measure_progress *progress, uint64_t seconds) {
  progress->start_ns -= 1000000000 * seconds;
  progress->shown_ns -= 1000000000 * seconds;
}

static void what_was_kept_makes_no_rate(void **state) {
  (void)state;
  static char text[SCREEN_SIZE];
  int master;
  FILE *stream = open_terminal(&master, 80);
  measure_progress progress;
  measure_progress_begin(&progress, stream, "races", 6, 100);
  measure_progress_update(&progress, 6);
  assert_string_equal(screen(stream, master, text), "\rraces 6/100");
  pass(&progress, 10);
  measure_progress_update(&progress, 8);
  assert_memory_equal(screen(stream, master, text), "\rraces 8/100, 0.2/s, 7:4", 24);
  measure_progress_end(&progress);
  fclose(stream);
  close(master);
}

static void line_fits_a_narrow_terminal(void **state) {
  (void)state;
  static char text[SCREEN_SIZE];
  int master;
  FILE *stream = open_terminal(&master, 20);
  measure_progress progress;
  measure_progress_begin(&progress, stream, "a label longer than the terminal is wide", 0, 10);
  measure_progress_update(&progress, 5);
  assert_string_equal(screen(stream, master, text), "\ra label longer than");
  measure_progress_end(&progress);
  fclose(stream);
  close(master);
}

static void pipe_has_a_line_now_and_then(void **state) {
  (void)state;
  static char text[SCREEN_SIZE];
  int ends[2];
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  FILE *stream = fdopen(ends[1], "w");
  measure_progress progress;

  // a short one says nothing
  measure_progress_begin(&progress, stream, "sweep", 0, 10);
  for (uint64_t i = 1; i <= 10; i++) measure_progress_update(&progress, i);
  measure_progress_end(&progress);
  assert_string_equal(screen(stream, ends[0], text), "");

  // whole lines, one for each half minute however often it is told
  measure_progress_begin(&progress, stream, "sweep", 0, 120);
  pass(&progress, 60);
  for (uint64_t i = 30; i < 60; i++) measure_progress_update(&progress, i);
  screen(stream, ends[0], text);
  assert_memory_equal(text, "progress: sweep 30/120, 0.5/s, 3:0", 34);
  assert_int_equal(count_of(text, '\n'), 1);
  assert_int_equal(text[strlen(text) - 1], '\n');
  pass(&progress, 31);
  measure_progress_update(&progress, 60);
  screen(stream, ends[0], text);
  assert_memory_equal(text, "progress: sweep 60/120, ", 24);
  assert_int_equal(count_of(text, '\r'), 0);
  measure_progress_end(&progress);
  pass(&progress, 60);
  measure_progress_update(&progress, 120);
  assert_string_equal(screen(stream, ends[0], text), "");
  fclose(stream);
  close(ends[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line_is_drawn_and_erased),
      cmocka_unit_test(redrawn_at_most_ten_times_a_second),
      cmocka_unit_test(what_was_kept_makes_no_rate),
      cmocka_unit_test(line_fits_a_narrow_terminal),
      cmocka_unit_test(pipe_has_a_line_now_and_then),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

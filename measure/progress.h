/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line of progress on a terminal, with rate and time left; in a pipe or a file a line now and
 * then, so that a log says how far it is. */
#ifndef MEASURE_PROGRESS_H
#define MEASURE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Owned by the caller; its members are private. */
enum { MEASURE_PROGRESS_WITHIN = 96 };
typedef struct measure_progress {
  FILE *stream;         /* NULL: ended */
  bool drawn;           /* over itself, on a terminal */
  const char *label;    /* borrowed */
  uint64_t kept, total; /* done at the beginning, and to be done */
  uint64_t start_ns, shown_ns;
  int width; /* of the line on the screen */
  uint64_t done;
  char within[MEASURE_PROGRESS_WITHIN]; /* how far the one under way is; "": not told */
} measure_progress;

/* Begins a count from `done` to `total` on `stream`, the standard error when that is NULL. The
 * part that an earlier run has done does not count towards the rate. `label` outlives the progress.
 */
void measure_progress_begin(measure_progress *progress, FILE *stream, const char *label,
                            uint64_t done, uint64_t total);

/* Tells how many are done. Redraws at most ten times a second, and says "progress: ..." where there
 * is no terminal once in half a minute, so it may be called after every sample; never call it
 * inside a timed region. */
void measure_progress_update(measure_progress *progress, uint64_t done);

/* Tells how far the one under way is, behind the count; drawn as seldom as that. */
void measure_progress_within(measure_progress *progress, const char *text);

/* Erases a line that was drawn: call it before anything else is printed, and at the end. */
void measure_progress_end(measure_progress *progress);

#endif

/*
 * A run from time 0 that keeps its slides.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SLIDE_LOG_H
#define SLIDE_LOG_H

#include "toy.h"

enum { SLIDES_MOST = 256 };

typedef struct slides {
  size_t most, stop_at; /* a run is stopped at one more than these, or at so many; 0: at none */
  size_t count, guard[SLIDES_MOST];
  int begins[SLIDES_MOST];
  double time[SLIDES_MOST];
} slides;

static int note_slide(const ess_slide_info *info, void *context) {
  slides *const log = context;
  if (log->most && log->count == log->most) return 1;
  if (log->count < SLIDES_MOST) {
    log->guard[log->count] = info->guard;
    log->begins[log->count] = info->begins;
    log->time[log->count] = info->t;
  }
  return ++log->count == log->stop_at;
}

static inline ess_options sliding(double tolerance, slides *log) {
  ess_options options = toy_options(tolerance);
  *log = (slides){0};
  options.sliding = ESS_SLIDING_FILIPPOV;
  options.observer = (ess_observer){.slide = note_slide, .context = log};
  return options;
}

#endif

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

static inline int apply(const ess_system *system, const ess_options *options, double t1, double x[],
                        ess_failure *failure) {
  double t = 0.0;
  ess_driver *const d = ess_driver_alloc(system, options, NULL);
  assert_non_null(d);
  const int status = ess_driver_apply(d, &t, t1, x);
  if (failure) *failure = *ess_driver_failure(d);
  ess_driver_free(d);
  return status;
}

#endif

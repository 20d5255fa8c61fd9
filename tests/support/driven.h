/*
 * A driver of a text (hybrid.h) in the hands of a test, which applies, resets and sets as it likes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef DRIVEN_H
#define DRIVEN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hybrid.h"
#include "test.h"

typedef struct driven {
  hybrid *h;
  ess_system system;
  ess_options options;
  hybrid_log log; /* of observers, if `hear` has been called */
  ess_driver *d;
  double t, x[HYBRID_STATES];
} driven;

/* The initial condition, of a driver that is reset. */
static inline void again(driven *r) {
  ess_driver_reset(r->d);
  r->t = hybrid_start(r->h, r->x);
}

/* The system and options, which a test may change before `begin`. */
static inline void set_up(driven *r, hybrid *h, unsigned gives, ess_options options) {
  memset(r, 0, sizeof *r);
  r->h = h;
  r->system = hybrid_system(h, gives);
  r->options = options;
}

static inline void hear(driven *r) {
  r->options.observer = hybrid_observer(r->h, &r->log);
}

static inline void begin(driven *r) {
  r->d = ess_driver_alloc(&r->system, &r->options, NULL);
  if (!r->d) fail_msg("%s", ess_check(&r->system, &r->options));
  r->t = hybrid_start(r->h, r->x);
}

static inline int go(driven *r, double to) {
  return ess_driver_apply(r->d, &r->t, to, r->x);
}

/* a driver of a text that is run as it is */
static inline void begin_text(driven *r, const char *text, unsigned gives, ess_options options) {
  set_up(r, hybrid_of("%s", text), gives, options);
  begin(r);
}

static inline void drop(driven *r) {
  ess_driver_free(r->d);
  hybrid_free(r->h);
}

#endif

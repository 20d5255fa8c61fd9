/*
 * Systems that people bring whose crossings are impacts, drawn at random, each with a truth that
 * shares nothing with libess: hard balls in a row, integrate-and-fire networks, buck converters,
 * thermostats, and a ball that comes to rest on a curved floor.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef IMPACT_FAMILIES_H
#define IMPACT_FAMILIES_H

#include "ess.h"

typedef enum family {
  FAMILY_BALLS,
  FAMILY_NETWORK,
  FAMILY_CONVERTER,
  FAMILY_THERMOSTATS,
  FAMILY_CURVED_FLOOR,
  FAMILY_COUNT
} family;

extern const char *const family_names[FAMILY_COUNT];

/* How a run compares with the truth. */
typedef struct family_outcome {
  int status, expected; /* what the run ended with, and what it has to */
  double tolerance;
  double error; /* largest error of a state, or of the time at which impacts accumulate */
  double bound; /* what it may be */
  uint64_t impacts, steps, passes;
  bool clear; /* the truth tells: no two events are nearer than the tolerance can order */
} family_outcome;

/* The i-th run of a family; tolerances from 1e-3 to 1e-10 take turns. */
family_outcome family_run(family f, uint64_t i);

/* Whether a run is silently wrong: success where it should not be, or too large an error. */
bool family_is_wrong(const family_outcome *o);

/* Newton's cradle: `count` balls that touch, of diameter d from `from` on, hit at speed 1 from the
 * left or from the right; overlap: h is how far two balls overlap, else the gap between them. */
typedef struct cradle {
  size_t count, coming; /* of the balls so many come in, and touch each other */
  bool overlap, from_right, both_are_impacts;
  double diameter, from, gap, tolerance;
} cradle;

/* The velocities when all impacts are over; the status. */
int cradle_run(const cradle *c, double velocity[]);

/* A network of `count` neurons, all alike but for their inputs; what the run took. */
ess_counters network_counters(size_t count, double end, bool with_some, int *status);

#endif

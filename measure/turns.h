/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates timed in turn, each repetition going through all trials: no trial is met twice in a
 * row, with what it needs still in the caches and what it decides still predicted. A program that
 * runs each start once meets them so. */
#ifndef MEASURE_TURNS_H
#define MEASURE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"

/*
 * One of the competitors. `run` is the timed region: it starts afresh from the trial's own initial
 * condition each time it is called and returns 0 for success. `before` and `after` are optional
 * and untimed (errors, event counts and the like are for `after`).
 */
typedef struct measure_candidate {
  int (*run)(void *context, size_t trial);
  int (*before)(void *context, size_t trial);
  int (*after)(void *context, size_t trial);
  void *context; /* the caller's */
} measure_candidate;

/* How to measure. */
typedef struct measure_turns {
  size_t trials;
  unsigned long seed; /* of the order of the candidates, another in each round */
  size_t rounds;      /* turns of each candidate */
  double turn_s;      /* in a turn all trials are repeated until they have lasted so long */
  double most_s;      /* a candidate has fewer turns where they would last longer: one, or none
                         where all trials once do, which are its times then */
  const volatile int *stop; /* optional; ends the measurement once it is not 0 */
} measure_turns;

/* The outcome of a candidate. */
typedef struct measure_turns_record {
  bool failed; /* one of its callbacks did, at `trial`: it was left out from there on */
  size_t trial;
  size_t repetitions; /* of every trial, timed */
  uint64_t retaken;   /* runs taken again because the thread lost its core */
  uint64_t disturbed; /* runs that lost it however often they were taken: what others had of their
                         time is taken out of it */
} measure_turns_record;

/*
 * First every candidate goes through all trials untimed, `before` and `after` called for each of
 * them; `run` alone is called later. Then round by round each has its turn.
 *
 * seconds[count * trials], row-major by candidate: medians over the repetitions; NaN for one that
 * failed. records[count]. Returns MEASURE_SUCCESS, MEASURE_EINVAL, MEASURE_ENOMEM or MEASURE_ESTOP.
 */
int measure_take_turns(const measure_candidate candidates[], size_t count,
                       const measure_turns *plan, double seconds[], measure_turns_record records[]);

#endif

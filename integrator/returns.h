/*
 * The ledger of crossings: when guards were crossed, how soon after the time before, and how fast
 * (returns.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_RETURNS_H
#define ESS_RETURNS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ess.h"

/* A quantity of one impact after the other, and its ratio to the one before. */
typedef struct ess_shrinking {
  double last, ratio; /* NAN: it has not shrunk */
  uint64_t agreeing;  /* ratios in a row that agree, and are below 1 */
} ess_shrinking;

/* The record of a guard. */
typedef struct ess_return {
  double t;                      /* of the last crossing; NAN: there was none */
  ess_shrinking interval, speed; /* time since the impact before, and speed of the approach */
  uint64_t slower;               /* impacts in a row that were sooner, and slower, than the last */
  double end,
      height;       /* of a series: its limit, and the last distance of the state from the guard */
  bool is_lost;     /* the height is lost in the errors that the tolerance allows */
  bool ends;        /* the series ends with the last impact, as far as times are resolved */
  bool has_stopped; /* the last impact has taken all of the speed */
  uint64_t stops;   /* such in a row, between which the state has not left the guard */
} ess_return;

/* A status with which the run ends, unless the state rests. */
typedef struct ess_ending {
  ess_status status;
  size_t guard;
  double time;
} ess_ending;

/* The status of a function that leaves the end to the loop: d->returns.ending says how. No apply
 * returns it. */
enum { ESS_ENDS = ESS_STATUS_COUNT };

/* Nothing is known of a guard. */
static inline ess_return ess_no_returns(void) {
  return (ess_return){.t = NAN, .interval.last = NAN, .speed.last = NAN, .end = NAN};
}

typedef struct ess_returns {
  ess_return *of; /* by guard; NULL where states neither slide nor jump */
  ess_ending ending;

  /* the last crossing, silent ones and impacts apart: the event function, its sign, the time, and
   * the steps made; returns to it in a row, at once and from the other side; and before the first
   * of them the time of an approach, or of the next step if that is shorter */
  size_t crossed, at_once;
  double side, t, natural;
  uint64_t after;

  /* crossings at one instant, and the event function of the last */
  double instant;
  size_t stalled, other;

  /* one event function among whose crossings there are few of others: its returns since a time,
   * steps and crossings made until then, the time that the page before took, and pages in a row by
   * whose pace the run does not reach its end */
  size_t guard, count, others, endless;
  double since, span;
  uint64_t steps, crossings;

  uint64_t looked; /* crossings that had been made when rounding was looked for */
} ess_returns;

#endif

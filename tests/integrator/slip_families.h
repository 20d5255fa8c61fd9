/*
 * Systems that are held, and let go of by a wave: dry friction, a belt, a relay, two masses on each
 * other, a ball under a load, and one on a table that shakes. While a state is held the force that
 * holds it is a closed form of time, so that the next slip is known exactly.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SLIP_FAMILIES_H
#define SLIP_FAMILIES_H

#include "ess.h"

typedef enum slip_family {
  SLIP_FRICTION,
  SLIP_BELT,
  SLIP_RELAY,
  SLIP_PAIR,
  SLIP_LOAD,
  SLIP_TABLE,
  SLIP_COUNT
} slip_family;

extern const char *const slip_names[SLIP_COUNT];

/* How a run compares with the truth. */
typedef struct slip_outcome {
  int status;
  double tolerance;
  uint64_t held, slips; /* how often the state has been held, and let go of */
  double late;          /* the largest push that a held state has been spared, in tolerances */
  double early;         /* by how much force a state has been let go of too early, at most */
  double until;         /* the end of the run, and where the first of these was */
  double wrong_at;
  ess_counters counters;
} slip_outcome;

/* The i-th run of a family; tolerances from 1e-2 to 1e-10 take turns. */
slip_outcome slip_run(slip_family f, uint64_t i);

/* Whether a run is silently wrong: a slip is missed, or made up. */
bool slip_is_wrong(const slip_outcome *o);

#endif

/*
 * Populations of runs past curved event functions, in which every contact has to be found.
 *
 * A contact is missed when the latched mode denies what the event function says of the trajectory's
 * own states, looked at ten times a millisecond: that needs no second integrator, which chaos would
 * part from the first. Past a single peg, where contacts are known in closed form, it is missed
 * when the crossings are not these.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MISSES_H
#define MISSES_H

#include <stddef.h>
#include <stdint.h>

#include "ess.h"

/* what a population's runs gave */
typedef struct misses {
  size_t runs, contacts; /* runs made, and contacts begun in all of them */
  size_t missed;         /* runs with a contact missed */
  size_t failed;         /* runs that did not end in success */
  double longest;        /* of the missed contacts, in time */
  ess_counters spent;    /* in all runs: steps, rejected and guard_evaluations only */
} misses;

typedef struct misses_population {
  const char *name;
  misses (*count)(const ess_options *options, size_t runs, uint64_t seed);
  size_t runs;    /* of all of it */
  double share;   /* of the runs in which a contact may be missed */
  double longest; /* that a missed one may be */
} misses_population;

enum { MISSES_FLIGHTS = 2, MISSES_POPULATIONS = 6 }; /* past one peg; in all */
extern const misses_population misses_populations[MISSES_POPULATIONS];

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run of libess calls, and what a call costs. */
#ifndef CALLS_H
#define CALLS_H

#include "model.h"
#include "solver.h"
#include "trajectory.h"

/* Work of a run, each callback by itself. */
typedef enum call_count {
  COUNT_STEPS,
  COUNT_REJECTED,
  COUNT_ENTRIES,
  COUNT_THROUGH,     /* of those steps: through crossings */
  COUNT_CROSSINGS,   /* that change the field */
  COUNT_FIELDS,      /* calls of field */
  COUNT_GUARDS,      /* of guards */
  COUNT_RATES,       /* of event_rates for all */
  COUNT_SOME,        /* of event_rates for a list */
  COUNT_SOME_GUARDS, /* event functions asked for in those */
  COUNTS
} call_count;

/* What the calls of a model's callbacks cost. */
typedef enum call_kind {
  CALL_FIELD,
  CALL_EVENTS,
  CALL_RATES,
  CALL_SOME, /* for one event function */
  CALL_MORE, /* for CALL_TOGETHER of them */
  CALLS
} call_kind;

enum { CALL_TOGETHER = 8, CALL_SAMPLES = 31 };

/* Names of the callbacks. */
extern const char *const call_names[CALLS];

/* Runs libess once more, untimed, every callback counted. 0, or an ess_status. */
int count_calls(const model *m, const solver_settings *settings, const double x0[],
                const solver_output *output, double counts[COUNTS]);

/* Seconds that a call takes at states along a trajectory, NaN of a callback that the model has not.
 * A measure_status. */
int time_calls(const model *m, const trajectory *along, unsigned long seed,
               double seconds[CALLS][CALL_SAMPLES]);

#endif

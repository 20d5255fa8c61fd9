/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run of libess calls, and what calls of a model's callbacks cost. */
#ifndef SPEED_CALLS_H
#define SPEED_CALLS_H

#include "race.h"

/* Work of a run, each callback by itself. */
typedef enum speed_count {
  SPEED_STEPS,
  SPEED_REJECTED,
  SPEED_ENTRIES,
  SPEED_THROUGH,     /* of those steps: through crossings */
  SPEED_CROSSINGS,   /* that change the field */
  SPEED_FIELDS,      /* calls of field */
  SPEED_GUARDS,      /* of guards */
  SPEED_RATES,       /* of event_rates for all */
  SPEED_SOME,        /* of event_rates for a list */
  SPEED_SOME_GUARDS, /* event functions asked for in those */
  SPEED_COUNTS
} speed_count;

/* What the calls of a model's callbacks cost. */
typedef enum speed_call {
  SPEED_FIELD_CALL,
  SPEED_GUARDS_CALL,
  SPEED_RATES_CALL,
  SPEED_SOME_CALL, /* for one event function */
  SPEED_MORE_CALL, /* for SPEED_MORE of them */
  SPEED_CALLS
} speed_call;

enum { SPEED_MORE = 8, SPEED_CALL_SAMPLES = 31 };

extern const char *const speed_call_names[SPEED_CALLS];

/* Runs libess once more, untimed, every callback counted. 0, or an ess_status. */
int speed_count_run(const model *m, const solver_settings *settings, const double x0[],
                    const solver_output *output, double counts[SPEED_COUNTS]);

/* Seconds that a call takes at states along a trajectory, NaN of a callback that the model has not.
 * A measure_status. */
int speed_time_calls(const model *m, const trajectory *along, unsigned long seed,
                     double seconds[SPEED_CALLS][SPEED_CALL_SAMPLES]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one run of a solver gives, as part of a study's samples. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "column.h"
#include "contest.h"

/* All NaN where nothing was run, or the run failed. */
typedef struct outcome {
  double time_s, rms_error, events;
  double field_evaluations, guard_evaluations, steps, rejected, entries, projections, through;
} outcome;

#define OUTCOME_COLUMN(prefix, row, member, name)                                                  \
  COLUMN_AS(prefix #name, row, member.name, AMOUNT, "", "")

/* Its columns in a row that has it as a member, each name behind a prefix. */
#define OUTCOME_COLUMNS(prefix, row, member)                                                       \
  OUTCOME_COLUMN(prefix, row, member, time_s), OUTCOME_COLUMN(prefix, row, member, rms_error),     \
      OUTCOME_COLUMN(prefix, row, member, events),                                                 \
      OUTCOME_COLUMN(prefix, row, member, field_evaluations),                                      \
      OUTCOME_COLUMN(prefix, row, member, guard_evaluations),                                      \
      OUTCOME_COLUMN(prefix, row, member, steps), OUTCOME_COLUMN(prefix, row, member, rejected),   \
      OUTCOME_COLUMN(prefix, row, member, entries),                                                \
      OUTCOME_COLUMN(prefix, row, member, projections),                                            \
      OUTCOME_COLUMN(prefix, row, member, through)

/* Forgets all of it. */
outcome outcome_unknown(void);

/* Of a contestant's last run, at a trial. */
outcome outcome_of(const contestant *c, size_t trial, double seconds);

/* How often a run is made; the fastest counts. */
typedef struct outcome_effort {
  size_t runs;    /* at least so many, and at least one */
  double seconds; /* and for at least so long */
} outcome_effort;

/* Prepares a solver and runs it from a trial's start. 0; 1 when the run failed: *out is unknown,
 * and the message says why; or -1 with one line. */
int outcome_run(const solver_type *solver, const solver_settings *settings,
                const contest_starts *starts, size_t trial, outcome_effort effort, outcome *out,
                char message[SOLVER_MESSAGE_SIZE]);

#endif

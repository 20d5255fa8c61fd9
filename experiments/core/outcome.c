/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "outcome.h"

#include <math.h>
#include <stdio.h>

outcome outcome_unknown(void) {
  return (outcome){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

outcome outcome_of(const contestant *c, size_t trial, double seconds) {
  const solver_report *const r = &c->report;
  return (outcome){.time_s = seconds,
                   .rms_error = c->rms[trial],
                   .events = c->events[trial],
                   .field_evaluations = (double)r->field_evaluations,
                   .guard_evaluations = (double)r->guard_evaluations,
                   .steps = (double)r->steps,
                   .rejected = (double)r->rejected,
                   .entries = (double)r->entries,
                   .projections = (double)r->projections,
                   .through = (double)r->through};
}

/* the fastest of all runs; 0, or -1 */
static int run(contestant *c, size_t trial, outcome_effort effort, double *fastest) {
  double seconds;
  int status = contestant_sample(c, trial, fastest);
  double spent = *fastest;
  for (size_t i = 1; !status && (i < effort.runs || spent < effort.seconds); i++) {
    status = contestant_time(c, trial, &seconds);
    *fastest = fmin(*fastest, seconds);
    spent += seconds;
  }
  return status;
}

int outcome_run(const solver_type *solver, const solver_settings *settings,
                const contest_starts *starts, size_t trial, outcome_effort effort, outcome *out,
                char message[SOLVER_MESSAGE_SIZE]) {
  contestant c;
  double fastest;
  *out = outcome_unknown();
  if (contestant_prepare(&c, solver, settings, starts, message)) return -1;
  const int failed = run(&c, trial, effort, &fastest);
  if (failed)
    snprintf(message, SOLVER_MESSAGE_SIZE, "%s", c.report.message);
  else
    *out = outcome_of(&c, trial, fastest);
  contestant_release(&c);
  return failed ? 1 : 0;
}

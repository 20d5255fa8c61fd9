/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contestants of a race: solvers prepared for one model, run from the same starts onto the same
 * grid, with errors and crossings noted for every run that is timed. */
#ifndef CONTEST_H
#define CONTEST_H

#include <stdbool.h>

#include "trajectory.h"
#include "turns.h"

/* Largest distance from one that crossings of all runs over the reference's may have. */
#define CONTEST_EVENTS_TOLERANCE 0.01

/* The starts of all trials, and the reference from each; owned. */
typedef struct contest_starts {
  const model *m; /* borrowed, prepared */
  size_t trials;
  double *states;         /* trials*n */
  trajectory *references; /* trials; empty until contest_reference */
  size_t *events;         /* trials: crossings of the reference */
} contest_starts;

/* `trials` starts drawn with `seed` (the same for every model of the same type), or with `random`
 * false the model's own start in every trial. 0, or -1 with one line. */
int contest_starts_alloc(contest_starts *s, const model *m, size_t trials, bool random,
                         unsigned long seed, char message[SOLVER_MESSAGE_SIZE]);
void contest_starts_free(contest_starts *s);

/* Computes the reference of one trial, unless it is there. 0, or -1 with one line. */
int contest_reference(contest_starts *s, size_t trial, char message[SOLVER_MESSAGE_SIZE]);

/* The same starts and references for `m`, a model of the same system in another form; what it
 * points to stays that of `s`, so it is never freed. */
contest_starts contest_starts_view(const contest_starts *s, const model *m);

/* Contacts acting, summed over a trial's output times, by its reference; 0 for a model without. */
size_t contest_contact_steps(const contest_starts *s, size_t trial);

/* A solver at the start line; owned. */
typedef struct contestant {
  const solver_type *solver;
  const contest_starts *starts; /* borrowed */
  void *instance;
  trajectory samples;
  solver_report report; /* of the last run */
  double *rms;          /* trials: error of each trial's run; NaN without a reference */
  double *events;       /* trials: its crossings */
} contestant;

/* Prepares `solver` with `settings`. 0, or -1 with one line. */
int contestant_prepare(contestant *c, const solver_type *solver, const solver_settings *settings,
                       const contest_starts *starts, char message[SOLVER_MESSAGE_SIZE]);
void contestant_release(contestant *c);

/* The contestant as the measure room wants it; `c` outlives the candidate. */
measure_candidate contestant_candidate(contestant *c);

/* Time of one more run at a trial, and of nothing else. 0, or -1. */
int contestant_time(contestant *c, size_t trial, double *seconds);

/* The same, with its error and crossings noted. 0, or -1 with c->report.message. */
int contestant_sample(contestant *c, size_t trial, double *seconds);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who races, from which starts, the proof that it is the same system, and the race. */
#ifndef RACE_H
#define RACE_H

#include <stdbool.h>

#include "bridge.h"
#include "column.h"
#include "draws.h"
#include "study.h"
#include "trajectory.h"
#include "turns.h"

/* ---- contest --------------------------------------------------------------------------------- */

/* Contestants of a race: solvers prepared for one model, run from the same starts onto the same
 * grid, with errors and crossings noted for every run that is timed. */

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

/* Frees all of them, which take room; the starts may be NULL. */
void contest_forget(contest_starts *s);

/* The same starts and references for `m`, a model of the same system in another form; what it
 * points to stays that of `s`, so it is never freed. */
contest_starts contest_starts_view(const contest_starts *s, const model *m);

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

/* ---- outcome --------------------------------------------------------------------------------- */

/* What one run of a solver gives, as part of a study's samples. */

/* All NaN where nothing was run, or the run failed. */
typedef struct outcome {
  double time_s, rms_error, events;
  double field_evaluations, event_evaluations, steps, rejected, entries, projections, through;
} outcome;

#define OUTCOME_COLUMN(prefix, row, member, name)                                                  \
  COLUMN_AS(prefix #name, row, member.name, AMOUNT, "", "")

/* Its columns in a row that has it as a member, each name behind a prefix. */
#define OUTCOME_COLUMNS(prefix, row, member)                                                       \
  COLUMN_AS(prefix "seconds", row, member.time_s, AMOUNT, "", ""),                                 \
      OUTCOME_COLUMN(prefix, row, member, rms_error), OUTCOME_COLUMN(prefix, row, member, events), \
      OUTCOME_COLUMN(prefix, row, member, field_evaluations),                                      \
      OUTCOME_COLUMN(prefix, row, member, event_evaluations),                                      \
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

/* ---- cases ----------------------------------------------------------------------------------- */

/* What cells of a study share within a process: models with some parameters changed, starts drawn
 * for them, and the reference from each. Made when first asked for, kept to the end. */

/* A parameter of the model and its value; an array ends with one without a name. NULL: none. */
typedef struct case_change {
  const char *name;
  double value;
} case_change;

/* The run's model with these changes (a parameter that it has not is left out), prepared. NULL with
 * one line. It stays where it is, and the run's to free. */
const model *case_model(study_run *run, const case_change changes[]);

/* The status that belongs to the line, where there is no such model: SOLVER_REFUSED if it was asked
 * for in vain, or -1 if it failed, as a file that does not compile. */
int case_refusal(const study_run *run);

/* So many starts of that model, drawn with the run's seed. Their references are there when asked
 * for, by case_known. NULL with one line. */
contest_starts *case_starts(study_run *run, const case_change changes[], size_t trials);

/* The same of another type than the run's model is: of its defaults; starts drawn with that seed.
 */
const model *case_model_of(study_run *run, const model_type *type, const case_change changes[]);
contest_starts *case_starts_of(study_run *run, const model_type *type, const case_change changes[],
                               size_t trials, unsigned long seed);

/* Its own start alone. */
contest_starts *case_own_start_of(study_run *run, const model_type *type,
                                  const case_change changes[]);

/* The starts, which may be NULL, the first of them with their references. NULL with one line. */
contest_starts *case_known(study_run *run, contest_starts *starts, size_t count);

void cases_free(study_run *run);

/* Options that studies of several cases have. */
#define CASE_CONTACTS(X, row, ...) X(row, contacts, CONTACTS, "contacts", "LIST", __VA_ARGS__)
#define CASE_LIST                  "2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture"
#define CASE_TRIALS(X, row, meaning, initial_, max_)                                               \
  X(row, trials, WHOLE, "trials", "COUNT", meaning, .initial = initial_, .min = 1, .max = max_,    \
    .result = "trials")

/* ---- race ------------------------------------------------------------------------------------ */

/* A race, as every study that compares times runs it: several processes, one after the other, each
 * with its own memory layout. In a process each entry in its turn runs all starts one after the
 * other, so that no run finds its own start's branches predicted (turns.h). Entries with the same
 * settings run once, for all of them. */

/* One who races: a solver with its settings, or a candidate of the caller's, which checks and notes
 * its runs itself. */
typedef struct race_entry {
  const solver_type *solver;
  solver_settings settings;
  const contest_starts *starts; /* another system's, as many, without references, or a view of the
                                   plan's in another form; NULL: the plan's */
  const measure_candidate *own; /* borrowed; NULL: the solver runs */
} race_entry;

/* MuJoCo with changes, borrowed, of its own defaults or else of the race's settings, as
 * bridge_variant_prepare has them. */
race_entry race_variant(bool own, const char *changes);

/* How they race in one process. */
typedef struct race_plan {
  contest_starts *starts; /* borrowed; NULL: no entry is a solver */
  size_t trials;          /* the first of them */
  size_t process, processes;
  bool crossed; /* every process runs every trial; or else process, process + processes, ... */
  unsigned long seed; /* of the order of entries */
  double min_time;    /* a turn repeats its runs until they have lasted so long on the average, s */
  double most_s;      /* all turns of an entry last no longer, but for one; 0: 3 s */
  size_t rounds;      /* turns of an entry; 0: three */

  /* Where nobody is told: laps are samples of the study, each what it has here of its entry, and
   * what race_note says. One that gave up ends the race with a line that begins so; NULL: it does
   * not. */
  const void *sample;
  const char *where;
} race_plan;

/* What an entry's runs from one start gave. */
typedef struct race_lap {
  size_t entry, trial, process;
  outcome of; /* where it gave up, and of a candidate of the caller's, its time alone, NaN of a
                 candidate that failed. The error is the first process's where trials are crossed,
                 which alone has references then */
  double repetitions;
  double retaken; /* runs taken again because the thread had lost its core; and that lost it each */
  double disturbed;        /* time. Of all trials, told at the first */
  double events_reference; /* crossings; NaN where of.rms_error is not known for the same reason */
  const char *message;     /* why it gave up; "": it did not */
} race_lap;

/* What a lap says, into those columns of a row that are named trial, process, seconds, repetitions,
 * retaken, disturbed, events_reference, message, or as an outcome's are; others stay as they are.
 */
void race_note(const race_lap *lap, const column columns[], void *row);

/* Told of every entry at every trial, trial by trial. 0, or -1 with one line. */
typedef int race_tell(void *context, const race_lap *lap);

/* The part of one process. References are made where they are needed, and none is left. 0, or -1
 * with one line; that a run gives up is told alone. `tell` may be NULL. */
int race_run(study_run *run, const race_plan *plan, const race_entry entry[], size_t count,
             race_tell *tell, void *context);

/* How starts are drawn of such a race, processes being those of the run or, unless trials are
 * crossed, no more than there are trials. */
draws race_draws(const study_run *run, size_t trials, bool crossed);

/* The j-th lap of an entry in the order of the draws, where the cells of the race follow each other
 * from `cell` on, and begin with laps of so many entries. */
const void *race_lap_at(const study_run *run, size_t cell, const draws *d, size_t entries,
                        size_t entry, size_t j);

/* Median of the quotients of times, lap by lap: an entry's over another's, and its interval. A
 * measure_status; what is not known is NaN. */
int race_ratio(const study_run *run, size_t cell, const draws *d, size_t entries, size_t entry,
               size_t over, double *ratio, double interval[2]);

/* ---- same system ----------------------------------------------------------------------------- */

/* That an engine and libess have the same mechanical system, without which no race says anything.
 */

/* States at which a study compares the two fields. */
enum { SAME_SYSTEM_STATES = 2000 };

/* Their gap with one of MuJoCo's two solvers, or an engine in a process of its own (worker.h), and
 * these settings, at states drawn by `seed`. 0; or with one line SOLVER_REFUSED where it does not
 * do the model, SOLVER_FAILED where the gap is larger than BRIDGE_GAP_MAX or WORKER_GAP_MAX, or the
 * engine complains. */
int same_system(const solver_type *engine, const model *m, const solver_settings *settings,
                unsigned long seed, bridge_gap *gap, char message[SOLVER_MESSAGE_SIZE]);

#endif

/*
 * Races of studies that time: entries of one case are prepared once in a process and kept while
 * cells of that race come. A cell is one trial of all of them, interleaved, each run warmed and its
 * error noted; how often a run is repeated is found out in the first trial. Or it is many trials,
 * of which each entry in its turn runs one after the other, so that none is met twice in a row.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RACE_H
#define RACE_H

#include "outcome.h"
#include "study.h"

/* One who races. */
typedef struct race_entry {
  const solver_type *solver;
  solver_settings settings;
  const model *m; /* the same system in another form; NULL: the starts' own */
} race_entry;

/* How they race. */
typedef struct race_plan {
  contest_starts *starts; /* borrowed; it stays where it is */
  unsigned long seed;     /* of the order of entries, another in each trial */
  double min_time;        /* a sample repeats its run for at least this long, s */
  size_t warmups;         /* of race_trial: runs before each sample */
  size_t rounds;          /* of race_turns: turns of an entry; 0: three */
} race_plan;

/* What a trial of one entry gave. */
typedef struct race_lap {
  outcome of; /* where it failed, of its time alone */
  double repetitions;
  double retaken;   /* runs, or samples, taken again because the thread had lost its core */
  double disturbed; /* of race_turns: runs that lost it each time */
  bool failed;
  size_t failed_at;    /* the trial */
  const char *message; /* why; until the next trial */
} race_lap;

typedef struct race race;

/* The race of that number: the one under way, or else it ends and this one begins, its entries
 * prepared. NULL with one line. The run's to free. */
race *race_of(study_run *run, size_t number, const race_plan *plan, const race_entry entry[],
              size_t count);

/* One trial of all entries: a lap of each. The trial's reference, unless it is there, is
 * computed before and dropped behind. 0, or -1 with one line. That a run fails is none: its lap
 * tells. */
int race_trial(race *r, size_t trial, race_lap lap[]);

/* Those trials in turns (turns.h): lap[i * entries + k] is of trial[i] and entry k, and the first
 * of an entry has what was retaken and disturbed in all. Of what a run gave time, error and
 * crossings are told, the error where the trial's reference is there. 0, or -1 with one line. */
int race_turns(race *r, const size_t trial[], size_t trials, race_lap lap[]);

/* Ends the one under way, if any. */
void race_end(study_run *run);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A race, as every study that compares times runs it: several processes, one after the other, each
 * with its own memory layout. In a process each entry in its turn runs all starts one after the
 * other, so that no run finds its own start's branches predicted (turns.h). Entries with the same
 * settings run once, for all of them. */
#ifndef RACE_H
#define RACE_H

#include "draws.h"
#include "outcome.h"
#include "study.h"

/* One who races. */
typedef struct race_entry {
  const solver_type *solver;
  solver_settings settings;
  const model *m; /* the same system in another form; NULL: the starts' own */
  const contest_starts
      *starts; /* another system's, as many, without references; NULL: the plan's */
} race_entry;

/* MuJoCo with changes, borrowed, of its own defaults or else of the race's settings, as
 * bridge_variant_prepare has them. */
race_entry race_variant(bool own, const char *changes);

/* How they race in one process. */
typedef struct race_plan {
  contest_starts *starts; /* borrowed */
  size_t trials;          /* the first of them */
  size_t process, processes;
  bool crossed; /* every process runs every trial; or else process, process + processes, ... */
  unsigned long seed; /* of the order of entries */
  double min_time;    /* a turn repeats its runs until they have lasted so long on the average, s */
  double most_s;      /* all turns of an entry last no longer, but for one; 0: 3 s */
  size_t rounds;      /* turns of an entry; 0: three */
} race_plan;

/* What an entry's runs from one start gave. */
typedef struct race_lap {
  size_t entry, trial;
  outcome of; /* where it gave up, its time alone. The error is the first process's where trials
                 are crossed, which alone has references then */
  double repetitions;
  double retaken; /* runs taken again because the thread had lost its core; and that lost it each */
  double disturbed;    /* time. Of all trials, told at the first */
  const char *message; /* why it gave up; "": it did not */
} race_lap;

/* Told of every entry at every trial, trial by trial. 0, or -1 with one line. */
typedef int race_tell(void *context, const race_lap *lap);

/* The part of one process. References are made where they are needed, and none is left. 0, or -1
 * with one line; that a run gives up is told alone. */
int race_run(study_run *run, const race_plan *plan, const race_entry entry[], size_t count,
             race_tell *tell, void *context);

/* How starts are drawn of such a race, processes being those of the run or, unless trials are
 * crossed, no more than there are trials; and where the j-th of them was told: by which process,
 * and in which place of those that it told of an entry. */
draws race_draws(const study_run *run, size_t trials, bool crossed);
size_t race_process(const draws *d, size_t j);
size_t race_place(const draws *d, size_t j);

/* Where trials are not crossed, and stand process by process, as they were told: first[i] is the
 * first of process i, and behind the last one there is their number. For the draws' own `first`. */
void race_firsts(const draws *d, size_t first[]);

#endif

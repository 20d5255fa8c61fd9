/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Races: of each case it is found once who races, and then they race in every process. Every study
 * of that kind is a preset: options, its cases, its parts, and what SQL derives from their laps,
 * which are in the table of all studies and in the view `STUDY_laps`. */
#ifndef RACES_H
#define RACES_H

#include "race.h"

/* What a preset may be asked for. */
typedef struct races_asked {
  contacts_range contacts;
  size_t trials;
  option_names protocols, methods;
  option_numbers errors, targets, many, stiff;
  double min_time, minimum_effect, target, point_work;
  bool callback;
} races_asked;

/* The number-th cell of a case in a part. */
typedef struct races_cell {
  size_t part, of, number, count; /* count: how many the case has there */
  size_t worker;
} races_cell;

/* Cells of every case. */
typedef struct races_part {
  bool beside;   /* in one stage with the part before */
  bool together; /* those of a case in one process, where they share references */
  size_t (*cells)(study_run *run, size_t of); /* how many a case has; NULL: one */
  int (*run)(study_run *run, size_t of, size_t number);
} races_part;

enum { RACES_PARTS_MAX = 4, RACES_NAME_SIZE = 160 };

/* What a preset says beside its study. */
typedef struct races_preset {
  size_t (*cases)(const study_run *run);
  void (*title)(const study_run *run, const races_cell *c, char name[RACES_NAME_SIZE]);
  bool crossed;                         /* every process runs every initial condition */
  races_part part[RACES_PARTS_MAX + 1]; /* ends with one that nothing runs */
} races_preset;

/* Members of the study. */
#define RACES(preset_, options_)                                                                   \
  .preset = &(preset_), .options = options_, .settings_size = sizeof(races_asked),                 \
  .cell_size = sizeof(races_cell), .pinned = true, .plan = races_plan, .run = races_measure,       \
  .place = races_place

/* What it is asked for, and how its initial conditions are spread over processes. */
const races_asked *races_given(const study_run *run);
draws races_draws(const study_run *run);

/* A cell for each of the processes: of a part. */
size_t races_processes(study_run *run, size_t of);

/* The first cell of a case in a part, or behind all that are planned; and what it gave. */
size_t races_cell_of(const study_run *run, size_t part, size_t of);
const void *races_samples(const study_run *run, size_t part, size_t of, size_t *count);

/* The race of a case in one of the processes, as far as it is the same in all studies. */
race_plan races_race(const study_run *run, contest_starts *starts, size_t process);

/* Of a study. */
int races_plan(study_run *run, size_t stage);
int races_measure(study_run *run, const void *cell);
study_place races_place(const void *cell);

#endif

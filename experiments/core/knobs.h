/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Knobs: from each initial condition of each case, each method is run at each of its settings.
 * Every study of that kind is a preset: options, its points, and what SQL derives from their laps,
 * which are in the table of all studies and in the view `STUDY_laps`. */
#ifndef KNOBS_H
#define KNOBS_H

#include "race.h"

/* What a preset may be asked for. */
typedef struct knobs_asked {
  contacts_range contacts; /* a case each; none: the run's model */
  option_numbers dampings; /* a case each, with each number of contacts */
  option_numbers epsilons, tolerances;
  size_t trials;
  double point_time;
} knobs_asked;

enum { KNOB_MORE = 6 };

/* One method at one setting from one initial condition. What it has not is not known. */
typedef struct knob_lap {
  const char *what, *solver; /* the method, as the preset calls it; who runs */
  size_t contacts, trial, order;
  double damping, epsilon, tolerance, events_reference;
  outcome of;
  double more[KNOB_MORE]; /* what a preset finds besides, by its own columns */
} knob_lap;

#define KNOB_LAP_COLUMNS                                                                           \
  COLUMNS(knob_lap, TEXT, what, solver), COLUMNS(knob_lap, COUNT, contacts, trial, order),         \
      COLUMNS(knob_lap, AMOUNT, damping, epsilon, tolerance, events_reference),                    \
      OUTCOME_COLUMNS("", knob_lap, of)
#define KNOB_MORE_COLUMN(name, index)                                                              \
  COLUMN_AS(name, knob_lap, more[index], AMOUNT, "", "", .place = COLUMN_JSON_ONLY)
extern const column knob_lap_columns[];
#define KNOB_LAPS(columns)                                                                         \
  STUDY_TABLE(columns, knob_lap, .sql = STUDY_LAP,                                                 \
              .meaning = "one method at one setting from one initial condition")

/* A method at a setting; what becomes of a run that fails: its numbers are not known, there is a
 * warning besides, or it ends the study. */
typedef struct knob_point {
  const char *what;
  const solver_type *solver;
  solver_settings with;
  outcome_effort effort;
  enum { KNOB_UNKNOWN, KNOB_WARNING, KNOB_ERROR } failure;
} knob_point;

/* What a preset says beside its study. */
typedef struct knobs {
  /* Initial conditions: drawn all at once, each with a seed of its own, or the model's own one. */
  enum { KNOBS_DRAWN, KNOBS_SEEDED, KNOBS_OWN } starts;
  size_t together; /* points that are one cell; 0: all of an initial condition */

  /* The i-th point of a case: false behind the last. */
  bool (*point)(const study_run *run, size_t of, size_t i, knob_point *out);

  /* Optional: a run that is no solver's beside the reference. 0, or -1 with one line. */
  int (*run)(study_run *run, const contest_starts *start, const knob_point *p, knob_lap *lap);
} knobs;

typedef struct knob_cell {
  size_t of, trial, first; /* case, initial condition, and the first of its points */
  bool before;             /* the preset's own, in a stage before that of the laps */
} knob_cell;

/* Members of the study. */
#define KNOBS(preset_, options_) KNOBS_BY(preset_, options_, knobs_plan, knobs_measure)
#define KNOBS_BY(preset_, options_, plan_, run_)                                                   \
  .preset = &(preset_), .options = options_, .settings_size = sizeof(knobs_asked),                 \
  .cell_size = sizeof(knob_cell), .plan = plan_, .run = run_

/* How many cases there are, the name of one, each word of which ends with a blank, and its starts
 * that are drawn at once, or NULL with one line. */
enum { KNOBS_NAME_SIZE = 96 };
size_t knobs_cases(const knobs_asked *s);
const char *knobs_name(const knobs_asked *s, size_t of, char name[KNOBS_NAME_SIZE]);
contest_starts *knobs_drawn(study_run *run, size_t of);

/* Plans the laps in the last stage, and runs a cell of them: plan and run of a study. */
int knobs_plan(study_run *run, size_t stage);
int knobs_measure(study_run *run, const void *cell);

#endif

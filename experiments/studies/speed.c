/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench speed: how fast libess is against MuJoCo's cheapest setting at no worse an error, what
 * one more contact costs either, and how far from the cost of its evaluations alone libess is. */
#include "speed.h"

#include "choice.h"
#include "earlier.h"
#include "studies.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

static const study_option options[] = {
    {"contacts", "LIST",
     "numbers of the plate's contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture; the "
     "last is also raced without damping",
     OPTION_CONTACTS, OPTION_AT(speed_settings, contacts), .initial = "2,10,20,50,100"},
    {"errors", "X,Y",
     "median RMS errors, the largest first, at which libess races the cheapest of the methods that "
     "look for no crossing",
     OPTION_NUMBERS, OPTION_AT(speed_settings, errors), .initial = "1e-1,1e-2,1e-3,1e-4,1e-5",
     .min = 1e-12, .max = 0.5},
    {"many", "N,M", "numbers of contacts, the largest first, at which only those two race",
     OPTION_NUMBERS, OPTION_AT(speed_settings, many), .initial = "1000", .min = 2, .max = 1e5},
    {"targets", "X,Y",
     "RMS errors at which either is raced, too, the largest first (default: none; the finest of "
     "MuJoCo's steps take long)",
     OPTION_NUMBERS, OPTION_AT(speed_settings, targets), .min = 1e-12, .max = 0.5},
    {"stiff", "K,L",
     "stiffnesses, N/m, the largest first, with which hopper and plate (10 contacts) are raced, "
     "too, "
     "at an RMS error of 0.01 (default: none)",
     OPTION_NUMBERS, OPTION_AT(speed_settings, stiff), .min = 1e-3, .max = 1e9},
    {"trials", "COUNT", "initial conditions of each system", OPTION_WHOLE,
     OPTION_AT(speed_settings, trials), .initial = "120", .min = 1, .max = 1e6, .result = "trials"},
    {"before", "DIR,DIR",
     "folders of earlier results to show beside: speed.json, or else sweep.json with protocol "
     "equal-error",
     OPTION_TEXT, OPTION_AT(speed_settings, before), .result = "before"},
    {0},
};

/* ---- cells: stage 0 the choice of a system's settings, stage 1 its race in one process ---------
 */

typedef struct cell {
  size_t system, process;
  bool race;
} cell;

static const column sample_columns[] = {
    COLUMNS(speed_sample, TEXT, what, protocol, field, solver, variant),
    COLUMNS(speed_sample, AMOUNT, target, rtol, time_step, rows, field_gap, scaling),
    COLUMNS(speed_sample, COUNT, process, trial),
    COLUMNS(speed_sample, AMOUNT, seconds, repetitions, retaken, disturbed),
    COLUMNS(speed_sample, AMOUNT, rms_error, events, reference_events),
    COLUMNS(speed_sample, AMOUNT, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]),
    COLUMNS(speed_sample, AMOUNT, counts[6], counts[7], counts[8], counts[9]),
    {0},
};

static int plan(study_run *run, size_t stage) {
  const speed_settings *const s = run->settings;
  const size_t processes = stage ? run->processes : 1;
  for (size_t i = 0; stage < 2 && i < speed_systems(s) * processes; i++) {
    const cell c = {i / processes, i % processes, stage > 0};
    const speed_system of = speed_system_at(s, c.system);
    if (study_cell(run, &c, "%s model=%s contacts=%zu damping=%g stiffness=%g process=%zu of %zu",
                   stage ? "race" : "choice", of.model, of.contacts, of.damping, of.stiffness,
                   c.process, processes))
      return -1;
  }
  return 0;
}

static int check(study_run *run) {
  const speed_settings *const s = run->settings;
  if (!s->before) return 0;
  run->own = earlier_read(s->before, run->message);
  return run->own ? 0 : -1;
}

static void release(study_run *run) {
  json_decref(run->own);
}

/* a choice is by errors; a race needs one reference to time calls along */
static int measure(study_run *run, const void *planned) {
  const speed_settings *const s = run->settings;
  const cell *const c = planned;
  const speed_system of = speed_system_at(s, c->system);
  const unsigned long seed = run->seed + (c->race ? 0 : CHOICE_SEED_OFFSET);
  const size_t starts = c->race ? s->trials : CHOICE_STARTS;
  speed_room room;
  int status = speed_open(&room, run, &of, starts, c->race ? 1 : starts, seed);
  if (!status) status = c->race ? speed_race(&room, c->system, c->process) : speed_choose(&room);
  contest_starts_free(&room.starts);
  return status;
}

/* every process has a race of every system */
static study_place place(const void *planned) {
  const cell *const c = planned;
  return (study_place){c->system, c->race ? c->process : c->system};
}

const study speed_study = {
    .name = "speed",
    .summary = "how fast libess is against MuJoCo at no worse an error, and where its time goes",
    .example = "essbench speed --contacts 2,10,100 --trials 30 --before results/earlier",
    .file = "speed",
    .schema = "essbench-speed-1",
    .own_models = true,
    .table = "the tables of the results in the folder; nothing is measured",
    .cells = "races",
    .stages = 2,
    .pinned = true,
    .processes = 5,
    STUDY_OF(options, speed_settings, cell),
    .tables = {[SPEED_SAMPLES] = STUDY_TABLE(sample_columns, speed_sample,
                                             .meaning = "who races, one start, or one call"),
               [SPEED_ROWS] = STUDY_ROWS(speed_row, .json = "rows", .csv = "speed.csv",
                                         .meaning = "one of either engine in one protocol"),
               [SPEED_MARGINALS] =
                   STUDY_ROWS(speed_marginal, .json = "marginals",
                              .meaning = "what one more contact costs, at settings that are "
                                         "the same at every number of them"),
               [SPEED_SAMPLE_COSTS] =
                   STUDY_ROWS(speed_sample_cost, .json = "samples", .sql = "speed_sample_costs",
                              .meaning = "what a further row of samples costs libess"),
               [SPEED_CALLBACKS] = STUDY_ROWS(speed_callback, .json = "callbacks",
                                              .meaning = "what a call of a model's callback costs"),
               [SPEED_RUNS] =
                   STUDY_TABLE(speed_run_columns, speed_one_run, .csv = "speed_samples.csv",
                               .meaning = "one start in one process"),
               [SPEED_VALUES] =
                   STUDY_TABLE(speed_value_columns, double, .meaning = "what an interval is of")},
    .check = check,
    .plan = plan,
    .run = measure,
    .place = place,
    .derive = speed_derive,
    .release = release,
};

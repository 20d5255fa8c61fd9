/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench sweep: the engines race over numbers of contacts (Fig. 5.2 of the paper). */
#include "sweep.h"

#include <math.h>
#include <stdio.h>

#include "calibration.h"
#include "cases.h"
#include "same_system.h"
#include "settings.h"
#include "solvers.h"
#include "studies.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

static const study_option options[] = {
    {"contacts", "LIST",
     "numbers of contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture (default 2..100)",
     OPTION_CONTACTS, OPTION_AT(sweep_settings, contacts), .initial = "2..100"},
    {"trials", "COUNT", "initial conditions for each number of contacts", OPTION_WHOLE,
     OPTION_AT(sweep_settings, trials), .initial = "120", .min = 1, .max = 1e6, .result = "trials"},
    {"protocol", "A,B", "paper, free, equal-error, targets or several", OPTION_NAMES,
     OPTION_AT(sweep_settings, protocols), .initial = "paper", .names = sweep_protocols,
     .result = "protocol"},
    {"min-time", "S",
     "a run is repeated in its turn for at least this long (default 0: all starts of a turn "
     "together for 5 ms)",
     OPTION_NUMBER, OPTION_AT(sweep_settings, min_time), .initial = "0", .max = 3600.0},
    {0},
};

/* a model without contacts is one row */
static size_t rows_of(const study_run *run) {
  const sweep_settings *const s = run->settings;
  return isnan(model_get(run->m, "contacts")) ? 1 : s->contacts.count;
}

static size_t contacts_of(const study_run *run, size_t row) {
  const sweep_settings *const s = run->settings;
  return isnan(model_get(run->m, "contacts")) ? 1 : s->contacts.contacts[row];
}

/* whether anyone who races has neighbourhoods whose size is not searched for */
static bool has_epsilon(const study_run *run) {
  const sweep_settings *const s = run->settings;
  bool concerned = false, fixed = false;
  for (size_t i = 0; i < run->racers.count; i++)
    concerned = concerned || solver_concerns(run->racers.solver[i]) & SETTING_EPSILON;
  for (size_t i = 0; i < s->protocols.count; i++)
    fixed = fixed || s->protocols.index[i] < SWEEP_EQUAL_ERROR;
  return concerned && fixed;
}

static bool seeks_epsilon(const study_run *run) {
  return has_epsilon(run) && !(run->racers.given & SETTING_EPSILON);
}

/* what a solver refuses is told before anything is waited for or written */
static int check(study_run *run) {
  const case_change changes[] = {{"contacts", (double)contacts_of(run, 0)}, {0}};
  const contest_starts nowhere = {.m = case_model(run, changes), .trials = 1};
  int status = nowhere.m ? 0 : -1;
  for (size_t i = 0; !status && i < run->racers.count; i++) {
    contestant c;
    status = contestant_prepare(&c, run->racers.solver[i], &run->racers.settings, &nowhere,
                                run->message);
    if (!status) contestant_release(&c);
  }
  return status;
}

/* ---- cells: epsilon, then who races at each number of contacts, then each race in every process -
 */

typedef enum cell_kind { EPSILON, ENTRIES, RACE } cell_kind;

/* of RACE: trials process, process + processes, ... */
typedef struct cell {
  cell_kind kind;
  size_t row, process;
} cell;

static int plan(study_run *run, size_t stage) {
  const cell_kind kind = (cell_kind)(stage + !seeks_epsilon(run));
  if (kind == EPSILON) return study_cell(run, &(cell){EPSILON, 0, 0}, "epsilon");
  const size_t processes = sweep_draws(run).processes;
  for (size_t i = 0; kind <= RACE && i < rows_of(run); i++) {
    const size_t contacts = contacts_of(run, i);
    if (kind == ENTRIES &&
        study_cell(run, &(cell){ENTRIES, i, 0}, "entries contacts=%zu", contacts))
      return -1;
    for (size_t j = 0; kind == RACE && j < processes; j++)
      if (study_cell(run, &(cell){RACE, i, j}, "race contacts=%zu process=%zu of %zu", contacts, j,
                     processes))
        return -1;
  }
  return 0;
}

static study_place place(const void *planned) {
  const cell *const c = planned;
  return (study_place){.race = c->row, .number = c->kind == RACE ? c->process : c->row};
}

/* what is known of who races: the epsilon, or the entries of a row */
static const sweep_sample *entries_of(const study_run *run, size_t row, size_t *count) {
  return study_samples(run, row + seeks_epsilon(run), count);
}

static int find_epsilon(study_run *run) {
  sweep_sample s;
  column_clear(sweep_sample_columns, &s);
  if (calibrated_epsilon(run, &s.epsilon, &s.source)) return -1;
  return study_add(run, SWEEP_SAMPLES, &s);
}

/* equal error is MuJoCo's, whoever else races */
static bool has_mujoco(const study_run *run) {
  const sweep_settings *const s = run->settings;
  bool races = false;
  for (size_t i = 0; i < run->racers.count; i++)
    races = races || run->racers.solver[i] == &bridge_solver;
  for (size_t i = 0; i < s->protocols.count; i++)
    races = races || s->protocols.index[i] >= SWEEP_EQUAL_ERROR;
  return races;
}

/* the protocols named, one after the other; once for all processes */
static int enter(study_run *run, const cell *c) {
  sweep_sample s;
  column_clear(sweep_sample_columns, &s);
  s.contacts = contacts_of(run, c->row);
  if (seeks_epsilon(run)) {
    const sweep_sample *const found = study_samples(run, 0, NULL);
    s.epsilon = found->epsilon;
    s.source = found->source;
  } else if (has_epsilon(run)) {
    s.epsilon = run->racers.settings.epsilon;
    s.source = "--epsilon";
  }
  const case_change changes[] = {{"contacts", (double)s.contacts}, {0}};
  const model *const m = case_model(run, changes);
  if (!m) return -1;
  if (has_mujoco(run) && same_system(m, &run->racers.settings, run->seed, &s.gap, run->message))
    return -1;
  return sweep_enter(run, m, &s);
}

static int time_trials(study_run *run, const cell *c) {
  size_t count;
  const sweep_sample *const entries = entries_of(run, c->row, &count);
  return sweep_race(run, entries, count, c->process);
}

static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  return c->kind == EPSILON   ? find_epsilon(run)
         : c->kind == ENTRIES ? enter(run, c)
                              : time_trials(run, c);
}

/* ---- what is shown -----------------------------------------------------------------------------
 */

static void show(const study_run *run) {
  const sweep_settings *const s = run->settings;
  size_t count;
  const sweep_top *const top = study_rows(run, SWEEP_TOP, NULL);
  printf("%zu starts for each N; ", s->trials);
  if (!isnan(top->epsilon)) printf("epsilon %.6g (%s); ", top->epsilon, top->source);
  printf("MuJoCo %s\n", bridge_version_string());
  study_print(run, SWEEP_ROWS, 0, SIZE_MAX);
  const sweep_slope *const slope = study_rows(run, SWEEP_SLOPES, &count);
  for (size_t k = 0; k < count; k++)
    if (!isnan(slope[k].s_per_contact))
      printf("%s, %s: %.3f us per contact over all N (95 %% interval %.3f to %.3f)\n",
             slope[k].solver, slope[k].protocol, 1e6 * slope[k].s_per_contact,
             1e6 * slope[k].interval[0], 1e6 * slope[k].interval[1]);
  printf("crossings: of all runs, as a share of the reference's; (!) marks more than 1 %% off\n");
}

/* ---- the study ------------------------------------------------------------------------------- */

const study sweep_study = {
    .name = "sweep",
    .summary = "race the engines on the plate over numbers of contacts (Fig. 5.2)",
    .example = "essbench sweep --contacts 2,10,50 --trials 20 --out results",
    .file = "sweep",
    .schema = "essbench-sweep-1",
    .parameters = "model",
    .cells = "races",
    .stages = 3,
    .pinned = true,
    .processes = 12,
    .solvers = "projection,mujoco",
    .table = "what the results in the folder say, in a few lines; nothing is measured",
    STUDY_OF(options, sweep_settings, cell),
    .tables = {[SWEEP_SAMPLES] = STUDY_ROWS(sweep_sample, .meaning = "one sample"),
               [SWEEP_TOP] = STUDY_ROWS(sweep_top, .json = "",
                                        .meaning = "what all who raced have in common"),
               [SWEEP_SLOPES] = STUDY_ROWS(
                   sweep_slope, .json = "slopes",
                   .meaning = "the line through the medians over all numbers of contacts"),
               [SWEEP_GAPS] =
                   STUDY_TABLE(sweep_gap_columns, sweep_row, .json = "field_gaps",
                               .meaning = "how far the engines' accelerations are apart"),
               [SWEEP_RATIOS] = STUDY_ROWS(
                   sweep_ratio, .json = "ratios",
                   .meaning = "MuJoCo's time over that of libess by the method named in solver, "
                              "paired by start; names say projection for either"),
               [SWEEP_PLAIN] =
                   STUDY_ROWS(sweep_plain, .json = "plain",
                              .meaning = "by equal-error: the cheapest method that looks for no "
                                         "crossing over libess, paired by start"),
               [SWEEP_BENCHMARKS] =
                   STUDY_ROWS(sweep_benchmark, .json = "benchmarks",
                              .meaning = "the same rows as Google Benchmark has them"),
               [SWEEP_ROWS] = STUDY_ROWS(sweep_row, .csv = "sweep.csv",
                                         .meaning = "one number of contacts, solver and protocol"),
               [SWEEP_TRIALS] =
                   STUDY_ROWS(sweep_sample, .csv = "sweep_samples.csv", .meaning = "one sample")},
    .check = check,
    .plan = plan,
    .run = measure,
    .place = place,
    .derive = sweep_derive,
    .show = show,
    .show_table = sweep_verdict,
};

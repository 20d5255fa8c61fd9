/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench sweep: the engines race over numbers of contacts (Fig. 5.2 of the paper). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "choice.h"
#include "race.h"
#include "series.h"
#include "settings.h"
#include "solvers.h"
#include "studies.h"

/* Which solvers race, and with whose settings. */
typedef enum sweep_protocol {
  SWEEP_PAPER,
  SWEEP_FREE,
  SWEEP_EQUAL_ERROR,
  SWEEP_TARGETS
} sweep_protocol;

/* Their names, NULL-terminated; and entries at one number of contacts, at most. */
static const char *const sweep_protocols[] = {[SWEEP_PAPER] = "paper",
                                              [SWEEP_FREE] = "free",
                                              [SWEEP_EQUAL_ERROR] = "equal-error",
                                              [SWEEP_TARGETS] = "targets",
                                              NULL};
enum { SWEEP_ENTRIES_MAX = 24 };

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture (default "        \
    "2..100)",                                                                                     \
    .initial = "2..100")                                                                           \
  X(row, trials, WHOLE, "trials", "COUNT", "initial conditions for each number of contacts",       \
    .initial = "120", .min = 1, .max = 1e6, .result = "trials")                                    \
  X(row, protocols, NAMES, "protocol", "A,B",                                                      \
    "protocols of comparison: paper, free, equal-error, targets or several", .initial = "paper",   \
    .names = sweep_protocols, .result = "protocol")                                                \
  X(row, min_time, NUMBER, "min-time", "S",                                                        \
    "time for which a run is repeated, s (default 0: all initial conditions of a turn together "   \
    "for 5 ms)",                                                                                   \
    .initial = "0", .max = 3600.0)
OPTION_ROW(sweep_settings, OPTIONS);

/* Who races at one number of contacts, and what a trial of it gave: seconds are NaN in the samples
 * that only say who races. In no file are the error that settings were searched for, NaN where they
 * were not; epsilon of the protocols that do not search for one, NaN where nobody has one, and its
 * source; and the gap, NaN where MuJoCo does not race. */
#define SWEEP_SAMPLE_COLUMNS(COLUMN, row)                                                          \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, solver, TEXT, "", "who races")                                                       \
  COLUMN(row, protocol, TEXT, "", "with whose settings")                                           \
  COLUMN(row, trial, COUNT, "", "number of the initial condition")                                 \
  COLUMN(row, process, COUNT, "", "which of them ran it")                                          \
  COLUMN(row, seconds, AMOUNT, "s", "of one run")                                                  \
  COLUMN(row, repetitions, AMOUNT, "", "runs it is the median of")                                 \
  COLUMN(row, outlier, FLAG, "", "whether it is one of the outliers")                              \
  COLUMN(row, rms_error, AMOUNT, "", "against the reference")                                      \
  COLUMN(row, events, AMOUNT, "", "crossings")                                                     \
  COLUMN(row, events_reference, AMOUNT, "", "of the reference")                                    \
  COLUMN(row, retaken, AMOUNT, "",                                                                 \
         "runs taken again, of all initial conditions of the process: at its first")               \
  COLUMN(row, disturbed, AMOUNT, "", "likewise")                                                   \
  COLUMN(row, target, NUMBER, "", "", .place = COLUMN_JSON_ONLY)                                   \
  COLUMN(row, epsilon, NUMBER, "", "", .place = COLUMN_JSON_ONLY)                                  \
  COLUMN(row, source, NOTE, "", "", .place = COLUMN_JSON_ONLY)                                     \
  COLUMN(row, settings, SETTINGS, "", "", .place = COLUMN_JSON_ONLY)                               \
  COLUMN(row, gap, GAP, "", "", .place = COLUMN_JSON_ONLY)
COLUMN_ROW(sweep_sample, SWEEP_SAMPLE_COLUMNS);

/* One who races at one number of contacts, over all trials. */
typedef struct sweep_row {
  sweep_sample who; /* with the settings in force */
  double median_s, interval_s[2], q25_s, q75_s, min_s, mad_s;
  double marginal_s, marginal_interval_s[2]; /* d median / d N, smoothed */
  double rms_error, rms_q90, rms_worst;
  double events, events_reference, events_ratio;
  size_t outliers;
  double retaken, disturbed;
  const char *shown; /* the solver as the verdict names it */
  const char *off;   /* marks more crossings or fewer than the reference's */
} sweep_row;

/* What is one number for all who race, or the same for all of them. */
#define SWEEP_TOP_COLUMNS(COLUMN, row)                                                             \
  COLUMN(row, epsilon, AMOUNT, "m",                                                                \
         "of the protocols that do not search for one; null: nobody who raced has one")            \
  COLUMN(row, epsilon_source, NOTE, "", "where it is from")                                        \
  COLUMN(row, settings, SETTINGS, "", "that all who raced have in common; null where they differ")
COLUMN_ROW(sweep_top, SWEEP_TOP_COLUMNS);

/* The line through the medians of one who races at every number of contacts. */
#define SWEEP_SLOPE_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, solver, TEXT, "", "who races; plain: the cheapest of them at each N")                \
  COLUMN(row, protocol, TEXT, "", "with whose settings")                                           \
  COLUMN(row, s_per_contact, NUMBER, "s",                                                          \
         "of the median runtime over all numbers of contacts; null with only one")                 \
  COLUMN(row, interval, INTERVAL, "s", "of it")                                                    \
  COLUMN(row, confidence, AMOUNT, "", "of the interval")
COLUMN_ROW(sweep_slope, SWEEP_SLOPE_COLUMNS);

static const double confidence = 0.95;

/* MuJoCo's time over that of libess, start by start: by contacts, and, where it races, with the
 * contact force as a callback. */
#define SWEEP_RATIO_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, solver, TEXT, "", "method of libess")                                                \
  COLUMN(row, protocol, TEXT, "", "of both")                                                       \
  COLUMN(row, mujoco_over_projection, AMOUNT, "", "median of the quotients")                       \
  COLUMN(row, interval, INTERVAL, "", "of it")                                                     \
  COLUMN(row, confidence, AMOUNT, "", "of the interval")                                           \
  COLUMN(row, mujoco_s, AMOUNT, "s", "median time of MuJoCo")                                      \
  COLUMN(row, projection_s, AMOUNT, "s", "of libess")                                              \
  COLUMN(row, rms_error_mujoco, AMOUNT, "", "median error of MuJoCo")                              \
  COLUMN(row, rms_error_projection, AMOUNT, "", "of libess")                                       \
  COLUMN(row, epsilon, AMOUNT, "m", "of libess")                                                   \
  COLUMN(row, settings, SETTINGS, "", "of libess, in force")                                       \
  COLUMN(row, callback_over_projection, AMOUNT, "",                                                \
         "median of the quotients of MuJoCo with the contact force as a callback")                 \
  COLUMN(row, callback_interval, INTERVAL, "", "of it")                                            \
  COLUMN(row, callback_s, AMOUNT, "s", "its median time")                                          \
  COLUMN(row, rms_error_callback, AMOUNT, "", "its median error")
COLUMN_ROW(sweep_ratio, SWEEP_RATIO_COLUMNS);

/* The time of the cheapest method that looks for no crossing over that of libess, start by start.
 */
#define SWEEP_PLAIN_COLUMNS(COLUMN, row)                                                           \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, solver, TEXT, "", "the method")                                                      \
  COLUMN(row, plain_over_libess, AMOUNT, "", "median of the quotients")                            \
  COLUMN(row, interval, INTERVAL, "", "of it")                                                     \
  COLUMN(row, confidence, AMOUNT, "", "of the interval")
COLUMN_ROW(sweep_plain, SWEEP_PLAIN_COLUMNS);

/* A row as Google Benchmark has it. */
#define SWEEP_BENCHMARK_COLUMNS(COLUMN, row)                                                       \
  COLUMN(row, name, TEXT, "", "MODEL/PROTOCOL/SOLVER/contacts:N")                                  \
  COLUMN(row, run_name, TEXT, "", "the same")                                                      \
  COLUMN(row, run_type, TEXT, "", "aggregate")                                                     \
  COLUMN(row, aggregate_name, TEXT, "", "median")                                                  \
  COLUMN(row, aggregate_unit, TEXT, "", "time")                                                    \
  COLUMN(row, threads, COUNT, "", "1")                                                             \
  COLUMN(row, iterations, COUNT, "", "starts")                                                     \
  COLUMN(row, real_time, AMOUNT, "ms", "of one run")                                               \
  COLUMN(row, cpu_time, AMOUNT, "ms", "the same")                                                  \
  COLUMN(row, time_unit, TEXT, "", "ms")                                                           \
  COLUMN(row, real_time_lo, AMOUNT, "ms", "lower end of 95 %")                                     \
  COLUMN(row, real_time_hi, AMOUNT, "ms", "upper end")                                             \
  COLUMN(row, rms_error, AMOUNT, "", "median")                                                     \
  COLUMN(row, events_ratio, AMOUNT, "", "crossings of all runs over the reference's")
COLUMN_ROW(sweep_benchmark, SWEEP_BENCHMARK_COLUMNS);

/* Tables. */
enum {
  SWEEP_SAMPLES = STUDY_SAMPLES,
  SWEEP_TOP,
  SWEEP_SLOPES,
  SWEEP_RATIOS,
  SWEEP_PLAIN,
  SWEEP_BENCHMARKS,
  SWEEP_ROWS,
  SWEEP_TRIALS
};

/* The columns of a sweep's tables. */

static const column sweep_row_columns[] = {
    COLUMN_AS("contacts", sweep_row, who.contacts, COUNT, "", "number of contacts",
              SHOWN("N", "%6.0f")),
    COLUMN_AS("solver", sweep_row, who.solver, TEXT, "", "who races"),
    COLUMN(sweep_row, shown, TEXT, "", "", .place = COLUMN_SHOWN_ONLY, SHOWN("solver", "%-15s")),
    COLUMN_AS("protocol", sweep_row, who.protocol, TEXT, "", "with whose settings",
              SHOWN("protocol", "%-12s")),
    COLUMN(sweep_row, median_s, AMOUNT, "s", "of one run", SHOWN_TIMES("median ms", "%10.4f", 1e3)),
    COLUMN_AS("median_lo_s", sweep_row, interval_s[0], AMOUNT, "s",
              "lower end of its 95 % interval", SHOWN_TIMES("95 % from", "%9.4f", 1e3)),
    COLUMN_AS("median_hi_s", sweep_row, interval_s[1], AMOUNT, "s", "upper end",
              SHOWN_TIMES("to", "%9.4f", 1e3)),
    COLUMN(sweep_row, q25_s, AMOUNT, "s", "lower quartile"),
    COLUMN(sweep_row, q75_s, AMOUNT, "s", "upper quartile"),
    COLUMN(sweep_row, min_s, AMOUNT, "s", "fastest"),
    COLUMN(sweep_row, mad_s, AMOUNT, "s", "median absolute deviation"),
    COLUMN(sweep_row, marginal_s, NUMBER, "s",
           "cost of one more contact, from medians of 15 neighbouring N; nan with only one N"),
    COLUMN_AS("marginal_lo_s", sweep_row, marginal_interval_s[0], NUMBER, "s",
              "lower end of its 95 % band"),
    COLUMN_AS("marginal_hi_s", sweep_row, marginal_interval_s[1], NUMBER, "s", "upper end"),
    COLUMN(sweep_row, rms_error, AMOUNT, "", "median over the initial conditions",
           SHOWN("RMS", "%8.2g")),
    COLUMN(sweep_row, rms_q90, AMOUNT, "", "90 % quantile", SHOWN("RMS q90", "%8.2g")),
    COLUMN(sweep_row, rms_worst, AMOUNT, "", "largest", SHOWN("worst", "%8.2g")),
    COLUMN(sweep_row, events, AMOUNT, "", "median number of crossings"),
    COLUMN(sweep_row, events_reference, AMOUNT, "", "of the reference"),
    COLUMN(sweep_row, events_ratio, AMOUNT, "", "crossings of all runs over the reference's",
           SHOWN_TIMES("crossings", "%8.2f%%", 100.0)),
    COLUMN(sweep_row, off, TEXT, "", "", .place = COLUMN_SHOWN_ONLY, SHOWN("", "%s")),
    COLUMN(sweep_row, outliers, COUNT, "",
           "samples more than three interquartile ranges above the upper quartile"),
    COLUMN(sweep_row, retaken, AMOUNT, "", "runs taken again because the thread had lost its core"),
    COLUMN(sweep_row, disturbed, AMOUNT, "",
           "runs that lost it each time: what others had of their time is taken out"),
    COLUMN_AS("field_gap", sweep_row, who.gap.gap, AMOUNT, "",
              "how far the engines' accelerations are apart, relative"),
    COLUMN_AS("scaling_s", sweep_row, who.gap.scaling, AMOUNT, "",
              "what the mass that MuJoCo's contacts add is divided by"),
    COLUMN_AS("target", sweep_row, who.target, NUMBER, "",
              "error that the settings were searched for"),
    COLUMN_AS("settings", sweep_row, who.settings, SETTINGS, "", "in force"),
    COLUMN_AS("variant", sweep_row, who.settings.variant, NOTE, "", "of the solver"),
    {0},
};

/* ---- what is asked for ----------------------------------------------------------------------- */

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
    // who races by default need not do every model, where it is the last
    if (status == SOLVER_REFUSED && run->racers.by_default && i && i + 1 == run->racers.count) {
      run->racers.count--;
      status = 0;
    }
  }
  return status;
}

/* ---- who races with which settings ----------------------------------------------------------- */

/*
 *   paper        the paper's section 5.2: integration steps no longer than the output step, epsilon
 *                from the calibration on the hopper
 *   free         the same epsilon, integration steps as long as the tolerance allows
 *   equal-error  MuJoCo's cheapest setting and libess's largest tolerance that are no worse than
 *                MuJoCo's Euler at the output step (choice.h says how), chosen on starts other than
 *                those that will be timed; and the cheapest method that looks for no crossing
 *   targets      likewise either's cheapest that reach three errors */

enum { TARGETS = 3 };

static const double targets[TARGETS] = {1e-2, 3e-3, 1e-3};

/* one number of contacts under way */
typedef struct entering {
  study_run *run;
  sweep_sample who; /* enters next: but for solver and settings */
  size_t count;
  contest_starts *tuning; /* what settings are chosen on; NULL: not asked for yet */
  choice_request request; /* its base has epsilon set */
  bridge_gap gap,
      callback_gap; /* MuJoCo's by contacts, which all who race have, and by a callback */
} entering;

static int enter_one(void *context, const choice *chosen) {
  entering *const e = context;
  e->who.solver = chosen->solver->name;
  e->who.settings = chosen->settings;
  e->who.gap = chosen->solver == &bridge_callback_solver ? e->callback_gap : e->gap;
  if (e->count++ < SWEEP_ENTRIES_MAX) return study_add(e->run, SWEEP_SAMPLES, &e->who);
  return measure_fail(e->run->message, "more than %d solvers and protocols at once",
                      SWEEP_ENTRIES_MAX);
}

/* every solver with this longest integration step */
static int enter_all(entering *e, double output_step, double h_max) {
  const study_racers *const racers = &e->run->racers;
  choice c = {.settings = e->request.base};
  int status = 0;
  e->who.target = NAN;
  c.settings.h_max = h_max;
  if (c.settings.time_step == 0.0) c.settings.time_step = output_step;
  for (size_t i = 0; !status && i < racers->count; i++) {
    c.solver = racers->solver[i];
    status = enter_one(e, &c);
  }
  return status;
}

/* all no worse than MuJoCo's Euler at the output step */
static int enter_against_mujoco(entering *e) {
  const choice euler = choice_yardstick(&e->request, "Euler");
  if (!(euler.rms < INFINITY))
    return measure_fail(e->run->message, "equal-error: MuJoCo does not run to the end");
  e->who.target = euler.rms;
  e->request.limits = choice_limits_of(&euler);
  return choice_enter(&e->request, CHOICE_MUJOCO | CHOICE_CALLBACK | CHOICE_LIBESS | CHOICE_PLAIN);
}

static int enter_at_target(entering *e, double target) {
  e->who.protocol = e->request.what = study_text(e->run, "target-%g", target);
  e->who.target = target;
  return choice_enter_at_target(&e->request, target) || choice_enter(&e->request, CHOICE_LIBESS)
             ? -1
             : 0;
}

static int enter_protocol(entering *e, const model *m, sweep_protocol protocol) {
  e->who.protocol = e->request.what = sweep_protocols[protocol];
  if (protocol < SWEEP_EQUAL_ERROR)
    return enter_all(e, m->type->time_step,
                     protocol == SWEEP_PAPER ? m->type->time_step : INFINITY);
  const case_change changes[] = {{"contacts", (double)e->who.contacts}, {0}};
  const unsigned long seed = e->run->seed + CHOICE_SEED_OFFSET;
  e->tuning = case_starts_of(e->run, m->type, changes, CHOICE_STARTS, seed);
  e->request.starts = case_known(e->run, e->tuning, CHOICE_STARTS);
  int status = e->request.starts ? 0 : -1;
  if (!status && protocol == SWEEP_EQUAL_ERROR) return enter_against_mujoco(e);
  for (int i = 0; !status && i < TARGETS; i++) status = enter_at_target(e, targets[i]);
  return status;
}

/* ---- cells: epsilon, then who races at each number of contacts, then each race in every process
 * --- */

typedef enum cell_kind { EPSILON, ENTRIES, RACE } cell_kind;

/* of RACE: trials process, process + processes, ... */
typedef struct cell {
  cell_kind kind;
  size_t row, process;
} cell;

/* how starts are drawn, and over how many processes they are spread */
static draws sweep_draws(const study_run *run) {
  const sweep_settings *const given = run->settings;
  return race_draws(run, given->trials, false);
}

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

/* ---- the race at one number of contacts in one process --------------------------------------- */

/* the same seed at every N draws the same starts */
static int race(study_run *run, const cell *c) {
  const sweep_settings *const given = run->settings;
  size_t count;
  const sweep_sample *const entries = entries_of(run, c->row, &count);
  const case_change changes[] = {{"contacts", (double)entries->contacts}, {0}};
  contest_starts *const starts = case_starts(run, changes, given->trials);
  const race_plan plan = {.starts = starts,
                          .trials = given->trials,
                          .process = c->process,
                          .processes = sweep_draws(run).processes,
                          .seed = run->seed + entries->contacts,
                          .min_time = given->min_time,
                          .sample = entries,
                          .where = study_text(run, "%zu contacts, trial", entries->contacts)};
  race_entry entry[SWEEP_ENTRIES_MAX];
  for (size_t k = 0; k < count; k++)
    entry[k] =
        (race_entry){.solver = solver_find(entries[k].solver), .settings = entries[k].settings};
  return starts ? race_run(run, &plan, entry, count, NULL, NULL) : -1;
}

/* ---- medians with intervals, marginal cost, slopes, ratios, errors, crossings ---------------- */

/* neighbouring numbers of contacts that the smoothed derivative looks at */
enum { WINDOW = 15 };

/* a sample this many interquartile ranges above the upper quartile is flagged, never dropped */
static const double outlier_ranges = 3.0;

/* ---- samples --------------------------------------------------------------------------------- */

/* one number of contacts: the first cell of its race, and its rows */
typedef struct group {
  size_t cell, entries, row;
} group;

typedef struct summary {
  study_run *run;
  draws draws;
  size_t groups, rows;
  group *group;   /* owned */
  sweep_row *row; /* owned */
} summary;

/* the trials of one who races, in their order whichever process ran them */
static void add_trials(const summary *y, const group *g, size_t entry) {
  const gather laps = race_laps(y->run, g->cell, &y->draws, g->entries, entry);
  const measure_summary times = gather_summary(laps, "seconds");
  const double most = times.q75 + outlier_ranges * (times.q75 - times.q25);
  for (size_t j = 0; j < y->draws.trials; j++) {
    sweep_sample s = *(const sweep_sample *)gather_row(laps, j);
    s.outlier = s.seconds > most;
    study_add(y->run, SWEEP_TRIALS, &s);
  }
}

static gather trials_of(const summary *y, size_t i, size_t entry) {
  const size_t first = (y->group[i].row + entry) * y->draws.trials;
  return gather_rows(y->run, SWEEP_TRIALS, first, 1, y->draws.trials);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void fill_times(const summary *y, gather trials, sweep_row *r) {
  const measure_summary times = gather_summary(trials, "seconds");
  r->q25_s = times.q25;
  r->q75_s = times.q75;
  r->min_s = times.min;
  r->mad_s = times.mad;
  r->marginal_s = r->marginal_interval_s[0] = r->marginal_interval_s[1] = NAN;
  r->outliers = (size_t)gather_sum(trials, "outlier");
  r->retaken = gather_sum(trials, "retaken");
  r->disturbed = gather_sum(trials, "disturbed");
  series_median(trials, "seconds", &y->draws, &r->median_s, r->interval_s);
}

static void fill_errors(gather trials, sweep_row *r) {
  r->rms_error = gather_median(trials, "rms_error");
  r->rms_q90 = gather_quantile(trials, "rms_error", 0.9);
  r->rms_worst = gather_quantile(trials, "rms_error", 1.0);
  r->events = gather_median(trials, "events");
  r->events_reference = gather_median(trials, "events_reference");
  r->events_ratio = gather_sum(trials, "events") / gather_sum(trials, "events_reference");
  const bool by_the_paper = strcmp(r->who.solver, projection_solver.name) == 0;
  r->shown = by_the_paper ? "paper's method" : r->who.solver;
  r->off = fabs(r->events_ratio - 1.0) <= CONTEST_EVENTS_TOLERANCE ? "" : "(!)";
}

static void fill_row(const summary *y, gather trials, sweep_row *r) {
  const sweep_sample *const s = gather_row(trials, 0);
  const double dt = y->run->m->type->time_step;
  *r = (sweep_row){.who = *s};
  r->who.settings = solver_settings_in_force(solver_find(s->solver), &s->settings, dt);
  fill_errors(trials, r);
  fill_times(y, trials, r);
}

/* ---- over all numbers of contacts ------------------------------------------------------------ */

/* who races: plain methods are one, of which there is the cheapest at each number of contacts */
static const char *racer(const sweep_row *r) {
  return solver_is_plain(solver_find(r->who.solver)) ? "plain" : r->who.solver;
}

/* whether an entry is the same everywhere: protocols that search may leave one out */
static bool is_everywhere(const summary *y, size_t entry) {
  const sweep_row *const first = &y->row[y->group[0].row + entry];
  for (size_t i = 0; i < y->groups; i++) {
    const sweep_row *const r = &y->row[y->group[i].row + entry];
    if (entry >= y->group[i].entries || strcmp(racer(r), racer(first)) != 0 ||
        strcmp(r->who.protocol, first->who.protocol) != 0)
      return false;
  }
  return true;
}

/* marginal cost and slope of one entry, with room for its medians and bands */
static void fill_series(const summary *y, size_t entry, sweep_slope *slope, gather trials[],
                        double x[], double (*band)[2]) {
  double *const marginal = x + y->groups;
  for (size_t i = 0; i < y->groups; i++) {
    x[i] = (double)y->row[y->group[i].row].who.contacts;
    trials[i] = trials_of(y, i, entry);
  }
  const series s = {y->groups, x, trials, "seconds", y->draws};
  if (series_marginal(&s, WINDOW, marginal, band)) return;
  series_slope(&s, &slope->s_per_contact, slope->interval);
  for (size_t i = 0; i < y->groups; i++) {
    sweep_row *const r = &y->row[y->group[i].row + entry];
    r->marginal_s = marginal[i];
    memcpy(r->marginal_interval_s, band[i], sizeof r->marginal_interval_s);
  }
}

/* a slope for each entry of the first number of contacts; unknown with only one, and where an entry
 * is not everywhere */
static void add_slopes(const summary *y) {
  gather *const trials = calloc(y->groups, sizeof *trials);
  double *const x = calloc(y->groups, 2 * sizeof *x);
  double(*const band)[2] = calloc(y->groups, sizeof *band);
  const bool made = trials && x && band;
  if (!made) study_out_of_memory(y->run);
  for (size_t k = 0; made && k < y->group[0].entries; k++) {
    const sweep_row *const r = &y->row[k];
    sweep_slope slope = {racer(r), r->who.protocol, NAN, {NAN, NAN}, confidence};
    if (y->groups > 1 && is_everywhere(y, k)) fill_series(y, k, &slope, trials, x, band);
    study_add(y->run, SWEEP_SLOPES, &slope);
  }
  free(trials);
  free(x);
  free(band);
}

/* ---- MuJoCo's times over ours ---------------------------------------------------------------- */

static void add_ratio(const summary *y, size_t i, size_t ours, size_t mujoco, size_t callback) {
  const sweep_row *const a = &y->row[y->group[i].row + mujoco], *const b =
                                                                    &y->row[y->group[i].row + ours];
  sweep_ratio r;
  column_clear(sweep_ratio_columns, &r);
  r.contacts = b->who.contacts;
  r.solver = b->who.solver;
  r.protocol = b->who.protocol;
  r.confidence = confidence;
  r.mujoco_s = a->median_s;
  r.projection_s = b->median_s;
  r.rms_error_mujoco = a->rms_error;
  r.rms_error_projection = b->rms_error;
  r.epsilon = b->who.settings.epsilon;
  r.settings = b->who.settings;
  series_median_ratio(trials_of(y, i, mujoco), trials_of(y, i, ours), "seconds", &y->draws,
                      &r.mujoco_over_projection, r.interval);
  if (callback != SIZE_MAX) {
    const sweep_row *const c = &y->row[y->group[i].row + callback];
    r.callback_s = c->median_s;
    r.rms_error_callback = c->rms_error;
    series_median_ratio(trials_of(y, i, callback), trials_of(y, i, ours), "seconds", &y->draws,
                        &r.callback_over_projection, r.callback_interval);
  }
  study_add(y->run, SWEEP_RATIOS, &r);
}

static bool is_of(const sweep_row *r, const char *solver, sweep_protocol protocol) {
  return strcmp(r->who.solver, solver) == 0 &&
         strcmp(r->who.protocol, sweep_protocols[protocol]) == 0;
}

/* of the method that looks for no crossing, where one was good enough: it races behind libess */
static void add_plain(const summary *y, size_t i) {
  const group *const g = &y->group[i];
  for (size_t k = 0; k + 1 < g->entries; k++) {
    const sweep_row *const ours = &y->row[g->row + k], *const plain = ours + 1;
    if (!is_of(ours, libess_solver.name, SWEEP_EQUAL_ERROR) ||
        !is_of(plain, plain->who.solver, SWEEP_EQUAL_ERROR))
      continue;
    sweep_plain p = {
        .contacts = plain->who.contacts, .solver = plain->who.solver, .confidence = confidence};
    series_median_ratio(trials_of(y, i, k + 1), trials_of(y, i, k), "seconds", &y->draws,
                        &p.plain_over_libess, p.interval);
    study_add(y->run, SWEEP_PLAIN, &p);
  }
}

/* the entry of a solver by a protocol; SIZE_MAX where there is none */
static size_t entry_of(const summary *y, size_t i, const solver_type *solver,
                       const char *protocol) {
  const group *const g = &y->group[i];
  for (size_t k = 0; k < g->entries; k++) {
    const sweep_sample *const who = &y->row[g->row + k].who;
    if (strcmp(who->solver, solver->name) == 0 && strcmp(who->protocol, protocol) == 0) return k;
  }
  return SIZE_MAX;
}

/* wherever both ran the same protocol */
static void add_ratios(const summary *y, size_t i) {
  const group *const g = &y->group[i];
  for (size_t k = 0; k < g->entries; k++) {
    const sweep_sample *const ours = &y->row[g->row + k].who;
    const size_t mujoco = entry_of(y, i, &bridge_solver, ours->protocol);
    if (mujoco != SIZE_MAX && solver_is_libess(solver_find(ours->solver)))
      add_ratio(y, i, k, mujoco, entry_of(y, i, &bridge_callback_solver, ours->protocol));
  }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void add_top(const summary *y) {
  const sweep_sample *const any = &y->row->who;
  const sweep_top top = {any->epsilon, any->source,
                         settings_in_common(&any->settings, sizeof *y->row, y->rows)};
  study_add(y->run, SWEEP_TOP, &top);
}

static void add_benchmark(const summary *y, const sweep_row *r) {
  const char *const name = study_text(y->run, "%s/%s/%s/contacts:%zu", y->run->m->type->name,
                                      r->who.protocol, r->who.solver, r->who.contacts);
  const sweep_benchmark b = {.name = name,
                             .run_name = name,
                             .run_type = "aggregate",
                             .aggregate_name = "median",
                             .aggregate_unit = "time",
                             .threads = 1,
                             .iterations = y->draws.trials,
                             .real_time = 1e3 * r->median_s,
                             .cpu_time = 1e3 * r->median_s,
                             .time_unit = "ms",
                             .real_time_lo = 1e3 * r->interval_s[0],
                             .real_time_hi = 1e3 * r->interval_s[1],
                             .rms_error = r->rms_error,
                             .events_ratio = r->events_ratio};
  study_add(y->run, SWEEP_BENCHMARKS, &b);
}

static void add_group(const summary *y, size_t i) {
  const group *const g = &y->group[i];
  add_ratios(y, i);
  add_plain(y, i);
  for (size_t k = 0; k < g->entries; k++) {
    study_add(y->run, SWEEP_ROWS, &y->row[g->row + k]);
    add_benchmark(y, &y->row[g->row + k]);
  }
}

static void summarize(summary *y) {
  for (size_t i = 0; i < y->groups; i++)
    for (size_t k = 0; k < y->group[i].entries; k++) add_trials(y, &y->group[i], k);
  for (size_t i = 0; i < y->groups; i++)
    for (size_t k = 0; k < y->group[i].entries; k++)
      fill_row(y, trials_of(y, i, k), &y->row[y->group[i].row + k]);
  add_slopes(y);
  add_top(y);
  for (size_t i = 0; i < y->groups; i++) add_group(y, i);
}

static int sweep_derive(study_run *run) {
  summary y = {.run = run, .draws = sweep_draws(run), .groups = rows_of(run)};
  y.group = calloc(y.groups, sizeof *y.group);
  for (size_t i = 0; y.group && i < y.groups; i++) {
    group *const g = &y.group[i];
    *g = (group){.cell = seeks_epsilon(run) + y.groups + i * y.draws.processes, .row = y.rows};
    entries_of(run, i, &g->entries);
    y.rows += g->entries;
  }
  y.row = calloc(y.rows, sizeof *y.row);
  const int status = y.group && y.row ? 0 : study_out_of_memory(run);
  if (!status) summarize(&y);
  free(y.group);
  free(y.row);
  return status;
}

/* ---- what they say, a line each -------------------------------------------------------------- */

/* "2 to 5", or "2" where it is one; a solver by what it is: nobody has to know our names of its
 * variants; the ratios of the first that raced MuJoCo by a protocol; and what a contact costs with
 * its interval, as a slope of a few starts is no number alone */
static const char verdict[] =
    "WITH named (solver, name) AS (VALUES ('projection', 'libess by the paper''s method'), "
    "('mujoco', 'MuJoCo'), ('mujoco-callback', 'MuJoCo by a callback'), "
    "('plain', 'the cheapest event-unaware solver')), "
    "title (number, protocol, title) AS (VALUES (1, 'equal-error', 'at equal error'), "
    "(3, 'paper', 'by the paper''s protocol')), "
    "ratio AS (SELECT *, first_value(solver) OVER (PARTITION BY protocol ORDER BY row) AS first, "
    "rms_error_projection / rms_error_mujoco AS error "
    "FROM sweep_ratios JOIN newest USING (run)), "
    "ends AS (SELECT protocol, solver, printf('%.3g', min(mujoco_over_projection)) AS low, "
    "printf('%.3g', max(mujoco_over_projection)) AS high, printf('%.3g', min(error)) AS least, "
    "printf('%.3g', max(error)) AS most, printf('%.3g', min(contacts)) AS few, "
    "printf('%.3g', max(contacts)) AS many, count(*) AS count, "
    "sum(interval->>0 > 1 OR interval->>1 < 1) AS shown, "
    "printf('%.3g', min(callback_over_projection)) AS callback_low, "
    "printf('%.3g', max(callback_over_projection)) AS callback_high, "
    "count(callback_over_projection) AS callbacks FROM ratio WHERE solver = first "
    "GROUP BY protocol), "
    "plain AS (SELECT printf('%.3g', min(plain_over_libess)) AS low, "
    "printf('%.3g', max(plain_over_libess)) AS high FROM sweep_plain JOIN newest USING (run) "
    "HAVING count(*)), "
    "slope AS (SELECT protocol, coalesce(name, solver) || printf(' %.3g us [%.3g, %.3g]', "
    "1e6 * s_per_contact, 1e6 * (interval->>0), 1e6 * (interval->>1)) AS cost FROM sweep_slopes "
    "JOIN newest USING (run) LEFT JOIN named USING (solver) WHERE s_per_contact IS NOT NULL "
    "ORDER BY row) "
    "SELECT line FROM (SELECT number, title || ': ' || coalesce('MuJoCo takes ' || low || "
    "iif(low <> high, ' to ' || high, '') || ' times as long as ' || coalesce(name, solver) || "
    "', whose error is ' || least || iif(least <> most, ' to ' || most, '') || "
    "' times MuJoCo''s; N = ' || few || iif(few <> many, ' to ' || many, '') || "
    "', the difference is significant at ' || shown || ' of ' || count || iif(callbacks, "
    "'; with the contact force by a callback MuJoCo takes ' || callback_low || "
    "iif(callback_low <> callback_high, ' to ' || callback_high, '') || ' times as long', ''), "
    "'not measured') AS line "
    "FROM title LEFT JOIN ends USING (protocol) LEFT JOIN named USING (solver) "
    "UNION ALL SELECT 2, 'at equal error: the cheapest event-unaware solver takes ' "
    "|| low || iif(low <> high, ' to ' || high, '') || ' times as long as libess' FROM plain "
    "UNION ALL SELECT 4 + coalesce(number, 4), 'one more contact ' || coalesce(title, 'by ' || "
    "protocol) || ' [95 %]: ' || group_concat(cost, ', ') FROM slope LEFT JOIN title "
    "USING (protocol) GROUP BY protocol "
    "UNION ALL SELECT 9, 'one more contact: not known from one N' "
    "WHERE NOT EXISTS (SELECT 1 FROM slope)) ORDER BY number";

static void show_verdict(const study_run *run) {
  study_say(run, verdict);
}

/* ---- a cell ---------------------------------------------------------------------------------- */

static int find_epsilon(study_run *run) {
  sweep_sample s;
  column_clear(sweep_sample_columns, &s);
  if (calibrated_epsilon(run, &s.epsilon, &s.source)) return -1;
  return study_add(run, SWEEP_SAMPLES, &s);
}

/* equal error is MuJoCo's, whoever else races */
static bool has_mujoco(const study_run *run, const solver_type *engine) {
  const sweep_settings *const s = run->settings;
  bool races = false;
  for (size_t i = 0; i < run->racers.count; i++) races = races || run->racers.solver[i] == engine;
  for (size_t i = 0; i < s->protocols.count; i++)
    races = races || s->protocols.index[i] >= SWEEP_EQUAL_ERROR;
  return races;
}

static int prove_same_system(study_run *run, const model *m, entering *e) {
  const solver_settings *const settings = &run->racers.settings;
  if (has_mujoco(run, &bridge_solver) &&
      same_system(&bridge_solver, m, settings, run->seed, &e->gap, run->message))
    return -1;
  if (!m->type->contact_force || !has_mujoco(run, &bridge_callback_solver)) return 0;
  return same_system(&bridge_callback_solver, m, settings, run->seed, &e->callback_gap,
                     run->message)
             ? -1
             : 0;
}

/* a sample for everyone who races by the protocols named, one after the other; once for all
 * processes */
static int enter(study_run *run, const cell *c) {
  const sweep_settings *const given = run->settings;
  entering e = {.run = run,
                .request = {.base = run->racers.settings,
                            .interrupted = run->interrupted,
                            .tell = enter_one,
                            .context = &e,
                            .message = run->message}};
  column_clear(sweep_sample_columns, &e.who);
  e.gap = e.callback_gap = e.who.gap;
  e.who.contacts = contacts_of(run, c->row);
  if (seeks_epsilon(run)) {
    const sweep_sample *const found = study_samples(run, 0, NULL);
    e.who.epsilon = e.request.base.epsilon = found->epsilon;
    e.who.source = found->source;
  } else if (has_epsilon(run)) {
    e.who.epsilon = run->racers.settings.epsilon;
    e.who.source = "--epsilon";
  }
  const case_change changes[] = {{"contacts", (double)e.who.contacts}, {0}};
  const model *const m = case_model(run, changes);
  int status = m ? 0 : -1;
  if (!status) status = prove_same_system(run, m, &e);
  for (size_t i = 0; !status && i < given->protocols.count; i++)
    status = enter_protocol(&e, m, (sweep_protocol)given->protocols.index[i]);
  contest_forget(e.tuning);
  return status;
}

static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  return c->kind == EPSILON ? find_epsilon(run) : c->kind == ENTRIES ? enter(run, c) : race(run, c);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static void show(const study_run *run) {
  const sweep_settings *const s = run->settings;
  const sweep_top *const top = study_rows(run, SWEEP_TOP, NULL);
  printf("%zu initial conditions for each N; ", s->trials);
  if (!isnan(top->epsilon)) printf("epsilon %.6g (%s); ", top->epsilon, top->epsilon_source);
  printf("MuJoCo %s\n", bridge_version_string());
  study_print(run, SWEEP_ROWS, 0, SIZE_MAX);
  printf(
      "crossings: of all runs, as a share of the reference's; (!) marks a difference above 1 %%\n");
}

/* ---- the study ------------------------------------------------------------------------------- */

const study sweep_study = {
    .name = "sweep",
    .summary = "times of the engines on the plate over the number of contacts (Fig. 5.2)",
    .example = "essbench sweep --contacts 2,10,50 --trials 20 --out results",
    .file = "sweep",
    .parameters = "model",
    .cells = "measurements",
    .stages = 3,
    .pinned = true,
    .processes = 12,
    .solvers = "projection,mujoco,mujoco-callback",
    .table = "what the results in the folder say, in a few lines; nothing is measured",
    STUDY_OF(sweep_settings, cell),
    .tables = {[SWEEP_SAMPLES] = STUDY_ROWS(sweep_sample, .meaning = "one sample"),
               [SWEEP_TOP] = STUDY_ROWS(sweep_top, .json = "",
                                        .meaning = "what all who raced have in common"),
               [SWEEP_SLOPES] = STUDY_ROWS(
                   sweep_slope, .json = "slopes",
                   .meaning = "the line through the medians over all numbers of contacts"),
               [SWEEP_RATIOS] = STUDY_ROWS(
                   sweep_ratio, .json = "ratios",
                   .meaning = "MuJoCo's time over that of libess by the method named in solver, "
                              "paired by initial condition; names say projection for either"),
               [SWEEP_PLAIN] =
                   STUDY_ROWS(sweep_plain, .json = "plain",
                              .meaning = "by equal-error: the cheapest method that looks for no "
                                         "crossing over libess, paired by initial condition"),
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
    .show_table = show_verdict,
};

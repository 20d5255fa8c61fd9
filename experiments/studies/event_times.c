/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench event-times: how exact the times of events are on the plate at a tolerance, from many
 * initial conditions, beside a run whose tolerance is far smaller. */
#include <math.h>
#include <stdlib.h>

#include "ess.h"
#include "measure.h"
#include "race.h"
#include "solvers.h"
#include "studies.h"

/* of the run that others are compared with */
static const double fine_tolerance = 1e-13;

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of contacts: 10,100, 2..10 or a mixture", .initial = "2,10,100")                      \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y", "rtol = atol, the largest first",               \
    .initial = "1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9", .min = 1e-11, .max = 0.5)                \
  X(row, trials, WHOLE, "trials", "COUNT",                                                         \
    "initial conditions, each from a seed of its own: --seed and those that follow",               \
    .initial = "50", .min = 1, .max = 1e6, .result = "trials")
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SAMPLES = STUDY_SAMPLES, ROWS };

#define SAMPLE(X, row)                                                                             \
  X(row, contacts, COUNT, "", "")                                                                  \
  X(row, seed, COUNT, "", "")                                                                      \
  X(row, tolerance, AMOUNT, "", "")                                                                \
  X(row, events, AMOUNT, "", "")                                                                   \
  X(row, same, FLAG, "", "")                                                                       \
  X(row, mean_s, AMOUNT, "", "")                                                                   \
  X(row, worst_s, AMOUNT, "", "")                                                                  \
  X(row, evaluations, AMOUNT, "", "")
COLUMN_ROW(sample, SAMPLE);

static const column row_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    TAKEN("tolerance", AMOUNT, "", "rtol = atol", SHOWN("tol", "%7.0e")),
    DERIVED("trials", COUNT, "", "count(*)", "initial conditions"),
    DERIVED("same", COUNT, "", "sum(same)",
            "of them with the events of the fine run: each guard is crossed as often. All that "
            "follows is of these",
            SHOWN("same events", "%11.0f")),
    DERIVED("events", AMOUNT, "", "avg(events) FILTER (WHERE same)", "in a run; mean",
            SHOWN("events", "%7.1f")),
    DERIVED("mean_s", AMOUNT, "s", "median(mean_s)",
            "error of an event's time, mean of a run; median", SHOWN("mean s", "%9.2e")),
    DERIVED("worst_s", AMOUNT, "s", "median(worst_s)", "the largest of a run; median",
            SHOWN("worst s", "%9.2e")),
    DERIVED("worst_of_all_s", AMOUNT, "s", "max(worst_s)", "the largest of all runs",
            SHOWN("of all s", "%9.2e")),
    DERIVED("evaluations", AMOUNT, "", "avg(evaluations) FILTER (WHERE same)",
            "of the right-hand side; mean", SHOWN("evals", "%7.0f")),
    {0},
};
static const char rows_sql[] = "event_times_cells WHERE run = ?1 GROUP BY contacts, tolerance "
                               "ORDER BY contacts, tolerance DESC";

/* ---- a run, and its events ------------------------------------------------------------------- */

typedef struct happened {
  size_t guard;
  double t;
} happened;

typedef struct events {
  happened *of; /* owned */
  size_t count, room;
  double evaluations;
} events;

static int note(const ess_crossing_info *info, void *context) {
  events *const all = context;
  happened *const grown = measure_grow(all->of, &all->room, all->count, sizeof *grown);
  if (!grown) return -1;
  all->of = grown;
  all->of[all->count++] = (happened){info->event, info->t};
  return 0;
}

/* guard by guard, each in the order of time */
static int by_guard(const void *a, const void *b) {
  const happened *const x = a, *const y = b;
  return x->guard != y->guard ? (x->guard > y->guard) - (x->guard < y->guard)
                              : (x->t > y->t) - (x->t < y->t);
}

/* those of a run from a start; what it has is to be freed, whatever is returned */
static int follow(study_run *run, const contest_starts *start, double tolerance, events *all) {
  const model *const m = start->m;
  solver_settings with = solver_settings_default();
  double x[MODEL_DIMENSION_MAX], t = 0.0;
  with.rtol = with.atol = tolerance;
  ess_options options = solver_libess_options(false, &with, model_get(m, "duration"));
  options.observer = (ess_observer){.crossing = note, .context = all};
  ess_driver *const driver = ess_driver_alloc(&m->system, &options, NULL);
  *all = (events){0};
  if (!driver) return study_out_of_memory(run);
  for (size_t i = 0; i < m->system.dimension; i++) x[i] = start->states[i];
  const int status = ess_driver_apply(driver, &t, model_get(m, "duration"), x);
  all->evaluations = (double)ess_driver_counters(driver)->field_evaluations;
  ess_driver_free(driver);
  if (all->count) qsort(all->of, all->count, sizeof *all->of, by_guard);
  return status ? measure_fail(run->message, "tolerance %g: %s", tolerance, ess_strerror(status))
                : 0;
}

/* errors of the times, where each guard is crossed as often as in the fine run */
static void compare(const events *fine, const events *found, sample *s) {
  double sum = 0.0, worst = 0.0;
  s->same = found->count == fine->count;
  for (size_t i = 0; s->same && i < fine->count; i++) {
    const double error = fabs(found->of[i].t - fine->of[i].t);
    s->same = found->of[i].guard == fine->of[i].guard;
    sum += error;
    worst = fmax(worst, error);
  }
  s->events = (double)found->count;
  s->evaluations = found->evaluations;
  s->mean_s = s->same && fine->count ? sum / (double)fine->count : (double)NAN;
  s->worst_s = s->same && fine->count ? worst : (double)NAN;
}

/* ---- cells: an initial condition at every tolerance ------------------------------------------ */

typedef struct cell {
  size_t contacts;
  unsigned long seed;
} cell;

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  for (size_t i = 0; stage == 0 && i < s->contacts.count * s->trials; i++) {
    const cell c = {s->contacts.contacts[i / s->trials], run->seed + i % s->trials};
    if (study_cell(run, &c, "contacts=%zu seed=%lu", c.contacts, c.seed)) return -1;
  }
  return 0;
}

static int compare_all(study_run *run, const cell *c, const contest_starts *start) {
  const settings *const s = run->settings;
  events fine, found;
  int status = follow(run, start, fine_tolerance, &fine);
  for (size_t i = 0; !status && i < s->tolerances.count; i++) {
    sample row = {.contacts = c->contacts, .seed = c->seed, .tolerance = s->tolerances.value[i]};
    status = follow(run, start, row.tolerance, &found);
    if (!status) compare(&fine, &found, &row);
    if (!status) status = study_add(run, SAMPLES, &row);
    free(found.of);
  }
  free(fine.of);
  return status;
}

static int measure(study_run *run, const void *planned) {
  const cell *const c = planned;
  const case_change changes[] = {{"contacts", (double)c->contacts}, {0}};
  const model *const m = case_model(run, changes);
  contest_starts start;
  if (!m || contest_starts_alloc(&start, m, 1, true, c->seed, run->message)) return -1;
  const int status = compare_all(run, c, &start);
  contest_starts_free(&start);
  return status;
}

const study event_times_study = {
    .name = "event-times",
    .summary = "error of the times of events on the plate at tolerances from 1e-2 to 1e-9",
    .example = "essbench event-times --contacts 10 --tolerances 1e-3,1e-6 --trials 20",
    .file = "event_times",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig_event_times", "event_times.csv")},
    .make = "event-times CONTACTS TRIALS SEED PROCESSES RANKS",
    .small = "--contacts 2 --trials 2",
    .page = "docs/results/accuracy.md",
    .model = "plate",
    .untimed = true,
    .cells = "initial conditions",
    .processes = 2,
    STUDY_OF(settings, cell),
    .tables = {[SAMPLES] = STUDY_ROWS(sample, .meaning = "one initial condition at one tolerance"),
               [ROWS] =
                   STUDY_DERIVED(row_columns, rows_sql, .json = "rows", .csv = "event_times.csv",
                                 .meaning = "one tolerance with one number of contacts")},
    .plan = plan,
    .run = measure,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench tolerance: libess by one tolerance, on the plate: what error a tolerance gives and what
 * it costs, from many starts, beside the same library when it locates each crossing. */
#include <stdio.h>

#include "race.h"
#include "solvers.h"
#include "studies.h"

/* decades that location goes on below the last tolerance, for its error there may be larger than
 * that of libess */
enum { FURTHER = 2, LEVELS_MAX = OPTION_NUMBERS_MAX + FURTHER };

/* neighbourhoods so thin that nothing is projected: the paper's method locates each crossing */
static const double location_epsilon = 1e-10;

static const outcome_effort fastest_of_three = {.runs = 3}, once = {.runs = 1};

/* ---- what is asked for ----------------------------------------------------------------------- */

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of contacts: 10,100, 2..10 or a mixture", .initial = "2,10,30,100,1000")              \
  X(row, dampings, NUMBERS, "damping", "X,Y", "dampings of all springs, N s/m, the largest first", \
    .initial = "60,0", .max = 1e9)                                                                 \
  X(row, tolerances, NUMBERS, "tolerances", "X,Y",                                                 \
    "rtol = atol, the largest first (default: every decade from 0.1 to 1e-10)",                    \
    .initial = "1e-1,1e-2,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10", .min = 1e-16, .max = 0.5)     \
  X(row, trials, WHOLE, "trials", "COUNT",                                                         \
    "initial conditions, each from a seed of its own: --seed and those that follow",               \
    .initial = "200", .min = 1, .max = 1e6, .result = "trials")
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SAMPLES = STUDY_SAMPLES, ROWS };

/* One initial condition at one tolerance; NaN where the run failed, or `alone`, where only location
 * was run. */
typedef struct sample {
  size_t contacts, seed;
  bool alone;
  double damping, tolerance, reference_events;
  outcome libess, location;
} sample;

static const column sample_columns[] = {
    COLUMNS(sample, COUNT, contacts, seed),
    COLUMNS(sample, FLAG, alone),
    COLUMNS(sample, AMOUNT, damping, tolerance, reference_events),
    OUTCOME_COLUMNS("", sample, libess),
    OUTCOME_COLUMNS("location_", sample, location),
    {0},
};

/* location's right-hand-side evaluations at the error e, by the logarithms */
#define LOCATION_COST                                                                              \
  "(SELECT was * pow(cost / was, ln(e / last) / ln(rms / last)) FROM (SELECT tolerance, rms, "     \
  "cost, lag(rms) OVER finer AS last, lag(cost) OVER finer AS was FROM (SELECT tolerance, "        \
  "median(location_rms_error) AS rms, avg(location_field_evaluations) AS cost "                    \
  "FROM tolerance_cells l WHERE l.run = s.run AND l.contacts = s.contacts "                        \
  "AND l.damping = s.damping GROUP BY tolerance) WINDOW finer AS (ORDER BY tolerance DESC)) "      \
  "WHERE last >= e AND e >= rms AND last > rms ORDER BY tolerance DESC LIMIT 1)"

static const column row_columns[] = {
    TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%6.0f")),
    TAKEN("damping", AMOUNT, "N s/m", "of all springs", SHOWN("c", "%4g")),
    TAKEN("tolerance", AMOUNT, "", "rtol = atol", SHOWN("tol", "%7.0e")),
    DERIVED("trials", COUNT, "", "count(*)", "starts"),
    DERIVED("failed", COUNT, "", "sum(rms_error IS NULL)",
            "initial conditions whose run ended in a failure: in none of the numbers below",
            SHOWN("fail", "%4.0f")),
    DERIVED("rms_median", AMOUNT, "", "e",
            "error against the reference: root mean square over all states on the output grid",
            SHOWN("median", "%9.2e")),
    DERIVED("rms_q90", AMOUNT, "", "quantile(rms_error, 0.9)", "its 90 % quantile"),
    DERIVED("rms_q99", AMOUNT, "", "quantile(rms_error, 0.99)", "its 99 % quantile"),
    DERIVED("rms_worst", AMOUNT, "", "worst", "the largest"),
    DERIVED("rms_median_first_half", AMOUNT, "", "median(rms_error) FILTER (WHERE NOT later)",
            "of the lower seeds"),
    DERIVED("rms_median_second_half", AMOUNT, "", "median(rms_error) FILTER (WHERE later)",
            "of the higher seeds"),
    DERIVED("median_over_tolerance", AMOUNT, "", "e / tolerance", "rms_median / tolerance",
            SHOWN("/tol", "%7.3g")),
    DERIVED("q99_over_median", AMOUNT, "", "quantile(rms_error, 0.99) / e", "rms_q99 / rms_median",
            SHOWN("99%/med", "%7.2f")),
    DERIVED("worst_over_median", AMOUNT, "", "worst / e", "rms_worst / rms_median",
            SHOWN("max/med", "%7.2f")),
    DERIVED("worst_seed", AMOUNT, "", "max(seed) FILTER (WHERE rms_error = worst)",
            "of the initial condition with the largest error"),
    DERIVED("field_evaluations", AMOUNT, "", "avg(field_evaluations)",
            "every one counted; mean, as all to through", SHOWN("fields", "%8.1f")),
    DERIVED("event_evaluations", AMOUNT, "", "avg(event_evaluations)",
            "of all event functions at once"),
    DERIVED("steps", AMOUNT, "", "avg(steps)", "accepted"),
    DERIVED("rejected", AMOUNT, "", "avg(rejected)", "steps"),
    DERIVED("entries", AMOUNT, "", "avg(entries)", "steps cut at a located crossing"),
    DERIVED("through", AMOUNT, "", "avg(through)",
            "of the steps, those that went through crossings", SHOWN("through", "%7.1f")),
    DERIVED("events_ratio", AMOUNT, "",
            "sum(events) / sum(reference_events) FILTER (WHERE events IS NOT NULL)",
            "crossings that change the field, of all initial conditions, over the reference's",
            SHOWN("events", "%7.4f")),
    DERIVED("other_events", COUNT, "", "count(*) FILTER (WHERE events != reference_events)",
            "initial conditions with another number of crossings than the reference"),
    DERIVED("time_s", AMOUNT, "s", "median(seconds)",
            "median over the initial conditions of the fastest of a few runs",
            SHOWN_TIMES("us", "%9.1f", 1e6)),
    DERIVED("location_rms_median", AMOUNT, "", "median(location_rms_error)",
            "of the paper's method with epsilon 1e-10, which locates each crossing"),
    DERIVED("location_field_evaluations", AMOUNT, "", "avg(location_field_evaluations)",
            "of location; mean"),
    DERIVED("cost_over_location", AMOUNT, "", "avg(field_evaluations) / " LOCATION_COST,
            "field evaluations over those of location at the same median error, between two of its "
            "tolerances by logarithms; not known where its errors do not reach so far",
            SHOWN("/locate", "%7.3f")),
    {0},
};

/* a row is of all initial conditions of a case at a tolerance: e is their median error */
static const char rows_sql[] =
    "(SELECT *, median(rms_error) OVER level AS e, max(rms_error) OVER level AS worst, "
    "seed >= min(seed) OVER () + (max(seed) OVER () - min(seed) OVER () + 1) / 2 AS later "
    "FROM tolerance_cells WHERE run = ?1 WINDOW level AS (PARTITION BY contacts, damping, "
    "tolerance)) s WHERE NOT alone GROUP BY contacts, damping, tolerance "
    "ORDER BY contacts, damping DESC, tolerance DESC";

/* ---- cells: one start at every tolerance, since its reference serves all --------------------- */

typedef struct cell {
  size_t contacts;
  double damping;
  unsigned long seed;
} cell;

/* the tolerances given, and those for location alone */
static size_t levels(const settings *s, double level[LEVELS_MAX]) {
  const size_t count = s->tolerances.count + FURTHER;
  for (size_t i = 0; i < count; i++)
    level[i] = i < s->tolerances.count ? s->tolerances.value[i] : 0.1 * level[i - 1];
  return count;
}

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  for (size_t i = 0; stage == 0 && i < s->contacts.count; i++)
    for (size_t k = 0; k < s->dampings.count; k++)
      for (size_t j = 0; j < s->trials; j++) {
        const cell c = {s->contacts.contacts[i], s->dampings.value[k], run->seed + j};
        if (study_cell(run, &c, "contacts=%zu damping=%.17g seed=%lu", c.contacts, c.damping,
                       c.seed))
          return -1;
      }
  return 0;
}

/* a run that fails is no reason to stop: it is told of and counted, its numbers stay unknown */
static int measure_level(study_run *run, const cell *c, const contest_starts *start, double level,
                         bool alone) {
  sample s = {.contacts = c->contacts,
              .seed = c->seed,
              .alone = alone,
              .damping = c->damping,
              .tolerance = level,
              .reference_events = (double)start->events[0],
              .libess = outcome_unknown(),
              .location = outcome_unknown()};
  solver_settings with = solver_settings_default();
  with.rtol = with.atol = level;
  int status = 0;
  if (!alone)
    status =
        outcome_run(&libess_solver, &with, start, 0, fastest_of_three, &s.libess, run->message);
  if (status > 0)
    fprintf(stderr, "warning: tolerance %g from seed %lu: %s\n", level, c->seed, run->message);
  with.epsilon = location_epsilon;
  if (status < 0 ||
      outcome_run(&projection_solver, &with, start, 0, once, &s.location, run->message) < 0)
    return -1;
  return study_add(run, SAMPLES, &s);
}

static int measure(study_run *run, const void *planned) {
  const settings *const given = run->settings;
  const cell *const c = planned;
  const case_change changes[] = {{"contacts", (double)c->contacts}, {"damping", c->damping}, {0}};
  const model *const m = case_model(run, changes);
  double level[LEVELS_MAX];
  contest_starts start;
  if (!m || contest_starts_alloc(&start, m, 1, true, c->seed, run->message)) return -1;
  int status = contest_reference(&start, 0, run->message);
  const size_t count = levels(given, level);
  for (size_t i = 0; !status && i < count; i++)
    status = measure_level(run, c, &start, level[i], i >= given->tolerances.count);
  contest_starts_free(&start);
  return status;
}

const study tolerance_study = {
    .name = "tolerance",
    .summary = "error and cost of libess on the plate at tolerances from 0.1 to 1e-10",
    .example = "essbench tolerance --contacts 10,100 --tolerances 1e-2,1e-4,1e-6 --trials 20",
    .file = "tolerance",
    .group = STUDY_VALIDATES,
    .figures = {STUDY_FIGURE("fig_tolerance", "tolerance.csv")},
    .make = "tolerance CONTACTS TRIALS SEED PROCESSES RANKS",
    .model = "plate",
    .cells = "initial conditions",
    .processes = 2,
    STUDY_OF(settings, cell),
    .tables = {[SAMPLES] = STUDY_ROWS(sample, .meaning = "one initial condition at one tolerance"),
               [ROWS] = STUDY_DERIVED(
                   row_columns, rows_sql, .json = "rows", .csv = "tolerance.csv",
                   .meaning = "one tolerance with one number of contacts and one damping")},
    .plan = plan,
    .run = measure,
};

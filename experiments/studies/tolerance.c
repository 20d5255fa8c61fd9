/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench tolerance: libess by one tolerance, on the plate: what error a tolerance gives and what
 * it costs, from many starts, beside the same library when it locates each crossing. */
#include <math.h>
#include <stdio.h>

#include "race.h"
#include "series.h"
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

/* One start at one tolerance; NaN where the run failed, or only location was run. */
typedef struct sample {
  size_t seed;
  double tolerance, reference_events;
  outcome libess, location;
} sample;

static const column sample_columns[] = {
    COLUMNS(sample, COUNT, seed),
    COLUMNS(sample, AMOUNT, tolerance, reference_events),
    OUTCOME_COLUMNS("", sample, libess),
    OUTCOME_COLUMNS("location_", sample, location),
    {0},
};

#define ROW_COLUMNS(COLUMN, row)                                                                   \
  COLUMN(row, contacts, COUNT, "", "number of contacts", SHOWN("N", "%6.0f"))                      \
  COLUMN(row, damping, AMOUNT, "N s/m", "of all springs", SHOWN("c", "%4g"))                       \
  COLUMN(row, tolerance, AMOUNT, "", "rtol = atol", SHOWN("tol", "%7.0e"))                         \
  COLUMN(row, trials, COUNT, "", "starts")                                                         \
  COLUMN(row, failed, COUNT, "",                                                                   \
         "initial conditions whose run ended in a failure: in none of the numbers below",          \
         SHOWN("fail", "%4.0f"))                                                                   \
  COLUMN(row, rms_median, AMOUNT, "",                                                              \
         "error against the reference: root mean square over all states on the output grid",       \
         SHOWN("median", "%9.2e"))                                                                 \
  COLUMN(row, rms_q90, AMOUNT, "", "its 90 % quantile")                                            \
  COLUMN(row, rms_q99, AMOUNT, "", "its 99 % quantile")                                            \
  COLUMN(row, rms_worst, AMOUNT, "", "the largest")                                                \
  COLUMN(row, rms_median_first_half, AMOUNT, "", "of the lower seeds")                             \
  COLUMN(row, rms_median_second_half, AMOUNT, "", "of the higher seeds")                           \
  COLUMN(row, median_over_tolerance, AMOUNT, "", "rms_median / tolerance", SHOWN("/tol", "%7.3g")) \
  COLUMN(row, q99_over_median, AMOUNT, "", "rms_q99 / rms_median", SHOWN("99%/med", "%7.2f"))      \
  COLUMN(row, worst_over_median, AMOUNT, "", "rms_worst / rms_median", SHOWN("max/med", "%7.2f"))  \
  COLUMN(row, worst_seed, AMOUNT, "", "of the initial condition with the largest error")           \
  COLUMN(row, field_evaluations, AMOUNT, "", "every one counted; mean, as all to through",         \
         SHOWN("fields", "%8.1f"))                                                                 \
  COLUMN(row, guard_evaluations, AMOUNT, "", "of all event functions at once")                     \
  COLUMN(row, steps, AMOUNT, "", "accepted")                                                       \
  COLUMN(row, rejected, AMOUNT, "", "steps")                                                       \
  COLUMN(row, entries, AMOUNT, "", "steps cut at a located crossing")                              \
  COLUMN(row, through, AMOUNT, "", "of the steps, those that went through crossings",              \
         SHOWN("through", "%7.1f"))                                                                \
  COLUMN(row, events_ratio, AMOUNT, "",                                                            \
         "crossings that change the field, of all initial conditions, over the reference's",       \
         SHOWN("events", "%7.4f"))                                                                 \
  COLUMN(row, other_events, COUNT, "",                                                             \
         "initial conditions with another number of crossings than the reference")                 \
  COLUMN(row, time_s, AMOUNT, "s",                                                                 \
         "median over the initial conditions of the fastest of a few runs",                        \
         SHOWN_TIMES("us", "%9.1f", 1e6))                                                          \
  COLUMN(row, location_rms_median, AMOUNT, "",                                                     \
         "of the paper's method with epsilon 1e-10, which locates each crossing")                  \
  COLUMN(row, location_field_evaluations, AMOUNT, "", "of location; mean")                         \
  COLUMN(row, cost_over_location, AMOUNT, "",                                                      \
         "field evaluations over those of location at the same median error, between two of its "  \
         "tolerances by logarithms; not known where its errors do not reach so far",               \
         SHOWN("/locate", "%7.3f"))
COLUMN_ROW(row, ROW_COLUMNS);

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
  sample s = {c->seed, level, (double)start->events[0], outcome_unknown(), outcome_unknown()};
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

/* ---- what the samples say -------------------------------------------------------------------- */

/* all starts of a case at one of its levels */
static gather starts_at(study_run *run, size_t index, size_t level) {
  const settings *const s = run->settings;
  const size_t stride = s->tolerances.count + FURTHER;
  return gather_rows(run, SAMPLES, index * s->trials * stride + level, stride, s->trials);
}

/* what location's field evaluations are at an error between two of its own, by the logarithms */
static double location_cost(study_run *run, size_t index, double rms) {
  const settings *const s = run->settings;
  double last_rms = NAN, last_cost = NAN;
  for (size_t i = 0; i < s->tolerances.count + FURTHER; i++) {
    const gather starts = starts_at(run, index, i);
    const double at = gather_median(starts, "location_rms_error");
    const double cost = gather_mean(starts, "location_field_evaluations");
    if (last_rms >= rms && rms >= at && last_rms > at)
      return last_cost * pow(cost / last_cost, log(rms / last_rms) / log(at / last_rms));
    last_rms = at;
    last_cost = cost;
  }
  return NAN;
}

static void fill_errors(gather starts, row *r) {
  r->failed = r->trials - gather_known(starts, "rms_error");
  r->rms_median = gather_median(starts, "rms_error");
  r->rms_q90 = gather_quantile(starts, "rms_error", 0.9);
  r->rms_q99 = gather_quantile(starts, "rms_error", 0.99);
  r->rms_worst = gather_quantile(starts, "rms_error", 1.0);
  r->rms_median_first_half = gather_median(gather_part(starts, 0, r->trials / 2), "rms_error");
  r->rms_median_second_half =
      gather_median(gather_part(starts, r->trials / 2, r->trials), "rms_error");
  r->median_over_tolerance = r->rms_median / r->tolerance;
  r->q99_over_median = r->rms_q99 / r->rms_median;
  r->worst_over_median = r->rms_worst / r->rms_median;
}

/* crossings of all starts over those of the references, and what each start has of its own */
static void fill_starts(gather starts, row *r) {
  double found = 0.0, expected = 0.0;
  r->worst_seed = NAN;
  for (size_t i = 0; i < starts.count; i++) {
    const sample *const s = gather_row(starts, i);
    if (isnan(s->libess.events)) continue;
    found += s->libess.events;
    expected += s->reference_events;
    r->other_events += s->libess.events != s->reference_events;
    if (s->libess.rms_error == r->rms_worst) r->worst_seed = (double)s->seed;
  }
  r->events_ratio = expected > 0.0 ? found / expected : NAN;
}

static void add_row(study_run *run, size_t index, const cell *c, size_t level, double tolerance) {
  const gather starts = starts_at(run, index, level);
  row r = {.contacts = c->contacts,
           .damping = c->damping,
           .tolerance = tolerance,
           .trials = starts.count,
           .time_s = gather_median(starts, "time_s"),
           .location_rms_median = gather_median(starts, "location_rms_error"),
           .location_field_evaluations = gather_mean(starts, "location_field_evaluations")};
  gather_into(starts, gather_mean, ROWS, "field_evaluations", "through", &r);
  fill_errors(starts, &r);
  fill_starts(starts, &r);
  r.cost_over_location = r.field_evaluations / location_cost(run, index, r.rms_median);
  study_add(run, ROWS, &r);
}

static int derive(study_run *run) {
  const settings *const s = run->settings;
  for (size_t i = 0; i < study_cells(run) / s->trials; i++)
    for (size_t k = 0; k < s->tolerances.count; k++)
      add_row(run, i, study_cell_at(run, i * s->trials), k, s->tolerances.value[k]);
  return 0;
}

const study tolerance_study = {
    .name = "tolerance",
    .summary = "error and cost of libess on the plate at tolerances from 0.1 to 1e-10",
    .example = "essbench tolerance --contacts 10,100 --tolerances 1e-2,1e-4,1e-6 --trials 20",
    .file = "tolerance",
    .model = "plate",
    .cells = "initial conditions",
    .processes = 2,
    STUDY_OF(settings, cell),
    .tables = {[SAMPLES] = STUDY_ROWS(sample, .meaning = "one initial condition at one tolerance"),
               [ROWS] = STUDY_ROWS(
                   row, .json = "rows", .csv = "tolerance.csv",
                   .meaning = "one tolerance with one number of contacts and one damping")},
    .plan = plan,
    .run = measure,
    .derive = derive,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* essbench crossing-cost: what a crossing costs every method at the same error, from a few contacts
 * to a thousand. At each number of contacts every method's cheapest setting is chosen, and those
 * that reach the error race. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "precision.h"
#include "race.h"
#include "solvers.h"
#include "studies.h"

/* Tries the value of a sample: its status, the starts it is raced from, and medians over those of
 * error and time, both infinite where a run failed. 0, or a solver_status with one line. */
typedef int crossing_try(void *context, precision_sample *s, char message[SOLVER_MESSAGE_SIZE]);

/* ---- the cheapest value of a knob that reaches an error -------------------------------------- */

/* a smaller epsilon may cost less, as fewer guards are inside their neighbourhoods at once: the
 * search goes on until a value costs so many times the cheapest */
static const double hopeless = 1.5;

/* whether finer values may be cheaper than the best so far */
static bool may_improve(const precision_method *method, const precision_sample *best,
                        const precision_sample *last) {
  if (isinf(best->of.time_s)) return true;
  const bool humped = method->knob == PRECISION_EPSILON;
  return humped && last->of.time_s <= hopeless * best->of.time_s;
}

/* the choice when no value reaches the target as it must: the most accurate, and why */
static precision_sample give_up(precision_sample closest, double target, bool too_long,
                                char message[SOLVER_MESSAGE_SIZE]) {
  const bool none = isinf(closest.of.rms_error), near = closest.of.rms_error <= target;
  const char *const why = closest.status == PRECISION_CROSSINGS
                              ? "crossings are more than 1 % off the reference's"
                              : "a run diverged";
  if (none) closest.of.rms_error = NAN;
  if (!none && near)
    measure_message(message, "the RMS error is %.2g, but %s", closest.of.rms_error, why);
  else if (!none)
    measure_message(message, "the RMS error is %.2g at best", closest.of.rms_error);
  closest.status = too_long ? PRECISION_TOO_LONG
                   : none   ? PRECISION_FAILED
                   : near   ? closest.status
                            : PRECISION_UNREACHED;
  return closest;
}

/* goes through the values of a method's knob from the coarsest on, as far as the cheapest may lie:
 * only a value whose status is PRECISION_OK is accepted. `none` is a sample without one. */
static precision_sample crossing_choose(const precision_method *method, precision_sample none,
                                        double target, crossing_try *attempt, void *context,
                                        char message[SOLVER_MESSAGE_SIZE]) {
  precision_sample best = none, closest = none, last = none;
  bool too_long = false;
  best.of.time_s = closest.of.rms_error = INFINITY;
  for (const double *value = method->values; *value > 0.0; value++) {
    const double seconds = last.of.time_s;
    too_long = isfinite(seconds) &&
               precision_expected_time(method, last.value, seconds, *value) > PRECISION_RUN_MAX;
    if (too_long || !may_improve(method, &best, &last)) break;
    last = none;
    last.value = *value;
    if (attempt(context, &last, message) == SOLVER_REFUSED) {
      none.status = PRECISION_REFUSED;
      return none;
    }
    if (last.of.rms_error < closest.of.rms_error) closest = last;
    if (last.status == PRECISION_OK && last.of.rms_error <= target &&
        last.of.time_s < best.of.time_s)
      best = last;
  }
  if (isinf(best.of.time_s)) return give_up(closest, target, too_long, message);
  message[0] = '\0';
  return best;
}

/* what an attempt needs to know */
typedef struct attempting {
  const study_run *run;
  const contest_starts *starts;
  double *room; /* of twice so many starts */
} attempting;

static int attempt(void *context, precision_sample *s, char message[SOLVER_MESSAGE_SIZE]) {
  const attempting *const a = context;
  const int status =
      *a->run->interrupted ? SOLVER_FAILED : precision_try(a->run, a->starts, a->room, s, message);
  const bool failed = status || s->status == PRECISION_FAILED;
  const double rms = failed ? INFINITY : s->of.rms_error,
               seconds = failed ? INFINITY : s->of.time_s;
  if (failed) s->status = PRECISION_FAILED;
  s->of = outcome_unknown();
  s->of.rms_error = rms;
  s->of.time_s = seconds;
  return status;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture",                 \
    .initial = "2,5,10,20,50,100,200,500,1000")                                                    \
  X(row, target, NUMBER, "target", "X", "RMS error at which methods are compared",                 \
    .initial = "0.01", .min = 1e-12, .max = 1, .result = "target")                                 \
  PRECISION_OPTIONS(X, row, "initial conditions for each number of contacts", "6", "2.4e8")
static const study_option precision_asked_options[] = {OPTIONS(OPTION_LINE, precision_asked){0}};

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SAMPLES = STUDY_SAMPLES, ENTRIES, ROWS };

/* where there is no crossing, none costs anything */
#define CROSSINGS " / nullif(reference, 0)"
static const column row_columns[] = {
    PRECISION_COLUMNS,
    TAKEN("target", AMOUNT, "", "RMS error to be reached"),
    DERIVED("ns_per_crossing", AMOUNT, "ns", "1e9 * " PRECISION_MEDIAN CROSSINGS,
            "median_s over events_reference", SHOWN("ns/crossing", "%11.1f")),
    DERIVED("ns_per_crossing_lo", AMOUNT, "ns", "1e9 * (times->>1)" CROSSINGS,
            "lower end of its 95 % interval"),
    DERIVED("ns_per_crossing_hi", AMOUNT, "ns", "1e9 * (times->>2)" CROSSINGS, "upper end"),
    DERIVED("evaluations_per_crossing", AMOUNT, "", PRECISION_EVALUATIONS CROSSINGS,
            "evaluations over events_reference"),
    PRECISION_MESSAGE,
    {0},
};

/* ---- cells: PRECISION_METHOD is its choice --------------------------------------------------- */

static int plan(study_run *run, size_t stage) {
  return precision_plan(run, stage, false);
}

/* ---- a cell ---------------------------------------------------------------------------------- */

static int choose(study_run *run, contest_starts *starts, size_t method) {
  const precision_asked *const s = run->settings;
  char message[SOLVER_MESSAGE_SIZE] = "";
  double *const room = calloc(2 * s->trials, sizeof *room);
  attempting a = {run, starts, room};
  int status = room ? 0 : study_out_of_memory(run);
  if (!status && !case_known(run, starts, s->trials)) status = -1;
  if (!status) {
    precision_sample sample =
        crossing_choose(&precision_methods[method],
                        precision_unknown("known", model_contacts(starts->m), method, NAN),
                        s->target, attempt, &a, message);
    sample.message = message;
    status = *run->interrupted ? -1 : study_add(run, SAMPLES, &sample);
  }
  free(room);
  return status;
}

static int measure(study_run *run, const void *planned) {
  return precision_measure(run, planned, choose);
}

static int derive(study_run *run) {
  return precision_derive(run, ENTRIES);
}

const study crossing_cost_study = {
    .name = "crossing-cost",
    .summary = "cost of a crossing by every method at equal error, over the number of contacts",
    .example = "essbench crossing-cost --contacts 2,10,100 --target 1e-3",
    .file = "crossing_cost",
    .group = STUDY_COMPARES,
    .figures = {STUDY_FIGURE("crossing_cost", "crossing_cost.csv", .crowded = true)},
    .make = "crossing-cost CONTACTS TRIALS SEED TARGET PROCESSES RANKS",
    .model = "plate",
    .cells = "methods and initial conditions",
    .stages = 2,
    .pinned = true,
    .processes = 5,
    STUDY_OF(precision_asked, precision_cell),
    .laps = PRECISION_LAPS("crossing_cost"),
    .tables = {[SAMPLES] = PRECISION_SAMPLES,
               [ENTRIES] = PRECISION_ENTRIES("crossing_cost"),
               [ROWS] = STUDY_DERIVED(row_columns, PRECISION_FROM("crossing_cost"), .json = "rows",
                                      .csv = "crossing_cost.csv",
                                      .meaning =
                                          "a method's cheapest setting at one number of contacts")},
    .check = precision_check,
    .plan = plan,
    .run = measure,
    .place = precision_place,
    .derive = derive,
};

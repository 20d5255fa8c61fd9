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

/* A row of the results: a method at one number of contacts. */
typedef struct crossing_row {
  precision_row p;
  double target, ns_per_crossing, ns_per_crossing_lo, ns_per_crossing_hi, evaluations_per_crossing;
} crossing_row;

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
                              : "a start diverged";
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
  precision_effort effort;
  double *room; /* of twice so many starts */
} attempting;

static int attempt(void *context, precision_sample *s, char message[SOLVER_MESSAGE_SIZE]) {
  const attempting *const a = context;
  const int status = *a->run->interrupted
                         ? SOLVER_FAILED
                         : precision_try(a->starts, &a->effort, a->room, s, message);
  const bool failed = status || s->status == PRECISION_FAILED;
  const double rms = failed ? INFINITY : s->of.rms_error,
               seconds = failed ? INFINITY : s->of.time_s;
  if (failed) s->status = PRECISION_FAILED;
  s->of = outcome_unknown();
  s->of.rms_error = rms;
  s->of.time_s = seconds;
  return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* marks a row that is "ok" but raced to an error above its target as not reached */
static void crossing_check_target(crossing_row *r) {
  if (r->p.rms_error <= r->target || strcmp(r->p.status, "ok") != 0) return;
  r->p.status = precision_status_name(PRECISION_UNREACHED);
  r->p.message = "the RMS error is above the target in the race";
}

static bool same_rows(const precision_row *a, const precision_row *b) {
  return strcmp(a->solver, b->solver) == 0 && strcmp(a->status, b->status) == 0 &&
         precision_same(a->value, b->value) && precision_same(a->rms_error, b->rms_error);
}

/* whether the methods of places a and b are the same, and at least somewhere known */
static bool same_methods(const crossing_row rows[], size_t count, size_t methods, size_t a,
                         size_t b) {
  bool known = false;
  for (size_t i = 0; i < count; i += methods) {
    if (!same_rows(&rows[i + a].p, &rows[i + b].p)) return false;
    known = known || !isnan(rows[i + a].p.rms_error);
  }
  return known;
}

/* finds, in the rows of all numbers of contacts, each with those of so many methods in one order,
 * variants of one solver that have the same value, status and error in all, and names in all but
 * the first's that one, which stands for them */
static void crossing_find_coincidences(crossing_row rows[], size_t count, size_t methods) {
  for (size_t a = 0; count && a < methods; a++) {
    if (*rows[a].p.coincides_with) continue;
    for (size_t b = a + 1; b < methods; b++) {
      if (!same_methods(rows, count, methods, a, b)) continue;
      for (size_t i = 0; i < count; i += methods)
        rows[i + b].p.coincides_with = rows[i + a].p.method;
    }
  }
}

/* ---- what is asked for ----------------------------------------------------------------------- */

#define OPTIONS(X, row)                                                                            \
  X(row, contacts, CONTACTS, "contacts", "LIST",                                                   \
    "numbers of contacts: 2..100, 2..100..7 (in steps of 7), 2,5,10 or a mixture",                 \
    .initial = "2,5,10,20,50,100,200,500,1000")                                                    \
  X(row, target, NUMBER, "target", "X", "RMS error that every method has to reach",                \
    .initial = "0.01", .min = 1e-12, .max = 1, .result = "target")                                 \
  PRECISION_METHODS_OPTION(X, row)                                                                 \
  X(row, trials, WHOLE, "trials", "COUNT", "initial conditions for each number of contacts",       \
    .initial = "6", .min = 1, .max = 1e6, .result = "trials")                                      \
  X(row, point_work, NUMBER, "point-work", "COUNT", PRECISION_POINT_WORK_HELP, .initial = "2.4e8", \
    .max = 1e15, .result = "point_work")                                                           \
  X(row, min_time, NUMBER, "min-time", "S", PRECISION_MIN_TIME_HELP, .initial = "0", .max = 3600)
OPTION_ROW(settings, OPTIONS);

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SAMPLES = STUDY_SAMPLES, LAPS = PRECISION_LAPS, ROWS, OF_SIZE = 32 };

static const column row_columns[] = {
    PRECISION_COLUMNS(PRECISION_LINE, crossing_row)
        COLUMN(crossing_row, target, AMOUNT, "", "RMS error to be reached"),
    COLUMN(crossing_row, ns_per_crossing, AMOUNT, "ns", "median_s over events_reference",
           SHOWN("ns/crossing", "%11.1f")),
    COLUMN(crossing_row, ns_per_crossing_lo, AMOUNT, "ns", "lower end of its 95 % interval"),
    COLUMN(crossing_row, ns_per_crossing_hi, AMOUNT, "ns", "upper end"),
    COLUMN(crossing_row, evaluations_per_crossing, AMOUNT, "", "evaluations over events_reference"),
    PRECISION_MESSAGE(PRECISION_LINE, crossing_row){0},
};

/* ---- cells: PRECISION_METHOD is its choice --------------------------------------------------- */

static size_t methods_of(const settings *s) {
  return s->methods.count ? s->methods.count : precision_default_count;
}

static contest_starts *starts_of(study_run *run, size_t index) {
  const settings *const s = run->settings;
  const case_change changes[] = {{"contacts", (double)s->contacts.contacts[index]}, {0}};
  return case_starts(run, changes, s->trials);
}

/* what every method refuses is told before anything is waited for or written */
static int check(study_run *run) {
  const settings *const s = run->settings;
  const case_change first[] = {{"contacts", (double)s->contacts.contacts[0]}, {0}};
  const model *const m = case_model(run, first);
  return m ? precision_check_methods(m, &s->methods, run->message) : SOLVER_REFUSED;
}

/* the choices into run->own: a point for each method at each number of contacts */
static int survey(study_run *run) {
  const settings *const s = run->settings;
  const size_t methods = methods_of(s), cells = s->contacts.count, row = s->trials + methods;
  size_t count;
  const precision_sample *const all = study_rows(run, SAMPLES, &count);
  free(run->own);
  precision_point *const points = run->own = calloc(cells * methods, sizeof *points);
  if (!points || count < cells * row)
    return measure_fail(run->message, points ? "choices are missing" : "out of memory");
  for (size_t i = 0; i < cells * methods; i++)
    points[i] = precision_point_of(run, &all[i / methods * row + s->trials + i % methods]);
  return 0;
}

static int plan(study_run *run, size_t stage) {
  const settings *const s = run->settings;
  const size_t methods = methods_of(s);
  int status = stage == 1 ? survey(run) : 0;
  for (size_t i = 0; !status && stage < 2 && i < s->contacts.count; i++) {
    char of[OF_SIZE];
    snprintf(of, sizeof of, "contacts=%zu ", s->contacts.contacts[i]);
    if (stage)
      status = precision_plan_races(run, (const precision_point *)run->own + i * methods, methods,
                                    s->trials, i, of);
    else
      status = precision_plan(run, &s->methods, i, of);
  }
  return status;
}

/* ---- a cell ---------------------------------------------------------------------------------- */

static int choose(study_run *run, contest_starts *starts, size_t method) {
  const settings *const s = run->settings;
  char message[SOLVER_MESSAGE_SIZE] = "";
  double *const room = calloc(2 * s->trials, sizeof *room);
  attempting a = {run, starts, {model_contacts(starts->m), s->trials, s->point_work}, room};
  int status = room ? 0 : study_out_of_memory(run);
  for (size_t j = 0; !status && j < s->trials; j++)
    status = contest_reference(starts, j, run->message);
  if (!status) {
    precision_sample sample =
        crossing_choose(&precision_methods[method], precision_unknown(method, NAN), s->target,
                        attempt, &a, message);
    sample.message = message;
    status = *run->interrupted ? -1 : study_add(run, SAMPLES, &sample);
  }
  free(room);
  return status;
}

static int measure(study_run *run, const void *planned) {
  const settings *const s = run->settings;
  const precision_cell *const c = planned;
  const size_t methods = methods_of(s);
  contest_starts *const starts = starts_of(run, c->index);
  if (!starts) return -1;
  if (c->kind == PRECISION_STARTS) return precision_add_starts(run, starts, &s->methods);
  if (c->kind == PRECISION_METHOD) return choose(run, starts, c->method);
  precision_point *const points = (precision_point *)run->own + c->index * methods;
  return precision_race(run, starts, c, s->min_time, points, methods);
}

/* ---- what the samples say -------------------------------------------------------------------- */

static void make_row(study_run *run, const model *m, gather starts, const precision_point *p,
                     crossing_row *r) {
  if (p->obstacle == PRECISION_OK) {
    precision_summarize(run, m, starts, p, ROWS, &r->p);
  } else {
    // where it came closest
    precision_row_name(run, m, p, ROWS, p->obstacle, p->message, &r->p);
    r->p.events_reference = gather_median(starts, "events_reference");
    r->p.rms_error = p->first.rms_error;
    r->p.median_s = p->first.time_s;
  }
  r->target = ((const settings *)run->settings)->target;
  // where there is none, none costs anything
  const double crossings = r->p.events_reference > 0.0 ? r->p.events_reference : NAN;
  r->ns_per_crossing = 1e9 * r->p.median_s / crossings;
  r->ns_per_crossing_lo = 1e9 * r->p.median_lo_s / crossings;
  r->ns_per_crossing_hi = 1e9 * r->p.median_hi_s / crossings;
  r->evaluations_per_crossing = r->p.evaluations / crossings;
  crossing_check_target(r);
}

static int make_rows(study_run *run, crossing_row rows[]) {
  const settings *const s = run->settings;
  const size_t methods = methods_of(s);
  precision_point *const points = run->own;
  size_t next = s->contacts.count * (s->trials + methods);
  for (size_t i = 0; i < s->contacts.count; i++) {
    const contest_starts *const at = starts_of(run, i);
    if (!at || precision_give_laps(run, points + i * methods, methods, s->trials, &next)) return -1;
    const gather starts = {run, SAMPLES, i * (s->trials + methods), 1, s->trials};
    for (size_t k = i * methods; k < (i + 1) * methods; k++)
      make_row(run, at->m, starts, &points[k], &rows[k]);
  }
  return 0;
}

static int derive(study_run *run) {
  const settings *const s = run->settings;
  const size_t methods = methods_of(s), count = s->contacts.count * methods;
  crossing_row *const rows = calloc(count, sizeof *rows);
  int status = !rows ? study_out_of_memory(run) : survey(run) ? -1 : make_rows(run, rows);
  if (!status) crossing_find_coincidences(rows, count, methods);
  for (size_t i = 0; !status && i < count; i++) study_add(run, ROWS, &rows[i]);
  free(rows);
  return status;
}

const study crossing_cost_study = {
    .name = "crossing-cost",
    .summary = "every method's cost of a crossing at the same error, over numbers of contacts",
    .example = "essbench crossing-cost --contacts 2,10,100 --target 1e-3",
    .file = "crossing_cost",
    .model = "plate",
    .cells = "methods and starts",
    .stages = 2,
    .pinned = true,
    .processes = 5,
    STUDY_OF(settings, precision_cell),
    .tables = {[SAMPLES] = PRECISION_SAMPLES,
               [LAPS] = PRECISION_SAMPLES,
               [ROWS] = STUDY_TABLE(
                   row_columns, crossing_row, .json = "rows", .csv = "crossing_cost.csv",
                   .meaning = "a method's cheapest setting at one number of contacts")},
    .check = check,
    .plan = plan,
    .run = measure,
    .place = precision_place,
    .derive = derive,
};

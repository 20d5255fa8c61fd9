/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods over their accuracy knobs: essbench work-precision, every method on one model, error
 * against time and evaluations; and essbench crossing-cost, what a crossing costs every method at
 * the same error, from a few contacts to a thousand. Each setting is run once, to see what it does
 * and how long it takes, or the cheapest is chosen; those that can are then raced. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "bridge.h"
#include "methods.h"
#include "races.h"
#include "solvers.h"
#include "statistics.h"
#include "studies.h"
#include "worker.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

#define PRECISION_OPTIONS(X, row, of_trials, trials_, work)                                        \
  X(row, methods, NAMES, "methods", "A,B", "methods by name, such as projection-2 (default all)",  \
    .names = &race_methods->name, .names_apart = sizeof(race_method))                              \
  CASE_TRIALS(X, row, of_trials, trials_, 1e6)                                                     \
  X(row, point_work, NUMBER, "point-work", "COUNT",                                                \
    "limit of the work of a setting over all initial conditions, in units of about 2 ns: an "      \
    "evaluation is 16 plus the contacts, one of MuJoCo 25 times as many, or by a callback 250 "    \
    "plus the contacts; a setting above the limit has three initial conditions, or one",           \
    .initial = work, .max = 1e15, .result = "point_work")                                          \
  X(row, min_time, NUMBER, "min-time", "S",                                                        \
    "time for which a sample repeats its run, s (default 0: one run)", .initial = "0",             \
    .max = 3600)

#define WORK_OPTIONS(X, row) PRECISION_OPTIONS(X, row, "initial conditions", "12", "7.2e8")
#define COST_OPTIONS(X, row)                                                                       \
  CASE_CONTACTS(X, row, "numbers of contacts: " CASE_LIST,                                         \
                .initial = "2,5,10,20,50,100,200,500,1000")                                        \
  X(row, target, NUMBER, "target", "X", "RMS error at which methods are compared",                 \
    .initial = "0.01", .min = 1e-12, .max = 1, .result = "target")                                 \
  PRECISION_OPTIONS(X, row, "initial conditions for each number of contacts", "6", "2.4e8")
static const study_option work_options[] = {WORK_OPTIONS(OPTION_LINE, races_asked){0}},
                          cost_options[] = {COST_OPTIONS(OPTION_LINE, races_asked){0}};

/* crossing-cost has an error to reach, for which it chooses one setting of each method */
static bool chooses(const study_run *run) {
  return races_given(run)->target > 0.0;
}

static bool is_chosen(const option_names *methods, size_t method) {
  bool chosen = methods->count == 0 && !race_methods[method].on_request;
  for (size_t i = 0; i < methods->count; i++) chosen = chosen || methods->index[i] == method;
  return chosen;
}

/* ---- settings, and what they cost ------------------------------------------------------------ */

/* What a run from a coarser value lets expect of this one's time; NaN when that tells nothing. A
 * run that is to be expected to take longer than RUN_MAX, s, is not made. */
#define RUN_MAX 10.0
static double expected_time(const race_method *method, double coarser, double seconds,
                            double value) {
  return method->knob == METHOD_TIME_STEP ? seconds * coarser / value : seconds;
}

/* units of work of an evaluation: one for each contact and some besides; how many times as many of
 * one of MuJoCo, which finds contacts and solves for their forces; and what MuJoCo has besides
 * where a callback has them. A unit then takes some 2 ns. */
static const double units_besides = 16.0, times_of_mujoco = 25.0, besides_callback = 250.0;

static double units_of(const race_method *method, size_t contacts) {
  const solver_type *const solver = solver_find(method->solver);
  if (solver == &bridge_callback_solver) return (double)contacts + besides_callback;
  return ((double)contacts + units_besides) * (solver == &bridge_solver ? times_of_mujoco : 1.0);
}

/* Starts of a setting whose work from all of them is more than --point-work allows. One of which it
 * is from these, too, has its first run and no more. */
enum { PRECISION_FEW = 3, GROUPS = 3 };

/* From how many starts a setting is run, the first run of which made so many evaluations of field
 * and guards. The clock has no say: errors and evaluations are the same on every machine. */
static size_t precision_trials(const races_asked *asked, size_t contacts, const race_method *method,
                               double evaluations) {
  const size_t few = asked->trials < PRECISION_FEW ? asked->trials : PRECISION_FEW;
  const double work = evaluations * units_of(method, contacts);
  if (work * (double)asked->trials <= asked->point_work) return asked->trials;
  return work * (double)few <= asked->point_work ? few : 1;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What a setting is worth. Everything but the first is marked where it is shown. */
typedef enum precision_status {
  PRECISION_OK,
  PRECISION_CROSSINGS, /* ends well, but its crossings are not the reference's */
  PRECISION_DIVERGED,  /* no better than a state that stays where it started */
  PRECISION_FAILED,    /* a run gave up */
  PRECISION_UNREACHED, /* of crossing-cost: at no value of the knob is the target error reached */
  PRECISION_TOO_LONG,  /* a run would take longer than RUN_MAX: not made */
  PRECISION_REFUSED    /* the solver does not do this model, or not with these settings */
} precision_status;

static const char *precision_status_name(precision_status status) {
  static const char *const names[] = {
      [PRECISION_OK] = "ok",
      [PRECISION_CROSSINGS] = "crossings",
      [PRECISION_DIVERGED] = "diverged",
      [PRECISION_FAILED] = "failed",
      [PRECISION_UNREACHED] = "not reached",
      [PRECISION_TOO_LONG] = "too long",
      [PRECISION_REFUSED] = "refused",
  };
  return names[status];
}

/* What a start's runs are measured by. */
typedef struct precision_start {
  double events; /* of its reference */
  double held;   /* error of a state that stays where it started */
} precision_start;

/* A sample of either study (what = "start"), what is known of a setting before the race ("known"),
 * or a lap of it ("lap"). */
typedef struct precision_sample {
  const char *what, *solver, *variant; /* of its method */
  size_t contacts, method, process, trial, trials, status;
  double value, retaken;
  const char *message;
  precision_start start;
  bridge_gap gap;
  outcome of;
} precision_sample;

static const column precision_sample_columns[] = {
    COLUMNS(precision_sample, TEXT, what, solver, variant),
    COLUMNS(precision_sample, COUNT, contacts, method, process, trial, trials),
    COLUMN_AS("obstacle", precision_sample, status, COUNT, "", ""),
    COLUMNS(precision_sample, AMOUNT, value, retaken),
    COLUMNS(precision_sample, TEXT, message),
    COLUMN_AS("events_reference", precision_sample, start.events, AMOUNT, "", ""),
    COLUMN_AS("held", precision_sample, start.held, AMOUNT, "", ""),
    COLUMNS(precision_sample, GAP, gap),
    OUTCOME_COLUMNS("", precision_sample, of),
    {0},
};

/* one in which nothing else is known */
static precision_sample precision_unknown(const char *what, size_t contacts, size_t method,
                                          double value) {
  const race_method *const of = &race_methods[method];
  precision_sample s;
  column_clear(precision_sample_columns, &s);
  s.what = what;
  s.solver = of->solver;
  s.variant = of->variant ? of->variant : "";
  s.contacts = contacts;
  s.method = method;
  s.value = value;
  return s;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* of one whose reference is there */
static precision_start start_of(const contest_starts *starts, size_t trial) {
  const trajectory *const reference = &starts->references[trial];
  const size_t n = reference->dimension, size = n * reference->count;
  const double *const x0 = starts->states + trial * n;
  double sum = 0.0;
  for (size_t i = 0; i < size; i++)
    sum += (reference->states[i] - x0[i % n]) * (reference->states[i] - x0[i % n]);
  return (precision_start){(double)starts->events[trial], sqrt(sum / (double)size)};
}

/* some runs of a setting, taken together */
typedef struct tally {
  size_t up, away; /* so many gave up, and so many diverged */
  double events, reference;
} tally;

/* a run that gave up has its time and nothing else */
static void count_run(tally *all, const outcome *of, precision_start start) {
  const bool up = isnan(of->steps), away = !(of->rms_error < start.held);
  all->up += up;
  all->away += away;
  if (up) return;
  all->events += of->events;
  all->reference += start.events;
}

/* crossings are those of all runs that ended; where there are none to be found, none is right */
static precision_status judge(const tally *all) {
  if (all->up) return PRECISION_FAILED;
  if (all->away) return PRECISION_DIVERGED;
  const bool close = all->events == all->reference ||
                     fabs(all->events / all->reference - 1.0) <= CONTEST_EVENTS_TOLERANCE;
  return close ? PRECISION_OK : PRECISION_CROSSINGS;
}

/* ---- what is known of a setting before the race ---------------------------------------------- */

/* from all starts that it is raced from, of which the first has been run */
static int try_others(contestant *c, double room[], precision_sample *s, char *message) {
  double *const rms = room, *const seconds = room + s->trials;
  tally all = {0};
  outcome of = s->of;
  for (size_t j = 0; j < s->trials; j++) {
    if (j && contestant_sample(c, j, &of.time_s)) {
      s->status = PRECISION_FAILED;
      return measure_fail(message, "%s", c->report.message);
    }
    if (j) of = outcome_of(c, j, of.time_s);
    rms[j] = of.rms_error;
    seconds[j] = of.time_s;
    count_run(&all, &of, start_of(c->starts, j));
  }
  s->status = judge(&all);
  // an error that is not finite is that of a value that cannot be used
  if (measure_median(rms, s->trials, &s->of.rms_error) ||
      measure_median(seconds, s->trials, &s->of.time_s))
    s->of.rms_error = s->of.time_s = INFINITY;
  return 0;
}

/* Runs the sample's method at its value from the first start, and says from how many it is raced.
 * With room for twice so many numbers it is run from all of those, as in the race: its error and
 * time are medians then, infinite where one is not finite. Of a run that failed there are time and
 * counts. 0, or a solver_status with one line. */
static int precision_try(const study_run *run, const contest_starts *starts, double room[],
                         precision_sample *s, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t contacts = model_contacts(starts->m);
  const race_method *const method = &race_methods[s->method];
  const solver_settings with = method_settings(method, s->value, contacts);
  contestant c;
  double seconds;
  int status = contestant_prepare(&c, solver_find(method->solver), &with, starts, message);
  s->status = status == SOLVER_REFUSED ? PRECISION_REFUSED : PRECISION_FAILED;
  if (status) return status;
  status = contestant_sample(&c, 0, &seconds);
  s->of = outcome_of(&c, 0, seconds);
  if (status) {
    s->of.rms_error = s->of.events = NAN;
    measure_message(message, "%s", c.report.message);
  } else {
    s->status = PRECISION_OK;
    // whoever runs a model of MuJoCo's evaluates MuJoCo
    const bool dear = starts->m->type->engine && solver_find(method->solver) != &bridge_solver;
    s->trials = precision_trials(run->settings, contacts, method,
                                 (s->of.field_evaluations + s->of.event_evaluations) *
                                     (dear ? times_of_mujoco : 1.0));
    if (room) status = try_others(&c, room, s, message);
  }
  contestant_release(&c);
  return status;
}

/* ---- first runs of every value, for work-precision ------------------------------------------- */

/* whether the run is too long to be made, by the next coarser value; what it would take is noted */
static bool is_too_long(const precision_sample *coarser, precision_sample *s, char *message) {
  const double taken = coarser->of.time_s;
  if (coarser->status != PRECISION_OK && coarser->status != PRECISION_TOO_LONG) return false;
  const double expected = expected_time(&race_methods[s->method], coarser->value, taken, s->value);
  if (!(expected > RUN_MAX)) return false;
  s->status = PRECISION_TOO_LONG;
  s->of.time_s = expected;
  s->of.field_evaluations = coarser->of.field_evaluations * expected / taken;
  s->of.event_evaluations = coarser->of.event_evaluations * expected / taken;
  measure_message(message, "one run would take some %.0f s", expected);
  return true;
}

static int run_method(study_run *run, contest_starts *starts, size_t method) {
  precision_sample coarser = {.status = PRECISION_REFUSED};
  if (contest_reference(starts, 0, run->message)) return -1;
  for (const double *value = race_methods[method].values; *value > 0.0; value++) {
    char message[MEASURE_MESSAGE_SIZE] = "";
    precision_sample s = precision_unknown("known", model_contacts(starts->m), method, *value);
    s.message = message;
    if (!is_too_long(&coarser, &s, message)) precision_try(run, starts, NULL, &s, message);
    if (*run->interrupted || study_add(run, STUDY_SAMPLES, &s)) return -1;
    coarser = s;
  }
  return 0;
}

/* ---- the cheapest value of a knob that reaches an error, for crossing-cost ------------------- */

/* Tries the value of a sample: its status, the starts it is raced from, and medians over those of
 * error and time, both infinite where a run failed. 0, or a solver_status with one line. */
typedef int crossing_try(void *context, precision_sample *s, char message[SOLVER_MESSAGE_SIZE]);

/* a smaller epsilon may cost less, as fewer guards are inside their neighbourhoods at once: the
 * search goes on until a value costs so many times the cheapest */
static const double hopeless = 1.5;

/* whether finer values may be cheaper than the best so far */
static bool may_improve(const race_method *method, const precision_sample *best,
                        const precision_sample *last) {
  if (isinf(best->of.time_s)) return true;
  const bool humped = method->knob == METHOD_EPSILON;
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
static precision_sample crossing_choose(const race_method *method, precision_sample none,
                                        double target, crossing_try *attempt, void *context,
                                        char message[SOLVER_MESSAGE_SIZE]) {
  precision_sample best = none, closest = none, last = none;
  bool too_long = false;
  best.of.time_s = closest.of.rms_error = INFINITY;
  for (const double *value = method->values; *value > 0.0; value++) {
    const double seconds = last.of.time_s;
    too_long = isfinite(seconds) && expected_time(method, last.value, seconds, *value) > RUN_MAX;
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

static int choose(study_run *run, contest_starts *starts, size_t method) {
  const races_asked *const s = races_given(run);
  char message[SOLVER_MESSAGE_SIZE] = "";
  double *const room = calloc(2 * s->trials, sizeof *room);
  attempting a = {run, starts, room};
  int status = room ? 0 : study_out_of_memory(run);
  if (!status && !case_known(run, starts, s->trials)) status = -1;
  if (!status) {
    precision_sample sample = crossing_choose(
        &race_methods[method], precision_unknown("known", model_contacts(starts->m), method, NAN),
        s->target, attempt, &a, message);
    sample.message = message;
    status = *run->interrupted ? -1 : study_add(run, STUDY_SAMPLES, &sample);
  }
  free(room);
  return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* What is known before the race, of a case's starts (number 0) and of each method chosen; and the
 * race in each process, of the points of each group in turn. */
enum { KNOWN, RACE };

static size_t count_known(study_run *run, size_t of) {
  size_t count = 1;
  (void)of;
  for (size_t i = 0; i < race_method_count; i++) count += is_chosen(&races_given(run)->methods, i);
  return count;
}

/* the number-th of the methods chosen, from 1 on */
static size_t chosen_at(const study_run *run, size_t number) {
  size_t i = 0;
  while (!is_chosen(&races_given(run)->methods, i) || --number) i++;
  return i;
}

/* the first method chosen of a solver; none: their count */
static size_t first_of(const solver_type *solver, const option_names *methods) {
  size_t i = 0;
  while (i < race_method_count &&
         (!is_chosen(methods, i) || solver_find(race_methods[i].solver) != solver))
    i++;
  return i;
}

/* of each engine that races; the gap is MuJoCo's, that by contacts where they do */
static int prove_same_system(study_run *run, const model *m, const option_names *methods,
                             bridge_gap *gap) {
  const solver_type *const engines[] = {&drake_solver, &simbody_solver, &bridge_callback_solver,
                                        &bridge_solver};
  for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
    const size_t i = first_of(engines[k], methods);
    if (i == race_method_count) continue;
    const race_method *const method = &race_methods[i];
    const solver_settings settings = method_settings(method, method->values[0], model_contacts(m));
    bridge_gap found;
    const int status = same_system(engines[k], m, &settings, run->seed, &found, run->message);
    if (status && status != SOLVER_REFUSED) return status;
    if (!status && !worker_is(engines[k])) *gap = found;
  }
  return 0;
}

static int add_starts(study_run *run, contest_starts *starts, const option_names *methods) {
  precision_sample s = precision_unknown("start", model_contacts(starts->m), 0, NAN);
  s.solver = s.variant = "";
  if (prove_same_system(run, starts->m, methods, &s.gap)) return -1;
  for (size_t j = 0; j < starts->trials; j++) {
    if (!case_known(run, starts, j + 1)) return -1;
    s.trial = j;
    s.start = start_of(starts, j);
    study_add(run, STUDY_SAMPLES, &s);
  }
  return 0;
}

/* how many cases there are, and one's starts, or NULL with one line */
static size_t precision_cases(const study_run *run) {
  const races_asked *const s = races_given(run);
  return s->contacts.count ? s->contacts.count : 1;
}

static contest_starts *precision_starts(study_run *run, size_t index) {
  const races_asked *const s = races_given(run);
  if (!s->contacts.count) return case_starts(run, NULL, s->trials);
  const case_change changes[] = {{"contacts", (double)s->contacts.contacts[index]}, {0}};
  return case_starts(run, changes, s->trials);
}

/* ---- methods that are the same --------------------------------------------------------------- */

/* One method at one value of its knob. */
typedef struct precision_point {
  size_t method;
  double value;
  precision_status obstacle; /* PRECISION_OK, or why it is not raced */
  size_t trials;             /* starts it is measured from; 0: none */
  outcome first;             /* of the first run, or what is expected of it */
  const char *message;       /* of the obstacle; "": none */
  const char *as;            /* the method that stands for it; "": itself */
  bool settled;              /* its first run is all that is wanted: it is its lap */
} precision_point;

/* All points, those of one case after those of another: run->own once they are known. Variants
 * of one solver that have the same values, errors and obstacles wherever both have run are one:
 * the first of the table stands for the others. No clock has a say in who stands for whom. */
typedef struct precision_survey {
  size_t count; /* of a case */
  precision_point point[];
} precision_survey;

/* largest difference of errors, relative, at which two runs are the same but for rounding */
static const double rounding = 1e-6;

/* equal but for that, or both not known */
static bool same(double a, double b) {
  return fabs(a - b) <= rounding * fmin(fabs(a), fabs(b)) || (isnan(a) && isnan(b));
}

/* where in a case the points of another method begin */
static size_t end_of(const precision_survey *all, size_t first) {
  size_t i = first;
  while (i < all->count && all->point[i].method == all->point[first].method) i++;
  return i;
}

/* a run that would take too long may do the same as one that has been made; those that failed
 * alike are alike */
static bool same_points(const precision_point *a, const precision_point *b) {
  if (!same(a->value, b->value)) return false;
  if (a->obstacle == b->obstacle) return same(a->first.rms_error, b->first.rms_error);
  return (a->obstacle == PRECISION_TOO_LONG && b->obstacle == PRECISION_OK) ||
         (a->obstacle == PRECISION_OK && b->obstacle == PRECISION_TOO_LONG);
}

/* whether the methods that begin at a and b are variants that do the same in all cases, at
 * least one of which both have run */
static bool same_methods(const precision_survey *all, size_t cases, size_t a, size_t b) {
  const size_t count = end_of(all, a) - a;
  const char *const solver = race_methods[all->point[a].method].solver;
  bool raced = false;
  if (strcmp(solver, race_methods[all->point[b].method].solver) != 0 || count != end_of(all, b) - b)
    return false;
  for (size_t i = 0; i < cases * count; i++) {
    const precision_point *const of = &all->point[i / count * all->count + i % count];
    if (!same_points(of + a, of + b)) return false;
    raced = raced || (of[a].trials && of[b].trials);
  }
  return raced;
}

static void find_coincidences(precision_survey *all, size_t cases) {
  for (size_t a = 0; a < all->count; a = end_of(all, a)) {
    const char *const name = race_methods[all->point[a].method].name;
    if (*all->point[a].as) continue;
    for (size_t b = end_of(all, a), end; b < all->count; b = end) {
      end = end_of(all, b);
      if (!same_methods(all, cases, a, b)) continue;
      for (size_t i = 0; i < cases; i++)
        for (size_t k = b; k < end; k++) all->point[i * all->count + k].as = name;
    }
  }
}

/* ---- the race -------------------------------------------------------------------------------- */

/* all turns of a point in one process, s: there are many points, and several processes */
static const double most_s = 0.5;

/* of the samples, which are in each case the starts, and then the points; without laps of a
 * race. Where nothing is chosen, the first run of a point that needs no other, or that another
 * one stands for, is its lap */
static int survey(study_run *run) {
  const size_t cases = precision_cases(run), trials = races_given(run)->trials;
  size_t samples;
  const precision_sample *const all = study_rows(run, STUDY_SAMPLES, &samples);
  const size_t of_case = samples / cases, count = of_case - trials, points = cases * count;
  free(run->own);
  precision_survey *const made = run->own = calloc(1, sizeof *made + points * sizeof *made->point);
  if (!made) return study_out_of_memory(run);
  made->count = count;
  for (size_t i = 0; i < points; i++) {
    const precision_sample *const known = &all[i / count * of_case + trials + i % count];
    made->point[i] = (precision_point){.method = known->method,
                                       .value = known->value,
                                       .obstacle = (precision_status)known->status,
                                       .trials = known->trials,
                                       .first = known->of,
                                       .message = known->message,
                                       .as = ""};
  }
  find_coincidences(made, cases);
  for (size_t i = 0; !chooses(run) && i < points; i++) {
    precision_point *const p = &made->point[i];
    p->settled = p->trials == 1 || (p->trials && *p->as);
  }
  return 0;
}

static bool races(const precision_point *p, size_t trials) {
  return p->obstacle == PRECISION_OK && !p->settled && p->trials == trials;
}

static size_t precision_raced(const precision_point point[], size_t count, size_t trials) {
  size_t raced = 0;
  for (size_t i = 0; i < count; i++) raced += races(&point[i], trials);
  return raced;
}

/* points race from all starts, or from few of them, or from one: the place of the number-th group
 * that there is; and from how many starts */
static size_t group_trials(const study_run *run, size_t group) {
  const size_t trials = races_given(run)->trials, of[] = {trials, PRECISION_FEW, 1};
  return group && of[group] >= trials ? 0 : of[group];
}

static bool has_group(const study_run *run, size_t of, size_t group) {
  const precision_survey *const all = run->own;
  const size_t trials = group_trials(run, group);
  return trials && precision_raced(all->point + of * all->count, all->count, trials);
}

static size_t count_races(study_run *run, size_t of) {
  size_t count = 0;
  if (!run->own && survey(run)) return 0;
  for (size_t group = 0; group < GROUPS; group++) count += has_group(run, of, group);
  return count * run->processes;
}

static size_t trials_at(const study_run *run, size_t of, size_t number) {
  size_t group = 0;
  for (size_t left = number / run->processes; !has_group(run, of, group) || left--;) group++;
  return group_trials(run, group);
}

static void title(const study_run *run, const races_cell *c, char name[RACES_NAME_SIZE]) {
  const contacts_range *const cases = &races_given(run)->contacts;
  char of[32] = "";
  if (cases->count) snprintf(of, sizeof of, "contacts=%zu ", cases->contacts[c->of]);
  if (c->part == RACE)
    snprintf(name, RACES_NAME_SIZE, "%srace=%zu process=%zu of %zu", of,
             trials_at(run, c->of, c->number), c->number % run->processes, run->processes);
  else if (c->number)
    snprintf(name, RACES_NAME_SIZE, "%smethod=%s", of,
             race_methods[chosen_at(run, c->number)].name);
  else
    snprintf(name, RACES_NAME_SIZE, "%sstarts", of);
}

static int race_points(study_run *run, size_t of, size_t number) {
  const precision_survey *const all = run->own;
  const precision_point *const point = all->point + of * all->count;
  contest_starts *const starts = precision_starts(run, of);
  if (!starts) return -1;
  const size_t contacts = model_contacts(starts->m);
  race_entry *const entry = calloc(all->count, sizeof *entry);
  precision_sample *const sample = calloc(all->count, sizeof *sample);
  race_plan plan = races_race(run, starts, number % run->processes);
  plan.trials = trials_at(run, of, number);
  plan.seed += contacts;
  plan.min_time = races_given(run)->min_time;
  plan.most_s = most_s;
  plan.sample = sample;
  int status = entry && sample ? 0 : study_out_of_memory(run);
  size_t raced = 0;
  for (size_t i = 0; !status && i < all->count; i++) {
    const race_method *const method = &race_methods[point[i].method];
    if (!races(&point[i], plan.trials)) continue;
    sample[raced] = precision_unknown("lap", contacts, point[i].method, point[i].value);
    entry[raced++] = (race_entry){.solver = solver_find(method->solver),
                                  .settings = method_settings(method, point[i].value, contacts)};
  }
  if (!status) status = race_run(run, &plan, entry, raced, NULL, NULL);
  free(entry);
  free(sample);
  return status;
}

static int find_known(study_run *run, size_t of, size_t number) {
  contest_starts *const starts = precision_starts(run, of);
  if (!starts) return -1;
  if (!number) return add_starts(run, starts, &races_given(run)->methods);
  const size_t method = chosen_at(run, number);
  return chooses(run) ? choose(run, starts, method) : run_method(run, starts, method);
}

static const races_preset preset = {
    .cases = precision_cases,
    .title = title,
    .crossed = true,
    .part = {[KNOWN] = {.together = true, .cells = count_known, .run = find_known},
             [RACE] = {.cells = count_races, .run = race_points}}};

/* ---- rows ------------------------------------------------------------------------------------ */

/* What a point is before it is measured, a row of a table in no file. */
#define PRECISION_ENTRY_COLUMNS(COLUMN, row)                                                       \
  COLUMN(row, model, TEXT, "", "")                                                                 \
  COLUMN(row, law, TEXT, "", "")                                                                   \
  COLUMN(row, method, TEXT, "", "")                                                                \
  COLUMN(row, label, TEXT, "", "")                                                                 \
  COLUMN(row, solver, TEXT, "", "")                                                                \
  COLUMN(row, variant, TEXT, "", "")                                                               \
  COLUMN(row, knob, TEXT, "", "")                                                                  \
  COLUMN(row, obstacle, TEXT, "", "")                                                              \
  COLUMN(row, coincides_with, TEXT, "", "")                                                        \
  COLUMN(row, message, TEXT, "", "")                                                               \
  COLUMN(row, contacts, COUNT, "", "")                                                             \
  COLUMN(row, number, COUNT, "", "")                                                               \
  COLUMN(row, settled, FLAG, "", "")                                                               \
  COLUMN(row, damping, NUMBER, "", "")                                                             \
  COLUMN(row, value, AMOUNT, "", "")                                                               \
  COLUMN(row, target, AMOUNT, "", "")                                                              \
  COLUMN(row, settings, SETTINGS, "", "")
COLUMN_ROW(precision_entry, PRECISION_ENTRY_COLUMNS);

#define PRECISION_ENTRIES(file)                                                                    \
  STUDY_ROWS(precision_entry, .sql = file "_entries",                                              \
             .meaning = "a method at one value of its parameter")

/* the name of a parameter's choice; empty where the model has no such parameter */
static const char *choice_of(const model *m, const char *name) {
  for (size_t i = 0; i < m->type->parameter_count; i++) {
    const model_parameter *const p = &m->type->parameters[i];
    if (strcmp(p->name, name) == 0 && p->choices) return p->choices[(size_t)m->value[i]];
  }
  return "";
}

static precision_entry entry_of(study_run *run, const model *m, const precision_point *p) {
  char name[MODEL_NAME_SIZE];
  model_case_name(m, name);
  const race_method *const of = &race_methods[p->method];
  const races_asked *const s = races_given(run);
  const solver_settings with = method_settings(of, p->value, model_contacts(m));
  return (precision_entry){
      .model = study_text(run, "%s", name),
      .law = choice_of(m, "law"),
      .method = of->name,
      .label = of->label,
      .solver = of->solver,
      .variant = of->variant ? of->variant : "",
      .knob = method_knob_name(of->knob),
      .obstacle = precision_status_name(p->obstacle),
      .coincides_with = p->as,
      .message = p->message,
      .contacts = model_contacts(m),
      .number = p->method,
      .settled = p->settled,
      .damping = model_get(m, "damping"),
      .value = p->value,
      .target = s->target > 0.0 ? s->target : (double)NAN,
      .settings = solver_settings_in_force(solver_find(of->solver), &with, m->type->time_step)};
}

/* Laps, of which a settled point has its first run, with their number among those of their point,
 * and what their start's reference says. */
#define PRECISION_LAPS(file)                                                                       \
  "WITH ran AS (SELECT *, max(process) OVER () + 1 AS processes FROM " file "_laps "               \
  "WHERE run = ?1 AND what = 'lap' UNION ALL SELECT c.*, 1 FROM " file "_laps c "                  \
  "JOIN " file "_entries e USING (run, contacts, value) WHERE run = ?1 AND what = 'known' "        \
  "AND c.method = e.number AND settled) "                                                          \
  "SELECT ran.*, trial * processes + process AS lap, stay, crossings, r.seed, "                    \
  "count(*) OVER (PARTITION BY contacts, method, value) AS laps FROM ran "                         \
  "JOIN run r ON r.id = ran.run JOIN (SELECT contacts, trial, held AS stay, "                      \
  "events_reference AS crossings FROM " file "_laps WHERE run = ?1 AND what = 'start') "           \
  "USING (contacts, trial)"

/* A run gave up, or is no better than a state that stays where it started. Errors are those of the
 * first process. */
#define PRECISION_UP    "steps IS NULL"
#define PRECISION_AWAY  "coalesce(rms_error >= stay, 1)"
#define PRECISION_FIRST "FILTER (WHERE NOT process) "
#define PRECISION_ENDED "FILTER (WHERE NOT process AND steps IS NOT NULL) "
#define PRECISION_RACED                                                                            \
  "SELECT contacts, method, value, count(*) " PRECISION_FIRST "AS raced, "                         \
  "sum(" PRECISION_UP ") " PRECISION_FIRST "AS up, sum(" PRECISION_AWAY ") " PRECISION_FIRST       \
  "AS away, sum(" PRECISION_UP " OR " PRECISION_AWAY ") " PRECISION_FIRST "AS failed, "            \
  "total(events) " PRECISION_ENDED "AS found, total(crossings) " PRECISION_ENDED "AS wanted, "     \
  "median(rms_error) AS rms, max(rms_error) AS worst, sum(retaken) AS retaken, "                   \
  "median(events) AS events, median(steps) AS steps, median(rejected) AS rejected, "               \
  "median(entries) AS entries, median(projections) AS projections, "                               \
  "median(field_evaluations) AS fields, median(event_evaluations) AS guards, "                     \
  "crossed_median_of(seconds, lap, processes, seed) FILTER (WHERE laps > 1) AS times, "            \
  "median(seconds) AS middle, substr(min(printf('%09d', lap) || message) "                         \
  "FILTER (WHERE message <> ''), 10) AS said FROM laps GROUP BY contacts, method, value"

/* Points in their order: what they are, what was known of them before the race, and their laps. */
#define PRECISION_CLOSE COLUMN_SQL(CONTEST_EVENTS_TOLERANCE)
#define PRECISION_FROM(file)                                                                       \
  "(SELECT *, 0 AS parent, CASE WHEN obstacle <> 'ok' THEN obstacle WHEN up THEN 'failed' WHEN "   \
  "away THEN 'diverged' WHEN abs(ratio - 1) <= " PRECISION_CLOSE " THEN 'ok' ELSE 'crossings' "    \
  "END AS state, target > 0 AND obstacle <> 'ok' AS none FROM (SELECT e.*, d.*, iif(found = "      \
  "wanted, 1.0, found / wanted) AS ratio, e.row AS place, k.seconds AS first_s, k.rms_error AS "   \
  "closest, k.field_evaluations + k.event_evaluations AS first_evaluations, reference "            \
  "FROM " file "_entries e JOIN " file "_laps k ON k.run = e.run AND k.what = 'known' AND "        \
  "k.contacts = e.contacts AND k.method = e.number AND k.value IS e.value JOIN (SELECT contacts, " \
  "median(events_reference) AS reference FROM " file "_laps WHERE run = ?1 AND what = 'start' "    \
  "GROUP BY contacts) s ON s.contacts = e.contacts LEFT JOIN (" PRECISION_RACED                    \
  ") d ON d.contacts = e.contacts AND d.method = e.number AND d.value = e.value "                  \
  "WHERE e.run = ?1)) ORDER BY place"

#define PRECISION_MEDIAN      "coalesce(times->>0, middle, first_s)"
#define PRECISION_EVALUATIONS "coalesce(fields + guards, first_evaluations)"
#define PRECISION_MISSED      "state = 'ok' AND rms > target"

/* A setting as files have it; its message goes last. */
#define PRECISION_COLUMNS                                                                          \
  TAKEN("model", TEXT, "", "its name", SHOWN("model", "%-7s")),                                    \
      TAKEN("law", TEXT, "", "of its contacts; empty: the model has but one"),                     \
      TAKEN("method", TEXT, "", "by its name", SHOWN("method", "%-28s")),                          \
      TAKEN("label", TEXT, "", "the method in legends"),                                           \
      TAKEN("solver", TEXT, "", "of the method"),                                                  \
      TAKEN("variant", TEXT, "", "of the solver; empty: its default"),                             \
      TAKEN("knob", TEXT, "", "epsilon, tolerance, rtol or time_step"),                            \
      DERIVED("status", TEXT, "", "iif(" PRECISION_MISSED ", 'not reached', state)",               \
              "ok; crossings: more than 1 % off the reference's; diverged: no better "             \
              "than a state that stays where it started; failed: a run gave up; not "              \
              "reached: no value reaches the target; too long: not run; refused: the "             \
              "solver does not do this",                                                           \
              SHOWN("status", "%-11s")),                                                           \
      TAKEN("coincides_with", TEXT, "", "method that stands for it; empty: it stands for itself",  \
            SHOWN("as", "%-21s")),                                                                 \
      TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%5.0f")),                     \
      TAKEN("damping", NUMBER, "N s/m", "of all springs"),                                         \
      TAKEN("value", AMOUNT, "", "of the parameter", SHOWN("knob", "%8.3g")),                      \
      DERIVED("trials", COUNT, "", "coalesce(raced, 0)", "initial conditions",                     \
              SHOWN("starts", "%6.0f")),                                                           \
      DERIVED("failures", AMOUNT, "", "iif(none, NULL, coalesce(failed, 0))",                      \
              "of them gave up or diverged"),                                                      \
      DERIVED("rms_error", AMOUNT, "", "iif(none, closest, rms)",                                  \
              "error against the reference: root mean square over all states on the "              \
              "output grid; median, as all to event_evaluations",                                  \
              SHOWN("RMS", "%8.2e")),                                                              \
      DERIVED("rms_worst", AMOUNT, "", "worst", "the largest", SHOWN("worst", "%8.2e")),           \
      DERIVED("median_s", AMOUNT, "s", PRECISION_MEDIAN,                                           \
              "time; where it was not raced, of one run",                                          \
              SHOWN_TIMES("median ms", "%10.4f", 1e3)),                                            \
      DERIVED("median_lo_s", AMOUNT, "s", "times->>1", "lower end of its 95 % interval",           \
              SHOWN_TIMES("from", "%10.4f", 1e3)),                                                 \
      DERIVED("median_hi_s", AMOUNT, "s", "times->>2", "upper end",                                \
              SHOWN_TIMES("to", "%10.4f", 1e3)),                                                   \
      TAKEN("events", AMOUNT, "", "crossings that change the field"),                              \
      DERIVED("events_reference", AMOUNT, "", "reference", "of the reference"),                    \
      DERIVED("events_ratio", AMOUNT, "", "ratio",                                                 \
              "crossings of all initial conditions over the reference's",                          \
              SHOWN_TIMES("crossings", "%8.2f%%", 100.0)),                                         \
      TAKEN("steps", AMOUNT, "", "accepted"), TAKEN("rejected", AMOUNT, "", "steps"),              \
      TAKEN("entries", AMOUNT, "", "steps cut at a located crossing"),                             \
      TAKEN("projections", AMOUNT, "", "over neighbourhoods of guards"),                           \
      DERIVED("field_evaluations", AMOUNT, "", "fields", "MuJoCo: steps times stages"),            \
      DERIVED("event_evaluations", AMOUNT, "", "guards", "of all event functions at once"),        \
      DERIVED("evaluations", AMOUNT, "", PRECISION_EVALUATIONS, "of field and guards",             \
              SHOWN("evals", "%9.0f")),                                                            \
      DERIVED("retaken", AMOUNT, "", "iif(none, NULL, coalesce(retaken, 0))",                      \
              "runs taken again because the thread had lost its core")
#define PRECISION_MESSAGE                                                                          \
  DERIVED("message", TEXT, "",                                                                     \
          "CASE WHEN " PRECISION_MISSED                                                            \
          " THEN 'the RMS error is above the target in the race' WHEN message <> '' THEN message " \
          "WHEN said <> '' THEN said WHEN state = 'diverged' "                                     \
          "THEN 'no better than a state that stays where it started' WHEN state = 'crossings' "    \
          "THEN 'crossings are more than 1 % off the reference''s' ELSE '' END",                   \
          "why the status is not ok", SHOWN("", "%s"))

enum { WORK_PRECISION_CASES = STUDY_SAMPLES + 1, WORK_PRECISION_ENTRIES, WORK_PRECISION_POINTS };
enum { CROSSING_COST_ENTRIES = STUDY_SAMPLES + 1, CROSSING_COST_ROWS };

#define MODEL_CASE_COLUMNS(COLUMN, row)                                                            \
  COLUMN(row, name, TEXT, "", "the model, and its number of contacts where it is chosen")          \
  COLUMN(row, model, TEXT, "", "by its name")                                                      \
  COLUMN(row, contacts, COUNT, "", "number of contacts")                                           \
  COLUMN(row, field_gap, GAP, "", "null: MuJoCo did not race, or does not do the model")
COLUMN_ROW(model_case, MODEL_CASE_COLUMNS);

static const column point_columns[] = {
    PRECISION_COLUMNS,
    PRECISION_MESSAGE,
    TAKEN("settings", SETTINGS, "", "in force", .place = COLUMN_JSON_ONLY),
    {0},
};

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

/* a method that refuses the model says so once, not at each value of its knob */
static bool repeats(const void *row, const void *before) {
  static const char *const names[] = {"status", "method", "message"};
  bool same = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const column *const c = column_find(point_columns, names[i]);
    same = same && strcmp(column_text(c, row), column_text(c, before)) == 0;
  }
  return same && strcmp(column_text(column_find(point_columns, "status"), row),
                        precision_status_name(PRECISION_REFUSED)) == 0;
}

/* the case, of which a file of work-precision has several, and all points */
static int derive(study_run *run) {
  const precision_survey *const all = run->own;
  const bool is_cost = chooses(run);
  for (size_t i = 0; i < precision_cases(run) * all->count; i++) {
    const contest_starts *const at = precision_starts(run, i / all->count);
    if (!at) return -1;
    const precision_entry entry = entry_of(run, at->m, &all->point[i]);
    char name[STUDY_CELL_NAME_SIZE];
    if (!is_cost && !i) {
      study_case_name(run, name);
      const precision_sample *const first = study_rows(run, STUDY_SAMPLES, NULL);
      const model_case c = {study_text(run, "%s", name), entry.model, entry.contacts, first->gap};
      study_add(run, WORK_PRECISION_CASES, &c);
    }
    study_add(run, is_cost ? CROSSING_COST_ENTRIES : WORK_PRECISION_ENTRIES, &entry);
  }
  return 0;
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* that none of the methods chosen can do the model of the first case, at the first value of its
 * knob: with the line of the last */
static int check_methods(study_run *run) {
  const races_asked *const s = races_given(run);
  const contest_starts *const first = precision_starts(run, 0);
  int status = first ? 0 : case_refusal(run);
  if (first && first->m->type->content &&
      first->m->type->content(first->m, &run->content, run->message))
    return -1;
  for (size_t i = 0; first && i < race_method_count; i++) {
    const race_method *const method = &race_methods[i];
    const solver_settings with = method_settings(method, method->values[0], 1);
    contestant c;
    if (!is_chosen(&s->methods, i)) continue;
    status = contestant_prepare(&c, solver_find(method->solver), &with, first, run->message);
    if (!status) contestant_release(&c);
    if (status != SOLVER_REFUSED) break;
  }
  return status;
}

/* and that --methods would take away what was measured of the model */
static int check(study_run *run) {
  const races_asked *const s = races_given(run);
  const int refused = check_methods(run);
  if (refused || chooses(run)) return refused;
  const model *const m = case_model(run, NULL);
  char of[MODEL_NAME_SIZE];
  size_t count;
  model_case_name(m, of);
  study_rows(run, WORK_PRECISION_POINTS, &count);
  for (size_t i = 0; i < count && s->methods.count; i++) {
    const char *const method = study_words(run, WORK_PRECISION_POINTS, i, "method");
    bool stays =
        strcmp(study_words(run, WORK_PRECISION_POINTS, i, "model"), of) != 0 ||
        study_number(run, WORK_PRECISION_POINTS, i, "contacts") != (double)model_contacts(m);
    for (size_t k = 0; k < s->methods.count; k++)
      stays = stays || strcmp(race_methods[s->methods.index[k]].name, method) == 0;
    if (stays) continue;
    return measure_fail(run->message,
                        "%s holds this model measured with %s, which --methods leaves out and "
                        "would delete; give another --out, or name it, too",
                        run->folder, method);
  }
  return 0;
}

/* ---- the studies ----------------------------------------------------------------------------- */

#define PRECISION_SAMPLES                                                                          \
  STUDY_ROWS(precision_sample, .sql = STUDY_LAP,                                                   \
             .meaning = "an initial condition, a setting or a run")
#define PRECISION(of, options_)                                                                    \
  RACES(preset, options_), .group = STUDY_COMPARES, .cells = "methods and initial conditions",     \
                           .stages = 2, .processes = 5, .laps = PRECISION_LAPS(of),                \
                           .check = check, .derive = derive

const study work_precision_study = {
    .name = "work-precision",
    .summary = "work-precision diagrams of all methods: error against time and evaluations",
    .example = "essbench work-precision --model plate --contacts 100",
    .file = "work_precision",
    .figures = {STUDY_FIGURE("fig_tolerance_kept", "work_precision.csv")},
    PRECISION("work_precision", work_options),
    .kept = WORK_PRECISION_CASES,
    .table = "the points of the results in the folder; nothing is measured",
    .tables = {[STUDY_SAMPLES] = PRECISION_SAMPLES,
               [WORK_PRECISION_CASES] = STUDY_ROWS(
                   model_case, .json = "cases", .meaning = "one model with one number of contacts"),
               [WORK_PRECISION_ENTRIES] = PRECISION_ENTRIES("work_precision"),
               [WORK_PRECISION_POINTS] =
                   STUDY_DERIVED(point_columns, PRECISION_FROM("work_precision"), .json = "points",
                                 .csv = "work_precision.csv",
                                 .meaning = "one method at one value of its parameter",
                                 .within = WORK_PRECISION_CASES, .repeats = repeats)},
};

const study crossing_cost_study = {
    .name = "crossing-cost",
    .summary = "cost of a crossing by every method at equal error, over the number of contacts",
    .example = "essbench crossing-cost --contacts 2,10,100 --target 1e-3",
    .file = "crossing_cost",
    .figures = {STUDY_FIGURE("crossing_cost", "crossing_cost.csv", .crowded = true)},
    .make = "crossing-cost CONTACTS TRIALS SEED TARGET PROCESSES RANKS",
    PRECISION("crossing_cost", cost_options),
    .model = "plate",
    .tables = {[STUDY_SAMPLES] = PRECISION_SAMPLES,
               [CROSSING_COST_ENTRIES] = PRECISION_ENTRIES("crossing_cost"),
               [CROSSING_COST_ROWS] = STUDY_DERIVED(
                   row_columns, PRECISION_FROM("crossing_cost"), .json = "rows",
                   .csv = "crossing_cost.csv",
                   .meaning = "a method's cheapest setting at one number of contacts")},
};

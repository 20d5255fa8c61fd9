/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What work-precision and crossing-cost share: methods, what their runs are worth, and rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines.h"
#include "precision.h"
#include "race.h"
#include "solvers.h"
#include "statistics.h"
#include "worker.h"

/* The methods that are compared, each with its knob: a new one is one entry here. */

/* MuJoCo's default scaling is enough up to so many contacts; beyond, it is this */
static const size_t contacts_of_default_scaling = 500;
static const double large_scaling = 1e7;

static const double epsilons[] = {3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4,
                                  3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 0};
static const double epsilons_of_order_2[] = {2e-2, 1e-2, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4,
                                             3e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 0};
static const double widths[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 0};
static const double libess_tolerances[] = {1e-1, 3e-2, 1e-2,  3e-3,  1e-3,  3e-4, 1e-4,
                                           3e-5, 1e-5, 3e-6,  1e-6,  3e-7,  1e-7, 3e-8,
                                           1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 0};
static const double tolerances_of_order_2[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5,
                                               1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8, 1e-9, 0};
static const double tolerances[] = {1e-2, 1e-3, 3e-4, 1e-4, 3e-5,  1e-5,  3e-6,  1e-6,
                                    3e-7, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 0};
static const double accuracies[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0};
static const double accuracies_of_first_order[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0};
/* multiples of 2 ms and parts of it, so dense that the next one costs at most twice as much */
static const double steps[] = {2.4e-2,    2e-2, 1.6e-2, 1.4e-2,   1.2e-2, 1e-2,     8e-3,     6e-3,
                               4e-3,      2e-3, 1e-3,   2e-3 / 3, 5e-4,   2e-3 / 6, 2e-3 / 8, 2e-4,
                               2e-3 / 14, 1e-4, 5e-5,   2e-5,     1e-5,   0};

/* by one tolerance; by a tolerance, each crossing located; by steps of one length; and by epsilon
 * with a tolerance of factor * epsilon^power */
#define METHOD(name_, label_, solver_, variant_, knob_, values_, ...)                              \
  {                                                                                                \
    .name = name_, .label = label_, .solver = solver_, .variant = variant_,                        \
    .knob = PRECISION_##knob_, .values = values_, __VA_ARGS__                                      \
  }
#define LOCATING(name, label, solver, variant)                                                     \
  METHOD(name, label, solver, variant, RTOL, tolerances, .order = 0)
#define STEPPING(name, label, solver, variant)                                                     \
  METHOD(name, label, solver, variant, TIME_STEP, steps, .order = 0)
#define MATCHED(name, label, solver, variant, values, factor, power, ...)                          \
  METHOD(name, label, solver, variant, EPSILON, values, .tolerance_factor = factor,                \
         .tolerance_power = power, __VA_ARGS__)

/* one of Simbody's integrators, on the law as a force or on its own contacts, without witness
 * functions or with them */
#define SIMBODY_ON(name, label)                                                                    \
  METHOD("simbody-" name, label, "simbody", name, TOLERANCE, accuracies, .order = 0)
#define SIMBODY(name, label)                                                                       \
  SIMBODY_ON(name, "Simbody " label), SIMBODY_ON(name "-witness", "Simbody " label ", witnesses"), \
      SIMBODY_ON(name "-contact", "Simbody " label ", contacts"),                                  \
      SIMBODY_ON(name "-contact-witness", "Simbody " label ", contacts, witnesses")

/* so many of the table, its last, are engines in processes of their own */
enum { ENGINES = 15 };

/* A tolerance matched to epsilon falls as fast as the error that epsilon makes, and with its factor
 * makes about as large a one on the plate. A projection of order 1 makes errors of order epsilon^2,
 * and so does the smooth method, whose epsilon is the width of its force; one of order 2 makes
 * errors of order epsilon^3. The smooth method's factor is 10 at widths of 1e-3 and more, where 1
 * would integrate more finely than the width is worth: a quarter to a third fewer evaluations for
 * median errors that are 0.7 to 1.3 times as large (2 to 100 contacts), though the worst start's
 * are up to 7 times. */
const precision_method precision_methods[] = {
    METHOD("libess", "libess", "libess", NULL, TOLERANCE, libess_tolerances, .order = 0),
    MATCHED("projection-1", "projection order 1", "projection", NULL, epsilons, 100, 2, .order = 1),
    MATCHED("projection-2", "projection order 2", "projection", NULL, epsilons_of_order_2, 1000, 3,
            .order = 2),
    MATCHED("listing", "Listing 1", "listing", "paper", epsilons, 100, 2, .order = 0),
    MATCHED("listing-free", "Listing 1 (free step)", "listing", "free", epsilons, 100, 2,
            .order = 0),
    LOCATING("location-chandrupatla", "location by Chandrupatla", "location", "chandrupatla"),
    LOCATING("location-brent", "location by Brent", "location", "brent"),
    LOCATING("cvode-adams", "CVODE Adams + roots", "cvode", "adams"),
    LOCATING("cvode-bdf", "CVODE BDF + roots", "cvode", "bdf"),
    LOCATING("gsl-rk8pd", "GSL rk8pd + bisection", "gsl", "rk8pd"),
    LOCATING("gsl-rkf45", "GSL rkf45 + bisection", "gsl", "rkf45"),
    STEPPING("hybrid", "hybrid Euler", "hybrid", NULL),
    MATCHED("smooth", "smooth force", "smooth", NULL, widths, 1, 2, .coarse = 1e-3,
            .coarse_factor = 10),
    STEPPING("time-stepping-euler", "time-stepping Euler", "time-stepping", "euler"),
    STEPPING("time-stepping-midpoint", "time-stepping midpoint", "time-stepping", "midpoint"),
    STEPPING("ode", "ODE", "ode", NULL),
    STEPPING("plain-euler", "event-unaware Euler", "plain-euler", NULL),
    STEPPING("plain-rk4", "event-unaware RK4", "plain-rk4", NULL),
    METHOD("plain-dopri5", "event-unaware dopri5", "plain-dopri5", NULL, TOLERANCE,
           libess_tolerances, .order = 0),
    METHOD("plain-cvode", "event-unaware CVODE", "plain-cvode", NULL, TOLERANCE, libess_tolerances,
           .order = 0),
    METHOD("plain-heun", "event-unaware Heun", "plain-heun", NULL, TOLERANCE, tolerances_of_order_2,
           .order = 0),
    METHOD("plain-adams2", "event-unaware Adams 2", "plain-adams2", NULL, TOLERANCE,
           tolerances_of_order_2, .order = 0),
    STEPPING("mujoco-Euler", "MuJoCo Euler", "mujoco", "Euler"),
    STEPPING("mujoco-implicit", "MuJoCo implicit", "mujoco", "implicit"),
    STEPPING("mujoco-implicitfast", "MuJoCo implicitfast", "mujoco", "implicitfast"),
    STEPPING("mujoco-RK4", "MuJoCo RK4", "mujoco", "RK4"),
    STEPPING("mujoco-callback-Euler", "MuJoCo callback Euler", "mujoco-callback", "Euler"),
    STEPPING("mujoco-callback-implicitfast", "MuJoCo callback implicitfast", "mujoco-callback",
             "implicitfast"),
    STEPPING("mujoco-callback-RK4", "MuJoCo callback RK4", "mujoco-callback", "RK4"),
    // these race only where --methods names them: they are no part of the build
    METHOD("drake-cenic", "Drake CENIC", "drake", "cenic", TOLERANCE, accuracies_of_first_order,
           .order = 0),
    METHOD("drake-rk3", "Drake RK3", "drake", "rk3", TOLERANCE, accuracies, .order = 0),
    METHOD("drake-rk5", "Drake RK5", "drake", "rk5", TOLERANCE, accuracies, .order = 0),
    SIMBODY("merson", "Merson"),
    SIMBODY("cpodes", "CPodes BDF"),
    SIMBODY("adams", "CPodes Adams"),
    {0},
};
const size_t precision_method_count = sizeof precision_methods / sizeof *precision_methods - 1;
const size_t precision_default_count =
    sizeof precision_methods / sizeof *precision_methods - 1 - ENGINES;

static const char *knob_name(precision_knob knob) {
  static const char *const names[] = {[PRECISION_EPSILON] = "epsilon",
                                      [PRECISION_TOLERANCE] = "tolerance",
                                      [PRECISION_RTOL] = "rtol",
                                      [PRECISION_TIME_STEP] = "time_step"};
  return names[knob];
}

static void set_tolerance(solver_settings *s, double rtol) {
  s->rtol = fmin(1e-2, fmax(1e-13, rtol));
  s->atol = 1e-2 * s->rtol;
}

solver_settings precision_settings(const precision_method *method, double value, size_t contacts) {
  solver_settings s = solver_settings_default();
  if (contacts > contacts_of_default_scaling) s.scaling = large_scaling;
  s.variant = method->variant;
  if (method->order) s.order = method->order;
  if (method->knob == PRECISION_EPSILON) s.epsilon = value;
  if (method->knob == PRECISION_TOLERANCE) s.rtol = s.atol = value;
  if (method->knob == PRECISION_RTOL) set_tolerance(&s, value);
  if (method->knob == PRECISION_TIME_STEP) s.time_step = value;
  if (method->tolerance_factor > 0.0) {
    const bool coarse = method->coarse > 0.0 && value >= method->coarse;
    const double factor = coarse ? method->coarse_factor : method->tolerance_factor;
    set_tolerance(&s, factor * pow(value, method->tolerance_power));
  }
  return s;
}

double precision_expected_time(const precision_method *method, double coarser, double seconds,
                               double value) {
  return method->knob == PRECISION_TIME_STEP ? seconds * coarser / value : seconds;
}

bool precision_chosen(const option_names *methods, size_t method) {
  bool chosen = methods->count == 0 && method < precision_default_count;
  for (size_t i = 0; i < methods->count; i++) chosen = chosen || methods->index[i] == method;
  return chosen;
}

int precision_check(study_run *run) {
  const precision_asked *const s = run->settings;
  const contest_starts *const first = precision_starts(run, 0);
  int status = first ? 0 : case_refusal(run);
  if (first && first->m->type->content &&
      first->m->type->content(first->m, &run->content, run->message))
    return -1;
  for (size_t i = 0; first && i < precision_method_count; i++) {
    const precision_method *const method = &precision_methods[i];
    const solver_settings with = precision_settings(method, method->values[0], 1);
    contestant c;
    if (!precision_chosen(&s->methods, i)) continue;
    status = contestant_prepare(&c, solver_find(method->solver), &with, first, run->message);
    if (!status) contestant_release(&c);
    if (status != SOLVER_REFUSED) break;
  }
  return status;
}

/* units of work of an evaluation: one for each contact and some besides; how many times as many of
 * one of MuJoCo, which finds contacts and solves for their forces; and what MuJoCo has besides
 * where a callback has them. A unit then takes some 2 ns. */
static const double units_besides = 16.0, times_of_mujoco = 25.0, besides_callback = 250.0;

static double units_of(const precision_method *method, size_t contacts) {
  const solver_type *const solver = solver_find(method->solver);
  if (solver == &bridge_callback_solver) return (double)contacts + besides_callback;
  return ((double)contacts + units_besides) * (solver == &bridge_solver ? times_of_mujoco : 1.0);
}

size_t precision_trials(const precision_asked *asked, size_t contacts,
                        const precision_method *method, double evaluations) {
  const size_t few = asked->trials < PRECISION_FEW ? asked->trials : PRECISION_FEW;
  const double work = evaluations * units_of(method, contacts);
  if (work * (double)asked->trials <= asked->point_work) return asked->trials;
  return work * (double)few <= asked->point_work ? few : 1;
}

/* Runs of methods: what they are worth, and the race of them. */

/* ---- judging --------------------------------------------------------------------------------- */

const char *precision_status_name(precision_status status) {
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
  size_t trials, up, away; /* of which so many gave up, and so many diverged */
  double failures;         /* did either */
  double events, reference;
} tally;

/* a run that gave up has its time and nothing else */
static void count_run(tally *all, const outcome *of, precision_start start) {
  const bool up = isnan(of->steps), away = !(of->rms_error < start.held);
  all->trials++;
  all->up += up;
  all->away += away;
  all->failures += up || away;
  if (up) return;
  all->events += of->events;
  all->reference += start.events;
}

/* crossings of all runs that ended, over the reference's; one where there are none */
static double events_ratio(const tally *all) {
  return all->events == all->reference ? 1.0 : all->events / all->reference;
}

static precision_status judge(const tally *all) {
  if (all->up) return PRECISION_FAILED;
  if (all->away) return PRECISION_DIVERGED;
  const bool close = fabs(events_ratio(all) - 1.0) <= CONTEST_EVENTS_TOLERANCE;
  return close ? PRECISION_OK : PRECISION_CROSSINGS;
}

/* ---- samples --------------------------------------------------------------------------------- */

const column precision_sample_columns[] = {
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

precision_sample precision_unknown(const char *what, size_t contacts, size_t method, double value) {
  const precision_method *const of = &precision_methods[method];
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

int precision_try(const study_run *run, const contest_starts *starts, double room[],
                  precision_sample *s, char message[SOLVER_MESSAGE_SIZE]) {
  const size_t contacts = model_contacts(starts->m);
  const precision_method *const method = &precision_methods[s->method];
  const solver_settings with = precision_settings(method, s->value, contacts);
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

/* the first method chosen of a solver; none: their count */
static size_t first_of(const solver_type *solver, const option_names *methods) {
  size_t i = 0;
  while (i < precision_method_count &&
         (!precision_chosen(methods, i) || solver_find(precision_methods[i].solver) != solver))
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
    if (i == precision_method_count) continue;
    const precision_method *const method = &precision_methods[i];
    const solver_settings settings =
        precision_settings(method, method->values[0], model_contacts(m));
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

/* ---- cases ----------------------------------------------------------------------------------- */

size_t precision_cases(const study_run *run) {
  const precision_asked *const s = run->settings;
  return s->contacts.count ? s->contacts.count : 1;
}

contest_starts *precision_starts(study_run *run, size_t index) {
  const precision_asked *const s = run->settings;
  if (!s->contacts.count) return case_starts(run, NULL, s->trials);
  const case_change changes[] = {{"contacts", (double)s->contacts.contacts[index]}, {0}};
  return case_starts(run, changes, s->trials);
}

study_place precision_place(const void *cell) {
  const precision_cell *const c = cell;
  return (study_place){c->index, c->kind == PRECISION_RACE ? c->process : c->index};
}

/* ---- methods that are the same --------------------------------------------------------------- */

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

/* a run that would take too long may do the same as one that has been made; those that failed alike
 * are alike */
static bool same_points(const precision_point *a, const precision_point *b) {
  if (!same(a->value, b->value)) return false;
  if (a->obstacle == b->obstacle) return same(a->first.rms_error, b->first.rms_error);
  return (a->obstacle == PRECISION_TOO_LONG && b->obstacle == PRECISION_OK) ||
         (a->obstacle == PRECISION_OK && b->obstacle == PRECISION_TOO_LONG);
}

/* whether the methods that begin at a and b are variants that do the same in all cases, at least
 * one of which both have run */
static bool same_methods(const precision_survey *all, size_t cases, size_t a, size_t b) {
  const size_t count = end_of(all, a) - a;
  const char *const solver = precision_methods[all->point[a].method].solver;
  bool raced = false;
  if (strcmp(solver, precision_methods[all->point[b].method].solver) != 0 ||
      count != end_of(all, b) - b)
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
    const char *const name = precision_methods[all->point[a].method].name;
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

/* the sample of what is known of the i-th point */
static size_t sample_of(size_t trials, size_t count, size_t i) {
  return i / count * (trials + count) + trials + i % count;
}

/* of the samples, which are in each case the starts, and then the points; without laps of a race */
static int survey(study_run *run, bool settles) {
  const size_t cases = precision_cases(run),
               trials = ((const precision_asked *)run->settings)->trials;
  size_t samples;
  const precision_sample *const all = study_rows(run, STUDY_SAMPLES, &samples);
  const size_t of_case = samples / cases, count = of_case - trials, points = cases * count;
  free(run->own);
  precision_survey *const made = run->own = calloc(1, sizeof *made + points * sizeof *made->point);
  if (!made) return study_out_of_memory(run);
  made->count = count;
  for (size_t i = 0; i < points; i++) {
    const precision_sample *const known = &all[sample_of(trials, count, i)];
    made->point[i] = (precision_point){.method = known->method,
                                       .value = known->value,
                                       .obstacle = (precision_status)known->status,
                                       .trials = known->trials,
                                       .first = known->of,
                                       .message = known->message,
                                       .as = ""};
  }
  find_coincidences(made, cases);
  for (size_t i = 0; settles && i < points; i++) {
    precision_point *const p = &made->point[i];
    p->settled = p->trials == 1 || (p->trials && *p->as);
  }
  return 0;
}

/* the numbers of starts from which points may race where there are so many, the largest first */
enum { GROUPS = 3, OF_SIZE = 32 };
static size_t groups_of(size_t trials, size_t group[GROUPS]) {
  size_t count = 0;
  group[count++] = trials;
  if (trials > PRECISION_FEW) group[count++] = PRECISION_FEW;
  if (trials > 1) group[count++] = 1;
  return count;
}

static bool races(const precision_point *p, size_t trials) {
  return p->obstacle == PRECISION_OK && !p->settled && p->trials == trials;
}

size_t precision_raced(const precision_point point[], size_t count, size_t trials) {
  size_t raced = 0;
  for (size_t i = 0; i < count; i++) raced += races(&point[i], trials);
  return raced;
}

/* of the points of a case that race from so many starts */
static int plan_race(study_run *run, size_t index, size_t trials, const char *of) {
  const precision_survey *const all = run->own;
  const size_t raced = precision_raced(all->point + index * all->count, all->count, trials);
  for (size_t j = 0; raced && j < run->processes; j++) {
    const precision_cell c = {
        .kind = PRECISION_RACE, .index = index, .trials = trials, .process = j};
    if (study_cell(run, &c, "%srace=%zu process=%zu of %zu", of, trials, j, run->processes))
      return -1;
  }
  return 0;
}

static int plan_races(study_run *run, size_t index, const char *of) {
  size_t group[GROUPS];
  const size_t groups = groups_of(((const precision_asked *)run->settings)->trials, group);
  int status = 0;
  for (size_t g = 0; !status && g < groups; g++) status = plan_race(run, index, group[g], of);
  return status;
}

static int plan_known(study_run *run, size_t index, const char *of) {
  const precision_asked *const s = run->settings;
  const precision_cell starts = {.kind = PRECISION_STARTS, .index = index};
  int status = study_cell(run, &starts, "%sstarts", of);
  for (size_t i = 0; !status && i < precision_method_count; i++) {
    const precision_cell c = {.kind = PRECISION_METHOD, .index = index, .method = i};
    if (precision_chosen(&s->methods, i))
      status = study_cell(run, &c, "%smethod=%s", of, precision_methods[i].name);
  }
  return status;
}

int precision_plan(study_run *run, size_t stage, bool settles) {
  const precision_asked *const s = run->settings;
  int status = stage == 1 ? survey(run, settles) : 0;
  for (size_t i = 0; !status && stage < 2 && i < precision_cases(run); i++) {
    char of[OF_SIZE] = "";
    if (s->contacts.count) snprintf(of, sizeof of, "contacts=%zu ", s->contacts.contacts[i]);
    status = stage ? plan_races(run, i, of) : plan_known(run, i, of);
  }
  return status;
}

static int race_points(study_run *run, contest_starts *starts, const precision_cell *cell) {
  const precision_survey *const all = run->own;
  const precision_point *const point = all->point + cell->index * all->count;
  const size_t contacts = model_contacts(starts->m);
  race_entry *const entry = calloc(all->count, sizeof *entry);
  precision_sample *const sample = calloc(all->count, sizeof *sample);
  const race_plan plan = {.starts = starts,
                          .trials = cell->trials,
                          .process = cell->process,
                          .processes = run->processes,
                          .crossed = true,
                          .seed = run->seed + contacts,
                          .min_time = ((const precision_asked *)run->settings)->min_time,
                          .most_s = most_s,
                          .sample = sample};
  int status = entry && sample ? 0 : study_out_of_memory(run);
  size_t raced = 0;
  for (size_t i = 0; !status && i < all->count; i++) {
    const precision_method *const method = &precision_methods[point[i].method];
    if (!races(&point[i], cell->trials)) continue;
    sample[raced] = precision_unknown("lap", contacts, point[i].method, point[i].value);
    entry[raced++] = (race_entry){.solver = solver_find(method->solver),
                                  .settings = precision_settings(method, point[i].value, contacts)};
  }
  if (!status) status = race_run(run, &plan, entry, raced, NULL, NULL);
  free(entry);
  free(sample);
  return status;
}

int precision_measure(study_run *run, const void *cell,
                      int (*known)(study_run *run, contest_starts *starts, size_t method)) {
  const precision_asked *const s = run->settings;
  const precision_cell *const c = cell;
  contest_starts *const starts = precision_starts(run, c->index);
  if (!starts) return -1;
  if (c->kind == PRECISION_STARTS) return add_starts(run, starts, &s->methods);
  return c->kind == PRECISION_METHOD ? known(run, starts, c->method) : race_points(run, starts, c);
}

/* ---- rows ------------------------------------------------------------------------------------ */

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
  const precision_method *const of = &precision_methods[p->method];
  const precision_asked *const s = run->settings;
  const solver_settings with = precision_settings(of, p->value, model_contacts(m));
  return (precision_entry){
      .model = study_text(run, "%s", name),
      .law = choice_of(m, "law"),
      .method = of->name,
      .label = of->label,
      .solver = of->solver,
      .variant = of->variant ? of->variant : "",
      .knob = knob_name(of->knob),
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

int precision_derive(study_run *run, size_t table) {
  const precision_survey *const all = run->own;
  for (size_t i = 0; i < precision_cases(run) * all->count; i++) {
    const contest_starts *const at = precision_starts(run, i / all->count);
    if (!at) return -1;
    const precision_entry entry = entry_of(run, at->m, &all->point[i]);
    study_add(run, table, &entry);
  }
  return 0;
}

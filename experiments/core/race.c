/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "clock.h"
#include "measure.h"
#include "race.h"
#include "robot_model.h"
#include "settings.h"
#include "solvers.h"
#include "study_run.h"
#include "turns.h"
#include "worker.h"

/* the start of every trial */
static int draw_starts(contest_starts *s, bool random, unsigned long seed) {
  const size_t n = s->m->system.dimension;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (!rng) return -1;
  gsl_rng_set(rng, seed);
  for (size_t i = 0; i < s->trials; i++) {
    if (random)
      s->m->type->random_state(s->m, rng, s->states + i * n);
    else
      s->m->type->initial_state(s->m, s->states + i * n);
  }
  gsl_rng_free(rng);
  return 0;
}

int contest_starts_alloc(contest_starts *s, const model *m, size_t trials, bool random,
                         unsigned long seed, char message[SOLVER_MESSAGE_SIZE]) {
  *s = (contest_starts){.m = m, .trials = trials};
  s->states = calloc(trials * m->system.dimension, sizeof *s->states);
  s->references = calloc(trials, sizeof *s->references);
  s->events = calloc(trials, sizeof *s->events);
  if (s->states && s->references && s->events && !draw_starts(s, random, seed)) return 0;
  contest_starts_free(s);
  return measure_fail(message, "out of memory");
}

int contest_reference(contest_starts *s, size_t trial, char message[SOLVER_MESSAGE_SIZE]) {
  trajectory *const reference = &s->references[trial];
  if (reference->states) return 0;
  if (trajectory_alloc(reference, s->m, message)) return -1;
  const double *const x0 = s->states + trial * s->m->system.dimension;
  if (!trajectory_reference(reference, s->m, x0, &s->events[trial], NULL, message)) return 0;
  trajectory_free(reference);
  return -1;
}

contest_starts contest_starts_view(const contest_starts *s, const model *m) {
  contest_starts view = *s;
  view.m = m;
  return view;
}

void contest_forget(contest_starts *s) {
  for (size_t i = 0; s && s->references && i < s->trials; i++) trajectory_free(&s->references[i]);
}

void contest_starts_free(contest_starts *s) {
  contest_forget(s);
  free(s->references);
  free(s->states);
  free(s->events);
  *s = (contest_starts){0};
}

int contestant_prepare(contestant *c, const solver_type *solver, const solver_settings *settings,
                       const contest_starts *starts, char message[SOLVER_MESSAGE_SIZE]) {
  *c = (contestant){.solver = solver_on(solver, starts->m), .starts = starts};
  c->rms = calloc(starts->trials, sizeof *c->rms);
  c->events = calloc(starts->trials, sizeof *c->events);
  int status = c->rms && c->events ? trajectory_alloc(&c->samples, starts->m, message)
                                   : measure_fail(message, "out of memory");
  if (!status) {
    const solver_output output = trajectory_output(&c->samples);
    status = c->solver->prepare(starts->m, settings, &output, &c->instance, message);
  }
  if (status) contestant_release(c);
  return status;
}

void contestant_release(contestant *c) {
  if (c->instance) c->solver->release(c->instance);
  trajectory_free(&c->samples);
  free(c->rms);
  free(c->events);
  *c = (contestant){0};
}

static const double *start_of(const contestant *c, size_t trial) {
  return c->starts->states + trial * c->starts->m->system.dimension;
}

/* the timed region */
static int run(void *context, size_t trial) {
  contestant *const c = context;
  const solver_output output = trajectory_output(&c->samples);
  return c->solver->run(c->instance, start_of(c, trial), &output, &c->report);
}

/* after the timing: error and crossings of the run that was timed last */
static int note(void *context, size_t trial) {
  contestant *const c = context;
  const solver_output output = trajectory_output(&c->samples);
  if (c->solver->inspect && c->solver->inspect(c->instance, &output, &c->report)) return -1;
  const trajectory *const reference = &c->starts->references[trial];
  c->rms[trial] = reference->states ? trajectory_rms(&c->samples, reference) : NAN;
  c->events[trial] = (double)c->report.events;
  return 0;
}

measure_candidate contestant_candidate(contestant *c) {
  return (measure_candidate){.run = run, .after = note, .context = c};
}

int contestant_time(contestant *c, size_t trial, double *seconds) {
  const uint64_t start = measure_clock_ns();
  const int status = run(c, trial);
  *seconds = 1e-9 * (double)(measure_clock_ns() - start);
  return status ? -1 : 0;
}

int contestant_sample(contestant *c, size_t trial, double *seconds) {
  return contestant_time(c, trial, seconds) || note(c, trial) ? -1 : 0;
}

/* ---- an outcome ------------------------------------------------------------------------------ */

outcome outcome_unknown(void) {
  return (outcome){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

outcome outcome_of(const contestant *c, size_t trial, double seconds) {
  const solver_report *const r = &c->report;
  return (outcome){.time_s = seconds,
                   .rms_error = c->rms[trial],
                   .events = c->events[trial],
                   .field_evaluations = (double)r->field_evaluations,
                   .event_evaluations = (double)r->event_evaluations,
                   .steps = (double)r->steps,
                   .rejected = (double)r->rejected,
                   .entries = (double)r->entries,
                   .projections = (double)r->projections,
                   .through = (double)r->through};
}

/* the fastest of all runs; 0, or -1 */
static int run_fastest(contestant *c, size_t trial, outcome_effort effort, double *fastest) {
  double seconds;
  int status = contestant_sample(c, trial, fastest);
  double spent = *fastest;
  for (size_t i = 1; !status && (i < effort.runs || spent < effort.seconds); i++) {
    status = contestant_time(c, trial, &seconds);
    *fastest = fmin(*fastest, seconds);
    spent += seconds;
  }
  return status;
}

int outcome_run(const solver_type *solver, const solver_settings *settings,
                const contest_starts *starts, size_t trial, outcome_effort effort, outcome *out,
                char message[SOLVER_MESSAGE_SIZE]) {
  contestant c;
  double fastest;
  *out = outcome_unknown();
  if (contestant_prepare(&c, solver, settings, starts, message)) return -1;
  const int failed = run_fastest(&c, trial, effort, &fastest);
  if (failed)
    snprintf(message, SOLVER_MESSAGE_SIZE, "%s", c.report.message);
  else
    *out = outcome_of(&c, trial, fastest);
  contestant_release(&c);
  return failed ? 1 : 0;
}

/* ---- what cells share ------------------------------------------------------------------------ */

enum { CHANGES_MAX = 4 };

/* starts of a case, one of a list */
typedef struct case_drawn {
  struct case_drawn *next;
  bool random; /* or its own */
  unsigned long seed;
  contest_starts starts;
} case_drawn;

/* one of a list */
typedef struct case_made {
  struct case_made *next;
  size_t changes;
  double value[CHANGES_MAX]; /* by which it is known: those of all changes, in their order */
  model m;
  case_drawn *drawn; /* the first; owned */
} case_made;

static bool is_of(const case_made *c, const model_type *type, const case_change changes[]) {
  size_t i = 0;
  if (c->m.type != type) return false;
  while (changes[i].name && i < c->changes && c->value[i] == changes[i].value) i++;
  return i == c->changes && !changes[i].name;
}

static int prepare_model(study_run *run, case_made *c, const model_type *type,
                         const case_change changes[]) {
  c->m = *run->m;
  c->m.data = NULL;
  if (c->m.type != type) model_init(&c->m, type);
  for (const case_change *change = changes; change->name; change++) {
    c->value[c->changes++] = change->value;
    if (!isnan(model_get(&c->m, change->name)) &&
        model_set(&c->m, change->name, change->value, run->message))
      return MODEL_REFUSED;
  }
  return model_prepare(&c->m, run->message);
}

static void release(case_made *c) {
  for (case_drawn *d = c->drawn, *next; d; d = next) {
    next = d->next;
    contest_starts_free(&d->starts);
    free(d);
  }
  model_release(&c->m);
  free(c);
}

static case_made *find(study_run *run, const model_type *type, const case_change changes[]) {
  static const case_change none[] = {{0}};
  if (!changes) changes = none;
  for (case_made *c = run->private->cases; c; c = c->next)
    if (is_of(c, type, changes)) return c;
  case_made *const c = calloc(1, sizeof *c);
  int status = c ? prepare_model(run, c, type, changes) : -1;
  if (!c) measure_message(run->message, "out of memory");
  if (status) {
    run->private->refused = status == MODEL_REFUSED;
    if (c) release(c);
    return NULL;
  }
  c->next = run->private->cases;
  return run->private->cases = c;
}

const model *case_model_of(study_run *run, const model_type *type, const case_change changes[]) {
  case_made *const c = find(run, type, changes);
  return c ? &c->m : NULL;
}

int case_refusal(const study_run *run) {
  return run->private->refused ? SOLVER_REFUSED : -1;
}

const model *case_model(study_run *run, const case_change changes[]) {
  return case_model_of(run, run->m->type, changes);
}

static contest_starts *draw(study_run *run, case_made *c, size_t trials, bool random,
                            unsigned long seed) {
  if (!c) return NULL;
  for (case_drawn *d = c->drawn; d; d = d->next)
    if (d->random == random && d->seed == seed && d->starts.trials == trials) return &d->starts;
  case_drawn *const d = calloc(1, sizeof *d);
  if (!d) measure_message(run->message, "out of memory");
  if (!d || contest_starts_alloc(&d->starts, &c->m, trials, random, seed, run->message)) {
    free(d);
    return NULL;
  }
  d->random = random;
  d->seed = seed;
  d->next = c->drawn;
  return &(c->drawn = d)->starts;
}

contest_starts *case_starts_of(study_run *run, const model_type *type, const case_change changes[],
                               size_t trials, unsigned long seed) {
  return draw(run, find(run, type, changes), trials, true, seed);
}

contest_starts *case_own_start_of(study_run *run, const model_type *type,
                                  const case_change changes[]) {
  return draw(run, find(run, type, changes), 1, false, 0);
}

contest_starts *case_starts(study_run *run, const case_change changes[], size_t trials) {
  return case_starts_of(run, run->m->type, changes, trials, run->seed);
}

contest_starts *case_known(study_run *run, contest_starts *starts, size_t count) {
  for (size_t i = 0; starts && i < count; i++) {
    if (*run->interrupted) measure_message(run->message, "interrupted");
    if (*run->interrupted || contest_reference(starts, i, run->message)) return NULL;
  }
  return starts;
}

void cases_free(study_run *run) {
  for (case_made *c = run->private->cases, *next; c; c = next) {
    next = c->next;
    release(c);
  }
}

/* ---- a race ---------------------------------------------------------------------------------- */

/* turns of an entry, how long one lasts at least, and how long all of them at most, s */
enum { ROUNDS = 3 };
static const double turn_s = 5e-3, most_s = 3.0;

/* one at the start line */
typedef struct runner {
  contestant contestant;
  contest_starts starts;             /* as its form of the model has them */
  const size_t *trial;               /* those that it runs; borrowed */
  outcome *of;                       /* of each, not known where a run gave up; owned */
  bool gave_up;                      /* the last run did */
  char message[SOLVER_MESSAGE_SIZE]; /* of the first that did; "": none */
} runner;

/* a race in this process; what it points to is owned */
typedef struct race {
  study_run *run;
  const race_plan *plan;
  const race_entry *entry; /* borrowed */
  size_t entries, runners, trials;
  size_t *trial, *runner_of; /* trials; by entry */
  bool *made;                /* by trial: its reference is this race's */
  runner *runner;
  measure_candidate *candidate;
  measure_turns_record *record;
  double *seconds;
} race;

/* one that gives up ends no race */
static int run_one(void *context, size_t i) {
  runner *const r = context;
  const measure_candidate timed = contestant_candidate(&r->contestant);
  r->gave_up = timed.run(timed.context, r->trial[i]) != 0;
  return 0;
}

static int note_one(void *context, size_t i) {
  runner *const r = context;
  const measure_candidate timed = contestant_candidate(&r->contestant);
  const bool gave_up = r->gave_up || timed.after(timed.context, r->trial[i]);
  r->of[i] = gave_up ? outcome_unknown() : outcome_of(&r->contestant, r->trial[i], NAN);
  if (gave_up && !*r->message) measure_message(r->message, "%s", r->contestant.report.message);
  return 0;
}

/* ---- who runs -------------------------------------------------------------------------------- */

/* a solver that is in no table has settings of its own */
static solver_settings in_force(const race *r, const race_entry *e) {
  const double dt = r->plan->starts->m->type->time_step;
  return solver_find(e->solver->name) == e->solver
             ? solver_settings_in_force(e->solver, &e->settings, dt)
             : e->settings;
}

static bool alike(const race *r, const race_entry *a, const race_entry *b) {
  if (a->own || b->own) return false;
  const solver_settings of_a = in_force(r, a), of_b = in_force(r, b);
  return a->solver == b->solver && a->starts == b->starts && settings_same(&of_a, &of_b);
}

static int prepare(race *r, const race_entry *e) {
  runner *const one = &r->runner[r->runners];
  one->of = calloc(r->trials, sizeof *one->of);
  if (!one->of) return study_out_of_memory(r->run);
  for (size_t i = 0; i < r->trials; i++) one->of[i] = outcome_unknown();
  if (e->own) {
    r->candidate[r->runners++] = *e->own;
    return 0;
  }
  const contest_starts *const starts = e->starts ? e->starts : r->plan->starts;
  one->starts = *starts;
  one->trial = r->trial;
  r->candidate[r->runners++] =
      (measure_candidate){.run = run_one, .after = note_one, .context = one};
  return contestant_prepare(&one->contestant, e->solver, &e->settings, &one->starts,
                            r->run->message)
             ? -1
             : 0;
}

static int line_up(race *r) {
  int status = 0;
  for (size_t k = 0; !status && k < r->entries; k++) {
    size_t first = 0;
    while (first < k && !alike(r, &r->entry[first], &r->entry[k])) first++;
    r->runner_of[k] = first < k ? r->runner_of[first] : r->runners;
    if (first == k) status = prepare(r, &r->entry[k]);
  }
  return status;
}

/* ---- the turns ------------------------------------------------------------------------------- */

static int conclude(const study_run *run, int status) {
  if (status == MEASURE_ESTOP) return measure_fail(run->message, "interrupted");
  return status ? measure_fail(run->message, "timing: %s", measure_strerror(status)) : 0;
}

static int make_references(race *r) {
  const bool needed = r->plan->starts && (!r->plan->crossed || !r->plan->process);
  for (size_t i = 0; needed && i < r->trials; i++) {
    if (*r->run->interrupted) return conclude(r->run, MEASURE_ESTOP);
    r->made[i] = !r->plan->starts->references[r->trial[i]].states;
    if (contest_reference(r->plan->starts, r->trial[i], r->run->message)) return -1;
  }
  return 0;
}

static int take_turns(race *r) {
  const race_plan *const p = r->plan;
  const double least = p->min_time * (double)r->trials;
  const measure_turns how = {.trials = r->trials,
                             .seed = p->seed + p->process,
                             .rounds = p->rounds ? p->rounds : ROUNDS,
                             .turn_s = fmax(turn_s, least),
                             .most_s = fmax(p->most_s > 0.0 ? p->most_s : most_s, least),
                             .stop = r->run->interrupted};
  return conclude(r->run,
                  measure_take_turns(r->candidate, r->runners, &how, r->seconds, r->record));
}

static race_lap lap_of(const race *r, size_t i, size_t entry) {
  const size_t k = r->runner_of[entry];
  const runner *const from = &r->runner[k];
  const measure_turns_record *const record = &r->record[k];
  race_lap lap = {.entry = entry,
                  .trial = r->trial[i],
                  .process = r->plan->process,
                  .of = from->of[i],
                  .repetitions = (double)record->repetitions,
                  .retaken = i ? 0.0 : (double)record->retaken,
                  .disturbed = i ? 0.0 : (double)record->disturbed,
                  .message = isnan(from->of[i].steps) ? from->message : ""};
  const bool is_known = r->plan->starts && (!r->plan->crossed || !r->plan->process);
  lap.of.time_s = r->seconds[k * r->trials + i];
  lap.events_reference = is_known ? (double)r->plan->starts->events[lap.trial] : NAN;
  return lap;
}

static const column lap_columns[] = {
    COLUMNS(race_lap, COUNT, trial, process),
    COLUMNS(race_lap, AMOUNT, repetitions, retaken, disturbed, events_reference),
    COLUMNS(race_lap, TEXT, message),
    OUTCOME_COLUMNS("", race_lap, of),
    {0},
};

void race_note(const race_lap *lap, const column columns[], void *row) {
  for (const column *c = columns; c->name; c++) {
    const column *const of = column_find(lap_columns, c->name);
    if (of) column_copy(of, lap, c, row);
  }
}

/* the lap as a sample */
static int add_lap(void *context, const race_lap *lap) {
  const race *const r = context;
  const study_table *const t = &r->run->study->tables[STUDY_SAMPLES];
  _Alignas(max_align_t) char sample[t->row_size];
  if (*lap->message && r->plan->where)
    return measure_fail(r->run->message, "%s %zu: %s", r->plan->where, lap->trial, lap->message);
  memcpy(sample, (const char *)r->plan->sample + lap->entry * t->row_size, t->row_size);
  race_note(lap, t->columns, sample);
  return study_add(r->run, STUDY_SAMPLES, sample);
}

static int run_race(race *r, race_tell *tell, void *context) {
  int status = make_references(r);
  if (!status) status = line_up(r);
  if (!status) status = take_turns(r);
  for (size_t i = 0; !status && i < r->trials * r->entries; i++) {
    const race_lap lap = lap_of(r, i / r->entries, i % r->entries);
    status = tell(context, &lap);
  }
  return status;
}

static int set_up(race *r, size_t step) {
  const size_t most = r->plan->trials + 1, count = r->entries + 1;
  r->trial = calloc(most, sizeof *r->trial);
  r->made = calloc(most, sizeof *r->made);
  r->runner_of = calloc(count, sizeof *r->runner_of);
  r->runner = calloc(count, sizeof *r->runner);
  r->candidate = calloc(count, sizeof *r->candidate);
  r->record = calloc(count, sizeof *r->record);
  r->seconds = calloc(count * most, sizeof *r->seconds);
  if (!r->trial || !r->made || !r->runner_of || !r->runner || !r->candidate || !r->record ||
      !r->seconds)
    return study_out_of_memory(r->run);
  for (size_t j = step > 1 ? r->plan->process : 0; j < r->plan->trials; j += step)
    r->trial[r->trials++] = j;
  return 0;
}

static void tear_down(race *r) {
  for (size_t i = 0; r->made && i < r->trials; i++)
    if (r->made[i]) trajectory_free(&r->plan->starts->references[r->trial[i]]);
  for (size_t k = 0; k < r->runners; k++) {
    contestant_release(&r->runner[k].contestant);
    free(r->runner[k].of);
  }
  free(r->trial);
  free(r->made);
  free(r->runner_of);
  free(r->runner);
  free(r->candidate);
  free(r->record);
  free(r->seconds);
}

int race_run(study_run *run, const race_plan *plan, const race_entry entry[], size_t count,
             race_tell *tell, void *context) {
  race r = {.run = run, .plan = plan, .entry = entry, .entries = count};
  int status = set_up(&r, plan->crossed ? 1 : plan->processes);
  if (!status) status = tell ? run_race(&r, tell, context) : run_race(&r, add_lap, &r);
  tear_down(&r);
  return status;
}

/* ---- where laps are -------------------------------------------------------------------------- */

draws race_draws(const study_run *run, size_t trials, bool crossed) {
  const size_t processes = crossed || run->processes < trials ? run->processes : trials;
  return (draws){.trials = crossed ? trials * processes : trials,
                 .processes = processes,
                 .seed = run->seed,
                 .crossed = crossed};
}

const void *race_lap_at(const study_run *run, size_t cell, const draws *d, size_t entries,
                        size_t entry, size_t j) {
  const char *const laps = study_samples(run, cell + j % d->processes, NULL);
  return laps + (entry + j / d->processes * entries) * run->study->tables[STUDY_SAMPLES].row_size;
}

int race_ratio(const study_run *run, size_t cell, const draws *d, size_t entries, size_t entry,
               size_t over, double *ratio, double interval[2]) {
  const column *const c = column_find(run->study->tables[STUDY_SAMPLES].columns, "seconds");
  double quotient[d->trials];
  for (size_t j = 0; j < d->trials; j++)
    quotient[j] = column_number(c, race_lap_at(run, cell, d, entries, entry, j)) /
                  column_number(c, race_lap_at(run, cell, d, entries, over, j));
  return draws_median_of(d, quotient, ratio, interval);
}

/* ---- MuJoCo as it is set, known by its changes ----------------------------------------------- */

static int prepare_own(const model *m, const solver_settings *settings, const solver_output *output,
                       void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return bridge_variant_prepare(true, settings->variant, m, settings, output, instance, message);
}

static int prepare_race(const model *m, const solver_settings *settings,
                        const solver_output *output, void **instance,
                        char message[SOLVER_MESSAGE_SIZE]) {
  return bridge_variant_prepare(false, settings->variant, m, settings, output, instance, message);
}

static int run_variant(void *instance, const double x0[], const solver_output *output,
                       solver_report *report) {
  return bridge_solver.run(instance, x0, output, report);
}

static void release_variant(void *instance) {
  bridge_solver.release(instance);
}

race_entry race_variant(bool own, const char *changes) {
  static const solver_type bases[] = {
      {.name = "mujoco", .prepare = prepare_race, .run = run_variant, .release = release_variant},
      {.name = "mujoco", .prepare = prepare_own, .run = run_variant, .release = release_variant}};
  race_entry entry = {.solver = &bases[own], .settings = solver_settings_default()};
  entry.settings.variant = changes;
  return entry;
}

/* ---- the same system ------------------------------------------------------------------------- */

/* of a model that MuJoCo runs as it is */
static int own_gap(const model *m, unsigned long seed, bridge_gap *gap,
                   char message[SOLVER_MESSAGE_SIZE]) {
#ifdef ESS_ROBOTS
  double x0[MODEL_DIMENSION_MAX];
  m->type->initial_state(m, x0);
  *gap = (bridge_gap){.rms = NAN, .inverse_weight = NAN, .scaling = NAN};
  return robot_model_gap(m, x0, seed, gap, message) ? SOLVER_FAILED : 0;
#else
  (void)m, (void)seed, (void)gap;
  return SOLVER_REFUSE(message, "this build has no robots");
#endif
}

/* of an engine in a process of its own */
static int workers_gap(const solver_type *engine, const model *m, const solver_settings *settings,
                       unsigned long seed, bridge_gap *gap, char message[SOLVER_MESSAGE_SIZE]) {
  *gap =
      (bridge_gap){.rms = NAN, .states = SAME_SYSTEM_STATES, .inverse_weight = NAN, .scaling = NAN};
  const int status =
      worker_field_gap(engine, m, settings, SAME_SYSTEM_STATES, seed, &gap->gap, message);
  if (status || gap->gap <= WORKER_GAP_MAX) return status;
  measure_message(message,
                  "%s, %zu contacts: the relative acceleration residual of %s is %.2g; up to %.0g "
                  "is accepted",
                  m->type->name, model_contacts(m), engine->name, gap->gap, WORKER_GAP_MAX);
  return SOLVER_FAILED;
}

int same_system(const solver_type *engine, const model *m, const solver_settings *settings,
                unsigned long seed, bridge_gap *gap, char message[SOLVER_MESSAGE_SIZE]) {
  if (worker_is(engine)) return workers_gap(engine, m, settings, seed, gap, message);
  const bool is_own = solver_on(engine, m) != engine;
  const int status =
      is_own ? own_gap(m, seed, gap, message)
             : bridge_field_gap(engine, m, settings, SAME_SYSTEM_STATES, seed, gap, message);
  if (status || gap->gap <= BRIDGE_GAP_MAX) return status;
  char scaling[64] = "";
  if (!isnan(gap->scaling)) snprintf(scaling, sizeof scaling, " at a scaling of %g", gap->scaling);
  measure_message(
      message,
      "%s, %zu contacts: the relative acceleration residual is %.2g%s; up to %.0g is accepted%s",
      m->type->name, model_contacts(m), gap->gap, scaling, BRIDGE_GAP_MAX,
      *scaling ? ", and a larger scaling lowers it" : "");
  return SOLVER_FAILED;
}

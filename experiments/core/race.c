/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "race.h"

#include <math.h>
#include <stdlib.h>

#include "bridge.h"
#include "settings.h"
#include "solvers.h"
#include "turns.h"

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
  const solver_settings of_a = in_force(r, a), of_b = in_force(r, b);
  return a->solver == b->solver && a->m == b->m && a->starts == b->starts &&
         settings_same(&of_a, &of_b);
}

static int prepare(race *r, const race_entry *e) {
  runner *const one = &r->runner[r->runners];
  one->of = calloc(r->trials, sizeof *one->of);
  if (!one->of) return study_out_of_memory(r->run);
  const contest_starts *const starts = e->starts ? e->starts : r->plan->starts;
  one->starts = contest_starts_view(starts, e->m ? e->m : starts->m);
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
  const bool needed = !r->plan->crossed || !r->plan->process;
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
                  .of = from->of[i],
                  .repetitions = (double)record->repetitions,
                  .retaken = i ? 0.0 : (double)record->retaken,
                  .disturbed = i ? 0.0 : (double)record->disturbed,
                  .message = isnan(from->of[i].steps) ? from->message : ""};
  lap.of.time_s = r->seconds[k * r->trials + i];
  return lap;
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
  if (!status) status = run_race(&r, tell, context);
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

size_t race_process(const draws *d, size_t j) {
  return j % d->processes;
}

size_t race_place(const draws *d, size_t j) {
  return j / d->processes;
}

void race_firsts(const draws *d, size_t first[]) {
  first[0] = 0;
  for (size_t i = 0; i < d->processes; i++)
    first[i + 1] = first[i] + (d->trials - i + d->processes - 1) / d->processes;
}

/* ---- MuJoCo as it is set: a variant is known by its changes
 * -------------------------------------- */

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

/*
 * Measuring what is missing of a case: the proof that MuJoCo has the same system, one run of every
 * point to see what it does and how long it takes, and the race of those that can.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "progress.h"
#include "solvers.h"
#include "work_precision.h"

enum { GAP_STATES = 2000 };

/* measuring under way */
typedef struct measuring {
  precision_case *c;
  measure_journal *journal;
  measure_progress progress;
  uint64_t done;
  char *message;
} measuring;

/* a point at the start line: a run that fails is noted, and the race goes on */
typedef struct entrant {
  size_t index;
  contestant contestant;
  measure_candidate timed;
  bool failed;
} entrant;

/* ---- the same system ------------------------------------------------------------------------- */

/* the first of its points; NULL when it does not race */
static const precision_point *mujoco_point(const precision_case *c) {
  for (size_t i = 0; i < c->count; i++)
    if (strcmp(c->point[i].method->solver, bridge_solver.name) == 0) return &c->point[i];
  return NULL;
}

/* a model MuJoCo refuses has no gap */
static int check_gap(measuring *all) {
  precision_case *const c = all->c;
  const precision_point *const mujoco = mujoco_point(c);
  if (!mujoco) return 0;
  const int status =
      bridge_field_gap(c->m, &mujoco->settings, GAP_STATES, c->given->seed, &c->gap, all->message);
  if (status) {
    c->gap = (bridge_gap){.gap = NAN, .rms = NAN, .inverse_weight = NAN, .scaling = NAN};
    return status == SOLVER_REFUSED ? 0 : -1;
  }
  if (c->gap.gap <= BRIDGE_GAP_MAX) return 0;
  measure_message(all->message, "the field gap is %.2g at a scaling of %g; up to %.0g is accepted",
                  c->gap.gap, c->gap.scaling, BRIDGE_GAP_MAX);
  return -1;
}

/* ---- one run of every point ------------------------------------------------------------------ */

/* units of work of an evaluation: one for each contact and some besides; and how many times as many
 * of one of MuJoCo, which finds contacts and solves for their forces. A unit then takes some 2 ns.
 */
static const double units_besides = 16.0, times_of_mujoco = 25.0;

size_t precision_trials(const precision_case *c, const precision_method *method,
                        double evaluations) {
  const arguments *const given = c->given;
  const size_t few = given->trials < PRECISION_FEW ? given->trials : PRECISION_FEW;
  const double times = strcmp(method->solver, bridge_solver.name) == 0 ? times_of_mujoco : 1.0;
  const double work = evaluations * ((double)c->contacts + units_besides) * times;
  if (work * (double)given->trials <= given->point_work) return given->trials;
  return work * (double)few <= given->point_work ? few : 1;
}

/* all there is to know of a contestant's run at a trial; of one that failed, time and counts */
static void note_run(const contestant *c, size_t trial, double seconds, bool failed,
                     double out[PRECISION_QUANTITIES]) {
  out[PRECISION_SECONDS] = seconds;
  out[PRECISION_RMS] = failed ? NAN : c->rms[trial];
  out[PRECISION_EVENTS] = (double)c->report.events;
  out[PRECISION_STEPS] = (double)c->report.steps;
  out[PRECISION_REJECTED] = (double)c->report.rejected;
  out[PRECISION_ENTRIES] = (double)c->report.entries;
  out[PRECISION_PROJECTIONS] = (double)c->report.projections;
  out[PRECISION_FIELDS] = (double)c->report.field_evaluations;
  out[PRECISION_GUARDS] = (double)c->report.guard_evaluations;
}

static void set_obstacle(precision_point *p, precision_status obstacle) {
  p->obstacle = obstacle;
  p->trials = 0;
}

/* whether the run is too long to be made, by the next coarser value; what it would take is noted */
static bool is_too_long(const precision_case *c, size_t i) {
  precision_point *const p = &c->point[i];
  const precision_point *const coarser = i ? p - 1 : NULL;
  if (!coarser || coarser->method != p->method ||
      (coarser->obstacle != PRECISION_OK && coarser->obstacle != PRECISION_TOO_LONG))
    return false;
  const double taken = coarser->first[PRECISION_SECONDS];
  const double expected = precision_expected_time(p->method, coarser->value, taken, p->value);
  if (!(expected > PRECISION_RUN_MAX)) return false;
  set_obstacle(p, PRECISION_TOO_LONG);
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
    p->first[q] = q == PRECISION_RMS ? NAN : coarser->first[q] * expected / taken;
  measure_message(p->message, "one run would take some %.0f s", expected);
  return true;
}

/* runs a prepared point from the first start, and plans from how many it is raced */
static void run_first(const precision_case *c, precision_point *p, contestant *tried) {
  const measure_candidate timed = contestant_candidate(tried);
  const uint64_t start = measure_clock_ns();
  bool failed = timed.run(timed.context, 0) != 0;
  const double seconds = 1e-9 * (double)(measure_clock_ns() - start);
  failed = failed || timed.after(timed.context, 0);
  note_run(tried, 0, seconds, failed, p->first);
  p->trials =
      p->planned
          ? p->planned
          : precision_trials(c, p->method, p->first[PRECISION_FIELDS] + p->first[PRECISION_GUARDS]);
  if (!failed) return;
  set_obstacle(p, PRECISION_FAILED);
  measure_message(p->message, "%s", tried->report.message);
}

static void probe(precision_case *c, size_t i) {
  precision_point *const p = &c->point[i];
  contestant tried;
  p->probed = true;
  p->obstacle = PRECISION_OK;
  if (is_too_long(c, i)) return;
  const solver_type *const solver = solver_find(p->method->solver);
  const int status = contestant_prepare(&tried, solver, &p->settings, &c->starts, p->message);
  if (status) {
    set_obstacle(p, status == SOLVER_REFUSED ? PRECISION_REFUSED : PRECISION_FAILED);
    return;
  }
  run_first(c, p, &tried);
  contestant_release(&tried);
}

static int probe_all(measuring *all) {
  precision_case *const c = all->c;
  measure_progress_begin(&all->progress, NULL, "first runs", c->count);
  int status = 0;
  for (size_t i = 0; !status && !*c->interrupted && i < c->count; i++) {
    measure_progress_update(&all->progress, i);
    if (c->point[i].probed) continue;
    probe(c, i);
    status = precision_journal_probe(all->journal, c, i, all->message);
  }
  measure_progress_end(&all->progress);
  for (size_t i = 0; i < c->count; i++)
    if (c->point[i].probed && c->point[i].trials == 1) precision_take_first(&c->point[i]);
  if (!status && !*c->interrupted && !c->each) precision_find_coincidences(c);
  return status;
}

/* ---- the race -------------------------------------------------------------------------------- */

/* the timed region */
static int run(void *context, size_t trial) {
  entrant *const e = context;
  e->failed = e->timed.run(e->timed.context, trial) != 0;
  return 0;
}

static int note(void *context, size_t trial) {
  entrant *const e = context;
  if (!e->failed) e->failed = e->timed.after(e->timed.context, trial) != 0;
  return 0;
}

typedef struct race {
  measuring *all;
  entrant *entrants;
  size_t count, pending;
  size_t *trials; /* pending of them */
} race;

/* notes and journals a sample; nonzero stops the race */
static int take_sample(const measure_sample *sample, void *context) {
  race *const r = context;
  const entrant *const e = &r->entrants[sample->candidate];
  precision_case *const c = r->all->c;
  precision_point *const p = &c->point[e->index];
  const size_t j = sample->trial;
  double values[PRECISION_QUANTITIES];
  note_run(&e->contestant, j, sample->seconds, e->failed, values);
  for (size_t q = 0; q < PRECISION_QUANTITIES; q++)
    p->sample[q][j] = e->failed && q != PRECISION_SECONDS ? NAN : values[q];
  if (e->failed && !p->message[0]) measure_message(p->message, "%s", e->contestant.report.message);
  if (precision_journal_sample(r->all->journal, c, e->index, j, r->all->message)) return -1;
  measure_progress_update(&r->all->progress, ++r->all->done);
  return *c->interrupted ? 1 : 0;
}

/* points raced from so many starts that are not done, at the start line */
static int line_up(race *r, size_t trials) {
  precision_case *const c = r->all->c;
  for (size_t i = 0; i < c->count; i++) {
    precision_point *const p = &c->point[i];
    if (p->trials != trials || precision_point_done(p)) continue;
    entrant *const e = &r->entrants[r->count++];
    e->index = i;
    if (contestant_prepare(&e->contestant, solver_find(p->method->solver), &p->settings, &c->starts,
                           r->all->message))
      return -1;
    e->timed = contestant_candidate(&e->contestant);
  }
  return 0;
}

/* trials that any entrant lacks: one that was cut short is measured again as a whole */
static void find_pending(race *r, size_t trials) {
  for (size_t j = 0; j < trials; j++) {
    bool done = true;
    for (size_t k = 0; k < r->count; k++)
      done = done && precision_trial_done(&r->all->c->point[r->entrants[k].index], j);
    if (!done) r->trials[r->pending++] = j;
  }
}

static int run_race(race *r, size_t warmups) {
  precision_case *const c = r->all->c;
  const measure_plan plan = {.trials = r->pending,
                             .numbers = r->trials,
                             .seed = c->given->seed + c->contacts,
                             .min_time_s = c->given->min_time,
                             .warmup_runs = warmups,
                             .sampled = take_sample,
                             .context = r};
  measure_candidate *const candidates = calloc(r->count, sizeof *candidates);
  double *const seconds = calloc(r->count * r->pending, sizeof *seconds);
  int status = MEASURE_ENOMEM;
  if (candidates && seconds) {
    for (size_t k = 0; k < r->count; k++)
      candidates[k] =
          (measure_candidate){.name = "", .run = run, .after = note, .context = &r->entrants[k]};
    status = measure_interleave(candidates, r->count, &plan, seconds, NULL, NULL);
  }
  free(candidates);
  free(seconds);
  if (status && status != MEASURE_ESTOP)
    measure_message(r->all->message, "timing: %s", measure_strerror(status));
  return status ? -1 : 0;
}

/* races all points that have so many starts */
static int race_points(measuring *all, size_t trials, size_t warmups) {
  race r = {.all = all};
  r.entrants = calloc(all->c->count, sizeof *r.entrants);
  r.trials = calloc(trials, sizeof *r.trials);
  int status = r.entrants && r.trials ? 0 : -1;
  if (status) measure_message(all->message, "out of memory");
  if (!status) status = line_up(&r, trials);
  if (!status && r.count) {
    find_pending(&r, trials);
    status = run_race(&r, warmups);
  }
  for (size_t k = 0; k < r.count; k++) contestant_release(&r.entrants[k].contestant);
  free(r.entrants);
  free(r.trials);
  return status;
}

static int race_all(measuring *all) {
  precision_case *const c = all->c;
  uint64_t total = 0;
  for (size_t i = 0; i < c->count; i++) {
    total += c->point[i].trials;
    for (size_t j = 0; j < c->point[i].trials; j++)
      all->done += precision_trial_done(&c->point[i], j);
  }
  measure_progress_begin(&all->progress, NULL, "samples", total);
  // a run so long that it has few starts needs none before it to warm up
  int status = race_points(all, c->trials, 1);
  if (!status && c->trials > PRECISION_FEW) status = race_points(all, PRECISION_FEW, 0);
  measure_progress_end(&all->progress);
  return status;
}

int precision_measure(precision_case *c, measure_journal *journal, char *message) {
  measuring all = {.c = c, .journal = journal, .message = message};
  message[0] = '\0';
  int status = check_gap(&all);
  if (!status) status = probe_all(&all);
  if (!status && !*c->interrupted) status = race_all(&all);
  measure_journal_sync(journal);
  return *c->interrupted ? 1 : status;
}

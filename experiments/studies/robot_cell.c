/*
 * One start of a robot: the reference, and all runs against it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_study.h"

/* runs shorter than this are made three times in turns, and the fastest counts */
static const double short_run = 0.05;
enum { TURNS = 3 };

static bool is_finer(const robot_entry *e) {
  return e->kind == ROBOT_MUJOCO && e[-1].kind == ROBOT_MUJOCO && e->variant == e[-1].variant;
}

/* how far a run is from the reference, or where the errors of two steps are taken for a first
 * order's: of MuJoCo's many runs the one that agrees best counts */
static double apart_by_steps(const study_run *run, const robot_entry *e, const robot_track *now,
                             const robot_track *before, const robot_track *of, size_t count) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension;
  const double ratio = e->knob / (e[-1].knob - e->knob), plain = robot_apart(run, now, of, count);
  // the coarser one's states are needed no more
  for (size_t i = 0; i < count * n; i++)
    before->states[i] = now->states[i] + ratio * (now->states[i] - before->states[i]);
  for (size_t i = 0; i < count; i++) before->at_end[i] = before->at_end[i] && now->at_end[i];
  for (size_t i = 0; i < count; i++) robot_normalise(c->robot, before->states + i * n);
  return fmin(plain, robot_apart(run, before, of, count));
}

static robot_sample unknown(size_t start, const char *note) {
  robot_sample s;
  column_clear(robot_sample_columns, &s);
  s.start = start;
  s.note = note;
  return s;
}

/* a run's numbers against the reference */
static robot_sample numbers_of(const study_run *run, size_t start, const robot_track *t,
                               const robot_track *of, size_t count) {
  robot_sample s = unknown(start, t->status);
  s.seconds = t->seconds;
  s.evaluations = t->evaluations;
  s.steps = t->steps;
  if (t->reached < count) return s;
  s.rms_error = robot_apart(run, t, of, count);
  s.position_error = robot_bodies_apart(run, t, of, count);
  s.note = "";
  return s;
}

/* what a run is expected to take, from that of the next coarser one */
static bool is_too_long(const study_run *run, const robot_entry *e, const robot_sample *before) {
  const robot_settings *const s = run->settings;
  return is_finer(e) && !(before->seconds * e[-1].knob / e->knob <= s->budget);
}

/* the others' turns: times alone */
static int take_turns(study_run *run, const double x0[], robot_track *t, robot_sample sample[]) {
  const robot_case *const c = run->own;
  int status = 0;
  for (size_t turn = 1; turn < TURNS; turn++)
    for (size_t i = 1; !status && i < c->entries && !*run->interrupted; i++) {
      if (!(sample[i].seconds < short_run)) continue;
      status = robot_follow(run, &c->entry[i], x0, false, t);
      sample[i].seconds = fmin(sample[i].seconds, t->seconds);
    }
  return status;
}

/* MuJoCo's RK4 at a far smaller step, as small as the budget lets it be: a check of the reference
 * and nothing else */
static int check_finely(study_run *run, const double x0[], const robot_track *of, size_t count,
                        robot_track *t, robot_sample sample[]) {
  const robot_settings *const s = run->settings;
  const robot_case *const c = run->own;
  robot_entry finest = {ROBOT_MUJOCO, robot_fourth_order, INFINITY, false};
  double seconds = NAN;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    if (e->kind != ROBOT_MUJOCO || strcmp(e->variant, finest.variant) != 0) continue;
    if (!(e->knob < finest.knob) || isnan(sample[i].seconds)) continue;
    finest.knob = e->knob;
    seconds = sample[i].seconds;
  }
  double h = s->check_step;
  while (seconds * finest.knob / h > s->budget) h *= 2.0;
  if (!(h < finest.knob) || isnan(seconds)) return 0;
  finest.knob = h;
  const int status = robot_follow(run, &finest, x0, false, t);
  if (!status && t->reached >= count)
    sample->mujoco_apart = fmin(sample->mujoco_apart, robot_apart(run, t, of, count));
  return status;
}

/* all entries behind the reference; sample[0] is its own, and learns how far MuJoCo is from it */
static int run_entries(study_run *run, const double x0[], const robot_track *of, size_t count,
                       robot_sample sample[]) {
  const robot_case *const c = run->own;
  robot_track tracks[2] = {0};
  int status = robot_track_alloc(run, &tracks[0]) || robot_track_alloc(run, &tracks[1]) ? -1 : 0;
  for (size_t i = 1; !status && i < c->entries && !*run->interrupted; i++) {
    const robot_entry *const e = &c->entry[i];
    robot_track *const now = &tracks[i % 2], *const before = &tracks[1 - i % 2];
    sample[i] = unknown(sample->start, "left out: it takes longer than --budget");
    now->reached = 0;
    if (is_too_long(run, e, &sample[i - 1])) continue; // and so are those behind it
    status = robot_follow(run, e, x0, false, now);
    if (status) break;
    sample[i] = numbers_of(run, sample->start, now, of, count);
    if (is_finer(e) && now->reached >= count && before->reached >= count)
      sample->mujoco_apart =
          fmin(sample->mujoco_apart, apart_by_steps(run, e, now, before, of, count));
  }
  if (!status) status = take_turns(run, x0, &tracks[0], sample);
  if (!status) status = check_finely(run, x0, of, count, &tracks[0], sample);
  robot_track_free(&tracks[0]);
  robot_track_free(&tracks[1]);
  return status;
}

static int run_start(study_run *run, size_t start, double x0[], robot_sample sample[]) {
  const robot_case *const c = run->own;
  const robot_settings *const s = run->settings;
  const robot_start from = {s->qpos, s->height, s->tilt, start, run->seed};
  robot_track reference = {0};
  size_t count = 0;
  sample[0] = unknown(start, "");
  int status = robot_start_state(c->robot, &from, x0, run->message) ? -1 : 0;
  if (!status) status = robot_track_alloc(run, &reference);
  if (!status) status = robot_reference(run, x0, true, &reference, &count, sample);
  if (!status) status = robot_growth(run, x0, count, &sample->growth);
  if (!status) status = run_entries(run, x0, &reference, count, sample);
  // NaN is no larger than anything: both have to be known
  sample->estimate = sample->tolerances_apart >= sample->mujoco_apart ? sample->tolerances_apart
                     : isnan(sample->tolerances_apart)                ? NAN
                                                                      : sample->mujoco_apart;
  robot_track_free(&reference);
  return status;
}

int robot_measure(study_run *run, const void *cell) {
  const robot_case *const c = run->own;
  double *const x0 = calloc(c->size.dimension + 1, sizeof *x0);
  robot_sample *const sample = calloc(c->entries, sizeof *sample);
  int status =
      x0 && sample ? run_start(run, *(const size_t *)cell, x0, sample) : study_out_of_memory(run);
  // a cell that was cut short is none
  if (!status && *run->interrupted) status = -1;
  for (size_t i = 0; !status && i < c->entries; i++)
    status = study_add(run, ROBOT_SAMPLES, &sample[i]);
  free(x0);
  free(sample);
  return status;
}

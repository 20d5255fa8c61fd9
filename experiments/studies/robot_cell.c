/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One start of a robot: the reference, and all runs against it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_parts.h"
#include "robot_study.h"

/* a reference is good enough where its error is this share of the state's size: what steps of one
 * size do not show, a run that takes longer is made for */
static const double near_enough = 1e-3;

/* what a step of MuJoCo's RK4 takes, by the finest run there is; and the smallest step of RK4 */
static double seconds_of_step(const robot_case *c, const robot_sample sample[], double *smallest) {
  double finest = INFINITY, seconds = NAN;
  *smallest = INFINITY;
  for (size_t i = 1; i < c->entries; i++) {
    const robot_entry *const e = &c->entry[i];
    if (e->kind != ROBOT_MUJOCO || isnan(sample[i].seconds) || !(e->knob <= finest)) continue;
    // four fields instead of one
    const bool fourth = strcmp(e->variant, robot_fourth_order) == 0;
    if (fourth) *smallest = e->knob;
    if (!fourth && *smallest <= e->knob) continue;
    finest = e->knob;
    seconds = sample[i].seconds * (fourth ? 1.0 : 4.0) / sample[i].steps;
  }
  return seconds;
}

/* a run that checks the reference, or what was kept of it: *nearest is how far it is from it, where
 * that is less */
static int check_by(study_run *run, const char *name, double step, const double x0[],
                    const robot_track *along, const robot_track *of, size_t count,
                    robot_error *nearest) {
  const robot_entry e = {ROBOT_MUJOCO, robot_fourth_order, step, false};
  robot_error apart = robot_error_unknown;
  robot_track t;
  if (robot_error_kept(run, name, nearest)) return 0;
  int status = robot_track_alloc(run, &t);
  t.asked = count;
  study_within(run, "check by MuJoCo's RK4 at %g s", step);
  if (!status) status = robot_follow_steps(run, &e, x0, along, &t);
  if (!status && t.reached >= count) apart = robot_apart(run, &t, of, count);
  if (!status) status = robot_keep_error(run, name, &apart);
  *nearest = robot_error_smaller(*nearest, apart);
  robot_track_free(&t);
  return status;
}

/* MuJoCo's RK4 at a far smaller step, as small as the budget lets it be: a check of the reference
 * and nothing else, whichever integrators are asked for */
static int check_finely(study_run *run, const double x0[], const robot_track *of, size_t count,
                        robot_sample sample[]) {
  const robot_settings *const s = run->settings;
  const double dt = ((const robot_case *)run->own)->output_step;
  double step = s->check_step, smallest;
  const double seconds = seconds_of_step(run->own, sample, &smallest);
  const double span = (double)(count - 1) * dt;
  int status = 0;
  if (isnan(seconds)) return 0;
  while (seconds * span / step > s->budget) step *= 2.0;
  sample->check_step = fmin(step, smallest);
  if (step < smallest) status = check_by(run, "check", step, x0, NULL, of, count, &sample->mujoco);
  if (status || !(sample->mujoco.states > near_enough * sample->size)) return status;

  // steps of one size err at each touch-down: a last run has short ones there
  const double at_stops = seconds * robot_steps_of_stop * (double)of->stops;
  step = s->check_step;
  while (seconds * span / step + at_stops > s->budget && step < dt) step *= 2.0;
  if (step >= dt) return 0;
  return check_by(run, "check at crossings", step, x0, of, of, count, &sample->mujoco);
}

static int run_start(study_run *run, size_t start, double x0[], robot_sample sample[]) {
  const robot_case *const c = run->own;
  const robot_settings *const s = run->settings;
  const robot_start from = {s->qpos, s->height, s->tilt, start, run->seed};
  robot_track reference = {0};
  size_t count = 0;
  sample[0] = robot_sample_unknown(start, "");
  int status = robot_start_state(c->robot, &from, x0, run->message) ? -1 : 0;
  if (!status) status = robot_track_alloc(run, &reference);
  if (!status && start == 0 && !study_part(run, "reference")) status = robot_coarse(run, x0);
  if (!status) status = robot_reference(run, x0, true, &reference, &count, sample);
  const bool races = count > 1;
  for (size_t i = 1; !status && !races && i < c->entries; i++)
    sample[i] = robot_sample_unknown(start, "left out: the reference ends at once");
  if (!status && races && !robot_number_kept(run, "growth", &sample->growth)) {
    study_within(run, "how a disturbance grows");
    status = robot_growth(run, x0, count, &sample->growth);
    if (!status) status = robot_keep_number(run, "growth", sample->growth);
  }
  if (!status && races) status = robot_race(run, x0, &reference, count, sample);
  if (!status && races) status = check_finely(run, x0, &reference, count, sample);
  sample->estimate = robot_error_larger(sample->tolerances, sample->mujoco);
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
  for (size_t i = 0; !status && i < c->entries; i++) study_add(run, ROBOT_SAMPLES, &sample[i]);
  free(x0);
  free(sample);
  return status;
}

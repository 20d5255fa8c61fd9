/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference of a start, by libess, and how far it is from itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_parts.h"
#include "robot_study.h"

/* the disturbance, and the step that shows what becomes of it */
static const double disturbance = 1e-8, growth_step = 2.5e-4;

int robot_reference(study_run *run, const double x0[], bool listen, robot_track *t, size_t *count,
                    robot_sample *s) {
  const robot_case *const c = run->own;
  const robot_entry *const e = &c->entry[0];
  const robot_entry coarse = {ROBOT_REFERENCE, e->variant, 10.0 * e->knob, false};
  robot_track other = {0};
  int status = robot_follow_kept(run, "reference", e, x0, listen, t);
  if (!status) status = robot_track_alloc(run, &other);
  if (!status) status = robot_follow_kept(run, "looser reference", &coarse, x0, false, &other);
  if (!status) {
    const robot_track *const first = other.reached < t->reached ? &other : t;
    *count = first->reached;
    s->until = fmin(t->until, other.until);
    s->status = first->status;
    s->contact = first->event < c->size.events ? robot_event_name(c->robot, first->event) : "";
    s->size = robot_track_size(run, t, *count);
    s->tolerances = robot_apart(run, &other, t, *count);
    s->seconds = t->seconds;
    s->evaluations = t->evaluations;
    s->steps = t->steps;
    s->touchdowns = (double)t->touches;
    s->jumps = t->jumps;
    s->refused = t->refused / (t->refused + t->steps);
  }
  robot_track_free(&other);
  return status;
}

/* the length of what is between two states at an output */
static double length_apart(const study_run *run, const robot_track *a, const robot_track *b,
                           size_t i) {
  const robot_case *const c = run->own;
  return robot_apart_at(run, a, b, i) * sqrt((double)(c->size.nq + c->size.nv));
}

/* what becomes of a disturbance of that sign, which `there` has room for */
static int disturb(study_run *run, const robot_entry *e, const double x0[], double sign,
                   const robot_track *here, robot_track *there, double *growth) {
  const robot_case *const c = run->own;
  const size_t n = c->size.dimension, nv = c->size.nv;
  double *const x = malloc(n * sizeof *x);
  if (!x) return study_out_of_memory(run);
  memcpy(x, x0, n * sizeof *x);
  for (size_t i = 0; i < nv; i++)
    x[c->size.nq + i] += (i % 2 ? -sign : sign) * disturbance / sqrt((double)nv);
  const int status = robot_follow(run, e, x, false, there);
  *growth = NAN;
  for (size_t i = 1; !status && i < there->asked && i < here->reached && i < there->reached; i++)
    *growth = fmax(*growth, length_apart(run, here, there, i) / disturbance);
  free(x);
  return status;
}

/*
 * Steps of one size are one map, whose derivative has no error control in it. Where a touch-down
 * falls on the end of a step to rounding, a disturbance to one side moves it by a whole step: that
 * is the step's, and no growth, so the smaller one of both sides counts.
 */
int robot_growth(study_run *run, const double x0[], size_t count, double *growth) {
  const robot_entry e = {ROBOT_MUJOCO, robot_integrators[0], growth_step, false};
  robot_track here = {0}, there = {0};
  double back = NAN;
  int status = robot_track_alloc(run, &here) || robot_track_alloc(run, &there) ? -1 : 0;
  here.asked = there.asked = count;
  *growth = NAN;
  if (!status) status = robot_follow(run, &e, x0, false, &here);
  if (!status) status = disturb(run, &e, x0, 1.0, &here, &there, growth);
  if (!status) status = disturb(run, &e, x0, -1.0, &here, &there, &back);
  *growth = fmin(*growth, back);
  robot_track_free(&here);
  robot_track_free(&there);
  return status;
}

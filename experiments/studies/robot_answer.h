/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error of MuJoCo at a model's own settings, with a bound, for the whole time: by libess at
 * ever smaller tolerances, with event functions or without them from where they stop it, or by
 * MuJoCo's own steps, ever finer. */
#ifndef ROBOT_ANSWER_H
#define ROBOT_ANSWER_H

#include "robot_case.h"

/* halvings of the model's own step; and how many of their runs are kept */
enum { ROBOT_HALVINGS = 9, ROBOT_KEPT = 3 };

/* How an answer was obtained. */
extern const char *const robot_by_events, *const robot_by_field, *const robot_by_steps,
                                                                     *const robot_by_none;

/* Start from one with run, start, model, and the time of the thread at which it begins. */
typedef struct robot_answer {
  study_run *run;
  size_t file, start; /* numbers of the file and of the initial condition */
  const char *model;  /* its name */
  uint64_t begin_ns;
  double *x0;
  robot_entry own, libess;
  robot_track mine; /* of the model's own setting */
  robot_track reference, looser, step[ROBOT_KEPT], spare;
  robot_error moved[ROBOT_HALVINGS + 1]; /* from each halving to the next */
  double step_seconds;                   /* of the finest run */
  size_t halvings, outputs;
  bool has_reference, has_looser, no_tighter, no_finer;
  double first_s;           /* when the first number was there; 0: there is none */
  bool parts;               /* libess and MuJoCo's finest steps do not lead to the same */
  robot_error error, bound; /* of the model's own setting */
  const char *how, *note;   /* one of the above; why it is not by libess, or "" */
} robot_answer;

/* Room for its runs. 0, or -1 with one line. Free with robot_answer_free, which accepts a zeroed
 * one. */
int robot_answer_alloc(robot_answer *a);
void robot_answer_free(robot_answer *a);

/* Finds it. 0, also where `how` is robot_by_none; or -1 with one line. */
int robot_answer_find(robot_answer *a);

/* s of the thread since it began; and what is left of so large a share of --budget. */
double robot_answer_elapsed(const robot_answer *a);
double robot_answer_left(const robot_answer *a, double share);

/* The share of --budget that makes the bound small; the rest is for MuJoCo's other steps. And by
 * how much longer than the last one a run by half of the step takes, at most. */
extern const double robot_bound_share, robot_halved_s;

/* The run that errors are measured against; and MuJoCo's finest run but `coarser`, which is 0 or 1.
 */
const robot_track *robot_answer_truth(const robot_answer *a);
const robot_track *robot_answer_finer(const robot_answer *a, size_t coarser);

/* How far a number of the reference, `of`, may be from the true one: by the same number of MuJoCo's
 * two finest runs, and of libess at the looser tolerance (of, where there is none). */
double robot_answer_known_to(const robot_answer *a, double of, double fine, double before,
                             double loose);

/* The same of a state, the largest at any time. */
double robot_answer_bound(const robot_answer *a, size_t state);

/* Why the bound is larger than asked for; "" where it is not. */
const char *robot_answer_why_wide(const robot_answer *a);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which settings race: MuJoCo's cheapest, and libess's largest tolerance, that keep within limits
 * of error on some starts. Those are other starts than are timed later, so that neither is chosen
 * by what it is judged by. */
#ifndef CHOICE_H
#define CHOICE_H

#include "race.h"

/* Starts a choice has, and what is added to the seed of those that are timed. */
enum { CHOICE_STARTS = 48 };
#define CHOICE_SEED_OFFSET 0x9e3779b9UL

/* The RMS error that is accepted: median, 90 % quantile and worst start; INFINITY: any. */
typedef struct choice_limits {
  double rms, rms_q90, rms_worst;
} choice_limits;

/* Settings, and what they showed: all INFINITY where the solver refuses or gives up. */
typedef struct choice {
  solver_settings settings;
  double seconds; /* median */
  double rms, rms_q90, rms_worst;
} choice;

/* What is chosen by. */
typedef struct choice_request {
  const contest_starts *starts; /* with references, at most CHOICE_STARTS */
  solver_settings base;         /* what is not chosen */
  choice_limits limits;
  const volatile int *interrupted; /* optional */
} choice_request;

/* No worse than a rival. */
choice_limits choice_limits_of(const choice *rival);

/* Whether it keeps within all limits. What is not a number does not. */
bool choice_accepts(const choice_limits *limits, const choice *c);

/* Runs c->settings from every start, once, and fills in the rest; one whose first run takes longer
 * than `patience` s is out. */
void choice_try(const contest_starts *starts, const solver_type *solver, double patience,
                choice *c);

/*
 * MuJoCo's cheapest of Euler, implicitfast and RK4: of each the longest step within the limits,
 * from six output steps (the bridge interpolates) down to 1/`finest` of one.
 */
int choice_mujoco(const choice_request *request, size_t finest, choice *best,
                  char message[SOLVER_MESSAGE_SIZE]);

/*
 * libess's largest tolerance, rtol = atol: the first decade from 0.1 down to 1e-12 within the
 * limits, and then bisected towards the one before. Its median is to be a tenth better than the
 * limit, for that of the starts that are timed is another.
 */
int choice_tolerance(const choice_request *request, choice *best,
                     char message[SOLVER_MESSAGE_SIZE]);

/* MuJoCo's cheapest whose median error reaches a target, and what libess has to keep within there:
 * tails no worse than MuJoCo's or the target, or where MuJoCo reaches none three and ten times it.
 */
int choice_at_target(const choice_request *request, double target, choice *mujoco,
                     choice_limits *ours, char message[SOLVER_MESSAGE_SIZE]);

/*
 * The cheapest of the methods that read the mode off the state and look for no crossing, and who it
 * is: of those with a step the longest within the limits, from six output steps down to 1/`finest`
 * of one, and of those with a tolerance the largest, found as libess's is.
 */
int choice_plain(const choice_request *request, size_t finest, choice *best,
                 const solver_type **who, char message[SOLVER_MESSAGE_SIZE]);

/* All four: 0; 1 with one line when nothing is good enough; -1 with one line when interrupted. */

#endif

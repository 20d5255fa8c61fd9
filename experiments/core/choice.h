/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which settings race: the cheapest that keep within limits of error on some starts. Those are
 * other starts than are timed later, so that nobody is chosen by what it is judged by. */
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

/* Who runs with which settings, and what they showed: all INFINITY where the solver refuses or
 * gives up. */
typedef struct choice {
  const solver_type *solver;
  solver_settings settings;
  double seconds; /* median */
  double rms, rms_q90, rms_worst;
} choice;

/* Who may be chosen: MuJoCo by Euler, implicitfast or RK4; the same with the contact force as a
 * callback; libess; and one of the methods that read the mode off the state and look for no
 * crossing. As bits, for several. */
typedef enum choice_who {
  CHOICE_MUJOCO = 1,
  CHOICE_CALLBACK = 2,
  CHOICE_LIBESS = 4,
  CHOICE_PLAIN = 8
} choice_who;

/* Told of who is chosen. 0, or -1 with one line. */
typedef int choice_tell(void *context, const choice *chosen);

/* What is chosen by, and who is told of it. */
typedef struct choice_request {
  const contest_starts *starts; /* with references, at most CHOICE_STARTS */
  solver_settings base;         /* what is not chosen */
  choice_limits limits;
  const volatile int *interrupted; /* optional */
  const char *what;                /* is chosen for: of a line where nothing is good enough */
  size_t finest;     /* of MuJoCo's steps, in parts of the output step; 0: an eighth of it */
  choice_tell *tell; /* this, `context` and `message` are of choice_enter */
  void *context;
  char *message;
} choice_request;

/* No worse than a rival. */
choice_limits choice_limits_of(const choice *rival);

/* Whether it keeps within all limits. What is not a number does not. */
bool choice_accepts(const choice_limits *limits, const choice *c);

/* Runs c->solver with c->settings from every start, once, and fills in the rest. Where the first
 * run takes longer than `patience` s, its time is all that is filled in: errors are infinite. */
void choice_try(const contest_starts *starts, double patience, choice *c);

/* MuJoCo by an integrator at the output step, which is what no worse than it means. */
choice choice_yardstick(const choice_request *request, const char *integrator);

/*
 * The one rule: of all who may be chosen the cheapest, each at its coarsest setting within the
 * limits. A step goes down from twelve output steps (outputs lie on the chord of its ends), of the
 * plain methods to 1/256 of one. A tolerance, rtol = atol, goes down by decades from 0.1 to 1e-12,
 * and then is bisected towards the decade before. Except for MuJoCo's the median is to be a tenth
 * better than the limit, for that of the starts that are timed is another. MuJoCo by a callback may
 * be a thousandth worse than the limits: its trajectory is that by contacts, but for the mass that
 * these add, and such a difference is to decide nothing. 0; 1 with one line when
 * nothing is good enough; -1 with one line when interrupted.
 */
int choice_cheapest(const choice_request *request, choice_who who, choice *best,
                    char message[SOLVER_MESSAGE_SIZE]);

/* Tells of the cheapest of each of them; who has none that is good enough is left out with a
 * warning, and MuJoCo by a callback without one where the model has no contact force for it. 0, or
 * -1 with one line. */
int choice_enter(const choice_request *request, unsigned who);

/* The same of MuJoCo, by contacts and by a callback, whose median error is to reach a target; and
 * what the others have to keep within there: tails no worse than MuJoCo's by contacts or the
 * target, or where it reaches none three and ten times it. */
int choice_enter_at_target(choice_request *request, double target);

#endif

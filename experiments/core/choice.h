/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which settings race: the cheapest that keep within limits of error on some starts. Those are
 * other starts than are timed later, so that nobody is chosen by what it is judged by. The rule
 * runs a setting when it needs it, or reads a run that was made before. */
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
  size_t ladder; /* index of the ladder that it is from */
  double knob;   /* its number on that ladder */
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

/* ---- the rule -------------------------------------------------------------------------------- */

enum { CHOICE_LADDERS_MAX = 40, CHOICE_RUNGS_MAX = 80 };

/* The settings of one method, each given by one number: a time step or a tolerance. */
typedef struct choice_ladder {
  double knob[CHOICE_RUNGS_MAX]; /* from the largest to the smallest: the coarsest comes first */
  size_t count;

  /* Fills in seconds and errors of a setting, as choice_try does. On a `continuous` ladder the
   * setting may lie between two of these. 0, or -1 with one line. */
  int (*look)(void *context, double knob, double patience, choice *c, char *message);
  void *context;
  bool continuous;
  bool known; /* all settings have been run, so that a look costs nothing */
} choice_ladder;

/* The limits with the margins of a method. Except for MuJoCo's the median has to be a tenth better,
 * because the starts that are timed have another median. MuJoCo by a callback may be a thousandth
 * worse: its trajectory is that by contacts except for the mass that these add, and so small a
 * difference should decide nothing. */
choice_limits choice_limits_for(choice_who who, choice_limits limits);

/*
 * The one rule: of all ladders the cheapest, each at its coarsest setting within the limits. On a
 * continuous ladder bisection then goes from there towards the setting before. A known ladder also
 * gives a finer setting if that is cheaper: at a loose tolerance many steps are refused. 0, with
 * INFINITY in best->seconds where nothing is good enough; or -1 with one line.
 */
int choice_of_ladders(const choice_limits *limits, const choice_ladder ladder[], size_t count,
                      choice *best, char message[SOLVER_MESSAGE_SIZE]);

/* ---- by runs --------------------------------------------------------------------------------- */

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

/* The one rule, over ladders that are run as it goes. A step goes down from twelve output steps
 * (outputs lie on the chord of its ends), of the plain methods to 1/256 of one; a tolerance,
 * rtol = atol, by decades from 0.1 to 1e-12. 0; 1 with one line when nothing is good enough; -1
 * with one line when interrupted. */
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

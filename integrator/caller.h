/*
 * The system as the caller gave it, and as the driver integrates it; what it watches; and the
 * caller's options. Systems differ where event functions move in time, which is a state more; where
 * their rates are differences; where time goes backward, as a time of its own that goes forward;
 * and where functions are only watched: event functions after the caller's, whose crossing changes
 * nothing. So they are found as surely as those, and in the same order of time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CALLER_H
#define ESS_CALLER_H

#include "ess.h"

struct ess_layout;

typedef struct ess_caller {
  /* callbacks are the caller's, shapes those of what is integrated without the time; resets and
   * impacts NULL: copied */
  ess_system system;
  ess_impacts impacts;
  int (*start)(const double sign[], bool armed[], void *params);
  bool is_latched_by_state; /* the mode is no more than on which side of the guards the state is */
  bool moves;               /* the state after the caller's is the time since `origin` */
  bool differs;             /* rates are differences */
  double way;               /* -1: the driver's time is the caller's, negated; else 1 */
  double origin;            /* in the driver's time */

  double *x;                      /* [n + 1] */
  double *h, *partial;            /* event functions, and what they change by with time alone */
  double *beside, *above, *below; /* a state, and event functions, beside the one looked at */
  double *best, *off, *rate;      /* by event function: differences (slope.c) */
  double *mode, *after;
  bool *armed;
  void *memory; /* of all that is here, and watched */
  size_t bytes;
} ess_caller;

typedef struct ess_watched {
  size_t first, count;   /* event functions from `first` on are only watched */
  ess_observer observer; /* the caller's */
  int *jumped;           /* [count]: which way the last impact has taken it past zero, or 0 */
  double jump_t;         /* when that was */
  uint64_t *stop, *left; /* [count]: events that end a run, and how many are left of them */
  size_t *events;        /* [first]: those of an impact that the caller knows of */
  int *direction;        /* [count] */
  double *v, *x, *h, *h_before, *rate, *rounding; /* scratch */
} ess_watched;

/* Takes the caller's system, before there is memory for anything else; false when there is none for
 * what it needs. */
bool ess_caller_take(ess_driver *d, const ess_system *system);

/* Puts the system that is integrated in the place of the caller's: its impacts and rows are copied
 * by now, or others. */
void ess_caller_dress(ess_driver *d);

void ess_caller_free(ess_driver *d);

/* Time goes the other way from now on: the mode is that of the state, where it says that. */
void ess_caller_turn(ess_driver *d, double way);

/* A new trajectory begins: the time state counts from here. */
void ess_caller_begin(ess_driver *d, double t);

/* The state that is integrated, of the caller's x at the driver's time t. */
const double *ess_caller_state(ess_driver *d, double t, const double x[]);

/* The caller's event functions, and then what it watches, at its time t; 0, or what a callback
 * returned. */
int ess_caller_guards(const ess_driver *d, double t, const double x[], double h[]);

/* ---- slope ----------------------------------------------------------------------------------- */

/* rate[m] = dh/dx v + dh/dt vt of these event functions, h[m] at the caller's time t and state
 * x[n]; 0, or what a callback returned. */
int ess_slope(ess_driver *d, double t, const double x[], double vt, const double v[],
              const double h[], double rate[]);

/* ---- what is only watched -------------------------------------------------------------------- */

/* One line about what is wrong with what is watched; NULL when nothing is. */
const char *ess_watched_check(const ess_system *system, const ess_options *options);

/* The caller's system becomes the one with what it watches as event functions. */
void ess_watched_join(ess_driver *d, ess_system *system);

/* Lays out what that needs, which then takes what the caller has told of it. */
void ess_watched_lay(ess_driver *d, struct ess_layout *l);
void ess_watched_take(ess_driver *d, const ess_watch *watch);

/* Counts of events begin anew. */
void ess_watched_reset(ess_driver *d);

/* The observer that is told of all event functions, for the caller's, which is told of its own. */
ess_observer ess_watched_observer(ess_driver *d, const ess_observer *observer);

/* An impact with those of its events alone that the caller knows of. */
ess_impact ess_watched_impact(const ess_driver *d, const ess_impact *impact);

/* On which sides watched functions are after an impact that the map has been made of, at the
 * caller's time; 0, or what a callback returned. */
int ess_watched_map(ess_driver *d, ess_impact *impact);

/* ---- options --------------------------------------------------------------------------------- */

/* These are in force from here on, their arrays copied. */
void ess_take_options(ess_driver *d, const ess_options *options);

#endif

/*
 * The system as the caller gave it, and as the driver integrates it; and the caller's options.
 * Systems differ where event functions move in time, which is a state more; where their rates are
 * differences; and where time goes backward, as a time of its own that goes forward.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CALLER_H
#define ESS_CALLER_H

#include "ess.h"

typedef struct ess_caller {
  ess_system system; /* resets and impacts NULL: copied */
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
  double *best, *off, *rate;      /* by event function: differences (caller.c) */
  double *mode, *after;
  bool *armed;
  void *memory;
} ess_caller;

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

/* ---- slope -------------------------------------------------------------------------------- */

/* rate[m] = dh/dx v + dh/dt vt of the caller's event functions h[m] at the caller's time t and
 * state x[n]; 0, or what a callback returned. */
int ess_slope(ess_driver *d, double t, const double x[], double vt, const double v[],
              const double h[], double rate[]);

/* ---- options --------------------------------------------------------------------------------- */

/* These are in force from here on, their arrays copied. */
void ess_take_options(ess_driver *d, const ess_options *options);

#endif

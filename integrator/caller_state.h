/*
 * What the driver keeps of its caller's system (caller.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CALLER_STATE_H
#define ESS_CALLER_STATE_H

#include "ess.h"

typedef struct ess_caller {
  ess_system system; /* resets and impacts NULL: copied */
  ess_impacts impacts;
  ess_observer observer;
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
  void *memory;
} ess_caller;

#endif

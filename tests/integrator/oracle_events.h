/*
 * An independent integration of any ess_system: GSL's rk8pd from crossing to crossing, each located
 * by Brent's method on re-integrated steps. Latches signs and applies the rows of the reset matrix
 * itself; shares no code with libess. The system needs guard_rates.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ORACLE_EVENTS_H
#define ORACLE_EVENTS_H

#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_roots.h>

#include "ess.h"

enum { ORACLE_STATES = 8, ORACLE_GUARDS = 200 };

typedef struct oracle_events {
  const ess_system *system;
  double longest; /* integration step */
  double t, x[ORACLE_STATES], sign[ORACLE_GUARDS];
  bool armed[2 * ORACLE_GUARDS];
  bool hidden[ORACLE_GUARDS];                     /* event functions that nobody looks at yet */
  size_t crossings[ORACLE_GUARDS], crossings_max; /* a run with more has failed */
  double slowest;                                 /* smallest |rate| at a crossing, before it */
  bool failed;
  gsl_odeiv2_step *step;
  gsl_odeiv2_system equations;
  gsl_root_fsolver *roots;
} oracle_events;

/* 0, or -1 when the system is too large or memory is short; to be ended in either case */
int oracle_events_begin(oracle_events *o, const ess_system *system, double t, const double x[],
                        double longest);

/* latches the signs and arms the guards that lie ahead; hidden ones as if below zero */
void oracle_events_latch(oracle_events *o);

/* integrates to t1 through every crossing; *failed when a step's error estimate exceeds 1e-12 */
void oracle_events_advance(oracle_events *o, double t1);

/* crosses event function k's armed guard here and now; nothing when none is armed */
void oracle_events_cross(oracle_events *o, size_t k);

void oracle_events_end(oracle_events *o);

#endif

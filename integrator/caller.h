/*
 * The system as the caller gave it, and as the driver integrates it. They differ where event
 * functions move in time, which is a state more; where their rates are differences; and where time
 * goes backward, as a time of its own that goes forward.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CALLER_H
#define ESS_CALLER_H

#include "driver_state.h"

/* Takes the caller's system, before there is memory for anything else; false when there is none for
 * what it needs. */
bool ess_caller_take(ess_driver *d, const ess_system *system);

/* Puts the system that is integrated in the place of the caller's: its impacts, rows and observers
 * are copied by now, or others. */
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

#endif

/*
 * Integration steps, and the method that makes a run of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_STEP_H
#define ESS_STEP_H

#include "locate.h"

/* One integration step towards t1, cut where the first candidate reaches its level. */
int ess_integration_step(ess_driver *d, double t1);

/* Its parts: a step that the error control accepts, *last when it ends at t1; event functions along
 * it; half its length proposed, when guards are in doubt; its end, or the place where it is cut,
 * made the node. */
int ess_accepted_step(ess_driver *d, double t1, bool *last);
int ess_watch_guards(ess_driver *d);
int ess_halve(ess_driver *d, ess_location *found);
int ess_take_step(ess_driver *d, const ess_location *found, double t1, bool last);

/* ---- the methods ----------------------------------------------------------------------------- */

/* What is still to be made at the node, where an observer has stopped the last apply, or a callback
 * has failed, between the crossings of an instant. */
int ess_finish_instant(ess_driver *d);

/* Towards t1 by one tolerance; or by the paper's method, with projections between steps. */
int ess_advance_by_tolerance(ess_driver *d, double t1);
int ess_advance_by_projections(ess_driver *d, double t1);

#endif

/*
 * Integration steps: where one is cut, what is made of them, and their dense output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_STEP_H
#define ESS_STEP_H

#include "ess.h"

/* ---- where a step is cut --------------------------------------------------------------------- */

/* What was found of the step just tried. */
typedef struct ess_location {
  bool cut;           /* a candidate reaches its level at theta */
  double theta;       /* in (0, 1] */
  size_t doubt_guard; /* the step is too long to trust this guard's model; SIZE_MAX: none */
} ess_location;

/* Where the first candidate reaches its level. h_mid, h_check, h_end and rate_end must be set. A
 * silent guard cuts the step only when another flagged guard depends on it; ess_cross_silent is for
 * the others. */
int ess_locate_first(ess_driver *d, ess_location *found);

/* The same where the guards have just been flagged, and none is in doubt. */
int ess_locate_flagged(ess_driver *d, ess_location *found);

/* ---- neighbourhoods, and what is due --------------------------------------------------------- */

/* A guard that the node is on, or beyond, and that the field points through: one beyond it, or else
 * one on it; SIZE_MAX when there is none, as most often. */
int ess_find_due(ess_driver *d, size_t *due);

/* Whether any armed guard, silent ones apart, and event function k's, is inside its neighbourhood
 * at the node; holds it inside, where its entry was located. */
bool ess_any_inside(const ess_driver *d);
bool ess_inside(const ess_driver *d, size_t k);
void ess_hold_inside(ess_driver *d, size_t k);

/* g = 0 or the edge of the neighbourhood: where each guard stops the step just tried. Guards that
 * have left their neighbourhood are outside again. */
void ess_set_levels(ess_driver *d);

/* ---- steps ----------------------------------------------------------------------------------- */

/* One integration step towards t1, cut where the first candidate reaches its level. */
int ess_integration_step(ess_driver *d, double t1);

/* Its parts: a step that the error control accepts, *last when it ends at t1; event functions along
 * it; half its length proposed, when guards are in doubt; its end, or the place where it is cut,
 * made the node. */
int ess_accepted_step(ess_driver *d, double t1, bool *last);
int ess_watch_guards(ess_driver *d);
int ess_halve(ess_driver *d, ess_location *found);
int ess_take_step(ess_driver *d, const ess_location *found, double t1, bool last);

/* Nothing is known of how long steps may be that begin at a crossing. */
void ess_forget_after(ess_driver *d);

/* ---- the methods ----------------------------------------------------------------------------- */

/* What is still to be made at the node, where an observer has stopped the last apply, or a callback
 * has failed, between the crossings of an instant. */
int ess_finish_instant(ess_driver *d);

/* Towards t1 by one tolerance; or by the paper's method, with projections between steps. */
int ess_advance_by_tolerance(ess_driver *d, double t1);
int ess_advance_by_projections(ess_driver *d, double t1);

/* ---- dense output ---------------------------------------------------------------------------- */

/* The last step, for who asks later, and the caller's samples on it. A new kind of step needs its
 * kind, a function that makes it the last, and a case in ess_piece_state. */

/* A point at the time that the apply begins, where it does not go on from the step before. */
void ess_piece_begin(ess_driver *d, double t, const double x[]);

/* The dense output of the step just tried is the last step, and x_end the node, which is `duration`
 * from where it was; or the parabola to x_try along f and v. Time advances with them. */
void ess_piece_step(ess_driver *d, double duration);
void ess_piece_parabola(ess_driver *d, double duration, const double v[]);

/* The state within the piece: n values. */
void ess_piece_state(const ess_driver *d, double t, double x[]);

/* ---- the caller's samples -------------------------------------------------------------------- */

/* Writes those up to time t_end on the last step; the rest, with the node
 * itself. */
void ess_sample_piece(ess_driver *d, double t_end);
void ess_sample_rest(ess_driver *d);

#endif

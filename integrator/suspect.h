/*
 * Event functions that do not change as their rates say: ESS_EJACOBIAN.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SUSPECT_H
#define ESS_SUSPECT_H

#include "driver_state.h"
#include "ess.h"

/* Called each time that the step just tried is halved for k, of which most pass at once. */
int ess_suspect_step(ess_driver *d, size_t k);

/* Called where the step just tried may be too long for how event functions turn: they seem to turn
 * in steps of any length where they do not change as their rates say. */
int ess_suspect_turns(ess_driver *d);

/* Called when a step is made, halved before or not. */
void ess_suspect_none(ess_driver *d);

/* Called at the node that a projection onto k has led to, from where k had this value and rate. */
int ess_suspect_projection(ess_driver *d, size_t k, double h, double rate);

/* ---- grain -------------------------------------------------------------------------------- */

/* What event function k changes by when states move by their tolerance: the larger of two ways,
 * along which no two states are moved by amounts that could cancel. */
int ess_allowed_error(ess_driver *d, size_t k, double *allowed);

/* Called at the node after crossings: where they come as fast as rounding makes them, event
 * functions that rest on their zeros, and do not leave them within a step, are given grains. */
int ess_settle(ess_driver *d);

/* The same when they move by eight roundings. */
int ess_rounding_error(ess_driver *d, size_t k, double *rounding);
int ess_rounding_errors(ess_driver *d, double roundings[]); /* of all */

/* Whether the step being tried is as short as steps get that are halved for a doubt: what time
 * resolves, which near t = 0 is by how long they were. */
bool ess_is_shortest(const ess_driver *d);

/* Event function k is in doubt over the step just tried; when it has been so over far
 * longer ones too, and its doubt is small beside the tolerance, it is given a grain. */
int ess_coarsen(ess_driver *d, size_t k, bool *coarser);

/* Called at the node before a step is tried: those that have left their zeros, or may err by less
 * than their grains now, have none any more. */
int ess_refine(ess_driver *d);

/* ---- chatter ------------------------------------------------------------------------------ */

/* Looks for returns to this event function from now on. */
void ess_watch_returns_of(ess_driver *d, size_t guard);

/* Called when there have been so many, at the node: ESS_ESLIDING where they stay within the
 * tolerance and there is no end of them. */
enum { ESS_RETURNS = 1000 };
int ess_refuse_chatter(ess_driver *d);

static inline int ess_watch_returns(ess_driver *d) {
  return d->returns.count < ESS_RETURNS ? ESS_SUCCESS : ess_refuse_chatter(d);
}

/* A crossing that is not silent has been made. Others may come between two returns: contacts that
 * bounce side by side do so by turns, some of them several times. */
enum { ESS_OTHERS = 16 };
static inline void ess_note_return(ess_driver *d, size_t guard) {
  ess_returns *const r = &d->returns;
  if (guard != r->guard) {
    if (++r->others > ESS_OTHERS * d->system.guard_count) ess_watch_returns_of(d, guard);
    return;
  }
  r->count++;
  r->others = 0;
}

/* ---- turning ------------------------------------------------------------------------------ */

/* A share of which nothing is said: steps may grow as much as they ever do. */
#define ESS_STILL_TURNING 1e-5

/* Nothing is known of the event functions where the driver is now. */
void ess_forget_turning(ess_driver *d);

/* Where a step begins: event functions that change faster than they did turn sooner. */
void ess_watch_paces(ess_driver *d);

/* Of the step just tried, whose guards have been flagged without doubt: whether it is too long for
 * the way in which event functions turn. The next is bounded by what this one has shown. */
bool ess_turns_too_far(ess_driver *d);

/* The step just made was not looked at for that: its length bounds the next no more than any does.
 */
void ess_watch_no_turns(ess_driver *d);

#endif

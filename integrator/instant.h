/*
 * Events at one instant, and the mode that they meet.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_INSTANT_H
#define ESS_INSTANT_H

#include "ess.h"

/* Events closer in time than this are of one instant, at the node, which is evaluated. */
double ess_tie(const ess_driver *d);

/* An impact at this instant, when event function k is being crossed at the node, which is
 * evaluated: k itself, or another; SIZE_MAX when there is none. */
size_t ess_due_impact(const ess_driver *d, size_t k);

/* Lists the events of the instant at which event function k is crossed, silent ones apart, and
 * returns how many there are. */
size_t ess_gather_events(const ess_driver *d, size_t k, size_t events[]);

/* The armed guards of the mode as it is, by guard; and the mode becomes this, of which only guards
 * that lie ahead can be armed. The model is not told. */
void ess_list_armed(const ess_driver *d, bool armed[]);
void ess_set_mode(ess_driver *d, const double mode[], const bool armed[]);

/* Fails when so many crossings have been made that time should have passed. */
int ess_watch_progress(ess_driver *d, size_t guard);

#endif

/*
 * Event functions that do not change as their rates say: ESS_EJACOBIAN.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SUSPECT_H
#define ESS_SUSPECT_H

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

#endif

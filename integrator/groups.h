/*
 * Crossings of a sub-step whose jumps are measured together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_GROUPS_H
#define ESS_GROUPS_H

#include "ess.h"

/* Makes the listed crossings, from a place on, and measures what they add to the field;
 * *fit is false when they need too many groups. */
int ess_make_groups(ess_driver *d, size_t from, bool *fit);

/* Makes what is left of the list in the groups it was measured in, when a sub-step is shortened. */
int ess_shorten_groups(ess_driver *d, bool *fit);

/* Keeps what the groups of an accepted sub-step have added; called before the node moves. */
void ess_remember_groups(ess_driver *d);

#endif

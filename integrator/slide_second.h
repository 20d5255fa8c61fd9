/*
 * Surfaces of second order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_SECOND_H
#define ESS_SLIDE_SECOND_H

#include "slide_state.h"

/* Whether what has just been crossed is to be slid on by its second order, since it is returned to
 * without end, or moves the state by less than the tolerance: d->slides->chatters is that, or none.
 * Fails where it is returned to without end otherwise. */
int ess_slide_find_chatter(ess_driver *d, bool *is_endless);

#endif

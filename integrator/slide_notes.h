/*
 * What happens to surfaces while the state slides, or may begin to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SLIDE_NOTES_H
#define ESS_SLIDE_NOTES_H

#include "slide_state.h"

/* Event function k is crossed where the state is. */
void ess_slide_note(ess_driver *d, size_t k);

/* A row, or an impact, arms or disarms one of event function k's guards, or the state is off it:
 * what slides ends. */
void ess_slide_release(ess_driver *d, size_t k);

#endif

/*
 * Crossings of a sub-step, made and taken back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_UNDO_H
#define ESS_UNDO_H

#include "ess.h"

/* Makes the i-th crossing as ess_cross does, where its row looks at the path with the jumps
 * of the groups before it, and notes what that changes; takes back what has been noted beyond the
 * first `noted`; takes back all of it after a failure, without a word to the model, which is told
 * of the mode when the run is resumed. */
int ess_cross_noted(ess_driver *d, size_t i);
int ess_take_back(ess_driver *d, size_t noted);
void ess_forget_crossings(ess_driver *d);

#endif

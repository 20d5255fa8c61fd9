/*
 * A recording that is longer than its room: checkpoints, from which the run is made again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_PAGE_H
#define ESS_PAGE_H

#include "ess.h"
#include "tape.h"

/* Divides the room for entries, where there is enough of it. */
void ess_page_divide(const ess_driver *d, ess_tape *tape);

/* Between two steps: a checkpoint is made where it is time. Whether a run that is made again has
 * come to where it is to end. */
bool ess_page_turn(ess_driver *d);

/* The driver at the i-th checkpoint, with the page before it to be recorded; at the end again. */
void ess_page_open(ess_driver *d, size_t i);
void ess_page_close(ess_driver *d);

/* The driver's end is kept, for that. */
void ess_page_keep_end(ess_driver *d);

/* Whether the driver is where the run was at the i-th checkpoint. */
bool ess_page_is_at(const ess_driver *d, size_t i);

/* ---- checkpoint --------------------------------------------------------------------------- */

/* How many bytes a driver's state takes. */
size_t ess_checkpoint_size(const ess_driver *d);

/* Keeps it, and puts the driver back to it; the model is not told of the mode. Both of a driver
 * that follows the same directions, or records, all the while. */
void ess_checkpoint_keep(const ess_driver *d, void *store);
void ess_checkpoint_restore(ess_driver *d, const void *store);

#endif

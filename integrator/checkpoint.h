/*
 * A driver as it was: for runs that are made again, to be recorded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_CHECKPOINT_H
#define ESS_CHECKPOINT_H

#include "ess.h"

/* How many bytes a driver's state takes. */
size_t ess_checkpoint_size(const ess_driver *d);

/* Keeps it, and puts the driver back to it; the model is not told of the mode. Both of a driver
 * that follows the same directions, or records, all the while. */
void ess_checkpoint_keep(const ess_driver *d, void *store);
void ess_checkpoint_restore(ess_driver *d, const void *store);

#endif

/*
 * The guard reset matrix.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_RESETS_H
#define ESS_RESETS_H

#include "ess.h"

/* What is wrong with a system's matrix, as ess_check says it; NULL when nothing is. */
const char *ess_resets_check(const ess_system *system);

/* Entries of the system's matrix, or of that of mirrored pairs; copies it into the driver. */
size_t ess_resets_size(const ess_system *system);
void ess_resets_copy(ess_driver *d);

/* Arms the guards to start with, given the latched signs. */
int ess_resets_start(ess_driver *d);

/* Flips event function k's sign and applies the row of the guard crossed. */
int ess_cross(ess_driver *d, size_t k);

/* Applies the row of the empty pool after an integration step. May change the mode. */
int ess_refill(ess_driver *d);

/* Whether the row of event function k's armed guard arms none but its own mirror image, and
 * concerns no other that is flagged. */
bool ess_row_is_local(const ess_driver *d, size_t k);

/* Whether crossing event function k's armed guard arms guards of other event functions, or concerns
 * one in the batch. */
bool ess_row_concerns_batch(const ess_driver *d, size_t k);

#endif

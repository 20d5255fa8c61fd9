/*
 * The driver's arrays.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_MEMORY_H
#define ESS_MEMORY_H

#include "ess.h"

/* Lays out every array for a system; frees them. The reset matrix is copied here. */
bool ess_memory_alloc(ess_driver *d);
void ess_memory_free(ess_driver *d);

#endif

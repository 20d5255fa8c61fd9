/*
 * Crossings by time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SORT_H
#define ESS_SORT_H

#include <stddef.h>

/* Sorts crossings by time, those of one time by guard, in O(count log count) without
 * allocation; in O(count) when they are in order, in reverse, or nearly so. */
void ess_sort_by_time(double time[], size_t guard[], size_t count);

#endif

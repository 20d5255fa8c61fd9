/*
 * Counts that travel as text: what a cell has counted, to be added to what others have. Sums of
 * whole numbers are the same in whatever order they are made.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

/* `places` of them, each with so many numbers, one place after the other. As text:
 * "place:number:..." of those that are not all 0, blanks between. To be freed; NULL without memory.
 */
char *tally_text(const int64_t *tally, size_t places, size_t numbers);

/* Adds such a text. 0, or -1 where it is none. */
int tally_add(int64_t *tally, size_t places, size_t numbers, const char *text);

#endif

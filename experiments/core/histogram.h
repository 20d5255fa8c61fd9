/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bins for a quantity whose range is known from a few of its values: bins of one width where most
 * of them lie, and beyond either end bins each twice as wide as the one before, so that every value
 * has one. Counts of several histograms with the same bins are added, exactly and in any order. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  HISTOGRAM_MIDDLE = 512,
  HISTOGRAM_TAIL = 64,
  HISTOGRAM_BINS = HISTOGRAM_MIDDLE + 2 * HISTOGRAM_TAIL
};

typedef struct histogram {
  double low, width; /* where the bins of one width begin, and theirs */
} histogram;

/* For values most of which are in [low, high]: that is the middle half of the bins of one width. Of
 * whole numbers the bins hold equally many. */
histogram histogram_of(double low, double high, bool whole);

/* The bin of a value, and where bin 0 .. HISTOGRAM_BINS begins. */
size_t histogram_bin(const histogram *h, double value);
double histogram_edge(const histogram *h, size_t bin);

/* The value below which a share p of `total` values lies, by the counts: linear within a bin, and
 * between the smallest and the largest. NaN of none. */
double histogram_quantile(const histogram *h, const int64_t count[HISTOGRAM_BINS], int64_t total,
                          double p, double smallest, double largest);

/* Counts travel as text, to be added to what others have: `places` of them, each with so many
 * numbers, one place after the other. As text: "place:number:..." of those that are not all 0,
 * blanks between. To be freed; NULL without memory.
 */
char *tally_text(const int64_t *tally, size_t places, size_t numbers);

/* Adds such a text. 0, or -1 where it is none. */
int tally_add(int64_t *tally, size_t places, size_t numbers, const char *text);

#endif

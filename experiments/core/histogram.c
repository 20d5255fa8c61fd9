/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "histogram.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

histogram histogram_of(double low, double high, bool whole) {
  const double half = 0.5 * HISTOGRAM_MIDDLE, quarter = 0.25 * HISTOGRAM_MIDDLE;
  if (!(low <= high)) low = high = 0.0;
  double width = (high - low) / half;
  if (whole) {
    width = fmax(1.0, ceil(width));
    return (histogram){floor(low) - quarter * width - 0.5, width};
  }
  // of one value alone: bins that just tell it from its neighbours
  if (!(width > 0x1p-40 * fabs(low))) width = fmax(0x1p-40 * fabs(low), 0x1p-100);
  return (histogram){low - quarter * width, width};
}

/* how many bins beyond the end a place is that lies so many widths beyond it: bin k is 2^k wide and
 * begins 2^k - 1 beyond */
static size_t tail_bin(double widths) {
  int exponent;
  if (!isfinite(widths)) return HISTOGRAM_TAIL - 1;
  frexp(widths + 1.0, &exponent);
  return exponent > HISTOGRAM_TAIL ? HISTOGRAM_TAIL - 1 : (size_t)exponent - 1;
}

size_t histogram_bin(const histogram *h, double value) {
  const double place = (value - h->low) / h->width;
  if (place < 0.0) return HISTOGRAM_TAIL - 1 - tail_bin(-place);
  if (place < HISTOGRAM_MIDDLE) return HISTOGRAM_TAIL + (size_t)place;
  return HISTOGRAM_TAIL + HISTOGRAM_MIDDLE + tail_bin(place - HISTOGRAM_MIDDLE);
}

double histogram_edge(const histogram *h, size_t bin) {
  const int below = HISTOGRAM_TAIL - (int)bin, above = -below - HISTOGRAM_MIDDLE;
  if (below > 0) return h->low - h->width * (ldexp(1.0, below) - 1.0);
  if (above > 0) return h->low + h->width * (HISTOGRAM_MIDDLE + ldexp(1.0, above) - 1.0);
  return h->low + h->width * -below;
}

double histogram_quantile(const histogram *h, const int64_t count[HISTOGRAM_BINS], int64_t total,
                          double p, double smallest, double largest) {
  const double wanted = p * (double)total;
  double passed = 0.0;
  if (total < 1) return NAN;
  for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
    const double here = (double)count[i];
    if (here == 0.0 || passed + here < wanted) {
      passed += here;
      continue;
    }
    const double from = histogram_edge(h, i), to = histogram_edge(h, i + 1);
    return fmin(largest, fmax(smallest, from + (to - from) * (wanted - passed) / here));
  }
  return largest;
}

/* ---- counts as text -------------------------------------------------------------------------- */

static bool is_empty(const int64_t *place, size_t numbers) {
  size_t i = 0;
  while (i < numbers && place[i] == 0) i++;
  return i == numbers;
}

char *tally_text(const int64_t *tally, size_t places, size_t numbers) {
  char *text = NULL;
  size_t length;
  FILE *const stream = open_memstream(&text, &length);
  if (!stream) return NULL;
  const char *joint = "";
  for (size_t i = 0; i < places; i++) {
    const int64_t *const place = tally + i * numbers;
    if (is_empty(place, numbers)) continue;
    fprintf(stream, "%s%zu", joint, i);
    for (size_t k = 0; k < numbers; k++) fprintf(stream, ":%" PRId64, place[k]);
    joint = " ";
  }
  if (!fclose(stream)) return text;
  free(text);
  return NULL;
}

int tally_add(int64_t *tally, size_t places, size_t numbers, const char *text) {
  while (*text) {
    char *end;
    const unsigned long long place = strtoull(text, &end, 10);
    if (end == text || place >= places) return -1;
    for (size_t k = 0; k < numbers; k++) {
      if (*end != ':') return -1;
      text = end + 1;
      tally[place * numbers + k] += strtoll(text, &end, 10);
      if (end == text) return -1;
    }
    if (*end && *end != ' ') return -1;
    text = *end ? end + 1 : end;
  }
  return 0;
}

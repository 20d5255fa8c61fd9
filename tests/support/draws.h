/*
 * Numbers at random, the same everywhere: the next of a sequence, which its seed begins.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef DRAWS_H
#define DRAWS_H

#include <math.h>
#include <stdint.h>

/* in [low, high) */
static inline double draw_between(uint64_t *sequence, double low, double high) {
  *sequence = *sequence * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * ((double)(*sequence >> 11) * 0x1p-53);
}

/* the same, by its logarithm */
static inline double draw_log(uint64_t *sequence, double low, double high) {
  return exp(draw_between(sequence, log(low), log(high)));
}

/* of sequences whose seeds are alike: those of others tell nothing of it */
static inline double draw_apart(uint64_t *sequence, double low, double high) {
  (void)draw_between(sequence, 0.0, 1.0);
  const uint64_t mixed = (*sequence ^ *sequence >> 33) * UINT64_C(0xff51afd7ed558ccd);
  return low + (high - low) * ((double)(mixed >> 11) * 0x1p-53);
}

/* splitmix64: Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA 2014 */
static inline uint64_t draw_bits(uint64_t *sequence) {
  uint64_t z = *sequence += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* in [0, 1) */
static inline double draw(uint64_t *sequence) {
  return draw_between(sequence, 0.0, 1.0);
}

/* the order of numbers, for qsort */
static inline int ascending(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

#endif

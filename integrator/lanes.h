/*
 * Four doubles treated as one, by the vector extension that gcc and clang share: loops over guards
 * and states that compilers do not turn into vector code by themselves, because that would reorder
 * a reduction. The same bits come out on every instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_LANES_H
#define ESS_LANES_H

#include <stdbool.h>
#include <stdint.h>

enum { ESS_LANES = 4 }; /* doubles in one */

typedef double ess_lanes __attribute__((vector_size(4 * sizeof(double))));
typedef int64_t ess_mask __attribute__((vector_size(4 * sizeof(int64_t)))); /* 0 or -1 in each */

/* four within an array of doubles, which compilers know for doubles: a store through it changes
 * nothing else, no pointer above all, as one by memcpy might */
typedef double ess_lanes_within __attribute__((vector_size(4 * sizeof(double)), aligned(8)));

static inline ess_lanes ess_lanes_load(const double from[]) {
  return *(const ess_lanes_within *)from;
}

static inline void ess_lanes_store(double to[], ess_lanes v) {
  *(ess_lanes_within *)to = v;
}

static inline ess_lanes ess_lanes_all(double value) {
  return (ess_lanes){value, value, value, value};
}

/* a where the mask is set, else b; not by the processor's own instruction, of which compilers that
 * know no AVX2 make four branches */
static inline ess_lanes ess_lanes_select(ess_mask mask, ess_lanes a, ess_lanes b) {
  return (ess_lanes)((mask & (ess_mask)a) | (~mask & (ess_mask)b));
}

/* the larger, and the smaller; b where one is not a number */
static inline ess_lanes ess_lanes_max(ess_lanes a, ess_lanes b) {
#ifdef __AVX__
  return __builtin_ia32_maxpd256(a, b);
#else
  return ess_lanes_select(a > b, a, b);
#endif
}

static inline ess_lanes ess_lanes_min(ess_lanes a, ess_lanes b) {
#ifdef __AVX__
  return __builtin_ia32_minpd256(a, b);
#else
  return ess_lanes_select(a < b, a, b);
#endif
}

/* all but the sign's bit */
static inline ess_lanes ess_lanes_abs(ess_lanes a) {
  const int64_t rest = INT64_MAX;
  return (ess_lanes)((ess_mask)a & (ess_mask){rest, rest, rest, rest});
}

/* bit i is set where lane i is */
static inline unsigned ess_mask_bits(ess_mask mask) {
#ifdef __AVX__
  return (unsigned)__builtin_ia32_movmskpd256((ess_lanes)mask);
#else
  const ess_mask bits = mask & (ess_mask){1, 2, 4, 8};
  return (unsigned)(bits[0] | bits[1] | bits[2] | bits[3]);
#endif
}

static inline bool ess_mask_any(ess_mask mask) {
  return ess_mask_bits(mask) != 0;
}

#endif

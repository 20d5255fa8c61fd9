/*
 * Numbers by no pattern that a callback may share: multiples of the golden ratio.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_SCATTERED_H
#define ESS_SCATTERED_H

#include <math.h>
#include <stddef.h>

/* From 0 up to 1. */
static inline double ess_scattered(size_t i) {
  const double multiple = 0.6180339887498949 * (double)i;
  return multiple - floor(multiple);
}

#endif

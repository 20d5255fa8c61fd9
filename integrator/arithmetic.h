/*
 * Arithmetic that is quicker inline, numbers by no pattern, vectors, and lists of numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ARITHMETIC_H
#define ESS_ARITHMETIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* inline however large: its callers know something that makes it smaller */
#define ESS_INLINE static inline __attribute__((always_inline))

/* fmin and fmax, but inline; b when one is not a number */
static inline double ess_smaller(double a, double b) {
  return a < b ? a : b;
}

static inline double ess_larger(double a, double b) {
  return a > b ? a : b;
}

static inline double ess_clamp(double v, double least, double most) {
  return v < least ? least : v > most ? most : v;
}

static inline void ess_swap(double **a, double **b) {
  double *const held = *a;
  *a = *b;
  *b = held;
}

/* From 0 up to 1. */
static inline double ess_scattered(size_t i) {
  const double multiple = 0.6180339887498949 * (double)i;
  return multiple - floor(multiple);
}

static inline bool ess_are_finite(const double v[], size_t count) {
  size_t i = 0;
  while (i < count && isfinite(v[i])) i++;
  return i == count;
}

static inline double ess_dot(const double a[], const double b[], size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* to = matrix times from */
static inline void ess_multiply(const double matrix[], const double from[], size_t n, double to[]) {
  for (size_t i = 0; i < n; i++) to[i] = ess_dot(matrix + i * n, from, n);
}

/* where k stands in a list; `count` where it does not */
static inline size_t ess_place_in(const size_t list[], size_t count, size_t k) {
  size_t i = 0;
  while (i < count && list[i] != k) i++;
  return i;
}

static inline bool ess_is_listed(const size_t list[], size_t count, size_t k) {
  return ess_place_in(list, count, k) < count;
}

#endif

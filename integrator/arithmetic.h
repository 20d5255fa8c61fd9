/*
 * Arithmetic that is quicker inline, numbers by no pattern, vectors, linear equations, lists of
 * numbers, and lanes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_ARITHMETIC_H
#define ESS_ARITHMETIC_H

/* Without these checks libess compiles with a wrong status of runs, or fails to with an obscure
 * message. */
#if !defined(__clang__) && !defined(__GNUC__)
#error "libess needs the vector extension of gcc and clang: compile it with one of them"
#endif
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "libess needs infinities and NaN: compile it without -ffast-math, -Ofast, -ffinite-math-only"
#endif

#include <float.h>
#if FLT_EVAL_METHOD == 2
#error "libess needs double arithmetic, and this is x87's: compile it with -msse2 -mfpmath=sse"
#pragma GCC target("sse2,fpmath=sse") /* this one line is enough: else each vector is one more */
#endif

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rounding of a sum of terms, over the largest of them. */
static const double ESS_ROUNDING = 64.0 * DBL_EPSILON;

/* Relative rounding of a number that several computations lead to: a rate after an impact, the
 * field on surfaces, the time at which a series ends. */
static const double ESS_COMPUTED = 1e-12;

/* Values that may be found by differences are the same where they differ by less than this part. */
static const double ESS_SAME = 1e-6;

/* Sums and quotients of fields and rates, pivots and minors, all relative, that count as zero. */
static const double ESS_NEGLIGIBLE = 1e-9;

/* An estimate of an error, or of a cost, may be too small by this factor. */
static const double ESS_MARGIN = 4.0;

/* The golden ratio, which whole numbers are far from. */
static const double ESS_GOLDEN = 0.6180339887498949;

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

static inline void ess_exchange(double *a, double *b) {
  const double held = *a;
  *a = *b;
  *b = held;
}

static inline void ess_swap(double **a, double **b) {
  double *const held = *a;
  *a = *b;
  *b = held;
}

/* From 0 up to 1. */
static inline double ess_scattered(size_t i) {
  const double multiple = ESS_GOLDEN * (double)i;
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

/* The factors of a matrix in its place by Gauss's elimination, rows exchanged, the largest element
 * of a column first; false where that is no more than `least`. The product of the pivots is the
 * determinant. */
static inline bool ess_factorise(size_t n, double matrix[], size_t exchanged[], double least,
                                 double *product) {
  *product = 1.0;
  for (size_t k = 0; k < n; k++) {
    double *const pivot = matrix + k * n;
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(matrix[i * n + k]) > fabs(matrix[best * n + k])) best = i;
    exchanged[k] = best;
    for (size_t j = 0; best != k && j < n; j++) ess_exchange(&pivot[j], &matrix[best * n + j]);
    *product *= best == k ? pivot[k] : -pivot[k];
    if (!(fabs(pivot[k]) > least)) {
      *product = 0.0 * pivot[k]; // not a number stays one
      return false;
    }
    for (size_t i = k + 1; i < n; i++) {
      double *const row = matrix + i * n;
      if (row[k] == 0.0) continue; // most are, where few states act on each other
      row[k] /= pivot[k];
      for (size_t j = k + 1; j < n; j++) row[j] -= row[k] * pivot[j];
    }
  }
  return true;
}

/* They solve equations, in place. */
static inline void ess_solve_factorised(size_t n, const double factors[], const size_t exchanged[],
                                        double v[]) {
  for (size_t k = 0; k < n; k++) ess_exchange(&v[k], &v[exchanged[k]]);
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++) v[i] -= factors[i * n + k] * v[k];
  for (size_t i = n; i-- > 0;) {
    for (size_t k = n; k-- > i + 1;) v[i] -= factors[i * n + k] * v[k];
    v[i] /= factors[i * n + i];
  }
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

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Four doubles treated as one, by the vector extension that gcc and clang share: loops over guards
 * and states that compilers do not turn into vector code by themselves, because that would reorder
 * a reduction. The same bits come out on every instruction set. */

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

static inline ess_lanes ess_lanes_sqrt(ess_lanes a) {
#ifdef __AVX__
  return __builtin_ia32_sqrtpd256(a);
#else
  return (ess_lanes){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
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

/*
 * Mann and Whitney's test (Annals of Mathematical Statistics 18, 1947): ranks, the exact
 * distribution of U as coefficients of a Gaussian binomial, and the normal approximation.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mann_whitney.h"

#include <math.h>
#include <stdlib.h>

#include "statistics.h"

/* a value, and the sample it comes from */
typedef struct member {
  double value;
  bool of_x;
} member;

static int by_value(const void *a, const void *b) {
  const double x = ((const member *)a)->value, y = ((const member *)b)->value;
  return (x > y) - (x < y);
}

/* u of the pooled, sorted samples, and the sum of t^3 - t over groups of t equal values */
static void rank(const member pool[], size_t count, size_t nx, double *u, double *ties) {
  double rank_sum = 0.0;
  *ties = 0.0;
  for (size_t first = 0, next; first < count; first = next) {
    size_t of_x = 0;
    for (next = first; next < count && pool[next].value == pool[first].value; next++)
      of_x += pool[next].of_x;
    const double t = (double)(next - first);
    // equal values share the mean of their ranks, which count from 1
    rank_sum += (double)of_x * 0.5 * (double)(first + 1 + next);
    *ties += t * t * t - t;
  }
  *u = rank_sum - 0.5 * (double)nx * (double)(nx + 1);
}

/* P(U >= u) without ties. Arrangements with U = k are the coefficients of q^k in the product of
 * (1 - q^(ny+i)) / (1 - q^i) over i = 1 .. nx: whole numbers below 2^53, hence exact */
static int exact_tail(size_t nx, size_t ny, size_t u, double *tail) {
  const size_t size = nx * ny + 1;
  double *const ways = calloc(size, sizeof *ways);
  if (!ways) return MEASURE_ENOMEM;
  ways[0] = 1.0;
  for (size_t i = 1; i <= nx; i++) {
    for (size_t k = size; k-- > ny + i;) ways[k] -= ways[k - ny - i];
    for (size_t k = i; k < size; k++) ways[k] += ways[k - i];
  }
  double all = 0.0, above = 0.0;
  for (size_t k = 0; k < size; k++) {
    all += ways[k];
    if (k >= u) above += ways[k];
  }
  *tail = above / all;
  free(ways);
  return MEASURE_SUCCESS;
}

/* P(U >= u) by the normal distribution; ties make it narrower */
static double normal_tail(double nx, double ny, double u, double ties) {
  const double n = nx + ny;
  const double variance = nx * ny / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
  // all values equal: nothing speaks for a difference
  if (!(variance > 0.0)) return 0.5;
  return 0.5 * erfc((u - 0.5 * nx * ny - 0.5) / sqrt(2.0 * variance));
}

/* the pooled samples, sorted, for the caller to free */
static int pool_samples(const double x[], size_t nx, const double y[], size_t ny, member **out) {
  int status = measure_check_data(x, nx);
  if (!status) status = measure_check_data(y, ny);
  if (status) return status;
  member *const pool = malloc((nx + ny) * sizeof *pool);
  if (!pool) return MEASURE_ENOMEM;
  for (size_t i = 0; i < nx; i++) pool[i] = (member){x[i], true};
  for (size_t i = 0; i < ny; i++) pool[nx + i] = (member){y[i], false};
  qsort(pool, nx + ny, sizeof *pool, by_value);
  *out = pool;
  return MEASURE_SUCCESS;
}

int measure_mann_whitney(const double x[], size_t nx, const double y[], size_t ny,
                         measure_mann_whitney_result *out) {
  member *pool;
  double u, ties, tail;
  int status = pool_samples(x, nx, y, ny, &pool);
  if (status) return status;
  rank(pool, nx + ny, nx, &u, &ties);
  free(pool);

  // both tails are alike, so the one u lies in stands for both
  const double pairs = (double)nx * (double)ny, larger = fmax(u, pairs - u);
  const size_t most = MEASURE_MANN_WHITNEY_EXACT_MAX;
  const bool exact = nx <= most && ny <= most && ties == 0.0;
  if (exact)
    status = exact_tail(nx, ny, (size_t)larger, &tail);
  else
    tail = normal_tail((double)nx, (double)ny, larger, ties);
  if (status) return status;
  *out = (measure_mann_whitney_result){.u = u, .p = fmin(1.0, 2.0 * tail), .exact = exact};
  return MEASURE_SUCCESS;
}

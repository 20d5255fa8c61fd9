/*
 * Linear equations by Gauss's elimination, the largest element of a column first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "arithmetic.h"

bool ess_factorise(size_t n, double matrix[], size_t exchanged[], double least, double *product) {
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

void ess_solve_factorised(size_t n, const double factors[], const size_t exchanged[], double v[]) {
  for (size_t k = 0; k < n; k++) ess_exchange(&v[k], &v[exchanged[k]]);
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < i; k++) v[i] -= factors[i * n + k] * v[k];
  for (size_t i = n; i-- > 0;) {
    for (size_t k = n; k-- > i + 1;) v[i] -= factors[i * n + k] * v[k];
    v[i] /= factors[i * n + i];
  }
}

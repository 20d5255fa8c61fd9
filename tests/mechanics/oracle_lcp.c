/*
 * Lemke's algorithm on a tableau.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "oracle_lcp.h"

#include <math.h>
#include <string.h>

bool oracle_solve(size_t n, size_t columns, double A[], double b[]) {
  for (size_t i = 0; i < n; i++) {
    size_t pivot = i;
    for (size_t r = i + 1; r < n; r++)
      if (fabs(A[r * n + i]) > fabs(A[pivot * n + i])) pivot = r;
    if (A[pivot * n + i] == 0) return false;
    for (size_t c = 0; c < n; c++) {
      const double kept = A[i * n + c];
      A[i * n + c] = A[pivot * n + c];
      A[pivot * n + c] = kept;
    }
    for (size_t c = 0; c < columns; c++) {
      const double kept = b[i * columns + c];
      b[i * columns + c] = b[pivot * columns + c];
      b[pivot * columns + c] = kept;
    }
    for (size_t r = 0; r < n; r++) {
      if (r == i) continue;
      const double factor = A[r * n + i] / A[i * n + i];
      for (size_t c = i; c < n; c++) A[r * n + c] -= factor * A[i * n + c];
      for (size_t c = 0; c < columns; c++) b[r * columns + c] -= factor * b[i * columns + c];
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < columns; c++) b[i * columns + c] /= A[i * n + i];
  return true;
}

/* columns: w, z, z0, right side */
enum { WIDTH = 2 * ORACLE_MAX + 2 };

static void pivot_on(double T[][WIDTH], size_t n, size_t row, size_t column) {
  const double p = T[row][column];
  for (size_t j = 0; j < WIDTH; j++) T[row][j] /= p;
  for (size_t i = 0; i < n; i++) {
    const double factor = T[i][column];
    if (i == row || factor == 0) continue;
    for (size_t j = 0; j < WIDTH; j++) T[i][j] -= factor * T[row][j];
  }
}

bool oracle_lcp(size_t n, const double G[], const double c[], double z[]) {
  const size_t z0 = 2 * ORACLE_MAX, right = z0 + 1;
  double T[ORACLE_MAX][WIDTH] = {{0}};
  size_t basis[ORACLE_MAX], row = 0;
  memset(z, 0, n * sizeof *z);
  for (size_t i = 0; i < n; i++) {
    basis[i] = i;
    T[i][i] = 1;
    for (size_t j = 0; j < n; j++) T[i][ORACLE_MAX + j] = -G[i * n + j];
    T[i][z0] = -1;
    T[i][right] = c[i];
    if (c[i] < c[row]) row = i;
  }
  if (n == 0 || c[row] >= 0) return true;
  size_t column = z0;
  for (int steps = 0; steps < 1000; steps++) {
    pivot_on(T, n, row, column);
    const size_t left = basis[row];
    basis[row] = column;
    if (left == z0) break;
    column = left < ORACLE_MAX ? left + ORACLE_MAX : left - ORACLE_MAX;
    row = n;
    for (size_t i = 0; i < n; i++) {
      if (!(T[i][column] > 1e-20)) continue;
      if (row == n || T[i][right] * T[row][column] < T[row][right] * T[i][column]) row = i;
    }
    if (row == n) return false;
  }
  for (size_t i = 0; i < n; i++) {
    if (basis[i] == z0) return false;
    if (basis[i] >= ORACLE_MAX) z[basis[i] - ORACLE_MAX] = T[i][right];
  }
  return true;
}

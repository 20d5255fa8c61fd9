/*
 * Quartics in Bernstein form on [0, 1]: what the guards' model along a step is made of (locate.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "quartic.h"

enum { QUARTIC = ESS_QUARTIC, SUBDIVISIONS = 40, ITERATIONS = 80 };

/* a Newton step this small, relative, is the last: the next would be its square */
static const double CLOSE = 1e-9;

double ess_quartic(const double b[QUARTIC], double theta, double *slope) {
  double a[QUARTIC];
  ess_powers(b, a);
  *slope = ess_powers_slope(a, theta);
  return ess_powers_value(a, theta);
}

/* the one root of a quartic that is negative at 0 and not at 1: Newton kept within its bracket */
static double single_root(const double b[QUARTIC]) {
  double a[QUARTIC];
  ess_powers(b, a);
  double below = 0.0, above = 1.0, theta = b[0] / (b[0] - b[4]);
  for (int i = 0; i < ITERATIONS && above - below > DBL_EPSILON * above; i++) {
    const double value = ess_powers_value(a, theta), slope = ess_powers_slope(a, theta);
    if (value < 0.0)
      below = theta;
    else
      above = theta;
    const double newton = theta - value / slope;
    const bool kept = newton > below && newton < above;
    if (kept && fabs(newton - theta) <= CLOSE * theta) return newton;
    theta = kept ? newton : 0.5 * (below + above);
  }
  return above;
}

/* de Casteljau at 1/2 */
static void halve(const double b[QUARTIC], double left[QUARTIC], double right[QUARTIC]) {
  memcpy(right, b, QUARTIC * sizeof *right);
  for (int level = 0; level < QUARTIC; level++) {
    left[level] = right[0];
    for (int i = 0; i < QUARTIC - 1 - level; i++) right[i] = 0.5 * (right[i] + right[i + 1]);
  }
}

int ess_sign_changes(const double b[QUARTIC]) {
  int changes = 0;
  for (int i = 1; i < QUARTIC; i++) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  return changes;
}

void ess_quartic_until(const double b[QUARTIC], double theta, double until[QUARTIC]) {
  double rest[QUARTIC];
  memcpy(rest, b, sizeof rest);
  for (int level = 0; level < QUARTIC; level++) {
    until[level] = rest[0];
    for (int i = 0; i < QUARTIC - 1 - level; i++) rest[i] += theta * (rest[i + 1] - rest[i]);
  }
}

/* where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER */
static double upcrossing(const double b[QUARTIC], int depth) {
  int negative = 0;
  for (int i = 0; i < QUARTIC; i++) negative += b[i] < 0.0;
  if (negative == 0 || negative == QUARTIC) return ESS_NEVER;

  // the number of sign changes bounds the number of roots (Descartes)
  const int changes = ess_sign_changes(b);
  const bool rises = b[0] < 0.0 && b[QUARTIC - 1] >= 0.0;
  if (changes == 1) return rises ? single_root(b) : ESS_NEVER;
  // what dips below zero for less than that, and ends above, has crossed by its end
  if (depth == SUBDIVISIONS) return b[QUARTIC - 1] >= 0.0 ? 1.0 : ESS_NEVER;
  double left[QUARTIC], right[QUARTIC];
  halve(b, left, right);
  double theta = upcrossing(left, depth + 1);
  if (theta <= 1.0) return 0.5 * theta;
  theta = upcrossing(right, depth + 1);
  return theta <= 1.0 ? 0.5 + 0.5 * theta : ESS_NEVER;
}

double ess_quartic_upcrossing(const double b[QUARTIC]) {
  return upcrossing(b, 0);
}

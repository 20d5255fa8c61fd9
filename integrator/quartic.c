/*
 * Quartics in Bernstein form on [0, 1]: what the guards' model along a step is made of (locate.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ess_internal.h"

enum { QUARTIC = ESS_QUARTIC, SUBDIVISIONS = 40, ITERATIONS = 80 };

/* a Newton step this small, relative, is the last: the next would be its square */
static const double CLOSE = 1e-9;

/* value and slope of a Bernstein quartic, by its monomial form */
double ess_quartic(const double b[QUARTIC], double theta, double *slope) {
  const double a1 = 4.0 * (b[1] - b[0]), a2 = 6.0 * (b[2] - 2.0 * b[1] + b[0]);
  const double a3 = 4.0 * (b[3] - 3.0 * (b[2] - b[1]) - b[0]);
  const double a4 = b[4] - 4.0 * (b[3] + b[1]) + 6.0 * b[2] + b[0];
  *slope = a1 + theta * (2.0 * a2 + theta * (3.0 * a3 + theta * 4.0 * a4));
  return b[0] + theta * (a1 + theta * (a2 + theta * (a3 + theta * a4)));
}

/* the one root of a quartic that is negative at 0 and not at 1: Newton kept within its bracket */
static double single_root(const double b[QUARTIC]) {
  double below = 0.0, above = 1.0, theta = b[0] / (b[0] - b[4]);
  for (int i = 0; i < ITERATIONS && above - below > DBL_EPSILON * above; i++) {
    double slope;
    const double value = ess_quartic(b, theta, &slope);
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

/* where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER */
static double upcrossing(const double b[QUARTIC], int depth) {
  int negative = 0, changes = 0;
  for (int i = 0; i < QUARTIC; i++) {
    negative += b[i] < 0.0;
    if (i) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  }
  if (negative == 0 || negative == QUARTIC) return ESS_NEVER;

  // the number of sign changes bounds the number of roots (Descartes)
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

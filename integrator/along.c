/*
 * The ruler: quartics in Bernstein form, and the search for a root of the scalar that they model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "along.h"

enum { QUARTIC = ESS_QUARTIC, SUBDIVISIONS = 40 };

/* ---- quartics ----------------------------------------------------------------------------- */

double ess_quartic(const double b[QUARTIC], double theta, double *slope) {
  double c[QUARTIC];
  memcpy(c, b, sizeof c);
  for (int last = QUARTIC - 1; last > 1; last--) // de Casteljau
    for (int i = 0; i < last; i++) c[i] += theta * (c[i + 1] - c[i]);
  *slope = (QUARTIC - 1) * (c[1] - c[0]);
  return c[0] + theta * (c[1] - c[0]);
}

void ess_quartic_split(const double b[QUARTIC], double theta, double until[QUARTIC],
                       double after[QUARTIC]) {
  memcpy(after, b, QUARTIC * sizeof *after);
  for (int level = 0; level < QUARTIC; level++) { // de Casteljau
    until[level] = after[0];
    for (int i = 0; i < QUARTIC - 1 - level; i++) after[i] += theta * (after[i + 1] - after[i]);
  }
}

void ess_quartic_slope(const double b[QUARTIC], double slope[QUARTIC]) {
  for (int i = 0; i < QUARTIC; i++) {
    const double before = i > 0 ? b[i] - b[i - 1] : 0.0;
    const double after = i < QUARTIC - 1 ? b[i + 1] - b[i] : 0.0;
    slope[i] = i * before + (QUARTIC - 1 - i) * after;
  }
}

double ess_quartic_range(const double b[QUARTIC]) {
  double low = b[0], high = b[0];
  for (int i = 1; i < QUARTIC; i++) {
    low = ess_smaller(low, b[i]);
    high = ess_larger(high, b[i]);
  }
  return high - low;
}

int ess_sign_changes(const double b[QUARTIC]) {
  int changes = 0;
  for (int i = 1; i < QUARTIC; i++) changes += (b[i] < 0.0) != (b[i - 1] < 0.0);
  return changes;
}

/* the first upcrossing of one that may have several, by its halves */
static double halved(const double b[QUARTIC], int depth) {
  double half[2][QUARTIC];
  // a shorter dip below zero that ends above it has crossed by its end
  if (depth == SUBDIVISIONS) return b[QUARTIC - 1] >= 0.0 ? 1.0 : ESS_NEVER;
  ess_quartic_split(b, 0.5, half[0], half[1]);
  for (int i = 0; i < 2; i++) {
    const double theta = ess_sign_changes(half[i]) > 1 ? halved(half[i], depth + 1)
                                                       : ess_quartic_upcrossing(half[i]);
    if (theta <= 1.0) return 0.5 * i + 0.5 * theta;
  }
  return ESS_NEVER;
}

double ess_quartic_upcrossing(const double b[QUARTIC]) {
  // the number of sign changes bounds the number of roots (Descartes)
  const int changes = ess_sign_changes(b);
  if (changes > 1) return halved(b, 0);
  if (changes == 0 || !(b[0] < 0.0 && b[QUARTIC - 1] >= 0.0)) return ESS_NEVER;
  // Newton's method within a bracket, from where the polygon of the coefficients crosses zero
  int last = 0;
  while (b[last + 1] < 0.0) last++;
  double below = 0.0, above = 1.0, theta = 0.25 * (last + b[last] / (b[last] - b[last + 1]));
  for (int probe = 0; probe < ESS_PROBES; probe++) {
    double slope;
    const double value = ess_quartic(b, theta, &slope), newton = theta - value / slope;
    *(value < 0.0 ? &below : &above) = theta;
    const bool kept = newton >= below && newton <= above;
    const bool arrived = kept && fabs(newton - theta) <= ESS_STILL * theta;
    theta = kept ? newton : 0.5 * (below + above);
    if (arrived || !(above - below > DBL_EPSILON * above)) break;
  }
  return theta;
}

double ess_quartic_turn(const double b[QUARTIC], double more) {
  double slope[QUARTIC];
  ess_quartic_slope(b, slope);
  for (int i = 1; i < QUARTIC - 1; i++) slope[i] += more;
  return ess_quartic_upcrossing(slope);
}

/* ---- models ------------------------------------------------------------------------------- */

void ess_quartic_of_quarters(const double y[QUARTIC], double b[QUARTIC]) {
  const double d1 = y[1] - y[0], d2 = y[2] - 2.0 * y[1] + y[0];
  const double d3 = y[3] - 3.0 * (y[2] - y[1]) - y[0];
  const double d4 = y[4] - 4.0 * (y[3] + y[1]) + 6.0 * y[2] + y[0];
  const double a1 = 4.0 * (d1 - d2 / 2.0 + d3 / 3.0 - d4 / 4.0);
  const double a2 = 16.0 * (d2 / 2.0 - d3 / 2.0 + 11.0 * d4 / 24.0);
  const double a3 = 64.0 * (d3 / 6.0 - d4 / 4.0);
  b[0] = y[0];
  b[1] = y[0] + a1 / 4.0;
  b[2] = y[0] + a1 / 2.0 + a2 / 6.0;
  b[3] = y[0] + 0.75 * a1 + a2 / 2.0 + a3 / 4.0;
  b[4] = y[4];
}

/* ---- the search --------------------------------------------------------------------------- */

void ess_search_on(ess_search *s, double value, double slope) {
  *(value < 0.0 ? &s->below : &s->above) = s->theta;
  if (isnan(slope)) slope = (value - s->value) / (s->theta - s->last);
  // a step is no shorter than the accuracy: it passes a root that has been found, which closes the
  // bracket
  const double least = ESS_PLACED * s->above;
  const double step = copysign(ess_larger(fabs(value / slope), least), -value);
  const double next = s->theta + step;
  const double longest = 0.5 * fabs(s->step_before);
  const bool kept = slope > 0.0 && next > s->below && next < s->above && fabs(step) <= longest;
  s->last = s->theta;
  s->value = value;
  s->theta = kept ? next : 0.5 * (s->below + s->above);
  s->step_before = s->step;
  s->step = s->theta - s->last;
}

/*
 * The series of U_k along a flow. The path is made by Picard's iteration on Chebyshev points around
 * the present: for an analytic field (A3) it converges there to the path itself, backward and
 * forward, and a polynomial through U_k at the points has its Lie derivatives for coefficients.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "trend.h"

#include <string.h>

enum {
  POINTS = 9, /* odd, so that the present is one */
  PRESENT = POINTS / 2,
  STATES_MAX = 2 * MECHANISM_COORDINATES_MAX,
  ITERATIONS = 16
};

const double trend_zero = 1e-12;

static const double pi = 3.14159265358979323846;

/* A coefficient that is less than this part of the largest is zero: where an event was located, U_k
 * is so only as exactly as its time is known. */
static const double coefficient_zero = 1e-6;

typedef struct series {
  double point[POINTS];
  double coefficient[POINTS][POINTS]; /* [j][m]: of s^m in the j-th Lagrange polynomial */
  double state[POINTS][STATES_MAX], rate[POINTS][STATES_MAX];
  double time; /* that the points reach to either side */
  size_t coordinates;
} series;

static void lagrange(series *s) {
  for (size_t i = 0; i < POINTS; i++)
    s->point[i] = i == PRESENT ? 0 : cos(pi * (double)i / (POINTS - 1));
  for (size_t j = 0; j < POINTS; j++) {
    double *const c = s->coefficient[j];
    size_t degree = 0;
    memset(c, 0, sizeof s->coefficient[j]);
    c[0] = 1;
    for (size_t i = 0; i < POINTS; i++) {
      if (i == j) continue;
      const double apart = s->point[j] - s->point[i];
      for (size_t m = ++degree; m-- > 0;) {
        c[m + 1] += c[m] / apart;
        c[m] *= -s->point[i] / apart;
      }
    }
  }
}

/* the integral of the j-th polynomial from the present to a point */
static double weight(const series *s, size_t j, double point) {
  double sum = 0;
  for (size_t m = POINTS; m-- > 0;) sum = sum * point + s->coefficient[j][m] / (double)(m + 1);
  return sum * point;
}

static bool rates(series *s, kkt *at, contact_mode mode) {
  const size_t n = s->coordinates;
  for (size_t i = 0; i < POINTS; i++) {
    kkt_at(at, s->state[i], s->state[i] + n);
    memcpy(s->rate[i], s->state[i] + n, n * sizeof **s->rate);
    if (!kkt_flow(at, mode, s->rate[i] + n, NULL)) return false;
  }
  return true;
}

/* The path through the present. false: the mode has no inverse somewhere. */
static bool follow(series *s, const kkt *here, kkt *elsewhere, contact_mode mode) {
  const size_t n = s->coordinates;
  for (size_t i = 0; i < POINTS; i++) {
    memcpy(s->state[i], here->q, n * sizeof **s->state);
    memcpy(s->state[i] + n, here->v, n * sizeof **s->state);
  }
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    if (!rates(s, elsewhere, mode)) return false;
    for (size_t i = 0; i < POINTS; i++) {
      if (i == PRESENT) continue;
      for (size_t x = 0; x < 2 * n; x++) {
        double sum = 0;
        for (size_t j = 0; j < POINTS; j++) sum += weight(s, j, s->point[i]) * s->rate[j][x];
        s->state[i][x] = s->state[PRESENT][x] + s->time * sum;
      }
    }
  }
  return true;
}

double trend_rounding(const kkt *s, size_t k, const kkt_multipliers *of) {
  const mechanism_constraint *const c = &s->m->constraint[k];
  const double cone = c->normal == k ? 0 : c->friction * of->size[c->normal];
  return trend_zero * (of->size[k] + cone);
}

static int sign_of(double value) {
  return (value > 0) - (value < 0);
}

/* The series of U_k over a time, in units of it; and what of its coefficients is zero. false: the
 * mode has no inverse somewhere. */
static bool expand(const kkt *here, kkt *elsewhere, contact_mode mode, size_t k, double time,
                   double c[POINTS]) {
  series s = {.coordinates = here->m->coordinates, .time = time};
  kkt_multipliers force;
  lagrange(&s);
  memset(c, 0, POINTS * sizeof *c);
  if (!follow(&s, here, elsewhere, mode)) return false;
  for (size_t j = 0; j < POINTS; j++) {
    kkt_at(elsewhere, s.state[j], s.state[j] + s.coordinates);
    if (!kkt_flow(elsewhere, mode, NULL, &force)) return false;
    const double value = kkt_cone(elsewhere, k, force.value);
    for (size_t m = 0; m < POINTS; m++) c[m] += value * s.coefficient[j][m];
  }
  return true;
}

/* what of a coefficient is zero */
static double zero_of(const double c[POINTS], double rounding) {
  double largest = 0;
  for (size_t m = 0; m < POINTS; m++) largest = fmax(largest, fabs(c[m]));
  return fmax(coefficient_zero * largest, rounding);
}

/* The sign of the first coefficient that is not zero, and a derivative: that is the same over half
 * the time. A polynomial's error by derivatives of higher order is smaller there. */
static int first_sign(const double whole[POINTS], const double half[POINTS], double rounding) {
  const double zero = zero_of(whole, rounding);
  bool any = false;
  for (size_t m = 0; m < POINTS; m++) {
    if (!(fabs(whole[m]) > zero)) continue;
    any = true;
    const double ratio = ldexp(half[m], (int)m) / whole[m];
    const bool drowned = fabs(ldexp(whole[m], -(int)m)) <= rounding;
    if (m == 0 || drowned || (ratio > 0.7 && ratio < 1.5)) return sign_of(whole[m]);
  }
  return any ? TREND_UNKNOWN : 0;
}

int trend_of(kkt *here, kkt *elsewhere, contact_mode mode, size_t k) {
  kkt_multipliers force;
  if (!kkt_flow(here, mode, NULL, &force)) return -1;
  const double now = kkt_cone(here, k, force.value);
  const double rounding = trend_rounding(here, k, &force);
  if (fabs(now) > coefficient_zero / trend_zero * rounding) return sign_of(now);

  const double time = here->m->time_scale > 0 ? here->m->time_scale : KKT_TIME_SCALE;
  double whole[POINTS], half[POINTS];
  if (!expand(here, elsewhere, mode, k, time, whole) ||
      !expand(here, elsewhere, mode, k, 0.5 * time, half))
    return sign_of(now);
  return first_sign(whole, half, rounding);
}

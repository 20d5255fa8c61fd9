/*
 * Quartics, by Bernstein coefficients on [0, 1]; and by powers, where one is evaluated over and
 * over.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_QUARTIC_H
#define ESS_QUARTIC_H

enum { ESS_QUARTIC = 5 };

/* Value and slope at theta. */
double ess_quartic(const double b[ESS_QUARTIC], double theta, double *slope);

/* Where the quartic first goes from negative to non-negative in (0, 1], or ESS_NEVER. */
#define ESS_NEVER 2.0
double ess_quartic_upcrossing(const double b[ESS_QUARTIC]);

/* Changes of sign among the coefficients: no fewer than there are roots in (0, 1). */
int ess_sign_changes(const double b[ESS_QUARTIC]);

/* The quartic's part from 0 to theta. */
void ess_quartic_until(const double b[ESS_QUARTIC], double theta, double until[ESS_QUARTIC]);

/* a[0] + a[1] theta + ... + a[4] theta^4, from Bernstein coefficients */
static inline void ess_powers(const double b[ESS_QUARTIC], double a[ESS_QUARTIC]) {
  a[0] = b[0];
  a[1] = 4.0 * (b[1] - b[0]);
  a[2] = 6.0 * (b[2] - 2.0 * b[1] + b[0]);
  a[3] = 4.0 * (b[3] - 3.0 * (b[2] - b[1]) - b[0]);
  a[4] = b[4] - 4.0 * (b[3] + b[1]) + 6.0 * b[2] + b[0];
}

static inline double ess_powers_value(const double a[ESS_QUARTIC], double theta) {
  return a[0] + theta * (a[1] + theta * (a[2] + theta * (a[3] + theta * a[4])));
}

static inline double ess_powers_slope(const double a[ESS_QUARTIC], double theta) {
  return a[1] + theta * (2.0 * a[2] + theta * (3.0 * a[3] + theta * 4.0 * a[4]));
}

#endif

/*
 * Quartics by powers of theta: what is evaluated over and over is evaluated where it stands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_QUARTIC_H
#define ESS_QUARTIC_H

/* a[0] + a[1] theta + ... + a[4] theta^4, from Bernstein coefficients */
static inline void ess_powers(const double b[5], double a[5]) {
  a[0] = b[0];
  a[1] = 4.0 * (b[1] - b[0]);
  a[2] = 6.0 * (b[2] - 2.0 * b[1] + b[0]);
  a[3] = 4.0 * (b[3] - 3.0 * (b[2] - b[1]) - b[0]);
  a[4] = b[4] - 4.0 * (b[3] + b[1]) + 6.0 * b[2] + b[0];
}

static inline double ess_powers_value(const double a[5], double theta) {
  return a[0] + theta * (a[1] + theta * (a[2] + theta * (a[3] + theta * a[4])));
}

static inline double ess_powers_slope(const double a[5], double theta) {
  return a[1] + theta * (2.0 * a[2] + theta * (3.0 * a[3] + theta * 4.0 * a[4]));
}

#endif

/*
 * A cradle of balls with Hertz contacts, F = stiffness d^1.5, that touch at the start, or nearly:
 * the first comes in at speed 1. The truth is the same chain, by many small steps of a Runge-Kutta
 * method that asks for each contact's depth.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "callbacks.h"
#include "families.h"

#include <math.h>
#include <string.h>

enum { BALLS = 20, STATES = 2 * BALLS };

typedef struct cradle {
  size_t balls;
  double stiffness;
} cradle;

/* contact k is between balls k and k + 1; x: displacements, then speeds. A gap is in x. */
static double depth(const double x[], size_t k) {
  return x[k] - x[k + 1];
}

/* smooth through 0, where it is not called for in a mode that does not touch */
static double force(const cradle *c, double d) {
  return d > 0.0 ? c->stiffness * d * sqrt(d) : 0.0;
}

FIELD(cradle_field) {
  const cradle *const c = params;
  const size_t n = c->balls;
  memcpy(dxdt, x + n, n * sizeof *dxdt);
  memset(dxdt + n, 0, n * sizeof *dxdt);
  for (size_t k = 0; k + 1 < n; k++) {
    const double f = !sign || sign[k] > 0.0 ? force(c, depth(x, k)) : 0.0;
    dxdt[n + k] -= f;
    dxdt[n + k + 1] += f;
  }
}

GUARDS(cradle_guards) {
  const cradle *const c = params;
  for (size_t k = 0; k + 1 < c->balls; k++) h[k] = depth(x, k);
}

GUARD_JACOBIAN(cradle_jacobian) {
  const cradle *const c = params;
  const size_t n = 2 * c->balls;
  memset(Dh, 0, (c->balls - 1) * n * sizeof *Dh);
  for (size_t k = 0; k + 1 < c->balls; k++) {
    Dh[k * n + k] = 1.0;
    Dh[k * n + k + 1] = -1.0;
  }
}

/* one step of Runge and Kutta's */
static void advance(cradle *c, double dt, double x[]) {
  const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[STATES] = {0.0}, at[STATES], sum[STATES] = {0.0};
  const size_t n = 2 * c->balls;
  for (int s = 0; s < 4; s++) {
    for (size_t i = 0; i < n; i++) at[i] = x[i] + part[s] * dt * k[i];
    cradle_field(0.0, at, NULL, k, c);
    for (size_t i = 0; i < n; i++) sum[i] += weight[s] * k[i];
  }
  for (size_t i = 0; i < n; i++) x[i] += dt * sum[i];
}

family_run family_cradle(uint64_t seed) {
  enum { STEPS = 20000 };
  uint64_t sequence = seed;
  const double gaps[] = {0.0, 1e-12, 1e-9};
  cradle c = {.balls = 3 + family_one_of(&sequence, BALLS - 2), .stiffness = 1000.0};
  const double gap = gaps[family_one_of(&sequence, 3)];
  const bool from_left = family_one_of(&sequence, 2);
  // a contact lasts some 0.2, and the pulse passes a ball in 0.07
  const double end = 0.4 + 0.08 * (double)c.balls;
  double x[STATES] = {0.0}, truth[STATES];
  for (size_t i = 0; i < c.balls; i++) x[i] = gap * (double)i;
  x[c.balls + (from_left ? 0 : c.balls - 1)] = from_left ? 1.0 : -1.0;
  memcpy(truth, x, sizeof x);
  for (int i = 0; i < STEPS; i++) advance(&c, end / STEPS, truth);
  const ess_system system = {
      .dimension = 2 * c.balls, .guard_count = c.balls - 1, OF_JACOBIAN(cradle), .params = &c};
  ess_options options = family_options(&sequence);
  if (options.rtol < 1e-9) options.rtol = options.atol = 5e-9; // the truth is no better
  family_run run = {.true_crossings = SIZE_MAX};
  family_apply(&system, &options, end, x, truth, &run);
  // each contact is made and left once; what rebounds among the balls left behind may add some
  if (run.crossings > 12 * c.balls) run.true_crossings = 2 * (c.balls - 1);
  return run;
}

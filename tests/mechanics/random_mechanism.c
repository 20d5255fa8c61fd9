/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "random_mechanism.h"

#include <string.h>

double random_between(gsl_rng *rng, double low, double high) {
  return low + (high - low) * gsl_rng_uniform(rng);
}

static void inertia(const double q[], double M[], void *params) {
  const random_mechanism *const r = params;
  const size_t n = r->m.coordinates;
  double R[RANDOM_MAX * RANDOM_MAX] = {0};
  for (size_t i = 0; i < r->bodies; i++)
    for (size_t j = 0; j < r->bodies; j++)
      R[i * n + j] = r->root[i * n + j] + (i == j ? 0.2 * sin(r->sway[i] * q[i]) : 0);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      M[i * n + j] = 0;
      for (size_t l = 0; l < n; l++) M[i * n + j] += R[i * n + l] * R[j * n + l];
    }
  }
}

static void potential(const double q[], double N[], void *params) {
  (void)q;
  const random_mechanism *const r = params;
  for (size_t j = 0; j < r->m.coordinates; j++) N[j] = -r->force[j];
}

/* a_k = offset + slope q + bow q^2 / 2 */
static void gaps(const double q[], double a[], void *params) {
  const random_mechanism *const r = params;
  const size_t n = r->m.coordinates;
  for (size_t k = 0; k < r->m.constraints; k++) {
    a[k] = r->offset[k];
    for (size_t j = 0; j < n; j++)
      a[k] += q[j] * (r->slope[k * n + j] + 0.5 * r->bow[k * n + j] * q[j]);
  }
}

static void rows(const double q[], double A[], void *params) {
  const random_mechanism *const r = params;
  const size_t n = r->m.coordinates;
  for (size_t i = 0; i < r->m.constraints * n; i++) A[i] = r->slope[i] + r->bow[i] * q[i % n];
}

static void callbacks(random_mechanism *r, size_t n, size_t contacts) {
  r->m = (mechanism){.coordinates = n,
                     .constraints = contacts,
                     .constraint = r->constraint,
                     .limb = r->limb,
                     .inertia = inertia,
                     .potential = potential,
                     .gaps = gaps,
                     .rows = rows,
                     .params = r};
  r->bodies = n;
  for (size_t k = 0; k < contacts; k++) r->constraint[k] = (mechanism_constraint){.normal = k};
  for (size_t j = 0; j < n; j++) r->limb[j] = MECHANISM_BODY;
}

void random_mechanism_draw(random_mechanism *r, gsl_rng *rng, size_t limbs) {
  memset(r, 0, sizeof *r);
  const size_t n = 2 + limbs + gsl_rng_uniform_int(rng, 7 - limbs);
  const size_t bodies = n - limbs, contacts = 1 + gsl_rng_uniform_int(rng, bodies) + limbs;
  callbacks(r, n, contacts);
  r->bodies = bodies;
  for (size_t i = 0; i < n * n; i++) r->root[i] = random_between(rng, -0.6, 0.6);
  for (size_t j = 0; j < n; j++) {
    r->root[j * n + j] += 1.5;
    r->sway[j] = random_between(rng, -2, 2);
    r->force[j] = random_between(rng, -3, 3);
    r->q[j] = random_between(rng, -0.3, 0.3);
    r->v[j] = random_between(rng, -2, 2);
  }
  for (size_t k = 0; k < contacts; k++) {
    const size_t own = k < limbs ? bodies + k : n; /* the limb that this is the contact of */
    for (size_t j = 0; j < n; j++) {
      if (j >= bodies && j != own) continue;
      r->slope[k * n + j] = random_between(rng, -2, 2);
      r->bow[k * n + j] = random_between(rng, -0.5, 0.5);
    }
    if (own == n) continue;
    r->slope[k * n + own] = gsl_rng_uniform(rng) < 0.5 ? -1.5 : 1.5;
    r->limb[own] = k;
  }
}

void random_mechanism_plain(random_mechanism *r, size_t n, size_t contacts, const double A[],
                            const double v[], const double force[]) {
  memset(r, 0, sizeof *r);
  callbacks(r, n, contacts);
  for (size_t j = 0; j < n; j++) {
    r->root[j * n + j] = 1;
    r->v[j] = v[j];
    r->force[j] = force[j];
  }
  memcpy(r->slope, A, contacts * n * sizeof *A);
}

/*
 * Mechanisms drawn at random: 2 to 8 coordinates, contacts independent and at most as many, inertia
 * and contacts that change with the configuration; some with massless limbs, each one coordinate
 * with a contact of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RANDOM_MECHANISM_H
#define RANDOM_MECHANISM_H

#include <gsl/gsl_rng.h>

#include "mechanism.h"

enum { RANDOM_MAX = 8 };

typedef struct random_mechanism {
  mechanism m;
  mechanism_constraint constraint[RANDOM_MAX];
  size_t limb[RANDOM_MAX];
  size_t bodies; /* coordinates with inertia: the first */
  double root[RANDOM_MAX * RANDOM_MAX],
      sway[RANDOM_MAX]; /* M = R R', R = root + diag(sin sway q) */
  double slope[RANDOM_MAX * RANDOM_MAX], bow[RANDOM_MAX * RANDOM_MAX];
  double force[RANDOM_MAX], offset[RANDOM_MAX]; /* of the gaps; 0 as drawn */
  double q[RANDOM_MAX], v[RANDOM_MAX];          /* a state */
} random_mechanism;

double random_between(gsl_rng *rng, double low, double high);

/* `limbs` massless coordinates among them. r stays where it is: its mechanism points into it. */
void random_mechanism_draw(random_mechanism *r, gsl_rng *rng, size_t limbs);

/* Contacts and forces of one given state: M = 1, rows and forces constant. */
void random_mechanism_plain(random_mechanism *r, size_t n, size_t contacts, const double A[],
                            const double v[], const double force[]);

#endif

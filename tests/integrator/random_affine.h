/*
 * Random piecewise affine systems that are event-selected by construction, libess run on them, and
 * the error its projection must make.
 *
 * A drift direction d of unit length; normals d + r, r across d, |r| <= 3/4; in every mode a field
 * A x + s d + w with |A| <= 1/2 (Frobenius), s in [1.5, 2.5], |w| <= 0.4, all drawn anew for every
 * mode, so that no two crossings commute. From |x0| <= 0.1 to t = 0.2 a trajectory stays within
 * |x| < 0.8, |f| < 3.3; hence every rate is at least 1.5 - 1.25 (0.4 + 0.4) = 0.5 in every mode,
 * and every guard is crossed once at most.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef RANDOM_AFFINE_H
#define RANDOM_AFFINE_H

#include <gsl/gsl_rng.h>

#include "ess.h"
#include "exact_affine.h"

#define AFFINE_END       0.2  /* time at which a run ends */
#define AFFINE_LIVENESS  0.5  /* smallest rate */
#define AFFINE_NORMAL    1.25 /* largest |normal| */
#define AFFINE_SPEED     3.3  /* largest |f| */
#define AFFINE_STIFFNESS 0.5  /* largest |A| */
#define AFFINE_JUMP      2.6  /* largest |f - f'| between any two modes: 1 + 2 (0.4 + 0.4) */

/* Draws n, m <= the system's room, the normals, and every mode's field; `stiffness` scales A: 1, or
 * 0 for fields that are piecewise constant. Offsets are set by affine_thread. */
void affine_draw(affine_system *s, gsl_rng *rng, size_t n, size_t m, double stiffness);

/* x0[n] with |x0| <= 0.1 */
void affine_draw_start(const affine_system *s, gsl_rng *rng, double x0[]);

/* a random order of 0 ... m-1 */
void affine_draw_order(gsl_rng *rng, size_t m, size_t order[]);

/* how libess is run on a system */
typedef struct affine_settings {
  double epsilon;
  int order;        /* of projection */
  unsigned variant; /* 0, 1, ...: ways to say the same, see affine_integrate */
} affine_settings;

/* what libess made of a system */
typedef struct affine_run {
  int status;
  size_t count, guard[2 * AFFINE_GUARDS]; /* crossings in the order they were made */
  double time[2 * AFFINE_GUARDS], end[AFFINE_STATES];
  bool upward; /* no crossing went down */
  ess_counters counters;
} affine_run;

/*
 * Runs libess from x0 at t = 0 to AFFINE_END at tolerances near round-off; with order 2, whose
 * errors are smaller than those tolerances add up to, in short steps. The variant's bits: 1, a
 * pass for rates instead of a Jacobian; 2, one for rates of some guards too; 4, one-way guards
 * instead of mirrored pairs; 8, an empty reset matrix.
 */
enum { AFFINE_VARIANTS = 16 };
void affine_integrate(const affine_system *s, const double x0[], const affine_settings *how,
                      affine_run *run);

/* the leading term, in epsilon, of what projection gets wrong */
typedef struct affine_error {
  double end[AFFINE_STATES];  /* of the state at the end */
  double end_size;            /* the crossings' shares of it, had nothing cancelled */
  double time[AFFINE_GUARDS]; /* of the i-th crossing's time */
  double time_size[AFFINE_GUARDS];
} affine_error;

/*
 * The leading error of projection of an order: each crossing's local error (method.md, order),
 * carried to the end by the exact flow's derivative. Holds where the crossings are made in their
 * order.
 */
void affine_predict(const affine_system *s, const affine_path *path, const affine_settings *how,
                    affine_error *error);

/*
 * K such that one cluster, much narrower than epsilon, leaves an error of at most K epsilon^2 at
 * the end, in whatever order it is crossed: the first projection's, through every order's
 * derivative of the flow. `path` holds the cluster's place.
 */
double affine_cluster_constant(const affine_system *s, const affine_path *path);

#endif

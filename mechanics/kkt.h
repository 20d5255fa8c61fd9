/*
 * The mechanics of a mechanism at a state, in any mode, from one matrix (9):
 *
 *     K_J = [ M   A_J' ]        its inverse = [ M+   A+' ]
 *           [ A_J  0   ]                      [ A+   L   ]
 *
 * which exists for singular M too, where the active contacts hold what is massless (A5). Massless
 * coordinates that nothing holds leave it, and follow their own law (A6). The inverse in a mode is
 * found when it is first asked for, and kept until the configuration changes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef KKT_H
#define KKT_H

#include "mechanism.h"

/* A mechanism's time scale where it states none, s. */
#define KKT_TIME_SCALE 0.01

enum { KKT_ORDER_MAX = MECHANISM_COORDINATES_MAX + MECHANISM_CONSTRAINTS_MAX };

/* The inverse in one mode. Rows and columns: `coordinates` of them, then active constraints. */
typedef struct kkt_inverse {
  unsigned long configuration; /* which one it is of; 0: none */
  bool exists;
  size_t order, coordinates;
  size_t of[KKT_ORDER_MAX]; /* which coordinate, or which constraint, a row is of */
  double *entry;            /* order * order */
} kkt_inverse;

/* Its members are for reading, after kkt_at. */
typedef struct kkt {
  const mechanism *m;
  double q[MECHANISM_COORDINATES_MAX], v[MECHANISM_COORDINATES_MAX];
  double M[MECHANISM_COORDINATES_MAX * MECHANISM_COORDINATES_MAX];
  double momentum[MECHANISM_COORDINATES_MAX]; /* M v */
  double a[MECHANISM_CONSTRAINTS_MAX];        /* gaps; NaN of tangents */
  double A[MECHANISM_CONSTRAINTS_MAX * MECHANISM_COORDINATES_MAX];
  double speed[MECHANISM_CONSTRAINTS_MAX];     /* A v */
  double bend[MECHANISM_CONSTRAINTS_MAX];      /* A' v, the derivative of A v at constant v */
  double bend_size[MECHANISM_CONSTRAINTS_MAX]; /* that its rounding is a part of */
  unsigned long configuration;                 /* counts changes of q */
  unsigned long factorised;                    /* counts the inverses found */

  /* 1/s, of kkt_flow: that at which gaps and speeds of active constraints, zero but for what
   * integration strays, die out (Baumgarte). 0, as it is at first: they do not. */
  double settling;

  /* Of kkt_flow: which way the tangent that rubs slips, -1 or 1. 0, as it is at first: it does not
   * rub. Forces are those without its friction: they vanish where those with it do. */
  double slip;

  kkt_inverse *inverse; /* one for each mode */
  struct kkt_workspace *workspace;
} kkt;

/* All memory that it will need. NULL: out of memory. The mechanism, one that mechanism_refused
 * accepts, stays the caller's. */
kkt *kkt_alloc(const mechanism *m);
void kkt_free(kkt *s);

/* Goes to a state. Inverses are kept where the configuration is the same. */
void kkt_at(kkt *s, const double q[], const double v[]);

/* The inverse in a mode, or NULL where there is none. */
const kkt_inverse *kkt_in(kkt *s, contact_mode mode);

/* The multiplier of each constraint in a mode, and the magnitude of the terms summed for it, which
 * bounds its rounding. 0 for constraints that are not active. */
typedef struct kkt_multipliers {
  double value[MECHANISM_CONSTRAINTS_MAX], size[MECHANISM_CONSTRAINTS_MAX];
} kkt_multipliers;

/* Acceleration and forces (12), (13). false: the mode has no inverse here, or a tangent that rubs
 * jams: friction presses its normal harder than that can bear. */
bool kkt_flow(kkt *s, contact_mode mode, double acceleration[], kkt_multipliers *force);

/* Velocity after a plastic impact, and impulses (23), (25). A tangent that rubs slips on after it
 * where Coulomb's law for impulses says so, and sticks elsewhere; impulses are without it. */
bool kkt_impact(kkt *s, contact_mode mode, double velocity[], kkt_multipliers *impulse);

/* The impulses with which the contacts resist the forces during delta_t = 1 (56). */
bool kkt_pseudo_impulse(kkt *s, contact_mode mode, kkt_multipliers *impulse);

/* U_k of multipliers: -lambda of a normal, mu (-lambda_n) - |lambda_t| of a tangent; infinite where
 * there is no cone. */
double kkt_cone(const kkt *s, size_t k, const double multiplier[]);

#endif

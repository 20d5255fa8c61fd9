/*
 * A mechanism of rigid bodies and massless limbs that touches its surroundings: what a user states,
 * and nothing of modes, impacts or events, which the rest of this room derives from it. Equations
 * are those of Johnson, Burden & Koditschek, "A Hybrid Systems Model for Simple Manipulation and
 * Self-Manipulation Systems".
 *
 *     M(q) q'' + C(q, q') q' + N(q) = Y(q, q') - A_I(q)' lambda      (12), (13)
 *
 * Constraint k is normal, a_k(q) >= 0 with A_k = Da_k, or tangent to a normal one. Multipliers are
 * negative where a surface pushes: U_n = -lambda_n.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MECHANISM_H
#define MECHANISM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MECHANISM_COORDINATES_MAX = 12, MECHANISM_CONSTRAINTS_MAX = 10 };

/* A contact mode: bit k says that constraint k is active. A tangent without a cone has no bit of
 * its own: it is active with its normal. */
typedef uint32_t contact_mode;

#define CONTACT(k) ((contact_mode)1 << (k))

/* The support of a coordinate: see mechanism.limb. */
#define MECHANISM_BODY  SIZE_MAX       /* it has inertia: always in the equations of motion */
#define MECHANISM_ALONE (SIZE_MAX - 1) /* it never is: a clock, say */

/* The friction of a tangent that sticks whatever the force, as long as its normal is active. */
#define MECHANISM_STICKS INFINITY

typedef struct mechanism_constraint {
  size_t normal;   /* its own index, or the normal constraint that it is tangent to */
  double friction; /* of a tangent: mu > 0, or MECHANISM_STICKS */

  /* Of a tangent: it slips and sticks by Coulomb's law, at one finite mu. Its speed of slip is an
   * event function then, which libess slides on while it sticks. Its row and its normal are all the
   * constraints that the mechanism has: one foot. Else a tangent that has begun to slip does so
   * without friction, and sticks where it lands alone (A12). */
  bool rubs;

  /* Of tangents that stick: those of one rigid body, by a number above 0, hold the same motion as
   * soon as two of them touch; only the first that does is a row (footnote 21). 0: all are. */
  int body;
} mechanism_constraint;

/* Callbacks fill all they are given, at any q; matrices are row-major. */
typedef struct mechanism {
  size_t coordinates, constraints;
  const mechanism_constraint *constraint; /* [constraints] */

  /* Optional, [coordinates]: of a massless coordinate, the normal constraint that holds it. While
   * that one is not active the coordinate is no part of the mechanics (A6): it follows
   * `free_limbs`. MECHANISM_BODY of all others; NULL: there are no massless ones. */
  const size_t *limb;

  void (*inertia)(const double q[], double M[], void *params); /* M, may be singular */
  void (*coriolis)(const double q[], const double v[], double Cv[],
                   void *params);                                /* C q', or NULL */
  void (*potential)(const double q[], double N[], void *params); /* N, or NULL */

  /* Applied forces in a mode (section 4.6), or NULL. A free massless limb carries none: what it
   * would hand to the body has to be left out where its contact is not in `mode`. */
  void (*applied)(const double q[], const double v[], contact_mode mode, double force[],
                  void *params);

  void (*gaps)(const double q[], double a[], void *params); /* a; entries of tangents stay as are */
  void (*rows)(const double q[], double A[], void *params); /* A[constraints * coordinates] */

  /* Accelerations of the massless coordinates that are free; other entries are not looked at. May
   * be NULL: they coast. */
  void (*free_limbs)(const double q[], const double v[], double acceleration[], void *params);

  /* The speed, m/s, at which the contact of a massless limb at least leaves when an impact lets it
   * go: how fast the limb rotates out of the way (2.6), which no mass of its own says. */
  double lift;

  /* A time, s, over which its motion in a mode is well described by a few terms of its series;
   * 0: a hundredth. Trends (Definition 1) are read from that series. */
  double time_scale;

  void *params;
} mechanism;

/* Whether the mechanism is one this room can take: NULL, or one line that says why not. */
const char *mechanism_refused(const mechanism *m);

/* Whether its callbacks agree at a configuration: inertia finite and symmetric, gaps and rows
 * finite, rows of normal constraints the derivatives of their gaps by differences. NULL, or one
 * line. */
const char *mechanism_refused_at(const mechanism *m, const double q[]);

/* Modes: the constraints that can be chosen, whether a mode is one (71), how many are active. */
contact_mode mechanism_choices(const mechanism *m);
bool mechanism_is_mode(const mechanism *m, contact_mode mode);
size_t mechanism_count(contact_mode mode);

/* The tangent that rubs; SIZE_MAX: none does. */
size_t mechanism_rubbing(const mechanism *m);

/* Whether it is a tangent that can be in a mode, or not, while its normal is. */
static inline bool mechanism_has_cone(const mechanism *m, size_t k) {
  const mechanism_constraint *const c = &m->constraint[k];
  return c->normal != k && isfinite(c->friction) && !c->rubs;
}

static inline bool mechanism_is_normal(const mechanism *m, size_t k) {
  return m->constraint[k].normal == k;
}

#endif

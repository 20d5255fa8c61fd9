/*
 * Which contacts stay: the mode that solves a complementarity problem, found by trying all subsets
 * of a scope. With K = J and k, a mode J solves it when for each k of the scope
 *
 *     k in J  if and only if  U_k in K is not negative
 *
 * U being of forces, with its trend (FA, (38)); of impulses (IV, (50)); or of impulses alone or
 * with the pseudo-impulse of delta_t, J holding IV's solution (PIV, (58)). For impulses K has, with
 * k, the other constraints of its contact that are in the scope: see section 2.8.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef COMPLEMENTARITY_H
#define COMPLEMENTARITY_H

#include "kkt.h"

typedef struct complementarity {
  kkt *here;      /* the state asked about */
  kkt *elsewhere; /* for trends */
  size_t untold;  /* counts trends that could not be told, and were taken for not negative */
} complementarity;

/* NULL members: out of memory. */
complementarity complementarity_alloc(const mechanism *m);
void complementarity_free(complementarity *c);

/* The result. Among several solutions the mode is the one with the fewest contacts, and among those
 * the one with the lowest indices. Without a solution it is empty. */
typedef struct complementarity_choice {
  contact_mode mode;
  size_t solutions;
} complementarity_choice;

/* At the state of c->here. */
complementarity_choice complementarity_forces(complementarity *c, contact_mode scope);
complementarity_choice complementarity_impulses(complementarity *c, contact_mode scope);

/* PIV. Where it has no solution the mode is that of IV. */
complementarity_choice complementarity_pseudo(complementarity *c, contact_mode scope,
                                              double delta_t);

/* Whether a mode solves each. */
bool complementarity_is_impulses(complementarity *c, contact_mode scope, contact_mode mode);
bool complementarity_is_pseudo(complementarity *c, contact_mode scope, contact_mode mode,
                               double delta_t);

#endif

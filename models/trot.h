/*
 * What other rooms may know of the trotting body beyond the model seam: what decides whether its
 * outcomes are continuous, and differentiable, in the start.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_TROT_H
#define MODEL_TROT_H

#include "model.h"

enum { TROT_RIGID, TROT_SOFT };
enum { TROT_Z, TROT_THETA, TROT_VZ, TROT_OMEGA, TROT_REAR = 4, TROT_FRONT };

/* How far limbs are decoupled (Pace & Burden 2017) at a state with both feet on the ground. */
typedef struct trot_decoupling {
  double orthogonality; /* Da_rear M^-1 Da_front', over the lengths of both: 0 makes outcomes
                           continuous, condition (6) */
  bool block_diagonal;  /* Assumption 3, 1: limbs have coordinates and masses of their own */
  double additivity; /* Assumption 3, 3: largest mixed second difference of the forces on the body
                        between the states of two limbs, over the largest of one limb alone; NaN
                        where limbs have no states */
} trot_decoupling;

trot_decoupling trot_decoupling_at(const model *m, const double x[]);

extern const model_type trot_type;

#endif

/*
 * The trotting body's two kinds of limbs: rigid, and soft. Each says what its field, its event
 * functions and its impacts are.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_TROT_INTERNAL_H
#define MODEL_TROT_INTERNAL_H

#include "model.h"

enum { REAR, FRONT, FEET };

/* the side of the body that a foot is on */
static const double trot_side[FEET] = {-1.0, 1.0};

typedef struct trot_parameters {
  double mass, inertia, half_length, leg, gravity;       /* of the body; of a leg at rest */
  double foot_mass, stiffness, damping, coupling, drive; /* of soft limbs */
} trot_parameters;

typedef struct trot_limbs {
  ess_system system; /* but for its params */
  bool (*changes_field)(size_t guard);
} trot_limbs;

extern const trot_limbs trot_rigid, trot_soft, trot_driven;

/* With a drive the last event of soft limbs is the body's apex, which changes nothing. */
enum { TROT_APEX = 6 };

/* The force of a soft leg on the body, in the air. */
double trot_soft_force(const trot_parameters *p, const double x[], int foot);

#endif

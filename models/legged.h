/*
 * Public interface of the model `legged` beyond model.h: a free body on N spring
 * legs above a floor, z = 0.
 *
 * The body is a disc with its centre of mass at its origin. Leg i stands at the angle 2 pi i / N
 * around it and swings in its upright plane: a thigh from the hip, at the rim, and a shank from the
 * knee, both hinged about the rim's tangent t, positive towards the centre. The foot is a sphere at
 * the shank's end. Links have their mass in the middle and the same inertia about every axis.
 *
 * State, as MuJoCo orders a free joint's and hinges': position of the body; its unit quaternion
 * (w first); hip and knee of each leg; velocity of the body in the world's frame; angular velocity
 * in the body's own; rates of the hinges. Event functions: depth p_i of foot i in the floor, then,
 * with damping, F_i/k.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_LEGGED_H
#define MODEL_LEGGED_H

#include "model.h"

extern const model_type legged_type;

enum { LEGGED_QUATERNION = 3, LEGGED_HINGES = 7, LEGGED_BODY_RATES = 6 };

/* SI units. All of one leg or foot, whatever the user gave. */
typedef struct legged_parameters {
  size_t legs;
  double gravity;
  double body_mass, body_inertia[3];                    /* about x, y, z */
  double body_radius;                                   /* of the rim, where the hips are */
  double link_mass[2], link_inertia[2], link_length[2]; /* thigh, shank */
  double foot_radius;
  double rest[2], joint_stiffness, joint_damping; /* of hip and knee: a spring at rest there */
  double stiffness, damping;                      /* k and c of a foot */
  double clearance, tilt; /* start: height of the lowest point of level feet, tilt about y */
} legged_parameters;

/* The parameters of a prepared robot. Owned by the model, valid until it is released. */
const legged_parameters *legged_get(const model *m);

/* Angle of leg i around the body, rad. */
double legged_angle(const legged_parameters *p, size_t i);

/* Height of the body's origin over the lowest point of its feet, level and with hinges at rest. */
double legged_standing(const legged_parameters *p);

/*
 * A third of what unit forces along x, y and z at the middle of leg 0's shank accelerate it by,
 * each along itself, 1/kg: at rest, level, with hinges at rest. MuJoCo's body_invweight0.
 */
double legged_inverse_weight(const model *m);

#endif

/*
 * Public interface of the plate beyond model.h: its parameters as numbers.
 *
 * State: x, z, theta, and their rates vx, vz, omega. Event functions, in metres: p_0 .. p_{N-1}
 * (penetration of contact i; h_i for the paper's law), then, with damping only, F_0/k .. F_{N-1}/k
 * (force). Contact i acts while all of its event functions are positive.
 *
 * With the aggregated field, system.mode_changed must be told of a new sign vector before the field
 * is called with it (libess does); and one prepared model then serves one run at a time.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_PLATE_H
#define MODEL_PLATE_H

#include "model.h"

extern const model_type plate_type;

typedef enum plate_law { PLATE_ROLLER, PLATE_PAPER } plate_law;
typedef enum plate_field { PLATE_FIELD_CONTACTS, PLATE_FIELD_AGGREGATED } plate_field;

/* SI units. Stiffness and damping are per spring here, whatever the user gave. */
typedef struct plate_parameters {
  size_t contacts;
  plate_law law;
  plate_field field;
  double mass, inertia, gravity;
  double stiffness, damping;  /* k and c of one spring */
  double free_length, radius; /* L0, roller radius r (0 for the paper's law) */
  double half_width;          /* springs stand evenly over [-half_width, half_width] */
  double height, tilt, shift; /* start: z0, theta0, x0 */
} plate_parameters;

/* The parameters of a prepared plate. Owned by the model, valid until it is released. */
const plate_parameters *plate_get(const model *m);

/* Horizontal position of spring i, i < contacts, m. Springs mirror each other exactly about 0. */
double plate_spring_x(const plate_parameters *p, size_t i);

#endif

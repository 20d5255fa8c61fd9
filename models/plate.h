/*
 * What other rooms may know of the plate beyond the model seam: its parameters as numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_PLATE_H
#define MODEL_PLATE_H

#include "model.h"

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

/* The parameters of a prepared plate. */
const plate_parameters *plate_get(const model *m);

/* Horizontal position of spring i. */
double plate_spring_x(const plate_parameters *p, size_t i);

#endif

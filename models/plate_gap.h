/*
 * Geometry of both contact laws. For a given state, the penetration p of a contact, its gradient,
 * its rate, and the rate's gradient are all affine in the spring's position, so a law is a handful
 * of coefficients worth one sine and one cosine, and every loop over contacts knows no law.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_PLATE_GAP_H
#define MODEL_PLATE_GAP_H

#include <math.h>

#include "plate_internal.h"

/* at + slope*xs for a spring at xs */
typedef struct plate_affine {
  double at, slope;
} plate_affine;

typedef struct plate_gap {
  plate_affine p;              /* penetration, m */
  double p_x, p_z;             /* dp/dx, dp/dz: the same for all springs */
  plate_affine p_theta;        /* dp/dtheta, m */
  double p_x_theta, p_z_theta; /* d2p/dx dtheta, d2p/dz dtheta: the same for all springs */
  plate_affine p_theta_theta;
  plate_affine rate;       /* dp/dt, m/s; its gradient by the rates is p's by q */
  double rate_x, rate_z;   /* gradient of rate by x and z, 1/s */
  plate_affine rate_theta; /* gradient of rate by theta, m/s */
} plate_gap;

static inline double plate_affine_at(plate_affine a, double spring_x) {
  return a.at + a.slope * spring_x;
}

/* a + factor*b */
static inline plate_affine plate_affine_add(plate_affine a, double factor, plate_affine b) {
  return (plate_affine){a.at + factor * b.at, a.slope + factor * b.slope};
}

/*
 * A roller of radius r, its centre at (xs, L0 - r), pressed p deep by the plate's line: with
 * D = xs - x and a = L0 - r - z, p = r - D sin + a cos.
 */
static inline plate_gap plate_gap_roller(const plate_parameters *q, const double s[]) {
  const double sine = sin(s[PLATE_THETA]), cosine = cos(s[PLATE_THETA]);
  const double x = s[PLATE_X], a = q->free_length - q->radius - s[PLATE_Z];
  const double vx = s[PLATE_VX], vz = s[PLATE_VZ], w = s[PLATE_OMEGA];
  const double along = x * cosine - a * sine, across = x * sine + a * cosine;
  return (plate_gap){
      .p = {q->radius + across, -sine},
      .p_x = sine,
      .p_z = -cosine,
      .p_theta = {along, -cosine},
      .p_x_theta = cosine,
      .p_z_theta = sine,
      .p_theta_theta = {-across, sine},
      .rate = {sine * vx - cosine * vz + w * along, -w * cosine},
      .rate_x = w * cosine,
      .rate_z = w * sine,
      .rate_theta = {cosine * vx + sine * vz - w * across, w * sine},
  };
}

/* The paper's vertical spring under the plate's line: h = L0 + tan(theta)(x - xs) - z. */
static inline plate_gap plate_gap_paper(const plate_parameters *q, const double s[]) {
  const double cosine = cos(s[PLATE_THETA]), tangent = sin(s[PLATE_THETA]) / cosine;
  const double square = 1 / (cosine * cosine); // sec^2, the derivative of tan
  const double x = s[PLATE_X], vx = s[PLATE_VX], vz = s[PLATE_VZ], w = s[PLATE_OMEGA];
  const double twice = 2 * square * tangent; // the derivative of sec^2
  return (plate_gap){
      .p = {q->free_length + tangent * x - s[PLATE_Z], -tangent},
      .p_x = tangent,
      .p_z = -1,
      .p_theta = {square * x, -square},
      .p_x_theta = square,
      .p_z_theta = 0,
      .p_theta_theta = {twice * x, -twice},
      .rate = {tangent * vx - vz + w * square * x, -w * square},
      .rate_x = w * square,
      .rate_z = 0,
      .rate_theta = {square * vx + w * twice * x, -w * twice},
  };
}

static inline plate_gap plate_gap_at(const plate_parameters *q, const double s[]) {
  return q->law == PLATE_PAPER ? plate_gap_paper(q, s) : plate_gap_roller(q, s);
}

#endif

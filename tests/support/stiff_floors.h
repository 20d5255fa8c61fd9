/*
 * A body of 1 kg dropped onto a stiff floor, and its exact path, piece by piece in closed form: how
 * much energy it has at each landing that it should not have, and whether it comes to rest where
 * the floor carries it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef STIFF_FLOORS_H
#define STIFF_FLOORS_H

#include "ess.h"

#define FLOOR_END 2.0 /* s */

/* what the floor's damper does where it would pull */
typedef enum floor_law {
  FLOOR_PULLS,   /* it pulls, until the body is out of the floor: one event function */
  FLOOR_LETS_GO, /* the floor lets go where its force is zero: two, with a reset matrix */
  FLOOR_LAWS
} floor_law;

typedef struct floor_case {
  double stiffness, damping, drop; /* N/m, N s/m, m */
  floor_law law;
} floor_case;

/* energies are parts of what the body starts with, above the floor */
typedef struct floor_outcome {
  int status;
  double energy_error; /* largest over landings, against the exact path's */
  bool rests;          /* the exact path does, at the end */
  double rest_error;   /* energy at the end above that of rest, where it should rest */
  ess_counters counters;
} floor_outcome;

/* damping of floors of a damping ratio */
double floor_damping(double stiffness, double ratio);

/* height and speed at FLOOR_END, exactly */
void floor_exact(const floor_case *c, double x[2]);

/* libess from the drop to FLOOR_END, with the observer of *options replaced */
floor_outcome floor_run(const floor_case *c, const ess_options *options);

/* every floor of the population: the i-th, below FLOOR_CASES */
enum { FLOOR_STIFFNESSES = 4, FLOOR_DROPS = 5, FLOOR_DAMPERS = 5 };
enum { FLOOR_CASES = FLOOR_STIFFNESSES * FLOOR_DROPS * FLOOR_DAMPERS };
floor_case floor_population(size_t i);

#endif

/*
 * Quantities of a robot's motion that MuJoCo's time step changes beside the error: its energy, how
 * deep bodies penetrate each other, and how far contacts creep that friction holds.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef ROBOT_PHYSICS_H
#define ROBOT_PHYSICS_H

#include "robot_controls.h"

/* Of a trajectory at its output times. NaN: not known. */
typedef struct robot_physics {
  /* E(end) - E(0), J. E is MuJoCo's kinetic and potential energy (mj_energyVel, mj_energyPos):
   * bodies, gravity and springs, but no energy of contacts. */
  double energy;

  /* The largest -dist of all contacts, m; 0 where nothing overlaps. */
  double penetration;

  /* The largest displacement |integral of v dt| of two geoms in contact while friction holds them,
   * m. v is the tangential velocity of one geom against the other, the mean over their held
   * contacts. A contact is held while its friction force stays inside the friction cone. */
  double creep;

  /* Two geoms, "A,B", whose distance stays at the limit of contact up to rounding while MuJoCo
   * lists them again and again: rounding decides whether their contact acts. "": there are none. */
  char grazing[ROBOT_NAME_SIZE];
} robot_physics;

/* Of states[count * dimension], which are dt apart, the first at time 0. Only those count for which
 * counts[i] is true, and the first one; NULL: all. 0, or a solver_status with one line. */
int robot_physics_of(const robot *r, const robot_controls *controls, const double states[],
                     const bool counts[], size_t count, double dt, robot_physics *out,
                     char message[ROBOT_MESSAGE_SIZE]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An orbit near the line through two others, in its coordinates and the parameter together: a
 * branch is followed so where it turns back, and has no orbit at the next value of the parameter.
 */
#ifndef ARC_H
#define ARC_H

#include "orbit.h"

/* Two orbits of a branch, and where. */
typedef struct arc {
  const orbit_request *request; /* of `m` */
  model *m;                     /* its parameter is set */
  const char *parameter;
  double value[2];
  const orbit *of[2];
} arc;

/* How far the two are apart, in what each number is large beside. */
double arc_length(const arc *a);

/* The orbit that is `part` of the way from the first to the second beyond the second, or before it:
 * the one in the plane across that line. 0; SOLVER_FAILED or SOLVER_REFUSED with one line. */
int arc_find(const arc *a, double part, double *value, orbit *o, char message[SOLVER_MESSAGE_SIZE]);

#endif

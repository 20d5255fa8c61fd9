/*
 * The plate as a hybrid system, with its equations written again from DESIGN's formulas, and the
 * truth about its run (truth.h). Shares no code with libess and none with models/.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef PLATE_TRUTH_H
#define PLATE_TRUTH_H

#include "truth.h"

/* SI units; stiffness and damping of one spring. */
typedef struct plate_text {
  size_t contacts;
  bool paper; /* the paper's law, else rollers */
  double mass, inertia, gravity, stiffness, damping, free_length, radius, half_width;
} plate_text;

/* States x, z, tilt and their rates. Event functions are all penetrations and then, with damping,
 * all F/k; each is latched on both sides. */
hybrid *plate_of(const plate_text *p, const double x0[]);

/* States at times[count] (ascending, from 0) into states[count*6], and the number of crossings that
 * changed the forces. */
truth_status plate_truth(const plate_text *p, const double x0[], const double times[], size_t count,
                         double states[], size_t *events);

#endif

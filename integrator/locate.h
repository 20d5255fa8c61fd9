/*
 * Where a step is cut, and what is crossed there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_LOCATE_H
#define ESS_LOCATE_H

#include "ess.h"

/* What was found of the step just tried. */
typedef struct ess_location {
  bool cut;           /* a candidate reaches its level at theta */
  double theta;       /* in (0, 1] */
  size_t doubt_guard; /* the step is too long to trust this guard's model; SIZE_MAX: none */
} ess_location;

/* Where the first candidate reaches its level. h_mid, h_check, h_end and rate_end must be set. A
 * silent guard cuts the step only when another flagged guard depends on it; ess_cross_silent is for
 * the others. */
int ess_locate_first(ess_driver *d, ess_location *found);

/* The same where the guards have just been flagged, and none is in doubt. */
int ess_locate_flagged(ess_driver *d, ess_location *found);

/* The guards that the step was cut at are inside their neighbourhoods: called at the new node. */
void ess_enter_neighbourhoods(ess_driver *d);

/* Crosses the silent guards that the step just taken has passed, by the event functions h at its
 * end, then those it was cut at. */
int ess_cross_silent(ess_driver *d, const double h[]);

/* Crosses the others that it was cut at, where the state is. */
int ess_cross_entered(ess_driver *d);

#endif

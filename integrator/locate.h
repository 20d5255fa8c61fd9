/*
 * Where a step is cut.
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

/* ---- neighbourhoods, and what is due --------------------------------------------------------- */

/* A guard that the node is on, or beyond, and that the field points through: one beyond it, or else
 * one on it; SIZE_MAX when there is none, as most often. */
int ess_find_due(ess_driver *d, size_t *due);

/* Whether any armed guard, silent ones apart, and event function k's, is inside its neighbourhood
 * at the node; holds it inside, where its entry was located. */
bool ess_any_inside(const ess_driver *d);
bool ess_inside(const ess_driver *d, size_t k);
void ess_hold_inside(ess_driver *d, size_t k);

/* g = 0 or the edge of the neighbourhood: where each guard stops the step just tried. Guards that
 * have left their neighbourhood are outside again. */
void ess_set_levels(ess_driver *d);

#endif

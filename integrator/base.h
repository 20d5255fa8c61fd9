/*
 * Which base makes steps where it is not dopri5 alone, and the others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_BASE_H
#define ESS_BASE_H

#include "slides.h"

/* Where it is not dopri5 alone. Before each try, which base makes it; after a step made,
 * which is to make the next. */
void ess_base_reset(ess_driver *d);
int ess_base_begin(ess_driver *d);
void ess_base_choose(ess_driver *d);

/* ---- the linearly implicit base of order 2 --------------------------------------------------- */

/* Whether such steps are made: while the state slides dopri5 makes them. */
static inline bool ess_by_ros2(const ess_driver *d) {
  return d->options.base == ESS_BASE_ROS2 && !ess_is_sliding(d);
}

/* As ess_dopri5_try, whose dense output is then a cubic. */
int ess_ros2_try(ess_driver *d, double *error);

/* ---- the stabilised base --------------------------------------------------------------------- */

/* As ess_dopri5_try, whose dense output is then a cubic. */
int ess_stabilised_try(ess_driver *d, double *error);

/* The field's Jacobian has a spectral radius of this or more: it is f at x and f_before at
 * x_before. 0 where that does not tell. */
double ess_stabilised_radius(const ess_driver *d, const double f[], const double f_before[],
                             const double x[], const double x_before[]);

/* ---- the linearly implicit base of order 4 --------------------------------------------------- */

/* What such steps need, where the options ask for them; false when there is no memory. */
bool ess_rodas_alloc(ess_driver *d, const ess_options *options);
void ess_rodas_free(ess_driver *d);

/* Whether such steps are made: while the state slides dopri5 makes them. */
static inline bool ess_by_rodas(const ess_driver *d) {
  return d->rodas && !ess_is_sliding(d);
}

/* The field may be another from now on. */
void ess_rodas_forget(ess_driver *d);

/* As ess_dopri5_try; makes the dense output, too, which is a cubic of its own. */
int ess_rodas_try(ess_driver *d, double *error);

/* Which of the driver's stages, which such steps do not have, hold these slopes of a step whose
 * event functions have been looked at. */
enum { ESS_RODAS_FIRST = 3, ESS_RODAS_LAST = 4 };

/* Before the step just tried is cut at theta, for the guards that are entered there: *again where
 * it is to end there instead. */
int ess_rodas_approach(ess_driver *d, double theta, bool *again);

/* ---- brief steps ----------------------------------------------------------------------------- */

void ess_brief_reset(ess_driver *d);

/* Where a step begins at a crossing of this guard, or at none (SIZE_MAX), and is not brief so far.
 */
void ess_brief_note(ess_driver *d, size_t crossed);

/* The step about to be tried, which begins at a crossing of guard `from`, is brief where that is
 * what will take it to the next crossing. */
void ess_brief_choose(ess_driver *d, size_t from);

/* As ess_dopri5_try, whose dense output is then a cubic. */
int ess_brief_try(ess_driver *d, double *error);

/* Whether this error lets the step just tried pass. Otherwise the next try is not brief. */
bool ess_brief_accepts(ess_driver *d, double error);

/* Whether the step just tried has the stages of dopri5. */
static inline bool ess_is_of_pair(const ess_driver *d) {
  return !d->brief.is_on && !d->stabilised.is_on && !ess_by_ros2(d) && !ess_by_rodas(d);
}

#endif

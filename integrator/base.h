/*
 * Which base makes steps, the one that is stabilised, and the one whose damping is the caller's.
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

/* Whether it is the same for all steps of a run. */
static inline bool ess_is_base_settled(const ess_driver *d) {
  return d->options.base != ESS_BASE_RKC && d->options.base != ESS_BASE_CHOSEN;
}

/* ---- the linearly implicit base of order 2 ----------------------------------------------------
 */

/* Whether such steps are made: while the state slides dopri5 makes them. */
static inline bool ess_by_ros2(const ess_driver *d) {
  return d->options.base == ESS_BASE_ROS2 && !ess_is_sliding(d);
}

/* As ess_dopri5_try, whose dense output is then a cubic. */
int ess_ros2_try(ess_driver *d, double *error);

/* ---- the stabilised base --------------------------------------------------------------------- */

/* Before each try: what the field is like; d->dt_next is no longer than stages can make stable. */
int ess_stabilised_begin(ess_driver *d);

/* As ess_dopri5_try, whose dense output is then a cubic. */
int ess_stabilised_try(ess_driver *d, double *error);

/* Into x_try: what a stabilised step errs by that is as long as the one just tried by either. */
void ess_stabilised_estimate(ess_driver *d);

/* Stages, not rounded, that are stable for this radius times length. */
double ess_stabilised_stages(double extent);

/* The field's Jacobian has a spectral radius of this or more: it is f at x and f_before at
 * x_before. 0 where that does not tell. */
double ess_stabilised_radius(const ess_driver *d, const double f[], const double f_before[],
                             const double x[], const double x_before[]);

#endif

/*
 * Courses: what event functions are along a sub-step without its jumps, as quartics in the time u
 * since the node, four event functions at a time. Value and rate at the node are called there. The
 * rest is taken from the quartic that the base was watched by (bound.c), from the node's place on,
 * and from what the path's bend adds. What jumps add comes on top (jumps.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ESS_COURSE_H
#define ESS_COURSE_H

#include <float.h>

#include "driver_state.h"
#include "lanes.h"
#include "quartic.h"

/* An event function that ends a sub-step elsewhere than expected, by more than this part of its
 * range, is curved, unless it is so many ranges below zero. */
#define ESS_CURVED 0.05
#define ESS_NEAR   8.0

/* a[0] + a[1] u + ... + a[4] u^4 */
typedef struct ess_course {
  ess_lanes a[ESS_QUARTIC];
} ess_course;

/* whether a guard of one of the event functions from k on, a multiple of ESS_LANES, is armed */
static inline bool ess_any_armed(const ess_driver *d, size_t k) {
  const ess_lanes zero = {0.0};
  return ess_mask_any(ess_lanes_load(d->side + k) != zero);
}

/* whether event function k has been crossed in this try and no guard of it is armed any more: those
 * who look at armed guards do not see it */
static inline bool ess_is_left(const ess_driver *d, size_t k) {
  return d->side[k] == 0.0 && d->cluster.crossed[k] == d->cluster.trial;
}

/* the sides that the guards armed are seen from, and of those that are left that from before */
static inline ess_lanes ess_sides(const ess_driver *d, size_t k) {
  ess_lanes side = ess_lanes_load(d->side + k);
  for (size_t i = 0; i < ESS_LANES && k + i < d->system.guard_count; i++)
    if (ess_is_left(d, k + i)) side[i] = d->sign[k + i];
  return side;
}

/* their courses */
static inline ess_course ess_course_of(const ess_driver *d, size_t k) {
  const ess_cluster *const c = &d->cluster;
  return (ess_course){{ess_lanes_load(d->h + k), ess_lanes_load(d->rate + k),
                       ess_lanes_load(c->square + k), ess_lanes_load(c->cubic + k),
                       ess_lanes_load(c->quartic + k)}};
}

/* value and slope of each at its own time */
static inline ess_lanes ess_course_values(const ess_course *p, ess_lanes u) {
  return p->a[0] + u * (p->a[1] + u * (p->a[2] + u * (p->a[3] + u * p->a[4])));
}

static inline ess_lanes ess_course_slopes(const ess_course *p, ess_lanes u) {
  return p->a[1] + u * (2.0 * p->a[2] + u * (3.0 * p->a[3] + (4.0 * u) * p->a[4]));
}

/* and at the same */
static inline ess_lanes ess_course_value(const ess_course *p, double u) {
  return ess_course_values(p, ess_lanes_all(u));
}

static inline ess_lanes ess_course_slope(const ess_course *p, double u) {
  return ess_course_slopes(p, ess_lanes_all(u));
}

/* four courses change by no more than this over a time */
static inline ess_lanes ess_course_way(const ess_course *p, double length) {
  const ess_lanes high = ess_lanes_abs(p->a[3]) + length * ess_lanes_abs(p->a[4]);
  return length * (ess_lanes_abs(p->a[1]) + length * (ess_lanes_abs(p->a[2]) + length * high));
}

/* what roundings come to in an event function that went from one value to another */
static inline ess_lanes ess_roundings(ess_lanes from, ess_lanes to) {
  return 64.0 * DBL_EPSILON * (ess_lanes_abs(to) + ess_lanes_abs(from));
}

/* that of event function k alone */
static inline void ess_course_one(const ess_driver *d, size_t k, double a[ESS_QUARTIC]) {
  const ess_cluster *const c = &d->cluster;
  a[0] = d->h[k];
  a[1] = d->rate[k];
  a[2] = c->square[k];
  a[3] = c->cubic[k];
  a[4] = c->quartic[k];
}

/* its value at u, and its slope there */
static inline double ess_course_at(const ess_driver *d, size_t k, double u, double *slope) {
  double a[ESS_QUARTIC];
  ess_course_one(d, k, a);
  *slope = ess_powers_slope(a, u);
  return ess_powers_value(a, u);
}

/* Bernstein coefficients over [0, length], seen from the side of the guard that is armed now */
typedef struct ess_bounds {
  ess_lanes b[ESS_QUARTIC];
} ess_bounds;

static inline ess_bounds ess_course_bounds(const ess_driver *d, const ess_course *p, size_t k,
                                           double length) {
  const ess_lanes side = ess_lanes_load(d->side + k);
  const ess_lanes a0 = side * p->a[0], a1 = side * (length * p->a[1]);
  const double square = length * length;
  const ess_lanes a2 = side * (square * p->a[2]), a3 = side * ((square * length) * p->a[3]);
  const ess_lanes a4 = side * ((square * square) * p->a[4]);
  return (ess_bounds){{a0, a0 + 0.25 * a1, a0 + 0.5 * a1 + (1.0 / 6.0) * a2,
                       a0 + 0.75 * a1 + 0.5 * a2 + 0.25 * a3, a0 + a1 + a2 + a3 + a4}};
}

/* how often the coefficients change their sign, as masks: at all, and more than once */
static inline void ess_bounds_changes(const ess_bounds *m, ess_mask *any, ess_mask *many) {
  *any = *many = (ess_mask){0};
  for (int i = 1; i < ESS_QUARTIC; i++) {
    const ess_mask change = (m->b[i] < 0.0) ^ (m->b[i - 1] < 0.0);
    *many |= *any & change;
    *any |= change;
  }
}

#endif

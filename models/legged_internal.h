/*
 * The robot's own data and the duties its files share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MODEL_LEGGED_INTERNAL_H
#define MODEL_LEGGED_INTERNAL_H

#include "legged.h"

enum { LEGGED_NAME_SIZE = 24 };

/* A prepared robot: what model.data and system.params point to. */
typedef struct legged_data {
  legged_parameters parameters;
  size_t coordinates;     /* 7 + 2N; the rates follow */
  double (*toward)[2];    /* [legs] cosine and sine of a leg's angle */
  struct legged_leg *leg; /* [legs] what a call of the field works on */
  char (*name)[LEGGED_NAME_SIZE];
  ess_reset_matrix resets; /* with damping */
  ess_guard_kind *kinds;   /* likewise; else NULL */
} legged_data;

/* ---- geometry of a leg in its own plane: r outwards, z up, from the body's origin ------------ */

typedef struct legged_point {
  double r, z;
} legged_point;

/* The displacement of a point at this place from the hinge by a unit turn about t: t x place. */
static inline legged_point legged_turned(legged_point place) {
  return (legged_point){place.z, -place.r};
}

static inline legged_point legged_add(legged_point a, double factor, legged_point b) {
  return (legged_point){a.r + factor * b.r, a.z + factor * b.z};
}

static inline double legged_dot(legged_point a, legged_point b) {
  return a.r * b.r + a.z * b.z;
}

/* Thigh and shank from their hinges, at the angles hip and hip + knee. */
typedef struct legged_links {
  legged_point thigh, shank;
} legged_links;

legged_links legged_links_at(const legged_parameters *p, const double hinge[2]);

/* The world's up in the body's frame, at a quaternion of any length. */
void legged_up(const double quaternion[4], double up[3]);

/* system.field; and the event functions. */
int legged_field(double t, const double x[], const double sign[], double dxdt[], void *params);
int legged_event_functions(double t, const double x[], double h[], void *params);
int legged_event_rates(double t, const double x[], double vt, const double v[],
                       const size_t which[], size_t count, double h[], double rate[], void *params);

/* Depth of foot i, and its rate. */
void legged_depth(const legged_data *d, size_t i, const double x[], const double up[3],
                  double depth[2]);

/* Memory that the field needs; 0, or -1. */
int legged_field_prepare(legged_data *d);
void legged_field_release(legged_data *d);

#endif

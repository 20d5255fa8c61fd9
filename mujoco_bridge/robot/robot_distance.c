/*
 * Distances of primitive geoms. They are MuJoCo's own, but without its cuts: a point is there
 * however far it is, so that its distance has a value everywhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_distance.h"

#include <math.h>
#include <string.h>

#include "robot_twist.h"

/* ---- vectors --------------------------------------------------------------------------------- */

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void axis_of(const mjData *d, int geom, int column, double scale, double out[3]) {
  const double *mat = d->geom_xmat + 9 * geom;
  for (int i = 0; i < 3; ++i) out[i] = scale * mat[3 * i + column];
}

/* out = a + s b */
static void ahead(double out[3], const double a[3], double s, const double b[3]) {
  for (int i = 0; i < 3; ++i) out[i] = a[i] + s * b[i];
}

static double clip(double x, double bound) {
  return fmin(fmax(x, -bound), bound);
}

/* ---- spheres about points -------------------------------------------------------------------- */

/* a point with a radius above a plane */
static void plane_point(const mjData *d, int plane, const double centre[3], double radius,
                        robot_touch *out) {
  double from[3];
  axis_of(d, plane, 2, 1.0, out->normal);
  ahead(from, centre, -1.0, d->geom_xpos + 3 * plane);
  out->dist = dot(from, out->normal) - radius;
  ahead(out->pos, centre, -0.5 * out->dist - radius, out->normal);
}

/* two points with radii; concentric ones are parted along z, where MuJoCo takes some direction */
static void point_point(const double centre1[3], double radius1, const double centre2[3],
                        double radius2, robot_touch *out) {
  ahead(out->normal, centre2, -1.0, centre1);
  const double length = sqrt(dot(out->normal, out->normal));
  for (int i = 0; i < 3; ++i)
    out->normal[i] = length < mjMINVAL ? (double)(i == 2) : out->normal[i] / length;
  out->dist = length - radius1 - radius2;
  ahead(out->pos, centre1, radius1 + 0.5 * out->dist, out->normal);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void plane_capsule(const mjModel *m, const mjData *d, const int geom[2], size_t part,
                          robot_touch *out) {
  const double *size = m->geom_size + 3 * geom[1];
  double end[3];
  axis_of(d, geom[1], 2, 1.0, out->tangent);
  ahead(end, d->geom_xpos + 3 * geom[1], part == 0 ? size[1] : -size[1], out->tangent);
  plane_point(d, geom[0], end, size[0], out);
}

static void plane_box(const mjModel *m, const mjData *d, const int geom[2], size_t part,
                      robot_touch *out) {
  const double *size = m->geom_size + 3 * geom[1];
  double corner[3], axis[3];
  memcpy(corner, d->geom_xpos + 3 * geom[1], sizeof corner);
  for (int i = 0; i < 3; ++i) {
    axis_of(d, geom[1], i, part >> i & 1 ? size[i] : -size[i], axis);
    ahead(corner, corner, 1.0, axis);
  }
  plane_point(d, geom[0], corner, 0.0, out);
}

/* the ellipsoid's lowest point: its support against the normal */
static void plane_ellipsoid(const mjModel *m, const mjData *d, const int geom[2],
                            robot_touch *out) {
  const double *size = m->geom_size + 3 * geom[1];
  double normal[3], axis[3], lowest[3], part[3], length = 0.0;
  axis_of(d, geom[0], 2, 1.0, normal);
  for (int i = 0; i < 3; ++i) {
    axis_of(d, geom[1], i, 1.0, axis);
    part[i] = size[i] * dot(axis, normal);
    length += part[i] * part[i];
  }
  memcpy(lowest, d->geom_xpos + 3 * geom[1], sizeof lowest);
  for (int i = 0; i < 3; ++i) {
    axis_of(d, geom[1], i, 1.0, axis);
    ahead(lowest, lowest, -size[i] * part[i] / sqrt(length), axis);
  }
  plane_point(d, geom[0], lowest, 0.0, out);
}

static void sphere_capsule(const mjModel *m, const mjData *d, const int geom[2], robot_touch *out) {
  const double *centre = d->geom_xpos + 3 * geom[0], *middle = d->geom_xpos + 3 * geom[1];
  const double *size = m->geom_size + 3 * geom[1];
  double axis[3], from[3], nearest[3];
  axis_of(d, geom[1], 2, 1.0, axis);
  ahead(from, centre, -1.0, middle);
  ahead(nearest, middle, clip(dot(axis, from), size[1]), axis);
  point_point(centre, m->geom_size[3 * geom[0]], nearest, size[0], out);
}

/* shares x[2] in [-1, 1] of two half axes at which their segments are nearest, by MuJoCo's steps */
static void nearest_shares(const double axis1[3], const double axis2[3], const double from2[3],
                           double x[2]) {
  const double a = dot(axis1, axis1), b = -dot(axis1, axis2), c = dot(axis2, axis2);
  const double u = -dot(axis1, from2), v = dot(axis2, from2), det = a * c - b * b;
  x[0] = fabs(det) >= mjMINVAL ? (c * u - b * v) / det : 0.0;
  x[1] = fabs(det) >= mjMINVAL ? (a * v - b * u) / det : v / c;
  if (fabs(x[0]) > 1.0) {
    x[0] = clip(x[0], 1.0);
    x[1] = (v - x[0] * b) / c;
  }
  if (fabs(x[1]) > 1.0) {
    x[1] = clip(x[1], 1.0);
    x[0] = clip((u - x[1] * b) / a, 1.0);
  }
}

static void capsule_capsule(const mjModel *m, const mjData *d, const int geom[2],
                            robot_touch *out) {
  const double *pos1 = d->geom_xpos + 3 * geom[0], *pos2 = d->geom_xpos + 3 * geom[1];
  const double *size1 = m->geom_size + 3 * geom[0], *size2 = m->geom_size + 3 * geom[1];
  double axis1[3], axis2[3], from2[3], point1[3], point2[3], x[2];
  axis_of(d, geom[0], 2, size1[1], axis1);
  axis_of(d, geom[1], 2, size2[1], axis2);
  ahead(from2, pos1, -1.0, pos2);
  nearest_shares(axis1, axis2, from2, x);
  ahead(point1, pos1, x[0], axis1);
  ahead(point2, pos2, x[1], axis2);
  point_point(point1, size1[0], point2, size2[0], out);
}

bool robot_distance_parallel(const mjData *d, const int geom[2]) {
  // MuJoCo's own bound of the sine, found by trial
  const double most = 1e-4;
  double axis1[3], axis2[3], product[3];
  axis_of(d, geom[0], 2, 1.0, axis1);
  axis_of(d, geom[1], 2, 1.0, axis2);
  mju_cross(product, axis1, axis2);
  return dot(product, product) < most * most;
}

/* where the two of them begin, or end, to lie side by side: an end of the one, and what it is
 * nearest to on the other; where they do not at all, the ends that are nearest */
static void parallel_capsules(const mjModel *m, const mjData *d, const int geom[2], size_t part,
                              robot_touch *out) {
  const double *pos1 = d->geom_xpos + 3 * geom[0], *pos2 = d->geom_xpos + 3 * geom[1];
  const double *size1 = m->geom_size + 3 * geom[0], *size2 = m->geom_size + 3 * geom[1];
  const double side = part == 0 ? 1.0 : -1.0;
  double axis1[3], axis2[3], from[3], point1[3], point2[3];
  axis_of(d, geom[0], 2, 1.0, axis1);
  axis_of(d, geom[1], 2, 1.0, axis2);
  ahead(from, pos2, -1.0, pos1);
  const double way = dot(axis1, axis2) > 0.0 ? 1.0 : -1.0, beyond = side * dot(from, axis1);
  if (size1[1] <= beyond + size2[1]) {
    ahead(point1, pos1, side * size1[1], axis1);
    ahead(from, point1, -1.0, pos2);
    ahead(point2, pos2, clip(dot(from, axis2), size2[1]), axis2);
  } else {
    ahead(point2, pos2, side * way * size2[1], axis2);
    ahead(from, point2, -1.0, pos1);
    ahead(point1, pos1, clip(dot(from, axis1), size1[1]), axis1);
  }
  point_point(point1, size1[0], point2, size2[0], out);
}

/* the face nearest to a centre inside the box: how far, and which axis and side */
static double nearest_face(const double centre[3], const double size[3], int *axis, double *side) {
  double nearest = INFINITY;
  for (int i = 0; i < 6; ++i) {
    const double to = i % 2 ? 1.0 : -1.0, far = fabs(to * size[i / 2] - centre[i / 2]);
    if (far >= nearest) continue;
    nearest = far;
    *axis = i / 2;
    *side = to;
  }
  return nearest;
}

static void sphere_box(const mjModel *m, const mjData *d, const int geom[2], robot_touch *out) {
  const double *size = m->geom_size + 3 * geom[1], radius = m->geom_size[3 * geom[0]];
  const double *centre = d->geom_xpos + 3 * geom[0], *middle = d->geom_xpos + 3 * geom[1];
  double local[3], from[3], axis[3], nearest[3], beyond = 0.0;
  ahead(from, centre, -1.0, middle);
  memcpy(nearest, middle, sizeof nearest);
  for (int i = 0; i < 3; ++i) {
    axis_of(d, geom[1], i, 1.0, axis);
    local[i] = dot(from, axis);
    beyond = fmax(beyond, fabs(local[i]) - size[i]);
    ahead(nearest, nearest, clip(local[i], size[i]), axis);
  }
  if (beyond > 0.0) {
    point_point(centre, radius, nearest, 0.0, out);
    return;
  }
  int face = 0;
  double side = 1.0;
  const double depth = nearest_face(local, size, &face, &side);
  axis_of(d, geom[1], face, -side, out->normal);
  out->dist = -depth - radius;
  ahead(out->pos, centre, 0.5 * (radius - depth), out->normal);
}

size_t robot_distance_points(int type1, int type2) {
  if (type1 == mjGEOM_PLANE)
    return type2 == mjGEOM_SPHERE || type2 == mjGEOM_ELLIPSOID ? 1
           : type2 == mjGEOM_CAPSULE                           ? 2
           : type2 == mjGEOM_BOX                               ? 8
                                                               : 0;
  if (type1 == mjGEOM_SPHERE)
    return type2 == mjGEOM_SPHERE || type2 == mjGEOM_CAPSULE || type2 == mjGEOM_BOX;
  return type1 == mjGEOM_CAPSULE && type2 == mjGEOM_CAPSULE;
}

bool robot_distance_collide(int type1, int type2) {
  (void)type1; // the lower one
  return type2 > mjGEOM_HFIELD;
}

void robot_distance(const mjModel *m, const mjData *d, const int geom[2], size_t parts, size_t part,
                    robot_touch *out) {
  const int type1 = m->geom_type[geom[0]], type2 = m->geom_type[geom[1]];
  memset(out->tangent, 0, sizeof out->tangent);
  if (type1 == mjGEOM_PLANE && type2 == mjGEOM_CAPSULE)
    plane_capsule(m, d, geom, part, out);
  else if (type1 == mjGEOM_PLANE && type2 == mjGEOM_BOX)
    plane_box(m, d, geom, part, out);
  else if (type1 == mjGEOM_PLANE && type2 == mjGEOM_ELLIPSOID)
    plane_ellipsoid(m, d, geom, out);
  else if (type1 == mjGEOM_PLANE)
    plane_point(d, geom[0], d->geom_xpos + 3 * geom[1], m->geom_size[3 * geom[1]], out);
  else if (type1 == mjGEOM_CAPSULE && parts == 2)
    parallel_capsules(m, d, geom, part, out);
  else if (type2 == mjGEOM_CAPSULE)
    (type1 == mjGEOM_SPHERE ? sphere_capsule : capsule_capsule)(m, d, geom, out);
  else if (type2 == mjGEOM_BOX)
    sphere_box(m, d, geom, out);
  else
    point_point(d->geom_xpos + 3 * geom[0], m->geom_size[3 * geom[0]], d->geom_xpos + 3 * geom[1],
                m->geom_size[3 * geom[1]], out);
}

bool robot_distance_is_of_points(int type1, int type2) {
  return type1 == mjGEOM_PLANE &&
         (type2 == mjGEOM_SPHERE || type2 == mjGEOM_CAPSULE || type2 == mjGEOM_BOX);
}

void robot_distance_velocity(const mjModel *m, const mjData *d, const int geom[2],
                             const double twist[], const double point[3], double out[3]) {
  double first[3];
  robot_twist_at(m, d, twist, geom[1], point, out);
  if (m->geom_bodyid[geom[0]] == 0) return; // the world, which does not move
  robot_twist_at(m, d, twist, geom[0], point, first);
  mju_subFrom3(out, first);
}

/* ---- frames ---------------------------------------------------------------------------------- */

void robot_distance_frame(double frame[9]) {
  double *y = frame + 3;
  if (mju_dot3(y, y) < 0.25) {
    mju_zero3(y);
    y[fabs(frame[1]) < 0.5 ? 1 : 2] = 1.0;
  }
  mju_addToScl3(y, frame, -mju_dot3(frame, y));
  mju_normalize3(y);
  mju_cross(frame + 6, frame, y);
}

/* ---- boxes about geoms ----------------------------------------------------------------------- */

static void box_centre(const mjModel *m, const mjData *d, int geom, double out[3]) {
  mju_mulMatVec3(out, d->geom_xmat + 9 * geom, m->geom_aabb + 6 * geom);
  mju_addTo3(out, d->geom_xpos + 3 * geom);
}

/* how far a box reaches from its centre along a direction */
static double box_reach(const mjModel *m, const mjData *d, int geom, const double along[3]) {
  const double *const half = m->geom_aabb + 6 * geom + 3;
  double part[3];
  mju_mulMatTVec3(part, d->geom_xmat + 9 * geom, along);
  return half[0] * fabs(part[0]) + half[1] * fabs(part[1]) + half[2] * fabs(part[2]);
}

bool robot_distance_apart(const mjModel *m, const mjData *d, const int geom[2], double reach) {
  double centre[2][3], from[3], axis[3];
  for (int i = 0; i < 2; ++i) box_centre(m, d, geom[i], centre[i]);
  if (m->geom_type[geom[0]] == mjGEOM_PLANE) {
    axis_of(d, geom[0], 2, 1.0, axis);
    ahead(from, centre[1], -1.0, d->geom_xpos + 3 * geom[0]);
    return dot(from, axis) - box_reach(m, d, geom[1], axis) >= reach;
  }
  ahead(from, centre[1], -1.0, centre[0]);
  for (int i = 0; i < 6; ++i) {
    const int of = geom[i / 3], other = geom[1 - i / 3];
    axis_of(d, of, i % 3, 1.0, axis);
    const double own = m->geom_aabb[6 * of + 3 + i % 3];
    if (fabs(dot(from, axis)) - own - box_reach(m, d, other, axis) >= reach) return true;
  }
  return false;
}

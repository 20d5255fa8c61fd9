/*
 * Pairs of geoms without a rule. MuJoCo's collision function of two types lists its points; which
 * ones, and how many, may change at once while the pair goes on touching.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_found.h"

#include <math.h>

#include "robot_points.h"

/* how far a pair that is latched may have opened before its event ends it */
static const double latched_reach = 1e-3;

static mjfCollision search_of(const mjModel *m, const robot_pair *p) {
  return mjCOLLISIONFUNC[m->geom_type[p->geom[0]]][m->geom_type[p->geom[1]]];
}

bool robot_found_follows(const robot_shared *s, const robot_pair *p) {
  return s->stiffness == 0.0 && s->model->geom_type[p->geom[1]] != mjGEOM_SDF &&
         search_of(s->model, p);
}

/* MuJoCo's points within `reach`, and which of them is nearest */
static int search(robot *r, const robot_pair *p, double reach, mjPreContact found[mjMAXCONPAIR],
                  int *nearest) {
  const int count =
      search_of(&r->model, p)(&r->model, r->data, found, p->geom[0], p->geom[1], reach);
  *nearest = 0;
  for (int i = 1; i < count; ++i)
    if (found[i].dist < found[*nearest].dist) *nearest = i;
  return count;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* a pair that is latched, but just apart, keeps its nearest point: an event ends it */
void robot_found_add(robot *r, const robot_pair *p) {
  mjPreContact found[mjMAXCONPAIR];
  int nearest, first = 0, count = search(r, p, p->margin, found, &nearest);
  if (count == 0 && search(r, p, p->margin + latched_reach, found, &nearest) > 0) {
    first = nearest;
    count = first + 1;
  }
  for (int i = first; i < count; ++i) {
    robot_touch touch = {.dist = found[i].dist};
    mju_copy3(touch.pos, found[i].pos);
    mju_copy3(touch.normal, found[i].normal);
    mju_copy3(touch.tangent, found[i].tangent);
    robot_point_add(r, p, &touch);
  }
}

/* ---- distances ------------------------------------------------------------------------------- */

/* no more than the distance of two geoms, by spheres about them, above a plane, or above the
 * highest place of a height field; and the point and direction it is taken at */
static void bound_distance(const robot *r, const int geom[2], robot_touch *out) {
  const mjModel *m = &r->model;
  const int type = m->geom_type[geom[0]];
  const double *first = r->data->geom_xpos + 3 * geom[0], *mat = r->data->geom_xmat + 9 * geom[0];
  const double *second = r->data->geom_xpos + 3 * geom[1], radius = m->geom_rbound[geom[1]];
  double from[3];
  mju_sub3(from, second, first);
  mju_copy3(out->pos, second);
  if (type == mjGEOM_PLANE || type == mjGEOM_HFIELD) {
    const double top = type == mjGEOM_PLANE ? 0.0 : m->hfield_size[4 * m->geom_dataid[geom[0]] + 2];
    for (int i = 0; i < 3; ++i) out->normal[i] = mat[3 * i + 2];
    out->dist = mju_dot3(from, out->normal) - top - radius;
    return;
  }
  mju_copy3(out->normal, from);
  out->dist = mju_normalize3(out->normal) - radius - m->geom_rbound[geom[0]];
}

/* a pair's distance is searched for where it may be within this share of the sizes of both */
static const double near_share = 0.125;

/* by the nearest of MuJoCo's points within `reach`; false where it lists none */
static bool found_distance(robot *r, const robot_pair *p, double reach, robot_touch *out) {
  mjPreContact found[mjMAXCONPAIR];
  int nearest;
  if (search(r, p, reach, found, &nearest) == 0) return false;
  out->dist = found[nearest].dist;
  mju_copy3(out->normal, found[nearest].normal);
  mju_copy3(out->pos, found[nearest].pos);
  return true;
}

/* of two that MuJoCo lists no contact of */
static void apart_distance(robot *r, const robot_pair *p, double reach, robot_touch *out) {
  double ends[6];
  out->dist = mj_geomDistance(&r->model, r->data, p->geom[0], p->geom[1], reach, ends);
  mju_zero3(out->normal);
  if (out->dist >= reach) return;
  mju_sub3(out->normal, ends + 3, ends);
  mju_normalize3(out->normal);
  if (out->dist < 0.0) mju_scl3(out->normal, out->normal, -1.0);
  mju_add3(out->pos, ends, ends + 3);
  mju_scl3(out->pos, out->pos, 0.5);
}

/* Of two that touch. MuJoCo's points of a pair have their depths along one direction, which need
 * not be that of the pair's own depth: it turns with the bodies, and no velocity of a point tells
 * how fast such a depth changes. */
static void touching_distance(robot *r, const robot_pair *p, robot_touch *out) {
  robot_touch depth;
  if (r->model.geom_type[p->geom[0]] <= mjGEOM_HFIELD) return;
  apart_distance(r, p, 0.0, &depth);
  if (depth.dist < 0.0) *out = depth;
}

/* A cylinder's lowest point: MuJoCo's own loses its digits where the cylinder stands nearly
 * upright, as one at rest does. */
static void can_distance(const robot *r, const int geom[2], robot_touch *out) {
  const mjData *d = r->data;
  const double *const size = r->model.geom_size + 3 * geom[1];
  const double *const centre = d->geom_xpos + 3 * geom[1];
  double axis[3], from[3], across[3], side[3];
  for (int i = 0; i < 3; ++i) {
    out->normal[i] = d->geom_xmat[9 * geom[0] + 3 * i + 2];
    axis[i] = d->geom_xmat[9 * geom[1] + 3 * i + 2];
  }
  mju_cross(across, out->normal, axis);
  mju_cross(side, across, axis);
  mju_sub3(from, centre, d->geom_xpos + 3 * geom[0]);
  const double up = mju_dot3(axis, out->normal), tilt = mju_norm3(across);
  out->dist = mju_dot3(from, out->normal) - size[1] * fabs(up) - size[0] * tilt;
  mju_addScl3(out->pos, centre, axis, up > 0.0 ? -size[1] : size[1]);
  if (tilt > 0.0) mju_addToScl3(out->pos, side, size[0] / tilt);
}

static bool is_can(const mjModel *m, const int geom[2]) {
  return m->geom_type[geom[0]] == mjGEOM_PLANE && m->geom_type[geom[1]] == mjGEOM_CYLINDER;
}

/* A search takes as long as the field of a small robot, so it is made only where neither the
 * spheres nor the boxes about the two are apart. */
void robot_found_distance(robot *r, const robot_pair *p, robot_touch *out) {
  const mjModel *m = &r->model;
  const double radius = m->geom_rbound[p->geom[1]];
  const bool hills = m->geom_type[p->geom[0]] == mjGEOM_HFIELD;
  const double reach =
      p->margin + (hills ? radius : near_share * (radius + m->geom_rbound[p->geom[0]]));
  robot_touch near;
  if (is_can(m, p->geom)) {
    can_distance(r, p->geom, out);
    return;
  }
  bound_distance(r, p->geom, out);
  if (out->dist >= reach) return;
  const bool apart = !hills && robot_distance_apart(m, r->data, p->geom, reach);
  if (!apart && found_distance(r, p, p->margin, out)) {
    touching_distance(r, p, out);
    return;
  }
  near.dist = reach;
  mju_zero3(near.normal);
  mju_copy3(near.pos, out->pos);
  if (!apart) apart_distance(r, p, reach, &near);
  // two searches of MuJoCo's need not agree to the last digit: that of contacts is right
  near.dist = fmax(near.dist, p->margin);
  if (near.dist > out->dist) *out = near;
}

robot_points robot_found_points(robot *r, const robot_pair *p) {
  mjPreContact found[mjMAXCONPAIR];
  robot_points points = {0};
  robot_touch bound;
  int nearest;
  bound_distance(r, p->geom, &bound);
  if (bound.dist > p->margin) return points;
  points.count = (size_t)search(r, p, p->margin, found, &nearest);
  if (points.count > 0) points.dist = found[nearest].dist;
  for (int g = 0; g < 2 && points.count > 0; ++g) {
    double sum[3] = {0};
    for (size_t i = 0; i < points.count; ++i) mju_addTo3(sum, found[i].pos);
    mju_scl3(sum, sum, 1.0 / (double)points.count);
    mju_subFrom3(sum, r->data->geom_xpos + 3 * p->geom[g]);
    mju_mulMatTVec3(points.mean[g], r->data->geom_xmat + 9 * p->geom[g], sum);
  }
  return points;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_places.h"

#include <stdlib.h>

/* ---- turns ----------------------------------------------------------------------------------- */

static inline void turn(double out[3], const double v[3], const double q[4]) {
  const double a = q[0] * v[0] + q[2] * v[2] - q[3] * v[1];
  const double b = q[0] * v[1] + q[3] * v[0] - q[1] * v[2];
  const double c = q[0] * v[2] + q[1] * v[1] - q[2] * v[0];
  out[0] = v[0] + 2.0 * (q[2] * c - q[3] * b);
  out[1] = v[1] + 2.0 * (q[3] * a - q[1] * c);
  out[2] = v[2] + 2.0 * (q[1] * b - q[2] * a);
}

/* a point of a body's, in the world */
static inline void place(double out[3], const double v[3], const double mat[9],
                         const double at[3]) {
  for (int i = 0; i < 3; ++i)
    out[i] = mat[3 * i] * v[0] + mat[3 * i + 1] * v[1] + mat[3 * i + 2] * v[2] + at[i];
}

static inline bool is_zero(const double v[3]) {
  return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* moves a body by one of its joints */
static void move(const mjModel *m, const mjData *d, int joint, double pos[3], double quat[4]) {
  const double *const q = d->qpos + m->jnt_qposadr[joint], *const anchor = m->jnt_pos + 3 * joint;
  const double *const axis = m->jnt_axis + 3 * joint;
  const int type = m->jnt_type[joint];
  double own[4], before[3], after[3];
  if (type == mjJNT_FREE) {
    mju_copy3(pos, q);
    mju_copy4(quat, q + 3);
    mju_normalize4(quat);
    return;
  }
  const double way = q[0] - m->qpos0[m->jnt_qposadr[joint]];
  turn(before, type == mjJNT_SLIDE ? axis : anchor, quat);
  if (type == mjJNT_SLIDE) {
    mju_addToScl3(pos, before, way);
    return;
  }
  if (type == mjJNT_BALL) {
    mju_copy4(own, q);
    mju_normalize4(own);
  } else {
    mju_axisAngle2Quat(own, axis, way);
  }
  mju_mulQuat(quat, quat, own);
  if (is_zero(anchor)) return; // it turns about its own origin
  turn(after, anchor, quat);
  for (int i = 0; i < 3; ++i) pos[i] = before[i] + pos[i] - after[i];
}

static void place_body(const mjModel *m, mjData *d, int body) {
  const int parent = m->body_parentid[body], mocap = m->body_mocapid[body];
  const int first = m->body_jntadr[body];
  double *const pos = d->xpos + 3 * body, *const quat = d->xquat + 4 * body;
  double from[4];
  mju_copy4(from, mocap >= 0 ? d->mocap_quat + 4 * mocap : m->body_quat + 4 * body);
  if (mocap >= 0) mju_normalize4(from);
  const double *const at = mocap >= 0 ? d->mocap_pos + 3 * mocap : m->body_pos + 3 * body;
  if (parent > 0) {
    place(pos, at, d->xmat + 9 * parent, d->xpos + 3 * parent);
    mju_mulQuat(quat, d->xquat + 4 * parent, from);
  } else {
    mju_copy3(pos, at);
    mju_copy4(quat, from);
  }
  for (int j = first; j < first + m->body_jntnum[body]; ++j) move(m, d, j, pos, quat);
  mju_normalize4(quat);
  mju_quat2Mat(d->xmat + 9 * body, quat);
}

/* ---- geoms ----------------------------------------------------------------------------------- */

static void place_geom(const mjModel *m, mjData *d, int geom) {
  const int body = m->geom_bodyid[geom];
  double quat[4];
  place(d->geom_xpos + 3 * geom, m->geom_pos + 3 * geom, d->xmat + 9 * body, d->xpos + 3 * body);
  if (m->geom_type[geom] == mjGEOM_SPHERE) return; // it is the same however it is turned
  mju_mulQuat(quat, d->xquat + 4 * body, m->geom_quat + 4 * geom);
  mju_quat2Mat(d->geom_xmat + 9 * geom, quat);
}

void robot_places(const robot *r) {
  const mjModel *const m = &r->model;
  for (int body = 1; body < (int)m->nbody; ++body) place_body(m, r->data, body);
  for (size_t i = 0; i < r->shared->placed_count; ++i) place_geom(m, r->data, r->shared->placed[i]);
}

/* ---- those that events are of ---------------------------------------------------------------- */

/* whether geoms are all that event functions are of, but for joints' limits */
static bool are_of_places(const robot_shared *s) {
  return s->model->ntendon == 0 && s->row_events == s->force_events && s->stiffness == 0.0;
}

/* a geom of the world stays where it is */
static void add(robot_shared *s, int geom) {
  bool known = s->model->geom_bodyid[geom] == 0;
  for (size_t i = 0; !known && i < s->placed_count; ++i) known = s->placed[i] == geom;
  if (!known) s->placed[s->placed_count++] = geom;
}

bool robot_places_find(robot_shared *s) {
  if (!are_of_places(s)) return true;
  s->placed = calloc((size_t)s->model->ngeom + 1, sizeof *s->placed);
  for (size_t i = 0; s->placed && i < s->pair_count; ++i)
    for (int side = 0; side < 2; ++side) add(s, s->pairs[i].geom[side]);
  return s->placed;
}

/*
 * The forces of a robot's springs and dampers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_twin.h"

#include <math.h>

#include "robot_points.h"
#include "robot_twist.h"

bool robot_twin_has_forces(const robot_shared *shared) {
  return shared->stiffness > 0.0 && shared->damping > 0.0;
}

/* A contact's force before it is projected. */
typedef struct spring {
  const robot_pair *pair;
  const robot_touch *touch;
  double normal;    /* u_n */
  double across[3]; /* u_t */
  double size;      /* T */
  double friction;  /* mu; 0 where the contact slides */
} spring;

static spring spring_of(robot *r, size_t k) {
  const robot_shared *s = r->shared;
  const robot_pair *p = &s->pairs[s->events[k].object];
  const robot_touch *touch = robot_point(r, k);
  double velocity[3];
  spring out = {
      .pair = p, .touch = touch, .friction = p->pattern.dim > 1 ? p->pattern.friction[0] : 0.0};
  robot_distance_velocity(&r->model, r->data, p->geom, r->data->cvel, touch->pos, velocity);
  const double away = mju_dot3(velocity, touch->normal);
  out.normal = s->stiffness * (p->margin - touch->dist) - s->damping * away;
  for (int i = 0; i < 3; ++i) out.across[i] = -s->damping * (velocity[i] - away * touch->normal[i]);
  out.size = out.friction > 0.0 ? mju_norm3(out.across) : 0.0;
  return out;
}

/* u_n + mu T / i, of the sign of F_n where the contact slides, and wherever that may be 0 */
static double sliding(const robot *r, const spring *u) {
  return u->normal + u->friction * u->size / r->model.opt.impratio;
}

/* what u_t is to be multiplied by, and F_n */
static double project(const robot *r, const spring *u, double *normal) {
  *normal = u->normal;
  if (u->size <= u->friction * u->normal) return u->friction > 0.0;
  *normal = sliding(r, u) / (1.0 + u->friction * u->friction / r->model.opt.impratio);
  return u->size > 0.0 ? u->friction * *normal / u->size : 0.0;
}

/* adds s times a force at a point to those on a geom's body, which are taken about the same point
 * as its velocity is */
static void add_load(robot *r, int geom, double s, const double force[3], const double at[3]) {
  const int body = r->model.geom_bodyid[geom];
  double *const load = r->load + 6 * body, arm[3], torque[3];
  mju_sub3(arm, at, r->data->subtree_com + 3 * r->model.body_rootid[body]);
  mju_cross(torque, arm, force);
  mju_addToScl3(load, torque, s);
  mju_addToScl3(load + 3, force, s);
}

static void push(robot *r, size_t k) {
  const spring u = spring_of(r, k);
  double normal, force[3];
  const double share = project(r, &u, &normal);
  for (int i = 0; i < 3; ++i) force[i] = normal * u.touch->normal[i] + share * u.across[i];
  add_load(r, u.pair->geom[1], 1.0, force, u.touch->pos);
  add_load(r, u.pair->geom[0], -1.0, force, u.touch->pos);
}

/* what the bodies' loads are to the joints: each body hands its own on to the one before it */
static void carry_loads(robot *r) {
  const mjModel *m = &r->model;
  for (int body = (int)m->nbody - 1; body > 0; --body) {
    const double *const load = r->load + 6 * body;
    const int first = m->body_dofadr[body], end = first + m->body_dofnum[body];
    for (int i = first; i < end; ++i)
      r->data->qfrc_applied[i] = mju_dot(r->data->cdof + 6 * i, load, 6);
    const int parent = m->body_parentid[body];
    if (parent > 0) mju_addTo(r->load + 6 * parent, load, 6);
  }
}

/* whether contact k pushes, by the latched signs */
static bool pushes(const robot *r, size_t k) {
  const robot_shared *s = r->shared;
  if (!(r->acting[k] > 0.0)) return false;
  return !robot_twin_has_forces(s) || r->acting[s->force_events + k] > 0.0;
}

void robot_twin_push(robot *r) {
  mju_zero(r->load, 6 * (int)r->model.nbody);
  for (size_t k = 0; k < r->shared->contact_events; ++k)
    if (pushes(r, k)) push(r, k);
  carry_loads(r);
}

/* ---- how they resist ------------------------------------------------------------------------- */

/* the last degree of freedom that a geom hangs on; -1: none */
static int last_of(const mjModel *m, int geom) {
  int body = m->geom_bodyid[geom];
  while (body > 0 && m->body_dofnum[body] == 0) body = m->body_parentid[body];
  return body > 0 ? m->body_dofadr[body] + m->body_dofnum[body] - 1 : -1;
}

/* adds side times the velocity of a geom's point to J[3 * nv], for those degrees of freedom */
static void add_arrow(robot *r, int geom, double side, const double at[3], double J[]) {
  const mjModel *m = &r->model;
  double arm[3], velocity[3];
  mju_sub3(arm, at, r->data->subtree_com + 3 * m->body_rootid[m->geom_bodyid[geom]]);
  for (int i = last_of(m, geom); i >= 0; i = m->dof_parentid[i]) {
    mju_cross(velocity, r->data->cdof + 6 * i, arm);
    mju_addTo3(velocity, r->data->cdof + 6 * i + 3);
    mju_addToScl3(J + 3 * i, velocity, side);
  }
}

/* adds J^T C J in the rows of what a geom hangs on, where C is `along` the normal and `across` it
 */
static void add_resistance(robot *r, int geom, const double n[3], double along, double across,
                           const double J[], double D[]) {
  const mjModel *m = &r->model;
  for (int i = last_of(m, geom); i >= 0; i = m->dof_parentid[i]) {
    const double normal = (along - across) * mju_dot3(n, J + 3 * i);
    const int start = m->M_rowadr[i], end = start + m->M_rownnz[i];
    for (int e = start; e < end; ++e) {
      const double *const other = J + 3 * m->M_colind[e];
      D[e] += across * mju_dot3(J + 3 * i, other) + normal * mju_dot3(n, other);
    }
  }
}

static void forget_arrow(const mjModel *m, int geom, double J[]) {
  for (int i = last_of(m, geom); i >= 0; i = m->dof_parentid[i]) mju_zero3(J + 3 * i);
}

static void resist(robot *r, size_t k, double D[], double K[]) {
  const spring u = spring_of(r, k);
  const int *const geom = u.pair->geom;
  double *const J = r->arrow, normal;
  const double stiffness = r->shared->stiffness, damping = r->shared->damping;
  const double across = damping * project(r, &u, &normal);
  add_arrow(r, geom[0], -1.0, u.touch->pos, J);
  add_arrow(r, geom[1], 1.0, u.touch->pos, J);
  for (int side = 1; side >= 0; --side) {
    add_resistance(r, geom[side], u.touch->normal, damping, across, J, D);
    add_resistance(r, geom[side], u.touch->normal, stiffness, 0.0, J, K);
    forget_arrow(&r->model, geom[side], J);
  }
}

void robot_twin_resist(robot *r, double D[], double K[]) {
  mju_zero(r->arrow, 3 * (int)r->model.nv);
  for (size_t k = 0; k < r->shared->contact_events; ++k)
    if (pushes(r, k)) resist(r, k, D, K);
}

double robot_twin_force(robot *r, size_t k) {
  const spring u = spring_of(r, k);
  return sliding(r, &u) / r->shared->stiffness;
}

/* ---- how they change ------------------------------------------------------------------------- */

bool robot_twin_knows_rate(const robot *r, size_t k) {
  const robot_pair *p = &r->shared->pairs[r->shared->events[k].object];
  const int *const type = r->model.geom_type;
  return robot_distance_is_of_points(type[p->geom[0]], type[p->geom[1]]);
}

/* Of a point that stays in its body, above a plane, which MuJoCo has in the world alone: rates of
 * the distance, and of the velocity where they touch. */
typedef struct swing {
  double dist, velocity[3];
} swing;

static swing swing_of(const robot *r, const spring *u) {
  const mjModel *m = &r->model;
  const int geom = u->pair->geom[1], body = 6 * m->geom_bodyid[geom];
  const robot_touch *t = u->touch;
  // from the point between both surfaces to the one that stays in the body
  const double radius = m->geom_type[geom] == mjGEOM_BOX ? 0.0 : m->geom_size[3 * geom];
  double moved[3], turned[3];
  swing out;
  robot_twist_at(m, r->data, r->along, geom, t->pos, moved);
  out.dist = mju_dot3(moved, t->normal);
  mju_cross(turned, r->along + body, t->normal);
  mju_addToScl3(moved, turned, 0.5 * t->dist + radius);
  mju_addToScl3(moved, t->normal, -0.5 * out.dist);
  mju_cross(turned, r->data->cvel + body, moved);
  robot_twist_at(m, r->data, r->change, geom, t->pos, out.velocity);
  mju_addTo3(out.velocity, turned);
  return out;
}

double robot_twin_force_rate(robot *r, size_t k) {
  const robot_shared *s = r->shared;
  const spring u = spring_of(r, k);
  const swing w = swing_of(r, &u);
  const double *const n = u.touch->normal;
  const double faster = mju_dot3(w.velocity, n);
  const double normal = -s->stiffness * w.dist - s->damping * faster;
  double across = 0.0; // the rate of T
  for (int i = 0; i < 3 && u.size > 0.0; ++i)
    across -= s->damping * (w.velocity[i] - faster * n[i]) * u.across[i] / u.size;
  return (normal + u.friction * across / r->model.opt.impratio) / s->stiffness;
}

/*
 * The forces of a robot's springs and dampers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_twin.h"

#include <math.h>

#include "robot_distance.h"

bool robot_twin_has_forces(const robot_shared *shared) {
  return shared->stiffness > 0.0 && shared->damping > 0.0;
}

/* A contact's force before it is projected. */
typedef struct spring {
  robot_touch touch;
  double normal;    /* u_n */
  double across[3]; /* u_t */
  double size;      /* T */
  double friction;  /* mu; 0 where the contact slides */
} spring;

static spring spring_of(const robot *r, const robot_pair *p, size_t part) {
  const robot_shared *s = r->shared;
  double velocity[3];
  spring out = {.friction = p->pattern.dim > 1 ? p->pattern.friction[0] : 0.0};
  robot_distance(&r->model, r->data, p->geom, p->parts, part, &out.touch);
  robot_distance_velocity(&r->model, r->data, p->geom, &out.touch, velocity);
  const double away = mju_dot3(velocity, out.touch.normal);
  out.normal = s->stiffness * (p->margin - out.touch.dist) - s->damping * away;
  for (int i = 0; i < 3; ++i)
    out.across[i] = -s->damping * (velocity[i] - away * out.touch.normal[i]);
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

static void push(robot *r, const robot_pair *p, size_t part) {
  static const double no_torque[3];
  const mjModel *m = &r->model;
  const spring u = spring_of(r, p, part);
  double normal, force[3], back[3];
  const double share = project(r, &u, &normal);
  for (int i = 0; i < 3; ++i) force[i] = normal * u.touch.normal[i] + share * u.across[i];
  mju_scl3(back, force, -1.0);
  mj_applyFT(m, r->data, force, no_torque, u.touch.pos, m->geom_bodyid[p->geom[1]],
             r->data->qfrc_applied);
  mj_applyFT(m, r->data, back, no_torque, u.touch.pos, m->geom_bodyid[p->geom[0]],
             r->data->qfrc_applied);
}

void robot_twin_push(robot *r) {
  const robot_shared *s = r->shared;
  const bool forces = robot_twin_has_forces(s);
  mju_zero(r->data->qfrc_applied, (int)r->model.nv);
  for (size_t k = 0; k < s->contact_events; ++k) {
    const robot_event *e = &s->events[k];
    if (r->acting[k] > 0.0 && (!forces || r->acting[s->force_events + k] > 0.0))
      push(r, &s->pairs[e->object], (size_t)e->part);
  }
}

double robot_twin_force(const robot *r, size_t k) {
  const robot_event *e = &r->shared->events[k];
  const spring u = spring_of(r, &r->shared->pairs[e->object], (size_t)e->part);
  return sliding(r, &u) / r->shared->stiffness;
}

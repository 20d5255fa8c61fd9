/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "robot_physics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_version.h"
#include "robot_instance.h"
#include "robot_survey.h"
#include "solver.h"

/* Two geoms that have been in contact. */
typedef struct touching {
  int geom[2];
  size_t times;        /* that they were */
  double away;         /* from the distance at which a contact begins to act, at most */
  size_t points;       /* that friction holds at the latest time */
  bool was_held;       /* at the time before */
  double velocity[3];  /* sum over the points */
  double earlier[3];   /* mean at the time before */
  double displaced[3]; /* since it is held */
} touching;

typedef struct visit {
  const robot *r;
  const robot_controls *controls;
  const double *states;
  const bool *counts;
  size_t count;
  double dt;
  mjModel model; /* the compiled one's arrays, with options of its own */
  mjData *data;
  robot_held held;
  touching *pairs;
  size_t pair_count, pair_room;
  bool out_of_memory;
  robot_physics *out;
} visit;

/* ---- creep ----------------------------------------------------------------------------------- */

/* Whether the tangential force is inside the friction cone. Of a pyramid each edge has a force
 * then. An ellipsoid may be reached by torsional or rolling friction, while nothing slides. */
static bool is_held(const visit *v, const mjContact *c) {
  static const double inside = 0.999;
  const mjData *const d = v->data;
  const int first = c->efc_address;
  if (c->dim < 3 || first < 0) return false;
  if (d->efc_type[first] == mjCNSTR_CONTACT_PYRAMIDAL) {
    for (int i = 0; i < 4; ++i)
      if (d->efc_state[first + i] != mjCNSTRSTATE_QUADRATIC) return false;
    return true;
  }
  const double *const force = d->efc_force + first;
  return hypot(force[1] / c->friction[0], force[2] / c->friction[1]) < inside * force[0];
}

/* of a geom's body at a place */
static void velocity_at(const visit *v, int geom, const double pos[3], double out[3]) {
  const mjData *const d = v->data;
  const int body = v->model.geom_bodyid[geom];
  const double *const twist = d->cvel + 6 * body;
  double arm[3];
  mju_sub3(arm, pos, d->subtree_com + 3 * v->model.body_rootid[body]);
  mju_cross(out, twist, arm);
  mju_addTo3(out, twist + 3);
}

static touching *pair_of(visit *v, const mjContact *c) {
  for (size_t i = 0; i < v->pair_count; ++i)
    if (v->pairs[i].geom[0] == c->geom[0] && v->pairs[i].geom[1] == c->geom[1]) return &v->pairs[i];
  if (v->pair_count == v->pair_room) {
    const size_t room = 2 * v->pair_room + 16;
    touching *const more = realloc(v->pairs, room * sizeof *more);
    v->out_of_memory = !more;
    if (!more) return NULL;
    v->pairs = more;
    v->pair_room = room;
  }
  touching *const t = &v->pairs[v->pair_count++];
  *t = (touching){.geom = {c->geom[0], c->geom[1]}};
  return t;
}

static void add_velocity(const visit *v, const mjContact *c, touching *t) {
  double first[3], second[3];
  velocity_at(v, c->geom[0], c->pos, first);
  velocity_at(v, c->geom[1], c->pos, second);
  mju_subFrom3(second, first);
  mju_addToScl3(second, c->frame, -mju_dot3(second, c->frame));
  mju_addTo3(t->velocity, second);
  ++t->points;
}

/* the trapezoid's rule between two times at which it is held */
static void advance(visit *v, touching *t, double elapsed) {
  if (t->points > 0) {
    double mean[3];
    mju_scl3(mean, t->velocity, 1.0 / (double)t->points);
    if (t->was_held) {
      mju_addToScl3(t->displaced, mean, 0.5 * elapsed);
      mju_addToScl3(t->displaced, t->earlier, 0.5 * elapsed);
    } else {
      mju_zero3(t->displaced);
    }
    mju_copy3(t->earlier, mean);
    v->out->creep = fmax(v->out->creep, mju_norm3(t->displaced));
  }
  t->was_held = t->points > 0;
  t->points = 0;
  mju_zero3(t->velocity);
}

/* ---- the trajectory -------------------------------------------------------------------------- */

static void set_state(visit *v, size_t output) {
  const mjModel *const m = &v->model;
  mjData *const d = v->data;
  const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, na = (size_t)m->na;
  const double *const x = v->states + output * (nq + nv + na);
  memcpy(d->qpos, x, nq * sizeof *x);
  memcpy(d->qvel, x + nq, nv * sizeof *x);
  memcpy(d->act, x + nq + nv, na * sizeof *x);
  d->time = (double)output * v->dt;
  mju_copy(d->ctrl, robot_controls_hold(v->controls, d->time, x, x + nq, &v->held), (int)m->nu);
}

static double energy_of(visit *v) {
  mj_energyPos(&v->model, v->data);
  mj_energyVel(&v->model, v->data);
  return v->data->energy[0] + v->data->energy[1];
}

static void add_contact(visit *v, const mjContact *c) {
  v->out->penetration = fmax(v->out->penetration, -c->dist);
  if (c->geom[0] < 0 || c->geom[1] < 0) return;
  touching *const t = pair_of(v, c);
  if (!t) return;
  ++t->times;
  t->away = fmax(t->away, fabs(c->includemargin - c->dist));
  if (is_held(v, c)) add_velocity(v, c, t);
}

/* m, and how often: a contact that rests is deeper */
static const double rounding = 1e-10;
enum { OFTEN = 3 };

static void find_grazing(const visit *v) {
  for (size_t i = 0; i < v->pair_count; ++i) {
    const touching *const t = &v->pairs[i];
    char first[ROBOT_NAME_SIZE / 2], second[ROBOT_NAME_SIZE / 2];
    if (t->times < OFTEN || t->away > rounding) continue;
    robot_survey_geom_name(&v->model, t->geom[0], first, sizeof first);
    robot_survey_geom_name(&v->model, t->geom[1], second, sizeof second);
    snprintf(v->out->grazing, sizeof v->out->grazing, "%s,%s", first, second);
  }
}

static void go(void *context) {
  visit *const v = context;
  double first = 0.0;
  size_t before = 0;
  v->data = mj_makeData(&v->model);
  v->held = (robot_held){calloc((size_t)v->model.nu + 1, sizeof(double)), -INFINITY};
  v->out_of_memory = !v->data || !v->held.ctrl;
  for (size_t i = 0; i < v->count && !v->out_of_memory; ++i) {
    if (i > 0 && v->counts && !v->counts[i]) continue;
    set_state(v, i);
    mj_forward(&v->model, v->data);
    const double energy = energy_of(v);
    if (i == 0) first = energy;
    v->out->energy = energy - first;
    for (int k = 0; k < v->data->ncon; ++k) add_contact(v, &v->data->contact[k]);
    for (size_t k = 0; k < v->pair_count; ++k)
      advance(v, &v->pairs[k], (double)(i - before) * v->dt);
    before = i;
  }
  find_grazing(v);
}

int robot_physics_of(const robot *r, const robot_controls *controls, const double states[],
                     const bool counts[], size_t count, double dt, robot_physics *out,
                     char message[ROBOT_MESSAGE_SIZE]) {
  visit v = {r, controls, states, counts, count, dt, .model = *r->shared->model, .out = out};
  bridge_complaint complaint = {0};
  *out = (robot_physics){0};
  // forces of friction as exact as they can be had, of MuJoCo's states and of others
  robot_solve_exactly(&v.model.opt);
  robot_leave_sensors(&v.model.opt);
  bridge_guarded(go, &v, &complaint);
  if (v.data) mj_deleteData(v.data);
  free(v.pairs);
  free(v.held.ctrl);
  // a surface that moves carries what it holds along
  if (bridge_version_surfaces_move(&v.model)) out->creep = NAN;
  if (!complaint.error && !v.out_of_memory) return 0;
  snprintf(message, ROBOT_MESSAGE_SIZE, "mujoco: %s",
           v.out_of_memory ? "out of memory" : complaint.text);
  return SOLVER_FAILED;
}

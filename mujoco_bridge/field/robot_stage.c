/*
 * MuJoCo's forward dynamics, stage by stage: what mj_forward does, without what no field needs
 * (sensors, cameras, energy, islands, the search for contacts) and with what acts said by signs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "robot_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bridge_guard.h"
#include "bridge_version.h"
#include "robot_distance.h"
#include "robot_forces.h"
#include "robot_found.h"
#include "robot_places.h"
#include "robot_points.h"
#include "robot_twin.h"

void robot_stage_forget(robot *r) {
  r->stage = (robot_stage){0};
  robot_points_forget(r);
}

void robot_stage_reset(robot *r) {
  const size_t size = (size_t)r->model.nu * sizeof *r->held;
  memcpy(r->held, r->data->ctrl, size);
  mj_resetData(&r->model, r->data);
  r->has_world = false;
  memcpy(r->data->ctrl, r->held, size);
  robot_stage_forget(r);
}

/* a contact, or a row of forces, that MuJoCo has left out, and gone on; or NULL */
static const char *left_out(const mjData *d) {
  static const int kinds[] = {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL};
  for (size_t i = 0; d && i < sizeof kinds / sizeof *kinds; ++i)
    if (d->warning[kinds[i]].number > 0) return bridge_version_warning(d, kinds[i]);
  return NULL;
}

int robot_guarded(robot *r, void (*work)(void *context), void *context) {
  bridge_complaint complaint;
  bridge_guarded(work, context, &complaint);
  const char *const why = complaint.error ? complaint.text : left_out(r->data);
  if (!why) return 0;
  snprintf(r->failure, sizeof r->failure, "mujoco: %s", why);
  if (r->data) robot_stage_reset(r); // an error has left MuJoCo's stack as it was
  return -1;
}

void robot_stage_places(robot *r, const double x[]) {
  const size_t size = (size_t)r->model.nq * sizeof *x;
  const bool known = r->stage.poses || r->stage.places;
  if (known && memcmp(r->data->qpos, x, size) == 0) return;
  if (!r->shared->placed || !r->has_world) {
    robot_stage_poses(r, x);
    return;
  }
  robot_stage_forget(r);
  memcpy(r->data->qpos, x, size);
  robot_places(r);
  r->stage.places = true;
}

void robot_stage_poses(robot *r, const double x[]) {
  const mjModel *m = &r->model;
  mjData *d = r->data;
  const size_t size = (size_t)m->nq * sizeof *x;
  if (r->stage.poses && memcmp(d->qpos, x, size) == 0) return;
  robot_stage_forget(r);
  memcpy(d->qpos, x, size);
  mj_kinematics(m, d);
  r->stage.poses = r->has_world = true;
  // lengths of tendons come with their Jacobians
  if (m->ntendon > 0) robot_stage_kinematics(r, x);
}

void robot_stage_kinematics(robot *r, const double x[]) {
  robot_stage_poses(r, x);
  if (r->stage.kinematics) return;
  mj_comPos(&r->model, r->data);
  if (r->model.ntendon > 0) mj_tendon(&r->model, r->data);
  r->stage.kinematics = true;
}

void robot_stage_velocities(robot *r, const double v[]) {
  const size_t size = (size_t)r->model.nv * sizeof *v;
  if (r->stage.velocities && memcmp(r->data->qvel, v, size) == 0) return;
  memcpy(r->data->qvel, v, size);
  mj_comVel(&r->model, r->data);
  r->stage.velocities = true;
}

/* ---- what acts ------------------------------------------------------------------------------- */

/* capsules that just pass parallel have MuJoCo's two points there: a jump of the field without an
 * event function, that only steps which fail show */
static bool pass_parallel(const robot *r, const robot_pair *p) {
  const int *const type = r->model.geom_type;
  return p->parts == 1 && type[p->geom[0]] == mjGEOM_CAPSULE &&
         type[p->geom[1]] == mjGEOM_CAPSULE && robot_distance_parallel(r->data, p->geom);
}

static void add_contact(robot *r, size_t k) {
  const robot_pair *p = &r->shared->pairs[r->shared->events[k].object];
  if (!pass_parallel(r, p)) {
    robot_point_add(r, p, robot_point(r, k));
    return;
  }
  for (size_t part = 0; part < 2; ++part) {
    robot_touch touch;
    robot_distance(&r->model, r->data, p->geom, 2, part, &touch);
    robot_point_add(r, p, &touch);
  }
}

static double joint_margin(const robot *r, const robot_event *e) {
  return e->of == ROBOT_OF_JOINT ? r->model.jnt_margin[e->object]
                                 : r->model.tendon_margin[e->object];
}

/* the range as it was compiled */
static const double *range_of(const robot *r, const robot_event *e) {
  const mjModel *m = r->shared->model;
  return (e->of == ROBOT_OF_JOINT ? m->jnt_range : m->tendon_range) + 2 * (size_t)e->object;
}

static bool is_ball(const robot *r, const robot_event *e) {
  return e->of == ROBOT_OF_JOINT && r->model.jnt_type[e->object] == mjJNT_BALL;
}

/* a ball joint's angle, and the axis it turns about */
static double ball_angle(const robot *r, int joint, double axis[3]) {
  double quat[4];
  mju_copy4(quat, r->data->qpos + r->model.jnt_qposadr[joint]);
  mju_normalize4(quat);
  mju_quat2Vel(axis, quat, 1.0);
  return mju_normalize3(axis);
}

/* what the limit limits, and its rate */
static double limited_value(const robot *r, const robot_event *e, const double v[], double *rate) {
  const mjModel *m = &r->model;
  const mjData *d = r->data;
  if (e->of == ROBOT_OF_TENDON) {
    const int start = m->ten_J_rowadr[e->object];
    for (int i = start; v && i < start + m->ten_J_rownnz[e->object]; ++i)
      *rate += d->ten_J[i] * v[m->ten_J_colind[i]];
    return d->ten_length[e->object];
  }
  const double *at = v ? v + m->jnt_dofadr[e->object] : NULL;
  if (is_ball(r, e)) {
    double axis[3];
    const double angle = ball_angle(r, e->object, axis);
    if (at) *rate = mju_dot3(axis, at);
    return angle;
  }
  if (at) *rate = at[0];
  return d->qpos[m->jnt_qposadr[e->object]];
}

/* the end of the range that the event is of */
static double end_of(const robot *r, const robot_event *e) {
  const double *range = range_of(r, e);
  if (is_ball(r, e)) return fmax(range[0], range[1]);
  return range[e->part > 0];
}

double robot_stage_limit(const robot *r, const robot_event *e, const double v[], double *rate) {
  double value_rate = 0.0;
  const double value = limited_value(r, e, v, &value_rate);
  if (v) *rate = -(double)e->part * value_rate;
  return (double)e->part * (end_of(r, e) - value) - joint_margin(r, e);
}

/*
 * MuJoCo makes a limit's row where its distance is below the margin, whatever is latched. So ranges
 * are moved: out of reach where it does not act; and where it does but is `beyond` the margin,
 * MuJoCo is shown the violation of the same size, which has the same impedance, and the row is put
 * right afterwards.
 */
static void move_range(robot *r, const robot_event *e, bool acts) {
  double *const ranges = e->of == ROBOT_OF_JOINT ? r->joint_range : r->tendon_range;
  double *const range = ranges + 2 * (size_t)e->object;
  const double side = (double)e->part, margin = joint_margin(r, e);
  const double value = limited_value(r, e, NULL, NULL);
  const double beyond = robot_stage_limit(r, e, NULL, NULL);
  const double least = 1e-12 * (1.0 + fabs(value) + fabs(margin));
  double end = end_of(r, e);
  if (!acts)
    end = value + side * (1.0 + fabs(margin) + least);
  else if (beyond > -least)
    end = value + side * (margin - fmax(beyond, least));
  if (is_ball(r, e))
    range[0] = range[1] = end;
  else
    range[e->part > 0] = end;
}

/* Whether a row of forces is that of a limit. MuJoCo makes none of a tendon that no joint moves. */
static bool is_row_of(const mjData *d, int row, const robot_event *e) {
  const int type = e->of == ROBOT_OF_JOINT ? mjCNSTR_LIMIT_JOINT : mjCNSTR_LIMIT_TENDON;
  return row < d->nefc && d->efc_type[row] == type && d->efc_id[row] == e->object;
}

/* rows of limits come in the order of their events */
static void put_rows_right(robot *r, const double sign[]) {
  const robot_shared *s = r->shared;
  mjData *d = r->data;
  int row = d->ne + d->nf;
  for (size_t k = s->contact_events; k < s->row_events; ++k) {
    const robot_event *e = &s->events[k];
    if (sign[k] <= 0.0 || !is_row_of(d, row, e)) continue;
    d->efc_pos[row++] = robot_stage_limit(r, e, NULL, NULL) + joint_margin(r, e);
  }
}

/* whether an event is that of a point, or a pair, and not of a limit */
static bool is_of_contact(const robot_shared *s, size_t k) {
  return k < s->contact_events || k >= s->row_events;
}

/* of an event that acts */
static void add_contacts(robot *r, size_t k) {
  if (k < r->shared->contact_events)
    add_contact(r, k);
  else
    robot_found_add(r, &r->shared->pairs[r->shared->events[k].object]);
}

static void make_rows(robot *r, const double sign[]) {
  const robot_shared *s = r->shared;
  r->data->ncon = 0;
  r->data->parena = 0;
  // a twin's contacts are no constraints
  for (size_t k = 0; k < s->force_events && s->stiffness == 0.0; ++k) {
    if (!is_of_contact(s, k)) continue;
    if (sign[k] > 0.0) add_contacts(r, k);
    r->contact_end[k] = r->data->ncon;
  }
  for (size_t k = s->contact_events; k < s->row_events; ++k)
    move_range(r, &s->events[k], sign[k] > 0.0);
  mj_makeConstraint(&r->model, r->data);
  put_rows_right(r, sign);
  mj_projectConstraint(&r->model, r->data);
}

void robot_stage_dynamics(robot *r, const double sign[]) {
  const size_t size = r->shared->event_count * sizeof *sign;
  if (!r->stage.inertia) {
    mj_makeM(&r->model, r->data);
    mj_factorM(&r->model, r->data);
    mj_transmission(&r->model, r->data);
    r->stage.inertia = true;
  }
  // a model without events has no signs: memcmp and memcpy must not see their null pointer
  if (r->stage.constraints && (size == 0 || memcmp(r->acting, sign, size) == 0)) return;
  make_rows(r, sign);
  if (size > 0) memcpy(r->acting, sign, size);
  r->stage.constraints = true;
}

/* From a solution that is not a number, of a state far off the way, all that follow would be none
 * either. */
void robot_stage_keep(const mjModel *m, mjData *d) {
  bool is_finite = true;
  for (int i = 0; i < m->nv; i++) is_finite = is_finite && isfinite(d->qacc[i]);
  if (is_finite)
    memcpy(d->qacc_warmstart, d->qacc, (size_t)m->nv * sizeof *d->qacc);
  else
    memset(d->qacc_warmstart, 0, (size_t)m->nv * sizeof *d->qacc);
}

void robot_stage_forces(robot *r, const double x[]) {
  const mjModel *m = &r->model;
  mjData *d = r->data;
  memcpy(d->qvel, x + m->nq, (size_t)m->nv * sizeof *x);
  memcpy(d->act, x + m->nq + m->nv, (size_t)m->na * sizeof *x);
  mj_fwdVelocity(m, d);
  r->stage.velocities = true;
  if (r->shared->stiffness > 0.0) robot_twin_push(r);
  mj_fwdActuation(m, d);
  mj_fwdAcceleration(m, d);
  if (!robot_forces_solve(r)) mj_fwdConstraint(m, d);
  robot_stage_keep(m, d);
}

/* ---- what acts on nothing -------------------------------------------------------------------- */

/* limits, whose rows come in the order of their events */
static void find_idle_limits(const robot *r, bool idle[]) {
  const robot_shared *s = r->shared;
  const mjData *d = r->data;
  int row = d->ne + d->nf;
  for (size_t k = s->contact_events; k < s->row_events; ++k) {
    if (r->acting[k] <= 0.0) continue;
    const bool has_row = is_row_of(d, row, &s->events[k]);
    idle[k] = !has_row || d->efc_force[row] == 0.0;
    row += has_row;
  }
}

/* whether any of a contact's rows has a force */
static bool pushes(const mjData *d, int contact) {
  int row = d->contact[contact].efc_address;
  if (row < 0) return false;
  while (row < d->nefc && d->efc_id[row] == contact && d->efc_force[row] == 0.0) ++row;
  return row < d->nefc && d->efc_id[row] == contact;
}

void robot_stage_idle(const robot *r, bool idle[]) {
  const robot_shared *s = r->shared;
  if (s->stiffness > 0.0) return;
  find_idle_limits(r, idle);
  int contact = 0;
  for (size_t k = 0; k < s->force_events; ++k) {
    if (!is_of_contact(s, k)) continue;
    idle[k] = r->acting[k] > 0.0;
    for (; contact < r->contact_end[k]; ++contact) idle[k] = idle[k] && !pushes(r->data, contact);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_damped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_forces.h"
#include "robot_rates.h"
#include "robot_stage.h"
#include "robot_twin.h"

/* ---- matrices by the inertia's pattern ------------------------------------------------------- */

/* Row i has the columns of i's ancestors, from the root on, and then its own. An ancestor's row is
 * where its descendants' rows begin. */

typedef struct pattern {
  int count;
  const int *start, *length, *column;
} pattern;

static pattern pattern_of(const mjModel *m) {
  return (pattern){(int)m->nv, m->M_rowadr, m->M_rownnz, m->M_colind};
}

/* L^T D L in place of A, with L below and D on the diagonal */
static void factorise(const pattern *p, double A[]) {
  for (int k = p->count - 1; k >= 0; --k) {
    double *const row = A + p->start[k];
    const int *const column = p->column + p->start[k], last = p->length[k] - 1;
    for (int e = last - 1; e >= 0; --e) {
      double *const above = A + p->start[column[e]], share = row[e] / row[last];
      for (int i = 0; i <= e; ++i) above[i] -= share * row[i];
      row[e] = share;
    }
  }
}

static void solve(const pattern *p, const double factors[], double v[]) {
  for (int k = p->count - 1; k >= 0; --k) {
    const double *const row = factors + p->start[k], here = v[k];
    const int *const column = p->column + p->start[k], last = p->length[k] - 1;
    for (int e = 0; e < last; ++e) v[column[e]] -= row[e] * here;
  }
  for (int k = 0; k < p->count; ++k) {
    const double *const row = factors + p->start[k];
    const int *const column = p->column + p->start[k], last = p->length[k] - 1;
    double here = v[k] / row[last];
    for (int e = 0; e < last; ++e) here -= row[e] * v[column[e]];
    v[k] = here;
  }
}

static void multiply(const pattern *p, const double A[], const double v[], double out[]) {
  memset(out, 0, (size_t)p->count * sizeof *out);
  for (int k = 0; k < p->count; ++k) {
    const double *const row = A + p->start[k], here = v[k];
    const int *const column = p->column + p->start[k], last = p->length[k] - 1;
    double sum = out[k] + row[last] * here;
    for (int e = 0; e < last; ++e) {
      sum += row[e] * v[column[e]];
      out[column[e]] += row[e] * here;
    }
    out[k] = sum;
  }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool alloc_matrix(const robot *r, robot_matrix *of) {
  of->q = calloc((size_t)r->model.nq + 1, sizeof *of->q);
  of->value = calloc((size_t)r->model.nC + 1, sizeof *of->value);
  return of->q && of->value;
}

bool robot_damped_alloc(robot *r) {
  r->factors = calloc((size_t)r->model.nC + 1, sizeof *r->factors);
  r->arrow = calloc(3 * (size_t)r->model.nv + 1, sizeof *r->arrow);
  r->damped_sign = calloc(r->shared->event_count + 1, sizeof *r->damped_sign);
  r->springs = calloc((size_t)r->model.nC + 1, sizeof *r->springs);
  r->added = calloc((size_t)r->model.nC + 1, sizeof *r->added);
  r->mass = calloc((size_t)r->model.nC + 1, sizeof *r->mass);
  const bool room =
      alloc_matrix(r, &r->last) && alloc_matrix(r, &r->node) && r->springs && r->added && r->mass;
  return alloc_matrix(r, &r->damping) && room && r->factors && r->arrow && r->damped_sign;
}

static void free_matrix(robot_matrix *of) {
  free(of->q);
  free(of->value);
}

void robot_damped_free(robot *r) {
  free_matrix(&r->last);
  free_matrix(&r->node);
  free_matrix(&r->damping);
  free(r->factors);
  free(r->springs);
  free(r->added);
  free(r->mass);
  free(r->arrow);
  free(r->damped_sign);
}

void robot_damped_forget(robot *r) {
  r->last.is_known = r->node.is_known = r->damping.is_known = false;
}

/* ---- what is solved -------------------------------------------------------------------------- */

/* at the positions of x, whose matrix is then to be filled in */
static double *place(const robot *r, robot_matrix *of, const double x[]) {
  memcpy(of->q, x, (size_t)r->model.nq * sizeof *x);
  of->is_known = true;
  return of->value;
}

void robot_damped_note(robot *r, const double x[]) {
  const size_t size = (size_t)r->model.nC * sizeof *r->data->M;
  memcpy(place(r, &r->last, x), r->data->M, size);
}

static bool is_at(const robot *r, const robot_matrix *of, const double x[]) {
  return of->is_known && memcmp(of->q, x, (size_t)r->model.nq * sizeof *x) == 0;
}

/* M of the node is that of the last field */
static void take_last(robot *r) {
  const robot_matrix before = r->node;
  r->node = r->last;
  r->last = before;
  r->last.is_known = false;
  r->factored = NAN;
}

/* as a rule it is there, since a step's last field is that of its end */
static void take_inertia(robot *r, const double x[], const double sign[]) {
  if (!is_at(r, &r->last, x)) {
    robot_stage_kinematics(r, x);
    robot_stage_dynamics(r, sign);
    robot_damped_note(r, x);
  }
  take_last(r);
}

/* by how much positions may be others, m or rad, before A, D and K are made anew: they need not be
 * exact */
static const double near_enough = 0.05;

static bool is_near(const robot *r, const double x[], const double sign[]) {
  const size_t size = r->shared->event_count * sizeof *sign;
  bool near = r->damping.is_known && memcmp(r->damped_sign, sign, size) == 0;
  for (size_t i = 0; near && i < (size_t)r->model.nq; ++i)
    near = fabs(r->damping.q[i] - x[i]) <= near_enough;
  return near;
}

/* the last of a row is the diagonal */
static void resist_joints(const mjModel *m, double D[], double K[]) {
  for (int i = 0; i < (int)m->nv; ++i) {
    const int joint = m->dof_jntid[i], type = m->jnt_type[joint];
    const int diagonal = m->M_rowadr[i] + m->M_rownnz[i] - 1;
    D[diagonal] = m->dof_damping[i];
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) K[diagonal] = m->jnt_stiffness[joint];
  }
}

/* whether r->data has the rows and forces of x */
static bool has_forces(const robot *r, const double x[], const double sign[]) {
  const size_t size = r->shared->event_count * sizeof *sign;
  return is_at(r, &r->last, x) && memcmp(r->acting, sign, size) == 0;
}

/* those of joints alone */
static void begin_resistance(robot *r, const double x[]) {
  const mjModel *m = &r->model;
  double *const D = place(r, &r->damping, x);
  const size_t size = (size_t)m->nC * sizeof *D;
  memset(D, 0, size);
  memset(r->springs, 0, size);
  memset(r->added, 0, size);
  resist_joints(m, D, r->springs);
  r->factored = NAN;
}

static void take_resistance(robot *r, const double x[], const double sign[], bool has_forces) {
  const mjModel *m = &r->model;
  double *const D = r->damping.value, *const K = r->springs, *const A = r->added;
  begin_resistance(r, x);
  memcpy(r->damped_sign, sign, r->shared->event_count * sizeof *sign);
  if (r->shared->stiffness > 0.0 || !has_forces) {
    robot_stage_kinematics(r, x);
    robot_stage_dynamics(r, sign);
  }
  if (r->shared->stiffness > 0.0) {
    robot_stage_velocities(r, x + m->nq);
    robot_twin_resist(r, D, K);
    return;
  }
  if (!has_forces) robot_stage_forces(r, x);
  robot_forces_resist(r, A, D, K);
}

bool robot_damped_signs(const robot *r, const double x[], double sign[]) {
  if (!is_at(r, &r->node, x)) return false;
  memcpy(sign, r->damped_sign, r->shared->event_count * sizeof *sign);
  return true;
}

/* by the matrices that there are */
static void solve_by(robot *r, const double x[], double c, double v[]) {
  const mjModel *m = &r->model;
  const pattern p = pattern_of(m);
  double *const velocity = v + m->nq, *const momentum = r->arrow;
  double *const moved = momentum + p.count, *const force = moved + p.count;
  if (r->factored != c) {
    for (size_t i = 0; i < (size_t)m->nC; ++i) {
      r->mass[i] = r->node.value[i] + r->added[i];
      r->factors[i] = r->mass[i] + c * (r->damping.value[i] + c * r->springs[i]);
    }
    factorise(&p, r->factors);
    r->factored = c;
  }
  robot_velocities(m, x, v, moved);
  multiply(&p, r->mass, velocity, momentum);
  multiply(&p, r->springs, moved, force);
  for (int i = 0; i < p.count; ++i) momentum[i] -= c * force[i];
  solve(&p, r->factors, momentum);
  memcpy(velocity, momentum, (size_t)p.count * sizeof *velocity);
  double *const rate = r->arrow; // there are fewer than two positions to a velocity
  robot_position_rates(m, x, velocity, rate);
  for (int i = 0; i < (int)m->nq; ++i) v[i] += c * rate[i];
}

void robot_damped_solve(robot *r, const double x[], const double sign[], double c, double v[]) {
  const bool has = has_forces(r, x, sign);
  if (!is_at(r, &r->node, x)) take_inertia(r, x, sign);
  if (!is_near(r, x, sign)) take_resistance(r, x, sign, has);
  solve_by(r, x, c, v);
}

/* ---- of MuJoCo's own field ------------------------------------------------------------------- */

/* Which signs the resistance is of is not known then, so that it is never taken for theirs. */

bool robot_damped_has_plain(const robot *r, const double x[]) {
  return is_at(r, &r->last, x) || (is_at(r, &r->node, x) && !r->damping.is_known);
}

void robot_damped_solve_plain(robot *r, const double x[], double c, double v[]) {
  if (!is_at(r, &r->node, x) || r->damping.is_known) {
    take_last(r);
    begin_resistance(r, x);
    robot_forces_resist(r, r->added, r->damping.value, r->springs);
    r->damping.is_known = false;
  }
  solve_by(r, x, c, v);
}

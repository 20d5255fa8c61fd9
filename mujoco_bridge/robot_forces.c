/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* rows, beyond which MuJoCo's solver has fewer unknowns; and rounds, of which two are the rule */
enum { ROWS = 64, ROUNDS = 12 };

typedef struct robot_forces {
  double *half;   /* [ROWS * nv]: rows of L^-T J^T, by degrees of freedom */
  double *across; /* [nv * ROWS]: its transpose */
  double A[ROWS][ROWS], factors[ROWS][ROWS];
  double at_rest[ROWS], force[ROWS], residue[ROWS];
  int pushing[ROWS], count;
  bool pushes[ROWS];
} robot_forces;

bool robot_forces_alloc(robot *r) {
  r->forces = calloc(1, sizeof *r->forces);
  if (!r->forces) return false;
  r->forces->half = calloc(ROWS * (size_t)r->model.nv + 1, sizeof *r->forces->half);
  r->forces->across = calloc(ROWS * (size_t)r->model.nv + 1, sizeof *r->forces->across);
  return r->forces->half && r->forces->across;
}

void robot_forces_free(robot *r) {
  if (!r->forces) return;
  free(r->forces->half);
  free(r->forces->across);
  free(r->forces);
}

static bool is_free(const mjData *d, int row) {
  return d->efc_type[row] == mjCNSTR_EQUALITY;
}

static bool is_known(const mjModel *m, const mjData *d) {
  bool known = d->nefc <= ROWS && m->opt.noslip_iterations == 0;
  for (int i = 0; known && i < d->nefc; ++i) {
    const int type = d->efc_type[i];
    known = type == mjCNSTR_EQUALITY || type == mjCNSTR_LIMIT_JOINT ||
            type == mjCNSTR_LIMIT_TENDON || type == mjCNSTR_CONTACT_FRICTIONLESS ||
            type == mjCNSTR_CONTACT_PYRAMIDAL;
  }
  return known;
}

/* J times v in one row */
static double row_times(const mjModel *m, const mjData *d, int row, const double v[]) {
  double sum = 0.0;
  if (!mj_isSparse(m)) return mju_dot(d->efc_J + (size_t)row * (size_t)m->nv, v, (int)m->nv);
  const int start = d->efc_J_rowadr[row], end = start + d->efc_J_rownnz[row];
  for (int e = start; e < end; ++e) sum += d->efc_J[e] * v[d->efc_J_colind[e]];
  return sum;
}

/* L^-T J^T of one row, where M = L^T D L */
static void make_half(const mjModel *m, const mjData *d, int row, double half[]) {
  const size_t nv = (size_t)m->nv;
  int k = (int)m->nv - 1;
  if (mj_isSparse(m)) {
    memset(half, 0, nv * sizeof *half);
    const int start = d->efc_J_rowadr[row], end = start + d->efc_J_rownnz[row];
    for (int e = start; e < end; ++e) half[d->efc_J_colind[e]] = d->efc_J[e];
    k = end > start ? d->efc_J_colind[end - 1] : -1;
  } else {
    memcpy(half, d->efc_J + (size_t)row * nv, nv * sizeof *half);
  }
  for (; k >= 0; --k) {
    if (half[k] == 0.0) continue;
    const int start = m->M_rowadr[k], end = start + m->M_rownnz[k] - 1;
    for (int e = start; e < end; ++e) half[m->M_colind[e]] -= d->qLD[e] * half[k];
  }
}

/* y += a x: what compilers make vectors of, as they do not of a sum */
static inline void add_scaled(double *restrict y, double a, const double *restrict x, int count) {
  for (int i = 0; i < count; ++i) y[i] += a * x[i];
}

/* A + R up to its diagonal in row i, and that of the columns before it */
static void make_row(robot *r, int i) {
  const mjData *d = r->data;
  robot_forces *const s = r->forces;
  const size_t nv = (size_t)r->model.nv;
  const double *const half = s->half + (size_t)i * nv;
  double *const row = s->A[i];
  memset(row, 0, (size_t)(i + 1) * sizeof *row);
  for (size_t k = 0; k < nv; ++k) {
    double *const across = s->across + k * ROWS;
    across[i] = half[k];
    if (half[k] != 0.0) add_scaled(row, half[k] * d->qLDiagInv[k], across, i + 1);
  }
  for (int j = 0; j < i; ++j) s->A[j][i] = row[j];
  row[i] += d->efc_R[i];
}

/* A + R, and b = J a - a_ref without forces; which rows are taken to push */
static void prepare(robot *r) {
  const mjModel *m = &r->model;
  const mjData *d = r->data;
  robot_forces *const s = r->forces;
  for (int i = 0; i < d->nefc; ++i) {
    make_half(m, d, i, s->half + (size_t)i * (size_t)m->nv);
    make_row(r, i);
    s->at_rest[i] = row_times(m, d, i, d->qacc_smooth) - d->efc_aref[i];
    const double before = row_times(m, d, i, d->qacc_warmstart) - d->efc_aref[i];
    s->pushes[i] = is_free(d, i) || before < 0.0;
  }
}

/* forces of those that are taken to push, by Cholesky's factors U' U; false where there are none */
static bool find_forces(robot_forces *s, int rows) {
  s->count = 0;
  for (int i = 0; i < rows; ++i)
    if (s->pushes[i]) s->pushing[s->count++] = i;
  for (int a = 0; a < s->count; ++a) {
    const double *const from = s->A[s->pushing[a]];
    for (int b = a; b < s->count; ++b) s->factors[a][b] = from[s->pushing[b]];
    s->force[a] = -s->at_rest[s->pushing[a]];
  }
  for (int a = 0; a < s->count; ++a) {
    double *const row = s->factors[a];
    if (!(row[a] > 0.0)) return false;
    row[a] = sqrt(row[a]);
    for (int b = a + 1; b < s->count; ++b) row[b] /= row[a];
    s->force[a] /= row[a];
    for (int b = a + 1; b < s->count; ++b)
      add_scaled(&s->factors[b][b], -row[b], &row[b], s->count - b);
    add_scaled(&s->force[a + 1], -s->force[a], &row[a + 1], s->count - a - 1);
  }
  for (int a = s->count - 1; a >= 0; --a) {
    const double *const row = s->factors[a];
    double left = s->force[a];
    for (int b = s->count - 1; b > a; --b) left -= row[b] * s->force[b];
    s->force[a] = left / row[a];
  }
  return true;
}

/* Which rows push by this solution: those whose force does, and those that would be left behind.
 * Whether they are those that were taken. */
static bool confirm(const mjData *d, robot_forces *s) {
  bool same = true;
  for (int i = 0; i < d->nefc; ++i) s->residue[i] = s->at_rest[i];
  for (int a = 0; a < s->count; ++a)
    add_scaled(s->residue, s->force[a], s->A[s->pushing[a]], d->nefc);
  for (int a = 0; a < s->count; ++a) s->residue[s->pushing[a]] = -s->force[a];
  for (int i = 0; i < d->nefc; ++i) {
    const bool pushes = is_free(d, i) || s->residue[i] < 0.0;
    same = same && pushes == s->pushes[i];
    s->pushes[i] = pushes;
  }
  return same;
}

/* a = a_smooth + M^-1 J^T f */
static void accelerate(robot *r) {
  const mjModel *m = &r->model;
  mjData *d = r->data;
  const robot_forces *const s = r->forces;
  const size_t nv = (size_t)m->nv;
  double *const by_forces = r->arrow;
  memset(by_forces, 0, nv * sizeof *by_forces);
  for (int a = 0; a < s->count; ++a) {
    const double *const half = s->half + (size_t)s->pushing[a] * nv;
    add_scaled(by_forces, s->force[a], half, (int)nv);
  }
  for (int k = 0; k < (int)nv; ++k) {
    const int start = m->M_rowadr[k], end = start + m->M_rownnz[k] - 1;
    by_forces[k] *= d->qLDiagInv[k];
    for (int e = start; e < end; ++e) by_forces[k] -= d->qLD[e] * by_forces[m->M_colind[e]];
  }
  for (size_t k = 0; k < nv; ++k) d->qacc[k] = d->qacc_smooth[k] + by_forces[k];
}

bool robot_forces_solve(robot *r) {
  robot_forces *const s = r->forces;
  if (!is_known(&r->model, r->data)) return false;
  prepare(r);
  bool found = false;
  for (int round = 0; !found && round < ROUNDS; ++round) {
    if (!find_forces(s, r->data->nefc)) return false;
    found = confirm(r->data, s);
  }
  if (found) accelerate(r);
  return found;
}

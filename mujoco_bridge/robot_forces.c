/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* rows, beyond which MuJoCo's solver has fewer unknowns; and rounds, of which two are the rule */
enum { ROWS = 64, ROUNDS = 12 };

typedef struct robot_forces {
  double *half; /* [ROWS * nv]: rows of L^-T J^T, by degrees of freedom */
  int *moved;   /* [nv]: those that a row moves */
  double A[ROWS][ROWS], factors[ROWS][ROWS];
  double at_rest[ROWS], force[ROWS], residue[ROWS];
  int pushing[ROWS], count;
  bool pushes[ROWS];
} robot_forces;

bool robot_forces_alloc(robot *r) {
  r->forces = calloc(1, sizeof *r->forces);
  if (!r->forces) return false;
  r->forces->half = calloc(ROWS * (size_t)r->model.nv + 1, sizeof *r->forces->half);
  r->forces->moved = calloc((size_t)r->model.nv + 1, sizeof *r->forces->moved);
  return r->forces->half && r->forces->moved;
}

void robot_forces_free(robot *r) {
  if (!r->forces) return;
  free(r->forces->half);
  free(r->forces->moved);
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

/* A + R, and b = J a - a_ref without forces; which rows are taken to push */
static void prepare(robot *r) {
  const mjModel *m = &r->model;
  const mjData *d = r->data;
  robot_forces *const s = r->forces;
  const size_t nv = (size_t)m->nv;
  double *const scaled = r->arrow;
  for (int i = 0; i < d->nefc; ++i) {
    double *const half = s->half + (size_t)i * nv;
    make_half(m, d, i, half);
    int count = 0;
    for (int k = 0; k < (int)nv; ++k) {
      if (half[k] == 0.0) continue;
      scaled[k] = half[k] * d->qLDiagInv[k];
      s->moved[count++] = k;
    }
    for (int j = 0; j <= i; ++j) {
      const double *const other = s->half + (size_t)j * nv;
      double sum = 0.0;
      for (int k = 0; k < count; ++k) sum += scaled[s->moved[k]] * other[s->moved[k]];
      s->A[i][j] = s->A[j][i] = sum;
    }
    s->A[i][i] += d->efc_R[i];
    s->at_rest[i] = row_times(m, d, i, d->qacc_smooth) - d->efc_aref[i];
    const double before = row_times(m, d, i, d->qacc_warmstart) - d->efc_aref[i];
    s->pushes[i] = is_free(d, i) || before < 0.0;
  }
}

/* forces of those that are taken to push, by Cholesky's factors; false where there are none */
static bool find_forces(robot_forces *s, int rows) {
  s->count = 0;
  for (int i = 0; i < rows; ++i)
    if (s->pushes[i]) s->pushing[s->count++] = i;
  for (int a = 0; a < s->count; ++a) {
    double *const row = s->factors[a];
    const double *const from = s->A[s->pushing[a]];
    double known = -s->at_rest[s->pushing[a]];
    for (int b = 0; b <= a; ++b) {
      const double *const above = s->factors[b];
      double sum = from[s->pushing[b]];
      for (int k = 0; k < b; ++k) sum -= row[k] * above[k];
      if (b == a && !(sum > 0.0)) return false;
      row[b] = b < a ? sum / above[b] : sqrt(sum);
    }
    for (int k = 0; k < a; ++k) known -= row[k] * s->force[k];
    s->force[a] = known / row[a];
  }
  for (int a = s->count - 1; a >= 0; --a) {
    s->force[a] /= s->factors[a][a];
    for (int k = 0; k < a; ++k) s->force[k] -= s->factors[a][k] * s->force[a];
  }
  return true;
}

/* Which rows push by this solution: those whose force does, and those that would be left behind.
 * Whether they are those that were taken. */
static bool confirm(const mjData *d, robot_forces *s) {
  bool same = true;
  for (int i = 0; i < d->nefc; ++i) s->residue[i] = s->at_rest[i];
  for (int a = 0; a < s->count; ++a)
    for (int i = 0; i < d->nefc; ++i) s->residue[i] += s->A[s->pushing[a]][i] * s->force[a];
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
    for (size_t k = 0; k < nv; ++k) by_forces[k] += s->force[a] * half[k];
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "robot_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* rows, beyond which MuJoCo's solver has fewer unknowns; rounds, of which two are the rule; numbers
 * that go together, and what a row of such has room for */
enum { ROWS = 64, ROUNDS = 12, LANES = 4, ROOM = ROWS + LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

typedef struct robot_forces {
  double *half;   /* [ROWS * nv]: rows of L^-T J^T, by degrees of freedom */
  double *across; /* [nv * ROOM]: its transpose */
  int *moved;     /* [nv]: the degrees of freedom of a row that are not 0 */
  double A[ROWS][ROOM], factors[ROWS][ROOM];
  double at_rest[ROWS], force[ROOM], residue[ROOM];
  int pushing[ROWS], count;
  bool pushes[ROWS];
} robot_forces;

bool robot_forces_alloc(robot *r) {
  r->forces = calloc(1, sizeof *r->forces);
  if (!r->forces) return false;
  const size_t nv = (size_t)r->model.nv;
  r->forces->half = calloc(ROWS * nv + LANES, sizeof *r->forces->half);
  r->forces->across = calloc(ROOM * nv + 1, sizeof *r->forces->across);
  r->forces->moved = calloc(nv + 1, sizeof *r->forces->moved);
  return r->forces->half && r->forces->across && r->forces->moved;
}

void robot_forces_free(robot *r) {
  if (!r->forces) return;
  free(r->forces->half);
  free(r->forces->across);
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

/* J times two vectors in one row */
static void row_times(const mjModel *m, const mjData *d, int row, const double v[],
                      const double w[], double out[2]) {
  out[0] = out[1] = 0.0;
  if (!mj_isSparse(m)) {
    const double *const J = d->efc_J + (size_t)row * (size_t)m->nv;
    out[0] = mju_dot(J, v, (int)m->nv);
    out[1] = mju_dot(J, w, (int)m->nv);
    return;
  }
  const double *const J = d->efc_J + d->efc_J_rowadr[row];
  const int *const column = d->efc_J_colind + d->efc_J_rowadr[row], length = d->efc_J_rownnz[row];
  for (int e = 0; e < length; ++e) {
    out[0] += J[e] * v[column[e]];
    out[1] += J[e] * w[column[e]];
  }
}

/* L^-T J^T of one row, where M = L^T D L; how many it moves */
static int make_half(const mjModel *m, const mjData *d, int row, double half[], int moved[]) {
  const size_t nv = (size_t)m->nv;
  int k = (int)m->nv - 1, count = 0;
  if (mj_isSparse(m)) {
    memset(half, 0, nv * sizeof *half);
    const int start = d->efc_J_rowadr[row], end = start + d->efc_J_rownnz[row];
    for (int e = start; e < end; ++e) half[d->efc_J_colind[e]] = d->efc_J[e];
    k = end > start ? d->efc_J_colind[end - 1] : -1;
  } else {
    memcpy(half, d->efc_J + (size_t)row * nv, nv * sizeof *half);
  }
  for (; k >= 0; --k) {
    const double here = half[k];
    if (here == 0.0) continue;
    moved[count++] = k;
    const int start = m->M_rowadr[k], length = m->M_rownnz[k] - 1;
    const int *const column = m->M_colind + start;
    const double *const share = d->qLD + start;
    for (int e = 0; e < length; ++e) half[column[e]] -= share[e] * here;
  }
  return count;
}

/* y += a x, in whole vectors: rows have room for them, and are so short that what is left over
 * would take longer than the rest. What is added there is of no use. */
static inline void add_scaled(double y[], double a, const double x[], int count) {
  for (int i = 0; i < count; i += LANES) *(lanes *)(y + i) += a * *(const lanes *)(x + i);
}

/* A + R up to its diagonal in row i, and that of the columns before it, by as many degrees of
 * freedom as it moves */
static void make_row(robot *r, int i, int count) {
  const mjData *d = r->data;
  robot_forces *const s = r->forces;
  const double *const half = s->half + (size_t)i * (size_t)r->model.nv;
  double *const row = s->A[i];
  memset(row, 0, (size_t)(i + 1) * sizeof *row);
  while (count-- > 0) { // from the root on
    const int k = s->moved[count];
    double *const across = s->across + (size_t)k * ROOM;
    across[i] = half[k];
    add_scaled(row, half[k] * d->qLDiagInv[k], across, i + 1);
  }
  for (int j = 0; j < i; ++j) s->A[j][i] = row[j];
  row[i] += d->efc_R[i];
}

/* A + R, and b = J a - a_ref without forces; which rows are taken to push */
static void prepare(robot *r) {
  const mjModel *m = &r->model;
  const mjData *d = r->data;
  robot_forces *const s = r->forces;
  for (int k = 0; k < (int)m->nv; ++k)
    for (int i = 0; i < d->nefc; i += LANES) *(lanes *)(s->across + k * ROOM + i) = (lanes){0.0};
  for (int i = 0; i < d->nefc; ++i) {
    make_row(r, i, make_half(m, d, i, s->half + (size_t)i * (size_t)m->nv, s->moved));
    double along[2];
    row_times(m, d, i, d->qacc_smooth, d->qacc_warmstart, along);
    s->at_rest[i] = along[0] - d->efc_aref[i];
    s->pushes[i] = is_free(d, i) || along[1] - d->efc_aref[i] < 0.0;
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
    const int start = m->M_rowadr[k], length = m->M_rownnz[k] - 1;
    const int *const column = m->M_colind + start;
    const double *const share = d->qLD + start;
    double here = by_forces[k] * d->qLDiagInv[k];
    for (int e = 0; e < length; ++e) here -= share[e] * by_forces[column[e]];
    by_forces[k] = here;
  }
  for (size_t k = 0; k < nv; ++k) d->qacc[k] = d->qacc_smooth[k] + by_forces[k];
}

/* where MuJoCo's solver has them */
static void keep_forces(mjData *d, const robot_forces *s) {
  for (int i = 0; i < d->nefc; ++i) d->efc_force[i] = 0.0;
  for (int a = 0; a < s->count; ++a) d->efc_force[s->pushing[a]] = s->force[a];
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
  if (found) keep_forces(r->data, s);
  return found;
}

/* ---- how they resist ------------------------------------------------------------------------- */

/* J of one row into J[nv]; the last degree of freedom that it has, -1: none. Where it has others
 * than that hangs on, as of a contact between two limbs, -1, too. */
static int one_chain(const mjModel *m, const mjData *d, int row, double J[]) {
  int last = -1, count = 0;
  if (mj_isSparse(m)) {
    mju_zero(J, (int)m->nv);
    const int start = d->efc_J_rowadr[row], end = start + d->efc_J_rownnz[row];
    for (int e = start; e < end; ++e) J[d->efc_J_colind[e]] = d->efc_J[e];
  } else {
    mju_copy(J, d->efc_J + (size_t)row * (size_t)m->nv, (int)m->nv);
  }
  for (int i = 0; i < (int)m->nv; ++i) {
    if (J[i] == 0.0) continue;
    last = i;
    ++count;
  }
  for (int i = last; i >= 0; i = m->dof_parentid[i]) count -= J[i] != 0.0;
  return count == 0 ? last : -1;
}

void robot_forces_resist(robot *r, double A[], double D[], double K[]) {
  const mjModel *m = &r->model;
  const mjData *d = r->data;
  double *const J = r->arrow;
  for (int row = 0; row < d->nefc; ++row) {
    if (d->efc_force[row] == 0.0) continue;
    const double *const law = d->efc_KBIP + 4 * (size_t)row;
    for (int i = one_chain(m, d, row, J); i >= 0; i = m->dof_parentid[i]) {
      const int start = m->M_rowadr[i], end = start + m->M_rownnz[i];
      for (int e = start; e < end; ++e) {
        const double mass = J[i] * J[m->M_colind[e]] / d->efc_R[row];
        A[e] += mass;
        D[e] += law[1] * mass;
        K[e] += law[0] * law[2] * mass;
      }
    }
  }
}

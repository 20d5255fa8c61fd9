/*
 * The state's matrices, and the inverse of K_J in each mode.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kkt.h"

#include <float.h>
#include <gsl/gsl_linalg.h>
#include <stdlib.h>
#include <string.h>

struct kkt_workspace {
  gsl_matrix *matrix, *inverse;
  gsl_permutation *permutation;
  double A[2][MECHANISM_CONSTRAINTS_MAX * MECHANISM_COORDINATES_MAX];
};

void kkt_free(kkt *s) {
  if (!s) return;
  if (s->inverse) free(s->inverse[0].entry);
  free(s->inverse);
  if (s->workspace) {
    gsl_matrix_free(s->workspace->matrix);
    gsl_matrix_free(s->workspace->inverse);
    gsl_permutation_free(s->workspace->permutation);
  }
  free(s->workspace);
  free(s);
}

static bool alloc_workspace(kkt *s, size_t order) {
  struct kkt_workspace *const w = s->workspace = calloc(1, sizeof *w);
  if (!w) return false;
  w->matrix = gsl_matrix_alloc(order, order);
  w->inverse = gsl_matrix_alloc(order, order);
  w->permutation = gsl_permutation_alloc(order);
  return w->matrix && w->inverse && w->permutation;
}

kkt *kkt_alloc(const mechanism *m) {
  const size_t order = m->coordinates + m->constraints, modes = (size_t)1 << m->constraints;
  kkt *const s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->m = m;
  s->inverse = calloc(modes, sizeof *s->inverse);
  double *const entries = malloc(modes * order * order * sizeof *entries);
  if (!s->inverse || !entries) {
    free(entries);
    free(s->inverse);
    s->inverse = NULL;
    kkt_free(s);
    return NULL;
  }
  for (size_t i = 0; i < modes; i++) s->inverse[i].entry = entries + i * order * order;
  if (!alloc_workspace(s, order)) {
    kkt_free(s);
    return NULL;
  }
  return s;
}

/* The derivative of A(q) v along v: differences at three distances, so that their errors cancel to
 * the sixth order. Returns how far off they are from what two distances give, to the fourth. */
static double bend_within(kkt *s, double length, double speed, double bend[]) {
  static const double share[] = {0.75, -0.15, 1.0 / 60.0}, of_two[] = {2.0 / 3.0, -1.0 / 12.0, 0};
  const size_t n = s->m->coordinates, rows = s->m->constraints;
  double q[MECHANISM_COORDINATES_MAX], rough[MECHANISM_CONSTRAINTS_MAX] = {0}, off = 0;
  memset(bend, 0, rows * sizeof *bend);
  for (int distance = 1; distance <= 3; distance++) {
    const double time = length * distance / speed;
    const double weight = distance * share[distance - 1] / time,
                 rough_weight = distance * of_two[distance - 1] / time;
    for (int side = 0; side < 2; side++) {
      for (size_t j = 0; j < n; j++) q[j] = s->q[j] + (side ? -time : time) * s->v[j];
      s->m->rows(q, s->workspace->A[side], s->m->params);
    }
    for (size_t k = 0; k < rows; k++)
      for (size_t j = 0; j < n; j++) {
        const double apart = s->workspace->A[0][k * n + j] - s->workspace->A[1][k * n + j];
        bend[k] += weight * apart * s->v[j];
        rough[k] += rough_weight * apart * s->v[j];
      }
  }
  for (size_t k = 0; k < rows; k++) {
    const double error = fabs(bend[k] - rough[k]);
    if (error > 0) off = fmax(off, error / (s->bend_size[k] + fabs(bend[k])));
  }
  return off;
}

/* By shorter and shorter distances, until they are short beside what the rows are curved on, or
 * the coordinates' rounding is more than that would gain. */
static void bend_of(kkt *s) {
  static const double close_enough = 1e-9;
  const size_t n = s->m->coordinates, rows = s->m->constraints;
  double speed = 0, size = 1, /* the largest of each */
      least = INFINITY, length = 1e-3;
  for (size_t j = 0; j < n; j++) {
    speed = fmax(speed, fabs(s->v[j]));
    size = fmax(size, fabs(s->q[j]));
  }
  memset(s->bend, 0, sizeof s->bend);
  for (size_t k = 0; k < rows; k++) {
    double row = 0;
    for (size_t j = 0; j < n; j++) row = fmax(row, fabs(s->A[k * n + j]));
    s->bend_size[k] = row * speed * speed;
  }
  if (!(speed > 0)) return;
  do {
    double bend[MECHANISM_CONSTRAINTS_MAX];
    const double off = bend_within(s, length, speed, bend);
    if (off < least) memcpy(s->bend, bend, rows * sizeof *bend);
    least = fmin(least, off);
    length *= 0.125;
  } while (least > fmax(close_enough, DBL_EPSILON * size / length));
}

void kkt_at(kkt *s, const double q[], const double v[]) {
  const mechanism *const m = s->m;
  const size_t n = m->coordinates;
  if (s->configuration == 0 || memcmp(q, s->q, n * sizeof *q) != 0) {
    memcpy(s->q, q, n * sizeof *q);
    s->configuration++;
    for (size_t k = 0; k < m->constraints; k++) s->a[k] = NAN;
    m->inertia(s->q, s->M, m->params);
    m->gaps(s->q, s->a, m->params);
    m->rows(s->q, s->A, m->params);
  }
  memcpy(s->v, v, n * sizeof *v);
  for (size_t i = 0; i < n; i++) {
    s->momentum[i] = 0;
    for (size_t j = 0; j < n; j++) s->momentum[i] += s->M[i * n + j] * v[j];
  }
  for (size_t k = 0; k < m->constraints; k++) {
    s->speed[k] = 0;
    for (size_t j = 0; j < n; j++) s->speed[k] += s->A[k * n + j] * v[j];
  }
  bend_of(s);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static bool in_motion(const mechanism *m, size_t j, contact_mode mode) {
  if (!m->limb || m->limb[j] == MECHANISM_BODY) return true;
  return m->limb[j] != MECHANISM_ALONE && (mode & CONTACT(m->limb[j]));
}

/* of tangents that stick, on one body, the first whose normal is active */
static bool sticks(const mechanism *m, size_t k, contact_mode mode) {
  const mechanism_constraint *const c = &m->constraint[k];
  if (!(mode & CONTACT(c->normal))) return false;
  for (size_t i = 0; c->body > 0 && i < k; i++) {
    const mechanism_constraint *const before = &m->constraint[i];
    if (before->normal != i && before->body == c->body && (mode & CONTACT(before->normal)))
      return false;
  }
  return true;
}

static bool is_row(const mechanism *m, size_t k, contact_mode mode) {
  if (m->constraint[k].rubs) return false;
  const bool chosen = mechanism_is_normal(m, k) || mechanism_has_cone(m, k);
  return chosen ? (mode & CONTACT(k)) != 0 : sticks(m, k, mode);
}

static void lay_out(kkt_inverse *f, const mechanism *m, contact_mode mode) {
  f->order = 0;
  for (size_t j = 0; j < m->coordinates; j++)
    if (in_motion(m, j, mode)) f->of[f->order++] = j;
  f->coordinates = f->order;
  for (size_t k = 0; k < m->constraints; k++)
    if (is_row(m, k, mode)) f->of[f->order++] = k;
}

/* K_J, scaled on both sides so that units do not matter: its diagonal scale in scale[]. */
static void fill(const kkt *s, const kkt_inverse *f, gsl_matrix *K, double scale[]) {
  const size_t n = s->m->coordinates;
  gsl_matrix_set_zero(K);
  for (size_t i = 0; i < f->order; i++) {
    for (size_t j = 0; j <= i && j < f->coordinates; j++) {
      const double entry =
          i < f->coordinates ? s->M[f->of[i] * n + f->of[j]] : s->A[f->of[i] * n + f->of[j]];
      gsl_matrix_set(K, i, j, entry);
      gsl_matrix_set(K, j, i, entry);
    }
  }
  for (size_t i = 0; i < f->order; i++) scale[i] = 1;
  for (int pass = 0; pass < 3; pass++) {
    double largest[KKT_ORDER_MAX];
    for (size_t i = 0; i < f->order; i++) {
      largest[i] = 0;
      for (size_t j = 0; j < f->order; j++)
        largest[i] = fmax(largest[i], fabs(scale[i] * gsl_matrix_get(K, i, j) * scale[j]));
    }
    for (size_t i = 0; i < f->order; i++)
      if (largest[i] > 0) scale[i] /= sqrt(largest[i]);
  }
  for (size_t i = 0; i < f->order; i++)
    for (size_t j = 0; j < f->order; j++)
      gsl_matrix_set(K, i, j, scale[i] * gsl_matrix_get(K, i, j) * scale[j]);
}

static double norm(const gsl_matrix *K) {
  double largest = 0;
  for (size_t i = 0; i < K->size1; i++) {
    double sum = 0;
    for (size_t j = 0; j < K->size2; j++) sum += fabs(gsl_matrix_get(K, i, j));
    largest = fmax(largest, sum);
  }
  return largest;
}

/* A matrix that is worse conditioned than this is taken for singular. */
static const double condition_max = 1e12;

static bool invert(kkt *s, kkt_inverse *f) {
  double scale[KKT_ORDER_MAX];
  gsl_matrix_view K = gsl_matrix_submatrix(s->workspace->matrix, 0, 0, f->order, f->order);
  gsl_matrix_view inverse = gsl_matrix_submatrix(s->workspace->inverse, 0, 0, f->order, f->order);
  gsl_permutation p = {.size = f->order, .data = s->workspace->permutation->data};
  int sign;
  fill(s, f, &K.matrix, scale);
  const double size = norm(&K.matrix);
  gsl_permutation_init(&p);
  gsl_linalg_LU_decomp(&K.matrix, &p, &sign);
  for (size_t i = 0; i < f->order; i++)
    if (!(fabs(gsl_matrix_get(&K.matrix, i, i)) * condition_max > size)) return false;
  gsl_linalg_LU_invert(&K.matrix, &p, &inverse.matrix);
  if (!(norm(&inverse.matrix) * size < condition_max)) return false;
  for (size_t i = 0; i < f->order; i++)
    for (size_t j = 0; j < f->order; j++)
      f->entry[i * f->order + j] = scale[i] * gsl_matrix_get(&inverse.matrix, i, j) * scale[j];
  return true;
}

const kkt_inverse *kkt_in(kkt *s, contact_mode mode) {
  kkt_inverse *const f = &s->inverse[mode];
  if (f->configuration != s->configuration) {
    lay_out(f, s->m, mode);
    f->exists = f->order == 0 || invert(s, f);
    f->configuration = s->configuration;
    s->factorised++;
  }
  return f->exists ? f : NULL;
}

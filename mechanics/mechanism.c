/*
 * The requirements on a mechanism, and the constraints that form a mode.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mechanism.h"

#include <string.h>

/* how many massless coordinates a normal constraint holds */
static size_t limbs_of(const mechanism *m, size_t normal) {
  size_t count = 0;
  for (size_t j = 0; m->limb && j < m->coordinates; j++) count += m->limb[j] == normal;
  return count;
}

/* the rows that its contact has as long as it touches: itself, and tangents that stick */
static size_t rows_of(const mechanism *m, size_t normal) {
  size_t count = 0;
  for (size_t k = 0; k < m->constraints; k++)
    count += m->constraint[k].normal == normal && (k == normal || isinf(m->constraint[k].friction));
  return count;
}

static const char *constraint_refused(const mechanism *m, size_t k) {
  const mechanism_constraint *const c = &m->constraint[k];
  if (c->normal >= m->constraints) return "a constraint's normal must be one of the constraints";
  if (c->normal == k) return NULL;
  if (m->constraint[c->normal].normal != c->normal)
    return "a tangent constraint's normal must be a normal constraint";
  if (!(c->friction > 0)) return "a tangent constraint's friction must be above 0";
  if (c->rubs && !isfinite(c->friction))
    return "the friction of a tangent that rubs must be finite";
  if (c->rubs && m->constraints > 2)
    return "a mechanism with a tangent that rubs must have no constraint but it and its normal";
  if (mechanism_has_cone(m, k) && limbs_of(m, c->normal) == 0)
    return "a tangent constraint with a cone must be of a massless limb's contact (A12)";
  return NULL;
}

const char *mechanism_refused(const mechanism *m) {
  if (m->coordinates < 1 || m->coordinates > MECHANISM_COORDINATES_MAX)
    return "a mechanism must have 1 to 12 coordinates";
  if (m->constraints < 1 || m->constraints > MECHANISM_CONSTRAINTS_MAX)
    return "a mechanism must have 1 to 10 constraints";
  if (!m->constraint || !m->inertia || !m->gaps || !m->rows)
    return "a mechanism must state its constraints, inertia, gaps and rows";
  if (!(m->time_scale >= 0 && isfinite(m->time_scale)))
    return "a mechanism's time scale must be finite and not negative";
  if (!(m->lift >= 0 && isfinite(m->lift)))
    return "the speed at which a massless limb leaves must be finite and not negative";
  for (size_t k = 0; k < m->constraints; k++) {
    const char *const wrong = constraint_refused(m, k);
    if (wrong) return wrong;
  }
  for (size_t j = 0; m->limb && j < m->coordinates; j++) {
    const size_t k = m->limb[j];
    if (k == MECHANISM_BODY || k == MECHANISM_ALONE) continue;
    if (k >= m->constraints || !mechanism_is_normal(m, k))
      return "a massless coordinate must be held by a normal constraint";
    if (limbs_of(m, k) > rows_of(m, k))
      return "a contact must not hold more massless coordinates than it has rows without slip (A5)";
  }
  return NULL;
}

/* what differences say of a row, as a part of its size and of one */
static const double row_error = 1e-5;

static bool is_inertia(const mechanism *m, const double q[]) {
  const size_t n = m->coordinates;
  double M[MECHANISM_COORDINATES_MAX * MECHANISM_COORDINATES_MAX], largest = 0;
  m->inertia(q, M, m->params);
  for (size_t i = 0; i < n * n; i++) {
    if (!isfinite(M[i])) return false;
    largest = fmax(largest, fabs(M[i]));
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (!(M[i * n + i] >= 0) || fabs(M[i * n + j] - M[j * n + i]) > 1e-9 * largest) return false;
  return true;
}

const char *mechanism_refused_at(const mechanism *m, const double q[]) {
  const size_t n = m->coordinates;
  double A[MECHANISM_CONSTRAINTS_MAX * MECHANISM_COORDINATES_MAX],
      a[2][MECHANISM_CONSTRAINTS_MAX] = {{0}}, there[MECHANISM_COORDINATES_MAX];
  if (!is_inertia(m, q)) return "a mechanism's inertia must be finite and symmetric";
  m->rows(q, A, m->params);
  memcpy(there, q, n * sizeof *q);
  for (size_t j = 0; j < n; j++) {
    const double step = 1e-6 * fmax(1, fabs(q[j]));
    for (int side = 0; side < 2; side++) {
      there[j] = q[j] + (side ? -step : step);
      m->gaps(there, a[side], m->params);
    }
    there[j] = q[j];
    for (size_t k = 0; k < m->constraints; k++) {
      const double row = A[k * n + j], slope = (a[0][k] - a[1][k]) / (2 * step);
      if (!isfinite(row)) return "a mechanism's rows must be finite";
      if (mechanism_is_normal(m, k) && !(fabs(slope - row) <= row_error * fmax(1, fabs(row))))
        return "a normal constraint's row must be the derivative of its gap";
    }
  }
  return NULL;
}

contact_mode mechanism_choices(const mechanism *m) {
  contact_mode choices = 0;
  for (size_t k = 0; k < m->constraints; k++)
    if (mechanism_is_normal(m, k) || mechanism_has_cone(m, k)) choices |= CONTACT(k);
  return choices;
}

size_t mechanism_rubbing(const mechanism *m) {
  size_t k = 0;
  while (k < m->constraints && !m->constraint[k].rubs) k++;
  return k < m->constraints ? k : SIZE_MAX;
}

bool mechanism_is_mode(const mechanism *m, contact_mode mode) {
  if (mode & ~mechanism_choices(m)) return false;
  for (size_t k = 0; k < m->constraints; k++)
    if ((mode & CONTACT(k)) && !(mode & CONTACT(m->constraint[k].normal))) return false;
  return true;
}

size_t mechanism_count(contact_mode mode) {
  size_t count = 0;
  for (; mode; mode &= mode - 1) count++;
  return count;
}

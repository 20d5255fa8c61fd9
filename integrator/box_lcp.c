/*
 * The problem has one solution for every a if all principal minors of -G are positive (Cottle, Pang
 * and Stone, The Linear Complementarity Problem, 1992). Least-index pivoting then finds it (Murty).
 * Otherwise all 3^n choices of places are tried, if n is small.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "along.h"
#include "arithmetic.h"
#include "box_lcp.h"

/* largest number of unknowns of which all principal minors are computed */
enum { ALL_MINORS = 10 };

/* regularisation of a singular matrix, relative to its diagonal */
static const double ADDED = 1e-6;

/* ---- linear equations ------------------------------------------------------------------------ */

static bool solve_linear(size_t n, double matrix[], double b[], size_t exchanged[]) {
  double ignored;
  for (size_t i = 0; i < n; i++) {
    double most = 0.0;
    for (size_t j = 0; j < n; j++) most = ess_larger(fabs(matrix[i * n + j]), most);
    if (!(most > 0.0)) return false;
    for (size_t j = 0; j < n; j++) matrix[i * n + j] /= most;
    b[i] /= most;
  }
  if (!ess_factorise(n, matrix, exchanged, ESS_NEGLIGIBLE, &ignored)) return false;
  ess_solve_factorised(n, matrix, exchanged, b);
  return true;
}

/* makes columns p and q of m orthogonal by a rotation of both, and of those of v; false if they are
 */
static bool rotate(size_t n, double m[], double v[], size_t p, size_t q) {
  double pp = 0.0, qq = 0.0, pq = 0.0;
  for (size_t i = 0; i < n; i++) {
    pp += m[i * n + p] * m[i * n + p];
    qq += m[i * n + q] * m[i * n + q];
    pq += m[i * n + p] * m[i * n + q];
  }
  if (fabs(pq) <= 1e-15 * sqrt(pp * qq)) return false;
  const double zeta = (qq - pp) / (2.0 * pq);
  const double tangent = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
  const double c = 1.0 / sqrt(1.0 + tangent * tangent), s = c * tangent;
  for (size_t i = 0; i < n; i++) {
    const double mp = m[i * n + p], mq = m[i * n + q], vp = v[i * n + p], vq = v[i * n + q];
    m[i * n + p] = c * mp - s * mq;
    m[i * n + q] = s * mp + c * mq;
    v[i * n + p] = c * vp - s * vq;
    v[i * n + q] = s * vp + c * vq;
  }
  return true;
}

/* the smallest solution of singular equations, into b, by singular values (one-sided Jacobi); false
 * if they contradict each other. Overwrites the matrix; v and x are scratch. */
static bool solve_smallest(size_t n, double m[], double b[], double v[], double x[]) {
  double most = 0.0, size = 0.0, left = 0.0;
  for (size_t i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
  bool rotated = true;
  for (int sweep = 0; sweep < ESS_PROBES && rotated; sweep++) {
    rotated = false;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) rotated = rotate(n, m, v, p, q) || rotated;
  }
  for (size_t j = 0; j < n; j++) {
    double square = 0.0;
    for (size_t i = 0; i < n; i++) square += m[i * n + j] * m[i * n + j];
    most = ess_larger(square, most);
  }
  for (size_t i = 0; i < n; i++) size = ess_larger(fabs(b[i]), size);
  memset(x, 0, n * sizeof *x);
  for (size_t j = 0; j < n; j++) {
    double square = 0.0, along = 0.0;
    for (size_t i = 0; i < n; i++) {
      square += m[i * n + j] * m[i * n + j];
      along += m[i * n + j] * b[i];
    }
    if (!(square > ESS_NEGLIGIBLE * ESS_NEGLIGIBLE * most)) continue;
    for (size_t i = 0; i < n; i++) {
      x[i] += v[i * n + j] * along / square;
      b[i] -= m[i * n + j] * along / square;
    }
  }
  for (size_t i = 0; i < n; i++) left = ess_larger(fabs(b[i]), left);
  memcpy(b, x, n * sizeof *x);
  return left <= ESS_NEGLIGIBLE * (size + sqrt(most));
}

/* ---- given places ---------------------------------------------------------------------------- */

/* r = 0 for the unknowns between their bounds. REGULARISED subtracts ADDED |G_ii| (lambda_i -
 * near_i) from r. NEAREST is the solution nearest to `near`, weighted by |G_ii|. */
typedef enum equations { PLAIN, REGULARISED, NEAREST } equations;

static bool solve(equations kind, size_t n, const double a[], const double g[],
                  const signed char at[], const double near[], double lambda[],
                  const ess_box *work) {
  double *const m = work->matrix, *const b = work->b;
  size_t *const inside = work->members, count = 0;
  for (size_t i = 0; i < n; i++)
    if (!at[i]) inside[count++] = i;
  for (size_t r = 0; r < count; r++) {
    const size_t i = inside[r];
    const double added = kind == REGULARISED ? ADDED * fabs(g[i * n + i]) : 0.0;
    double sum = a[i] + (kind == REGULARISED ? added * near[i] : 0.0);
    for (size_t j = 0; j < n; j++) sum += at[j] > 0 ? g[i * n + j] : 0.0;
    for (size_t c = 0; c < count; c++)
      m[r * count + c] = g[i * n + inside[c]] - (r == c ? added : 0.0);
    b[r] = -sum;
  }
  // in units u = sqrt(|G_ii|) (lambda_i - near_i)
  for (size_t r = 0; kind == NEAREST && r < count; r++) {
    const double unit = fabs(g[inside[r] * n + inside[r]]);
    for (size_t c = 0; c < count; c++) {
      b[r] -= m[r * count + c] * near[inside[c]];
      m[r * count + c] /= unit * sqrt(fabs(g[inside[c] * n + inside[c]]));
    }
    b[r] /= unit;
  }
  if (kind == NEAREST ? !solve_smallest(count, m, b, work->inner, work->other)
                      : !solve_linear(count, m, b, work->queue))
    return false;
  for (size_t i = 0; i < n; i++) lambda[i] = at[i] > 0;
  for (size_t r = 0; r < count; r++) {
    const size_t i = inside[r];
    lambda[i] = kind == NEAREST ? near[i] + b[r] / sqrt(fabs(g[i * n + i])) : b[r];
  }
  return true;
}

bool ess_box_solve(size_t n, const double a[], const double g[], const signed char at[],
                   double lambda[], const ess_box *work) {
  return solve(PLAIN, n, a, g, at, NULL, lambda, work);
}

bool ess_box_unbounded(size_t n, const double a[], const double g[], const double near[],
                       double lambda[], const ess_box *work) {
  memset(work->choice, ESS_BETWEEN, n * sizeof *work->choice);
  return solve(PLAIN, n, a, g, work->choice, NULL, lambda, work) ||
         solve(NEAREST, n, a, g, work->choice, near, lambda, work);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* the first unknown that is not where it belongs, by more than this; n if all are. Its new place.
 */
static size_t find_misplaced(size_t n, const double a[], const double g[], const double *near,
                             const signed char at[], const double lambda[], double by,
                             signed char *to) {
  for (size_t i = 0; i < n; i++) {
    double rate = a[i];
    for (size_t j = 0; j < n; j++) rate += g[i * n + j] * lambda[j];
    const double unit = fabs(g[i * n + i]);
    if (near) rate -= ADDED * unit * (lambda[i] - near[i]);
    *to = ESS_BETWEEN;
    if (at[i] && at[i] * rate < -by * unit) return i;
    *to = lambda[i] < 0.5 ? ESS_AT_ZERO : ESS_AT_ONE;
    if (!at[i] && (lambda[i] < -by || lambda[i] > 1.0 + by)) return i;
  }
  return n;
}

/* Least-index pivoting, which ends if the solution is unique. If something is just at its bound,
 * rounding may prevent that. */
static bool pivot(size_t n, const double a[], const double g[], const double *near, double lambda[],
                  signed char at[], const ess_box *work) {
  const size_t most = 20 * (n + 1) * (n + 1);
  memset(at, ESS_BETWEEN, n * sizeof *at);
  for (size_t i = 0; i < 3 * most; i++) {
    signed char to;
    if (!solve(near ? REGULARISED : PLAIN, n, a, g, at, near, lambda, work)) return false;
    const double by = i < most ? 0.0 : i < 2 * most ? 1e-12 : ESS_NEGLIGIBLE;
    const size_t k = find_misplaced(n, a, g, near, at, lambda, by, &to);
    if (k == n) return true;
    at[k] = to;
  }
  return false;
}

void ess_box_choose(size_t n, size_t i, signed char at[]) {
  for (size_t k = 0; k < n; k++, i /= 3) at[k] = (signed char)(i % 3) - 1;
}

bool ess_box_fits(size_t n, const double a[], const double g[], const signed char at[],
                  const double lambda[]) {
  signed char ignored;
  return find_misplaced(n, a, g, NULL, at, lambda, 0.0, &ignored) == n;
}

void ess_box_add(size_t n, const double found[], const signed char choice[], double lambda[],
                 signed char at[], size_t *count) {
  double apart = *count ? 0.0 : INFINITY;
  for (size_t i = 0; i < n; i++) apart = ess_larger(fabs(found[i] - lambda[i]), apart);
  *count += apart > sqrt(ESS_NEGLIGIBLE);
  memcpy(lambda, found, n * sizeof *lambda);
  memcpy(at, choice, n * sizeof *at);
}

/* solutions among all choices of places that differ: how many, and the last of them */
static size_t enumerate(size_t n, const double a[], const double g[], double by, double lambda[],
                        signed char at[], const ess_box *work) {
  size_t count = 0, choices = 1;
  for (size_t i = 0; i < n; i++) choices *= 3;
  for (size_t i = 0; i < choices; i++) {
    signed char to;
    ess_box_choose(n, i, work->choice);
    if (!ess_box_solve(n, a, g, work->choice, work->other, work)) continue;
    if (find_misplaced(n, a, g, NULL, work->choice, work->other, by, &to) == n)
      ess_box_add(n, work->other, work->choice, lambda, at, &count);
  }
  return count;
}

/* ---- minors ---------------------------------------------------------------------------------- */

/* The minors of many unknowns are known if weighted rows make -G symmetric, as those of friction
 * do: then by elimination. Otherwise they count as negative. */
static ess_minors eliminate(size_t n, const double g[], const size_t members[], size_t worst[2],
                            const ess_box *work) {
  double *const m = work->matrix, *const weight = work->b;
  ess_minors found = ESS_MINORS_POSITIVE;
  memset(weight, 0, n * sizeof *weight);
  for (size_t root = 0, begin = 0, end = 0; root < n; root++) {
    if (weight[root] > 0.0) continue;
    weight[root] = 1.0;
    for (work->queue[end++] = root; begin < end; begin++) {
      const size_t i = work->queue[begin];
      for (size_t j = 0; j < n; j++) {
        const double ratio = g[j * n + i] != 0.0 ? g[i * n + j] / g[j * n + i] : 0.0;
        if (weight[j] > 0.0 || !(ratio > 0.0)) continue;
        weight[j] = weight[i] * ratio;
        work->queue[end++] = j;
      }
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double unit = sqrt(weight[i] * fabs(g[i * n + i]) * weight[j] * fabs(g[j * n + j]));
      const double one = weight[i] * g[i * n + j], other = weight[j] * g[j * n + i];
      m[i * n + j] = -0.5 * (one + other) / unit;
      if (fabs(one - other) <= ESS_NEGLIGIBLE * unit) continue;
      worst[0] = members[i];
      worst[1] = members[j];
      return ESS_MINORS_NEGATIVE;
    }
  for (size_t c = 0; c < n; c++) {
    double *const row = m + c * n;
    worst[0] = members[c ? c - 1 : 0];
    worst[1] = members[c];
    if (row[c] < -ESS_NEGLIGIBLE) return ESS_MINORS_NEGATIVE;
    if (row[c] <= ESS_NEGLIGIBLE) {
      found = ESS_MINORS_ZERO;
      for (size_t j = c + 1; j < n; j++)
        if (fabs(row[j]) > sqrt(ESS_NEGLIGIBLE)) return ESS_MINORS_NEGATIVE;
      continue;
    }
    for (size_t i = c + 1; i < n; i++) {
      const double factor = m[i * n + c] / row[c];
      for (size_t j = c; j < n; j++) m[i * n + j] -= factor * row[j];
    }
  }
  return found;
}

ess_minors ess_principal_minors(size_t n, const double g[], const signed char at[], size_t worst[2],
                                const ess_box *work) {
  double *const inner = work->inner, *const m = work->matrix;
  size_t *const members = work->members, count = 0, kept = 0, chosen[ALL_MINORS],
                exchanged[ALL_MINORS];
  ess_minors found = ESS_MINORS_POSITIVE;
  for (size_t i = 0; i < n; i++)
    if (!at || !at[i]) members[kept++] = i;
  for (size_t i = 0; i < kept; i++)
    for (size_t j = 0; j < kept; j++) inner[count++] = g[members[i] * n + members[j]];
  for (size_t i = 0; i < kept; i++) {
    if (inner[i * kept + i] < 0.0) continue;
    worst[0] = members[i];
    worst[1] = SIZE_MAX;
    return ESS_MINORS_NEGATIVE;
  }
  if (kept > ALL_MINORS) return eliminate(kept, inner, members, worst, work);
  for (size_t bits = 1; bits < (size_t)1 << kept; bits++) {
    double minor;
    count = 0;
    for (size_t i = 0; i < kept; i++)
      if (bits >> i & 1) chosen[count++] = i;
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++) // over the diagonal
        m[i * count + j] =
            -inner[chosen[i] * kept + chosen[j]] / fabs(inner[chosen[i] * kept + chosen[i]]);
    (void)ess_factorise(count, m, exchanged, 0.0, &minor);
    if (minor > ESS_NEGLIGIBLE || (minor >= -ESS_NEGLIGIBLE && found == ESS_MINORS_ZERO)) continue;
    worst[0] = members[chosen[0]];
    worst[1] = count > 1 ? members[chosen[1]] : SIZE_MAX;
    if (!(minor >= -ESS_NEGLIGIBLE)) return ESS_MINORS_NEGATIVE;
    found = ESS_MINORS_ZERO;
  }
  return found;
}

/* ---- the problem ----------------------------------------------------------------------------- */

ess_solutions ess_box_lcp(size_t n, const double a[], const double g[], double lambda[],
                          signed char at[], size_t worst[2], const ess_box *work) {
  double *const near = work->near;
  const ess_minors minors = ess_principal_minors(n, g, NULL, worst, work);
  if (minors == ESS_MINORS_POSITIVE && pivot(n, a, g, NULL, lambda, at, work))
    return ESS_ONE_SOLUTION;
  // a singular matrix: each round takes off the regularisation; then lambda to the last digits
  bool found = minors == ESS_MINORS_ZERO;
  double apart = INFINITY;
  for (size_t i = 0; i < n; i++) near[i] = 0.5;
  for (int round = 0; round < ESS_PROBES && found && apart > ESS_NEGLIGIBLE; round++) {
    found = pivot(n, a, g, near, lambda, at, work);
    apart = 0.0;
    for (size_t i = 0; i < n; i++) apart = ess_larger(fabs(lambda[i] - near[i]), apart);
    memcpy(near, lambda, n * sizeof *near);
  }
  for (size_t i = 0; i < n; i++) near[i] = 0.5;
  if (found && solve(NEAREST, n, a, g, at, near, lambda, work)) return ESS_ONE_RATE;
  if (n > ESS_LCP_FEW) return ESS_MANY_SOLUTIONS;
  size_t count = enumerate(n, a, g, 0.0, lambda, at, work);
  if (!count) count = enumerate(n, a, g, ESS_NEGLIGIBLE, lambda, at, work);
  return count == 1 ? ESS_ONE_SOLUTION : ESS_MANY_SOLUTIONS;
}

/*
 * Where jumps add up, what holds a state on several surfaces solves this problem. It has a
 * solution, and one alone whatever a is, where all principal minors of -G are above zero (Cottle,
 * Pang and Stone, The Linear Complementarity Problem, 1992). Then least-index pivoting ends there
 * (Murty). Otherwise all 3^n ways to choose who is inside are looked at, for a few.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "arithmetic.h"
#include "complementarity.h"

/* largest sizes for which all index sets (ALL_SETS) and all principal minors (ALL_MINORS) are
 * enumerated */
enum { ALL_SETS = 6, ALL_MINORS = 10 };

/* zero, for numbers scaled to 1 */
static const double NOUGHT = 1e-9;

/* regularisation of a singular matrix, relative to its diagonal, and rounds of proximal correction
 */
static const double ADDED = 1e-6;
enum { CORRECTIONS = 3 };

bool ess_solve_linear(size_t n, double matrix[], double b[], size_t exchanged[]) {
  double ignored;
  for (size_t i = 0; i < n; i++) {
    double most = 0.0;
    for (size_t j = 0; j < n; j++) most = ess_larger(fabs(matrix[i * n + j]), most);
    if (!(most > 0.0)) return false;
    for (size_t j = 0; j < n; j++) matrix[i * n + j] /= most;
    b[i] /= most;
  }
  if (!ess_factorise(n, matrix, exchanged, NOUGHT, &ignored)) return false;
  ess_solve_factorised(n, matrix, exchanged, b);
  return true;
}

/* the equations of those inside, of the others given, with so much of |G_ii| (lambda_i - near_i)
 * taken off the rate; near NULL: none. How many they are. */
static size_t gather_inside(size_t n, const double a[], const double g[], const signed char part[],
                            const double *near, const ess_box *work) {
  size_t inside = 0, row = 0;
  for (size_t j = 0; j < n; j++) inside += !part[j];
  for (size_t i = 0; i < n; i++) {
    if (part[i]) continue;
    const double added = near ? ADDED * fabs(g[i * n + i]) : 0.0;
    double sum = a[i] + (near ? added * near[i] : 0.0);
    for (size_t j = 0, column = 0; j < n; j++) {
      if (part[j])
        sum += part[j] > 0 ? g[i * n + j] : 0.0;
      else
        work->matrix[row * inside + column++] = g[i * n + j] - (i == j ? added : 0.0);
    }
    work->b[row++] = -sum;
  }
  return inside;
}

/* lambda of all, of those inside as solved */
static void spread(size_t n, const signed char part[], const double inside[], double lambda[]) {
  for (size_t i = 0, row = 0; i < n; i++) lambda[i] = part[i] ? part[i] > 0 : inside[row++];
}

static bool solve_inside(size_t n, const double a[], const double g[], const signed char part[],
                         const double *near, double lambda[], const ess_box *work) {
  const size_t inside = gather_inside(n, a, g, part, near, work);
  if (!ess_solve_linear(inside, work->matrix, work->b, work->queue)) return false;
  spread(n, part, work->b, lambda);
  return true;
}

/* turns two columns until they are orthogonal, and the same of v; whether they were not */
static bool turn(size_t n, double m[], double v[], size_t p, size_t q) {
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

/* the smallest solution of singular equations, into b, by their singular values (one-sided Jacobi);
 * false where they contradict each other. Matrix and b are written over, v is scratch. */
static bool solve_smallest(size_t n, double m[], double b[], double v[], double x[]) {
  enum { SWEEPS = 40 };
  double most = 0.0, size = 0.0, left = 0.0;
  for (size_t i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
  bool turned = true;
  for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
    turned = false;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) turned = turn(n, m, v, p, q) || turned;
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
    if (!(square > NOUGHT * NOUGHT * most)) continue;
    for (size_t i = 0; i < n; i++) {
      x[i] += v[i * n + j] * along / square;
      b[i] -= m[i * n + j] * along / square;
    }
  }
  for (size_t i = 0; i < n; i++) left = ess_larger(fabs(b[i]), left);
  memcpy(b, x, n * sizeof *x);
  return left <= NOUGHT * (size + sqrt(most));
}

/* the solution for those inside that is nearest to `near`, by |G_ii|, where there are many */
static bool solve_nearest(size_t n, const double a[], const double g[], const signed char part[],
                          const double near[], double lambda[], const ess_box *work) {
  const size_t inside = gather_inside(n, a, g, part, NULL, work);
  double *const m = work->matrix, *const b = work->b;
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (!part[i]) work->queue[count++] = i;
  for (size_t i = 0; i < inside; i++) {
    const double unit = fabs(g[work->queue[i] * n + work->queue[i]]);
    for (size_t j = 0; j < inside; j++) {
      b[i] -= m[i * inside + j] * near[work->queue[j]];
      m[i * inside + j] /= unit * sqrt(fabs(g[work->queue[j] * n + work->queue[j]]));
    }
    b[i] /= unit;
  }
  if (!solve_smallest(inside, m, b, work->inner, work->other)) return false;
  for (size_t j = 0; j < inside; j++) {
    const size_t k = work->queue[j];
    b[j] = near[k] + b[j] / sqrt(fabs(g[k * n + k]));
  }
  spread(n, part, b, lambda);
  return true;
}

/* the first that is not where it belongs, by more than this much; n when all are. Where it goes. */
static size_t find_misplaced(size_t n, const double a[], const double g[], const double *near,
                             const signed char part[], const double lambda[], double by,
                             signed char *to) {
  for (size_t i = 0; i < n; i++) {
    double rate = a[i];
    for (size_t j = 0; j < n; j++) rate += g[i * n + j] * lambda[j];
    const double unit = fabs(g[i * n + i]);
    if (near) rate -= ADDED * unit * (lambda[i] - near[i]);
    *to = ESS_BETWEEN;
    if (part[i] && part[i] * rate < -by * unit) return i;
    *to = lambda[i] < 0.5 ? ESS_AT_ZERO : ESS_AT_ONE;
    if (!part[i] && (lambda[i] < -by || lambda[i] > 1.0 + by)) return i;
  }
  return n;
}

/* least-index pivoting, which ends for matrices whose solution is one alone; rounding may keep it
 * from that where something is just at its bound */
static bool pivot(size_t n, const double a[], const double g[], const double *near, double lambda[],
                  signed char part[], const ess_box *work) {
  const size_t most = 20 * (n + 1) * (n + 1);
  memset(part, ESS_BETWEEN, n * sizeof *part);
  for (size_t i = 0; i < 3 * most; i++) {
    signed char to;
    if (!solve_inside(n, a, g, part, near, lambda, work)) return false;
    const double by = i < most ? 0.0 : i < 2 * most ? 1e-12 : NOUGHT;
    const size_t k = find_misplaced(n, a, g, near, part, lambda, by, &to);
    if (k == n) return true;
    part[k] = to;
  }
  return false;
}

/* the determinant of the members chosen by bits, of -G with ones on its diagonal */
static double minor_of(size_t n, const double g[], size_t bits, double matrix[]) {
  size_t members[ALL_MINORS], exchanged[ALL_MINORS], count = 0;
  double product;
  for (size_t i = 0; i < n; i++)
    if (bits >> i & 1) members[count++] = i;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      matrix[i * count + j] =
          -g[members[i] * n + members[j]] / fabs(g[members[i] * n + members[i]]);
  (void)ess_factorise(count, matrix, exchanged, 0.0, &product);
  return product;
}

/* the two first members among the bits */
static void name_pair(const size_t members[], size_t bits, size_t worst[2]) {
  size_t found = 0;
  for (size_t i = 0; bits >> i && found < 2; i++)
    if (bits >> i & 1) worst[found++] = members[i];
  if (found == 1) worst[1] = SIZE_MAX;
}

static ess_minors few_minors(size_t n, const double g[], const size_t members[], size_t worst[2],
                             const ess_box *work) {
  ess_minors found = ESS_MINORS_POSITIVE;
  for (size_t bits = 1; bits < (size_t)1 << n; bits++) {
    const double minor = minor_of(n, g, bits, work->matrix);
    if (minor > NOUGHT) continue;
    if (minor >= -NOUGHT && found == ESS_MINORS_ZERO) continue;
    name_pair(members, bits, worst);
    if (!(minor >= -NOUGHT)) return ESS_MINORS_NEGATIVE;
    found = ESS_MINORS_ZERO;
  }
  return found;
}

/* rows by which many of them are made symmetric: from member to member, by what couples them */
static void find_scales(size_t n, const double g[], double scale[], size_t queue[]) {
  for (size_t i = 0; i < n; i++) scale[i] = 0.0;
  for (size_t root = 0; root < n; root++) {
    if (scale[root] > 0.0) continue;
    size_t begin = 0, end = 0;
    scale[root] = 1.0;
    queue[end++] = root;
    while (begin < end) {
      const size_t i = queue[begin++];
      for (size_t j = 0; j < n; j++) {
        const double ratio = g[j * n + i] != 0.0 ? g[i * n + j] / g[j * n + i] : 0.0;
        if (scale[j] > 0.0 || !(ratio > 0.0)) continue;
        scale[j] = scale[i] * ratio;
        queue[end++] = j;
      }
    }
  }
}

/* many: known where they can be made symmetric, as friction can; where not, taken as negative */
static ess_minors many_minors(size_t n, const double g[], const size_t members[], size_t worst[2],
                              const ess_box *work) {
  double *const matrix = work->matrix, *const scale = work->b;
  ess_minors found = ESS_MINORS_POSITIVE;
  find_scales(n, g, scale, work->queue);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double unit = sqrt(scale[i] * fabs(g[i * n + i]) * scale[j] * fabs(g[j * n + j]));
      const double one = scale[i] * g[i * n + j], other = scale[j] * g[j * n + i];
      matrix[i * n + j] = -0.5 * (one + other) / unit;
      if (fabs(one - other) <= NOUGHT * unit) continue;
      worst[0] = members[i];
      worst[1] = members[j];
      return ESS_MINORS_NEGATIVE;
    }
  for (size_t c = 0; c < n; c++) {
    double *const row = matrix + c * n;
    worst[0] = members[c ? c - 1 : 0];
    worst[1] = members[c];
    if (row[c] < -NOUGHT) return ESS_MINORS_NEGATIVE;
    if (row[c] <= NOUGHT) {
      found = ESS_MINORS_ZERO;
      for (size_t j = c + 1; j < n; j++)
        if (fabs(row[j]) > sqrt(NOUGHT)) return ESS_MINORS_NEGATIVE;
      continue;
    }
    for (size_t i = c + 1; i < n; i++) {
      const double factor = matrix[i * n + c] / row[c];
      for (size_t j = c; j < n; j++) matrix[i * n + j] -= factor * row[j];
    }
  }
  return found;
}

ess_minors ess_principal_minors(size_t n, const double g[], const signed char part[],
                                size_t worst[2], const ess_box *work) {
  double *const inner = work->inner;
  size_t *const members = work->members, count = 0, kept = 0;
  for (size_t i = 0; i < n; i++)
    if (!part || !part[i]) members[kept++] = i;
  for (size_t i = 0; i < kept; i++)
    for (size_t j = 0; j < kept; j++) inner[count++] = g[members[i] * n + members[j]];
  for (size_t i = 0; i < kept; i++) {
    if (inner[i * kept + i] < 0.0) continue;
    worst[0] = members[i];
    worst[1] = SIZE_MAX;
    return ESS_MINORS_NEGATIVE;
  }
  return kept <= ALL_MINORS ? few_minors(kept, inner, members, worst, work)
                            : many_minors(kept, inner, members, worst, work);
}

bool ess_complementarity_inside(size_t n, const double a[], const double g[], const double near[],
                                double lambda[], const ess_box *work) {
  memset(work->way, ESS_BETWEEN, n * sizeof *work->way);
  return solve_inside(n, a, g, work->way, NULL, lambda, work) ||
         solve_nearest(n, a, g, work->way, near, lambda, work);
}

/* the one nearest to 1/2 of the many that a singular matrix has */
static bool pivot_singular(size_t n, const double a[], const double g[], double lambda[],
                           signed char part[], const ess_box *work) {
  double *const near = work->near;
  for (size_t i = 0; i < n; i++) near[i] = 0.5;
  for (int round = 0; round < CORRECTIONS; round++) {
    if (!pivot(n, a, g, near, lambda, part, work)) return false;
    memcpy(near, lambda, n * sizeof *near);
  }
  // by what it has found of who is inside, to the last digits
  for (size_t i = 0; i < n; i++) near[i] = 0.5;
  return solve_nearest(n, a, g, part, near, lambda, work);
}

void ess_choose_way(size_t n, size_t way, signed char part[]) {
  for (size_t i = 0; i < n; i++, way /= 3) part[i] = (signed char)(way % 3) - 1;
}

/* looks at all ways: how many solutions they have that differ; the last of them */
static size_t count_solutions(size_t n, const double a[], const double g[], double by,
                              double lambda[], signed char part[], const ess_box *work) {
  double *const found = work->other;
  signed char *const way = work->way;
  size_t count = 0, ways = 1;
  for (size_t i = 0; i < n; i++) ways *= 3;
  for (size_t i = 0; i < ways; i++) {
    signed char to;
    ess_choose_way(n, i, way);
    if (!solve_inside(n, a, g, way, NULL, found, work)) continue;
    if (find_misplaced(n, a, g, NULL, way, found, by, &to) < n) continue;
    double apart = count ? 0.0 : INFINITY;
    for (size_t j = 0; j < n; j++) apart = ess_larger(fabs(found[j] - lambda[j]), apart);
    count += apart > 1e-6;
    memcpy(lambda, found, n * sizeof *lambda);
    memcpy(part, way, n * sizeof *part);
  }
  return count;
}

ess_solutions ess_complementarity(size_t n, const double a[], const double g[], double lambda[],
                                  signed char part[], size_t worst[2], const ess_box *work) {
  const ess_minors minors = ess_principal_minors(n, g, NULL, worst, work);
  if (minors == ESS_MINORS_POSITIVE && pivot(n, a, g, NULL, lambda, part, work))
    return ESS_ONE_SOLUTION;
  if (minors == ESS_MINORS_ZERO && pivot_singular(n, a, g, lambda, part, work)) return ESS_ONE_RATE;
  if (n > ALL_SETS) return ESS_MANY_SOLUTIONS;
  size_t count = count_solutions(n, a, g, 0.0, lambda, part, work);
  if (!count) count = count_solutions(n, a, g, NOUGHT, lambda, part, work);
  return count == 1 ? ESS_ONE_SOLUTION : ESS_MANY_SOLUTIONS;
}

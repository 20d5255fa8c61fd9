/*
 * Exact solution of piecewise affine systems: see exact_affine.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "exact_affine.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <string.h>

enum { AUGMENTED = AFFINE_STATES + 1, SCAN = 64, BRENT_ITERATIONS = 200 };

double affine_dot(size_t n, const double a[], const double b[]) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double affine_guard(const affine_system *s, size_t k, const double x[]) {
  return affine_dot(s->n, s->normal[k], x) - s->offset[k];
}

void affine_velocity(const affine_system *s, size_t mode, const double x[], double f[]) {
  const affine_field *const field = &s->field[mode];
  for (size_t i = 0; i < s->n; i++) f[i] = affine_dot(s->n, field->A[i], x) + field->b[i];
}

/* exponential of the field's augmentation to (x, 1), packed to its n + 1 rows and columns */
static bool exponential(const affine_system *s, size_t mode, double tau,
                        double e[AUGMENTED * AUGMENTED]) {
  const affine_field *const field = &s->field[mode];
  const size_t n = s->n, rows = n + 1;
  double a[AUGMENTED * AUGMENTED] = {0};
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) a[i * rows + j] = field->A[i][j] * tau;
    a[i * rows + n] = field->b[i] * tau;
  }
  gsl_matrix_view matrix = gsl_matrix_view_array(a, rows, rows);
  gsl_matrix_view result = gsl_matrix_view_array(e, rows, rows);
  return gsl_linalg_exponential_ss(&matrix.matrix, &result.matrix, GSL_PREC_DOUBLE) == GSL_SUCCESS;
}

/* out = exp(tau A) (v, last), or not a number */
static void apply(const affine_system *s, size_t mode, double tau, const double v[], double last,
                  double out[]) {
  double e[AUGMENTED * AUGMENTED];
  const bool known = exponential(s, mode, tau, e);
  for (size_t i = 0; i < s->n; i++) {
    const double *const row = e + i * (s->n + 1);
    out[i] = known ? affine_dot(s->n, row, v) + row[s->n] * last : NAN;
  }
}

void affine_flow(const affine_system *s, size_t mode, double tau, const double x[], double out[]) {
  apply(s, mode, tau, x, 1.0, out);
}

void affine_transport(const affine_system *s, size_t mode, double tau, const double v[],
                      double out[]) {
  apply(s, mode, tau, v, 0.0, out);
}

void affine_thread(affine_system *s, const double x0[], const size_t order[], const double times[],
                   double t1, affine_path *path) {
  const double *x = x0;
  double t = 0.0;
  size_t mode = 0;
  path->count = s->m;
  for (size_t i = 0; i < s->m; i++) {
    const size_t k = path->guard[i] = order[i];
    path->time[i] = times[i];
    affine_flow(s, mode, times[i] - t, x, path->state[i]);
    x = path->state[i];
    t = times[i];
    s->offset[k] = affine_dot(s->n, s->normal[k], x);
    mode |= (size_t)1 << k;
  }
  affine_flow(s, mode, t1 - t, x, path->end);
}

/* h of one guard along the flow of a mode from x */
typedef struct guard_along {
  const affine_system *system;
  size_t mode, guard;
  const double *x;
} guard_along;

static double guard_at(double tau, void *params) {
  const guard_along *const g = params;
  double x[AFFINE_STATES];
  affine_flow(g->system, g->mode, tau, g->x, x);
  return affine_guard(g->system, g->guard, x);
}

/* root of guard_at in a bracket, to round-off; NaN when GSL fails */
static double locate(guard_along *g, double below, double above) {
  if (guard_at(below, g) >= 0.0) return below;
  gsl_root_fsolver *const solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  if (!solver) return NAN;
  gsl_function f = {.function = guard_at, .params = g};
  int status = gsl_root_fsolver_set(solver, &f, below, above);
  double root = NAN;
  for (int i = 0; !status && i < BRENT_ITERATIONS; i++) {
    status = gsl_root_fsolver_iterate(solver);
    root = gsl_root_fsolver_root(solver);
    const double lower = gsl_root_fsolver_x_lower(solver);
    const double upper = gsl_root_fsolver_x_upper(solver);
    if (!(nextafter(nextafter(lower, upper), upper) < upper)) break;
  }
  gsl_root_fsolver_free(solver);
  return status ? NAN : root;
}

/* the guard not yet crossed that the flow of a mode reaches first within `duration`, and when; m
 * when there is none */
static size_t first_crossing(const affine_system *s, size_t mode, const double x[], double duration,
                             double *tau) {
  size_t first = s->m;
  *tau = duration;
  for (int i = 0; i <= SCAN && first == s->m; i++) {
    const double above = duration * i / SCAN, below = duration * (i ? i - 1 : 0) / SCAN;
    double y[AFFINE_STATES];
    affine_flow(s, mode, above, x, y);
    for (size_t k = 0; k < s->m; k++) {
      if (mode >> k & 1 || affine_guard(s, k, y) < 0.0) continue;
      guard_along g = {.system = s, .mode = mode, .guard = k, .x = x};
      const double root = locate(&g, below, above);
      if (first < s->m && root >= *tau) continue;
      first = k;
      *tau = root;
    }
  }
  return first;
}

bool affine_solve(const affine_system *s, const double x0[], double t1, affine_path *path) {
  const double *x = x0;
  double t = 0.0;
  size_t mode = 0;
  path->count = 0;
  while (path->count < s->m) {
    double tau;
    const size_t k = first_crossing(s, mode, x, t1 - t, &tau);
    if (k == s->m) break;
    double *const at = path->state[path->count];
    affine_flow(s, mode, tau, x, at);
    x = at;
    t += tau;
    path->guard[path->count] = k;
    path->time[path->count++] = t;
    mode |= (size_t)1 << k;
  }
  affine_flow(s, mode, t1 - t, x, path->end);
  return isfinite(affine_dot(s->n, path->end, path->end) + t);
}

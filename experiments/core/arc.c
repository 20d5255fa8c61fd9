/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pseudo-arclength: Newton's method for an orbit and its parameter. */
#include "arc.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#include "measure.h"

enum { UNKNOWNS_MAX = MODEL_SECTION_MAX + 1, ITERATIONS_MAX = 30 };

/* the map's derivative by the parameter is by central differences of so much of it */
static const double move = 1e-6;

/* what a number is large beside */
static double size_of(double number) {
  return fmax(fabs(number), 1e-3);
}

/* from the first orbit to the second, each number over its size; the parameter comes last */
static void secant(const arc *a, double way[UNKNOWNS_MAX]) {
  const size_t n = a->of[1]->count;
  for (size_t i = 0; i < n; i++)
    way[i] = (a->of[1]->s[i] - a->of[0]->s[i]) / size_of(a->of[1]->s[i]);
  way[n] = (a->value[1] - a->value[0]) / size_of(a->value[1]);
}

double arc_length(const arc *a) {
  double way[UNKNOWNS_MAX], sum = 0.0;
  secant(a, way);
  for (size_t i = 0; i <= a->of[1]->count; i++) sum += way[i] * way[i];
  return sqrt(sum);
}

static int set(const arc *a, double value, char message[SOLVER_MESSAGE_SIZE]) {
  if (model_set(a->m, a->parameter, value, message)) return SOLVER_REFUSED;
  const int status = model_prepare(a->m, message);
  return status == MODEL_REFUSED ? SOLVER_REFUSED : status ? SOLVER_FAILED : 0;
}

static int map(const arc *a, double value, const double s[], double to[], double matrix[],
               char message[SOLVER_MESSAGE_SIZE]) {
  const int status = set(a, value, message);
  return status ? status : orbit_map(a->request, s, to, matrix, message);
}

/* the last column: of the map by the parameter */
static int by_parameter(const arc *a, const double u[], double by[],
                        char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = a->of[1]->count;
  const double h = move * size_of(u[n]);
  double side[2][MODEL_SECTION_MAX], matrix[GROWTH_MATRIX_MAX];
  int status = map(a, u[n] - h, u, side[0], matrix, message);
  if (!status) status = map(a, u[n] + h, u, side[1], matrix, message);
  for (size_t i = 0; !status && i < n; i++) by[i] = (side[1][i] - side[0][i]) / (2.0 * h);
  return status;
}

/* one step of Newton's method for P(s, p) = s in the plane through `guess` across `way` */
static int improve(const arc *a, const double guess[], const double way[], const double to[],
                   const double matrix[], double u[], char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = a->of[1]->count, unknowns = n + 1;
  double m[UNKNOWNS_MAX * UNKNOWNS_MAX], right[UNKNOWNS_MAX], step[UNKNOWNS_MAX],
      by[MODEL_SECTION_MAX];
  size_t place[UNKNOWNS_MAX];
  int sign;
  const int status = by_parameter(a, u, by, message);
  if (status) return status;
  right[n] = 0.0;
  for (size_t j = 0; j < unknowns; j++) {
    const double size = size_of(j < n ? a->of[1]->s[j] : a->value[1]);
    for (size_t i = 0; i < n; i++)
      m[i * unknowns + j] = j == n ? by[i] : matrix[i * n + j] - (i == j);
    m[n * unknowns + j] = way[j] / size;
    right[n] -= way[j] * (u[j] - guess[j]) / size;
  }
  for (size_t i = 0; i < n; i++) right[i] = u[i] - to[i];
  gsl_matrix_view left = gsl_matrix_view_array(m, unknowns, unknowns);
  gsl_vector_view b = gsl_vector_view_array(right, unknowns),
                  out = gsl_vector_view_array(step, unknowns);
  gsl_permutation order = {.size = unknowns, .data = place};
  gsl_linalg_LU_decomp(&left.matrix, &order, &sign);
  gsl_linalg_LU_solve(&left.matrix, &order, &b.vector, &out.vector);
  bool finite = true;
  for (size_t i = 0; i < unknowns; i++) {
    finite = finite && isfinite(step[i]);
    u[i] += step[i];
  }
  if (finite) return 0;
  measure_message(message, "%s: no orbit across the branch", a->m->type->name);
  return SOLVER_FAILED;
}

int arc_find(const arc *a, double part, double *value, orbit *o,
             char message[SOLVER_MESSAGE_SIZE]) {
  const size_t n = a->of[1]->count;
  double way[UNKNOWNS_MAX], guess[UNKNOWNS_MAX], u[UNKNOWNS_MAX], to[MODEL_SECTION_MAX],
      matrix[GROWTH_MATRIX_MAX];
  secant(a, way);
  for (size_t i = 0; i < n; i++)
    guess[i] = a->of[1]->s[i] + part * (a->of[1]->s[i] - a->of[0]->s[i]);
  guess[n] = a->value[1] + part * (a->value[1] - a->value[0]);
  memcpy(u, guess, sizeof u);
  const double enough = orbit_enough(a->request);
  double before = INFINITY, off = INFINITY;
  for (int i = 0; i < ITERATIONS_MAX; i++) {
    int status = map(a, u[n], u, to, matrix, message);
    if (status) return status;
    off = orbit_residual(u, to, n);
    // on until rounding stops it
    if (off <= enough && !(off < 0.5 * before)) break;
    before = off;
    status = improve(a, guess, way, to, matrix, u, message);
    if (status) return status;
  }
  if (!(off <= enough)) {
    measure_message(message, "%s: no orbit across the branch; the map moves what was found by %.3g",
                    a->m->type->name, off);
    return SOLVER_FAILED;
  }
  *value = u[n];
  *o = *a->of[1];
  memcpy(o->s, u, n * sizeof *u);
  const int status = set(a, *value, message);
  return status ? status : orbit_look(a->request, o, message);
}

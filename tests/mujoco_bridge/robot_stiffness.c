/*
 * robot_stiffness FILE.xml ...: what bounds libess's steps on a robot, and what steps of other
 * kinds take: the field's spectral radius along the first second of a fall, with the evaluations
 * that an explicit method of order 5 then needs to be stable; and how many evaluations libess, a
 * stabilised method (RKC of second order, Sommeijer, Shampine and Verwer 1997) and a linearly
 * implicit one (CVODE's BDF, Jacobians by differences) spend for which error at the end. The latter
 * two go over touch-downs as if there were none.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cvode/cvode.h>
#include <gsl/gsl_eigen.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "robot_starts.h"

enum { LOOKS = 50, STAGES_MAX = 200 };
static const double end = 1.0, stable_to = 3.3; /* of dopri5, along the negative axis */

typedef struct subject {
  robot *r;
  size_t n;
  double *start, *right; /* the state at the end */
} subject;

static double *room(size_t count) {
  double *const p = calloc(count, sizeof *p);
  if (!p) abort();
  return p;
}

/* ---- the field's spectral radius ------------------------------------------------------------- */

static double radius_at(const subject *s, const double x[]) {
  const size_t n = s->n;
  gsl_matrix *const jacobian = gsl_matrix_alloc(n, n);
  gsl_vector_complex *const values = gsl_vector_complex_alloc(n);
  gsl_eigen_nonsymm_workspace *const work = gsl_eigen_nonsymm_alloc(n);
  double *const f = room(3 * n), *const g = f + n, *const y = g + n, largest = 0.0;
  robot_plain_field(s->r, x, f);
  for (size_t j = 0; j < n; j++) {
    const double step = 1e-7 * (1.0 + fabs(x[j]));
    memcpy(y, x, n * sizeof *y);
    y[j] += step;
    robot_plain_field(s->r, y, g);
    for (size_t i = 0; i < n; i++) gsl_matrix_set(jacobian, i, j, (g[i] - f[i]) / step);
  }
  gsl_eigen_nonsymm(jacobian, values, work);
  for (size_t i = 0; i < n; i++) {
    const gsl_complex z = gsl_vector_complex_get(values, i);
    largest = fmax(largest, hypot(GSL_REAL(z), GSL_IMAG(z)));
  }
  free(f);
  gsl_eigen_nonsymm_free(work);
  gsl_vector_complex_free(values);
  gsl_matrix_free(jacobian);
  return largest;
}

/* ---- libess ---------------------------------------------------------------------------------- */

/* to the end at a tolerance; `radius`, unless NULL, is given the mean and the largest on the way */
static size_t by_libess(const subject *s, double tolerance, double x[], double radius[2]) {
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  int status = 0;
  ess_driver *const d = ess_driver_alloc(robot_system(s->r), &with, &status);
  robot *const other = robot_clone(s->r);
  const subject beside = {other, s->n, NULL, NULL};
  const uint64_t before = robot_counted(s->r).fields;
  double t = 0.0;
  memcpy(x, s->start, s->n * sizeof *x);
  for (int k = 1; d && !status && k <= (radius ? LOOKS : 1); k++) {
    status = ess_driver_apply(d, &t, radius ? end * k / LOOKS : end, x);
    if (!radius || status) continue;
    const double here = radius_at(&beside, x);
    radius[0] += here / LOOKS;
    radius[1] = fmax(radius[1], here);
  }
  ess_driver_free(d);
  robot_close(other);
  if (status) fprintf(stderr, "libess at %g: %s\n", tolerance, ess_strerror(status));
  return (size_t)(robot_counted(s->r).fields - before);
}

/* ---- a stabilised step ----------------------------------------------------------------------- */

/* of s stages: Chebyshev's polynomials at w0, with what follows from them */
typedef struct chebyshev {
  int stages;
  double w0, w1, t[STAGES_MAX + 1], b[STAGES_MAX + 1];
} chebyshev;

static chebyshev of_stages(int stages) {
  chebyshev c = {.stages = stages, .w0 = 1.0 + 2.0 / 13.0 / (stages * stages)};
  double d[STAGES_MAX + 1] = {0.0, 1.0}, dd[STAGES_MAX + 1] = {0.0};
  c.t[0] = 1.0;
  c.t[1] = c.w0;
  for (int j = 2; j <= stages; j++) {
    c.t[j] = 2.0 * c.w0 * c.t[j - 1] - c.t[j - 2];
    d[j] = 2.0 * c.t[j - 1] + 2.0 * c.w0 * d[j - 1] - d[j - 2];
    dd[j] = 4.0 * d[j - 1] + 2.0 * c.w0 * dd[j - 1] - dd[j - 2];
    c.b[j] = dd[j] / (d[j] * d[j]);
  }
  c.b[0] = c.b[1] = c.b[2];
  c.w1 = d[stages] / dd[stages];
  return c;
}

/* one step of h from y, in place; work[5 n] */
static void stabilised_step(const subject *s, const chebyshev *c, double h, double y[],
                            double work[]) {
  const size_t n = s->n;
  double *const f0 = work, *const f = f0 + n, *a = f + n, *b = a + n, *next = b + n;
  robot_plain_field(s->r, y, f0);
  memcpy(a, y, n * sizeof *a);
  for (size_t i = 0; i < n; i++) b[i] = y[i] + c->b[1] * c->w1 * h * f0[i];
  for (int j = 2; j <= c->stages; j++) {
    const double mu = 2.0 * c->b[j] * c->w0 / c->b[j - 1], nu = -c->b[j] / c->b[j - 2];
    const double part = 2.0 * c->b[j] * c->w1 / c->b[j - 1];
    const double back = -(1.0 - c->b[j - 1] * c->t[j - 1]) * part;
    robot_plain_field(s->r, b, f);
    for (size_t i = 0; i < n; i++)
      next[i] = (1.0 - mu - nu) * y[i] + mu * b[i] + nu * a[i] + h * (part * f[i] + back * f0[i]);
    double *const oldest = a;
    a = b;
    b = next;
    next = oldest;
  }
  memcpy(y, b, n * sizeof *y);
}

static size_t by_rkc(const subject *s, size_t steps, double radius, double x[]) {
  const double h = end / (double)steps;
  const int stages = (int)fmax(2.0, 1.0 + sqrt(1.0 + 1.54 * h * radius));
  if (stages > STAGES_MAX) return 0;
  const chebyshev c = of_stages(stages);
  double *const work = room(5 * s->n);
  memcpy(x, s->start, s->n * sizeof *x);
  for (size_t k = 0; k < steps; k++) stabilised_step(s, &c, h, x, work);
  free(work);
  return steps * (size_t)stages;
}

/* ---- a linearly implicit one ----------------------------------------------------------------- */

typedef struct counted {
  robot *r;
  size_t calls;
} counted;

static int plain(realtype t, N_Vector x, N_Vector dxdt, void *context) {
  counted *const c = context;
  (void)t;
  c->calls++;
  return robot_plain_field(c->r, NV_DATA_S(x), NV_DATA_S(dxdt));
}

static size_t by_bdf(const subject *s, double tolerance, double x[]) {
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return 0;
  memcpy(x, s->start, s->n * sizeof *x);
  const N_Vector state = N_VMake_Serial((sunindextype)s->n, x, context);
  const SUNMatrix matrix = SUNDenseMatrix((sunindextype)s->n, (sunindextype)s->n, context);
  const SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
  void *memory = CVodeCreate(CV_BDF, context);
  counted c = {s->r, 0};
  realtype t;
  CVodeInit(memory, plain, 0.0, state);
  CVodeSetUserData(memory, &c);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetMaxNumSteps(memory, 1000000);
  CVodeSetLinearSolver(memory, solver, matrix);
  const int status = CVode(memory, end, state, &t, CV_NORMAL);
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  SUNContext_Free(&context);
  return status < 0 ? 0 : c.calls;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void tell(const subject *s, const char *method, double knob, size_t evaluations,
                 double x[]) {
  double sum = 0.0;
  robot_normalise(s->r, x);
  for (size_t i = 0; i < s->n; i++) sum += (x[i] - s->right[i]) * (x[i] - s->right[i]);
  printf("  %-8s %8g %12zu %10.1e\n", method, knob, evaluations, sqrt(sum / (double)s->n));
}

static void compare(const subject *s, const char *file) {
  double *const x = room(s->n), radius[2] = {0.0, 0.0};
  by_libess(s, 1e-9, s->right, radius);
  robot_normalise(s->r, s->right);
  printf("%s: spectral radius %.0f/s, at most %.0f/s; order 5 is stable from %.0f evaluations a "
         "second on\n  %-8s %8s %12s %10s\n",
         file, radius[0], radius[1], 6.0 * radius[0] / stable_to, "method", "knob", "evaluations",
         "error");
  for (double tolerance = 0.1; tolerance > 1e-6; tolerance /= 10.0)
    tell(s, "libess", tolerance, by_libess(s, tolerance, x, NULL), x);
  for (size_t steps = 50; steps <= 800; steps *= 2)
    tell(s, "RKC", (double)steps, by_rkc(s, steps, 1.1 * radius[1], x), x);
  for (double tolerance = 0.01; tolerance > 1e-6; tolerance /= 10.0)
    tell(s, "BDF", tolerance, by_bdf(s, tolerance, x), x);
  free(x);
}

static int look_at(const char *file) {
  char message[ROBOT_MESSAGE_SIZE];
  const robot_start fall = {.height = 0.05, .tilt = 0.1};
  subject s = {0};
  if (robot_open(file, NULL, NULL, &s.r, message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  s.n = robot_size(s.r).dimension;
  s.start = room(s.n);
  s.right = room(s.n);
  const int status = robot_start_state(s.r, &fall, s.start, message);
  if (status)
    fprintf(stderr, "%s\n", message);
  else
    compare(&s, file);
  free(s.start);
  free(s.right);
  robot_close(s.r);
  return status ? 1 : 0;
}

int main(int argc, char **argv) {
  int status = 0;
  if (argc < 2) {
    fprintf(stderr, "usage: robot_stiffness FILE.xml ...\n");
    return 2;
  }
  for (int i = 1; i < argc; i++) status |= look_at(argv[i]);
  return status;
}

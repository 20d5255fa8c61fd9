/*
 * robot_stiffness [--twin K,C] [--starts N] [--table 1] FILE.xml ...: what bounds libess's steps on
 * a robot, and what steps of other kinds take: the field's spectral radius along the first second
 * of a fall, with the evaluations that an explicit method of order 5 then needs to be stable; and
 * how many evaluations libess spends for which error by each base (ess_options.base), by RODAS as
 * if its Jacobians cost nothing, and by CVODE's BDF with Jacobians by differences, which goes over
 * touch-downs as if there were none. --table 1 writes the last as rows of a page alone.
 *
 * Errors are those of `essbench robot`: the RMS over all states and output times. Both are medians
 * over the starts.
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

enum { LOOKS = 50, OUTPUTS = 500, STARTS_MOST = 100, TOLERANCES = 12 };
static const double end = 1.0, stable_to = 3.3; /* of dopri5, along the negative axis */

/* each half as long again as the one before */
static double tolerance_at(size_t i) {
  return 0.9 * pow(10.0, -0.5 * (double)i);
}

typedef struct subject {
  robot *r;
  size_t n;
  double *start, *right, *states; /* at the output times: the reference's, another's */
} subject;

static double *room(size_t count) {
  double *const p = calloc(count, sizeof *p);
  if (!p) abort();
  return p;
}

static double output_time(size_t i) {
  return end * (double)(i + 1) / OUTPUTS;
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

/* the Jacobian by differences that libess does not count */
static int uncounted(double t, const double x[], const double sign[], double J[], void *params) {
  const ess_system *const system = robot_system(params);
  const size_t n = system->dimension;
  double *const f = room(3 * n), *const g = f + n, *const y = g + n;
  int code = system->field(t, x, sign, f, params);
  memcpy(y, x, n * sizeof *y);
  for (size_t j = 0; !code && j < n; j++) {
    y[j] += 0x1p-26 * (1.0 + fabs(x[j]));
    code = system->field(t, y, sign, g, params);
    for (size_t i = 0; i < n; i++) J[i * n + j] = (g[i] - f[i]) / (y[j] - x[j]);
    y[j] = x[j];
  }
  free(f);
  return code;
}

/* into `states`; how many evaluations, 0 when it fails */
static size_t by_libess(const subject *s, ess_base base, bool free_jacobians, double tolerance,
                        double states[]) {
  static double times[OUTPUTS];
  ess_options with = ess_options_default();
  with.rtol = with.atol = tolerance;
  with.base = base;
  with.max_steps = with.max_crossings = 20000; // where contacts slide there is no end
  int status = 0;
  ess_system system = *robot_system(s->r);
  if (free_jacobians) system.field_jacobian = uncounted;
  ess_driver *const d = ess_driver_alloc(&system, &with, &status);
  double *const x = room(s->n), t = 0.0;
  for (size_t i = 0; i < OUTPUTS; i++) times[i] = output_time(i);
  memcpy(x, s->start, s->n * sizeof *x);
  if (d) status = ess_driver_sample(d, &t, end, x, times, OUTPUTS, states);
  const size_t calls = d && !status ? (size_t)ess_driver_counters(d)->field_evaluations : 0;
  ess_driver_free(d);
  free(x);
  return calls;
}

/* the mean of the spectral radius along the reference, and the largest */
static void radii(const subject *s, double *mean, double *largest) {
  *mean = *largest = 0.0;
  for (size_t k = 0; k < LOOKS; k++) {
    const double here = radius_at(s, s->right + (k + 1) * OUTPUTS / LOOKS * s->n - s->n);
    *mean += here / LOOKS;
    *largest = fmax(*largest, here);
  }
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

static size_t by_bdf(const subject *s, double tolerance, double states[]) {
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return 0;
  double *const x = room(s->n);
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
  int status = 0;
  for (size_t i = 0; status >= 0 && i < OUTPUTS; i++) {
    status = CVode(memory, output_time(i), state, &t, CV_NORMAL);
    memcpy(states + i * s->n, x, s->n * sizeof *x);
  }
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  SUNContext_Free(&context);
  free(x);
  return status < 0 ? 0 : c.calls;
}

/* ---- all of it ------------------------------------------------------------------------------- */

typedef enum kind { DOPRI5, CHOSEN, RKC, ROS2, RODAS, FREE, BDF, KINDS } kind;
static const char *const names[KINDS] = {"dopri5", "chosen", "rkc", "ros2",
                                         "rodas",  "J free", "BDF"};
static const ess_base bases[KINDS] = {ESS_BASE_DOPRI5, ESS_BASE_CHOSEN, ESS_BASE_RKC,
                                      ESS_BASE_ROS2,   ESS_BASE_RODAS,  ESS_BASE_RODAS};

/* by method, tolerance and start; where a run fails both are infinite */
typedef struct found {
  double calls[KINDS][TOLERANCES][STARTS_MOST], error[KINDS][TOLERANCES][STARTS_MOST];
} found;

static double error_of(const subject *s) {
  double sum = 0.0;
  for (size_t i = 0; i < OUTPUTS; i++) robot_normalise(s->r, s->states + i * s->n);
  for (size_t i = 0; i < OUTPUTS * s->n; i++) {
    const double off = s->states[i] - s->right[i];
    sum += off * off;
  }
  return sqrt(sum / (double)(OUTPUTS * s->n));
}

/* one start by every method; false when it has no reference */
static bool run_start(const subject *s, size_t start, found *f) {
  if (!by_libess(s, ESS_BASE_DOPRI5, false, 1e-9, s->right)) return false;
  for (size_t i = 0; i < OUTPUTS; i++) robot_normalise(s->r, s->right + i * s->n);
  for (kind k = 0; k < KINDS; k++)
    for (size_t i = 0; i < TOLERANCES; i++) {
      const double tolerance = tolerance_at(i);
      const size_t calls = k == BDF ? by_bdf(s, tolerance, s->states)
                                    : by_libess(s, bases[k], k == FREE, tolerance, s->states);
      f->calls[k][i][start] = calls ? (double)calls : INFINITY;
      f->error[k][i][start] = calls ? error_of(s) : INFINITY;
    }
  return true;
}

static int ascending(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static double median(const double of[], size_t count) {
  double sorted[STARTS_MOST];
  memcpy(sorted, of, count * sizeof *of);
  qsort(sorted, count, sizeof *sorted, ascending);
  return sorted[count / 2];
}

/* evaluations at an error, between the tolerances that it lies between, by logarithms; NaN where it
 * lies between none. From the tight end, since a loose run may err less by luck */
static double calls_at(const double error[], const double calls[], double target) {
  for (size_t i = TOLERANCES - 1; i > 0; i--) {
    if (!(error[i] <= target && error[i - 1] > target)) continue;
    if (!isfinite(error[i - 1])) return calls[i];
    const double part = log(target / error[i]) / log(error[i - 1] / error[i]);
    return calls[i] * pow(calls[i - 1] / calls[i], part);
  }
  return NAN;
}

static const double targets[] = {1e-1, 3e-2, 1e-2, 1e-3, 1e-4};
enum { TARGETS = sizeof targets / sizeof *targets };

static void tell_runs(double calls[][TOLERANCES], double error[][TOLERANCES]) {
  printf("evaluations and error:\n%10s", "tolerance");
  for (kind k = 0; k < KINDS; k++) printf(" %18s", names[k]);
  for (size_t i = 0; i < TOLERANCES; i++) {
    printf("\n%10.1e", tolerance_at(i));
    for (kind k = 0; k < KINDS; k++) printf(" %9.0f %8.1e", calls[k][i], error[k][i]);
  }
  printf("\nevaluations at an error:\n%10s", "error");
  for (kind k = 0; k < KINDS; k++) printf(" %9s", names[k]);
  for (size_t i = 0; i < TARGETS; i++) {
    printf("\n%10.1e", targets[i]);
    for (kind k = 0; k < KINDS; k++) printf(" %9.0f", calls_at(error[k], calls[k], targets[i]));
  }
  printf("\n");
}

/* at errors of 1e-2 and 1e-3, empty where no tolerance leads there */
static void tell_rows(const char *name, double calls[][TOLERANCES], double error[][TOLERANCES]) {
  for (size_t i = 2; i < 4; i++) {
    printf("| %s | %.0e |", name, targets[i]);
    for (kind k = 0; k < KINDS; k++) {
      const double count = calls_at(error[k], calls[k], targets[i]);
      if (isfinite(count))
        printf(" %.0f |", count);
      else
        printf(" |");
    }
    printf("\n");
  }
}

static void tell(const found *f, size_t starts, const char *row) {
  double calls[KINDS][TOLERANCES], error[KINDS][TOLERANCES];
  for (size_t i = 0; i < TOLERANCES; i++)
    for (kind k = 0; k < KINDS; k++) {
      calls[k][i] = median(f->calls[k][i], starts);
      error[k][i] = median(f->error[k][i], starts);
    }
  if (row)
    tell_rows(row, calls, error);
  else
    tell_runs(calls, error);
}

/* the starts that `essbench robot` has with seed 1; 0, or 1 with one line */
static int run_starts(subject *s, const char *file, size_t starts, bool is_row, found *f) {
  char message[ROBOT_MESSAGE_SIZE];
  size_t done = 0;
  for (size_t k = 0; k < starts; k++) {
    const robot_start fall = {.height = 0.05, .tilt = 0.1, .number = k, .seed = 1};
    if (robot_start_state(s->r, &fall, s->start, message)) {
      fprintf(stderr, "%s: %s\n", file, message);
      return 1;
    }
    done += run_start(s, done, f);
    if (k || !done || is_row) continue;
    double mean, largest;
    radii(s, &mean, &largest);
    printf("%s: spectral radius %.0f/s, at most %.0f/s; order 5 is stable from %.0f evaluations a "
           "second on\n",
           file, mean, largest, 6.0 * mean / stable_to);
  }
  if (!is_row) printf("%zu of %zu starts; ", done, starts);
  const char *const slash = strrchr(file, '/');
  if (done) tell(f, done, !is_row ? NULL : slash ? slash + 1 : file);
  return done ? 0 : 1;
}

static int look_at(const char *file, const robot_options *options, size_t starts, bool is_row) {
  char message[ROBOT_MESSAGE_SIZE];
  subject s = {0};
  if (robot_open(file, NULL, options, &s.r, message)) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  found *const f = calloc(1, sizeof *f);
  if (!f) abort();
  s.n = robot_size(s.r).dimension;
  s.start = room(s.n);
  s.right = room(OUTPUTS * s.n);
  s.states = room(OUTPUTS * s.n);
  const int status = run_starts(&s, file, starts, is_row, f);
  free(f);
  free(s.start);
  free(s.right);
  free(s.states);
  robot_close(s.r);
  return status;
}

static int usage(const char *message) {
  if (*message) fprintf(stderr, "%s\n", message);
  fprintf(stderr, "usage: robot_stiffness [--twin K,C] [--starts N] [--table 1] FILE.xml ...\n");
  return 2;
}

int main(int argc, char **argv) {
  char message[ROBOT_MESSAGE_SIZE] = "";
  robot_options options = {0};
  size_t starts = 10;
  bool is_row = false;
  int status = 0, i = 1;
  for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2) {
    if (!strcmp(argv[i], "--twin")) {
      if (robot_options_twin(argv[i + 1], &options, message)) return usage(message);
    } else if (!strcmp(argv[i], "--starts")) {
      starts = strtoul(argv[i + 1], NULL, 10);
    } else if (!strcmp(argv[i], "--table")) {
      is_row = strcmp(argv[i + 1], "0");
    } else {
      return usage("");
    }
  }
  if (i >= argc || starts < 1 || starts > STARTS_MOST) return usage("");
  for (; i < argc; i++) status |= look_at(argv[i], &options, starts, is_row);
  return status;
}

/*
 * What slides cost beside friction made smooth: q'' = -q + cos 0.4 t - 0.6 sgn q' to t = 40, by
 * libess, and with tanh(q' / width) for the sign by CVODE's BDF, whose widths and tolerances are
 * all tried. At the same error libess calls the field less often, at 1e-5 and below at most half as
 * often.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmocka.h>

#include "ess.h"

static const double until = 40.0, known = -1.02750686834; // to forty digits, rounded

static int field(double t, const double x[], const double sign[], double f[], void *params) {
  (void)params;
  f[0] = x[1];
  f[1] = -x[0] + cos(0.4 * t) - 0.6 * sign[0];
  return 0;
}

static int event_functions(double t, const double x[], double h[], void *params) {
  (void)t, (void)params;
  h[0] = x[1];
  return 0;
}

static int jacobian(double t, const double x[], double Dh[], void *params) {
  (void)t, (void)x, (void)params;
  Dh[0] = 0.0;
  Dh[1] = 1.0;
  return 0;
}

static double by_libess(double tolerance, uint64_t *calls) {
  ess_options options = ess_options_default();
  options.rtol = options.atol = tolerance;
  options.sliding = ESS_SLIDING_SLIDE;
  const ess_system system = {.dimension = 2,
                             .event_count = 1,
                             .field = field,
                             .event_functions = event_functions,
                             .event_jacobian = jacobian};
  ess_driver *const d = ess_driver_alloc(&system, &options, NULL);
  double t = 0.0, x[] = {0.3, 0.5};
  assert_int_equal(ess_driver_apply(d, &t, until, x), ESS_SUCCESS);
  *calls = ess_driver_counters(d)->field_evaluations;
  ess_driver_free(d);
  return fabs(x[0] - known);
}

typedef struct smoothed {
  double width;
  uint64_t calls;
} smoothed;

static int smooth_field(realtype t, N_Vector x, N_Vector dxdt, void *params) {
  smoothed *const p = params;
  const double *const y = N_VGetArrayPointer(x), sign = tanh(y[1] / p->width);
  p->calls++;
  return field(t, y, &sign, N_VGetArrayPointer(dxdt), NULL);
}

/* statuses say all there is to say */
static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *params) {
  (void)code, (void)module, (void)function, (void)text, (void)params;
}

/* infinite where it gives up */
static double by_cvode(double width, double tolerance, uint64_t *calls) {
  smoothed p = {.width = width};
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  N_Vector x = N_VNew_Serial(2, context);
  SUNMatrix matrix = SUNDenseMatrix(2, 2, context);
  SUNLinearSolver linear = SUNLinSol_Dense(x, matrix, context);
  void *memory = CVodeCreate(CV_BDF, context);
  N_VGetArrayPointer(x)[0] = 0.3;
  N_VGetArrayPointer(x)[1] = 0.5;
  realtype t;
  int status = CVodeInit(memory, smooth_field, 0.0, x);
  if (!status) status = CVodeSStolerances(memory, tolerance, tolerance);
  if (!status) status = CVodeSetUserData(memory, &p);
  if (!status) status = CVodeSetMaxNumSteps(memory, 100000);
  if (!status) status = CVodeSetErrHandlerFn(memory, say_nothing, NULL);
  if (!status) status = CVodeSetLinearSolver(memory, linear, matrix);
  if (!status) status = CVode(memory, until, x, &t, CV_NORMAL);
  const double off = status < 0 ? INFINITY : fabs(N_VGetArrayPointer(x)[0] - known);
  *calls = p.calls;
  CVodeFree(&memory);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(x);
  SUNContext_Free(&context);
  return off;
}

/* each method's cheapest way to an error, luck included */
static void half_as_many_calls(void **state) {
  (void)state;
  enum { ERRORS = 4 };
  static const double errors[ERRORS] = {1e-3, 1e-4, 1e-5, 1e-6};
  uint64_t smooth[ERRORS], sharp[ERRORS];
  for (int i = 0; i < ERRORS; i++) smooth[i] = sharp[i] = UINT64_MAX;
  for (int w = 4; w <= 18; w++)
    for (int e = 6; e <= 22; e++) {
      uint64_t calls;
      const double off = by_cvode(pow(10.0, -0.5 * w), pow(10.0, -0.5 * e), &calls);
      for (int i = 0; i < ERRORS; i++)
        if (off <= errors[i] && calls < smooth[i]) smooth[i] = calls;
    }
  for (int e = 4; e <= 22; e++) {
    uint64_t calls;
    const double off = by_libess(pow(10.0, -0.5 * e), &calls);
    for (int i = 0; i < ERRORS; i++)
      if (off <= errors[i] && calls < sharp[i]) sharp[i] = calls;
  }
  for (int i = 0; i < ERRORS; i++)
    print_message("error %g: %llu calls of the field, by tanh and BDF %llu\n", errors[i],
                  (unsigned long long)sharp[i], (unsigned long long)smooth[i]);
  for (int i = 0; i < ERRORS; i++) {
    assert_true(sharp[i] < smooth[i]);
    if (errors[i] <= 1e-5) assert_true(2 * sharp[i] <= smooth[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(half_as_many_calls)};
  return cmocka_run_group_tests_name("sliding beside friction made smooth", tests, NULL, NULL);
}

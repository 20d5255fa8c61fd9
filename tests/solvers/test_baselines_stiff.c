/*
 * libess's implicit steps on stiff fields that everybody knows, held against CVODE's BDF at a
 * tolerance of 1e-13: van der Pol's oscillator, Robertson's reaction, HIRES.
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

enum { STATES_MOST = 8 };

typedef struct stiff_problem {
  const char *name;
  ess_system system;
  double start[STATES_MOST], end;
  double small; /* below this part of the tolerance is absolute */
  double calls; /* at most, times tolerance^-1/3 */
} stiff_problem;

/* ---- the fields ------------------------------------------------------------------------------ */

static int van_der_pol(double t, const double x[], const double sign[], double dxdt[],
                       void *params) {
  const double mu = *(const double *)params;
  (void)t;
  (void)sign;
  dxdt[0] = x[1];
  dxdt[1] = mu * (1.0 - x[0] * x[0]) * x[1] - x[0];
  return 0;
}

static int van_der_pol_jacobian(double t, const double x[], const double sign[], double J[],
                                void *params) {
  const double mu = *(const double *)params;
  (void)t;
  (void)sign;
  J[0] = 0.0;
  J[1] = 1.0;
  J[2] = -2.0 * mu * x[0] * x[1] - 1.0;
  J[3] = mu * (1.0 - x[0] * x[0]);
  return 0;
}

static int robertson(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  (void)sign;
  (void)params;
  dxdt[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
  dxdt[2] = 3e7 * x[1] * x[1];
  dxdt[1] = -dxdt[0] - dxdt[2];
  return 0;
}

static int hires(double t, const double x[], const double sign[], double dxdt[], void *params) {
  (void)t;
  (void)sign;
  (void)params;
  dxdt[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
  dxdt[1] = 1.71 * x[0] - 8.75 * x[1];
  dxdt[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
  dxdt[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
  dxdt[4] = -1.745 * x[4] + 0.43 * x[5] + 0.43 * x[6];
  dxdt[5] = -280.0 * x[5] * x[7] + 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6];
  dxdt[6] = 280.0 * x[5] * x[7] - 1.81 * x[6];
  dxdt[7] = -dxdt[6];
  return 0;
}

/* ---- the references -------------------------------------------------------------------------- */

static int field_of(realtype t, N_Vector x, N_Vector dxdt, void *context) {
  const ess_system *const s = context;
  return s->field(t, NV_DATA_S(x), NULL, NV_DATA_S(dxdt), s->params);
}

static void by_bdf(const stiff_problem *p, double x[]) {
  ess_system system = p->system;
  const sunindextype n = (sunindextype)system.dimension;
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  memcpy(x, p->start, sizeof p->start);
  const N_Vector state = N_VMake_Serial(n, x, context);
  const SUNMatrix matrix = SUNDenseMatrix(n, n, context);
  const SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
  void *memory = CVodeCreate(CV_BDF, context);
  realtype t;
  CVodeInit(memory, field_of, 0.0, state);
  CVodeSetUserData(memory, &system);
  CVodeSStolerances(memory, 1e-13, 1e-14 * p->small);
  CVodeSetMaxNumSteps(memory, 10000000);
  CVodeSetLinearSolver(memory, solver, matrix);
  assert_true(CVode(memory, p->end, state, &t, CV_NORMAL) >= 0);
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  SUNContext_Free(&context);
}

/* ---- libess ---------------------------------------------------------------------------------- */

/* to the end; the status, the calls, and the error in tolerances */
static int by_libess(const stiff_problem *p, ess_base base, double tolerance, const double right[],
                     double *calls, double *error) {
  ess_options options = ess_options_default();
  options.rtol = tolerance;
  options.atol = tolerance * p->small;
  options.base = base;
  options.max_steps = 20000;
  ess_driver *const d = ess_driver_alloc(&p->system, &options, NULL);
  double x[STATES_MOST], t = 0.0;
  memcpy(x, p->start, sizeof x);
  const int status = ess_driver_apply(d, &t, p->end, x);
  *calls = (double)ess_driver_counters(d)->field_evaluations;
  *error = 0.0;
  for (size_t i = 0; i < p->system.dimension; i++)
    *error = fmax(*error, fabs(x[i] - right[i]) / (tolerance * (fabs(right[i]) + p->small)));
  ess_driver_free(d);
  return status;
}

static void check(const stiff_problem *p) {
  static const ess_base bases[] = {ESS_BASE_RODAS, ESS_BASE_CHOSEN_RODAS};
  double right[STATES_MOST], calls, error;
  by_bdf(p, right);
  for (int i = 0; i < 2; i++)
    for (double tolerance = 1e-2; tolerance > 5e-8; tolerance *= 0.1) {
      const int status = by_libess(p, bases[i], tolerance, right, &calls, &error);
      if (status || !(error < 4.0) || !(calls < p->calls / cbrt(tolerance)))
        fail_msg("%s by base %d at %g: %s, %g calls, an error of %g tolerances", p->name,
                 (int)bases[i], tolerance, ess_strerror(status), calls, error);
    }
  // where explicit steps do not get
  if (p->end < 1000.0) return;
  assert_int_equal(by_libess(p, ESS_BASE_DOPRI5, 1e-3, right, &calls, &error), ESS_EMAXSTEPS);
}

static void van_der_pols_oscillators(void **state) {
  (void)state;
  for (int given = 0; given < 2; given++)
    for (double mu = 1e3; mu < 2e6; mu *= 1e3) {
      const stiff_problem p = {
          .name = given ? "van der Pol with a Jacobian" : "van der Pol",
          .system = {.dimension = 2,
                     .field = van_der_pol,
                     .field_jacobian = given ? van_der_pol_jacobian : NULL,
                     .params = &mu},
          .start = {2.0, 0.0},
          .end = 2.0 * mu,
          .small = 1e-3,
          .calls = 700.0,
      };
      check(&p);
    }
}

static void robertsons_reaction(void **state) {
  (void)state;
  const stiff_problem p = {.name = "Robertson",
                           .system = {.dimension = 3, .field = robertson},
                           .start = {1.0},
                           .end = 1e4,
                           .small = 1e-6,
                           .calls = 100.0};
  check(&p);
}

static void eight_reactions(void **state) {
  (void)state;
  const stiff_problem p = {.name = "HIRES",
                           .system = {.dimension = 8, .field = hires},
                           .start = {[0] = 1.0, [7] = 0.0057},
                           .end = 321.8122,
                           .small = 1e-4,
                           .calls = 150.0};
  check(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(van_der_pols_oscillators),
      cmocka_unit_test(robertsons_reaction),
      cmocka_unit_test(eight_reactions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

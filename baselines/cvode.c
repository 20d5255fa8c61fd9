/*
 * SUNDIALS' CVODE with its root finding: Adams-Moulton (fixed-point iteration) or BDF (Newton with
 * a dense Jacobian by differences), one root function per event function, started anew at every
 * crossing in the next mode. Outputs are interpolated (CV_NORMAL), and root functions are compared
 * at every internal step and every output: what crosses and comes back between two of these is not
 * seen, as the manual says.
 *
 * A. C. Hindmarsh et al., "SUNDIALS: Suite of nonlinear and differential/algebraic equation
 * solvers", ACM Transactions on Mathematical Software 31 (2005) 363-396.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "baselines.h"
#include "mode.h"

static const char *const variants[] = {"adams", "bdf", NULL};

/* between two outputs or crossings */
enum { MOST_STEPS = 100000 };

typedef struct cvode {
  latched_mode mode;
  SUNContext context;
  N_Vector state;
  void *memory;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  int *direction, *found; /* per event function: which way it may be crossed, and was */
} cvode;

/* ---- callbacks ------------------------------------------------------------------------------- */

static int field(realtype t, N_Vector x, N_Vector dxdt, void *params) {
  return mode_field(params, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dxdt)) ? -1 : 0;
}

static int roots(realtype t, N_Vector x, realtype h[], void *params) {
  (void)t;
  return mode_guards(params, N_VGetArrayPointer(x), h) ? -1 : 0;
}

/* statuses say all there is to say */
static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *params) {
  (void)code, (void)module, (void)function, (void)text, (void)params;
}

/* ---- preparation ----------------------------------------------------------------------------- */

static void release(void *instance) {
  cvode *const c = instance;
  if (!c) return;
  if (c->memory) CVodeFree(&c->memory);
  if (c->nonlinear) SUNNonlinSolFree(c->nonlinear);
  if (c->linear) SUNLinSolFree(c->linear);
  if (c->matrix) SUNMatDestroy(c->matrix);
  if (c->state) N_VDestroy(c->state);
  if (c->context) SUNContext_Free(&c->context);
  mode_free(&c->mode);
  free(c->direction);
  free(c);
}

/* how the implicit equations of a step are solved */
static int set_up_iteration(cvode *c, bool bdf, sunindextype n) {
  if (!bdf) {
    c->nonlinear = SUNNonlinSol_FixedPoint(c->state, 0, c->context);
    return c->nonlinear ? CVodeSetNonlinearSolver(c->memory, c->nonlinear) : -1;
  }
  c->matrix = SUNDenseMatrix(n, n, c->context);
  c->linear = c->matrix ? SUNLinSol_Dense(c->state, c->matrix, c->context) : NULL;
  return c->linear ? CVodeSetLinearSolver(c->memory, c->linear, c->matrix) : -1;
}

/* everything that CVODE allocates; nonzero when it does not succeed */
static int set_up(cvode *c, const solver_settings *settings, bool bdf) {
  const ess_system *const s = &c->mode.m->system;
  const sunindextype n = (sunindextype)s->dimension;
  if (SUNContext_Create(NULL, &c->context)) return -1;
  c->state = N_VNew_Serial(n, c->context);
  c->memory = c->state ? CVodeCreate(bdf ? CV_BDF : CV_ADAMS, c->context) : NULL;
  if (!c->memory) return -1;
  N_VConst(0.0, c->state);
  int status = CVodeSetErrHandlerFn(c->memory, say_nothing, NULL);
  if (!status) status = CVodeInit(c->memory, field, 0.0, c->state);
  if (!status) status = CVodeSStolerances(c->memory, settings->rtol, settings->atol);
  if (!status) status = CVodeSetUserData(c->memory, &c->mode);
  if (!status) status = CVodeSetMaxNumSteps(c->memory, MOST_STEPS);
  if (!status && isfinite(settings->h_max)) status = CVodeSetMaxStep(c->memory, settings->h_max);
  if (!status) status = set_up_iteration(c, bdf, n);
  if (!status && s->guard_count) status = CVodeRootInit(c->memory, (int)s->guard_count, roots);
  return status;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  const int wrong = mode_check_settings("cvode", settings, message);
  const int variant = wrong ? wrong : mode_variant("cvode", settings, variants, message);
  if (variant < 0) return variant;

  const size_t room = m->system.guard_count + 1;
  cvode *const c = calloc(1, sizeof *c);
  if (c && mode_alloc(&c->mode, m, "cvode", message) == 0)
    c->direction = calloc(2 * room, sizeof *c->direction);
  if (!c || !c->direction || set_up(c, settings, variant == 1)) {
    release(c);
    snprintf(message, SOLVER_MESSAGE_SIZE, "cvode: out of memory");
    return SOLVER_FAILED;
  }
  c->found = c->direction + room;
  *instance = c;
  return 0;
}

/* ---- the run --------------------------------------------------------------------------------- */

static int fail(const cvode *c, int flag, double t, solver_report *report) {
  char why[SOLVER_MESSAGE_SIZE / 2], *const name = CVodeGetReturnFlagName(flag);
  snprintf(why, sizeof why, "CVODE stops with %s", name ? name : "an error");
  free(name);
  return mode_fail(&c->mode, why, t, report);
}

/* CVODE counts from one start to the next */
static void count_steps(const cvode *c, solver_report *report) {
  long steps = 0, rejected = 0;
  CVodeGetNumSteps(c->memory, &steps);
  CVodeGetNumErrTestFails(c->memory, &rejected);
  report->steps += (uint64_t)steps;
  report->rejected += (uint64_t)rejected;
}

/* starts CVODE at (t, state) in the present mode, looking for crossings away from each side */
static int start(cvode *c, double t, solver_report *report) {
  const size_t m = c->mode.m->system.guard_count;
  for (size_t k = 0; k < m; k++) c->direction[k] = c->mode.sign[k] < 0.0 ? 1 : -1;
  int flag = CVodeReInit(c->memory, t, c->state);
  if (!flag && m) flag = CVodeSetRootDirection(c->memory, c->direction);
  return flag ? fail(c, flag, t, report) : 0;
}

/* crosses the guards whose roots were found, and those that the state is across all the same */
static int cross(cvode *c, double t, solver_report *report) {
  latched_mode *const mode = &c->mode;
  const uint64_t before = mode->crossings;
  const int flag = CVodeGetRootInfo(c->memory, c->found);
  if (flag) return fail(c, flag, t, report);
  if (mode_guards(mode, N_VGetArrayPointer(c->state), mode->h))
    return mode_fail(mode, "a callback failed", t, report);
  for (size_t k = 0; k < mode->m->system.guard_count; k++) {
    const bool across = mode_gap(mode, k, mode->h[k]) > 0.0;
    if (!mode_armed(mode, k) || (c->found[k] * mode->sign[k] >= 0.0 && !across)) continue;
    if (mode_cross(mode, k, t, report)) return SOLVER_FAILED;
  }
  // of a one-way guard that is no candidate CVODE may find a root, and goes on
  if (mode->crossings == before) return 0;
  report->entries++;
  count_steps(c, report);
  return start(c, t, report);
}

/* integrates to an output time */
static int advance(cvode *c, double *t, double t1, solver_report *report) {
  // CVODE refuses to start so close to the end
  while (t1 - *t > 4.0 * DBL_EPSILON * t1) {
    const int flag = CVode(c->memory, t1, c->state, t, CV_NORMAL);
    if (flag < 0) return fail(c, flag, *t, report);
    if (!mode_finite(&c->mode, N_VGetArrayPointer(c->state)))
      return mode_fail(&c->mode, "the state is not finite", *t, report);
    if (flag != CV_ROOT_RETURN) return 0;
    if (cross(c, *t, report)) return SOLVER_FAILED;
  }
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  cvode *const c = instance;
  const size_t size = c->mode.m->system.dimension * sizeof *x0;
  double t = output->times[0], *const x = N_VGetArrayPointer(c->state);
  *report = (solver_report){0};
  memcpy(x, x0, size);
  memcpy(output->states, x0, size);
  int status = mode_start(&c->mode, t, x, report);
  if (!status) status = start(c, t, report);
  for (size_t i = 1; !status && i < output->count; i++) {
    status = advance(c, &t, output->times[i], report);
    memcpy(output->states + i * c->mode.m->system.dimension, x, size);
  }
  count_steps(c, report);
  mode_report(&c->mode, report);
  return status;
}

void sundials_version(char version[SUNDIALS_VERSION_SIZE]) {
  if (SUNDIALSGetVersion(version, SUNDIALS_VERSION_SIZE))
    snprintf(version, SUNDIALS_VERSION_SIZE, "unknown");
}

const solver_type cvode_solver = {
    .name = "cvode",
    .summary = "SUNDIALS CVODE with root finding",
    .variants = variants,
    .prepare = prepare,
    .run = run,
    .release = release,
};

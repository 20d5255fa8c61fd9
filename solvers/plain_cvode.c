/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain methods (plain.h) by SUNDIALS' CVODE, by one tolerance and without root functions. The mode
 * is read off the state by Adams' methods. Where the field points back to an event function's zero
 * that chatters, and tanh-cvode does what is usual: it has tanh(h / epsilon) for each sign, which
 * is stiff, and BDF with Newton's method, whose dense Jacobian is by differences. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "baselines.h"
#include "mode.h"
#include "plain.h"

/* after so many without an output a run leads nowhere */
enum { MOST_STEPS = 100000 };

typedef struct plain_cvode {
  const char *name;
  plain_mode mode;
  SUNContext context;
  N_Vector state, interpolated; /* its data is the output's that is written */
  void *memory;
  SUNNonlinearSolver iteration;
  SUNMatrix matrix; /* of Newton's method, */
  SUNLinearSolver linear;
} plain_cvode;

static int field(realtype t, N_Vector x, N_Vector dxdt, void *params) {
  return plain_field(params, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dxdt)) ? -1 : 0;
}

/* statuses say all there is to say */
static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *params) {
  (void)code, (void)module, (void)function, (void)text, (void)params;
}

static void release(void *instance) {
  plain_cvode *const c = instance;
  if (!c) return;
  if (c->memory) CVodeFree(&c->memory);
  if (c->iteration) SUNNonlinSolFree(c->iteration);
  if (c->linear) SUNLinSolFree(c->linear);
  if (c->matrix) SUNMatDestroy(c->matrix);
  if (c->interpolated) N_VDestroy(c->interpolated);
  if (c->state) N_VDestroy(c->state);
  if (c->context) SUNContext_Free(&c->context);
  plain_free(&c->mode);
  free(c);
}

/* what solves for the end of a step: 0, or what is not 0 */
static int set_iteration(plain_cvode *c, sunindextype n) {
  if (!(c->mode.width > 0.0)) {
    c->iteration = SUNNonlinSol_FixedPoint(c->state, 0, c->context);
    return c->iteration ? CVodeSetNonlinearSolver(c->memory, c->iteration) : -1;
  }
  c->matrix = SUNDenseMatrix(n, n, c->context);
  if (c->matrix) c->linear = SUNLinSol_Dense(c->state, c->matrix, c->context);
  return c->linear ? CVodeSetLinearSolver(c->memory, c->linear, c->matrix) : -1;
}

/* everything that CVODE allocates; nonzero when it does not succeed */
static int set_up(plain_cvode *c, const solver_settings *settings) {
  const sunindextype n = (sunindextype)c->mode.m->system.dimension;
  const int methods = c->mode.width > 0.0 ? CV_BDF : CV_ADAMS;
  if (SUNContext_Create(NULL, &c->context)) return -1;
  c->state = N_VNew_Serial(n, c->context);
  c->interpolated = N_VNewEmpty_Serial(n, c->context);
  if (c->state && c->interpolated) c->memory = CVodeCreate(methods, c->context);
  if (!c->memory) return -1;
  N_VConst(0.0, c->state);
  int status = CVodeSetErrHandlerFn(c->memory, say_nothing, NULL);
  if (!status) status = CVodeInit(c->memory, field, 0.0, c->state);
  if (!status) status = CVodeSStolerances(c->memory, settings->rtol, settings->atol);
  if (!status) status = CVodeSetUserData(c->memory, &c->mode);
  if (!status && isfinite(settings->h_max)) status = CVodeSetMaxStep(c->memory, settings->h_max);
  return status ? status : set_iteration(c, n);
}

static int prepare_by(const char *name, double width, const model *m,
                      const solver_settings *settings, void **instance,
                      char message[SOLVER_MESSAGE_SIZE]) {
  static const char *const variants[] = {NULL};
  solver_settings checked = *settings;
  checked.variant = NULL;
  if (plain_check(name, m, message)) return SOLVER_REFUSED;
  if (mode_check(name, m, &checked, SIZE_MAX, variants, message) < 0) return SOLVER_REFUSED;
  plain_cvode *const c = calloc(1, sizeof *c);
  int status = c ? plain_alloc(&c->mode, name, m, message) : -1;
  if (!status) {
    c->name = name;
    c->mode.width = width;
    status = set_up(c, settings);
  }
  if (status) {
    release(c);
    return SOLVER_FAIL(message, "%s: out of memory", name);
  }
  *instance = c;
  return 0;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)output;
  return prepare_by("plain-cvode", 0.0, m, settings, instance, message);
}

static int prepare_tanh(const model *m, const solver_settings *settings,
                        const solver_output *output, void **instance,
                        char message[SOLVER_MESSAGE_SIZE]) {
  static const char name[] = "tanh-cvode";
  const double width = settings->epsilon;
  (void)output;
  if (!m->type->slides)
    return SOLVER_REFUSE(message,
                         "%s: the field of %s has nothing between its modes; belt, relay "
                         "and blocks, which slide, have",
                         name, m->type->name);
  if (!(width > 0.0) || !isfinite(width))
    return SOLVER_REFUSE(message,
                         "%s: epsilon %g is not accepted; it is the width of the tanh, a "
                         "finite number > 0",
                         name, width);
  return prepare_by(name, width, m, settings, instance, message);
}

static int fail(const plain_cvode *c, int flag, double t, solver_report *report) {
  char *const why = CVodeGetReturnFlagName(flag);
  const int status =
      SOLVER_FAIL(report->message, "%s: CVODE stops with %s at t = %.9g", c->name, why, t);
  free(why);
  return status;
}

/* interpolates the outputs up to t, within the step that CVODE has just taken */
static int write_outputs(plain_cvode *c, const solver_output *output, double t, size_t *written) {
  for (; *written < output->count && output->times[*written] <= t; ++*written) {
    N_VSetArrayPointer(output->states + *written * c->mode.m->system.dimension, c->interpolated);
    const int flag = CVodeGetDky(c->memory, output->times[*written], 0, c->interpolated);
    if (flag) return flag;
  }
  return 0;
}

static int integrate(plain_cvode *c, const solver_output *output, solver_report *report) {
  const double t_end = output->times[output->count - 1];
  size_t written = 1, idle = 0;
  double t = output->times[0];
  int flag = CVodeReInit(c->memory, t, c->state);
  if (!flag) flag = CVodeSetStopTime(c->memory, t_end);
  while (flag >= 0 && written < output->count) {
    const size_t before = written;
    flag = CVode(c->memory, t_end, c->state, &t, CV_ONE_STEP);
    if (flag >= 0 && !mode_finite(N_VGetArrayPointer(c->state), c->mode.m->system.dimension))
      return SOLVER_FAIL(report->message, "%s: the state is not finite at t = %.9g", c->name, t);
    if (flag >= 0) flag = write_outputs(c, output, t, &written);
    idle = written == before ? idle + 1 : 0;
    if (idle > MOST_STEPS)
      return SOLVER_FAIL(report->message, "%s: too many steps at t = %.9g", c->name, t);
  }
  return flag < 0 ? fail(c, flag, t, report) : 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  plain_cvode *const c = instance;
  const size_t size = c->mode.m->system.dimension * sizeof *x0;
  long steps = 0, rejected = 0;
  *report = (solver_report){0};
  plain_start(&c->mode);
  memcpy(N_VGetArrayPointer(c->state), x0, size);
  memcpy(output->states, x0, size);
  const int status = integrate(c, output, report);
  CVodeGetNumSteps(c->memory, &steps);
  CVodeGetNumErrTestFails(c->memory, &rejected);
  report->steps = (uint64_t)steps;
  report->rejected = (uint64_t)rejected;
  plain_report(&c->mode, report);
  return status;
}

static int inspect(void *instance, const solver_output *output, solver_report *report) {
  return plain_inspect(&((plain_cvode *)instance)->mode, output, report);
}

const solver_type plain_cvode_solver = {
    .name = "plain-cvode",
    .summary = "CVODE's Adams, the mode read off the state: no crossing is looked for",
    .prepare = prepare,
    .run = run,
    .inspect = inspect,
    .release = release,
};

const solver_type tanh_cvode_solver = {
    .name = "tanh-cvode",
    .summary = "CVODE's BDF, tanh(h / epsilon) for each sign, for models that slide",
    .prepare = prepare_tanh,
    .run = run,
    .inspect = inspect,
    .release = release,
};

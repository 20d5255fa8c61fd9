/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sundials.h"

#include <math.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* statuses say all there is to say */
static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *params) {
  (void)code, (void)module, (void)function, (void)text, (void)params;
}

/* what solves for the end of a step */
static int set_iteration(sundials *s, bool bdf, sunindextype n) {
  if (!bdf) {
    s->iteration = SUNNonlinSol_FixedPoint(s->state, 0, s->context);
    return s->iteration ? CVodeSetNonlinearSolver(s->memory, s->iteration) : -1;
  }
  s->matrix = SUNDenseMatrix(n, n, s->context);
  if (s->matrix) s->linear = SUNLinSol_Dense(s->state, s->matrix, s->context);
  return s->linear ? CVodeSetLinearSolver(s->memory, s->linear, s->matrix) : -1;
}

int sundials_alloc(sundials *s, const solver_settings *settings, size_t dimension, bool bdf,
                   CVRhsFn field, void *params) {
  const sunindextype n = (sunindextype)dimension;
  *s = (sundials){0};
  if (SUNContext_Create(NULL, &s->context)) return -1;
  s->state = N_VNew_Serial(n, s->context);
  s->interpolated = N_VNewEmpty_Serial(n, s->context);
  if (s->state && s->interpolated) s->memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, s->context);
  if (!s->memory) return -1;
  N_VConst(0.0, s->state);
  int status = CVodeSetErrHandlerFn(s->memory, say_nothing, NULL);
  if (!status) status = CVodeInit(s->memory, field, 0.0, s->state);
  if (!status) status = CVodeSStolerances(s->memory, settings->rtol, settings->atol);
  if (!status) status = CVodeSetUserData(s->memory, params);
  if (!status && isfinite(settings->h_max)) status = CVodeSetMaxStep(s->memory, settings->h_max);
  return status ? status : set_iteration(s, bdf, n);
}

void sundials_free(sundials *s) {
  if (s->memory) CVodeFree(&s->memory);
  if (s->iteration) SUNNonlinSolFree(s->iteration);
  if (s->linear) SUNLinSolFree(s->linear);
  if (s->matrix) SUNMatDestroy(s->matrix);
  if (s->interpolated) N_VDestroy(s->interpolated);
  if (s->state) N_VDestroy(s->state);
  if (s->context) SUNContext_Free(&s->context);
}

int sundials_write(const sundials *s, const solver_output *output, double t, size_t *written) {
  for (; *written < output->count && output->times[*written] <= t; ++*written) {
    N_VSetArrayPointer(output->states + *written * (size_t)N_VGetLength(s->state), s->interpolated);
    const int flag = CVodeGetDky(s->memory, output->times[*written], 0, s->interpolated);
    if (flag) return flag;
  }
  return 0;
}

void sundials_count(const sundials *s, solver_report *report) {
  long steps = 0, rejected = 0;
  CVodeGetNumSteps(s->memory, &steps);
  CVodeGetNumErrTestFails(s->memory, &rejected);
  report->steps += (uint64_t)steps;
  report->rejected += (uint64_t)rejected;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SUNDIALS' CVODE by one tolerance, as the solvers that are made of it have it. */
#ifndef SUNDIALS_H
#define SUNDIALS_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

#include "solver.h"

/* after so many steps without an output or a crossing a run leads nowhere */
enum { SUNDIALS_STEPS_MOST = 100000 };

typedef struct sundials {
  SUNContext context;
  N_Vector state;
  N_Vector interpolated; /* its data is the output's that is written */
  void *memory;
  SUNNonlinearSolver iteration; /* of Adams' methods; Newton's has a matrix */
  SUNMatrix matrix;
  SUNLinearSolver linear;
} sundials;

/* By Adams' methods with a fixed-point iteration, or by BDF with Newton's method, whose dense
 * Jacobian is by differences. 0, or what is not 0. Free with sundials_free also then. */
int sundials_alloc(sundials *s, const solver_settings *settings, size_t dimension, bool bdf,
                   CVRhsFn field, void *params);
void sundials_free(sundials *s);

/* Interpolates outputs from *written on up to t, within the step that CVODE has just taken. 0, or a
 * flag of CVODE. */
int sundials_write(const sundials *s, const solver_output *output, double t, size_t *written);

/* Adds the steps since CVODE started, which counts from one start to the next. */
void sundials_count(const sundials *s, solver_report *report);

#endif

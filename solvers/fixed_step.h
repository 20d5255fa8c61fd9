/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What solvers with a fixed step share: how the step fits the output grid, and the loop over both.
 */
#ifndef FIXED_STEP_H
#define FIXED_STEP_H

#include "solver.h"

/* A step and the output grid. */
typedef struct fixed_step {
  size_t substeps; /* steps per output step; 0: a step is longer than that */
  size_t stride;   /* output steps per step; 1 unless substeps is 0 */
  double dt;       /* the step, s */
} fixed_step;

/*
 * Fits settings->time_step (0: the output step) to an output step of dt seconds: a whole number of
 * one makes the other. 0 and *plan, or SOLVER_REFUSED with one line that begins with the solver's
 * name.
 */
int fixed_step_fit(const char *solver, const solver_settings *settings, double dt, fixed_step *plan,
                   char message[SOLVER_MESSAGE_SIZE]);

/* Writes states first+1 .. first+stride (of those that there are) of a step from state `first` to
 * x[n]: at its end x, and before on the chord. */
void fixed_step_chord(size_t stride, size_t first, size_t n, const double x[],
                      const solver_output *output);

/* Takes x[n] from time t to t + dt and counts its evaluations in *report. 0, or a solver_status
 * with report->message. */
typedef int fixed_step_function(void *context, double t, double dt, double x[],
                                solver_report *report);

/*
 * A whole run, as solver_type's: from x0[n] over the output grid, with states that a step passes
 * over on the chord between its ends. Clears *report and counts steps in it. 0, or what `step`
 * returned, or SOLVER_FAILED with the time from which on the state is not finite.
 */
int fixed_step_run(const fixed_step *plan, const char *solver, size_t n, const double x0[],
                   const solver_output *output, fixed_step_function *step, void *context,
                   solver_report *report);

#endif

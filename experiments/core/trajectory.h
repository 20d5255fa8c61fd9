/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The uniform output grid every solver writes to, reference solutions on it, and errors against
 * them: root mean square over all state components and all grid times. */
#ifndef TRAJECTORY_H
#define TRAJECTORY_H

#include "solver.h"

/* Grid and buffer for one model; owned. */
typedef struct trajectory {
  double dt;
  size_t count, dimension;
  double *times;  /* count: t_i = i dt */
  double *states; /* count*dimension */

  /* Optional: told how many of the times the reference has reached. */
  void (*reached)(size_t count, void *context);
  void *reached_context;
} trajectory;

/* The grid 0, dt, ... up to the model's duration. 0; SOLVER_REFUSED when that is no multiple of dt,
 * or SOLVER_FAILED, with one line. */
int trajectory_alloc(trajectory *t, const model *m, char message[SOLVER_MESSAGE_SIZE]);

/* The same with another output step than the model's. */
int trajectory_alloc_by(trajectory *t, const model *m, double dt,
                        char message[SOLVER_MESSAGE_SIZE]);
void trajectory_free(trajectory *t);

/* The trajectory's grid and buffer as a solver wants them. */
solver_output trajectory_output(trajectory *t);

/* Fills `t` by a solver from the model's own start. 0, or -1 with one line. */
int trajectory_follow(trajectory *t, const model *m, const solver_type *solver,
                      const solver_settings *with, solver_report *report,
                      char message[SOLVER_MESSAGE_SIZE]);

/* Fills `t` with the model's reference from x0; *events and *kind may be NULL. 0, or -1. */
int trajectory_reference(trajectory *t, const model *m, const double x0[], size_t *events,
                         const char **kind, char message[SOLVER_MESSAGE_SIZE]);

/* Root mean square of a - b over all states and times. */
double trajectory_rms(const trajectory *a, const trajectory *b);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine of its own as a solver of the same mechanical systems. Each instance has a process of
 * its own, the worker, which is asked through a pipe: a request and a state go there, rates or the
 * states at the output times come back.
 *
 * The worker's last argument is JSON: the body, its springs or legs, the scheme, the accuracy, the
 * longest step, and the output times. A request is 8 bytes, a whole number, and a state:
 *   0  how the state changes: n numbers
 *   1  a run from there: the states at all output times
 *   2  the same run with no output before its end: its counts alone. An engine may evaluate the
 *      right-hand side at outputs, too, and other solvers here do not
 * Each answer, and a first one once all is built, begins with 256 bytes: four whole numbers, which
 * are steps, rejected steps, evaluations of the right-hand side and of all event functions; and
 * where the first is -1, the reason. */
#ifndef WORKER_H
#define WORKER_H

#include "solver.h"

typedef struct worker_engine {
  const char *name;     /* of the solver, and of the target of make that sets it up */
  const char *title;    /* of the engine, in messages */
  const char *variable; /* of the environment: the program; where it is not set, path is it */
  const char *path;
  const char *source;              /* what the program, an interpreter, runs; NULL: it is it */
  const char *const *variants;     /* NULL-terminated */
  const char *const *schemes;      /* what the worker calls them */
  const model_type *const *models; /* that it has, NULL-terminated */
  const char *known;               /* the same in words */
} worker_engine;

/* As solver_type's. Contacts with damping are refused: that of engines is another law. */
int worker_prepare(const worker_engine *engine, const model *m, const solver_settings *settings,
                   const solver_output *output, void **instance, char message[SOLVER_MESSAGE_SIZE]);
int worker_run(void *instance, const double x0[], const solver_output *output,
               solver_report *report);
int worker_inspect(void *instance, const solver_output *output, solver_report *report);
void worker_release(void *instance);

/* Whether a solver is one of these. */
bool worker_is(const solver_type *solver);

/* How far its rates are from the model's field at `states` states that trajectories visit, drawn by
 * `seed`: RMS of the difference over the field's RMS. 0, or a solver_status with one line. */
int worker_field_gap(const solver_type *solver, const model *m, const solver_settings *settings,
                     size_t states, unsigned long seed, double *gap,
                     char message[SOLVER_MESSAGE_SIZE]);

/* The largest gap at which the two are the same mechanical system. */
#define WORKER_GAP_MAX 1e-10

#endif

/*
 * A libess driver as a solver's instance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef SOLVER_DRIVER_H
#define SOLVER_DRIVER_H

#include "solver.h"

/* As a solver's prepare, by one of libess's methods; `name`, which messages begin with, lives as
 * long as the instance. */
int solver_driver_prepare(const char *name, ess_method method, const model *m,
                          const solver_settings *settings, const solver_output *output,
                          void **instance, char message[SOLVER_MESSAGE_SIZE]);

/* A solver's run and release. */
int solver_driver_run(void *instance, const double x0[], const solver_output *output,
                      solver_report *report);
void solver_driver_release(void *instance);

#endif

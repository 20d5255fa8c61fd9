/*
 * libess by the paper's method as a solver: projection inside neighbourhoods of the guards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "solver_driver.h"
#include "solvers.h"

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return solver_driver_prepare("projection", ESS_METHOD_PAPER, m, settings, output, instance,
                               message);
}

const solver_type projection_solver = {
    .name = "projection",
    .summary = "libess by the paper's method: dopri5 between guards, projection through them",
    .prepare = prepare,
    .run = solver_driver_run,
    .release = solver_driver_release,
};

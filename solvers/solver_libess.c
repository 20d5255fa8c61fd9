/*
 * libess as a solver: one tolerance for everything, crossings included.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "solver_driver.h"
#include "solvers.h"

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return solver_driver_prepare("libess", ESS_METHOD_TOLERANCE, m, settings, output, instance,
                               message);
}

const solver_type libess_solver = {
    .name = "libess",
    .summary = "libess: one tolerance for everything, crossings included",
    .prepare = prepare,
    .run = solver_driver_run,
    .release = solver_driver_release,
};

/*
 * libess by the paper's method as a solver: projection inside neighbourhoods of the guards.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "solver_driver.h"
#include "solvers.h"
#include <math.h>

/* s/m and share of the output step: by default a guard approached more slowly than half a metre per
 * second has a narrower neighbourhood, so that the error of projections onto such guards, which
 * grows with the square of the time they take, falls with that of epsilon; down to where it is lost
 * in all others */
static const double time_by_epsilon = 2.0, shortest_bound = 1e-3;

static double projection_bound(const solver_settings *settings, double dt) {
  if (settings->projection_max > 0.0) return settings->projection_max;
  return fmin(dt, fmax(time_by_epsilon * settings->epsilon, shortest_bound * dt));
}

ess_options solver_projection_options(const solver_settings *settings, double dt) {
  ess_options options = ess_options_paper();
  options.epsilon = settings->epsilon;
  options.rtol = settings->rtol;
  options.atol = settings->atol;
  options.h_max = settings->h_max;
  options.projection_max = projection_bound(settings, dt);
  options.order = settings->order;
  return options;
}

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return solver_driver_prepare("projection", m, settings,
                               solver_projection_options(settings, output->dt), instance, message);
}

const solver_type projection_solver = {
    .name = "projection",
    .summary = "libess by the paper's method: dopri5 between guards, projection through them",
    .prepare = prepare,
    .run = solver_driver_run,
    .release = solver_driver_release,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drake as a solver of the same mechanical systems, by any of its integrators with error control:
 * CENIC (Kurtz & Castro 2025), which is made for contact, and Runge-Kutta methods.
 *
 * Drake is a Python package here; its worker is drake_worker.py. Its point contact without
 * dissipation is the model's spring exactly: f = k p. Its damping is Hunt & Crossley's,
 * f = k p (1 + d p'), which no model here has. Hinges' springs and dampers are the same in both.
 *
 * The Python is $DRAKE_PYTHON, else .deps/drake/bin/python, which `make drake` sets up. */

#include "baselines.h"
#include "drake_worker.h"
#include "hopper.h"
#include "legged.h"
#include "plate.h"
#include "worker.h"

static const char *const variants[] = {"cenic", "rk3", "rk5", NULL};
static const char *const schemes[] = {"cenic", "runge_kutta3", "runge_kutta5"};
static const model_type *const models[] = {&hopper_type, &legged_type, &plate_type, NULL};

static const worker_engine drake = {
    .name = "drake",
    .title = "Drake",
    .variable = "DRAKE_PYTHON",
    .path = ".deps/drake/bin/python",
    .source = drake_worker,
    .variants = variants,
    .schemes = schemes,
    .models = models,
    .known = "hopper, legged and plate",
};

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return worker_prepare(&drake, m, settings, output, instance, message);
}

const solver_type drake_solver = {
    .name = "drake",
    .summary = "Drake with error control: CENIC, or Runge-Kutta",
    .variants = variants,
    .prepare = prepare,
    .run = worker_run,
    .inspect = worker_inspect,
    .release = worker_release,
};

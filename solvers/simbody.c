/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simbody as a solver of the same mechanical systems, by its Runge-Kutta-Merson and CPodes: BDF,
 * its default, and Adams. The law of the springs is a force, or that of the contacts which
 * Simbody's own tracker finds; and each contact can have an event handler, whose witness function
 * is its depth.
 *
 * Its worker, simbody_worker.cpp, is a program of its own, since libSimTKmath has Ipopt in it,
 * whose licence (EPL) does not go with this one. It is $SIMBODY_WORKER, else .deps/simbody/worker,
 * which `make simbody` builds. */

#include "baselines.h"
#include "hopper.h"
#include "plate.h"
#include "worker.h"

#define WAYS(name) name, name "-witness", name "-contact", name "-contact-witness"
static const char *const variants[] = {WAYS("merson"), WAYS("cpodes"), WAYS("adams"), NULL};
static const model_type *const models[] = {&hopper_type, &plate_type, NULL};

static const worker_engine simbody = {
    .name = "simbody",
    .title = "Simbody",
    .variable = "SIMBODY_WORKER",
    .path = ".deps/simbody/worker",
    .variants = variants,
    .schemes = variants,
    .models = models,
    .known = "hopper and plate",
};

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  return worker_prepare(&simbody, m, settings, output, instance, message);
}

const solver_type simbody_solver = {
    .name = "simbody",
    .summary = "Simbody with error control: Runge-Kutta-Merson, or CPodes",
    .variants = variants,
    .prepare = prepare,
    .run = worker_run,
    .inspect = worker_inspect,
    .release = worker_release,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's own exact or reference solution as a solver, so that it can be run and compared like
 * any other. */
#include "solvers.h"

static int prepare(const model *m, const solver_settings *settings, const solver_output *output,
                   void **instance, char message[SOLVER_MESSAGE_SIZE]) {
  (void)settings;
  (void)output;
  (void)message;
  *instance = (void *)(uintptr_t)m;
  return 0;
}

static int run(void *instance, const double x0[], const solver_output *output,
               solver_report *report) {
  const model *const m = instance;
  *report = (solver_report){0};
  model_reference wanted = {
      .times = output->times, .count = output->count, .states = output->states};
  char message[MODEL_MESSAGE_SIZE];
  if (m->type->reference(m, x0, &wanted, message))
    return SOLVER_FAIL(report->message, "%s", message);
  report->events = wanted.events;
  return 0;
}

static void release(void *instance) {
  (void)instance; // it is the model, which is the caller's
}

const solver_type reference_solver = {
    .name = "reference",
    .summary = "the model's exact or reference solution",
    .prepare = prepare,
    .run = run,
    .release = release,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trajectory.h"

#include <math.h>
#include <stdlib.h>

#include "measure.h"

int trajectory_alloc_by(trajectory *t, const model *m, double dt,
                        char message[SOLVER_MESSAGE_SIZE]) {
  const double duration = model_get(m, "duration");
  const size_t count = (size_t)llround(duration / dt) + 1;
  *t = (trajectory){.dt = dt, .count = count, .dimension = m->system.dimension};
  if (fabs((double)(count - 1) * dt - duration) > 1e-9 * duration)
    return SOLVER_REFUSE(
        message, "--duration %.9g is not accepted; it is a multiple of the output step %g s",
        duration, dt);
  t->times = malloc(count * sizeof *t->times);
  t->states = calloc(count * t->dimension, sizeof *t->states);
  if (!t->times || !t->states) {
    trajectory_free(t);
    return measure_fail(message, "out of memory");
  }
  for (size_t i = 0; i < count; i++) t->times[i] = (double)i * dt;
  return 0;
}

int trajectory_alloc(trajectory *t, const model *m, char message[SOLVER_MESSAGE_SIZE]) {
  return trajectory_alloc_by(t, m, m->type->time_step, message);
}

void trajectory_free(trajectory *t) {
  free(t->times);
  free(t->states);
  *t = (trajectory){0};
}

solver_output trajectory_output(trajectory *t) {
  return (solver_output){.times = t->times, .dt = t->dt, .count = t->count, .states = t->states};
}

int trajectory_follow(trajectory *t, const model *m, const solver_type *solver,
                      const solver_settings *with, solver_report *report,
                      char message[SOLVER_MESSAGE_SIZE]) {
  const solver_output output = trajectory_output(t);
  double x0[MODEL_DIMENSION_MAX];
  void *instance;
  m->type->initial_state(m, x0);
  if (solver->prepare(m, with, &output, &instance, message)) return -1;
  const int status = solver->run(instance, x0, &output, report);
  solver->release(instance);
  return status ? measure_fail(message, "%s", report->message) : 0;
}

int trajectory_reference(trajectory *t, const model *m, const double x0[], size_t *events,
                         const char **kind, char message[SOLVER_MESSAGE_SIZE]) {
  model_reference wanted = {.times = t->times,
                            .count = t->count,
                            .states = t->states,
                            .reached = t->reached,
                            .context = t->reached_context};
  char why[MODEL_MESSAGE_SIZE];
  if (m->type->reference(m, x0, &wanted, why)) return measure_fail(message, "%s", why);
  if (events) *events = wanted.events;
  if (kind) *kind = wanted.kind;
  return 0;
}

double trajectory_rms(const trajectory *a, const trajectory *b) {
  const size_t size = a->count * a->dimension;
  double sum = 0.0;
  for (size_t i = 0; i < size; i++) {
    const double error = a->states[i] - b->states[i];
    sum += error * error;
  }
  return sqrt(sum / (double)size);
}

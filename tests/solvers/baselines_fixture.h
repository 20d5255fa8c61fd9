/*
 * What the tests of the baselines share: a prepared model with its reference, and a solver's error
 * against it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BASELINES_FIXTURE_H
#define BASELINES_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines.h"

/* A prepared model, a start, and the reference from it on the output grid. */
typedef struct fixture {
  model m;
  double x0[MODEL_DIMENSION_MAX];
  double *times, *exact, *states; /* states: room for a solver's */
  size_t count;
  model_reference reference;
} fixture;

/* What a run gave. */
typedef struct fixture_result {
  double rms;
  solver_report report;
} fixture_result;

/* A model at its defaults. */
static inline model fixture_model(const char *name) {
  model m;
  model_init(&m, model_find(name));
  return m;
}

static inline void fixture_set(model *m, const char *name, double value) {
  char message[MODEL_MESSAGE_SIZE];
  if (model_set(m, name, value, message)) fail_msg("%s", message);
}

/* A plate of five springs with the total damping c, N s/m. */
static inline model fixture_plate(double damping) {
  model m = fixture_model("plate");
  fixture_set(&m, "contacts", 5);
  fixture_set(&m, "damping", damping);
  return m;
}

/* Prepares the model, for `duration` seconds from its own start. Free with fixture_close. */
static inline fixture fixture_open(model m, double duration) {
  char message[MODEL_MESSAGE_SIZE];
  fixture f = {.m = m};
  if (model_prepare(&f.m, message)) fail_msg("%s", message);
  f.m.type->initial_state(&f.m, f.x0);
  f.count = (size_t)llround(duration / m.type->time_step) + 1;
  f.times = test_malloc(f.count * sizeof *f.times);
  f.exact = test_malloc(f.count * f.m.system.dimension * sizeof *f.exact);
  f.states = test_malloc(f.count * f.m.system.dimension * sizeof *f.states);
  for (size_t i = 0; i < f.count; i++) f.times[i] = (double)i * m.type->time_step;
  f.reference = (model_reference){.times = f.times, .count = f.count, .states = f.exact};
  if (f.m.type->reference(&f.m, f.x0, &f.reference, message)) fail_msg("%s", message);
  return f;
}

static inline void fixture_close(fixture *f) {
  test_free(f->times);
  test_free(f->exact);
  test_free(f->states);
  model_release(&f->m);
}

static inline solver_settings fixture_settings(void) {
  return (solver_settings){
      .epsilon = 1e-3, .rtol = 1e-8, .atol = 1e-10, .h_max = INFINITY, .scaling = 1e6};
}

static inline solver_output fixture_output(fixture *f) {
  return (solver_output){
      .times = f->times, .dt = f->m.type->time_step, .count = f->count, .states = f->states};
}

/* RMS over all components of the solver's states less the reference's. */
static inline double fixture_rms(const fixture *f) {
  const size_t size = f->count * f->m.system.dimension;
  double sum = 0.0;
  for (size_t i = 0; i < size; i++) sum += pow(f->states[i] - f->exact[i], 2);
  return sqrt(sum / (double)size);
}

/* One run with its report completed. Every state is spoilt first: the solver writes them all. */
static inline fixture_result fixture_run(fixture *f, const solver_type *solver,
                                         const solver_settings *settings) {
  char message[SOLVER_MESSAGE_SIZE];
  const solver_output output = fixture_output(f);
  fixture_result r;
  void *instance;
  for (size_t i = 0; i < f->count * f->m.system.dimension; i++) f->states[i] = NAN;
  if (solver->prepare(&f->m, settings, &output, &instance, message)) fail_msg("%s", message);
  if (solver->run(instance, f->x0, &output, &r.report)) fail_msg("%s", r.report.message);
  if (solver->inspect && solver->inspect(instance, &output, &r.report))
    fail_msg("%s", r.report.message);
  solver->release(instance);
  r.rms = fixture_rms(f);
  return r;
}

/* What prepare says instead of preparing: SOLVER_REFUSED with one line that has `words` in it. */
static inline void fixture_refused(fixture *f, const solver_type *solver,
                                   const solver_settings *settings, const char *words) {
  char message[SOLVER_MESSAGE_SIZE];
  const solver_output output = fixture_output(f);
  void *instance;
  assert_int_equal(solver->prepare(&f->m, settings, &output, &instance, message), SOLVER_REFUSED);
  assert_null(strchr(message, '\n'));
  if (!strstr(message, words)) fail_msg("\"%s\" lacks \"%s\"", message, words);
}

#endif

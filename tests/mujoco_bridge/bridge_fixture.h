/*
 * What the bridge's tests share: prepared models, an output grid, settings.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BRIDGE_FIXTURE_H
#define BRIDGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge.h"

static inline void fixture_set(model *m, const char *name, double value) {
  char message[MODEL_MESSAGE_SIZE];
  if (model_set(m, name, value, message)) fail_msg("%s", message);
}

static inline void fixture_prepare(model *m) {
  char message[MODEL_MESSAGE_SIZE];
  if (model_prepare(m, message)) fail_msg("%s", message);
}

/* A plate, or with 0 contacts the hopper. */
static inline model fixture_model(size_t contacts, double damping) {
  model m;
  model_init(&m, model_find(contacts > 0 ? "plate" : "hopper"));
  if (contacts > 0) {
    fixture_set(&m, "contacts", (double)contacts);
    fixture_set(&m, "damping", damping);
  }
  fixture_prepare(&m);
  return m;
}

static inline solver_settings fixture_settings(void) {
  return (solver_settings){.scaling = 1e6};
}

/* A grid of `count` samples `dt` apart and room for the states. Free with fixture_free. */
static inline solver_output fixture_output(const model *m, size_t count, double dt) {
  double *times = test_malloc(count * sizeof *times);
  double *states = test_calloc(count * m->system.dimension, sizeof *states);
  for (size_t i = 0; i < count; ++i) times[i] = (double)i * dt;
  return (solver_output){.times = times, .dt = dt, .count = count, .states = states};
}

static inline void fixture_free(solver_output *output) {
  test_free((void *)(uintptr_t)output->times);
  test_free(output->states);
}

static inline void *fixture_instance(const model *m, const solver_settings *settings,
                                     const solver_output *output) {
  char message[SOLVER_MESSAGE_SIZE];
  void *instance;
  if (bridge_solver.prepare(m, settings, output, &instance, message)) fail_msg("%s", message);
  return instance;
}

static inline void fixture_run(void *instance, const double x0[], const solver_output *output,
                               solver_report *report) {
  if (bridge_solver.run(instance, x0, output, report)) fail_msg("%s", report->message);
}

/* `message` is one line and has `words` in it. */
static inline void fixture_expect_line(const char *message, const char *words) {
  assert_null(strchr(message, '\n'));
  if (!strstr(message, words)) fail_msg("\"%s\" lacks \"%s\"", message, words);
}

#endif

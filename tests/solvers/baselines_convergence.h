/*
 * What the tests of solvers with tolerances share: their error falls with the tolerance on every
 * model, they cross what the reference crosses, and they refuse settings that make no sense.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef BASELINES_CONVERGENCE_H
#define BASELINES_CONVERGENCE_H

#include "baselines_fixture.h"

/* How a solver's error is to fall: below `factor` times the tolerance, down to `least`. */
typedef struct convergence {
  const solver_type *solver;
  const char *variant;
  double factor, least;
  double h_max; /* 0: none */
} convergence;

static inline solver_settings convergence_settings(const convergence *c, double tolerance) {
  solver_settings settings = fixture_settings();
  settings.variant = c->variant;
  settings.rtol = settings.atol = tolerance;
  if (c->h_max > 0.0) settings.h_max = c->h_max;
  return settings;
}

/* One run that must cross what the reference crosses; its error. */
static inline double convergence_error(const convergence *c, fixture *f, double tolerance) {
  const solver_settings settings = convergence_settings(c, tolerance);
  const fixture_result r = fixture_run(f, c->solver, &settings);
  if (r.report.events != f->reference.events)
    fail_msg("%s at %g: %llu crossings, not %zu", c->solver->name, tolerance,
             (unsigned long long)r.report.events, f->reference.events);
  assert_true(r.report.steps > 0 && r.report.field_evaluations >= r.report.steps);
  assert_true(r.report.event_evaluations > r.report.events);
  return r.rms;
}

/* Errors at 1e-4, 1e-6, 1e-8 and 1e-10: each below its bound, and all in all falling in proportion
 * to the tolerance (by a power of at least 0.75), unless the steps between two outputs make already
 * the first smaller than what its tolerance asks for by two orders. */
static inline void convergence_of(const convergence *c, model m, double duration) {
  fixture f = fixture_open(m, duration);
  double first = 0.0, last = 0.0;
  for (int i = 0; i < 4; i++) {
    const double tolerance = pow(10.0, -4 - 2 * i);
    last = convergence_error(c, &f, tolerance);
    if (i == 0) first = last;
    if (!(last < fmax(c->factor * tolerance, c->least)))
      fail_msg("%s %s on %s at %g: error %g", c->solver->name, c->variant ? c->variant : "",
               m.type->name, tolerance, last);
  }
  const double power = log10(first / last) / 6.0;
  if (!(first < 1e-6 || power > 0.75))
    fail_msg("%s on %s: error falls as tolerance^%g only", c->solver->name, m.type->name, power);
  fixture_close(&f);
}

/* All models, the plate under both laws, damped and not. */
static inline void convergence_on_all_models(const convergence *c) {
  convergence_of(c, fixture_model("affine3"), 0.5);
  convergence_of(c, fixture_model("hopper"), 2.0);
  model paper = fixture_plate(60.0);
  fixture_set(&paper, "law", 1.0);
  convergence_of(c, fixture_plate(60.0), 2.0);
  convergence_of(c, fixture_plate(0.0), 2.0);
  convergence_of(c, paper, 2.0);
}

/* Fifty contacts, at one tolerance, with the field that is told of mode changes. */
static inline void convergence_on_fifty_contacts(const convergence *c) {
  model m = fixture_plate(60.0);
  fixture_set(&m, "contacts", 50.0);
  fixture_set(&m, "field", 1.0);
  fixture f = fixture_open(m, 2.0);
  assert_int_equal(f.reference.events, 200);
  assert_true(convergence_error(c, &f, 1e-7) < fmax(c->factor * 1e-7, c->least));
  fixture_close(&f);
}

/* Two runs of one instance agree to the last bit: nothing is carried from one to the next. */
static inline void convergence_repeats(const convergence *c) {
  char message[SOLVER_MESSAGE_SIZE];
  fixture f = fixture_open(fixture_plate(60.0), 2.0);
  const size_t size = f.count * f.m.system.dimension * sizeof *f.states;
  double *const first = test_malloc(size);
  const solver_output output = fixture_output(&f);
  const solver_settings settings = convergence_settings(c, 1e-6);
  void *instance;
  solver_report report, again;
  assert_int_equal(c->solver->prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(c->solver->run(instance, f.x0, &output, &report), 0);
  memcpy(first, f.states, size);
  assert_int_equal(c->solver->run(instance, f.x0, &output, &again), 0);
  assert_memory_equal(first, f.states, size);
  assert_int_equal(report.field_evaluations, again.field_evaluations);
  assert_int_equal(report.events, again.events);
  c->solver->release(instance);
  test_free(first);
  fixture_close(&f);
}

/* Tolerances, a longest step and a variant that make no sense. */
static inline void convergence_refusals(const convergence *c, const char *variants) {
  fixture f = fixture_open(fixture_model("hopper"), 0.1);
  solver_settings s = convergence_settings(c, 1e-6);
  s.rtol = -1.0;
  fixture_refused(&f, c->solver, &s, "rtol -1");
  s = convergence_settings(c, 0.0);
  fixture_refused(&f, c->solver, &s, "one is > 0");
  s = convergence_settings(c, 1e-6);
  s.atol = NAN;
  fixture_refused(&f, c->solver, &s, "atol nan");
  s = convergence_settings(c, 1e-6);
  s.h_max = 0.0;
  fixture_refused(&f, c->solver, &s, "h_max 0");
  s = convergence_settings(c, 1e-6);
  s.variant = "nosuch";
  fixture_refused(&f, c->solver, &s, variants);
  fixture_close(&f);
}

/* A start that is not finite ends the run with one line, and promptly. */
static inline void convergence_stops(const convergence *c) {
  char message[SOLVER_MESSAGE_SIZE];
  fixture f = fixture_open(fixture_plate(60.0), 0.1);
  const solver_output output = fixture_output(&f);
  const solver_settings settings = convergence_settings(c, 1e-6);
  void *instance;
  solver_report report;
  f.x0[1] = NAN;
  assert_int_equal(c->solver->prepare(&f.m, &settings, &output, &instance, message), 0);
  assert_int_equal(c->solver->run(instance, f.x0, &output, &report), SOLVER_FAILED);
  assert_int_equal(strncmp(report.message, c->solver->name, strlen(c->solver->name)), 0);
  assert_null(strchr(report.message, '\n'));
  c->solver->release(instance);
  fixture_close(&f);
}

#endif

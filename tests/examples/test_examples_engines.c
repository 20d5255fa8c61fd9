/*
 * The model, the solver and the study that docs/guide/adding.md shows, compiled from its text: the
 * model's reference agrees with the projection integrator, both solvers converge to it, and the
 * study writes a row of each solver at each tolerance.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "jumps.h"
#include "knobs.h"
#include "solvers.h"
#include "study_run.h"
#include "test_measure_folder.h"
#include "trajectory.h"
#include "trampoline.h"

extern const solver_type euler_solver;
extern const study trampoline_cost_study;

/* a prepared model, its start, and its reference on the output grid */
typedef struct fixture {
  model m;
  double x0[MODEL_DIMENSION_MAX];
  trajectory exact;
  size_t events;
} fixture;

static fixture open_model(const model_type *type) {
  char message[SOLVER_MESSAGE_SIZE];
  fixture f;
  model_init(&f.m, type);
  assert_int_equal(model_prepare(&f.m, message), 0);
  assert_int_equal(trajectory_alloc(&f.exact, &f.m, message), 0);
  f.m.type->initial_state(&f.m, f.x0);
  assert_int_equal(trajectory_reference(&f.exact, &f.m, f.x0, &f.events, NULL, message), 0);
  return f;
}

static void close_model(fixture *f) {
  trajectory_free(&f->exact);
  model_release(&f->m);
}

/* RMS error of a solver; its crossings, too */
static double error_of(const fixture *f, const solver_type *solver, double time_step,
                       size_t *events) {
  char message[SOLVER_MESSAGE_SIZE];
  trajectory t;
  assert_int_equal(trajectory_alloc(&t, &f->m, message), 0);
  const solver_output output = trajectory_output(&t);
  solver_settings settings = solver_settings_default();
  settings.time_step = time_step;
  settings.epsilon = 1e-5;
  void *instance;
  solver_report report;
  assert_int_equal(solver->prepare(&f->m, &settings, &output, &instance, message), 0);
  assert_int_equal(solver->run(instance, f->x0, &output, &report), 0);
  solver->release(instance);
  const double rms = trajectory_rms(&t, &f->exact);
  trajectory_free(&t);
  *events = report.events;
  return rms;
}

static void test_trampoline_is_what_libess_integrates(void **state) {
  (void)state;
  fixture f = open_model(&trampoline_type);
  size_t events;
  assert_true(error_of(&f, &projection_solver, 0.0, &events) < 1e-8);
  assert_int_equal(f.events, 4);
  assert_int_equal(events, f.events);
  close_model(&f);
}

/* the reference for models that have no exact one: this one has, and gives its Jacobian alone */
static void test_trampoline_needs_no_exact_solution(void **state) {
  (void)state;
  fixture f = open_model(&trampoline_type);
  model_type without = trampoline_type;
  without.reference = jumps_reference;
  f.m.type = &without;
  char message[SOLVER_MESSAGE_SIZE];
  trajectory t;
  size_t events;
  assert_int_equal(trajectory_alloc(&t, &f.m, message), 0);
  assert_int_equal(trajectory_reference(&t, &f.m, f.x0, &events, NULL, message), 0);
  assert_true(trajectory_rms(&t, &f.exact) < 1e-11);
  assert_int_equal(events, f.events);

  // what is crossed once stays: it is thrown up for good
  static const ess_guard_kind upward_only[] = {[ESS_GUARD_DOWN(0)] = ESS_GUARD_NONE};
  f.m.system.kinds = upward_only;
  assert_int_equal(trajectory_reference(&t, &f.m, f.x0, &events, NULL, message), 0);
  assert_int_equal(events, 1);

  f.m.system.event_count = JUMPS_GUARDS_MAX + 1;
  assert_int_not_equal(trajectory_reference(&t, &f.m, f.x0, &events, NULL, message), 0);
  assert_string_equal(message, "trampoline: this reference takes up to 32 event functions, not 33");
  f.m.system.event_count = 1;

  const ess_reset_matrix rows = {.row_start = (size_t[]){0, 1, 1, 1},
                                 .guard = (size_t[]){1},
                                 .effect = (signed char[]){ESS_ARM_AHEAD}};
  f.m.system.resets = &rows;
  assert_int_not_equal(trajectory_reference(&t, &f.m, f.x0, &events, NULL, message), 0);
  assert_string_equal(message, "trampoline: this reference takes no row with ESS_ARM_AHEAD");
  f.m.system.resets = NULL;
  trajectory_free(&t);
  close_model(&f);
}

static void test_trampoline_refuses_a_weak_push(void **state) {
  (void)state;
  char message[MODEL_MESSAGE_SIZE];
  model m;
  model_init(&m, &trampoline_type);
  assert_int_equal(model_set(&m, "push", 5.0, message), 0);
  assert_int_equal(model_prepare(&m, message), MODEL_REFUSED);
  assert_string_equal(message, "trampoline: push must exceed gravity");
}

/* first order: ten times the steps, a tenth of the error, on every model */
static void test_euler_converges(void **state) {
  (void)state;
  const model_type *const types[] = {&trampoline_type, model_find("affine3"), model_find("plate")};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    fixture f = open_model(types[i]);
    size_t events;
    const double coarse = error_of(&f, &euler_solver, types[i]->time_step / 100, &events);
    const double fine = error_of(&f, &euler_solver, types[i]->time_step / 1000, &events);
    assert_true(coarse < 0.05);
    assert_true(fine < 0.2 * coarse);
    assert_int_equal(events, f.events);
    close_model(&f);
  }
}

/* a row of each solver at each tolerance */
static void test_a_study_of_it_runs(void **state) {
  char message[SOLVER_MESSAGE_SIZE] = "", path[PATH_SIZE], line[4096], solver[16];
  knobs_asked settings = {0};
  model m;
  model_init(&m, &trampoline_type);
  assert_int_equal(option_defaults(trampoline_cost_study.options, &settings, message), 0);
  const study_request request = {
      .folder = *state, .processes = 1, .part = SIZE_MAX, .m = &m, .settings = &settings};
  if (study_execute(&trampoline_cost_study, &request, message)) fail_msg("%s", message);
  FILE *const csv = fopen(path_in(state, "trampoline_cost.csv", path), "r");
  assert_non_null(csv);
  assert_non_null(fgets(line, sizeof line, csv));
  assert_string_equal(line, "solver,tolerance,rms_error,evaluations\n");
  double tolerance, error, evaluations, last = 0.0;
  size_t rows = 0;
  for (; fgets(line, sizeof line, csv); rows++, last = error) {
    assert_int_equal(sscanf(line, "%15[^,],%lf,%lf,%lf", solver, &tolerance, &error, &evaluations),
                     4);
    assert_string_equal(solver, rows < 4 ? "cvode" : "libess");
    assert_true(tolerance == settings.tolerances.value[rows % 4]);
    // parabolas are exact by libess; CVODE's error falls
    assert_true(error <= 10.0 * tolerance && evaluations > 10);
    assert_true(rows < 4 ? !rows || error < 0.1 * last : error < 1e-12);
  }
  assert_int_equal(rows, 8);
  fclose(csv);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trampoline_is_what_libess_integrates),
      cmocka_unit_test(test_trampoline_needs_no_exact_solution),
      cmocka_unit_test(test_trampoline_refuses_a_weak_push),
      cmocka_unit_test(test_euler_converges),
      cmocka_unit_test_setup_teardown(test_a_study_of_it_runs, folder_set_up, folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

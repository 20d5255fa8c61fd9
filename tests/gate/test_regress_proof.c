/*
 * The solvers that are spoilt to prove the regression gate (solvers/regress_proof.c, built here
 * with extra-projection): a build of them that no longer links, or no longer spoils, would go
 * unnoticed until somebody proves the gate.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solvers.h"

extern const solver_type libess_solver_unspoilt, projection_solver_unspoilt;

enum { OUTPUTS = 2 };

/* what a solver reports of one run of the order test's system, through its guards */
static solver_report report_of(const solver_type *solver) {
  model m;
  char message[SOLVER_MESSAGE_SIZE], why[MODEL_MESSAGE_SIZE];
  model_init(&m, model_find("affine3"));
  if (model_prepare(&m, why)) fail_msg("%s", why);
  double start[MODEL_DIMENSION_MAX], states[OUTPUTS * MODEL_DIMENSION_MAX];
  m.type->initial_state(&m, start);
  const double times[OUTPUTS] = {0.0, 1.0};
  const solver_output output = {times, 1.0, OUTPUTS, states};
  const solver_settings settings = solver_settings_default();
  solver_report report = {0};
  void *instance;
  if (solver->prepare(&m, &settings, &output, &instance, message)) fail_msg("%s", message);
  if (solver->run(instance, start, &output, &report)) fail_msg("%s", report.message);
  solver->release(instance);
  model_release(&m);
  return report;
}

static void test_projection_projects_once_more(void **state) {
  (void)state;
  const solver_report plain = report_of(&projection_solver_unspoilt);
  const solver_report spoilt = report_of(&projection_solver);
  assert_true(plain.projections > 0);
  assert_int_equal(spoilt.projections, plain.projections + 1);
  assert_true(spoilt.field_evaluations > plain.field_evaluations);
  assert_int_equal(spoilt.events, plain.events);
}

static void test_libess_is_left_alone_by_it(void **state) {
  (void)state;
  const solver_report plain = report_of(&libess_solver_unspoilt);
  const solver_report spoilt = report_of(&libess_solver);
  assert_true(plain.events > 0);
  assert_memory_equal(&spoilt, &plain, sizeof plain);
}

static void test_they_take_the_place_of_the_solvers(void **state) {
  (void)state;
  assert_ptr_equal(solver_find("libess"), &libess_solver);
  assert_ptr_equal(solver_find("projection"), &projection_solver);
  assert_non_null(strstr(libess_solver.summary, "spoilt on purpose"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_projection_projects_once_more),
      cmocka_unit_test(test_libess_is_left_alone_by_it),
      cmocka_unit_test(test_they_take_the_place_of_the_solvers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

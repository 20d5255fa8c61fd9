/*
 * GSL's integrators with bisected events: convergence on every model, crossings, bad input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_convergence.h"

/* bisection ends within atol of the guard, where the field may jump; rkf45, which ends its steps at
 * every output, is held by no tolerance below its error over those */
static const convergence rk8pd = {&gsl_events_solver, "rk8pd", 30.0, 2e-11, 0.0};
static const convergence rkf45 = {&gsl_events_solver, "rkf45", 30.0, 5e-8, 0.0};

static void test_rk8pd_converges(void **state) {
  (void)state;
  convergence_on_all_models(&rk8pd);
  convergence_on_fifty_contacts(&rk8pd);
}

static void test_rkf45_converges(void **state) {
  (void)state;
  convergence_on_all_models(&rkf45);
  convergence_on_fifty_contacts(&rkf45);
}

static void test_rk8pd_is_the_default(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60.0), 2.0);
  solver_settings s = convergence_settings(&rk8pd, 1e-6);
  const fixture_result named = fixture_run(&f, &gsl_events_solver, &s);
  s.variant = NULL;
  const fixture_result unnamed = fixture_run(&f, &gsl_events_solver, &s);
  assert_int_equal(named.report.field_evaluations, unnamed.report.field_evaluations);
  assert_true(named.rms == unnamed.rms);
  s.variant = "rkf45";
  assert_true(fixture_run(&f, &gsl_events_solver, &s).report.field_evaluations <
              unnamed.report.field_evaluations);
  fixture_close(&f);
}

static void test_runs_repeat(void **state) {
  (void)state;
  convergence_repeats(&rk8pd);
}

static void test_bad_input(void **state) {
  (void)state;
  convergence_refusals(&rk8pd, "it is rk8pd or rkf45");
  convergence_stops(&rk8pd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rk8pd_converges),
      cmocka_unit_test(test_rkf45_converges),
      cmocka_unit_test(test_rk8pd_is_the_default),
      cmocka_unit_test(test_runs_repeat),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

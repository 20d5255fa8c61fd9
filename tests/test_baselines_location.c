/*
 * Event location: convergence on every model, no crossing missed from random starts, its root
 * finders, bad input.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "baselines_convergence.h"
#include "bracket.h"

static const convergence fast = {&location_solver, "chandrupatla", 200.0, 2e-11, 0.0};
static const convergence brent = {&location_solver, "brent", 200.0, 2e-11, 0.0};

static void test_converges(void **state) {
  (void)state;
  convergence_on_all_models(&fast);
  convergence_on_fifty_contacts(&fast);
}

static void test_brent_converges(void **state) {
  (void)state;
  convergence_on_all_models(&brent);
  convergence_on_fifty_contacts(&brent);
}

/* Steps as long as the tolerance allows, over many contacts: some are touched and left in one. */
static void test_no_crossing_is_missed(void **state) {
  (void)state;
  gsl_rng *const rng = gsl_rng_alloc(gsl_rng_mt19937);
  model m = fixture_plate(0.0);
  fixture_set(&m, "contacts", 40.0);
  fixture f = fixture_open(m, 2.0);
  size_t shorter = 0;
  for (int start = 0; start < 12; start++) {
    char message[MODEL_MESSAGE_SIZE];
    f.m.type->random_state(&f.m, rng, f.x0);
    assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
    assert_true(convergence_error(start % 2 ? &fast : &brent, &f, 1e-7) < 2e-5);
    shorter += f.reference.events < 160;
  }
  // starts differ in what they cross
  assert_true(shorter > 0 && shorter < 12);
  fixture_close(&f);
  gsl_rng_free(rng);
}

/* Started on its guard, the hopper's side is where it moves. */
static void test_starts_on_a_guard(void **state) {
  (void)state;
  const double speeds[] = {-1.0, 0.0, 1.0};
  for (size_t i = 0; i < 3; i++) {
    char message[MODEL_MESSAGE_SIZE];
    fixture f = fixture_open(fixture_model("hopper"), 1.0);
    f.x0[0] = 1.0;
    f.x0[1] = speeds[i];
    assert_int_equal(f.m.type->reference(&f.m, f.x0, &f.reference, message), 0);
    assert_true(convergence_error(&fast, &f, 1e-8) < 1e-6);
    fixture_close(&f);
  }
}

/* Both root finders cross the same, and the default takes fewer evaluations. */
static void test_root_finders_agree(void **state) {
  (void)state;
  fixture f = fixture_open(fixture_plate(60.0), 2.0);
  solver_settings s = convergence_settings(&brent, 1e-8);
  const fixture_result slow = fixture_run(&f, &location_solver, &s);
  s.variant = NULL;
  const fixture_result quick = fixture_run(&f, &location_solver, &s);
  assert_true(fabs(slow.rms - quick.rms) < 1e-10);
  assert_int_equal(slow.report.entries, quick.report.entries);
  assert_true(quick.report.guard_evaluations < slow.report.guard_evaluations);
  fixture_close(&f);
}

/* a root of high multiplicity, a jump, and a steep one: what a secant alone would be slow at */
static double flat(double at, void *params) {
  (void)params;
  return pow(at - 0.3, 9.0);
}

static double jump(double at, void *params) {
  (void)params;
  return at < 0.7 ? -1e-3 : 1e3;
}

static double steep(double at, void *params) {
  ++*(int *)params;
  return exp(50.0 * (at - 0.4)) - 1.0;
}

static void test_brackets_are_narrowed(void **state) {
  (void)state;
  const double width = 1e-14;
  gsl_root_fsolver *const solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  for (int method = 0; method < 2; method++) {
    int count = 0;
    const struct {
      bracket_function f;
      double root, tolerance;
    } cases[] = {{flat, 0.3, 1e-13}, {jump, 0.7, 1e-13}, {steep, 0.4, 1e-13}};
    for (size_t i = 0; i < 3; i++) {
      bracket b = {0.0, 1.0, cases[i].f(0.0, &count), cases[i].f(1.0, &count)};
      const int status = method ? bracket_chandrupatla(&b, cases[i].f, &count, width)
                                : bracket_brent(&b, cases[i].f, &count, width, solver);
      assert_int_equal(status, 0);
      assert_true(b.lo < b.hi && b.f_lo < 0.0 && b.f_hi >= 0.0);
      assert_true(b.f_hi == 0.0 || b.hi - b.lo <= width);
      assert_true(fabs(b.hi - cases[i].root) < cases[i].tolerance);
    }
    // bisection alone would take 47
    assert_true(count < 30);
  }
  gsl_root_fsolver_free(solver);
}

static void test_runs_repeat(void **state) {
  (void)state;
  convergence_repeats(&fast);
}

static void test_bad_input(void **state) {
  (void)state;
  convergence_refusals(&fast, "it is chandrupatla or brent");
  convergence_stops(&fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_converges),
      cmocka_unit_test(test_brent_converges),
      cmocka_unit_test(test_no_crossing_is_missed),
      cmocka_unit_test(test_starts_on_a_guard),
      cmocka_unit_test(test_root_finders_agree),
      cmocka_unit_test(test_brackets_are_narrowed),
      cmocka_unit_test(test_runs_repeat),
      cmocka_unit_test(test_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

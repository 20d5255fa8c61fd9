/*
 * The tutorial's programs as a user runs them, beside what is known of them on paper: where each
 * comes to rest, and what a step of the landing does to the slope of a height by the start.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

static const double step = 1e-3, gravity = 9.81, mass = 10.0;

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

/* hybrid without and with restitution, smooth, time-stepping; then libess */
enum { HYBRID, BOUNCING, SMOOTH, STEPPING, LIBESS, PROGRAMS };

static double of(const json_t *results, size_t program, const char *name) {
  const json_t *const row = json_array_get(json_object_get(results, "programs"), program);
  assert_non_null(row);
  return number_of(row, name);
}

static void programs_do_what_is_known(void **state) {
  essbench(state, "tutorial");
  json_t *const results = read_json(state, "results/tutorial.json");
  assert_int_equal(json_array_size(json_object_get(results, "programs")), PROGRAMS);

  // from the floor it sinks by g dt^2 in two steps, and is put back: a touch every other step
  near(of(results, HYBRID, "rest"), -gravity * step * step, 1e-15);
  const double landing = sqrt(2.0 / gravity) / step;
  near(of(results, HYBRID, "touches"), 0.5 * (1000.0 - landing), 1.5);
  // the spring's 750 N (1 - tanh 100 z) bears the weight
  near(of(results, SMOOTH, "rest"), atanh(1.0 - mass * gravity / 750.0) / 100.0, 1e-4);
  assert_true(of(results, STEPPING, "rest") == 0.0);
  assert_true(of(results, SMOOTH, "touches") == 1.0 && of(results, STEPPING, "touches") == 1.0);

  // one start lands a step later than the next and loses, or turns, its speed there; constraints
  // only end the fall: the slope goes from 1 to 0, which an interval of starts may share
  const double speed = sqrt(2.0 * gravity);
  near(of(results, HYBRID, "kink"), speed * step / 5e-6, 5.0);
  near(of(results, BOUNCING, "kink"), 1.7 * speed * step / 5e-6, 10.0);
  assert_true(of(results, STEPPING, "kink") >= 0.5 && of(results, STEPPING, "kink") <= 1.0 + 1e-9);
  assert_true(of(results, SMOOTH, "kink") < 0.01);

  // by differences of the closed form
  near(of(results, LIBESS, "derivative"), 1.36502988, 1e-8);
  assert_true(of(results, LIBESS, "derivative_error") < 1e-12);
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(programs_do_what_is_known, folder_set_up, folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

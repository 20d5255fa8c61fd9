/*
 * The studies of derivatives as a user runs them: what is known of the landing on two feet, and how
 * the derivative's error falls on Table 4.1's system.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _XOPEN_SOURCE 700

#include "experiments_fixture.h"

static void near(double value, double known, double within) {
  if (!(fabs(value - known) <= within)) fail_msg("%.10g is not %.10g", value, known);
}

static const json_t *row(const json_t *results, const char *table, size_t i) {
  const json_t *const at = json_array_get(json_object_get(results, table), i);
  assert_non_null(at);
  return at;
}

/* inertia 4, 2, 1, 0.5; then soft limbs, decoupled and coupled */
static void limbs_are_as_known(void **state) {
  static const double turns[] = {0.394543, 0.365317, 0.0, 0.0};
  static const double orthogonality[] = {0.6, 1.0 / 3.0, 0.0, -1.0 / 3.0};
  static const char *const flows[] = {"discontinuous", "discontinuous", "C1", "C1", "C1",
                                      "piecewise"};
  essbench(state, "limbs --rotations 5");
  json_t *const results = read_json(state, "results/limbs.json");
  for (size_t i = 0; i < 6; i++) {
    const json_t *const body = row(results, "bodies", i);
    const bool soft = i > 3;
    assert_string_equal(text_of(body, "limbs"), soft ? "soft" : "rigid");
    assert_string_equal(text_of(body, "flow"), flows[i]);
    assert_true(json_is_true(json_object_get(body, "block_diagonal")) == soft);
    near(number_of(body, "orthogonality"), soft ? 0.0 : orthogonality[i], 1e-12);
    near(number_of(body, "turn_right"), soft ? 0.0 : -turns[i], 2e-6);
    near(number_of(body, "turn_left"), soft ? 0.0 : turns[i], 2e-6);
    if (soft) assert_true((number_of(body, "additivity") > 1e-4) == (i == 5));
    if (soft) assert_true((number_of(body, "foreign") > 1e-4) == (i == 5));
  }
  near(number_of(row(results, "bodies", 5), "vz_right"), 2.6936, 1e-4);
  near(number_of(row(results, "bodies", 5), "vz_left"), -2.6936, 1e-4);

  // 6 bodies from 11 rotations; the fifth body's sixth is none
  assert_int_equal(json_array_size(json_object_get(results, "starts")), 66);
  const json_t *const level = row(results, "starts", 4 * 11 + 5);
  assert_true(number_of(level, "tilt") == 0.0);
  near(number_of(level, "d_theta"), 0.09277210, 1e-7);
  near(number_of(level, "d_omega"), -15.509511, 1e-5);
  assert_true(json_is_null(json_object_get(row(results, "starts", 5), "omega")));

  // between starts the derivative is that of the outcome, as far as trapezia say
  for (size_t i = 4 * 11; i < 5 * 11 - 1; i++) {
    const json_t *const a = row(results, "starts", i), *const b = row(results, "starts", i + 1);
    const double step = number_of(b, "tilt") - number_of(a, "tilt");
    near((number_of(b, "theta") - number_of(a, "theta")) / step,
         0.5 * (number_of(a, "d_theta") + number_of(b, "d_theta")), 2e-3);
  }
  json_decref(results);
}

static const json_t *fit_of(const json_t *results, const char *crossings, int order,
                            const char *of) {
  size_t i;
  json_t *fit;
  json_array_foreach(json_object_get(results, "fits"), i,
                     fit) if (strcmp(text_of(fit, "crossings"), crossings) == 0 &&
                              (int)number_of(fit, "order") == order &&
                              strcmp(text_of(fit, "of"), of) == 0) return fit;
  fail_msg("no fit of %s, order %d, %s", crossings, order, of);
  return NULL;
}

static void derivative_errors_fall_as_they_must(void **state) {
  essbench(state, "derivative-error");
  json_t *const results = read_json(state, "results/derivative_error.json");
  for (int order = 1; order <= 2; order++) {
    near(number_of(fit_of(results, "isolated", order, "tangents"), "slope"), order + 1, 0.15);
    near(number_of(fit_of(results, "isolated", order, "differences"), "slope"), order + 1, 0.15);
  }
  // by one tolerance the derivative is known at the corner, along either side
  static const char *const places[] = {"isolated", "x first", "y first"};
  for (size_t i = 0; i < 3; i++) {
    const json_t *const fit = fit_of(results, places[i], 0, "tangents");
    assert_true(number_of(fit, "smallest") < 1e-8 && number_of(fit, "largest") < 0.1);
    assert_true(number_of(fit, "slope") > 0.5);
  }
  json_decref(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(limbs_are_as_known, folder_set_up, folder_tear_down),
      cmocka_unit_test_setup_teardown(derivative_errors_fall_as_they_must, folder_set_up,
                                      folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
